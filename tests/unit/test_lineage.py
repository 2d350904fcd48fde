from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from crewcheck.lineage import build
from crewcheck.model.scan import Checkpoint, Header, Summary


def one(
    id: str,
    parent: str | None = None,
    branch: str = "main",
    at: int = 0,
    stamp: int = 0,
    key: str | None = None,
    known: bool = True,
    run_key: str | None = None,
    size: int | None = None,
) -> Checkpoint:
    summary = Summary(run_key=run_key) if run_key else None
    return Checkpoint(
        Header(
            key=key or id,
            id=id,
            location=id,
            parent_id=parent,
            branch=branch,
            created_at=f"2026-01-01T00:00:{at:02}Z",
            stamp=stamp,
            size=size,
            lineage_known=known,
        ),
        summary,
    )


def ids(checkpoints: list[Checkpoint]) -> list[str]:
    return [node.checkpoint.id for node in build(checkpoints).order]


def test_a_child_comes_after_its_parent_whatever_the_clock_says() -> None:
    assert ids([one("a", at=9), one("b", "a", at=1), one("c", "b", at=5)]) == ["a", "b", "c"]


def test_ties_go_by_time_then_stamp_then_id() -> None:
    listed = [one("d", at=2), one("c", at=1, stamp=2), one("b", at=1, stamp=1), one("a", at=1)]
    assert ids(listed) == ["a", "b", "c", "d"]


def test_siblings_of_one_second_go_by_what_they_hold() -> None:
    """Those of a flow's end, as CrewAI 1.15.30 wrote them: the end was on the disk first."""
    end, before = one("a", "p", stamp=388161, size=295568), one("b", "p", stamp=388499, size=293153)
    assert ids([one("p", at=0), end, before]) == ["p", "b", "a"]
    # not those of another branch, parent or second
    for other in (
        one("b", "p", "x", stamp=388499, size=293153),
        one("b", "q", stamp=388499, size=293153),
        one("b", "p", at=1, size=293153),
        one("b", "p", stamp=388499),
    ):
        assert ids([one("p", at=0), end, other])[-2:] == ["a", "b"]


def test_twins_come_in_the_order_of_their_keys_not_in_that_of_the_folder() -> None:
    twins = [one("a", key="x/a"), one("a", key="main/a"), one("a", key="y/a")]
    for listed in (twins, twins[::-1]):
        keys = [node.checkpoint.key for node in build(listed).order]
        assert keys == ["main/a", "x/a", "y/a"]


def test_siblings_of_one_branch_are_no_fork() -> None:
    forest = build([one("a"), one("b", "a", at=1), one("c", "a", at=1, stamp=1)])
    assert [len(segment.nodes) for segment in forest.segments()] == [3]
    assert [child.checkpoint.id for child in forest.order[0].children] == ["b", "c"]


def test_forks_nest_and_two_of_one_name_share_a_segment() -> None:
    forest = build(
        [
            one("a"),
            one("b", "a", "x", at=1),
            one("c", "a", "x", at=2),
            one("d", "b", "x/y", at=3),
            one("e", "a", at=4),
        ]
    )
    found = {s.branch: [n.checkpoint.id for n in s.nodes] for s in forest.segments()}
    assert found == {"main": ["a", "e"], "x": ["b", "c"], "x/y": ["d"]}
    assert len(forest.runs) == 1
    fork = forest.runs[0].forks[0]
    assert fork.fork_point is not None
    assert fork.fork_point.checkpoint.id == "a"
    assert [inner.branch for inner in fork.forks] == ["x/y"]


def test_a_missing_parent_makes_a_root_that_says_so() -> None:
    forest = build([one("b", "gone", "x"), one("c", "b", "x", at=1)])
    assert [run.branch for run in forest.runs] == ["x"]
    assert forest.order[0].missing_parent == "gone"
    assert forest.order[1].missing_parent is None


