"""The plan of a fork or resume as a table: what is kept, what runs, and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from crewcheck.model.harmless import name as harmless_name
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.layout import Cell, Pieces, width_of
from crewcheck.tui.plan_board import PlanBoard
from crewcheck.tui.plan_rows import (
    cost_pieces,
    item_costs,
    label_width,
    plan_cells,
    plan_heading,
)
from crewcheck.tui.widgets.bars import Bar
from crewcheck.tui.widgets.row_list import RowList

Hide = Callable[[str], str]


class PlanTable(Vertical):
    """Shows a plan, or entries to choose from in its place.

    ``hide`` takes secrets out of a text. The cursor begins at the first thing that runs.
    """

    def __init__(self, glyphs: Glyphs, hide: Hide, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._hide = hide
        #: the cursor has its place: the exact plan may have another than the first guess
        self._placed = False

    def compose(self) -> ComposeResult:
        yield Bar(id="launch-head")
        yield RowList(id="launch-plan")
        yield Bar(id="launch-costs")

    def on_mount(self) -> None:
        self.rows.can_focus = False

    @property
    def rows(self) -> RowList:
        return self.query_one(RowList)

    @property
    def cursor(self) -> int:
        return self.rows.cursor

    def show_head(self, board: PlanBoard | None, right: Pieces, *, guess: bool) -> None:
        """One line above; ``guess``: the exact plan is still to come."""
        left: Pieces = plan_heading(board.items) if board is not None else []
        if guess and board is not None:
            left.append(("  so far", "muted"))
        self.query_one("#launch-head", Bar).show(left, right)

    def show_plan(self, board: PlanBoard, most: int) -> None:
        """A row for each item, at most so many in sight."""
        items = board.items
        wide = label_width(items, self._hide)
        spent = item_costs(board.costs)
        costs_wide = max(map(width_of, spent.values()), default=0)
        if not self._placed:
            self._placed = board.exact
            self.rows.cursor = board.first_to_run
        self._show(
            len(items),
            lambda at: plan_cells(items[at], self._glyphs, self._hide, wide,
                                  spent.get(items[at].index, ""), costs_wide),
            most,
            cost_pieces(board.costs, self._glyphs),
        )  # fmt: skip

    def show_entries(self, entries: Sequence[str], most: int) -> None:
        shown = [harmless_name(self._hide(entry)) for entry in entries]
        sign = Cell(self._glyphs.again, "accent", 1)
        self._show(len(shown), lambda at: (sign, Cell(shown[at])), most, [])

    def show_nothing(self) -> None:
        self._show(0, lambda _at: (), 1, [])

    def _show(
        self, count: int, cells: Callable[[int], Sequence[Cell]], most: int, costs: Pieces
    ) -> None:
        rows = self.rows
        rows.show(count, cells, rows.cursor)
        rows.display = count > 0
        rows.styles.height = max(1, min(count, most))
        bar = self.query_one("#launch-costs", Bar)
        bar.show(costs)
        bar.display = bool(costs)

    def step(self, by: int) -> bool:
        """Move the cursor; whether there is anything to move along."""
        rows = self.rows
        if not rows.display or rows.count < 2:
            return False
        self._placed = True
        rows.move_to(rows.cursor + by)
        return True
