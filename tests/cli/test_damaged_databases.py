"""The commands on databases in which something is wrong or odd."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crewcheck.cli.main import run
from tests.damage import FINE, OF_LINEAGE
from tests.damaged_databases import DATABASES, REFUSED


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        one.name: (one.read_bytes(), one.stat().st_mtime_ns)
        for one in folder.iterdir()
        if one.is_file()
    }


@pytest.mark.parametrize("name", DATABASES)
def test_each_row_is_listed_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / "a.db"
    said = DATABASES[name](path)
    before = state(tmp_path)
    assert run(["list", str(path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["id"] for row in rows} == said.keys()
    count = len(rows)
    wrong: dict[str, object] = {}
    for row in rows:
        expected = said[row["id"]]
        damage = row["damage"] or {"rule": FINE, "message": ""}
        if expected.whole_only and damage["rule"] == FINE:
            continue
        fits = expected.rule == FINE or expected.part in damage["message"]
        if damage["rule"] != expected.rule or not fits:
            wrong[row["id"]] = expected, damage
    assert wrong == {}
    assert run(["tree", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["checkpoints"] == count
    assert sum(len(segment["checkpoints"]) for segment in report["segments"]) == count
    for id, expected in said.items():
        if expected.rule == "duplicate-id":
            continue  # the id alone names none
        code = run(["info", f"{path}#{id}", "--json"])
        out, err = capsys.readouterr()
        shown = json.loads(out)
        damage = shown["damage"] or {"rule": FINE, "message": ""}
        readable = expected.rule in (FINE, *OF_LINEAGE)
        told = "; ".join(shown["notes"]) if expected.rule == FINE else damage["message"]
        if (code, damage["rule"]) != (0 if readable else 4, expected.rule) or (
            expected.part not in told
        ):
            wrong[id] = expected, code, damage, told
        if err.count("\n") != (not readable):
            wrong[id] = err
    assert wrong == {}
    assert state(tmp_path) == before


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_database_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    make, reason = REFUSED[name]
    path = tmp_path / "a.db"
    make(path)
    before = state(tmp_path) if name != "a fifo" else {}
    for command in ("list", "tree", "info"):
        code = run([command, str(path), "--json"])
        out, err = capsys.readouterr()
        if name == "a folder":
            assert (code, err.count("\n")) == (3 if command == "info" else 0, 1)
            continue
        assert (code, out) == (4, "")
        assert err.startswith(f"crewcheck: {path} ")
        assert reason in err
        assert err.count("\n") == 1
    assert (state(tmp_path) if name != "a fifo" else {}) == before
