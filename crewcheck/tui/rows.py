"""The lineage as a flat list of visible rows: what the tree widget draws, without textual.

A row is a pair of the view of a run or fork and one of its checkpoints; without a
checkpoint it is the run's or fork's own line. Newest run first, newest checkpoint first,
a fork under the checkpoint that it left from. Folding and unfolding splice the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal
from weakref import WeakKeyDictionary

from crewcheck.lineage import Forest, Node, Segment

#: What stays the same over a refresh: of a run or fork, or of a checkpoint.
RowKey = tuple[Literal["segment", "checkpoint"], str | int]
#: Guides of more levels than this are not drawn; forks of forks of forks are cut.
DEEPEST = 8
#: A run of more checkpoints than this keeps its forks folded at first.
MANY = 60

PASS, BLANK, TEE, ELBOW = "│ ", "  ", "├╴", "└╴"


class View:
    """A run or fork as it lies in the tree. ``head`` and ``body`` are its guides.

    ``head`` is drawn before its own line, ``body`` before those of its checkpoints.
    """

    __slots__ = ("body", "depth", "head", "key", "oldest", "segment")

    def __init__(self, segment: Segment, depth: int = 0, head: str = "", body: str = "") -> None:
        self.segment = segment
        self.depth = depth
        self.head = head
        self.body = body
        self.key: RowKey = ("segment", segment.nodes[0].checkpoint.key)
        #: the checkpoint that is drawn last
        self.oldest: Node | None = segment.nodes[0]

    def __repr__(self) -> str:
        return f"View({self.segment.branch!r}, {len(self.segment.nodes)} checkpoints)"


Row = tuple[View, Node | None]


def key_of(row: Row) -> RowKey:
    view, node = row
    return view.key if node is None else ("checkpoint", node.checkpoint.key)


def node_of(row: Row) -> Node:
    """The checkpoint that a row is about; a run's or fork's line speaks for its newest."""
    view, node = row
    return node if node is not None else view.segment.newest


def newest_runs_first(forest: Forest) -> list[Segment]:
    """The runs, that with the newest checkpoint (in it or in one of its forks) first."""

    def newest(run: Segment) -> int:
        if not run.forks:
            return run.newest.number
        return max(segment.newest.number for segment in run.walk())

    return sorted(forest.runs, key=newest, reverse=True)


def size_of(segment: Segment) -> int:
    """How many checkpoints a run or fork has, with the forks that hang on it."""
    if not segment.forks:
        return len(segment.nodes)
    return sum(len(one.nodes) for one in segment.walk())


class Outline:
    """The runs of a forest as rows, all folded: what takes as long as a store is big.

    It is worked out once for a forest, by the worker that has built it.
    """

    def __init__(self, forest: Forest) -> None:
        self.runs = newest_runs_first(forest)
        self.rows: list[Row] = [(View(run), None) for run in self.runs]
        self.places = {view.key: at for at, (view, _) in enumerate(self.rows)}
        self._sizes: dict[Segment, int] = {}

    def size_of(self, segment: Segment) -> int:
        """`size_of`, counted once."""
        if segment not in self._sizes:
            self._sizes[segment] = size_of(segment)
        return self._sizes[segment]


_OUTLINES: WeakKeyDictionary[Forest, Outline] = WeakKeyDictionary()


def outline_of(forest: Forest) -> Outline:
    """The outline of a forest, worked out where nobody has before."""
    known = _OUTLINES.get(forest)
    if known is None:
        known = _OUTLINES[forest] = Outline(forest)
    return known


class Folding:
    """Which runs and forks are unfolded. Outlives the forests of a store."""

    def __init__(self) -> None:
        self.opened: set[RowKey] = set()
        #: opened on our own account, once each: what a person folds stays folded
        self._offered: set[RowKey] = set()

    def carry(self, before: Forest, after: Forest) -> dict[RowKey, RowKey]:
        """Keep what is unfolded from one forest to the next; the keys that have changed.

        A run or fork is known by its oldest checkpoint. Where that is gone, by the next one.
        """
        firsts = {segment.nodes[0].checkpoint.key for segment in after.segments()}
        lost = [one for one in before.segments() if one.nodes[0].checkpoint.key not in firsts]
        if not lost:
            return {}
        now = {node.checkpoint.key: node.segment for node in after.order}
        moved: dict[RowKey, RowKey] = {}
        for segment in lost:
            left = (now[key] for node in segment.nodes if (key := node.checkpoint.key) in now)
            if (kept := next(left, None)) is not None:
                moved[View(segment).key] = View(kept).key
        for keys in (self.opened, self._offered):
            keys.update([moved[key] for key in keys & moved.keys()])
            keys.difference_update(moved)
        return moved

    def offer(self, runs: list[Segment]) -> None:
        """Unfold the newest run, and its forks if it is not a long one."""
        if not runs:
            return
        newest = runs[0]
        count = size_of(newest)
        for segment in newest.walk() if count <= MANY else (newest,):
            key = View(segment).key
            if key not in self._offered:
                self._offered.add(key)
                self.opened.add(key)


class Rows:
    """The visible rows of a forest.

    Args:
        forest: What is shown.
        folding: Which runs and forks are unfolded; it is changed by folding.
        only: The checkpoints (by ``id()``) that a filter lets through, None for all.
    """

    def __init__(
        self, forest: Forest, folding: Folding | None = None, only: set[int] | None = None
    ) -> None:
        self.forest = forest
        self.folding = folding or Folding()
        self.only = only
        self.list: list[Row] = []
        self._outline = outline_of(forest)
        self.runs = self._outline.runs
        if only is None:
            self.folding.offer(self.runs)
            self._opened = self.folding.opened
            self.list = self._outline.rows.copy()
            places = self._outline.places
            for at in sorted((places[key] for key in self._opened if key in places), reverse=True):
                inside: list[Row] = []
                self._append(self.list[at][0], inside)
                self.list[at + 1 : at + 1] = inside
        else:
            # what a filter finds is always shown; folding it is forgotten with the filter
            self.runs = [run for run in self.runs if self._shown(run)]
            self._opened = {View(one).key for run in self.runs for one in run.walk()}
            for run in self.runs:
                view = View(run)
                self.list.append((view, None))
                self._append(view, self.list)

    def __len__(self) -> int:
        return len(self.list)

    def size_of(self, segment: Segment) -> int:
        """How many checkpoints a run or fork has, with the forks that hang on it."""
        return self._outline.size_of(segment)

    def is_open(self, view: View) -> bool:
        return view.key in self._opened

    def unfold(self, index: int) -> int:
        """Unfold the run or fork at a row; how many rows came in below it."""
        view, node = self.list[index]
        if node is not None or view.key in self._opened:
            return 0
        self._opened.add(view.key)
        inside: list[Row] = []
        self._append(view, inside)
        self.list[index + 1 : index + 1] = inside
        return len(inside)

    def fold(self, index: int) -> int:
        """Fold the run or fork at a row; how many rows below it went away."""
        view, node = self.list[index]
        if node is not None or view.key not in self._opened:
            return 0
        self._opened.discard(view.key)
        end = index + 1
        rows = self.list
        while end < len(rows) and (rows[end][0] is view or rows[end][0].depth > view.depth):
            end += 1
        del rows[index + 1 : end]
        return end - index - 1

    def fold_all(self) -> None:
        self._opened.clear()
        if self.only is None:
            self.list = self._outline.rows.copy()
        else:
            self.list = [(View(run), None) for run in self.runs]

    def unfold_all(self) -> None:
        self._opened.update(View(one).key for run in self.runs for one in run.walk())
        self.list = []
        for run in self.runs:
            view = View(run)
            self.list.append((view, None))
            self._append(view, self.list)

    def parent(self, index: int) -> int | None:
        """The row above in the tree: of a checkpoint its run or fork, of a fork its point."""
        view, node = self.list[index]
        wanted = view.segment.fork_point if node is None else None
        if node is None and wanted is None:
            return None
        for at in range(index - 1, -1, -1):
            above, its = self.list[at]
            if (its is wanted) if wanted is not None else (above is view and its is None):
                return at
        return None

    def find(self, key: RowKey) -> int | None:
        """Where the row with this key is, None where it is not visible."""
        kind, wanted = key
        if kind == "segment":
            for at, (view, node) in enumerate(self.list):
                if node is None and view.key == key:
                    return at
            return None
        found = self._node(wanted)
        return None if found is None else self._place(found)

    def _place(self, wanted: Node) -> int | None:
        """Where the row of a checkpoint is."""
        return next((at for at, (_, node) in enumerate(self.list) if node is wanted), None)

    def _node(self, key: str | int) -> Node | None:
        """The checkpoint with a key; the newest are likeliest to be asked for."""
        return next((one for one in reversed(self.forest.order) if one.checkpoint.key == key), None)

    def reveal(self, key: RowKey) -> int | None:
        """Where the row with this key is, unfolding what hides it; None where it is gone."""
        found = self.find(key)
        if found is not None:
            return found
        wanted = self._node(key[1])
        if wanted is None or (self.only is not None and id(wanted) not in self.only):
            return None
        path = _path_to(wanted)
        for segment in path if key[0] == "checkpoint" else path[:-1]:
            at = self.find(View(segment).key)
            if at is None:
                return None
            self.unfold(at)
        found = self.find(key)
        return self.find(("checkpoint", key[1])) if found is None else found

    def _shown(self, segment: Segment) -> bool:
        only = self.only
        return only is None or any(id(node) in only for node in segment.nodes)

    def _append(self, view: View, rows: list[Row]) -> None:
        """Append what an open run or fork holds. Without recursion: forks may nest deep."""
        if not view.segment.forks and self.only is None:
            rows.extend([(view, node) for node in reversed(view.segment.nodes)])
            return
        stack = [self._contents(view)]
        while stack:
            item = next(stack[-1], None)
            if item is None:
                stack.pop()
            elif isinstance(item, View):
                rows.append((item, None))
                if item.key in self._opened:
                    stack.append(self._contents(item))
            else:
                rows.append(item)

    def _contents(self, view: View) -> Iterator[View | Row]:
        """The rows of a run's or fork's checkpoints, and the views of forks between them."""
        segment = view.segment
        forks: dict[int, list[Segment]] = {}
        for fork in segment.forks:
            if self._shown(fork):
                forks.setdefault(id(fork.fork_point), []).append(fork)
        only = self.only
        view.oldest = oldest = self._oldest_shown(segment)
        for node in reversed(segment.nodes):
            if only is not None and id(node) not in only:
                continue
            yield view, node
            leaving = forks.get(id(node), ())
            below = _grow(view.body, BLANK if node is oldest else PASS)
            for place, fork in enumerate(reversed(leaving), 1):
                is_last = place == len(leaving)
                yield View(
                    fork,
                    view.depth + 1,
                    _grow(below, ELBOW if is_last else TEE),
                    _grow(below, BLANK if is_last else PASS),
                )

    def _oldest_shown(self, segment: Segment) -> Node | None:
        if self.only is None:
            return segment.nodes[0]
        return next((node for node in segment.nodes if id(node) in self.only), None)


def _grow(guides: str, more: str) -> str:
    """Guides of one more level; of very deep ones the left ones fall away."""
    return (guides + more)[-2 * DEEPEST :]


def _path_to(wanted: Node) -> list[Segment]:
    """The run and forks that lead to a checkpoint, outermost first."""
    path = [wanted.segment]
    while (point := path[-1].fork_point) is not None:
        path.append(point.segment)
    return path[::-1]
