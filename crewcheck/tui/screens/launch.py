"""The dialog of a fork or resume: the plan, and the yes that it needs.

It opens at once with what the data tells; the child is started meanwhile, and its exact
plan takes over when it comes. Escape gives it all up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label
from textual.worker import get_current_worker

from crewcheck.engine.branches import check_branch
from crewcheck.engine.running import FORK, NoEntry, SeveralEntries, StartsOnImport
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node
from crewcheck.model.harmless import harmless, one_line
from crewcheck.model.harmless import name as harmless_name
from crewcheck.runtimes.interpreter import NoInterpreter
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.launching import Heard, Known, Launch
from crewcheck.tui.layout import Block, Cell, Line, Pieces
from crewcheck.tui.pages.base import heading
from crewcheck.tui.plan_board import PlanBoard
from crewcheck.tui.screens.dialogs import Buttons
from crewcheck.tui.screens.launch_text import (
    change_blocks,
    facts_blocks,
    label_width,
    plan_cells,
    plan_heading,
    refusal_blocks,
    source_pieces,
    warning_blocks,
    when_of,
)
from crewcheck.tui.session import unexpected
from crewcheck.tui.widgets.bars import Bar
from crewcheck.tui.widgets.cursor_view import CursorView
from crewcheck.tui.widgets.row_list import RowList
from crewcheck.tui.widgets.text_view import TextView

LOOK_SECONDS = 0.08


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


Outcome = Begun | Written | ForkInstead | None


class LaunchScreen(ModalScreen[Outcome]):
    """Arrows and space work on the plan wherever the focus is, left and right on the buttons."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", "Cancel", id="launch.cancel", tooltip="Run nothing"),
        Binding("up,k", "plan(-1)", "Up", id="launch.up", show=False, tooltip="A task up"),
        Binding("down,j", "plan(1)", "Down", id="launch.down", show=False, tooltip="A task down"),
        Binding("space", "switch", "Keep/run", id="launch.switch",
                tooltip="Keep the task, or run it again"),
        Binding("b", "branch", "Branch", id="launch.branch", tooltip="Name the new branch"),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", id="launch.pageup", show=False,
                tooltip="The text below, a page up"),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", id="launch.pagedown", show=False,
                tooltip="The text below, a page down"),
    ]  # fmt: skip

    class Looked(Message):
        def __init__(self, known: Known) -> None:
            super().__init__()
            self.known = known

    class Started(Message):
        """The child is on its way."""

    class Done(Message):
        def __init__(self, outcome: Outcome) -> None:
            super().__init__()
            self.outcome = outcome

    class Told(Message):
        def __init__(self, heard: Heard) -> None:
            super().__init__()
            self.heard = heard

    class Failed(Message):
        """It is not done. ``phase`` is ``look``, ``begin`` or ``go``."""

        def __init__(self, phase: str, error: CrewcheckError) -> None:
            super().__init__()
            self.phase = phase
            self.error = error

    def __init__(
        self, launch: Launch, node: Node, *, branch: str, taken: frozenset[str], glyphs: Glyphs,
        now: float, cautions: tuple[str, ...] = (), edited: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.launch = launch
        self.node = node
        self.branch = branch
        self.taken = taken
        self.glyphs = glyphs
        self.now = now
        self.cautions = cautions
        self.is_fork = launch.wish.action == FORK
        #: edits of a resume: they need a fork
        self.edited = edited
        self.known: Known | None = None
        self.board: PlanBoard | None = None
        self.report: dict[str, object] | None = None
        self.phase = "looking"
        self.entries: list[str] = []
        self._refused: list[Block] = []
        self._way = ""
        self._script = ""
        self._began = time.monotonic()
        self._branch_problem = ""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="launch"):
            yield Bar(id="launch-what")
            with Horizontal(id="launch-branch", classes="field"):
                yield Label("branch ", markup=False)
                yield Input(self.branch, id="branch", compact=True, select_on_focus=False)
            yield Bar(id="launch-note")
            yield Bar(id="launch-head")
            yield RowList(id="launch-plan")
            yield TextView(id="launch-facts")
            with Horizontal(id="launch-way", classes="field"):
                yield Label("", id="way-label", markup=False)
                yield Input(id="way", compact=True)
            with Buttons(classes="buttons"):
                yield Button("Cancel  esc", id="launch-no", compact=True)
                yield Button("Accept changes", id="launch-accept", compact=True)
                yield Button("Run the program", id="launch-script", compact=True)
                if self.is_fork:
                    yield Button("Fork only", id="launch-write", compact=True)
                    yield Button("Fork & run", id="launch-yes", compact=True)
                else:
                    yield Button("Fork instead", id="launch-fork", compact=True)
                    yield Button("Resume", id="launch-yes", compact=True)

    def on_mount(self) -> None:
        self.query_one("#launch").border_title = "Fork" if self.is_fork else "Resume"
        self.query_one(RowList).can_focus = False
        self.query_one("#launch-branch").display = self.is_fork
        self.query_one("#launch-no").focus()
        self._check_branch()
        self._draw()
        self.set_interval(0.5, self._show_head)
        self.look()

    # -- workers

    @work(thread=True, group="launch", exit_on_error=False)
    def look(self) -> None:
        phase = "look"
        try:
            known = self.launch.look()
            self.post_message(self.Looked(known))
            if self.edited or not (known.pending or self.is_fork):
                return
            phase = "begin"
            self.launch.begin()
        except CrewcheckError as error:
            self.post_message(self.Failed(phase, error))
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(self.Failed(phase, unexpected(error)))
        else:
            self.post_message(self.Started())

    @work(thread=True, exclusive=True, group="follow", exit_on_error=False)
    def listen(self) -> None:
        """Wait for the plan, until it is there or nothing more will come."""
        worker = get_current_worker()
        try:
            while not worker.is_cancelled and not self.launch.given_up:
                heard = self.launch.listen()
                if heard:
                    self.post_message(self.Told(heard))
                if heard.last is not None or self.phase == "going":
                    return
                time.sleep(LOOK_SECONDS)
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(self.Failed("begin", unexpected(error)))

    @work(thread=True, group="launch", exit_on_error=False)
    def start_again(self, **changes: object) -> None:
        try:
            self.launch.again(**changes)
        except CrewcheckError as error:
            self.post_message(self.Failed("begin", error))
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(self.Failed("begin", unexpected(error)))
        else:
            self.post_message(self.Started())

    @work(thread=True, group="launch", exit_on_error=False)
    def confirm(self, run: bool, branch: str) -> None:
        assert self.board is not None
        try:
            outcome: Outcome
            if run:
                folder, checkpoint_id = self.launch.go(branch, self.board.items)
                outcome = Begun(folder, checkpoint_id, branch)
            else:
                outcome = Written(self.launch.write_only(branch, self.board.run), branch)
        except CrewcheckError as error:
            self.post_message(self.Failed("go", error))
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(self.Failed("go", unexpected(error)))
        else:
            self.post_message(self.Done(outcome))

    @work(thread=True, group="launch", exit_on_error=False)
    def abandon(self) -> None:
        self.launch.give_up()

    def on_unmount(self) -> None:
        """The app is left in the middle of it: nothing is to run."""
        if self.phase != "going" and not self.launch.given_up:
            self.launch.give_up()

    # -- what workers tell

    def on_launch_screen_looked(self, message: Looked) -> None:
        known = self.known = message.known
        self.board = PlanBoard(known.facts, known.wishes)
        if self.edited:
            self.phase = "edited"
        elif not known.pending and not self.is_fork:
            self.phase = "finished"
        else:
            self.phase = "planning"
        self._draw()

    def on_launch_screen_started(self) -> None:
        self.listen()

    def on_launch_screen_done(self, message: Done) -> None:
        self.dismiss(message.outcome)

    def on_launch_screen_told(self, message: Told) -> None:
        heard = message.heard
        if heard.plan is not None and self.board is not None and heard.report is not None:
            self.board.learn(heard.loaded or {}, heard.plan)
            self.report = heard.report
            self.phase = "ready"
        if heard.last is not None and self.phase != "going":
            last = heard.last
            hint = str(last.get("hint") or "")
            if last["type"] == "finished":
                self.phase = "finished"
            else:
                said = str(last.get("message") or last.get("error") or "it ended without a plan")
                rule = str(last.get("reason") or "")
                self._refuse(said, hint, list(last.get("differences") or []))
                self.query_one("#launch-accept").display = rule == "changed"
                if rule in _ENTRY_RULES:
                    self._ask_way("entry", "module:attr of the crew")
        self._draw()

    def on_launch_screen_failed(self, message: Failed) -> None:
        error = message.error
        self._refuse(error.message, error.hint, [])
        if isinstance(error, SeveralEntries):
            self.entries = error.entries
            self._refused = [
                Line([("Several crews of the project fit this checkpoint. ", "title"),
                      ("Choose one: enter takes it.", "muted")]), Line(),
            ]  # fmt: skip
            rows = self.query_one(RowList)
            rows.can_focus = True
            rows.focus()
        elif isinstance(error, StartsOnImport):
            self._script = error.script
        elif isinstance(error, NoInterpreter):
            self._ask_way("python", "path of a Python that has crewai, or of its environment")
        if isinstance(error, NoEntry):
            self._ask_way("entry", "module:attr of the crew")
        if message.phase == "look":
            self.board = None
        self._draw()

    def _refuse(self, message: str, hint: str, differences: list[object]) -> None:
        self.phase = "refused"
        self.entries = []
        self._script = self._way = ""
        self._refused = refusal_blocks(message, _for_here(hint), differences, self.glyphs)

    def _ask_way(self, what: str, placeholder: str) -> None:
        self._way = what
        field = self.query_one("#way", Input)
        field.placeholder = placeholder
        self.query_one("#way-label", Label).update(Content(f"{what} "))

    # -- drawing

    def _draw(self) -> None:
        header = self.node.checkpoint.header
        summary = self.node.checkpoint.summary
        when = when_of(summary.trigger if summary else None, header.created_at, self.now)
        name = self.known.name if self.known is not None else (summary.name if summary else None)
        self.query_one("#launch-what", Bar).show(
            source_pieces(self._hide(name or "crew"), header.id, when)
        )
        self._show_head()
        self._show_plan()
        self.query_one("#launch-facts", TextView).show(self._facts(), keep_place=True)
        self.query_one("#launch-way").display = bool(self._way) and self.phase == "refused"
        self._show_buttons()

    def _hide(self, text: str) -> str:
        return self.launch.redactor.text(text)

    def _show_head(self) -> None:
        left: Pieces = [("Plan  ", "heading")]
        right: Pieces = []
        if self.board is not None and not self.entries:
            left = plan_heading(self.board.items)
            if not self.board.exact:
                left.append(("  so far", "muted"))
        waited = int(time.monotonic() - self._began)
        if self.phase in ("looking", "planning"):
            said = "reading" if self.phase == "looking" else "loading your crew"
            right = [(f"{said}{self.glyphs.ellipsis} {waited}s", "live")]
        elif self.phase == "going":
            right = [(f"starting{self.glyphs.ellipsis}", "live")]
        elif self.phase == "ready" and self.is_fork:
            right = [("space ", "key"), ("keep or run again", "muted")]
        if self.phase in ("edited", "finished") or (self.phase == "refused" and not self.board):
            left = []
        self.query_one("#launch-head", Bar).show(left, right)

    def _show_plan(self) -> None:
        rows = self.query_one(RowList)
        if self.entries:
            count = len(self.entries)
            shown = [harmless_name(self._hide(entry)) for entry in self.entries]
            rows.show(
                count,
                lambda index: (Cell(self.glyphs.again, "accent", 1), Cell(shown[index])),
                rows.cursor,
            )
        elif self.board is not None and self.phase not in ("edited", "finished"):
            items = self.board.items
            count = len(items)
            wide = label_width(items, self._hide)
            rows.show(
                count,
                lambda index: plan_cells(items[index], self.glyphs, self._hide, wide),
                rows.cursor,
            )
        else:
            count = 0
            rows.show(0, lambda _index: ())
        rows.display = count > 0
        rows.styles.height = max(1, min(count, max(2, (self.size.height - 10) // 2)))

    def _facts(self) -> list[Block]:
        blocks: list[Block] = []
        if self.phase == "edited":
            return [
                Line([("You have edits here, and a resume takes none: ", "title"),
                      ("it goes on with the branch as it is. A fork takes them along, on a branch "
                       "of its own.", "")]),
                Line(),
                *(change_blocks(self.known.changes, self.glyphs) if self.known else []),
            ]  # fmt: skip
        if self.phase == "finished":
            result = self.known.result if self.known is not None else ""
            return [
                Line([(f"{self.glyphs.finished} ", "ok"),
                      ("This run is finished: there is nothing to resume.", "title")]),
                Line([("  To try something else, fork an earlier checkpoint (f).", "muted")]),
                Line(),
                *heading("Recorded result"),
                *([Line([(line, "")]) for line in harmless(result).splitlines()[:400]]
                  or [Line([("It is empty.", "muted")])]),
            ]  # fmt: skip
        blocks += self._refused if self.phase == "refused" else []
        warned: list[Block] = [
            Line([(f"{self.glyphs.damaged} ", "warn"), (one_line(one, 300), "warn")], hang=2)
            for one in self.cautions
        ]
        told = self.report is not None and self.phase != "refused"
        if told:
            warned += warning_blocks(self.report or {}, self.glyphs)
        blocks += [*warned, Line()] if warned else []
        if self.known is not None and self.known.changes:
            blocks += [*heading("Edits"), *change_blocks(self.known.changes, self.glyphs), Line()]
        elif self.known is not None and self.is_fork:
            blocks += [Line([("No edits: the fork is a copy to go on from.", "muted")]), Line()]
        if told:
            blocks += facts_blocks(self.report or {}, self.glyphs)
        elif self.phase == "planning":
            blocks.append(Line([("Your crew is being loaded, and nothing of it runs yet.",
                                 "muted")]))  # fmt: skip
        return blocks

    def _show_buttons(self) -> None:
        hopeless = self.phase == "refused" and self.board is None
        self.query_one("#launch-branch").display = self.is_fork and not hopeless
        self.query_one("#launch-note").display = not hopeless
        ready = self.phase == "ready"
        good = not self._branch_problem or not self.is_fork
        yes = self.query_one("#launch-yes", Button)
        yes.disabled = not (ready and good)
        yes.display = self.phase not in ("edited", "finished") and not hopeless
        if self.is_fork:
            write = self.query_one("#launch-write", Button)
            write.display = not hopeless
            write.disabled = not (
                self.board is not None and good and self.phase in ("planning", "ready", "refused")
            )
        else:
            self.query_one("#launch-fork").display = self.phase == "edited"
        if self.phase != "refused":
            self.query_one("#launch-accept").display = False
        self.query_one("#launch-script").display = bool(self._script) and self.phase == "refused"
        if self.phase == "going":
            for button in self.query(Button):
                button.disabled = True

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_plan)

    # -- the branch

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.input.id == "branch":
            self.branch = event.value
            self._check_branch()
            self._show_buttons()

    def _check_branch(self) -> None:
        note = self.query_one("#launch-note", Bar)
        self._branch_problem = ""
        if not self.is_fork:
            note.show([("branch ", "label"), (harmless_name(self._hide(self.branch)), "accent"),
                       ("  it goes on there", "muted")])  # fmt: skip
            return
        try:
            check_branch(self.branch, self.taken)
        except CrewcheckError as error:
            self._branch_problem = error.message
            note.show([(f"       {self.glyphs.damaged} {one_line(error.message, 200)}", "bad")])
        else:
            note.show([(f"       {self.glyphs.finished} a new branch", "muted")])

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id == "way" and event.value.strip():
            self._again(**{self._way: event.value.strip()})
        elif event.input.id == "branch":
            yes = self.query_one("#launch-yes", Button)
            (yes if not yes.disabled else self.query_one("#launch-no")).focus()

    def _again(self, **changes: object) -> None:
        self.phase = "planning"
        self.entries = []
        self._began = time.monotonic()
        self.query_one("#launch-no").focus()
        self.query_one(RowList).can_focus = False
        self._draw()
        self.start_again(**changes)

    # -- actions

    def action_plan(self, by: int) -> None:
        rows = self.query_one(RowList)
        if rows.display and rows.count > 1:
            rows.move_to(rows.cursor + by)
        else:
            self.action_page(by, whole=False)

    def on_cursor_view_moved(self, event: CursorView.Moved) -> None:
        event.stop()

    def on_cursor_view_chosen(self, event: CursorView.Chosen) -> None:
        event.stop()
        self.action_switch()

    def action_switch(self) -> None:
        rows = self.query_one(RowList)
        if self.entries:
            self._again(entry=self.entries[rows.cursor])
        elif self.board is not None and self.is_fork and self.phase in ("ready", "refused"):
            problem = self.board.switch(rows.cursor)
            if problem:
                self.notify(problem[:1].upper() + problem[1:], timeout=3, markup=False)
            self._draw()

    def action_branch(self) -> None:
        if self.is_fork:
            field = self.query_one("#branch", Input)
            field.focus()
            field.action_end()

    def action_page(self, by: int, whole: bool = True) -> None:
        view = self.query_one("#launch-facts", TextView)
        step = max(1, view.size.height - 1) if whole else 1
        view.scroll_to(y=view.scroll_offset.y + by * step, animate=False)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        acts: dict[str, Callable[[], object]] = {
            "launch-no": self.action_give_up,
            "launch-accept": partial(self._again, allow_changed=True),
            "launch-script": partial(self._again, script=self._script),
            "launch-fork": self._fork_instead,
            "launch-write": partial(self._confirmed, False),
            "launch-yes": partial(self._confirmed, True),
        }
        act = acts.get(event.button.id or "")
        if act is not None:
            act()

    def _confirmed(self, run: bool) -> None:
        if self._branch_problem or self.board is None:
            return
        self.phase = "going"
        self._draw()
        self.confirm(run, self.branch)

    def _fork_instead(self) -> None:
        self.abandon()
        self.dismiss(ForkInstead())

    def action_give_up(self) -> None:
        if self.phase == "going":
            return
        self.abandon()
        self.dismiss(None)


_ENTRY_RULES = frozenset(
    {
        "different-crew",
        "several-found",
        "nothing-found",
        "module-not-found",
        "attribute-not-found",
        "no-crew",
        "wrong-kind",
        "entry-needs-arguments",
        "entry-is-async",
    }
)


def _for_here(hint: str) -> str:
    """A hint for the command line, as it is done in this dialog."""
    if "--allow-changed" in hint:
        return "The changes are all in work that is not done: accept them to go on."
    if "--entry" in hint:
        return "Name the crew below as module:attr, and press enter."
    if "--python" in hint:
        return "Name a Python that has crewai below, and press enter."
    if "--script" in hint:
        return "The program itself can be run: its kickoff is gone on with."
    return f"{hint[:1].upper()}{hint[1:]}." if hint else ""
