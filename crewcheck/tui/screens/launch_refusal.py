"""What the dialog of a fork or resume does where it is refused: why, and the ways out of it.

Another object of the project can be chosen or named, another Python, the program itself; or
it goes on without the project, as far as that is right.
"""

from __future__ import annotations

import time

from textual.content import Content
from textual.widgets import Input, Label

from crewcheck.engine.entry import NeedsScript, NoEntry, SeveralEntries
from crewcheck.engine.source import FLOW
from crewcheck.lineage import Node
from crewcheck.runtimes.interpreter import NoInterpreter, NotThisPython
from crewcheck.runtimes.wire import Message
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.launching import Known, Launch
from crewcheck.tui.layout import Block, Line
from crewcheck.tui.screens.launch_text import ENTRY_RULES, for_here, refusal_blocks
from crewcheck.tui.screens.launch_work import LaunchWork
from crewcheck.tui.widgets.plan_table import PlanTable


class LaunchRefusal(LaunchWork):
    """``entries`` are what a person can choose from.

    ``missing_hint`` is what else can be done where the project, or a Python with crewai, is not
    found.
    """

    def __init__(
        self, launch: Launch, node: Node, glyphs: Glyphs, *, edited: bool, missing_hint: str
    ) -> None:
        super().__init__(launch, edited=edited)
        self.missing_hint = missing_hint
        self.node = node
        self.glyphs = glyphs
        self.known: Known | None = None
        self.entries: list[str] = []
        self._refused: list[Block] = []
        #: the rule of the refusal, and what can be typed against it: ``entry`` or ``python``
        self._rule = self._way = ""
        self._script = ""
        #: whether it can be tried without the project
        self._outside = False
        #: whether the person has said yes to what the checkpoint alone cannot tell
        self._accepted = False
        self._fitting: list[str] = []
        #: another entry is asked for: what the child says of this one does not matter
        self._choosing = False
        self._began = time.monotonic()

    # -- to be filled in by the dialog

    def _draw(self) -> None:
        raise NotImplementedError

    # -- what has been refused

    def take_refusal(self, last: Message) -> None:
        """The child has said no, or has ended without a plan."""
        said = str(last.get("message") or last.get("error") or "it ended without a plan")
        self._rule = str(last.get("reason") or "")
        self._refuse(said, str(last.get("hint") or ""), list(last.get("differences") or []))
        if self._rule in ENTRY_RULES or self.launch.wish.without_project:
            self._ask_way("entry", f"module:attr of the {self._kind}")
        if self._rule in ENTRY_RULES:
            self.call_next(self._go_to_way)

    def on_launch_work_failed(self, message: LaunchWork.Failed) -> None:
        if self.closed:
            return
        error = message.error
        self._rule = ""
        self._refuse(error.message, error.hint, [])
        if isinstance(error, NoInterpreter | NoEntry) and self.missing_hint:
            self._refused[-1:-1] = [Line([("  ", ""), (self.missing_hint, "muted")], hang=2)]
        if isinstance(error, SeveralEntries):
            self._offer(error.entries)
        elif isinstance(error, NeedsScript):
            self._script = error.script
        elif isinstance(error, NoInterpreter | NotThisPython):
            self._ask_way("python", "path of a Python that has crewai, or of its environment")
        if isinstance(error, NoEntry):
            self._outside = self._kind != FLOW
            self._ask_way("entry", f"module:attr of the {self._kind}")
        if message.phase == "look":
            self.board = None
        self._draw()
        self._go_to_way()

    def _refuse(self, message: str, hint: str, differences: list[object]) -> None:
        self.phase = "refused"
        self.entries = []
        self._script = self._way = ""
        self._outside = False
        hide = self.launch.redactor.text  # an exception of the user's may say anything
        told = [hide(str(one)) for one in differences]
        self._refused = refusal_blocks(hide(message), for_here(hide(hint)), told, self.glyphs)

    def _offer(self, entries: list[str]) -> None:
        """Let the person choose among entries that fit."""
        self.entries = self._fitting = entries
        self._refused = [
            Line([(f"Several {self._kind}s of the project fit this checkpoint. ", "title"),
                  ("Choose one: enter takes it, and it is remembered.", "muted")]), Line(),
        ]  # fmt: skip
        rows = self.table.rows
        rows.can_focus = True
        rows.focus()

    def _ask_way(self, what: str, placeholder: str) -> None:
        self._way = what
        field = self.query_one("#way", Input)
        if field.placeholder != placeholder:
            field.value = ""  # it was typed for something else
        field.placeholder = placeholder
        self.query_one("#way-label", Label).update(Content(f"{what} "))

    def _go_to_way(self) -> None:
        """To the field that is asked for, unless the person is typing in another."""
        if self._way and not self.closed and not isinstance(self.focused, Input):
            self.query_one("#way", Input).focus()

    # -- ways out

    def _again(self, **changes: object) -> None:
        self.phase = "planning"
        self.entries = []
        self._choosing = self._accepted = False
        self._began = time.monotonic()
        self.query_one("#launch-no").focus()
        self.table.rows.can_focus = False
        self._draw()
        if "entry" in changes:
            changes["without_project"] = False
        self.start_again(**changes)

    def action_other(self) -> None:
        """Take another object of the project than the one that was found."""
        prepared = self.launch.prepared
        if prepared is None or self.phase not in ("planning", "ready", "refused"):
            return
        self._fitting = self._fitting or prepared.fitting
        self._refuse("", "", [])
        self._choosing = True
        if len(self._fitting) > 1:
            self._offer(self._fitting)
        else:
            self._refused = [
                Line([(f"No other {self._kind} was found that fits. ", "title"),
                      ("Name one below, and press enter.", "muted")]), Line(),
            ]  # fmt: skip
            self._ask_way("entry", f"module:attr of the {self._kind}")
        self._draw()
        self._go_to_way()

    @property
    def _kind(self) -> str:
        """What is forked or resumed, in a word."""
        summary = self.node.checkpoint.summary
        return self.known.kind if self.known is not None else (summary and summary.kind) or "crew"

    @property
    def table(self) -> PlanTable:
        return self.query_one(PlanTable)
