"""The bases of our screens: what is typed and resized quickly comes to a good end."""

from __future__ import annotations

from typing import TypeVar

from textual import on
from textual.await_complete import AwaitComplete
from textual.events import Resize
from textual.screen import ModalScreen, Screen

Result = TypeVar("Result")


class Calm(Screen[Result]):
    """Is laid out for the size that the terminal has now.

    Textual tells a screen of each layout as of a new size: after two changes that come
    quicker than a layout is made, it would go to and fro between both for ever.
    """

    @on(Resize)
    def keep_calm(self, event: Resize) -> None:
        """Only the terminal's own size is one to be laid out for."""
        if event.size != self.app.size:
            event.prevent_default()


class Modal(Calm[Result], ModalScreen[Result]):
    """Closes itself, and what lies over it.

    Keys that are typed quickly and messages of workers still come in after that.
    """

    #: whether it has been closed; its widgets may be gone
    closed = False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close it with a result; nothing if it is closed already."""
        if self.closed:
            return AwaitComplete()
        self.closed = True
        while not self.is_active:
            self.app.screen.dismiss()
        return super().dismiss(result)
