"""Runs in the user's interpreter: a scenario as its user runs it, or as an oracle does.

An oracle is the same program in which something came out differently, from the start and
without anything recorded: an input, the final answer of a task, what a method of a flow
returned, the state of a flow after some of its calls. Nothing of `crewcheck` has part in
that, but for the writing of checkpoints, that none is lost. Stdlib and CrewAI only, 3.10.
"""

from __future__ import annotations

import asyncio
import builtins
import functools
import importlib
import inspect
import json
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any


def run(job: dict[str, Any]) -> int:
    """Run a program to its end, and write ``{final, paused, error}`` into ``job["result"]``.

    ``job``: ``module``; ``answers`` to what is asked; of an oracle ``inputs``, ``outputs``
    (position of a task -> text), ``results`` ([method, number of its call, value]) and
    ``state`` ({path: value} with the calls ``after`` which it is set: method -> number).
    """
    from crewcheck.crewai.writes import harden

    harden()
    sys.path.insert(0, job["cwd"])
    told: dict[str, Any] = {"final": None, "paused": False, "error": None}
    try:
        _answer(list(job.get("answers") or []))
        module: Any = importlib.import_module(job["module"])
        if job.get("inputs") is not None:
            module.INPUTS = job["inputs"]
            if "question" in job["inputs"]:
                module.QUESTION = job["inputs"]["question"]
        if job.get("outputs"):
            Outputs({int(key): value for key, value in job["outputs"].items()}).install()
        if job.get("results") or job.get("state"):
            Calls(job.get("results") or [], job.get("state") or {}, job.get("after")).install()
        result = kick_off(module)
        told["final"] = final_text(result)
        told["paused"] = type(result).__name__ == "HumanFeedbackPending"
    except BaseException as error:
        told["error"] = f"{type(error).__name__}: {error}"
        traceback.print_exc()
    from crewai.events.event_bus import crewai_event_bus

    crewai_event_bus.flush(30)
    with open(job["result"], "w", encoding="utf-8") as file:
        json.dump(told, file)
    sys.stdout.flush()
    sys.stderr.flush()
    return int(told["error"] is not None)


def kick_off(module: Any) -> Any:
    """Run a scenario: its own ``run`` (in a corpus ``main``), else what its user would most
    simply do."""
    own = getattr(module, "run", None) or getattr(module, "main", None)
    if own is not None:
        return own()
    target = _object(module.target)
    question = getattr(module, "QUESTION", None)
    if question is not None:
        return target.kickoff(question)
    inputs = getattr(module, "INPUTS", None)
    return target.kickoff(inputs=dict(inputs)) if inputs is not None else target.kickoff()


def _object(target: Any) -> Any:
    """What is kicked off: a class is called, and of a ``@CrewBase`` class its crew is taken."""
    made = target
    if inspect.isfunction(made):
        made = made()
    if inspect.isclass(made):
        own = {} if _is_crew_class(made) else {"checkpoint": _checkpoint()}
        made = made(**own)
    return made.crew() if _is_crew_class(type(made)) else made


def _is_crew_class(kind: Any) -> bool:
    return bool(getattr(kind, "is_crew_class", False))


def _checkpoint() -> Any:
    common: Any = importlib.import_module("_common")
    return common.checkpoint()


def final_text(result: Any) -> str:
    raw = getattr(result, "raw", None)
    return raw if isinstance(raw, str) else str(result)


def _answer(answers: list[str]) -> None:
    """Give these answers, in order, to whatever asks."""

    def ask(prompt: object = "", /) -> str:
        if not answers:
            raise EOFError("nobody is there to answer")
        return answers.pop(0)

    async def ask_async() -> str:
        return ask()

    builtins.input = ask
    try:
        from crewai.core.providers import human_input
    except ImportError:
        return
    if hasattr(human_input, "_async_readline"):
        human_input._async_readline = ask_async


