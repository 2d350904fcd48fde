"""A fork or resume from the app, up to its yes. All of it runs in workers.

`look` reads the checkpoint and what its data tells of a plan, `begin` starts the child,
which imports crewai and makes the exact plan while the person reads, `go` confirms it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from crewcheck.engine.attempts import count
from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.data_plan import Planner
from crewcheck.engine.fallback import choose, insist
from crewcheck.engine.invalidation import Decision
from crewcheck.engine.planning import plan_report
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.running import (
    FORK,
    RESUME,
    Prepared,
    Wish,
    check_attempts,
    confirm,
    prepare,
    project_of,
    start,
    write_fork,
)
from crewcheck.engine.source import Source, read_source
from crewcheck.errors import CrewcheckError, NotFound
from crewcheck.lineage import Node
from crewcheck.model.flow_calls import DONE
from crewcheck.model.json_path import REMOVED, changed_at, holds, write_path
from crewcheck.model.json_path import Path as Place
from crewcheck.model.scan import DELETED, GONE
from crewcheck.model.words import many
from crewcheck.runtimes.follow import Follower
from crewcheck.runtimes.spawn import RunHandle
from crewcheck.runtimes.wire import LAST, Message
from crewcheck.tui.edit_book import identity_of


@dataclass(frozen=True, slots=True)
class Change:
    """An edit as it is shown: without secrets. ``before`` None: there was nothing; ``after``
    `REMOVED`: it is taken away."""

    what: str
    before: Any
    after: Any
    new: bool


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a fork or resume before anything of the user's has been loaded.

    ``node`` is what is gone on from: of a run the newest that is valid.
    """

    name: str
    kind: str
    planner: Planner
    changes: list[Change]
    pending: bool
    result: str
    node: Node
    cautions: tuple[str, ...] = ()


@dataclass(slots=True)
class Heard:
    """What the child has said since the last look."""

    plan: Message | None = None
    loaded: Message | None = None
    report: dict[str, Any] | None = None
    crewai: str = ""
    last: Message | None = None
    log: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.plan or self.loaded or self.crewai or self.last or self.log)


@dataclass(frozen=True, slots=True)
class Begun:
    """A run goes on in this folder."""

    folder: Path
    checkpoint_id: str
    branch: str


@dataclass(frozen=True, slots=True)
class Written:
    """A fork has been written, and nothing runs."""

    checkpoint_id: str
    branch: str


@dataclass(frozen=True, slots=True)
class ForkInstead:
    """The person has edits, and wants a fork after all."""


@dataclass(frozen=True, slots=True)
class EditState:
    """The edited state cannot be: the person wants to change it."""


Outcome = Begun | Written | ForkInstead | EditState | None


