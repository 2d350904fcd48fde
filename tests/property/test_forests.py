"""Any headers make a forest in which each checkpoint is once, and any text is a reference."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from crewcheck.engine.catalog import Catalog
from crewcheck.engine.refs import find_in
from crewcheck.errors import NotFound
from crewcheck.lineage import Forest, Node, build
from crewcheck.model.harmless import name
from crewcheck.model.scan import Checkpoint, Header, Summary
from crewcheck.stores.base import Capability, Scan
from crewcheck.tui.rows import Rows
from tests.property.many import Count, both, many

BRANCHES = ("main", "main", "main", "Main", "x", "x/y", "fork/a_1", "é ü")
TRIGGERS = (None, "task_completed", "lite_agent_execution_started", "fork")


def checkpoints(random: random.Random, most: int = 12) -> list[Checkpoint]:
    """Checkpoints of ids that repeat and parents that are missing, themselves, in a circle, on
    other branches; at equal times or before their parents; with and without a summary."""
    count = random.randrange(most + 1)
    ids = [f"id{number}" for number in range(max(1, count if random.random() < 0.7 else 3))]
    made = []
    for place in range(count):
        known = random.random() < 0.8
        parent = random.choice((None, "gone", *ids)) if known else None
        header = Header(
            key=place if place % 2 else f"main/{place}",
            id=ids[place % len(ids)] if random.random() < 0.8 else random.choice(ids),
            location=f"store/{place}",
            parent_id=parent,
            branch=random.choice(BRANCHES),
            created_at=random.choice(
                (None, "2026-01-01T00:00:00Z", f"2026-01-01T00:00:0{place % 9}Z")
            ),
            stamp=random.choice((0, place, -place)),
            lineage_known=known,
        )
        checkpoint = Checkpoint(header)
        if random.random() < 0.6:
            checkpoint.summary = Summary(
                branch=random.choice((None, *BRANCHES)),
                parent_id=random.choice((None, "gone", *ids)),
                run_key=random.choice((None, "k", "l")),
                trigger=random.choice(TRIGGERS),
                status=random.choice((None, "stopped", "finished")),
            )
        made.append(checkpoint)
    return made


def outline(forest: Forest) -> list[Any]:
    """All that a forest says, by keys."""

    def key(node: Node | None) -> Any:
        return None if node is None else node.checkpoint.key

    nodes = [
        (key(n), key(n.parent), n.missing_parent, n.cut, [key(child) for child in n.children])
        for n in forest.order
    ]
    segments = [(s.branch, key(s.fork_point), [key(n) for n in s.nodes]) for s in forest.segments()]
    return [nodes, segments]


@both
def test_any_headers_make_a_forest(examples: int, record_property: Count) -> None:
    def check(random: random.Random) -> None:
        listed = checkpoints(random)
        forest = build(listed)
        keys = sorted(str(one.key) for one in listed)
        assert sorted(str(node.checkpoint.key) for node in forest.order) == keys
        inside = [node for segment in forest.segments() for node in segment.nodes]
        assert sorted(str(node.checkpoint.key) for node in inside) == keys
        assert set(forest.by_key) == {one.key for one in listed}
        assert sum(map(len, forest.by_id.values())) == len(listed)
        for id, nodes in forest.by_id.items():
            assert {node.checkpoint.id for node in nodes} == {id}
        known = {one.id for one in listed}
        for place, node in enumerate(forest.order):
            assert node.number == place
            wanted = node.checkpoint.parent_id
            if node.parent is not None:
                assert node.parent.number < place
                assert node in node.parent.children
                if wanted is not None:
                    assert node.parent.checkpoint.id == wanted
                assert not node.cut
            elif wanted is not None:
                # the link was given up for a reason that is said
                assert (node.missing_parent == wanted) != node.cut
                assert (wanted in known) == node.cut
            assert all(child.parent is node for child in node.children)
        for segment in forest.segments():
            assert segment.nodes
            assert {node.checkpoint.branch for node in segment.nodes} == {segment.branch}
            numbers = [node.number for node in segment.nodes]
            assert numbers == sorted(numbers)
            if segment.fork_point is not None:
                assert segment.fork_point.number < numbers[0]
                assert segment.fork_point.checkpoint.branch != segment.branch

    many(examples, check, record_property)


@both
def test_a_forest_does_not_depend_on_the_order_of_its_headers(
    examples: int, record_property: Count
) -> None:
    def check(random: random.Random) -> None:
        listed = checkpoints(random)
        before = outline(build(listed))
        random.shuffle(listed)
        assert outline(build(listed)) == before

    many(examples, check, record_property)


@both
def test_the_tree_of_the_app_shows_each_once(examples: int, record_property: Count) -> None:
    def check(random: random.Random) -> None:
        listed = checkpoints(random)
        rows = Rows(build(listed))
        rows.unfold_all()
        shown = [str(node.checkpoint.key) for _, node in rows.list if node is not None]
        assert sorted(shown) == sorted(str(one.key) for one in listed)
        heads = [view.key for view, node in rows.list if node is None]
        assert len(heads) == len(set(heads)) == sum(1 for _ in rows.forest.segments())
        for index, (_, node) in enumerate(rows.list):
            if node is not None:
                assert rows.find(("checkpoint", node.checkpoint.key)) == index

    many(examples, check, record_property)


class Listed:
    """A store of headers only."""

    kind = "json"
    location = "store"
    capabilities: frozenset[Capability] = frozenset()

    def __init__(self, headers: list[Header]) -> None:
        self.headers = headers

    def scan(self, names_only: bool = False) -> Scan:
        return Scan(self.headers)

    def summary(self, header: Header, whole: bool = False) -> Summary:
        return Summary()

    def summaries(self, wanted: Sequence[tuple[Header, bool]]) -> list[Summary]:
        return [self.summary(header) for header, _ in wanted]

    def measure(self, headers: list[Header]) -> None:
        return

    def document(self, header: Header, *, lean: bool = False) -> dict[str, Any]:
        return {}

    def stored(self, header: Header) -> bytes | None:
        return None

    def notes(self, header: Header) -> tuple[str, ...]:
        return ()

    def fingerprint(self) -> object:
        return None

    def close(self) -> None:
        return


PARTS = [
    *("~", "~1", "~0", "~999999999", "~9999999999", "#", "latest", "main", "x/y", "id1", "id", ""),
    *("\0", "%", "_", "é", "\ud800", "\u0663", "²", "/", "..", "\n", " ", "~²", "^", "*", "'"),
]


@both
def test_any_text_is_a_reference_or_an_error(examples: int, record_property: Count) -> None:
    def check(random: random.Random) -> None:
        catalog = Catalog(Listed([one.header for one in checkpoints(random, 6)]))
        ref = "".join(random.choices(PARTS, k=random.choice((1, 1, 2, 3, 5))))
        found = referred(catalog, ref)
        if found is not None:
            assert catalog.forest.by_key[found.checkpoint.key] is found

    many(examples, check, record_property)


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=20), st.integers())
def test_any_text_at_all_is_a_reference_or_an_error(ref: str, number: int) -> None:
    some = random.Random(number)
    referred(Catalog(Listed([one.header for one in checkpoints(some, 6)])), ref)


def referred(catalog: Catalog, ref: str) -> Node | None:
    try:
        return find_in(catalog, ref)
    except NotFound as error:
        harmless_line(error.message)
        return None


def harmless_line(text: str) -> None:
    assert name(text) == text
