"""``show --graph``: a flow's methods and its route, on a terminal, piped and as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from crewcheck.model.reports import ShowReport
from tests.build import crew, document, ident, task, write
from tests.cli.conftest import Run
from tests.cli.test_diff import bare
from tests.tui.flows import make_flow_project


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return make_flow_project(tmp_path / "p")


def test_as_json_it_keeps_its_promise(call: Run, store: Path) -> None:
    done = call("show", "-l", store, "--graph", "--json")
    graph = ShowReport.model_validate_json(done.stdout).graph
    assert graph is not None
    assert graph.class_known
    assert [(one.name, one.state, one.waits_for) for one in graph.methods] == [
        ("begin", "done", []), ("choose", "done", ["begin"]), ("go_left", "done", ["left"]),
        ("go_right", "not taken", ["right"]), ("end", "failed", ["go_left", "go_right"]),
    ]  # fmt: skip
    assert [(one.source, one.target, one.label) for one in graph.edges if one.taken] == [
        ("begin", "choose", None), ("choose", "go_left", "left"), ("go_left", "end", None),
    ]  # fmt: skip


def test_piped_it_is_lines(call: Run, store: Path) -> None:
    lines = dict(line.split("\t") for line in
                 call("show", "-l", store, "--graph").stdout.splitlines())  # fmt: skip
    assert lines["graph.methods.3.state"] == "not taken"
    assert lines["graph.edges.1.label"] == "left"


def test_on_a_terminal_it_is_drawn(call: Run, store: Path) -> None:
    shown = call("--color", "always", "show", "-l", store, "--graph", COLUMNS="100").stdout
    lines = [line.rstrip() for line in bare(shown).splitlines() if line.startswith("  ")]
    assert lines == [
        "  ✓    begin                          done",
        "  ✓    choose    begin                done",
        '  ┡━✓  go_left   "left"               done',
        '  ·─┨  go_right  "right"              not taken',
        "  ✗━┛  end       go_left or go_right  failed",
    ]


def test_without_the_class_it_says_so(call: Run, tmp_path: Path) -> None:
    store = make_flow_project(tmp_path, known=False)
    done = call("show", "-l", store, "--graph", "--json")
    graph = ShowReport.model_validate_json(done.stdout).graph
    assert graph is not None
    assert not graph.class_known
    assert [one.name for one in graph.methods] == ["begin", "choose", "go_left", "end"]


def test_what_is_no_flow_has_none(call: Run, tmp_path: Path) -> None:
    write(tmp_path / "store", document(crew(task("a"))), ident(1))
    done = call("show", "-l", tmp_path / "store", "--graph")
    assert (done.returncode, done.stdout) == (0, "")
    assert "holds no graph" in done.stderr
