"""The keys that can be pressed now, on the last line: as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.screen import Screen

from crewcheck.tui.layout import Pieces, width_of
from crewcheck.tui.widgets.bars import Bar

GAP = 2


class Key(NamedTuple):
    """A key, how it is written, and what it does; ``id`` is its binding's."""

    key: str
    shown: str
    does: str
    id: str

    @property
    def width(self) -> int:
        return width_of(self.shown) + 1 + width_of(self.does)


class KeyBar(Bar):
    """Shows the screen's bindings, and draws anew only if they have changed.

    ``spared`` are the ids of those that go first where there is no room for all.
    """

    def __init__(self, spared: Sequence[str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._spared = spared
        self._keys: list[Key] = []
        #: where each key that is shown begins and ends
        self._spans: list[tuple[int, int, Key]] = []

    def on_mount(self) -> None:
        super().on_mount()
        self.screen.bindings_updated_signal.subscribe(self, self._take)

    def _take(self, screen: Screen[object]) -> None:
        if screen is not self.screen or not self.app.app_focus:
            return
        keys: dict[str, Key] = {}
        for _, binding, enabled, _ in screen.active_bindings.values():
            if binding.show and enabled and binding.action not in keys:
                shown = self.app.get_key_display(binding)
                keys[binding.action] = Key(
                    binding.key, shown, binding.description, binding.id or ""
                )
        self._keys = list(keys.values())
        self._arrange()

    def on_resize(self) -> None:
        self._arrange()

    def _arrange(self) -> None:
        pieces: Pieces = []
        self._spans = []
        at = 0
        for key in fitting(self._keys, self._spared, self.room):
            if pieces:
                pieces.append((" " * GAP, ""))
                at += GAP
            pieces += [(key.shown, "heading"), (f" {key.does}", "muted")]
            self._spans.append((at, at + key.width, key))
            at += key.width
        self.show(pieces)

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for start, end, key in self._spans:
            if start <= x < end:
                self.app.simulate_key(key.key)


def fitting(keys: Sequence[Key], spared: Sequence[str], room: int) -> list[Key]:
    """The keys that there is room for; of ``spared`` the first ones go first."""
    kept = list(keys)
    for one in spared:
        if sum(key.width for key in kept) + GAP * (len(kept) - 1) <= room:
            break
        kept = [key for key in kept if key.id != one]
    return kept
