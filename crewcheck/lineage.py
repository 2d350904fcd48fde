"""From headers to a forest: runs, branches, forks, and one order for everything.

``parent_id`` spans the forest. A *run* is a root with what descends from it on the same
branch; where the branch changes, a *fork* begins. Every checkpoint is in the forest
exactly once: one whose parent is missing becomes a root that says so, and a cycle is cut
at its earliest member.

Input and output are plain slotted types: this module is imported by every listing.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

from crewcheck.model.scan import Checkpoint

Order = tuple[str, int, str, str]


class Node:
    """A checkpoint in the forest, with its links."""

    __slots__ = ("checkpoint", "children", "cut", "missing_parent", "number", "parent")

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.parent: Node | None = None
        self.children: list[Node] = []
        #: the parent's id, where no such checkpoint is in the store
        self.missing_parent: str | None = None
        #: a cycle of parents was cut here
        self.cut = False
        #: place in the forest's order, oldest first
        self.number = 0

    def __repr__(self) -> str:
        return f"Node({self.checkpoint.id!r}, {len(self.children)} children)"


class Segment:
    """A run or a fork: a stretch of checkpoints on one branch, oldest first.

    ``forks`` are the segments that leave from one of its checkpoints, in order of their
    first checkpoint. ``fork_point`` is the checkpoint it left from, None for a run.
    """

    __slots__ = ("branch", "fork_point", "forks", "nodes")

    def __init__(self, branch: str, fork_point: Node | None) -> None:
        self.branch = branch
        self.fork_point = fork_point
        self.nodes: list[Node] = []
        self.forks: list[Segment] = []

    @property
    def is_run(self) -> bool:
        return self.fork_point is None

    @property
    def newest(self) -> Node:
        return self.nodes[-1]

    def walk(self) -> Iterator[Segment]:
        """This segment and all that hang on it, without recursion."""
        stack = [self]
        while stack:
            segment = stack.pop()
            yield segment
            stack.extend(reversed(segment.forks))


class Forest:
    """All checkpoints of a store: ``order`` (oldest first) and ``runs`` (oldest first)."""

    __slots__ = ("by_id", "by_key", "order", "runs")

    def __init__(self, order: list[Node], runs: list[Segment]) -> None:
        self.order = order
        self.runs = runs
        self.by_key = {node.checkpoint.key: node for node in order}
        self.by_id: dict[str, list[Node]] = {}
        for node in order:
            self.by_id.setdefault(node.checkpoint.id, []).append(node)

    @property
    def latest(self) -> Node | None:
        return self.order[-1] if self.order else None

    def segments(self) -> Iterator[Segment]:
        for run in self.runs:
            yield from run.walk()

    def newest_on(self, branch: str) -> Node | None:
        return next((n for n in reversed(self.order) if n.checkpoint.branch == branch), None)


def order_key(checkpoint: Checkpoint) -> Order:
    """What decides between checkpoints that no parent orders: time, then stamp, then id.

    Last the key, which no other has: a folder gives its files in no order that stays.
    """
    header = checkpoint.header
    return header.created_at or "", header.stamp, header.id, str(header.key)


def build(checkpoints: Iterable[Checkpoint]) -> Forest:
    """The forest of a store's checkpoints. Accepts anything: orphans, cycles, duplicates."""
    nodes = [Node(checkpoint) for checkpoint in checkpoints]
    _link(nodes)
    _cut_cycles(nodes)
    order = _sort(nodes)
    return Forest(order, _segments(order))


def _link(nodes: list[Node]) -> None:
    by_id: dict[str, list[Node]] = {}
    for node in nodes:
        by_id.setdefault(node.checkpoint.id, []).append(node)
    for node in nodes:
        wanted = node.checkpoint.parent_id
        if wanted is None:
            continue
        found = by_id.get(wanted)
        if found is None:
            node.missing_parent = wanted
        else:
            node.parent = found[0] if len(found) == 1 else _likeliest(node, found)
    _chain_by_time([n for n in nodes if not n.checkpoint.header.lineage_known])


