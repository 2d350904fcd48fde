"""What the command palette offers on the main screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from textual.command import CommandPalette

from crewcheck.tui.pages.methods import MethodsPage
from crewcheck.tui.screens.browser import BrowserScreen


class Palette(CommandPalette):
    """Textual's, which ends the app when a page is turned before its list is laid out."""

    def _action_command_list(self, action: str) -> None:
        with suppress(LookupError):
            super()._action_command_list(action)


class Command(NamedTuple):
    """A command as the palette lists it."""

    title: str
    help: str
    call: Callable[[], object]


def commands(screen: BrowserScreen) -> Iterator[Command]:
    """The commands that can be used now."""
    yield Command("Store: refresh", "Look at the store again", screen.action_refresh)
    if screen.following:
        yield Command("Store: hold still", "Do not follow the store", screen.action_pause)
    else:
        yield Command("Store: follow", "Show what changes as it happens", screen.action_pause)
    if not screen.has_store:
        return
    yield Command("Store: verify", "Read all of it, and say what is wrong", screen.action_verify)
    yield Command("Run: fork", "Fork the checkpoint, with its edits", screen.action_fork)
    yield Command("Run: resume", "Go on from the checkpoint", screen.action_resume)
    yield Command("Diff: show", "Compare with the marked checkpoint, or with the parent",
                  screen.action_diff)  # fmt: skip
    yield Command("Diff: mark", "Mark the checkpoint, or take its mark off", screen.action_mark)
    if screen.runs:
        yield Command("Run: cancel", "Cancel a run that goes on", screen.action_cancel_run)
        yield Command("Run: newest checkpoint", "Go to what the run wrote last",
                      screen.action_newest)  # fmt: skip
        yield Command("Run: answer", "Answer what a run asks", screen.action_answer)
    if screen.detail.tab in ("work", "inputs", "state"):
        yield Command("Edit: value", "Edit what is under the cursor", screen.action_edit)
        yield Command("Edit: in $EDITOR", "Edit it in another program", screen.action_edit_outside)
    if isinstance(screen.detail.page, MethodsPage):
        yield Command("Methods: by call", "List the calls one by one, or the methods",
                      screen.action_by_call)  # fmt: skip
    if screen.detail.tab in ("inputs", "state"):
        yield Command("Edit: add", "Add an input, or a key of the state", screen.action_add_input)
    if screen.detail.tab == "state":
        yield Command("Edit: remove key", "Take a key out of the state", screen.action_remove_key)
    if screen.edits.total:
        yield Command("Edit: undo", "Take the last edit back", screen.action_undo)
        yield Command("Edit: drop all", "Take all edits of the checkpoint back",
                      screen.action_drop_edits)  # fmt: skip
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
