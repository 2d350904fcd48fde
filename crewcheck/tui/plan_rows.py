"""The rows of a plan, the line above them, and what it all costs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from crewcheck.engine.flow_plan import DROP, MAY_COME
from crewcheck.engine.invalidation import KEEP, RUN, Decision
from crewcheck.model import words
from crewcheck.model.harmless import one_line, width
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.layout import Cell, Pieces


def label_width(items: Iterable[Decision], shown: Callable[[str], str]) -> int:
    """How wide the names of the tasks are shown."""
    return min(26, max((width(one_line(shown(item.label), 26)) for item in items), default=0))


def item_costs(costs: Mapping[str, Any]) -> dict[int, str]:
    """What each item of a plan has cost so far, in words, by its position."""
    return {int(index): words.spent(**cost) for index, cost in costs["items"].items()}


def plan_cells(
    item: Decision, glyphs: Glyphs, shown: Callable[[str], str], wide: int,
    cost: str = "", cost_wide: int = 0,
) -> Sequence[Cell]:  # fmt: skip
    """One item of a plan: kept or run, why, and its cost. Its name takes ``wide`` cells."""
    kept = item.action == KEEP
    if item.rule == "edited":
        sign, style = glyphs.edited, "edited"
    elif kept:
        sign, style = glyphs.finished, "ok"
    elif item.action == DROP:
        sign, style = glyphs.dropped, "muted"
    elif item.rule == MAY_COME:
        sign, style = glyphs.stopped, "muted"
    else:
        sign, style = glyphs.again, "live"
    by_wish = item.rule.endswith("by-wish")
    runs = item.action == RUN and item.rule != MAY_COME
    cells = (
        Cell(sign, style, 1),
        Cell("may" if item.rule == MAY_COME else item.action, style, 4),
        Cell(f"{item.index + 1}", "muted", 2, right=True),
        Cell(one_line(shown(item.label), 60), "title" if runs else "muted",
             max(4, wide)),
        Cell(one_line(shown(item.reason), 200), "edited" if by_wish else "muted", least=24),
    )  # fmt: skip
    return (*cells, Cell(cost, "muted", cost_wide, right=True, rank=1)) if cost_wide else cells


def plan_heading(items: Sequence[Decision]) -> Pieces:
    """``Plan  2 kept, 1 run, 2 may run``."""
    may = sum(1 for item in items if item.rule == MAY_COME)
    counts = {word: sum(1 for item in items if item.action == action)
              for action, word in ((KEEP, "kept"), (RUN, "run"), (DROP, "dropped"))}  # fmt: skip
    counts["run"] -= may
    told = [f"{counts['kept']} kept", f"{counts['run']} run"]
    told += [f"{may} may run"] if may else []
    told += [f"{counts['dropped']} dropped"] if counts["dropped"] else []
    return [("Plan  ", "heading"), (", ".join(told), "")]


def cost_pieces(costs: Mapping[str, Any], glyphs: Glyphs) -> Pieces:
    """``spent 1,204 tokens, 3.1s so far · repeats what cost 812 tokens, 1.2s``."""
    so_far, again = words.spent(**costs["so_far"]), words.spent(**costs["again"])
    pieces: Pieces = [("spent ", "label"), (so_far, ""), (" so far", "muted")] if so_far else []
    if again:
        between = f" {glyphs.between} " if pieces else ""
        pieces += [(between, "faint"), ("repeats what cost ", "label"), (again, "live")]
    return pieces
