"""From headers to a forest: runs, branches, forks, and one order for everything.

``parent_id`` spans the forest. A *run* is a root with what descends from it on the same
branch; where the branch changes, a *fork* begins. Every checkpoint is in the forest
exactly once: one whose parent is missing becomes a root that says so, and a cycle is cut
at its earliest member.

Input and output are plain slotted types: this module is imported by every listing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from heapq import heappop, heappush

from crewcheck.model.collecting import no_collecting
from crewcheck.model.scan import Checkpoint

Order = tuple[str, int, str, str]


class Node:
    """A checkpoint in the forest, with its links."""

    __slots__ = ("checkpoint", "children", "cut", "missing_parent", "number", "parent", "segment")

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.parent: Node | None = None
        #: oldest first
        self.children: list[Node] = []
        #: the parent's id, where no such checkpoint is in the store
        self.missing_parent: str | None = None
        #: a cycle of parents was cut here
        self.cut = False
        #: place in the forest's order, oldest first; -1 while that is being made
        self.number = -1
        #: the run or fork that it is in
        self.segment: Segment = _NOWHERE

    @property
    def fork_point(self) -> Node | None:
        """The parent, where that is on another branch."""
        parent = self.parent
        if parent is None or parent.checkpoint.branch == self.checkpoint.branch:
            return None
        return parent

    @property
    def begins_a_branch(self) -> bool:
        """Whether its branch has nothing before it here."""
        return self.parent is None or self.fork_point is not None

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


_NOWHERE = Segment("", None)


class Forest:
    """All checkpoints of a store: ``order`` (oldest first) and ``runs`` (oldest first).

    ``twins`` are the checkpoints that share an id, by that.
    """

    def __init__(
        self, order: list[Node], runs: list[Segment], twins: dict[str, list[Node]]
    ) -> None:
        self.order = order
        self.runs = runs
        self.twins = twins

    @cached_property
    def by_key(self) -> dict[str | int, Node]:
        return {node.checkpoint.key: node for node in self.order}

    @cached_property
    def by_id(self) -> dict[str, list[Node]]:
        """All checkpoints of an id, oldest first."""
        found: dict[str, list[Node]] = {}
        for node in self.order:
            found.setdefault(node.checkpoint.id, []).append(node)
        return found

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
    with no_collecting():
        nodes = _sorted(checkpoints)
        twins = _link(nodes)
        order = _arrange(nodes)
        if len(order) < len(nodes):
            _cut_cycles(nodes)
            for node in nodes:
                node.number = -1
                node.children = []
            order = _arrange(nodes)
        return Forest(order, _segments(order), twins)


def _sorted(checkpoints: Iterable[Checkpoint]) -> list[Node]:
    """Nodes by :func:`order_key`."""
    # times alone are compared fast, and few are the same
    listed = sorted(checkpoints, key=_created_at)
    before, start = None, 0
    for place, checkpoint in enumerate(listed):
        created_at = checkpoint.header.created_at
        if created_at != before or not place:
            if place - start > 1:
                listed[start:place] = _of_one_second(listed[start:place])
            before, start = created_at, place
    if len(listed) - start > 1:
        listed[start:] = _of_one_second(listed[start:])
    return [Node(checkpoint) for checkpoint in listed]


def _of_one_second(checkpoints: list[Checkpoint]) -> list[Checkpoint]:
    """Checkpoints of one second by :func:`order_key`; siblings among them by their sizes.

    CrewAI writes siblings in threads that race, so that the later one can end first: it has
    more events in its record.
    """
    listed = sorted(checkpoints, key=order_key)
    siblings: dict[tuple[str, str], list[int]] = {}
    for place, checkpoint in enumerate(listed):
        header = checkpoint.header
        if header.parent_id is not None and header.size is not None:
            siblings.setdefault((header.parent_id, header.branch), []).append(place)
    for places in siblings.values():
        by_size = sorted((listed[place] for place in places), key=lambda one: one.header.size or 0)
        for place, checkpoint in zip(places, by_size, strict=True):
            listed[place] = checkpoint
    return listed


def _created_at(checkpoint: Checkpoint) -> str:
    return checkpoint.header.created_at or ""


def _link(nodes: list[Node]) -> dict[str, list[Node]]:
    """Find the parents. ``nodes`` are sorted; returns those that share an id."""
    by_id = {node.checkpoint.header.id: node for node in nodes}
    twins: dict[str, list[Node]] = {}
    if len(by_id) < len(nodes):
        for node in nodes:
            twins.setdefault(node.checkpoint.id, []).append(node)
        twins = {one: found for one, found in twins.items() if len(found) > 1}
    unknown = []
    for node in nodes:
        checkpoint = node.checkpoint
        header = checkpoint.header
        wanted = header.parent_id if checkpoint.summary is None else checkpoint.parent_id
        if wanted is not None:
            parent = by_id.get(wanted)
            if parent is None:
                node.missing_parent = wanted
            else:
                node.parent = _likeliest(node, twins[wanted]) if wanted in twins else parent
        if not header.lineage_known:
            unknown.append(node)
    _chain_by_time(unknown)
    return twins


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
    for node in nodes:
        summary = node.checkpoint.summary
        run = node.checkpoint.branch, summary.run_key if summary else None
        if node.parent is None and node.missing_parent is None:
            node.parent = last.get(run)
        last[run] = node


def _arrange(nodes: list[Node]) -> list[Node]:
    """Number the nodes so that a child comes after its parent, and give parents their
    children. ``nodes`` are sorted, and keep that order otherwise. What is in a cycle, or
    hangs on one, is left out."""
    order: list[Node] = []
    #: children that came before their parents
    early: dict[Node, list[tuple[int, Node]]] = {}
    for place, node in enumerate(nodes):
        parent = node.parent
        if parent is not None:
            if parent.number < 0:
                early.setdefault(parent, []).append((place, node))
                continue
            parent.children.append(node)
        node.number = len(order)
        order.append(node)
        if early and node in early:
            # all of them come before the next of the nodes
            heap = early.pop(node)
            while heap:
                child = heappop(heap)[1]
                assert child.parent is not None
                child.parent.children.append(child)
                child.number = len(order)
                order.append(child)
                for item in early.pop(child, ()):
                    heappush(heap, item)
    return order


def _cut_cycles(nodes: list[Node]) -> None:
    """Walk up from each node that has no place yet; a walk that meets itself has found a
    cycle, which is cut at its earliest member."""
    rank = {node: place for place, node in enumerate(nodes) if node.number < 0}
    done: set[Node] = set()
    for start in rank:
        path: dict[Node, None] = {}
        node: Node | None = start
        while node is not None and node not in done:
            if node in path:
                cycle = list(path)
                first = min(cycle[cycle.index(node) :], key=rank.__getitem__)
                first.parent = None
                first.cut = True
                break
            path[node] = None
            node = node.parent
        done.update(path)


def _segments(order: list[Node]) -> list[Segment]:
    """A node joins its parent's segment when the branch is the same, else begins one.

    Forks of one point with the same name share one branch, so they share a segment. Roots
    of the same kickoff are one run: CrewAI loses the parent of some checkpoints, and prunes
    that of others.
    """
    runs: list[Segment] = []
    of_kickoff: dict[tuple[str, str], Segment] = {}
    forks: dict[tuple[Node, str], Segment] = {}
    for node in order:
        checkpoint = node.checkpoint
        branch = checkpoint.header.branch if checkpoint.summary is None else checkpoint.branch
        parent = node.parent
        if parent is None:
            segment = _run_of_root(node, branch, runs, of_kickoff)
        elif parent.segment.branch == branch:
            segment = parent.segment
        else:
            known = forks.get((parent, branch))
            if known is None:
                known = Segment(branch, parent)
                forks[parent, branch] = known
                parent.segment.forks.append(known)
            segment = known
        segment.nodes.append(node)
        node.segment = segment
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
