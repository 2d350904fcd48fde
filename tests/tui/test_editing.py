"""Edits: marked, undone, kept apart, typed; secrets are not written back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from crewcheck.model.edits import Edits
from crewcheck.tui import typed
from crewcheck.tui.edit_book import EditBook, identity_of
from crewcheck.tui.glyphs import ASCII
from crewcheck.tui.screens.dialogs import AskScreen, TypeScreen
from crewcheck.tui.screens.edit import EditScreen
from tests import build
from tests.tui.conftest import Running, closed, press, screen_of, screen_text, settle, tree_lines

LONG = "x" * 70_000


def edits_of(pilot: Pilot[None]) -> Edits:
    screen = screen_of(pilot)
    node = screen.tree_view.node
    assert node is not None
    return screen.edits.of(identity_of(node.checkpoint))


def editor_of(pilot: Pilot[None]) -> EditScreen:
    screen = pilot.app.screen
    assert isinstance(screen, EditScreen), screen_text(pilot)
    return screen


def told(pilot: Pilot[None]) -> str:
    return "\n".join(note.message for note in pilot.app._notifications)


async def type_over(pilot: Pilot[None], text: str) -> None:
    """Put another text into the open editor, and keep it."""
    editor_of(pilot).area.text = text
    await press(pilot, "ctrl+s")


async def test_an_output_is_edited_marked_and_undone(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        await press(pilot, "2", "tab", "g", "i")
        assert editor_of(pilot).area.text == "An outline"
        await type_over(pilot, "My outline")
        assert edits_of(pilot).outputs == {0: "My outline"}
        shown = screen_text(pilot)
        for part in ("✎", "edited", "Your output", "My outline", "An outline", "1 edit"):
            assert part in shown
        assert any("✎1" in line for line in tree_lines(pilot))
        await press(pilot, "i")
        await type_over(pilot, "Other")
        await press(pilot, "u")
        assert edits_of(pilot).outputs == {0: "My outline"}
        await press(pilot, "u")
        assert not edits_of(pilot)
        assert "✎" not in screen_text(pilot)


async def test_edits_stay_with_their_checkpoint(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        await press(pilot, "2", "tab", "g", "i")
        await type_over(pilot, "My outline")
        await press(pilot, "escape", "up", "up")
        assert not edits_of(pilot)
        await press(pilot, "r", "down", "down")
        assert edits_of(pilot).outputs == {0: "My outline"}
        assert "My outline" in screen_text(pilot)
        await press(pilot, "U")
        assert not edits_of(pilot)
        await press(pilot, "u")
        assert edits_of(pilot).outputs == {0: "My outline"}


async def test_what_is_left_as_it_is_is_no_edit(running: Running, tmp_path: Path) -> None:
    text = "first\r\nsecond  \r\n\r\n"
    build.write(tmp_path, build.document(build.crew(build.task("a", output=text))), build.ident(1))
    async with running(tmp_path) as pilot:
        await press(pilot, "2", "tab", "i", "ctrl+s")
        assert not edits_of(pilot)
        await press(pilot, "i")
        await type_over(pilot, text)
        assert not edits_of(pilot)


async def test_escape_asks_before_typed_text_is_lost(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        await press(pilot, "2", "tab", "i", "x", "escape")
        assert "esc again" in screen_text(pilot)
        await press(pilot, "escape")
        assert closed(pilot)
        assert not edits_of(pilot)
        await press(pilot, "i", "escape")
        assert closed(pilot)


async def test_typing_replaces_a_text_of_one_line(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        await press(pilot, "2", "tab", "g", "i", *"Mine")
        assert editor_of(pilot).area.text == "Mine"
        await press(pilot, "ctrl+s", "i", "backspace")
        assert editor_of(pilot).area.text == ""
        await press(pilot, "escape", "escape", "i", "right", "!")
        assert editor_of(pilot).area.text == "Mine!"
        await press(pilot, "escape", "escape", "i", "left", "!")
        assert editor_of(pilot).area.text == "!Mine"


@pytest.mark.parametrize("text", ["first\nsecond", "a word " * 100])
async def test_a_long_text_is_edited_from_its_start(
    running: Running, tmp_path: Path, text: str
) -> None:
    store = tmp_path / "s"
    build.write(store, build.document(build.crew(build.task("one", output=text))), build.ident(1))
    async with running(store) as pilot:
        await press(pilot, "2", "tab", "i", "!")
        assert editor_of(pilot).area.text == f"!{text}"


async def test_a_number_is_replaced_by_typing(running: Running, typed_store: Path) -> None:
    async with running(typed_store) as pilot:
        await press(pilot, "3", "tab", "down", "i", "7", "ctrl+s")
        assert edits_of(pilot).inputs == {"n": 7}


async def test_a_task_without_output_can_be_given_one(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        assert screen_of(pilot).go_to_checkpoint(build.ident(1))
        await settle(pilot)
        await press(pilot, "2", "tab", "end", "i")
        await type_over(pilot, "Given")
        assert edits_of(pilot).outputs == {2: "Given"}


@pytest.fixture
def typed_store(tmp_path: Path) -> Path:
    inputs: dict[str, Any] = {
        "topic": "bridges", "n": 3, "digits": "7", "on": True, "tags": ["a", 1], "map": {"k": 1.5},
        "none": None,
    }  # fmt: skip
    doc = build.document(build.crew(build.task("a"), checkpoint_inputs=inputs))
    build.write(tmp_path / "store", doc, build.ident(1))
    return tmp_path / "store"


@pytest.mark.parametrize(
    ("row", "text", "value"),
    [
        (1, "4", 4),
        (1, "0.50", 0.5),
        (2, "8", "8"),
        (2, '{"a": 1}', '{"a": 1}'),
        (3, "false", False),
        (4, "[1]", [1]),
        (5, '{"k": "1.5"}', {"k": "1.5"}),
    ],
)
async def test_inputs_keep_their_types(
    running: Running, typed_store: Path, row: int, text: str, value: Any
) -> None:
    async with running(typed_store) as pilot:
        await press(pilot, "3", "tab", *["down"] * row, "i")
        await type_over(pilot, text)
        (got,) = edits_of(pilot).inputs.values()
        assert got == value
        assert type(got) is type(value)


@pytest.mark.parametrize(
    ("row", "text", "said"),
    [
        (1, "four", "should be a number"),
        (1, '"4"', "should be a number"),
        (1, "NaN", "should be a number"),
        (3, "1", "should be true or false"),
        (4, '["a",, 1]', "at line 1, column 6"),
        (5, '{"k": 1\n "l": 2}', "at line 2, column 2"),
        (5, "[1]", "should be an object"),
    ],
)
async def test_what_is_no_value_of_the_kind_is_not_kept(
    running: Running, typed_store: Path, row: int, text: str, said: str
) -> None:
    async with running(typed_store) as pilot:
        await press(pilot, "3", "tab", *["down"] * row, "i")
        await type_over(pilot, text)
        assert said in screen_text(pilot)
        assert isinstance(pilot.app.screen, EditScreen)
        assert not edits_of(pilot)


async def test_another_type_is_chosen_on_purpose(running: Running, typed_store: Path) -> None:
    async with running(typed_store) as pilot:
        await press(pilot, "3", "tab", "down", "i", *["ctrl+t"] * 5, "ctrl+s")
        assert edits_of(pilot).inputs == {"n": "3"}
        await press(pilot, "i", "ctrl+t", "ctrl+s")
        assert not edits_of(pilot)


async def test_a_new_input(running: Running, typed_store: Path) -> None:
    async with running(typed_store) as pilot:
        await press(pilot, "3", "tab", "a")
        assert isinstance(pilot.app.screen, TypeScreen)
        await press(pilot, *"more", "enter")
        await type_over(pilot, "yes")
        assert edits_of(pilot).inputs == {"more": "yes"}
        assert "more" in screen_text(pilot)
        await press(pilot, "a", *"topic", "enter")
        assert closed(pilot)


async def test_an_output_that_is_json_stays_json(running: Running, tmp_path: Path) -> None:
    output = {"raw": '{"a": 1}', "json_dict": {"a": 1}, "pydantic": None, "agent": "Writer"}
    doc = build.document(build.crew(build.task("a") | {"output": output}))
    build.write(tmp_path, doc, build.ident(1))
    async with running(tmp_path) as pilot:
        await press(pilot, "2", "tab", "i")
        await type_over(pilot, "no json")
        assert isinstance(pilot.app.screen, EditScreen)
        await type_over(pilot, '{"a": 2}')
        assert edits_of(pilot).outputs == {0: '{"a": 2}'}


KEY = "sk-proj-" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0"


@pytest.mark.parametrize("shown", [False, True])
async def test_a_hidden_secret_is_not_written_back(
    running: Running, tmp_path: Path, shown: bool
) -> None:
    crew = build.crew(build.task("a", output=f"use {KEY}"), checkpoint_inputs={"api_key": KEY})
    build.write(tmp_path, build.document(crew), build.ident(1))
    async with running(tmp_path, show_secrets=shown) as pilot:
        for tab in ("2", "3"):
            await press(pilot, tab, "tab", "i")
            if shown:
                assert KEY in editor_of(pilot).area.text
                await press(pilot, "escape")
            else:
                assert closed(pilot)
                assert "that is hidden" in told(pilot)
            await press(pilot, "escape")


@pytest.mark.parametrize("text", [LONG, "a\x1b[2Jb", "a\u202eb"])
async def test_what_cannot_be_edited_here(running: Running, tmp_path: Path, text: str) -> None:
    doc = build.document(build.crew(build.task("a", output=text)))
    build.write(tmp_path, doc, build.ident(1))
    async with running(tmp_path) as pilot:
        await press(pilot, "2", "tab", "i")
        assert closed(pilot)
        assert "$EDITOR" in told(pilot)


async def test_what_is_no_crew_flow_or_agent_is_not_edited(
    running: Running, tmp_path: Path
) -> None:
    build.write(tmp_path, build.document({"entity_type": "robot"}), build.ident(1))
    async with running(tmp_path) as pilot:
        await press(pilot, "2", "i")
        assert "only crews, flows and agents" in told(pilot).lower()


async def test_leaving_with_edits_asks(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        await press(pilot, "2", "tab", "i")
        await type_over(pilot, "Mine")
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, AskScreen)
        assert "1 edit" in screen_text(pilot)
        await press(pilot, "enter")
        assert closed(pilot)
        await press(pilot, "q", "escape")
        assert pilot.app._exit is False
        await press(pilot, "q")
        await pilot.press("right", "enter")
        assert pilot.app._exit is True


async def test_ascii_marks(running: Running, small: Path) -> None:
    async with running(small, glyphs=ASCII) as pilot:
        await press(pilot, "2", "tab", "i")
        await type_over(pilot, "Mine")
        assert "#1" in screen_text(pilot)
        assert screen_text(pilot).replace("╭", "").isascii() or "✎" not in screen_text(pilot)


def test_the_book_of_edits() -> None:
    book, one, two = EditBook(), ("main/a.json", "a"), (2, "b")
    assert book.set_input(one, "n", 3, {"n": 3}, "n") is False
    assert book.set_input(one, "n", "3", {"n": 3}, "n") is True
    assert book.set_input(one, "n", True, {"n": 3}, "n") is True
    assert book.set_output(two, 0, "x", "y", "out") is True
    assert (book.total, book.places, book.count(one)) == (2, 2, 1)
    assert book.set_output(two, 0, "y", "y", "out") is True
    assert (book.total, book.identities()) == (1, [one])
    assert book.undo(two) == "out"
    assert book.of(two).outputs == {0: "x"}
    assert book.set_result(two, 1, [1], {1: [2]}, "result") is True
    assert book.set_result(two, 1, [1], {1: [2]}, "result") is False
    assert book.set_state(two, {("n",): 1, ("m", "0"): None}, "state") is True
    assert book.set_state(two, {("n",): 1, ("m", "0"): None}, "state") is False
    assert (book.count(two), book.total) == (4, 5)
    assert book.set_state(two, {("n",): True}, "state") is True
    assert book.set_result(two, 1, [2], {1: [2]}, "result") is True
    assert (book.of(two).results, book.of(two).state) == ({}, {("n",): True})
    assert [book.undo(two) for _ in range(3)] == ["result", "state", "state"]
    assert (book.of(two).results, book.of(two).state) == ({1: [1]}, {})
    assert book.set_result(two, 2, "", {}, "result") is True
    assert book.of(two).results == {1: [1], 2: ""}
    book.forget(two)
    assert book.undo(two) is None
    assert book.of(one).inputs == {"n": True}


@pytest.mark.parametrize("value", ["", "3", 3, -0.5, True, None, [], {}, [1, "a"], {"a": None}])
def test_what_is_written_is_read_again(value: Any) -> None:
    again = typed.read(typed.written(value), typed.kind_of(value))
    assert json.dumps(again) == json.dumps(value)