class Launch:
    """One attempt. Not for two threads at once."""

    def __init__(
        self, location: str, identity: Hashable, wish: Wish, redactor: Redactor,
        boot: str | None = None, whole_run: bool = False,
    ) -> None:  # fmt: skip
        self.location = location
        self.identity = identity
        self.wish = wish
        self.redactor = redactor
        self.boot = boot
        #: the run is meant, not just its newest checkpoint
        self.whole_run = whole_run
        self._source: Source | None = None
        self.prepared: Prepared | None = None
        self.handle: RunHandle | None = None
        self._follower: Follower | None = None
        self._loaded: Message = {}
        self.plan: Message | None = None
        self.given_up = False
        self._lock = Lock()

    def look(self) -> Known:
        """Read the checkpoint. Raises `CrewcheckError`."""
        catalog = open_catalog(self.location)
        try:
            nodes = catalog.forest.order
            node = next((n for n in nodes if identity_of(n.checkpoint) == self.identity), None)
            if node is None:
                raise NotFound("this checkpoint is not in the store any more", "refresh with r")
            said: list[str] = []
            if self.wish.action == RESUME:
                node = self._valid(catalog, node, said)
            source = read_source(catalog, node)
            if self.wish.action == RESUME:
                tried = count(catalog.store.location, source.node, source.done).number
                if tried:
                    said.append(f"resumed {many(tried, 'time')} without getting further")
            planner = Planner(source, self.wish.edits, project_of(source))
        except BaseException:
            catalog.close()
            raise
        self._source = source
        hide = self.redactor
        return Known(
            hide.text(source.name or source.kind),
            source.kind,
            planner,
            self._changes(source),
            source.pending,
            hide.text(source.result),
            source.node,
            tuple(map(hide.text, said)),
        )

    def _valid(self, catalog: Catalog, node: Node, said: list[str]) -> Node:
        """The checkpoint itself, or of a run the newest one that is valid; ``said`` gets what
        was passed over. Raises `CrewcheckError`."""
        if not self.whole_run:
            insist(catalog, node)
            return node
        choice = choose(catalog, node)
        said += [one.said for one in choice.skipped]
        if loss := choice.loss(catalog):
            said.append(loss)
        return choice.node

    def _changes(self, source: Source) -> list[Change]:
        hide, at = self.redactor.value, self._at
        edits = self.wish.edits
        found = []
        for name, value in edits.inputs.items():
            before = source.inputs.get(name)
            what = f"input {hide(name)}"
            new = name not in source.inputs
            found.append(Change(what, at((name,), before), at((name,), value), new))
        for index, text in sorted(edits.outputs.items()):
            task = source.tasks[index]
            found.append(
                Change(
                    f"output of {hide(task.label)}", hide(task.output), hide(text),
                    task.output is None,
                )
            )  # fmt: skip
        for index, result in sorted(edits.results.items()):
            call = source.calls[index]
            what = f"result of {hide(call.label)}"
            found.append(Change(what, hide(call.result), hide(result), call.state != DONE))
        state = source.state
        for path, value in edits.state.items():
            new = not holds(state, path)
            state, before = changed_at(state, path, value, "the state")
            what = f"state {hide(write_path(path))}"
            after = REMOVED if value is REMOVED else at(path, value)
            found.append(Change(what, at(path, before), after, new))
        return found

    def _at(self, path: Place, value: Any) -> Any:
        """A value without secrets, also where only the keys above it tell that it is one."""
        for step in reversed(path):
            value = {str(step): value}
        value = self.redactor.value(value)
        for _ in path:
            value = next(iter(value.values())) if isinstance(value, dict) else value
        return value

    def begin(self) -> None:
        """Find project, entry and Python, and start the child. Raises `CrewcheckError`."""
        assert self._source is not None
        if self.wish.action == RESUME:
            check_attempts(self._source, self.wish.max_attempts)
        self.prepared = prepare(self._source, self.wish)
        if self.boot is not None:
            self.prepared.spec.boot = self.boot
        handle = start(self.prepared)
        self.handle = handle
        self._follower = handle.follower()
        if self.given_up:
            self.give_up()

    def listen(self) -> Heard:
        """What is new from the child, without waiting."""
        heard = Heard()
        if self._follower is None or self.prepared is None:
            return heard
        hide = self.redactor
        for message in self._follower.poll():
            kind = message["type"]
            if kind == "hello":
                heard.crewai = str(message.get("crewai") or "")
            elif kind == "loaded":
                self._loaded = heard.loaded = message
            elif kind == "plan":
                self.plan = heard.plan = message
                heard.loaded = self._loaded
                report = plan_report(self.prepared, self._loaded, message)
                heard.report = hide.value(report)
            elif kind == "log":
                heard.log.append(hide.text(str(message.get("text") or "")))
            elif kind in LAST and heard.last is None:
                heard.last = hide.value(message)
        return heard

    def go(self, branch: str, items: list[Decision]) -> tuple[Path, str]:
        """Let it run: ``(the run's folder, the checkpoint that it goes on from)``.

        Raises `CrewcheckError`.
        """
        assert self.prepared is not None
        assert self.handle is not None
        self._check_source()
        if self.wish.action == FORK:
            self.prepared.branch = branch
        plan = {**(self.plan or {}), "items": [item.as_dict() for item in items]}
        checkpoint_id = confirm(self.prepared, self.handle, plan)
        folder = self.handle.folder
        self.handle.close()
        self.handle = None
        self._close()
        return folder, checkpoint_id

    def write_only(self, branch: str, not_kept: list[int]) -> str:
        """Write the fork, run nothing: the new checkpoint's id. Raises `CrewcheckError`."""
        assert self._source is not None
        self._check_source()
        checkpoint_id, _, _ = write_fork(self._source, self.wish.edits, branch, not_kept)
        self.give_up()
        return checkpoint_id

    def _check_source(self) -> None:
        """The plan may have been read for long. Raises `NotFound`."""
        assert self._source is not None
        summary = self._source.catalog.read_summary(self._source.checkpoint)
        if summary.damage is not None and summary.damage.rule == GONE:
            raise NotFound(f"{self._source.checkpoint.id} is not there any more: {DELETED}",
                           "choose another checkpoint")  # fmt: skip

    def again(self, **changes: Any) -> None:
        """Start once more with another wish: another entry, another Python, a yes more.

        Raises `CrewcheckError`.
        """
        self._let_go()
        self._loaded, self.plan, self._follower = {}, None, None
        self.wish = replace(self.wish, **changes)
        self.begin()

    def give_up(self) -> None:
        """Nothing is to run: the child ends."""
        self.given_up = True
        self._let_go()
        self._close()

    def _let_go(self) -> None:
        with self._lock:
            handle, self.handle = self.handle, None
        if handle is not None:
            with contextlib.suppress(CrewcheckError):
                handle.abort()
            handle.close()

    def _close(self) -> None:
        if self._source is not None:
            self._source.catalog.close()
