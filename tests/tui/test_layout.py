"""Columns and wrapped lines."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from crewcheck.model.harmless import harmless
from crewcheck.tui import layout
from crewcheck.tui.layout import (
    Body,
    Cell,
    Line,
    Meter,
    Table,
    columns,
    cut,
    fit,
    pad,
    paint_json,
    paint_prose,
    text_of,
    wrap,
)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ODD = ["a", "b", " ", "日", "é", "e\u0301", FAMILY, "ع", "🇩🇪", "☎️", "[", "\u202e", "\ud800"]
texts = st.lists(st.sampled_from(ODD) | st.characters(), max_size=60).map(
    lambda parts: harmless("".join(parts)).replace("\n", "").replace("\t", " ")
)


@given(texts, st.integers(1, 60))
def test_wrapped_lines_fit_and_lose_nothing_but_blanks(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert lines
    for line in lines:
        assert cell_len(line) <= max(width, 2)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(st.lists(st.tuples(texts, st.integers(0, 12), st.booleans(), st.integers(0, 3)), min_size=1,
                max_size=6), st.integers(1, 100))  # fmt: skip
def test_columns_are_as_wide_as_they_are_told(
    cells: list[tuple[str, int, bool, int]], width: int
) -> None:
    row = [Cell(text, "", wide, right, rank) for text, wide, right, rank in cells]
    line = text_of(columns(row, width))
    has_flexible = any(not cell.width for cell in row)
    assert cell_len(line) <= width
    if has_flexible and len(row) == 1:
        assert cell_len(line) == width


@given(texts, st.integers(0, 40))
def test_cut_and_pad(text: str, width: int) -> None:
    assert cell_len(cut(text, width)) <= width
    if width:
        assert cell_len(pad(text, width)) == width
        assert cell_len(text_of(fit([(text, ""), ("x", "")], width))) == width


def test_cells_of_high_rank_go_first() -> None:
    row = (Cell("name", least=10), Cell("tokens", width=8, rank=2), Cell("took", width=6, rank=1))
    assert text_of(columns(row, 40)).split() == ["name", "tokens", "took"]
    assert text_of(columns(row, 18)).split() == ["name", "took"]
    assert text_of(columns(row, 12)).split() == ["name"]


def test_words_are_kept_whole() -> None:
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]
    assert wrap("    indented code that is long", 14) == ["    indented", "code that is", "long"]
    assert wrap("日本語の長い文", 6) == ["日本語", "の長い", "文"]
    assert wrap("", 5) == [""]


def test_a_label_keeps_its_value_beside_it() -> None:
    line = Line(
        [("Location     ", "label"), ("/a/very/long/path/to/a/checkpoint.json", "")], hang=13
    )
    shown = [text_of(pieces) for pieces in line.lines(30)]
    assert shown[0] == "Location     /a/very/long/path"
    assert shown[1].startswith(" " * 13 + "/to")


@given(st.lists(st.tuples(texts, st.just("")), max_size=4), st.integers(1, 50), st.integers(0, 20))
def test_lines_lose_nothing(pieces: list[tuple[str, str]], width: int, hang: int) -> None:
    shown = "".join(text_of(line) for line in Line(pieces, hang).lines(width))
    assert shown.replace(" ", "") == text_of(pieces).replace(" ", "")


@given(st.text(max_size=300), st.integers(1, 40))
def test_bodies_show_any_text(text: str, width: int) -> None:
    for line in Body(text).lines(width):
        shown = text_of(line)
        assert cell_len(shown) <= max(width, 2)
        assert "\x1b" not in shown
        assert "\n" not in shown


def test_of_a_huge_line_only_a_part_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0

    def counted(text: str) -> str:
        nonlocal seen
        seen += len(text)
        return harmless(text)

    monkeypatch.setattr(layout, "harmless", counted)
    first = list(islice(Body("x" * 2_000_000).lines(80), 40))
    assert [text_of(line) for line in first] == ["x" * 80] * 40
    assert seen <= 2 * layout.CHUNK


def test_parts_of_a_huge_line_join_without_a_seam() -> None:
    text = "word " * 20_000
    lines = [text_of(line) for line in Body(text).lines(50)]
    assert all(len(line) == 49 for line in lines[:-1])
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_meters_fit_any_width() -> None:
    for count in (1, 4, 20, 40):
        for width in (1, 8, 20, 60, 200):
            meter = Meter([("━", "ok")] * count, f"2 of {count} tasks")
            for line in meter.lines(width):
                assert len(text_of(line)) <= max(width, len(meter.label))


def test_tables_are_not_wider_than_can_be_read() -> None:
    (line,) = Table([(Cell("a"), Cell("b", width=3))]).lines(300)
    assert len(text_of(line)) == layout.MEASURE


def lines_of(block: Body | Line, width: int) -> list[str]:
    return [text_of(line) for line in block.lines(width)]


def test_an_indented_line_goes_on_indented() -> None:
    assert lines_of(Line([("  nothing is here yet", "")]), 12) == ["  nothing is", "  here yet"]
    assert lines_of(Line([("- one two three", "")], hang=2), 10) == ["- one two", "  three"]


def test_json_goes_on_below_its_key() -> None:
    text = '{\n  "id": "0123456789",\n  "n": 1\n}'
    assert lines_of(Body(text, "", 0, paint_json), 14) == [
        "{", '  "id":', '    "012345678', '    9",', '  "n": 1', "}",
    ]  # fmt: skip


def test_an_item_goes_on_below_its_words() -> None:
    text = "- one two three\n  1. four five six\n    code that is long\nplain words go on"
    assert lines_of(Body(text, "", 0, paint_prose), 13) == [
        "- one two", "  three", "  1. four", "     five six", "    code that", "    is long",
        "plain words", "go on",
    ]  # fmt: skip


def test_parts_of_a_huge_indented_line_join_without_a_seam() -> None:
    text = "- " + "word " * 20_000
    lines = lines_of(Body(text, "", 0, paint_prose), 52)
    assert lines[0] == "- " + " ".join(["word"] * 10)
    assert {line[:2] for line in lines[1:-1]} == {"  "}
    assert all(len(line) == 51 for line in lines[:-1])
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_cell_has_what_it_needs_before_others_get_more() -> None:
    row = [Cell("a" * 18, least=18, most=18), Cell("b" * 40), Cell("c" * 40)]
    shown = text_of(columns(row, 42, gap=2))
    assert shown.split() == ["a" * 18, "bbbbbbbbb…", "ccccccccc…"]
    assert len(shown) == 42
