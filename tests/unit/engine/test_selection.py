"""What a filter lets through: the core of the app's filter line and of the commands' options."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.choosing import choose, choose_runs, in_order
from crewcheck.engine.refs import find_in
from crewcheck.engine.selection import Selection, Term, keys_below, parse, search
from crewcheck.model.scan import Checkpoint, Header, Summary
from crewcheck.stores.json_dir import JsonDirStore
from tests.build import crew, document, flow, ident, small_store, task, write
from tests.tui.forests import chain, forked

NOW = 1_795_975_200.0  # 2026-11-29T18:00:00Z


@pytest.fixture(autouse=True)
def _berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local times are an hour ahead of UTC in winter."""
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def exact(**values: str) -> Selection:
    selection = Selection()
    selection.exact = {field: frozenset([value]) for field, value in values.items()}
    return selection


def ids(checkpoints: list[Checkpoint]) -> list[str]:
    return [one.id for one in checkpoints]


class Counting(JsonDirStore):
    """Knows how many documents it was asked for."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root))
        self.read: list[str] = []

    def summary(self, header: Header, whole: bool = False) -> Summary:
        self.read.append(header.id)
        return super().summary(header, whole)


def test_terms() -> None:
    assert parse("Status:Failed  task").terms == [Term("status", "failed"), Term("", "task")]
    assert parse("branch: x").terms == [Term("", "x")]
    assert parse("10:42 at:x").terms == [Term("", "10:42"), Term("", "at:x")]
    assert parse('branch:"Hot Soup" "a b" "open end').terms == [
        Term("branch", "hot soup"), Term("", "a b"), Term("", "open end"),
    ]  # fmt: skip
    assert parse('"status:failed"').terms == [Term("", "status:failed")]
    assert not parse("  ")
    assert not parse('since: is: ""')


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("id000007", 1),
        ("branch:exp", 2),
        ("task done", 9),
        ("TASK_COMPLETED", 9),
        ("status:finished", 1),
        ("status:finished branch:exp", 0),
        ("name:newsroom kind:crew", 9),
        ("[red]", 0),
        (".*", 0),
        ("since:2w", 9),
        ("since:2026-11-29T00:00:03Z until:2026-11-29T00:00:05Z", 3),
    ],
)
def test_words_are_literal_and_all_needed(query: str, hits: int) -> None:
    match = search(forked(), parse(query, NOW))
    assert match is not None
    assert len(match.hits) == hits


def test_nothing_asked_and_cancelled() -> None:
    assert search(forked(), parse("")) is None
    assert search(forked(), parse("x"), lambda: True) is None


def test_leaves_are_what_nothing_hangs_on() -> None:
    forest = forked()
    leaves = {id(node) for node in forest.order if not node.children}
    for query, hits in (("is:leaf", leaves), ("leaf:yes", leaves)):
        match = search(forest, parse(query))
        assert match is not None
        assert match.hits == hits
    rest = search(forest, parse("leaf:NO"))
    assert rest is not None
    assert rest.hits == {id(node) for node in forest.order} - leaves


@pytest.mark.parametrize("query", ["since:3", "until:2mo task", "leaf:maybe", "is:red", "since:2M"])
def test_what_is_no_question_fits_nothing_and_says_so(query: str) -> None:
    selection = parse(query)
    assert selection.problem.startswith(query.split()[0])
    match = search(forked(), selection)
    assert match is not None
    assert match.hits == set()


def test_damaged_is_what_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, document(crew(task())), ident(1), ident(9))  # its parent is missing
    write(tmp_path, b'{"entities": [', ident(2))
    os.utime(tmp_path / "main" / f"{ident(2)}_p-none.json", (1, 1))
    with open_catalog(str(tmp_path)) as catalog:
        assert ids(choose(catalog, exact(status="damaged"))) == [ident(2)]
        assert ids(choose(catalog, parse("status:damaged"))) == [ident(2)]
        assert ids(choose(catalog, parse("status:parent-missing"))) == [ident(1)]
        assert ids(choose(catalog, exact(status="stopped"))) == [ident(1)]


def test_options_are_exact_where_words_are_not(tmp_path: Path) -> None:
    with open_catalog(str(small_store(tmp_path))) as catalog:
        assert ids(choose(catalog, exact(branch="exp/hot soup"))) == [ident(4)]
        assert ids(choose(catalog, parse('branch:"hot soup"'))) == [ident(5), ident(4)]
        assert choose(catalog, exact(branch="Main")) == []
        assert choose(catalog, exact(trigger="task_complete")) == []
        assert len(choose(catalog, exact(trigger="task_completed", kind="crew"))) == 5
        assert choose(catalog, exact(kind="flow")) == []


def test_several_values_are_alternatives_and_options_add_up(tmp_path: Path) -> None:
    selection = exact(status="finished")
    selection.exact["branch"] = frozenset(["main", "exp/hot soup"])
    with open_catalog(str(small_store(tmp_path))) as catalog:
        assert ids(choose(catalog, selection)) == [ident(3)]


def test_the_newest_are_found_with_as_few_documents(tmp_path: Path) -> None:
    for number in range(1, 31):
        parent = ident(number - 1) if number > 1 else None
        write(tmp_path, document(crew(task()), parent=parent), ident(number), parent)
    store = Counting(tmp_path)
    assert ids(choose(Catalog(store), Selection(), 2)) == [ident(30), ident(29)]
    assert store.read == [ident(30), ident(29)]
    store = Counting(tmp_path)
    assert ids(choose(Catalog(store), parse("is:leaf"))) == [ident(30)]
    # the first has no parent in its name: its document is asked
    assert sorted(store.read) == [ident(1), ident(30)]
    store = Counting(tmp_path)
    selection = parse("since:2026-11-29T17:00:10Z until:2026-11-29T17:00:11Z")
    assert ids(choose(Catalog(store), selection)) == [ident(11), ident(10)]
    assert sorted(store.read) == [ident(10), ident(11)]


def test_descendants_hang_on_a_checkpoint_over_all_branches(tmp_path: Path) -> None:
    catalog = Catalog(JsonDirStore(str(small_store(tmp_path))))
    selection = Selection()
    selection.below = keys_below(find_in(catalog, ident(1)))
    assert ids(choose(catalog, selection)) == [ident(n) for n in (5, 4, 3, 2)]
    selection.leaf = True
    assert ids(choose(catalog, selection)) == [ident(5), ident(3)]
    selection.below = keys_below(find_in(catalog, ident(5)))
    assert choose(catalog, selection) == []


def test_what_lies_on_a_branch_and_says_another_is_not_of_it(tmp_path: Path) -> None:
    write(tmp_path, document(crew(task())), ident(1))
    write(tmp_path, document(crew(task()), branch="other"), ident(2))
    write(tmp_path, document(crew(task()), branch="renamed"), ident(3), None, "new name")
    (tmp_path / "copy.json").write_bytes(
        (tmp_path / "main" / f"{ident(1)}_p-none.json").read_bytes()
    )
    store = Counting(tmp_path)
    catalog = Catalog(store)
    assert ids(choose(catalog, exact(branch="main"), 2)) == [ident(1), "copy"]
    assert ident(3) not in store.read
    # no checkpoint lies on such a branch: the documents are asked
    assert ids(choose(Catalog(store), exact(branch="renamed"))) == [ident(3)]
    assert ids(choose(Catalog(store), exact(branch="new name"))) == []
    assert find_in(Catalog(store), "renamed").checkpoint.id == ident(3)


def test_a_parent_that_only_the_document_names_counts(tmp_path: Path) -> None:
    write(tmp_path, document(crew(task())), ident(1))
    write(tmp_path, document(crew(task()), parent=ident(1)), ident(2))
    assert ids(choose(open_catalog(str(tmp_path)), parse("is:leaf"))) == [ident(2)]
    assert find_in(open_catalog(str(tmp_path)), f"{ident(2)}~1").checkpoint.id == ident(1)


@pytest.mark.parametrize(
    "query",
    ["soup", "status:finished", "is:leaf branch:exp", "task since:2026-11-29T17:00:04Z", "x"],
)
def test_the_app_and_the_commands_find_the_same(tmp_path: Path, query: str) -> None:
    with open_catalog(str(small_store(tmp_path))) as catalog:
        chosen = ids(choose(catalog, parse(query, NOW)))
        catalog.read_summaries()
        match = search(catalog.forest, parse(query, NOW))
        assert match is not None
        order = reversed(catalog.forest.order)
        assert chosen == [node.checkpoint.id for node in order if id(node) in match.hits]


def test_sorting_keeps_equals_in_order_and_the_unknown_last(tmp_path: Path) -> None:
    write(tmp_path, document(crew(task(), name="b")), ident(1))
    write(tmp_path, document(crew(task(), name="B")), ident(2))
    write(tmp_path, document(crew(task("x", output="y"), name="a")), ident(3))
    write(tmp_path, document(flow("m", name=None)), ident(4))
    with open_catalog(str(tmp_path)) as catalog:
        newest = choose(catalog, Selection())
        assert ids(newest) == [ident(n) for n in (4, 3, 2, 1)]

        def order(sort: str | None, reverse: bool = False) -> list[int]:
            return [int(one.id[-8:], 16) for one in in_order(newest, sort, reverse)]

        assert order(None, True) == [1, 2, 3, 4]
        assert order("name") == [3, 2, 1, 4]
        assert order("name", True) == [2, 1, 3, 4]
        assert order("created") == [4, 3, 2, 1]
        assert order("id") == [1, 2, 3, 4]
        assert order("status") == [3, 4, 2, 1]  # finished, then stopped
        assert order("done") == [4, 3, 2, 1]


def test_a_run_is_wanted_for_any_of_its_parts(tmp_path: Path) -> None:
    small_store(tmp_path)
    write(tmp_path, document(crew(task(), checkpoint_kickoff_event_id="k2")), ident(9))

    def chosen(selection: Selection, limit: int | None = None) -> list[str]:
        with open_catalog(str(tmp_path)) as catalog:
            runs = choose_runs(catalog, selection, limit)
            return [run.nodes[0].checkpoint.id for run in runs]

    assert chosen(Selection()) == [ident(9), ident(1)]
    assert chosen(Selection(), 1) == [ident(9)]
    assert chosen(exact(branch="exp/hot soup")) == [ident(1)]
    assert chosen(exact(status="finished")) == [ident(1)]
    # the fork has stopped; the run's own first checkpoint is no status of a run
    assert chosen(exact(status="stopped", branch="main")) == [ident(9)]
    assert chosen(exact(status="stopped", branch="exp/hot soup")) == [ident(1)]
    assert chosen(exact(status="damaged")) == []


def test_unread_checkpoints_do_not_fit_what_asks_for_more() -> None:
    match = search(chain(5, read=False), parse("kind:crew"))
    assert match is not None
    assert match.hits == set()
