"""The app: `crewcheck` and `crewcheck demo` start it."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterable
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from crewcheck.engine.redaction import Redactor
from crewcheck.model import words
from crewcheck.tui.commands import Palette, commands
from crewcheck.tui.glyphs import ASCII, Glyphs, for_encoding
from crewcheck.tui.layout import Line
from crewcheck.tui.screens.browser import BrowserScreen
from crewcheck.tui.screens.dialogs import AskScreen
from crewcheck.tui.screens.edit import EditScreen
from crewcheck.tui.screens.help import HelpScreen
from crewcheck.tui.screens.launch import LaunchScreen
from crewcheck.tui.session import Clock
from crewcheck.tui.theme import DARK, THEMES
from crewcheck.tui.widgets.cursor_view import CursorView
from crewcheck.tui.widgets.filter_line import FILTER_WORDS, FilterLine
from crewcheck.tui.widgets.lineage_tree import LineageTree
from crewcheck.tui.widgets.text_view import TextView

#: The interpreter changes threads so often that reading in the background is not felt.
SWITCH_SECONDS = 0.002


class CrewcheckApp(App[None]):
    """Time travel for agent runs.

    Args:
        location: The store, None for the default one. It is opened inside the app.
        show_secrets: Whether keys and passwords are shown as they are.
        first_hint: A friendly line at the top, until Escape hides it.
        title: What the top line begins with.
        now: The clock.
        following: Whether changes of the store are shown as they happen.
        glyphs: The signs to draw with; by default those that the terminal can show.
        missing_hint: What else can be done where the project, or a Python with crewai, is not
            found.
    """

    TITLE = "crewcheck"
    CSS_PATH = ["screens/browser.tcss", "screens/help.tcss", "screens/dialogs.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "Help", id="help", key_display="?",
                tooltip="Show all keys"),
        Binding("colon", "command_palette", "Commands", id="palette", key_display=":",
                show=False, tooltip="Search for a command"),
        Binding("q", "quit", "Quit", id="quit", tooltip="Leave"),
    ]  # fmt: skip

    def __init__(
        self,
        location: str | None = None,
        *,
        show_secrets: bool = False,
        first_hint: str | None = None,
        title: str = "crewcheck",
        now: Clock = time.time,
        following: bool = True,
        glyphs: Glyphs | None = None,
        missing_hint: str = "",
    ) -> None:
        super().__init__()
        self.location = location
        self.redactor = Redactor(show=show_secrets)
        self.first_hint = first_hint
        self.heading = title
        self.now = now
        self.following = following
        self.missing_hint = missing_hint
        self.glyphs = glyphs or for_encoding(getattr(sys.__stdout__, "encoding", None))
        self.set_class(self.glyphs == ASCII, "-ascii")
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def get_default_screen(self) -> BrowserScreen:
        return BrowserScreen(
            self.location,
            redactor=self.redactor,
            glyphs=self.glyphs,
            now=self.now,
            first_hint=self.first_hint,
            title=self.heading,
            following=self.following,
            missing_hint=self.missing_hint,
        )

    async def action_quit(self) -> None:
        """Leave; with edits that are not forked, after a question."""
        screen = self.screen_stack[0]
        if not isinstance(screen, BrowserScreen):
            self.exit()
            return
        leaving = screen.leaving()
        edits = screen.edits.total
        if not edits:
            self.exit(message=leaving)
            return
        blocks = [
            Line([(f"There {'is' if edits == 1 else 'are'} ", ""),
                  (words.many(edits, "edit"), "edited"),
                  (" that no fork has. Leaving drops them.", "")]),
        ]  # fmt: skip
        if leaving is not None:
            blocks.append(Line([("Runs go on without the app.", "muted")]))

        def answered(choice: str | None) -> None:
            if choice == "leave":
                self.exit(message=leaving)

        choices = [("", "Stay"), ("leave", "Leave")]
        self.push_screen(AskScreen("Leave", blocks, choices), answered)

    def action_help(self) -> None:
        self.push_screen(
            HelpScreen(
                [
                    ("Everywhere", [*BrowserScreen.BINDINGS, *CrewcheckApp.BINDINGS]),
                    ("Tree", LineageTree.BINDINGS),
                    ("Filter", [*FILTER_WORDS, *FilterLine.BINDINGS]),
                    ("Lists", CursorView.BINDINGS),
                    ("Texts", TextView.BINDINGS),
                    ("Editing", EditScreen.BINDINGS),
                    ("Plan of a fork or resume", LaunchScreen.BINDINGS),
                ]
            )
        )

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        if isinstance(screen, BrowserScreen):
            for command in commands(screen):
                yield SystemCommand(*command)
        yield SystemCommand("App: keys", "Show all keys", self.action_help)
        yield SystemCommand("App: theme", "Choose other colours", self.action_change_theme)
        yield SystemCommand("App: quit", "Leave", self.action_quit)


def run_app(
    location: str | None = None,
    *,
    show_secrets: bool = False,
    first_hint: str | None = None,
    title: str = "crewcheck",
    missing_hint: str = "",
) -> int:
    """Run the app until it is left; the exit code for the shell."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        app = CrewcheckApp(
            location,
            show_secrets=show_secrets,
            first_hint=first_hint,
            title=title,
            missing_hint=missing_hint,
        )
        # what is loaded by now stays: the collector need not look at it again
        gc.freeze()
        app.run()
        return app.return_code or 0
    finally:
        sys.setswitchinterval(before)
