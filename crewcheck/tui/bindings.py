"""The keys of the main screen. Footer, help and palette are made from them."""

from __future__ import annotations

from textual.binding import Binding, BindingType

#: Actions that there is nothing to do for without a store.
NEEDS_STORE = frozenset(
    {
        *("fork", "resume", "newest", "diff", "mark"),
        *("filter", "copy", "copy_path", "pane", "tab_step"),
    }
)

#: Where there is no room for all keys on the last line, these are left out, the first ones first.
SPARED = (
    *("copy", "diff", "filter", "edit.undo", "edit", "resume", "fork", "run.cancel"),
    *("run.answer", "quit"),
)

BROWSER_BINDINGS: list[BindingType] = [
    Binding("f", "fork", "Fork", id="fork",
            tooltip="Fork the checkpoint with its edits: shows the plan first"),
    Binding("e", "resume", "Resume", id="resume",
            tooltip="Go on from the checkpoint on its branch: shows the plan first"),
    Binding("i", "edit", "Edit", id="edit",
            tooltip="Edit the output, the result, the input or the state that is shown"),
    Binding("v", "by_call", "Calls", id="flow.calls", show=False,
            tooltip="On the Methods tab, list the flow's calls one by one, or its methods"),
    Binding("a", "add_input", "Add", id="edit.add", show=False,
            tooltip="On the Inputs tab, add an input; on the State tab, a key"),
    Binding("delete,D", "remove_key", "Remove key", id="edit.remove", show=False,
            tooltip="On the State tab, take the key under the cursor away"),
    Binding("o", "edit_outside", "In $EDITOR", id="edit.outside", show=False,
            tooltip="Edit it in $VISUAL or $EDITOR"),
    Binding("u", "undo", "Undo", id="edit.undo", tooltip="Take the last edit back"),
    Binding("U", "drop_edits", "Drop edits", id="edit.drop_all", show=False,
            tooltip="Take all edits of the checkpoint back"),
    Binding("x", "cancel_run", "Cancel run", id="run.cancel",
            tooltip="Cancel the run that goes on (asks first)"),
    Binding("p", "answer", "Answer", id="run.answer", tooltip="Answer what a run asks"),
    Binding("d", "diff", "Diff", id="diff",
            tooltip="Compare the checkpoint with the marked one, or with its parent"),
    Binding("space", "mark", "Mark", id="diff.mark", show=False,
            tooltip="In the tree, mark the checkpoint for a comparison, or take the mark off"),
    Binding("n", "newest", "Newest", id="run.newest", show=False,
            tooltip="Go to the newest checkpoint of the run"),
    Binding("slash", "filter", "Filter", id="filter", key_display="/",
            tooltip="Show only the checkpoints that a few words fit"),
    Binding("r", "refresh", "Refresh", id="refresh", show=False, tooltip="Look at the store again"),
    Binding("y", "copy", "Copy", id="copy",
            tooltip="Copy the id; in the detail, the shown text; or what is selected"),
    Binding("Y", "copy_path", "Copy path", id="copy_path", show=False,
            tooltip="Copy the place of the checkpoint"),
    Binding("tab", "pane(1)", "Other pane", id="pane.next", show=False,
            tooltip="Move between the tree, the rows and the text"),
    Binding("shift+tab", "pane(-1)", "Pane before", id="pane.previous", show=False,
            tooltip="The other way round"),
    *[
        Binding(str(number), f"tab({number - 1})", f"Tab {number}", id=f"tab.{number}",
                show=False, tooltip=f"Open tab {number}")
        for number in range(1, 10)
    ],
    Binding("left_square_bracket", "tab_step(-1)", "Tab before", id="tab.previous",
            key_display="[", show=False, tooltip="Open the tab before"),
    Binding("right_square_bracket", "tab_step(1)", "Next tab", id="tab.next",
            key_display="]", show=False, tooltip="Open the next tab"),
    Binding("escape", "back", "Back", id="back", show=False,
            tooltip="Drop the filter, or go back to the tree"),
    Binding("left,h", "back_to_tree", "Tree", id="back_to_tree", show=False,
            tooltip="From the detail, go back to the tree"),
]  # fmt: skip
