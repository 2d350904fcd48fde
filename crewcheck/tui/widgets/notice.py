"""A calm message in place of the panes: what is wrong with the store, and the way out."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static


class Notice(Vertical):
    """Title, message, hint. All of them are plain texts, never markup."""

    def compose(self) -> ComposeResult:
        yield Static(id="notice-title")
        yield Static(id="notice-message")
        yield Static(id="notice-hint")
        yield Static(id="notice-keys")

    def show(self, title: str, message: str, hint: str, keys: str) -> None:
        """Say something else."""
        for name, text in (("title", title), ("message", message), ("hint", hint), ("keys", keys)):
            line = self.query_one(f"#notice-{name}", Static)
            line.update(Content(text))
            line.display = bool(text)
