"""Tasks that are done answer from the recording, wherever and however they are called.

Patched is `Task` itself, by object: what CrewAI or the user's program does around a task
(contexts, conditions, callbacks of the crew) stays their own. What was really run is noted.

CrewAI goes through all tasks of the crew, as in a run that begins: where it skips those that
are done itself, an asynchronous task behind them is given a context that it is not given else.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Set
from concurrent.futures import Future
from typing import Any

_NAMES = ("execute_sync", "aexecute_sync", "execute_async", "should_execute")


class Replay:
    """One crew's tasks: ``kept`` (position -> output), those that stay ``skipped``, and those
    that really run."""

    def __init__(self, crew: Any, kept: Mapping[int, Any], skipped: Set[int] = frozenset()) -> None:
        self._tasks = list(crew.tasks)
        self._places = {id(task): index for index, task in enumerate(self._tasks)}
        self.kept = dict(kept)
        self.skipped = skipped
        self.begun: set[int] = set()
        #: conditional tasks that their condition has skipped in this run
        self.passed: set[int] = set()
        #: the event that its kickoff began with, once that has ended
        self.ended: str | None = None

    def place(self, task: Any) -> int | None:
        """The position of a task, None for one of another crew."""
        index = self._places.get(id(task))
        return index if index is not None and self._tasks[index] is task else None

    def not_done(self) -> list[int]:
        """Positions of tasks that were to run and did not, or have no output."""
        known = self.kept.keys() | self.passed
        return [
            index
            for index, task in enumerate(self._tasks)
            if index not in known and (index not in self.begun or task.output is None)
        ]

    def note(self) -> dict[str, Any]:
        """What a checkpoint of now must say: which tasks are still to run although kept ones
        follow. They would look as if their condition had skipped them."""
        last = max(self.kept, default=0)
        known = self.kept.keys() | self.passed | self.skipped
        dropped = [at for at in range(last) if at not in known and self._tasks[at].output is None]
        return {"dropped": dropped} if dropped else {}


_replays: list[Replay] = []
_patched: set[tuple[type, str]] = set()


def arm(replay: Replay) -> None:
    """Put a recording in front of a crew's tasks."""
    from crewai import Crew, Task

    for name, answer in _OF_CREW.items():
        method = getattr(Crew, name, None)
        if method is not None and (Crew, name) not in _patched:
            _patched.add((Crew, name))
            setattr(Crew, name, answer(method))
    for task in replay._tasks:
        for kind in type(task).__mro__:
            if issubclass(kind, Task):
                _patch(kind)
    for index, output in replay.kept.items():
        replay._tasks[index].output = output
    _replays.append(replay)


def disarm(replay: Replay) -> None:
    """Let the crew be the user's own again: a second kickoff of it is a new one."""
    if replay in _replays:
        _replays.remove(replay)


def _patch(kind: type) -> None:
    """Wrap the methods that a class defines itself: a subclass may have its own."""
    for name in _NAMES:
        method = vars(kind).get(name)
        if callable(method) and (kind, name) not in _patched:
            _patched.add((kind, name))
            setattr(kind, name, _wrapped(name, method))


def _is_kept(task: Any) -> bool:
    return any(replay.place(task) in replay.kept for replay in _replays)


def _from_the_first(start: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(start)
    def place(self: Any, tasks: list[Any]) -> Any:
        replayed = any(replay.place(task) is not None for replay in _replays for task in tasks)
        return None if replayed else start(self, tasks)

    return place


def _tools_as_given(prepare: Callable[..., Any]) -> Callable[..., Any]:
    """For a task that answers from the recording, no server is asked for its tools."""

    @functools.wraps(prepare)
    def prepared(self: Any, agent: Any, task: Any, tools: Any) -> Any:
        return tools if _is_kept(task) else prepare(self, agent, task, tools)

    return prepared


def _unless_kept(log: Callable[..., Any]) -> Callable[..., Any]:
    """The crew's log file says already when such a task began and ended."""

    @functools.wraps(log)
    def logged(self: Any, task: Any, *args: Any, **named: Any) -> Any:
        return None if _is_kept(task) else log(self, task, *args, **named)

    return logged


_OF_CREW = {
    "_get_execution_start_index": _from_the_first,
    "_prepare_tools": _tools_as_given,
    "_log_task_start": _unless_kept,
    "_process_task_result": _unless_kept,
}


def _is_wanted(task: Any) -> bool | None:
    """What the condition of a task has said; None where it has not been asked."""
    for replay in _replays:
        index = replay.place(task)
        if index is not None:
            return True if index in replay.kept else False if index in replay.skipped else None
    return None


def _pass(task: Any) -> None:
    for replay in _replays:
        index = replay.place(task)
        if index is not None:
            replay.passed.add(index)


def _recorded(task: Any) -> Any:
    """The recorded output of a task, or None: then it is noted that it really runs."""
    for replay in _replays:
        index = replay.place(task)
        if index is not None:
            if index in replay.kept:
                return replay.kept[index]
            replay.begun.add(index)
    return None


def _wrapped(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    if name == "should_execute":  # what is done was not skipped, whatever is said now

        @functools.wraps(method)
        def answer(self: Any, *args: Any, **named: Any) -> Any:
            wanted = _is_wanted(self)
            if wanted is None:
                wanted = method(self, *args, **named)
            if not wanted:
                _pass(self)
            return wanted

    elif name == "aexecute_sync":

        @functools.wraps(method)
        async def answer(self: Any, *args: Any, **named: Any) -> Any:
            output = _recorded(self)
            return await method(self, *args, **named) if output is None else output

    elif name == "execute_async":

        @functools.wraps(method)
        def answer(self: Any, *args: Any, **named: Any) -> Any:
            output = _recorded(self)
            if output is None:
                return method(self, *args, **named)
            future: Future[Any] = Future()
            future.set_result(output)
            return future

    else:

        @functools.wraps(method)
        def answer(self: Any, *args: Any, **named: Any) -> Any:
            output = _recorded(self)
            return method(self, *args, **named) if output is None else output

    return answer
