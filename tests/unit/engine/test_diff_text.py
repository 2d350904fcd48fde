"""Where texts differ, and that long ones take no longer than they must."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crewcheck.engine.diff_rows import Row, hunks, rows
from crewcheck.engine.diff_text import (
    GONE,
    LINES,
    NEW,
    SAME,
    WORDS,
    Part,
    TextDiff,
    compare_texts,
    show_blanks,
)


def told(old: str, new: str, by: str = WORDS) -> str:
    """``the [-old-]{+new+} text``."""
    signs = {SAME: "{}", GONE: "[-{}-]", NEW: "{{+{}+}}"}
    return "".join(signs[op].format(text) for op, text in compare_texts(old, new, by).parts)


def sides(found: TextDiff) -> tuple[str, str]:
    return (
        "".join(text for op, text in found.parts if op != NEW),
        "".join(text for op, text in found.parts if op != GONE),
    )


def test_words() -> None:
    assert told("Peel the pears", "Peel the apples") == "Peel the [-pears-]{+apples+}"
    assert told("a b c d", "a c d") == "a [-b -]c d"
    assert told("one two", "one two three") == "one [-two-]{+two three+}"
    assert told("", "new") == "{+new+}"
    assert told("gone", "") == "[-gone-]"
    assert told("same", "same") == "same"
    assert compare_texts("", "").parts == []


def test_what_has_little_in_common_is_replaced() -> None:
    assert told("a rose by any other name", "it was the best of any times") == (
        "[-a rose by any other name-]{+it was the best of any times+}"
    )


def test_lines() -> None:
    old, new = "a\nb c\nd\n", "a\nb x\nd\n"
    assert told(old, new, LINES) == "a\n[-b c\n-]{+b x\n+}d\n"
    assert told(old, new) == "a\nb [-c-]{+x+}\nd\n"


def test_a_change_behind_six_hundred_equal_characters() -> None:
    head = "word " * 120
    assert told(head + "left.", head + "right.") == f"{head}[-left.-]{{+right.+}}"


def test_blanks_only() -> None:
    found = compare_texts("a b\n", "a  b\n")
    assert found.blanks_only
    assert not compare_texts("a b", "a c").blanks_only
    assert not compare_texts("ab", "a b").blanks_only
    assert show_blanks(found.parts) == [Part(SAME, "a "), Part(NEW, "·"), Part(SAME, "b\n")]
    ends = compare_texts("a", "a\n")
    assert "".join(text for _, text in show_blanks(ends.parts, unicode=False)).endswith("\\n\n")


def test_counts() -> None:
    found = compare_texts("Peel the pears", "Peel the big apples")
    assert (found.gone, found.new) == (5, 10)


TEXT = st.text("ab \n.", max_size=40)


@given(TEXT, TEXT, st.sampled_from([WORDS, LINES]))
@example("a\n\n", "\n", LINES)
def test_the_parts_make_both_texts(old: str, new: str, by: str) -> None:
    found = compare_texts(old, new, by)
    assert sides(found) == (old, new)
    assert all(one.op != other.op for one, other in zip(found.parts, found.parts[1:], strict=False))
    assert all(text for _, text in found.parts)


@given(TEXT, TEXT, st.sampled_from([WORDS, LINES]))
def test_rows_have_every_line_of_both(old: str, new: str, by: str) -> None:
    made = rows(compare_texts(old, new, by).parts)

    def lines(side: str) -> list[str]:
        found = [getattr(row, side) for row in made]
        return ["".join(text for _, text in line) for line in found if line is not None]

    assert lines("old") == old.removesuffix("\n").split("\n")[: None if old else 0]
    assert lines("new") == new.removesuffix("\n").split("\n")[: None if new else 0]
    number = 1
    for row in made:
        assert row.number == number
        number += row.old is not None
        if not row.changed:
            assert row.old == row.new


@given(TEXT, TEXT, st.integers(0, 2), st.sampled_from([WORDS, LINES]))
def test_context_leaves_out_nothing_that_changed(old: str, new: str, context: int, by: str) -> None:
    parts = compare_texts(old, new, by).parts
    made = rows(parts)
    near = [
        row
        for at, row in enumerate(made)
        if any(one.changed for one in made[max(0, at - context) : at + context + 1])
    ]
    assert rows(parts, context) == near


def plain(row: Row) -> tuple[str | None, str | None]:
    def text(line: list[Part] | None) -> str | None:
        return None if line is None else "".join(one.text for one in line)

    return text(row.old), text(row.new)


def test_rows_stand_side_by_side() -> None:
    parts = compare_texts("a\nb\nc\nd\n", "a\nx\ny\nz\nd\n", LINES).parts
    assert [plain(row) for row in rows(parts)] == [
        ("a", "a"), ("b", "x"), ("c", "y"), (None, "z"), ("d", "d"),
    ]  # fmt: skip
    inserted = compare_texts("a\nd\n", "a\nnew\nd\n").parts
    assert [plain(row) for row in rows(inserted)] == [("a", "a"), (None, "new"), ("d", "d")]


def test_a_missing_last_line_end_is_a_change() -> None:
    made = rows(compare_texts("a\nb", "a\nb\n").parts)
    assert [(row.changed, *plain(row)) for row in made] == [(False, "a", "a"), (True, "b", "b")]


def test_hunks_are_numbered() -> None:
    old = "".join(f"{n}\n" for n in range(1, 101))
    new = old.replace("\n20\n", "\ntwenty\n").replace("\n80\n", "\n")
    groups = hunks(rows(compare_texts(old, new, LINES).parts, 2))
    assert [(group[0].number, group[0].other, len(group)) for group in groups] == [
        (18, 18, 5),
        (78, 78, 5),
    ]
    assert plain(groups[1][2]) == ("80", None)


LONG = [
    ("lines", "".join(f"line {n} of many\n" for n in range(30_000))),
    ("one line", "".join(f"word{n} and " for n in range(40_000))),
    ("all the same", "the same again\n" * 40_000),
    ("no blanks", "x" * 3_000_000),
]


@pytest.mark.parametrize(("name", "text"), LONG, ids=[name for name, _ in LONG])
def test_long_texts(name: str, text: str) -> None:
    middle = len(text) // 2
    new = "First " + text[:middle] + " CHANGED " + text[middle:] + " last"
    found = compare_texts(text, new)
    assert sides(found) == (text, new)
    if name != "no blanks":
        assert found.new < 200
        assert any("CHANGED" in part.text for part in found.parts if part.op == NEW)


def test_texts_that_have_nothing_in_common_are_long_no_more() -> None:
    old = " ".join(f"a{n}" for n in range(30_000))
    new = " ".join(f"b{n}" for n in range(30_000))
    found = compare_texts(old, new)
    assert [part.op for part in found.parts] == [GONE, NEW]
    assert (found.gone, found.new) == (len(old), len(new))
