from __future__ import annotations

import json
import os
from pathlib import Path

import click
import pytest

from crewcheck.engine.checks.rules import RULES
from crewcheck.model.reports import FindingReport, RuleReport
from tests.build import agent, crew, document, ident, small_store, task, write
from tests.cli.conftest import Run

KEY = "sk-proj-Zk3n8vQ2mX7wL5rT9bYc"


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A store with a file that is cut short, one with a key in it, and a callback in both."""
    root = tmp_path / "damaged"
    doc = document(
        crew(task("a", output="x", callback="main.done"), agents=[agent(llm={"api_key": KEY})])
    )
    write(root, doc, ident(1))
    path = write(root, b'{"entities": [', ident(2), ident(1))
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return root


def test_a_store_that_is_well(run: Run, tmp_path: Path) -> None:
    done = run("verify", small_store(tmp_path))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(f"crewcheck: {tmp_path}: 5 checkpoints, no damage, no warnings")


def test_piped_is_tab_separated(run: Run, damaged: Path) -> None:
    done = run("verify", damaged)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [line[:5] for line in lines] == [
        ["damage", "truncated", ident(2), "", "14"],
        ["warning", "secret-in-plain-text", ident(1), "entities[0].agents[0].llm.api_key", ""],
    ]
    assert lines[0][5:] == [
        "cut short after 14 bytes",
        "resume from the checkpoint before it",
        str(damaged / "main" / f"{ident(2)}_p-{ident(1)}.json"),
    ]
    assert KEY not in done.stdout + done.stderr


def test_json_keeps_its_promise(run: Run, damaged: Path) -> None:
    done = run("verify", damaged, "--json", "--severity", "advice")
    told = [FindingReport.model_validate(one) for one in json.loads(done.stdout)]
    assert [one.rule for one in told][:3] == ["truncated", "lost-callback", "secret-in-plain-text"]
    assert done.returncode == 1
    assert KEY not in done.stdout


def test_rules_can_be_chosen_and_left_out(run: Run, damaged: Path) -> None:
    only = run("verify", damaged, "--rule", "secret-in-plain-text", "--json")
    assert [one["rule"] for one in json.loads(only.stdout)] == ["secret-in-plain-text"]
    assert only.returncode == 0
    without = run("verify", damaged, "--ignore", "truncated")
    assert (without.returncode, len(without.stdout.splitlines())) == (0, 1)
    wrong = run("verify", damaged, "--rule", "truncate")
    assert wrong.returncode == 2
    assert "did you mean truncated?" in wrong.stderr


def test_a_lower_severity_hides_and_counts_all_the_same(run: Run, damaged: Path) -> None:
    done = run("verify", damaged, "--severity", "damage")
    assert [line.split("\t")[1] for line in done.stdout.splitlines()] == ["truncated"]
    assert "damage in 1 place, 1 warning; 2 findings are not shown" in done.stderr


def test_several_stores_and_checkpoints(run: Run, damaged: Path, tmp_path: Path) -> None:
    well = small_store(tmp_path / "well")
    done = run("verify", well, f"{damaged}#{ident(1)}", damaged, "--json")
    assert [one["rule"] for one in json.loads(done.stdout)] == [
        "secret-in-plain-text", "truncated", "secret-in-plain-text",
    ]  # fmt: skip
    assert done.returncode == 1
    one = run("verify", f"{damaged}#{ident(1)}")
    assert one.returncode == 0
    file = run("verify", damaged / "main" / f"{ident(2)}_p-{ident(1)}.json")
    assert (file.returncode, len(file.stdout.splitlines())) == (1, 1)


def test_a_store_that_cannot_be_opened_does_not_hide_the_others(
    run: Run, damaged: Path, tmp_path: Path
) -> None:
    assert run("verify", tmp_path / "nowhere").returncode == 3
    (tmp_path / "runs.db").write_text("no database")
    done = run("verify", tmp_path / "runs.db", damaged, "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout)[0]["rule"] == "truncated"
    assert "runs.db" in done.stderr


def test_the_default_store(run: Run, tmp_path: Path) -> None:
    small_store(tmp_path / ".checkpoints")
    assert run("verify", cwd=tmp_path).returncode == 0


def test_for_a_person_it_is_grouped(run: Run, damaged: Path) -> None:
    done = run("--color", "always", "verify", damaged, COLUMNS="120")
    lines = click.unstyle(done.stdout).splitlines()
    assert lines[0] == ident(2)
    assert lines[1].strip() == "✗ truncated  cut short after 14 bytes"
    assert "byte 14" in lines[2]
    assert lines[3] == ident(1)


def test_the_rules(run: Run) -> None:
    told = [RuleReport.model_validate(one) for one in json.loads(
        run("verify", "--rules", "--json").stdout)]  # fmt: skip
    assert [one.rule for one in told] == list(RULES)
    piped = run("verify", "--rules").stdout.splitlines()
    assert piped[1].split("\t")[:2] == ["truncated", "damage"]
