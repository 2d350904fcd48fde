"""One run of an agent: its question is asked again, or its recorded answer is given."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from crewcheck.crewai import answers, telling, tool_answers, tool_memory
from crewcheck.crewai.agents import judged, lineage, match
from crewcheck.crewai.agents.asking import how_it_is_asked
from crewcheck.crewai.agents.objects import AgentKind
from crewcheck.crewai.agents.saved import SavedAgent, output_of
from crewcheck.crewai.agents.telling import AgentTelling
from crewcheck.crewai.bus import flush
from crewcheck.crewai.channel import Channel
from crewcheck.crewai.crews.facts import endpoint_of, model_of
from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.session import Named, NotRun, Session
from crewcheck.engine.invalidation import (
    DONE,
    FAILED,
    KEEP,
    RUN,
    UNDER_WAY,
    Decision,
    TaskFacts,
    Wishes,
    decide,
)
from crewcheck.model.agent import ASKED, QUESTION, is_of
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message

#: What an agent's kickoff is given, by its parameters' names.
_MESSAGES, _FORMAT = "messages", "response_format"


class AgentSession(Session[SavedAgent]):
    """``options`` are what the agent is asked with besides the question; None: that is yet
    to be found out."""

    kind = AgentKind()

    def __init__(self, channel: Channel, spec: RunSpec, saved: SavedAgent) -> None:
        super().__init__(channel, spec, saved)
        self._wishes = _wishes(spec, saved)
        self.question = spec.inputs.get(QUESTION, saved.run.question)
        self.options: Named | None = None
        self._keeps: bool | None = None
        self._fresh = False
        self._entry = ""
        self._format: Any = None
        self._undo: Callable[[], None] = lambda: None

    @property
    def edited(self) -> bool:
        return bool(self._wishes.inputs or self._wishes.rerun or self._wishes.keep)

    def say_loaded(self, target: Any, entry: str, ran_before: bool) -> None:
        self._entry = entry
        task = {
            "index": 0,
            "name": target.role,
            "template": None,
            "agent": target.role,
            "state": self.saved.state,
            "depends_on": [],
            "names": [QUESTION],
            "asynchronous": False,
            "output_class": None,
            "model": model_of(target),
            "endpoint": endpoint_of(target),
            "tools": match.tool_names(target),
        }
        self.channel.send(
            "loaded",
            entry=entry,
            kind="agent",
            name=target.role,
            tasks=[task],
            inputs=self.saved.inputs,
            tools=sorted(match.tool_names(target)),
            cwd=self.spec.cwd,
            model=task["model"],
            endpoint=task["endpoint"],
            ran_before=ran_before,
        )

    def say_plan(self, target: Any, ran_before: str = "") -> None:
        saved = self.saved
        changed = match.differences(target, saved.entity)
        if changed and not self.spec.allow_changed:
            raise Refusal(
                "agent-differs",
                "the project's agent is not the one of the checkpoint",
                "accept it with --allow-changed",
                changed,
            )
        item = self._decision()
        if item.action == RUN and self.question is None and not ran_before:
            raise Refusal(
                "no-question",
                f"what the agent was asked is not in {saved.checkpoint_id}, nor in another "
                "checkpoint of its run: CrewAI has let go of it",
                "run your own program with --script FILE, or ask anew with `crewcheck fork "
                '--input question="..."`',
            )
        warnings = match.warnings(target, saved.entity, saved.label) if item.action == RUN else []
        losses = self._losses(target) if item.action == RUN else []
        if not ran_before and self.options is None:
            losses += self._find_out_how_it_is_asked(item)
        self.send_plan(
            [item.as_dict()],
            ran_before=ran_before,
            changed=changed,
            warnings=warnings,
            losses=losses,
            nothing_to_run=self.nothing_to_run or (item.action == KEEP and not self.resumes),
        )

    def _decision(self) -> Decision:
        facts = TaskFacts(0, self.saved.state, frozenset(), frozenset({QUESTION}), self.saved.label)
        return decide([facts], self._wishes)[0]

    def _memory(self, target: Any) -> tool_memory.Memory:
        """What the agent's tools had kept, where their recorded calls are not made again."""
        known = [*self.saved.within, *self.saved.later]
        if self._asks_anew or tool_answers.has_hooks():
            return tool_memory.Memory()
        tools = tool_memory.beside(target, self.saved.entity)
        return tool_memory.of_tools(tools, tool_memory.used(known), ())

    @property
    def _asks_anew(self) -> bool:
        """Whether nothing of what it had begun is gone on with."""
        return bool(self._fresh or self._wishes.rerun or self._wishes.inputs)

    def _losses(self, target: Any) -> list[dict[str, Any]]:
        doubts = self._memory(target).doubts()
        return [*doubts, *self._known_losses(target)]

    def _known_losses(self, target: Any) -> list[dict[str, Any]]:
        if self.saved.state in (UNDER_WAY, FAILED) and match.tool_names(target):
            message = "it starts anew and may call its tools again"
            return [{"rule": "tools-again", "where": self.saved.label, "message": message}]
        return []

    def _find_out_how_it_is_asked(self, item: Decision) -> list[dict[str, str]]:
        asked = how_it_is_asked(self._entry, self.spec.cwd)
        self.asked_with(asked.format)
        if asked.known or item.action == KEEP:
            return []
        message = (
            "a response_format that it is asked with is not in a checkpoint, and no kickoff of "
            "it was found in the project; with --script your own program asks it"
        )
        return [{"rule": "response-format", "where": self.saved.label, "message": message}]

    def take_order(self, message: Message, target: Any) -> None:
        kept = {int(value) for value in message.get("keep") or []}
        if kept - {0}:
            raise Refusal("no-such-task", f"an agent has one thing to do, not {max(kept) + 1}")
        if kept and self.saved.state != DONE:
            raise Refusal("nothing-to-keep", f"{self.saved.label} has no answer to keep")
        given = dict(message.get("inputs") or {})
        _check_inputs(given)
        self.question = given.get(QUESTION, self.question)
        self._keeps = bool(kept)
        self._fresh = bool(message.get("fresh")) or self.saved.state == DONE or bool(given)

    def arm(self, target: Any) -> None:
        if self._keeps is None:
            raise RuntimeError("there was no go")
        self._undo = lineage.begin(
            target, self.saved, self.spec, self.record, self.branch, self.parent_id
        )
        told = self.telling = AgentTelling(self.channel, target)
        if not self._keeps and not self._asks_anew:
            found = answers.Answers(told.answered)
            known = [*self.saved.within, *self.saved.later]
            found.add_for_anyone(known)
            answers.arm(found, [target])
            judged.arm(judged.passed(known))
            self._memory(target).give_back()
            tools = tool_answers.ToolAnswers(told.tool_answered)
            tools.add_for_anyone(known, self._begins)
            tool_answers.arm(tools)
        self.begin()
        telling.listen(told)
        if self._keeps:
            told.send("lite_agent_execution_completed", agent=target.role, replayed=True)

    def _begins(self, event: Mapping[str, Any]) -> bool:
        """Whether an attempt at the question begins with an event."""
        return event.get("type") == ASKED and is_of(event, self.saved.entity)

    def disarm(self, target: Any) -> None:
        answers.disarm()
        tool_answers.disarm()
        judged.disarm()
        flush()
        self._undo()

    def run(self, target: Any, kickoff: Callable[[], Any]) -> Any:
        if is_in_loop():
            return self.arun(target, kickoff)  # as CrewAI's own kickoff does there
        return super().run(target, lambda: self._recorded(target) or kickoff())

    async def arun(self, target: Any, kickoff: Callable[[], Awaitable[Any]]) -> Any:
        async def asked() -> Any:
            recorded = self._recorded(target)
            return recorded if recorded is not None else await kickoff()

        return await super().arun(target, asked)

    def _recorded(self, target: Any) -> Any:
        """The recorded answer, where it is kept."""
        if not self._keeps:
            return None
        return output_of(target.role, self.saved.result, self._format)

    def kickoff(self, target: Any) -> Any:
        return target.kickoff(self.question, **(self.options or {}))

    def asked_with(self, response_format: Any) -> None:
        self.options = {} if response_format is None else {_FORMAT: response_format}
        self._format = response_format

    def recorded(self, target: Any) -> Any:
        return output_of(target.role, self.saved.result, self._format)

    def account(self, target: Any, result: Any) -> None:
        raw = getattr(result, "raw", None)
        if not isinstance(raw, str) or inspect.isawaitable(result):
            raise NotRun(f"CrewAI ended without an answer of {self.saved.label}")
        self.result = raw

    def differences(self, target: Any, named: Named) -> tuple[bool, list[str]]:
        lines = match.differences(target, self.saved.entity)
        asked = match.question_differs(self.saved.run.question, named.get(_MESSAGES))
        if self.spec.allow_changed:
            same = target.role == self.saved.entity.get("role")
            return same and not asked, lines + asked
        return not lines and not asked, lines + asked

    def arguments(self, named: Named) -> Named:
        rest = {key: value for key, value in named.items() if key != "from_checkpoint"}
        self._format = rest.get(_FORMAT)
        return rest if self.question is None else {**rest, _MESSAGES: self.question}


def is_in_loop() -> bool:
    """Whether this is called within an event loop: there a kickoff gives a coroutine."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _check_inputs(given: Named) -> None:
    unknown = sorted(set(given) - {QUESTION})
    if unknown:
        raise Refusal(
            "no-such-input", f"an agent is given a {QUESTION}, and nothing called {unknown[0]}"
        )


def _wishes(spec: RunSpec, saved: SavedAgent) -> Wishes:
    """What a person wants to be different. Raises `Refusal`."""
    _check_inputs(spec.inputs)
    if spec.outputs:
        raise Refusal(
            "answer-edited",
            "an agent's answer is all that it gives: nothing would run on another one",
            f"ask it something else with --input {QUESTION}=TEXT",
        )
    for value in (*spec.rerun, *spec.keep):
        if str(value) != "0":
            raise Refusal("no-such-task", f"an agent has one thing to do, not {value}")
    given = {key for key in spec.inputs if spec.inputs[key] != saved.run.question}
    return Wishes(
        inputs=frozenset(given),
        rerun=frozenset({0} if spec.rerun else ()),
        keep=frozenset({0} if spec.keep else ()),
    )
