"""What the command palette offers on the main screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from crewcheck.tui.screens.browser import BrowserScreen


class Command(NamedTuple):
    """A command as the palette lists it."""

    title: str
    help: str
    call: Callable[[], object]


def commands(screen: BrowserScreen) -> Iterator[Command]:
    """The commands that can be used now."""
    yield Command("Store: refresh", "Look at the store again", screen.action_refresh)
    if not screen.has_store:
        return
    tree = screen.tree_view
    yield Command("Tree: filter", "Show only what a few words fit", screen.action_filter)
    yield Command("Tree: fold all", "Fold every run", tree.action_fold_all)
    yield Command("Tree: unfold all", "Unfold every run and fork", tree.action_unfold_all)
    yield Command("Copy: id", "Copy the checkpoint's id", screen.action_copy_id)
    yield Command("Copy: path", "Copy the checkpoint's place", screen.action_copy_path)
    yield Command("Copy: shown text", "Copy the detail's text in full", screen.action_copy_shown)
    for index, page in enumerate(screen.detail.pages):
        call = partial(screen.action_tab, index)
        yield Command(f"Tab: {page.title.lower()}", f"Open tab {index + 1}", call)