class Outputs:
    """Some tasks end with other texts: they work as ever, guardrails and all, and what
    comes out in the end is replaced, with what CrewAI had made of it for their classes."""

    def __init__(self, texts: dict[int, str]) -> None:
        self._texts = texts
        self._places: dict[int, int] = {}
        self._tasks: list[Any] = []

    def install(self) -> None:
        from crewai import Crew, Task

        for name in ("kickoff", "akickoff"):
            if hasattr(Crew, name):
                setattr(Crew, name, self._noting(getattr(Crew, name)))
        Task._execute_core = self._ending(Task._execute_core)
        Task._aexecute_core = self._ending_async(Task._aexecute_core)

    def _noting(self, kickoff: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(kickoff)
        def noted(crew: Any, *args: Any, **named: Any) -> Any:
            self._tasks += crew.tasks  # kept, so that no other object gets its id
            self._places.update({id(task): place for place, task in enumerate(crew.tasks)})
            return kickoff(crew, *args, **named)

        return noted

    def _replace(self, task: Any, output: Any) -> Any:
        text = self._texts.get(self._places.get(id(task), -1))
        if text is not None:
            output.raw = text
            if task.output_pydantic:
                output.pydantic = task.output_pydantic.model_validate_json(text)
            elif task.output_json:
                output.json_dict = task.output_json.model_validate_json(text).model_dump()
        return output

    def _ending(self, execute: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(execute)
        def ended(task: Any, *args: Any, **named: Any) -> Any:
            return self._replace(task, execute(task, *args, **named))

        return ended

    def _ending_async(self, execute: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(execute)
        async def ended(task: Any, *args: Any, **named: Any) -> Any:
            return self._replace(task, await execute(task, *args, **named))

        return ended


class Calls:
    """Some calls of a flow's methods return other values, or the state is another one once
    the calls of ``after`` have ended. Until then no other call begins: a fork begins the
    others with that state, too. Calls that ``after`` names are those of a checkpoint, so
    whatever they wait for is among them."""

    def __init__(
        self, results: list[Any], state: dict[str, Any], after: dict[str, int] | None
    ) -> None:
        self._results = {(method, number): value for method, number, value in results}
        self._state = state
        self._before = dict(after or {})
        self._open = sum(self._before.values())
        self._waits = after is not None
        self._begun: Counter[str] = Counter()
        self._lock = threading.Lock()

    def install(self) -> None:
        from crewai.flow.flow import Flow

        Flow._execute_method = self._executing(Flow._execute_method)

    def _executing(self, execute: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(execute)
        async def executed(flow: Any, name: Any, method: Any, *args: Any, **named: Any) -> Any:
            if hasattr(flow, "executor_type") or flow.suppress_flow_events:
                return await execute(flow, name, method, *args, **named)
            self._begun[str(name)] += 1
            number = self._begun[str(name)]
            known = number <= self._before.get(str(name), 0)
            if self._open == 0:
                self._set(flow)
            while self._waits and not known:
                await asyncio.sleep(0.005)

            def ended(result: Any) -> Any:
                with self._lock:
                    self._open -= known
                    if self._open == 0:
                        self._set(flow)
                return self._results.get((str(name), number), result)

            return await execute(flow, name, _then(method, ended), *args, **named)

        return executed

    def _set(self, flow: Any) -> None:
        if self._waits:
            for path, value in self._state.items():
                set_at(flow._state, path, value)
            self._waits = False


def _then(method: Callable[..., Any], ended: Callable[[Any], Any]) -> Callable[..., Any]:
    """A method, and what is made of its result."""
    if asyncio.iscoroutinefunction(method):  # as CrewAI asks

        @functools.wraps(method)
        async def awaited(*args: Any, **named: Any) -> Any:
            return ended(await method(*args, **named))

        return awaited

    @functools.wraps(method)
    def called(*args: Any, **named: Any) -> Any:
        return ended(method(*args, **named))

    return called


def set_at(value: Any, path: str, new: Any) -> None:
    """Set what is at a path (``a.b.0.c``) of a state: a dict, a list, or a model."""
    *inner, last = path.split(".")
    for part in inner:
        value = _at(value, part)
    if isinstance(value, list):
        value[int(last)] = new
    elif isinstance(value, dict):
        value[last] = new
    else:
        setattr(value, last, new)


def _at(value: Any, part: str) -> Any:
    if isinstance(value, list):
        return value[int(part)]
    return value[part] if isinstance(value, dict) else getattr(value, part)
