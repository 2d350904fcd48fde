"""The route of a flow as the app draws it: rails, signs, and what each method waits for."""

from __future__ import annotations

from collections.abc import Callable

from crewcheck.engine.flow_graph import FlowGraph, FlowNode
from crewcheck.engine.flow_rails import Row, rows
from crewcheck.model.harmless import one_line
from crewcheck.tui.glyphs import Glyphs, style_of
from crewcheck.tui.layout import Block, Cell, Line, Pieces

#: How wide the name of a method or label is shown in a row, and below the rows.
NAME, LONG_NAME = 40, 200

Shown = Callable[[str], str]


class Route:
    """A graph, drawn. ``shown`` makes a name harmless and free of secrets."""

    def __init__(self, graph: FlowGraph, glyphs: Glyphs, shown: Shown) -> None:
        self.graph = graph
        self._glyphs = glyphs
        self._shown = shown
        self._rows: list[Row] = rows(graph)
        self._waits: dict[int, str] = {}
        self._width = max((len(row.cells) for row in self._rows), default=1)

    def cell(self, at: int, sign: str, style: str) -> Cell:
        """The rails of a method's row, with its sign."""
        row = self._rows[at]
        pieces: Pieces = []
        for place, (box, gone) in enumerate(row.cells):
            if place == row.place:
                pieces.append((sign, style))
            else:
                pieces.append((box, "ok" if gone else "guide"))
        return Cell("", "", self._width, pieces=tuple(pieces))

    def empty(self) -> Cell:
        return Cell("", "", self._width)

    def waits(self, at: int, *, in_full: bool = False) -> str:
        """What a method waits for, on one line."""
        if in_full:
            return self.graph.waits(at, self._long_name, self._glyphs.loop)
        if at not in self._waits:
            self._waits[at] = self.graph.waits(at, self._name, self._glyphs.loop)
        return self._waits[at]

    def _name(self, name: str) -> str:
        return one_line(self._shown(name), NAME)

    def _long_name(self, name: str) -> str:
        return one_line(self._shown(name), LONG_NAME)

    def ways(self, at: int) -> list[Block]:
        """Where a method leads to, a line for each way."""
        blocks: list[Block] = []
        for edge in self.graph.out_of(at):
            target = self.graph.nodes[edge.target]
            pieces: Pieces = [("  ", "")]
            if edge.label is not None:
                pieces += [(f'"{self._long_name(edge.label)}"', "title" if edge.taken else "muted")]
                pieces += [("  ", "")]
            pieces += [
                (f"{self._glyphs.of_state(target.state)} ", style_of(target.state)),
                (self._long_name(target.name), "" if edge.taken else "muted"),
                (f"  {target.state}", "muted"),
            ]
            if edge.back:
                pieces.append((f"  {self._glyphs.loop} once more", "muted"))
            blocks.append(Line(pieces, hang=4))
        return blocks


def kind_words(node: FlowNode) -> str:
    """What a method is to its flow."""
    return {"start": "start", "router": "router"}.get(node.kind or "", "")