def _likeliest(node: Node, found: Sequence[Node]) -> Node:
    """Of several checkpoints with the parent's id: the same branch first, then the oldest."""
    branch = node.checkpoint.branch
    return min(
        found,
        key=lambda n: (n is node, n.checkpoint.branch != branch, order_key(n.checkpoint)),
    )


def _chain_by_time(nodes: list[Node]) -> None:
    """CrewAI 1.14.1 records no parents: within a branch and a run, time orders them."""
    last: dict[tuple[str, str | None], Node] = {}
    for node in sorted(nodes, key=lambda n: order_key(n.checkpoint)):
        summary = node.checkpoint.summary
        run = node.checkpoint.branch, summary.run_key if summary else None
        if node.parent is None and node.missing_parent is None:
            node.parent = last.get(run)
        last[run] = node


def _cut_cycles(nodes: list[Node]) -> None:
    """Walk up from each node once; a walk that meets itself has found a cycle."""
    done: set[int] = set()
    for start in nodes:
        path: list[Node] = []
        on_path: set[int] = set()
        node: Node | None = start
        while node is not None and id(node) not in done:
            if id(node) in on_path:
                cycle = path[path.index(node) :]
                first = min(cycle, key=lambda n: order_key(n.checkpoint))
                first.parent = None
                first.cut = True
                break
            path.append(node)
            on_path.add(id(node))
            node = node.parent
        done.update(on_path)


def _sort(nodes: list[Node]) -> list[Node]:
    """Topological, a child after its parent; ties by :func:`order_key`."""
    keys = {id(node): order_key(node.checkpoint) for node in nodes}
    for node in nodes:
        if node.parent is not None:
            node.parent.children.append(node)
    heap: list[tuple[Order, int, Node]] = [
        (keys[id(node)], place, node) for place, node in enumerate(nodes) if node.parent is None
    ]
    heapq.heapify(heap)
    order: list[Node] = []
    place = len(nodes)
    while heap:
        node = heapq.heappop(heap)[2]
        node.number = len(order)
        order.append(node)
        for child in node.children:
            place += 1
            heapq.heappush(heap, (keys[id(child)], place, child))
    for node in order:
        if len(node.children) > 1:
            node.children.sort(key=lambda n: n.number)
    return order


def _segments(order: list[Node]) -> list[Segment]:
    """A node joins its parent's segment when the branch is the same, else begins one.

    Forks of one point with the same name share one branch, so they share a segment. Roots
    of the same kickoff are one run: CrewAI loses the parent of some checkpoints, and prunes
    that of others.
    """
    runs: list[Segment] = []
    of_kickoff: dict[tuple[str, str], Segment] = {}
    of: dict[int, Segment] = {}
    forks: dict[tuple[int, str], Segment] = {}
    for node in order:
        branch = node.checkpoint.branch
        parent = node.parent
        if parent is None:
            segment = _run_of_root(node, branch, runs, of_kickoff)
        elif parent.checkpoint.branch == branch:
            segment = of[id(parent)]
        else:
            known = forks.get((id(parent), branch))
            if known is None:
                known = Segment(branch, parent)
                forks[id(parent), branch] = known
                of[id(parent)].forks.append(known)
            segment = known
        segment.nodes.append(node)
        of[id(node)] = segment
    return runs


def _run_of_root(
    node: Node, branch: str, runs: list[Segment], of_kickoff: dict[tuple[str, str], Segment]
) -> Segment:
    """The run that a root begins, or the earlier one of the same kickoff."""
    summary = node.checkpoint.summary
    key = (branch, summary.run_key) if summary is not None and summary.run_key else None
    # an agent keeps its id from one question to the next
    again = summary is not None and summary.trigger == "lite_agent_execution_started"
    if key is not None and key in of_kickoff and not again:
        return of_kickoff[key]
    run = Segment(branch, None)
    runs.append(run)
    if key is not None:
        of_kickoff[key] = run
    return run
