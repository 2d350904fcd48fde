"""What is kept from line to line changes nothing in the lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from crewcheck.cli import piped
from crewcheck.cli.console import Console
from crewcheck.engine.redaction import Redactor
from crewcheck.model.scan import Checkpoint, Damage, Header, Summary

KEY = "sk-proj-" + "a1B2" * 8
AT = "2026-11-29T17:42:28Z"


def one(
    id: str = "i", parent: str | None = None, size: int | None = 7, **summary: Any
) -> Checkpoint:
    header = Header(f"{id}.json", id, f"{id}.json", parent, "lies/here", AT, size=size)
    return Checkpoint(header, Summary(**summary) if summary else None)


def line(checkpoint: Checkpoint, redactor: Redactor | None = None) -> list[str]:
    # with another of the same words before it
    lines = list(piped.lines([checkpoint, checkpoint], redactor or Redactor()))
    assert lines[0] == lines[1]
    return lines[0].split("\t")


def test_what_is_unknown_is_empty() -> None:
    assert line(one()) == ["i", AT, "lies/here", "", "", "", "", "", "", "", "7", ""]
    found = line(one(size=None, done=0, trigger=""))
    assert found == ["i", AT, "lies/here", "", "", "", "0", "", "", "", "", ""]


def test_the_document_says_the_branch_and_a_parent_that_the_header_has_not() -> None:
    assert line(one(branch="says", parent_id="p"))[2::7] == ["says", "p"]
    assert line(one(parent="h", parent_id="p"))[9] == "h"


def test_words_that_only_look_alike_are_not_mixed_up() -> None:
    some = [one(kind="crew", name="a"), one(kind="crew", name="b"), one(kind="flow", name="a")]
    some += [one(kind="crew", name="a", done=1, total=2), one(kind="crew", name="a", done=2)]
    cells = [text.split("\t")[4:8] for text in piped.lines(some + some, Redactor())]
    assert cells[:5] == cells[5:] == [
        ["crew", "a", "", ""], ["crew", "b", "", ""], ["flow", "a", "", ""],
        ["crew", "a", "1", "2"], ["crew", "a", "2", ""],
    ]  # fmt: skip


def test_a_run_that_goes_on_is_not_that_which_has_stopped() -> None:
    going, stopped = one(status="stopped"), one(status="stopped")
    going.running = True
    lines = piped.lines([stopped, going, stopped], Redactor())
    assert [text.split("\t")[8] for text in lines] == ["stopped", "running", "stopped"]


def test_secrets_and_controls_do_not_get_through() -> None:
    found = line(one("i\x1b[2J", "p\tq", name=f"x {KEY}", branch=f"b\x07{KEY}", trigger="t\n"))
    assert KEY not in "".join(found)
    assert (found[0], found[9], found[3]) == ("i\u241b[2J", "p\u2409q", "t\u240a")
    assert found[2].startswith("b\u2407<redacted")
    assert line(one(name=KEY), Redactor(show=True))[5] == KEY


@pytest.mark.parametrize("where", ["header", "summary", "lineage"])
def test_damage_is_said_wherever_it_is_known(where: str) -> None:
    checkpoint = one(kind="crew", name="n")
    damage = Damage("cycle", f"bad {KEY}")
    if where == "header":
        checkpoint.header.damage = damage
    elif where == "lineage":
        checkpoint.lineage_damage = damage
    elif checkpoint.summary is not None:
        checkpoint.summary.damage = damage
    found = line(checkpoint)
    assert found[4:6] == ["crew", "n"]
    assert found[11].startswith("cycle: bad <redacted")


VALUES: list[Any] = [
    {"a": [], "b": {}, "c": [{}, [[1, -2.5e-7, 10**30]]], "d": '\u00e9\u2028 <"\\\n>', "e": None},
    {"a whole one": "\U0001f600", "\\ud83d": "\\"},
    [True, False, ""],
]


@pytest.mark.parametrize("value", VALUES)
def test_json_is_indented_as_by_python(value: Any, capsys: pytest.CaptureFixture[str]) -> None:
    Console().json(value)
    assert capsys.readouterr().out == json.dumps(value, indent=2) + "\n"


def test_half_a_character_is_told_as_one_that_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    half = {"half of a character": "\ud83d", "another": "\udc00x\U0001f600"}
    Console().json_list([half, {}])
    whole = {"half of a character": "\ufffd", "another": "\ufffdx\U0001f600"}
    assert capsys.readouterr().out == json.dumps([whole, {}], indent=2) + "\n"


def test_json_has_no_number_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    Console().json({"a": [float("nan"), float("-inf")]})
    assert json.loads(capsys.readouterr().out) == {"a": ["NaN", "-Infinity"]}


@pytest.mark.parametrize("count", [0, 1, 3, 1000, 2001])
def test_a_list_in_parts_is_the_same_list(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    values = [VALUES[number % 2] for number in range(count)]
    Console().json_list(iter(values))
    assert capsys.readouterr().out == json.dumps(values, indent=2) + "\n"


@pytest.mark.parametrize("count", [0, 1, 1000, 1001])
def test_lines_in_parts_are_all_there(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    Console().lines(str(number) for number in range(count))
    assert capsys.readouterr().out == "".join(f"{number}\n" for number in range(count))
