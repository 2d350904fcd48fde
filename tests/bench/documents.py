"""Synthetic runs: the documents that CrewAI 1.15 writes while a crew works, made without it.

A run is played once with live objects, as in CrewAI: events hold the very tasks and agents,
so every document repeats their present state many times over. What differs between the
documents of two runs of one kind (ids, parent and branch) is put in afterwards, so that a
large store is written about as fast as the disk takes it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]

VERSION = "1.15.30"
#: what the ids of a run begin with until it has a number
_IDS = "5e1ec7ed"


def _names(text: str) -> list[str]:
    return text.split()


_WORDS = _names(
    "anchor bridge canal delta engine fabric glacier harbour island journal kernel "
    "ladder meadow needle orchard pillar quarry river signal tunnel umbrella valley "
    "window yard"
)
#: what real texts have and a careless reader trips over
_ODD = (
    'a "quoted" word',
    "two\nlines\tand a tab",
    "caf\u00e9 \u6a4b \U0001f309",
    "C:\\new\\table",
    "[bold]plain[/bold]",
    '{"event_record": {"nodes": {}}, "trigger": "task_failed"}',
)
_ROLES = ("Researcher", "Writer", "Editor", "Critic", "Planner", "Translator")
_CREWS = ("press", "survey", "atlas", "archive")
_LLM_UNSET = _names(
    "temperature top_p max_tokens seed frequency_penalty presence_penalty n organization "
    "project timeout default_headers default_query client_params max_completion_tokens "
    "response_format logprobs top_logprobs reasoning_effort interceptor instructions "
    "store previous_response_id include builtin_tools api_base"
)
_AGENT_UNSET = _names(
    "max_tokens knowledge knowledge_sources knowledge_storage checkpoint "
    "knowledge_config apps mcps memory skills execution_context "
    "checkpoint_kickoff_event_id cache_handler"
)
_TASK_UNSET = _names(
    "config callback output_json output_pydantic response_model output_file "
    "converter_cls guardrail guardrails max_retries allow_crewai_trigger_context"
)
_CREW_UNSET = _names(
    "embedder usage_metrics manager_llm manager_agent function_calling_llm config "
    "step_callback task_callback max_rpm prompt_file output_log_file planning_llm "
    "knowledge_sources chat_llm knowledge skills token_usage tracing execution_context"
)
_EXECUTOR_UNSET = _names(
    "initial_state tracing stream memory input_provider defer_trace_finalization "
    "last_human_feedback persistence checkpoint"
)
_CONTEXT_UNSET = _names(
    "current_task_id flow_request_id flow_id triggering_event_id feedback_callback_info "
    "platform_token"
)
_METHODS = _names(
    "generate_plan check_todos_available initialize_reasoning check_max_iterations "
    "call_llm_and_parse route_by_answer_type finalize"
)
_PLACE = {"location": "./.checkpoints", "provider": "JsonProvider"}


class Shape(NamedTuple):
    """How large a run is: its tasks, and the characters of an output. ``live``: events hold
    whole tasks and agents (a run that was resumed has events without)."""

    tasks: int
    text: int
    live: bool


class Step(NamedTuple):
    """A checkpoint of a run before it is placed in a lineage; ``entities`` and ``record`` are
    the JSON texts of these two members."""

    crew: str
    trigger: str
    done: int
    total: int
    events: int
    entities: str
    record: str

    def document(self, run: int, parent: str | None, branch: str) -> str:
        """The whole document, with the keys in CrewAI's order; ``run`` is told by its ids."""
        ids = f"{run:08x}"
        return (
            f'{{"crewai_version": "{VERSION}", "parent_id": {json.dumps(parent)}, '
            f'"branch": {json.dumps(branch)}, "entities": {self.entities.replace(_IDS, ids)}, '
            f'"event_record": {self.record.replace(_IDS, ids)}, "trigger": "{self.trigger}"}}'
        )


def steps(shape: Shape, variant: int, only_last: bool = False) -> Iterator[Step]:
    """The checkpoints of a run: when each task starts and when it is done.

    Every fourth variant is a flow with the crew in it.
    """
    run = _Run(shape, variant)
    for number in range(shape.tasks):
        run.start(number)
        if only_last:
            run.pass_over("task_started")
        else:
            yield run.checkpoint("task_started")
        run.finish(number)
        if only_last and number < shape.tasks - 1:
            run.pass_over("task_completed")
        else:
            yield run.checkpoint("task_completed")


