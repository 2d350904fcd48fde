"""The line above the tree in which a filter is typed."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


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
        super().__init__(
            placeholder="words, branch:x, status:failed, kind:flow", id=id, compact=True
        )

    def action_keep(self) -> None:
        self.post_message(self.Kept())

    def action_drop(self) -> None:
        self.post_message(self.Dropped())
