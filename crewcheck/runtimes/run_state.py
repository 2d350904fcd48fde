"""How a run stands: what its messages add up to.

A :class:`RunState` takes messages one by one, so the supervisor, a listing and a front
end that follows all come to the same answer.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message

PLANNING, RUNNING = "planning", "running"
FINISHED, FAILED, PAUSED = "finished", "failed", "paused"
INTERRUPTED, REFUSED, ABORTED, CRASHED = "interrupted", "refused", "aborted", "crashed"

#: States in which a supervisor works.
LIVE = frozenset({PLANNING, RUNNING})
STATES = (
    PLANNING,
    RUNNING,
    FINISHED,
    FAILED,
    PAUSED,
    INTERRUPTED,
    REFUSED,
    ABORTED,
    CRASHED,
)


@dataclass(slots=True)
class RunState:
    """One run: what it is, and how far it has come.

    ``state`` is ``planning`` until `go`, then ``running``, then how it ended: ``finished``,
    ``failed``, ``paused``, ``interrupted``, ``refused``, ``aborted`` (never began), or
    ``crashed`` (its process or its supervisor is gone without a word).

    ``waiting`` tells that the plan is there and `go` is not; ``prompts`` are the
    questions that wait for an answer. ``written`` are the ids of the checkpoints, oldest first,
    ``done`` the positions of the tasks, or of a flow's calls, that have finished, ``total``
    how many tasks there are (None: a flow's, nobody knows). ``message`` and ``hint`` say
    why it ended as it did. ``result`` is the text of a finished run. ``unasked`` is how many
    of the answers that were given beforehand no question has come for.
    """

    run_id: str = ""
    state: str = PLANNING
    action: str = "resume"
    store: str = ""
    checkpoint_id: str = ""
    branch: str | None = None
    kind: str | None = None
    name: str | None = None
    entry: str | None = None
    total: int | None = None
    created_at: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    supervisor: int | None = None
    pid: int | None = None
    crewai: str | None = None
    waiting: bool = False
    prompts: list[Message] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    task: str | None = None
    tokens: int = 0
    result: str | None = None
    nothing_to_run: bool = False
    message: str = ""
    hint: str = ""
    code: int | None = None
    signal: int | None = None
    unasked: int = 0
    ended: bool = False

    @property
    def live(self) -> bool:
        return self.state in LIVE

    @property
    def newest(self) -> str:
        """The newest checkpoint of the run: its own, else the one it came from."""
        return self.written[-1] if self.written else self.checkpoint_id

    @classmethod
    def of(cls, spec: RunSpec) -> RunState:
        """The state before the first message."""
        return cls(
            run_id=spec.run_id,
            action=spec.action,
            store=spec.store,
            checkpoint_id=spec.checkpoint_id,
            branch=spec.branch or spec.source_branch,
            kind=spec.kind,
            name=spec.name,
            total=spec.total,
            entry=spec.entry or spec.script,
            created_at=spec.created_at or None,
            unasked=len(spec.answers),
        )

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> RunState:
        known = {one.name for one in fields(cls)}
        return cls(**{key: value for key, value in values.items() if key in known})

    def as_dict(self) -> dict[str, Any]:
        """All facts as JSON values."""
        return asdict(self)

    def take(self, message: Message) -> None:
        """Learn from a message. What it lacks or has of an odd type is passed over."""
        step = _STEPS.get(message["type"])
        if step is not None:
            step(self, message)

    def resume_hint(self) -> str:
        """How to go on from where the run got to."""
        from shlex import quote

        if self.state == PAUSED and self.unasked:
            return (
                "the answer given was not used, for nothing asked for it: only your own program "
                "can answer this one (Flow.from_pending, then resume)"
            )
        command = f"crewcheck resume {quote(f'{self.store}#{self.newest}')}"
        if self.state == PAUSED:
            return f"answer it with `{command} --answer TEXT`"
        return f"go on with `{command}`"


def _text(message: Message, key: str) -> str | None:
    value = message.get(key)
    return value if isinstance(value, str) and value else None


def _number(message: Message, key: str) -> int | None:
    value = message.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _supervised(state: RunState, message: Message) -> None:
    state.supervisor = _number(message, "pid")


def _hello(state: RunState, message: Message) -> None:
    state.pid = _number(message, "pid")
    state.crewai = _text(message, "crewai")


def _loaded(state: RunState, message: Message) -> None:
    state.entry = _text(message, "entry") or state.entry
    state.kind = _text(message, "kind") or state.kind
    state.name = _text(message, "name") or state.name
    tasks = message.get("tasks")
    if isinstance(tasks, list) and tasks:
        state.total = len(tasks)


def _plan(state: RunState, _: Message) -> None:
    state.waiting = state.state == PLANNING


def _go(state: RunState, message: Message) -> None:
    state.waiting = False
    state.state = RUNNING
    state.started_at = _text(message, "at")
    state.branch = _text(message, "branch") or state.branch
    state.checkpoint_id = _text(message, "checkpoint_id") or state.checkpoint_id


def _started(state: RunState, message: Message) -> None:
    state.waiting = False
    state.state = RUNNING
    state.started_at = state.started_at or _text(message, "at")
    state.branch = _text(message, "branch") or state.branch


def _abort(state: RunState, message: Message) -> None:
    if state.state == PLANNING:
        state.state = ABORTED
        state.waiting = False
        state.message = _text(message, "message") or "it was not confirmed"


def _event(state: RunState, message: Message) -> None:
    if message.get("replayed") is not True:
        state.tokens += _total(message.get("tokens"))
    task, within = _number(message, "task"), _text(message, "method")
    kind = _text(message, "event") or ""
    if kind in _BEGUN:
        name = _text(message, "task_name")
        state.task = f"{within}: {name}" if task is None and within and name else name
    elif kind in _DONE:
        state.task = within if task is None else None
        if task is not None and task not in state.done:
            state.done.append(task)


#: How a task of a crew, or a call of a flow's method, begins and ends. Those of crews and
#: flows that a method runs have no position.
_BEGUN = frozenset({"task_started", "method_execution_started"})
_DONE = frozenset({"task_completed", "method_execution_finished"})


def _total(tokens: object) -> int:
    if isinstance(tokens, dict):
        tokens = tokens.get("total", tokens.get("total_tokens"))
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) else 0


def _checkpoint(state: RunState, message: Message) -> None:
    checkpoint_id = _text(message, "id")
    if checkpoint_id and checkpoint_id not in state.written:
        state.written.append(checkpoint_id)


def _forked(state: RunState, message: Message) -> None:
    state.checkpoint_id = _text(message, "checkpoint_id") or state.checkpoint_id
    state.branch = _text(message, "branch") or state.branch


def _prompt(state: RunState, message: Message) -> None:
    state.prompts.append(message)
    state.unasked = max(0, state.unasked - 1)


def _answer(state: RunState, message: Message) -> None:
    state.prompts = [one for one in state.prompts if one.get("id") != message.get("id")]


def _ended(name: str, *keys: str) -> Any:
    def step(state: RunState, message: Message) -> None:
        if state.state not in LIVE:
            return
        state.state = CRASHED if message.get("crashed") is True else name
        state.waiting = False
        state.prompts = []
        state.task = None
        state.ended_at = _text(message, "at")
        state.message = next((text for key in keys if (text := _text(message, key))), "")
        state.hint = _text(message, "hint") or ""
        if name == PAUSED and (method := _text(message, "method")):
            state.message = f"{method} waits for an answer: {state.message}"
        if not state.hint and name in (FAILED, INTERRUPTED, PAUSED):
            state.hint = state.resume_hint()
        if name == FINISHED:
            state.result = _text(message, "result") or ""
            state.nothing_to_run = message.get("nothing_to_run") is True

    return step


def _exited(state: RunState, message: Message) -> None:
    state.ended = True
    state.code = _number(message, "code")
    signal = _number(message, "signal")
    state.signal = state.signal if signal is None else signal
    state.ended_at = state.ended_at or _text(message, "at")
    state.prompts = []
    state.waiting = False
    if state.state in LIVE:
        state.state = CRASHED


_STEPS = {
    "supervised": _supervised,
    "hello": _hello,
    "loaded": _loaded,
    "plan": _plan,
    "go": _go,
    "started": _started,
    "abort": _abort,
    "event": _event,
    "checkpoint": _checkpoint,
    "forked": _forked,
    "prompt": _prompt,
    "answer": _answer,
    "finished": _ended(FINISHED),
    "failed": _ended(FAILED, "error"),
    "paused": _ended(PAUSED, "message"),
    "refused": _ended(REFUSED, "message", "reason"),
    "interrupted": _ended(INTERRUPTED, "message"),
    "exited": _exited,
}
