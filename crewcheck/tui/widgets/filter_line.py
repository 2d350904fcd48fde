"""The line above the tree in which a filter is typed."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

#: What can be typed, for the help.
FILTER_WORDS: list[BindingType] = [
    ("words", "Found anywhere, in any case; all must be found"),
    ('"two words"', "A text with blanks in it, also after a colon"),
    ("branch:x  name:x", "Found there; also id:x and trigger:x"),
    ("status:failed", "Or finished, paused, running, stopped, damaged"),
    ("kind:flow", "Or crew, agent, workflow, run"),
    ("since:2h", "Not older: 90s, 30m, 2h, 3d, 1w, today, yesterday, 2026-11-29, 2026-11-29T17:42"),
    ("until:yesterday", "Not newer; a day goes to its end"),
    ("is:leaf", "Only tips: nothing in the store hangs on them; leaf:no: all others"),
]


class FilterLine(Input):
    """Takes every letter; Enter and the arrows keep the filter, Escape drops it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "keep", "Keep", id="filter.keep",
                tooltip="Keep the filter and go to the tree", key_display="enter"),
        Binding("escape", "drop", "Clear", id="filter.drop", tooltip="Drop the filter"),
    ]  # fmt: skip

    class Kept(Message):
        """The filter stays, the focus goes to the tree."""

    class Dropped(Message):
        """The filter goes."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(placeholder="words, status:failed, since:2h, is:leaf", id=id, compact=True)

    def action_keep(self) -> None:
        self.post_message(self.Kept())

    def action_drop(self) -> None:
        self.post_message(self.Dropped())
