"""The dialog of a fork or resume: the plan, and the yes that it needs.

It opens at once with what the data tells; the child is started meanwhile, and its exact
plan takes over when it comes. Escape gives it all up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label

from crewcheck.engine.branches import check_branch
from crewcheck.engine.invalidation import KEEP, RUN
from crewcheck.engine.source import FLOW
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.harmless import one_line
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.launching import EditState, ForkInstead, Launch, Outcome
from crewcheck.tui.layout import Block, Line, Pieces
from crewcheck.tui.pages.base import heading
from crewcheck.tui.plan_board import PlanBoard
from crewcheck.tui.screens.dialogs import Buttons
from crewcheck.tui.screens.launch_refusal import LaunchRefusal
from crewcheck.tui.screens.launch_text import (
    NOT_TRUSTED,
    STATE_RULES,
    caution_blocks,
    change_blocks,
    doubt_blocks,
    edited_blocks,
    facts_blocks,
    finished_blocks,
    source_pieces,
    unknown_class_blocks,
    when_of,
)
from crewcheck.tui.screens.launch_work import LaunchWork
from crewcheck.tui.widgets.bars import Bar
from crewcheck.tui.widgets.cursor_view import CursorView
from crewcheck.tui.widgets.plan_table import PlanTable
from crewcheck.tui.widgets.text_view import TextView


class LaunchScreen(LaunchRefusal):
    """Arrows and space work on the plan wherever the focus is, left and right on the buttons."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", "Cancel", id="launch.cancel", tooltip="Run nothing"),
        Binding("up,k", "plan(-1)", "Up", id="launch.up", show=False, tooltip="An item up"),
        Binding("down,j", "plan(1)", "Down", id="launch.down", show=False,
                tooltip="An item down"),
        Binding("space", "switch", "Keep/run", id="launch.switch",
                tooltip="Keep the task or the method's call, or run it again"),
        Binding("b", "branch", "Branch", id="launch.branch", tooltip="Name the new branch"),
        Binding("o", "other", "Other entry", id="launch.other",
                tooltip="Choose another object of the project, or name one"),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", id="launch.pageup", show=False,
                tooltip="The text below, a page up"),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", id="launch.pagedown", show=False,
                tooltip="The text below, a page down"),
    ]  # fmt: skip

    def __init__(
        self, launch: Launch, node: Node, *, branch: str, taken: frozenset[str], glyphs: Glyphs,
        now: float, cautions: tuple[str, ...] = (), edited: bool = False,
        missing_hint: str = "",
    ) -> None:  # fmt: skip
        super().__init__(launch, node, glyphs, edited=edited, missing_hint=missing_hint)
        self.branch = branch
        self.taken = taken
        self.now = now
        self.cautions = cautions
        self.report: dict[str, Any] | None = None
        self._branch_problem = ""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="launch"):
            yield Bar(id="launch-what")
            with Horizontal(id="launch-branch", classes="field"):
                yield Label("branch ", markup=False)
                yield Input(self.branch, id="branch", compact=True, select_on_focus=False)
            yield Bar(id="launch-note")
            yield PlanTable(self.glyphs, self._hide, id="launch-table")
            yield TextView(id="launch-facts")
            with Horizontal(id="launch-way", classes="field"):
                yield Label("", id="way-label", markup=False)
                yield Input(id="way", compact=True)
            with Buttons(classes="buttons"):
                yield Button("Cancel  esc", id="launch-no", compact=True)
                yield Button("Edit the state", id="launch-edit", compact=True)
                yield Button("Accept changes", id="launch-accept", compact=True)
                yield Button("Run the program", id="launch-script", compact=True)
                yield Button("Without the project", id="launch-outside", compact=True)
                yield Button("Trust the address", id="launch-trust", compact=True)
                yield Button("Accept the unknown", id="launch-unknown", compact=True)
                if self.is_fork:
                    yield Button("Fork only", id="launch-write", compact=True)
                    yield Button("Fork & run", id="launch-yes", compact=True)
                else:
                    yield Button("Fork instead", id="launch-fork", compact=True)
                    yield Button("Resume", id="launch-yes", compact=True)

    def on_mount(self) -> None:
        self.query_one("#launch").border_title = "Fork" if self.is_fork else "Resume"
        self.query_one("#launch-branch").display = self.is_fork
        self.query_one("#launch-no").focus()
        self._check_branch()
        self._draw()
        self.set_interval(0.5, self._show_head)
        self.look()

    def on_unmount(self) -> None:
        """The app is left in the middle of it: nothing is to run."""
        if self.phase != "going" and not self.launch.given_up:
            self.launch.give_up()

    # -- what workers tell

    def on_launch_work_looked(self, message: LaunchWork.Looked) -> None:
        known = self.known = message.known
        self.node = known.node
        self.cautions = (*known.cautions, *self.cautions)
        self.board = PlanBoard(known.planner)
        if self.edited:
            self.phase = "edited"
        elif not known.pending and not self.is_fork:
            self.phase = "finished"
        else:
            self.phase = "planning"
        self._draw()

    def on_launch_work_started(self) -> None:
        self.listen()

    def on_launch_work_done(self, message: LaunchWork.Done) -> None:
        self.dismiss(message.outcome)

    def on_launch_work_told(self, message: LaunchWork.Told) -> None:
        if self.closed or self._choosing:
            return
        heard = message.heard
        if heard.plan is not None and self.board is not None and heard.report is not None:
            self.board.learn(heard.loaded or {}, heard.plan)
            self.report = heard.report
            self.phase = "ready"
        if heard.last is not None and self.phase != "going":
            if heard.last["type"] == "finished":
                self.phase = "finished"
            else:
                self.take_refusal(heard.last)
        self._draw()

    # -- drawing

    def _draw(self) -> None:
        if self.closed:
            return
        header = self.node.checkpoint.header
        summary = self.node.checkpoint.summary
        when = when_of(summary.trigger if summary else None, header.created_at, self.now)
        name = self.known.name if self.known is not None else (summary.name if summary else None)
        self.query_one("#launch-what", Bar).show(
            source_pieces(self._hide(name or "run"), header.id, when)
        )
        self._show_head()
        self._show_plan()
        self.query_one("#launch-facts", TextView).show(self._facts(), keep_place=True)
        self.query_one("#launch-way").display = bool(self._way) and self.phase == "refused"
        self._show_buttons()

    @property
    def _plans(self) -> bool:
        """Whether there is a plan to be shown."""
        return self.board is not None and self.phase not in ("edited", "finished")

    def _hide(self, text: str) -> str:
        return self.launch.redactor.text(text)

    def _show_head(self) -> None:
        if self.closed:
            return
        right: Pieces = []
        waited = int(time.monotonic() - self._began)
        if self.phase in ("looking", "planning"):
            said = "reading" if self.phase == "looking" else f"loading your {self._kind}"
            right = [(f"{said}{self.glyphs.ellipsis} {waited}s", "live")]
        elif self.phase == "going":
            right = [(f"starting{self.glyphs.ellipsis}", "live")]
        elif self.phase == "ready" and self.is_fork:
            right = [("space ", "key"), ("keep or run again", "muted")]
        board = self.board if self._plans and not self.entries else None
        self.table.show_head(board, right, guess=board is not None and not board.exact)

    def _show_plan(self) -> None:
        if self.closed:
            return
        most = max(2, (self.size.height - 11) // 2)
        if self.entries:
            self.table.show_entries(self.entries, most)
        elif self.board is not None and self._plans:
            self.table.show_plan(self.board, most)
        else:
            self.table.show_nothing()

    def _facts(self) -> list[Block]:
        known, glyphs = self.known, self.glyphs
        changes = known.changes if known is not None else []
        if self.phase == "edited":
            return edited_blocks(changes, glyphs)
        if self.phase == "finished":
            if known is None:
                return finished_blocks("", glyphs)
            return finished_blocks(
                known.result, glyphs, callbacks=known.planner.source.ends_with_callbacks
            )
        if self.phase == "refused":
            blocks = [*self._refused]
        else:
            blocks = doubt_blocks(self._doubts, glyphs)
            blocks += caution_blocks(self.cautions, self.report, glyphs)
        if self._kind == FLOW and self.board is not None and not self.board.class_known:
            blocks += [*unknown_class_blocks(), Line()]
        if changes:
            blocks += [*heading("Edits"), *change_blocks(changes, glyphs), Line()]
        elif known is not None and self.is_fork:
            blocks += [Line([("No edits: the fork is a copy to go on from.", "muted")]), Line()]
        if self.report is not None and self.phase != "refused":
            blocks += facts_blocks(self.report, glyphs)
        elif self.phase == "planning":
            said = f"Your {self._kind} is being loaded, and nothing of it runs yet."
            blocks.append(Line([(said, "muted")]))
        return blocks

    @property
    def _doubts(self) -> list[dict[str, Any]]:
        """What the checkpoint alone cannot tell, and changes what comes out."""
        losses = self.report["losses"] if self.report is not None else []
        return [one for one in losses if one.get("doubt")]

    def _show_buttons(self) -> None:
        hopeless = self.phase == "refused" and self.board is None
        self.query_one("#launch-branch").display = self.is_fork and not hopeless
        self.query_one("#launch-note").display = not hopeless
        ready = self.phase == "ready"
        good = not self._branch_problem or not self.is_fork
        yes = self.query_one("#launch-yes", Button)
        unknown = bool(self._doubts) and not self._accepted
        yes.disabled = unknown or not (ready and good)
        yes.display = not (self.phase in ("edited", "finished") or hopeless)
        if self.is_fork:
            write = self.query_one("#launch-write", Button)
            write.display = not hopeless
            write.disabled = not (
                self.board is not None and good and self.phase in ("planning", "ready", "refused")
            )
        else:
            self.query_one("#launch-fork").display = self.phase == "edited"
        refused = self.phase == "refused"
        self.query_one("#launch-accept").display = refused and self._rule == "changed"
        self.query_one("#launch-edit").display = refused and self._rule in STATE_RULES
        self.query_one("#launch-script").display = refused and bool(self._script)
        self.query_one("#launch-outside").display = refused and self._outside
        self.query_one("#launch-trust").display = refused and self._rule == NOT_TRUSTED
        self.query_one("#launch-unknown").display = ready and unknown
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

    # -- actions

    def action_plan(self, by: int) -> None:
        if not self.table.step(by):
            self.action_page(by, whole=False)

    def on_cursor_view_moved(self, event: CursorView.Moved) -> None:
        event.stop()

    def on_cursor_view_chosen(self, event: CursorView.Chosen) -> None:
        event.stop()
        self.action_switch()

    def action_switch(self) -> None:
        at = self.table.cursor
        if self.entries:
            self._again(entry=self.entries[at])
        elif self.board is not None and self.is_fork and self.phase in ("ready", "refused"):
            problem = self.board.switch(at)
            if problem:
                self.notify(problem[:1].upper() + problem[1:], timeout=3, markup=False)
            self._build_what_runs(self.board)
            self._draw()

    def _build_what_runs(self, board: PlanBoard) -> None:
        """Without the project, what the plan kept was built without what it needs to run."""
        planned = (self.launch.plan or {}).get("items") or []
        kept = {item["index"] for item in planned if item["action"] == KEEP}
        if self.launch.wish.without_project and kept & {
            item.index for item in board.items if item.action == RUN
        }:
            edits = self.launch.wish.edits
            self._again(edits=replace(edits, rerun=edits.rerun | board.rerun))

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
            "launch-outside": partial(self._again, without_project=True),
            "launch-trust": partial(self._again, trust_endpoint=True),
            "launch-unknown": self._accept,
            "launch-fork": partial(self._leave_for, ForkInstead()),
            "launch-edit": partial(self._leave_for, EditState()),
            "launch-write": partial(self._confirmed, False),
            "launch-yes": partial(self._confirmed, True),
        }
        act = acts.get(event.button.id or "")
        if act is not None:
            act()

    def _accept(self) -> None:
        """Yes to what the checkpoint alone cannot tell."""
        self._accepted = True
        self._draw()
        self.query_one("#launch-yes", Button).focus()

    def _confirmed(self, run: bool) -> None:
        if self._branch_problem or self.board is None:
            return
        self.phase = "going"
        self._draw()
        self.confirm(run, self.branch)

    def _leave_for(self, outcome: Outcome) -> None:
        self.abandon()
        self.dismiss(outcome)

    def action_give_up(self) -> None:
        if self.phase == "going":
            return
        self.abandon()
        self.dismiss(None)
