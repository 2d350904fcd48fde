"""What the main screen does about its filter: the line above the tree, and what it finds."""

from __future__ import annotations

from textual.css.query import NoMatches
from textual.widget import Widget
from textual.widgets import Input, Static

from crewcheck.lineage import Forest
from crewcheck.model.harmless import one_line
from crewcheck.tui.messages import Filtered
from crewcheck.tui.screens.launches import LaunchingScreen
from crewcheck.tui.widgets.filter_line import FilterLine
from crewcheck.tui.widgets.lineage_tree import LineageTree


class FilteringScreen(LaunchingScreen):
    """The filter itself is worked out by the engine, on another thread."""

    tree_view: LineageTree
    query_text: str = ""

    def go_to_view(self, view: Widget) -> None:
        """Give a view the focus, in the pane that it is in."""
        raise NotImplementedError

    def show_tree_pane(self) -> None:
        """In a narrow window, show the tree."""
        raise NotImplementedError

    def look(self) -> None:
        """Show what is under the cursor."""
        raise NotImplementedError

    def look_if_changed(self) -> None:
        """The forest is another one: what is under the cursor may be as it was."""
        self.look()

    def show_filtered(self, forest: Forest) -> None:
        """Show a forest, or what the filter finds in it."""
        if self.query_text.strip():
            self.find(forest, self.query_text)
        else:
            self.tree_view.show(forest)
            self._show_found("")
            self.look_if_changed()

    def on_filtered(self, message: Filtered) -> None:
        if message.query != self.query_text or message.forest is not self.forest:
            return
        self.tree_view.show(message.forest, message.match, message.rows)
        self._show_found(message.problem)
        self.look()

    def _show_found(self, problem: str) -> None:
        """How many of how many are shown, and what of the filter is no question."""
        match, forest = self.tree_view.match, self.forest
        try:
            left = self.query_one("#left")
            said = self.query_one("#filter-problem", Static)
        except NoMatches:
            return
        if match is None or forest is None:
            left.border_subtitle = ""
        else:
            left.border_subtitle = f"{len(match.hits):,} of {len(forest.order):,}"
        said.update(one_line(problem, 300))
        said.display = bool(problem)

    def action_filter(self) -> None:
        self.add_class("-filtering")
        self.show_tree_pane()
        field = self.query_one(FilterLine)
        field.display = True
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_text = event.value
        if self.forest is not None:
            self.find(self.forest, event.value)

    def on_filter_line_kept(self) -> None:
        if not self.query_text.strip():
            self.drop_filter()
        self.go_to_view(self.tree_view)

    def on_filter_line_dropped(self) -> None:
        self.drop_filter()
        self.go_to_view(self.tree_view)

    def drop_filter(self) -> None:
        field = self.query_one(FilterLine)
        self.remove_class("-filtering")
        field.display = False
        field.value = ""
