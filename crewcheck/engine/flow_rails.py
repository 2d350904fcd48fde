"""The graph of a flow drawn in rows: one for each method, with rails that lead to it.

A rail begins at a method and leads down to those that listen to it. Methods that lead to
one and the same share a rail, so that however many roads a router knows, the picture is
narrow: ::

    ✓      begin
    ✓      choose
    ┣━✓━┓  go_left    "left"
    ├─○─┨  go_back    "back"
    ○───┨  go_right   "right"
    ✗━━━┛  end        go_left, go_back or go_right

A method is reached from above or from the left, and leads on below or to the right. What was
gone is drawn with heavy lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from crewcheck.engine.flow_graph import FlowGraph

#: A graph with more rails is not drawn: nobody could follow it.
MOST_RAILS = 10
#: Box characters by the weights (0, 1, 2) of their arms: up * 27 + right * 9 + down * 3 + left.
_BOXES = " ╴╸╷╮┑╻┒┓╶─╾╭┬┭┎┰┱╺╼━┍┮┯┏┲┳╵╯┙│┤┥╽┧┪╰┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"
_LIGHT, _HEAVY = 1, 2
#: Stand-ins where a terminal is not UTF-8: what was gone is told from the rest there, too.
PLAIN = {
    **dict.fromkeys("━╸╺", "="),
    **dict.fromkeys("─╴╶", "-"),
    **dict.fromkeys("┃╹╻┣┫┡┢┩┪┞┟┦┧┠┨┝┥╿╽", "|"),
    **dict.fromkeys("│╵╷├┤", ":"),
    **dict.fromkeys("╭╮╰╯┌┐└┘┏┓┗┛┒┑┎┍┕┖┙┚┬┴┳┻┯┷┰┸┱┲┹┺┭┮┵┶┼╋╂┿╀╁╃╄╅╆╇╈╉╊┽┾╼╾", "+"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A method's row. ``cells`` are its rails, each a character and whether that way was
    gone; that at ``place`` is for the method's sign. ``node`` is its position."""

    node: int
    cells: tuple[tuple[str, bool], ...]
    place: int


@dataclass(slots=True)
class _Rail:
    """A line that leads down: to which methods, and which of those ways were gone."""

    lane: int
    ways: dict[int, bool]

    @property
    def weight(self) -> int:
        return _HEAVY if any(self.ways.values()) else _LIGHT


@dataclass(slots=True)
class _Canvas:
    """The row that is being drawn: the weights of the arms in each lane, and between them."""

    up: dict[int, int] = field(default_factory=dict)
    down: dict[int, int] = field(default_factory=dict)
    #: between a lane and the next
    across: dict[int, int] = field(default_factory=dict)
    #: lanes where what goes across and what goes down have to do with each other
    joined: set[int] = field(default_factory=set)

    def reach(self, one: int, other: int, weight: int) -> None:
        """Draw from a lane to another."""
        for lane in range(min(one, other), max(one, other)):
            self.across[lane] = max(weight, self.across.get(lane, 0))
        self.joined |= {one, other}

    def cells(self, place: int) -> tuple[tuple[str, bool], ...]:
        last = max([place, *self.up, *self.down, *(lane + 1 for lane in self.across)])
        made: list[tuple[str, bool]] = []
        for lane in range(last + 1):
            up, down = self.up.get(lane, 0), self.down.get(lane, 0)
            left, right = self.across.get(lane - 1, 0), self.across.get(lane, 0)
            if (up or down) and lane not in self.joined:
                # it goes on its way under what goes across
                left = right = 0
            box = _BOXES[up * 27 + right * 9 + down * 3 + left]
            made.append((box, _HEAVY in (up, down, left, right)))
            if lane < last:
                weight = self.across.get(lane, 0)
                made.append((" ─━"[weight], weight == _HEAVY))
        return tuple(made)


def rows(graph: FlowGraph) -> list[Row]:
    """The rows of a graph, one for each node in their order.

    Without rails, just a place for each sign, where there would be too many of them.
    """
    drawing = _Drawing(graph)
    made = []
    for at in range(len(graph.nodes)):
        made.append(drawing.row(at))
        if len(made[-1].cells) > 2 * MOST_RAILS - 1:
            return [Row(node, ((" ", False),), 0) for node in range(len(graph.nodes))]
    return made


class _Drawing:
    """Draws the rows one after the other."""

    def __init__(self, graph: FlowGraph) -> None:
        self._rails: list[_Rail] = []
        #: the lane of the node in the row before, and its position
        self._before = -1, -1
        self._ways: list[dict[int, bool]] = [{} for _ in graph.nodes]
        for edge in graph.edges:
            if not edge.back:
                ways = self._ways[edge.source]
                ways[edge.target] = ways.get(edge.target, False) or edge.taken

    def row(self, at: int) -> Row:
        canvas = _Canvas({rail.lane: rail.weight for rail in self._rails})
        coming = [rail for rail in self._rails if at in rail.ways]
        siblings = max((len(rail.ways) - 1 for rail in coming), default=0)
        lane = self._lane(at, coming)
        canvas.joined.add(lane)
        for rail in coming:
            canvas.reach(rail.lane, lane, _HEAVY if rail.ways.pop(at) else _LIGHT)
        self._rails = [rail for rail in self._rails if rail.ways]
        self._lead_on(at, lane, canvas, siblings)
        canvas.down = {rail.lane: rail.weight for rail in self._rails}
        self._before = lane, at
        return Row(at, canvas.cells(lane), 2 * lane)

    def _lane(self, at: int, coming: Sequence[_Rail]) -> int:
        """Where the node stands: on a rail that ends here, else beside those that go on.

        These are on its left, for a rail that it joins is on its right. Not right below a
        node that it has nothing to do with: it would seem to follow it.
        """
        rails = {rail.lane for rail in self._rails}
        taken = set(rails)
        lane_above, above = self._before
        if above >= 0 and at not in self._ways[above]:
            taken.add(lane_above)
        passing = max((rail.lane for rail in coming if len(rail.ways) > 1), default=-1)
        ending = [rail.lane for rail in coming if len(rail.ways) == 1 and rail.lane > passing]
        if ending:
            lane = free = min(ending)
            while free - 1 > passing and free - 1 not in rails:
                free -= 1
                lane = lane if free in taken else free
            return lane
        # its siblings stand in the same lane
        full = rails if coming else taken
        lane = passing + 1
        while lane in full:
            lane += 1
        return lane

    def _lead_on(self, at: int, lane: int, canvas: _Canvas, siblings: int) -> None:
        """Begin the rail that leads on from a node, or join one that leads there already."""
        ways = self._ways[at]
        if not ways:
            return
        weight = _HEAVY if any(ways.values()) else _LIGHT
        same = next(
            (one for one in self._rails if one.lane > lane and one.ways.keys() == ways.keys()), None
        )
        if same is not None:
            canvas.reach(lane, same.lane, weight)
            for target, gone in ways.items():
                same.ways[target] = same.ways[target] or gone
            return
        below = lane
        if siblings > 1 and len(ways) == 1 and at + 1 not in ways:
            # those of its siblings that are still to come find room between
            below += 1
            while below in canvas.up:
                below += 1
            canvas.reach(lane, below, weight)
        self._rails.append(_Rail(below, dict(ways)))