def test_a_cycle_is_cut_at_its_earliest_and_all_of_it_is_shown() -> None:
    forest = build([one("a", "c", at=1), one("b", "a", at=2), one("c", "b", at=3)])
    assert [node.checkpoint.id for node in forest.order] == ["a", "b", "c"]
    assert [node.cut for node in forest.order] == [True, False, False]


def test_a_checkpoint_that_is_its_own_parent() -> None:
    forest = build([one("a", "a")])
    assert [node.cut for node in forest.order] == [True]


def test_one_id_twice_is_two_checkpoints_and_the_child_goes_to_its_branch() -> None:
    forest = build(
        [
            one("a", branch="main", key="1"),
            one("a", branch="x", key="2"),
            one("b", "a", "x", at=1),
        ]
    )
    assert len(forest.order) == 3
    assert forest.by_key["b"].parent is forest.by_key["2"]


def test_without_parents_time_orders_each_run() -> None:
    """CrewAI 1.14.1 records no parents."""
    listed = [
        one("c", at=3, known=False, run_key="first"),
        one("a", at=1, known=False, run_key="first"),
        one("b", at=2, known=False, run_key="second"),
    ]
    forest = build(listed)
    runs = [[node.checkpoint.id for node in run.nodes] for run in forest.runs]
    assert runs == [["a", "c"], ["b"]]


def test_roots_of_one_kickoff_are_one_run() -> None:
    """CrewAI's race loses the parent of some checkpoints."""
    forest = build([one("a", at=1, run_key="k"), one("b", at=2, run_key="k"), one("c", at=3)])
    runs = [[node.checkpoint.id for node in run.nodes] for run in forest.runs]
    assert runs == [["a", "b"], ["c"]]


def test_siblings_whose_parent_was_pruned_are_one_run() -> None:
    pruned = [one("b", "gone", at=1, run_key="k"), one("c", "gone", at=2, run_key="k")]
    forest = build([*pruned, one("x", "gone", "other", at=3, run_key="k")])
    runs = [[node.checkpoint.id for node in run.nodes] for run in forest.runs]
    assert runs == [["b", "c"], ["x"]]


def test_a_question_to_the_same_agent_is_a_run_of_its_own() -> None:
    first, second = one("a", at=1, run_key="agent"), one("b", at=2, run_key="agent")
    for asked in (first, second):
        assert asked.summary is not None
        asked.summary.trigger = "lite_agent_execution_started"
    answered = one("c", at=3, run_key="agent")
    runs = [
        [node.checkpoint.id for node in run.nodes] for run in build([first, second, answered]).runs
    ]
    assert runs == [["a"], ["b", "c"]]


names = st.sampled_from([*"abcdefgh", "latest", "x/y"])
headers = st.lists(
    st.tuples(names, st.none() | names, st.sampled_from(["main", "x", "x/y"]), st.integers(0, 3)),
    max_size=24,
)


@given(headers)
def test_any_forest_has_each_checkpoint_once_in_topological_order(
    made: list[tuple[str, str | None, str, int]],
) -> None:
    listed = [
        one(id, parent, branch, at, key=str(place))
        for place, (id, parent, branch, at) in enumerate(made)
    ]
    forest = build(listed)
    assert sorted(str(node.checkpoint.key) for node in forest.order) == sorted(
        str(place) for place in range(len(made))
    )
    for node in forest.order:
        assert node.parent is None or node.parent.number < node.number
    in_segments = [id(node) for segment in forest.segments() for node in segment.nodes]
    assert sorted(in_segments) == sorted(id(node) for node in forest.order)


def test_a_long_chain_needs_no_recursion() -> None:
    listed = [one(f"{n:06}", f"{n - 1:06}" if n else None) for n in range(20_000)]
    random.Random(1).shuffle(listed)
    assert ids(listed) == [f"{n:06}" for n in range(20_000)]


def test_forks_of_forks_of_any_depth() -> None:
    listed = [one(f"{n:06}", f"{n - 1:06}" if n else None, branch=f"b{n}") for n in range(5_000)]
    forest = build(listed)
    assert sum(1 for _ in forest.segments()) == 5_000
