"""The rows of the tree, without a screen."""

from __future__ import annotations

import random

from crewcheck.engine.selection import parse, search
from crewcheck.lineage import build
from crewcheck.tui.rows import Folding, Rows, key_of
from tests.tui.forests import chain, checkpoint, forked


def drawing(rows: Rows) -> list[str]:
    """Each row as its guides and what it is."""
    lines = []
    for view, node in rows.list:
        if node is None:
            lines.append(f"{view.head}[{view.segment.branch}]")
        else:
            elbow = "└╴" if node is view.oldest else "├╴"
            lines.append(f"{view.body}{elbow}{int(node.checkpoint.id[2:])}")
    return lines


def everything() -> Rows:
    rows = Rows(forked())
    rows.unfold_all()
    return rows


def test_newest_first_and_forks_under_their_point() -> None:
    assert drawing(everything()) == [
        "[main]",
        "├╴21",
        "└╴20",
        "[main]",
        "├╴4",
        "├╴3",
        "├╴2",
        "│ └╴[exp]",
        "│   ├╴6",
        "│   └╴5",
        "│     └╴[deep]",
        "│       └╴7",
        "└╴1",
    ]


def test_only_the_newest_run_is_unfolded_at_first() -> None:
    assert drawing(Rows(forked())) == ["[main]", "├╴21", "└╴20", "[main]"]


def test_a_run_is_as_new_as_its_newest_fork() -> None:
    old = [checkpoint(1), checkpoint(2, 1)]
    young = [checkpoint(3), checkpoint(4, 3)]
    rows = Rows(build([*old, *young, checkpoint(5, 1, "again")]))
    assert drawing(rows)[:3] == ["[main]", "├╴2", "└╴1"]


def test_folding_and_unfolding_splice() -> None:
    rows = everything()
    whole = drawing(rows)
    at = whole.index("│ └╴[exp]")
    assert rows.fold(at) == 4
    assert rows.fold(at) == 0
    assert drawing(rows) == whole[: at + 1] + whole[at + 5 :]
    assert rows.unfold(at) == 4
    assert drawing(rows) == whole
    assert rows.unfold(1) == rows.fold(1) == 0


def test_any_order_of_folding_gives_what_a_fresh_build_gives() -> None:
    choose = random.Random(7)
    forest, folding = forked(), Folding()
    rows = Rows(forest, folding)
    for _ in range(300):
        at = choose.randrange(len(rows))
        (rows.fold if choose.random() < 0.5 else rows.unfold)(at)
        assert drawing(rows) == drawing(Rows(forest, folding))


def test_parents_lead_to_the_root() -> None:
    rows = everything()
    at: int | None = drawing(rows).index("│       └╴7")
    path = []
    while at is not None:
        path.append(drawing(rows)[at].strip("│├└╴ "))
        at = rows.parent(at)
    assert path == ["7", "[deep]", "5", "[exp]", "2", "[main]"]


def test_a_hidden_row_is_found_by_unfolding_what_hides_it() -> None:
    rows = Rows(forked())
    assert rows.find(("checkpoint", "deep/7")) is None
    at = rows.reveal(("checkpoint", "deep/7"))
    assert at is not None
    assert key_of(rows.list[at]) == ("checkpoint", "deep/7")
    assert rows.reveal(("checkpoint", "no such")) is None


def test_what_a_person_folds_stays_folded_over_a_refresh() -> None:
    folding = Folding()
    rows = Rows(forked(), folding)
    rows.fold(0)
    again = Rows(forked(), folding)
    assert drawing(again) == ["[main]", "[main]"]


def test_a_new_run_is_unfolded_when_it_comes() -> None:
    folding = Folding()
    Rows(build([checkpoint(1)]), folding).fold(0)
    rows = Rows(build([checkpoint(1), checkpoint(9)]), folding)
    assert drawing(rows) == ["[main]", "└╴9", "[main]"]


def test_a_filter_keeps_the_points_that_its_hits_hang_on() -> None:
    forest = forked()
    match = search(forest, parse("branch:deep"))
    assert match is not None
    rows = Rows(forest, Folding(), match.shown)
    assert drawing(rows) == [
        "[main]",
        "└╴2",
        "  └╴[exp]",
        "    └╴5",
        "      └╴[deep]",
        "        └╴7",
    ]
    assert len(match.hits) == 1


def test_forks_of_forks_without_end() -> None:
    made = [checkpoint(0)] + [checkpoint(at, at - 1, f"b{at}") for at in range(1, 3000)]
    rows = Rows(build(made))
    rows.unfold_all()
    assert len(rows) == 6000
    assert max(len(view.body) for view, _ in rows.list) <= 16
    rows.fold_all()
    assert len(rows) == 1


def test_a_long_run_is_a_flat_list() -> None:
    rows = Rows(chain(100_000))
    assert len(rows) == 100_001
    assert rows.fold(0) == 100_000