class _Run:
    def __init__(self, shape: Shape, variant: int) -> None:
        self.shape = shape
        self.random = random.Random(variant)
        self.name = _CREWS[variant % len(_CREWS)]
        self.in_flow = variant % 4 == 3
        self.crew_id = self.uuid()
        self.nodes: dict[str, Json] = {}
        roles = self.random.sample(_ROLES, min(len(_ROLES), (shape.tasks + 1) // 2))
        self.agents = [self.agent(role) for role in roles]
        self.tasks = [self.task(number) for number in range(shape.tasks)]
        self.kickoff = self.event("crew_kickoff_started", crew_name=self.name, inputs=None)

    def uuid(self) -> str:
        digits = f"{self.random.getrandbits(96):024x}"
        return "-".join((_IDS, digits[:4], digits[4:8], digits[8:12], digits[12:]))

    def words(self, count: int) -> str:
        return " ".join(self.random.choices(_WORDS, k=count)).capitalize()

    def text(self, length: int) -> str:
        """Sentences of about ``length`` characters, now and then with something odd."""
        made: list[str] = []
        left = length
        while left > 0:
            odd = f" {self.random.choice(_ODD)}" if self.random.random() < 0.1 else ""
            made.append(f"{self.words(self.random.randint(6, 16))}{odd}.")
            left -= len(made[-1]) + 1
        return " ".join(made)[: max(length, 1)]

    def agent(self, role: str) -> Json:
        return {
            "entity_type": "agent",
            "id": self.uuid(),
            "role": role,
            "goal": self.words(6),
            "backstory": self.words(12),
            "cache": True,
            "verbose": False,
            "max_rpm": None,
            "allow_delegation": False,
            "tools": [],
            "max_iter": 25,
            "agent_executor": None,
            "i18n": {"prompt_file": None},
            "llm": {
                "llm_type": "openai",
                "model": "gpt-4o-mini",
                "api_key": "sk-synthetic",
                "base_url": "http://llm.invalid/v1",
                "provider": "openai",
                "stream": False,
                "stop": [],
                "additional_params": {},
                "max_retries": 2,
                "api": "completions",
                **dict.fromkeys(_LLM_UNSET),
            },
            "crew": self.crew_id,
            "tools_handler": {"cache": None, "last_used_tool": None},
            "tools_results": [],
            "security_config": {"fingerprint": {"metadata": {}}},
            "callbacks": [],
            "adapted_agent": False,
            **dict.fromkeys(_AGENT_UNSET),
        }

    def task(self, number: int) -> Json:
        description = self.words(8)
        return {
            "used_tools": 0,
            "tools_errors": 0,
            "delegations": 0,
            "name": f"task_{number + 1}",
            "prompt_context": "",
            "description": f"{description} bridges",
            "expected_output": self.words(4),
            "agent": self.agents[number % len(self.agents)],
            "context": "NOT_SPECIFIED",
            "async_execution": False,
            "create_directory": True,
            "output": None,
            "tools": [],
            "input_files": {},
            "security_config": {"fingerprint": {"metadata": {}}},
            "id": self.uuid(),
            "human_input": False,
            "markdown": False,
            "processed_by_agents": [],
            "guardrail_max_retries": 3,
            "retry_count": 0,
            "start_time": None,
            "end_time": None,
            "checkpoint_original_description": f"{description} {{topic}}",
            "checkpoint_original_expected_output": None,
            **dict.fromkeys(_TASK_UNSET),
        }

    def event(self, kind: str, parent: str | None = None, **more: Any) -> str:
        """Record an event and return its id."""
        number = len(self.nodes) + 1
        previous = next(reversed(self.nodes), None)
        made = self.uuid()
        edges: dict[str, list[str]] = {}
        if parent is not None:
            edges["parent"] = [parent]
            self.nodes[parent]["edges"].setdefault("child", []).append(made)
        if previous is not None:
            edges["previous"] = [previous]
            self.nodes[previous]["edges"]["next"] = [made]
        self.nodes[made] = {
            "event": {
                "timestamp": f"2026-01-05T08:{number // 60 % 60:02}:{number % 60:02}.500000Z",
                "type": kind,
                "source_fingerprint": None,
                "source_type": None,
                "fingerprint_metadata": None,
                "task_id": None,
                "task_name": None,
                "agent_id": None,
                "agent_role": None,
                "event_id": made,
                "parent_event_id": parent,
                "previous_event_id": previous,
                "triggered_by_event_id": None,
                "started_event_id": None,
                "emission_sequence": number,
                **more,
            },
            "edges": edges,
        }
        return made

    def start(self, number: int) -> None:
        task = self.tasks[number]
        task["start_time"] = "2026-01-05T08:00:00.000000"
        self.started = self.event("task_started", self.kickoff, **self.copies(task=task))

    def copies(self, **live: Json) -> Json:
        return live if self.shape.live else {}

    def finish(self, number: int) -> None:
        """The agent's work on a task, with the events that it leaves."""
        task = self.tasks[number]
        agent: Json = task["agent"]
        copies = self.copies(agent=agent, task=task)
        output = self.text(int(self.shape.text * self.random.uniform(0.7, 1.3)))
        messages = [
            {"role": "system", "content": f"You are {agent['role']}. {agent['backstory']}"},
            {"role": "user", "content": f"{task['description']}\n\n{task['prompt_context']}"},
        ]
        answer = {"thought": "", "output": output, "text": output}
        state = {"id": self.uuid(), "messages": messages, "current_answer": answer, "plan": None}
        execution = self.event("agent_execution_started", self.started, **copies)
        inner = self.event("flow_started", execution, flow_name="AgentExecutor", inputs=None)
        call = self.event("llm_call_started", inner, model="gpt-4o-mini", messages=messages)
        usage = {"prompt_tokens": 300, "completion_tokens": len(output) // 4}
        self.event(
            "llm_call_completed",
            inner,
            model="gpt-4o-mini",
            messages=messages,
            response=output,
            usage=usage,
            started_event_id=call,
        )
        self.event("agent_logs_execution", inner, formatted_answer=answer)
        self.event("flow_finished", execution, flow_name="AgentExecutor", state=state)
        self.event("agent_execution_completed", self.started, output=output, **copies)
        task |= {
            "end_time": "2026-01-05T08:00:10.000000",
            "processed_by_agents": [agent["role"]],
            "output": {
                "description": task["description"],
                "name": task["name"],
                "expected_output": task["expected_output"],
                "summary": f"{task['description'][:40]}...",
                "raw": output,
                "pydantic": None,
                "json_dict": None,
                "agent": agent["role"],
                "output_format": "raw",
                "messages": messages,
            },
        }
        agent["agent_executor"] = self.executor(state)
        if number + 1 < len(self.tasks):
            self.tasks[number + 1]["prompt_context"] = output
        self.event(
            "task_completed", self.kickoff, started_event_id=self.started, **self.copies(task=task)
        )

    def executor(self, state: Json) -> Json:
        return {
            "executor_type": "experimental",
            "entity_type": "flow",
            "name": None,
            "suppress_flow_events": True,
            "max_method_calls": 250,
            **dict.fromkeys(_EXECUTOR_UNSET),
            "human_feedback_history": [],
            "execution_context": {
                "flow_method_name": "unknown",
                "event_id_stack": [[self.kickoff, "crew_kickoff_started"]],
                "last_event_id": next(reversed(self.nodes)),
                "emission_sequence": len(self.nodes),
                **dict.fromkeys(_CONTEXT_UNSET),
            },
            "checkpoint_completed_methods": _METHODS,
            "checkpoint_method_outputs": [
                {"method": method, "output": None} for method in _METHODS
            ],
            "checkpoint_method_counts": dict.fromkeys(_METHODS, 2),
            "checkpoint_state": state,
        }

    def checkpoint(self, trigger: str) -> Step:
        """What is written now; of its two events the second comes too late for it."""
        self.event("checkpoint_started", self.kickoff, **_PLACE, trigger=trigger)
        made = self.step(trigger)
        self.event("checkpoint_completed", self.kickoff, **_PLACE, trigger=trigger)
        return made

    def pass_over(self, trigger: str) -> None:
        """A checkpoint that nobody wants to see: only its events."""
        self.event("checkpoint_started", self.kickoff, **_PLACE, trigger=trigger)
        self.event("checkpoint_completed", self.kickoff, **_PLACE, trigger=trigger)

    def step(self, trigger: str) -> Step:
        finished = [task for task in self.tasks if task["output"] is not None]
        entities = [
            {
                "entity_type": "crew",
                "name": self.name,
                "cache": False,
                "tasks": self.tasks,
                "agents": self.agents,
                "process": "sequential",
                "verbose": False,
                "memory": False,
                "id": self.crew_id,
                "checkpoint": {"location": "./.checkpoints", "on_events": ["*"]},
                **dict.fromkeys(_CREW_UNSET),
                "checkpoint_inputs": {"topic": "bridges"},
                "checkpoint_train": False,
                "checkpoint_kickoff_event_id": self.kickoff,
            }
        ]
        if self.in_flow:
            flow = {
                "entity_type": "flow",
                "name": f"{self.name}_flow",
                "suppress_flow_events": False,
                "checkpoint_completed_methods": [task["name"] for task in finished],
                "checkpoint_method_outputs": [],
                "checkpoint_method_counts": {},
                "checkpoint_state": {"id": self.crew_id, "step": len(finished)},
            }
            entities.insert(0, flow)
        lean: Json = {"id": "agent", "messages": [], "plan": None}
        entities += [self.executor(lean) for agent in self.agents if agent["agent_executor"]]
        return Step(
            self.name,
            trigger,
            len(finished),
            len(self.tasks),
            len(self.nodes),
            json.dumps(entities),
            json.dumps({"nodes": self.nodes}),
        )
