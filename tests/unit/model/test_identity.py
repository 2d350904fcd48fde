"""Which task is which: never a guess."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crewcheck.model.identity import (
    Pair,
    Traits,
    agent_traits,
    fill,
    longest_rising,
    match,
    task_traits,
)
from tests import build


def made(*names: str, start: int = 0) -> list[Traits]:
    """Tasks as another process builds them: new ids, the same names and texts."""
    return [Traits(f"id-{start + at}", one, f"Do {one}", "Cook") for at, one in enumerate(names)]


def told(old: list[Traits], new: list[Traits]) -> list[tuple[int | None, int | None, str]]:
    return [(one.old, one.new, one.rule + " moved" * one.moved) for one in match(old, new)]


def test_by_id_whatever_else_has_changed() -> None:
    old = [Traits("1", "a", "x", "Cook"), Traits("2", "b", "y", "Cook")]
    new = [Traits("1", "z", "other", "Waiter"), Traits("2", "b", "y", "Cook")]
    assert told(old, new) == [(0, 0, "id"), (1, 1, "id")]


def test_inserted_at_the_front() -> None:
    assert told(made("a", "b"), made("new", "a", "b", start=10)) == [
        (None, 0, ""),
        (0, 1, "name"),
        (1, 2, "name"),
    ]


def test_removed_ones_stand_where_they_stood() -> None:
    assert told(made("a", "b", "c"), made("b", start=10)) == [
        (0, None, ""),
        (1, 0, "name"),
        (2, None, ""),
    ]
    assert told(made("a"), []) == [(0, None, "")]


def test_reordered() -> None:
    assert told(made("a", "b", "c"), made("c", "a", "b", start=10)) == [
        (2, 0, "name moved"),
        (0, 1, "name"),
        (1, 2, "name"),
    ]


def test_without_names_by_text_and_agent() -> None:
    old = [Traits(None, None, "x", "Cook"), Traits(None, None, "x", "Waiter")]
    new = [Traits(None, None, "x", "Waiter"), Traits(None, None, "x", "Cook")]
    assert told(old, new) == [(1, 0, "text"), (0, 1, "text moved")]


def test_identical_tasks_pair_up_in_order() -> None:
    same = Traits(None, None, "x", "Cook")
    assert told([same, same], [same, same]) == [(0, 0, "text"), (1, 1, "text")]
    assert told([same, same], [same, same, same]) == [
        (0, 0, "text"),
        (1, 1, "text"),
        (None, 2, ""),
    ]


def test_one_name_for_several_is_told_by_their_texts() -> None:
    old = [Traits(None, "a", "x", "Cook"), Traits(None, "a", "y", "Cook")]
    new = [Traits(None, "a", "y", "Cook")]
    assert told(old, new) == [(0, None, ""), (1, 0, "name")]
    neither = [Traits(None, "a", "z", "Cook")]
    assert told(old, neither) == [(0, None, ""), (1, None, ""), (None, 0, "")]


def test_given_to_another_agent_or_renamed() -> None:
    old = [Traits(None, None, "x", "Cook"), Traits(None, "b", "y", "Cook")]
    new = [Traits(None, None, "x", "Waiter"), Traits(None, "c", "y", "Cook")]
    assert told(old, new) == [(0, 0, "text"), (1, 1, "text")]


def test_position_only_where_nothing_speaks_against_it() -> None:
    old, new = [Traits(None, None, "x", "Cook")], [Traits(None, None, "rewritten", "Cook")]
    assert told(old, new) == [(0, 0, "position")]
    unmatched = [(0, None, ""), (None, 0, "")]
    assert told(old, [Traits(None, None, "rewritten", "Waiter")]) == unmatched
    named = [Traits(None, "a", "x", "Cook")]
    assert told(named, [Traits(None, "b", "rewritten", "Cook")]) == unmatched
    # ids last here, and this is another one
    lasting = [Traits("1", None, "x", "Cook"), Traits("2", None, "y", "Cook")]
    other = [Traits("3", None, "z", "Cook"), Traits("2", None, "y", "Cook")]
    assert told(lasting, other) == [(0, None, ""), (None, 0, ""), (1, 1, "id")]
    # others have moved
    swapped = [*made("a", "b"), Traits(None, None, "x", "Cook")]
    after = [*made("b", "a", start=10), Traits(None, None, "y", "Cook")]
    assert (None, 2, "") in told(swapped, after)


def test_traits_are_read_from_documents() -> None:
    assert task_traits(build.task("outline")) == Traits(
        "task-outline", "outline", "Write an outline about {topic}", "Writer"
    )
    bare = build.task("", description="Text") | {
        "checkpoint_original_description": None, "agent": [1],
    }  # fmt: skip
    assert task_traits(bare) == Traits("task-", None, "Text", None)
    assert agent_traits(build.agent("Cook")) == Traits("agent-Cook", None, "Cook", "agent")


def test_a_template_is_filled_as_crewai_does() -> None:
    assert fill("{a} {b} {c}", {"a": 1, "b": "{c}"}) == "1 {c} {c}"
    # one name after the other, so a value may name an input too
    assert fill("{a}{b-c}{ d }", {"a": "{b-c}", "b-c": 1}) == "11{ d }"


def test_longest_rising() -> None:
    assert longest_rising([3, 1, 2, 5, 4]) == [1, 2, 4]
    assert longest_rising([]) == []


TRAITS = st.builds(
    Traits,
    *(st.one_of(st.none(), st.sampled_from("ab")) for _ in range(4)),
)


@given(st.lists(TRAITS, max_size=6), st.lists(TRAITS, max_size=6))
def test_each_item_is_there_once(old: list[Traits], new: list[Traits]) -> None:
    pairs = match(old, new)
    assert sorted(one.old for one in pairs if one.old is not None) == list(range(len(old)))
    assert [one.new for one in pairs if one.new is not None] == list(range(len(new)))
    assert all((one.rule != "") == (one.old is not None and one.new is not None) for one in pairs)


@given(st.lists(TRAITS, max_size=6))
def test_a_list_matches_itself(items: list[Traits]) -> None:
    assert [(one.old, one.new, one.moved) for one in match(items, items)] == [
        (at, at, False) for at in range(len(items))
    ]


def test_pairs_are_values() -> None:
    assert Pair(1, 2) == Pair(1, 2, "", False)
