"""Names may hold secrets, too: branches, methods, and what runs were called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crewcheck.runtimes import follow
from crewcheck.runtimes.run_state import RunState
from tests.build import crew, document, event, flow, ident, task, write
from tests.cli.conftest import Run

KEY = "sk-fake-0123456789abcdef0123456789"
MASK = "<redacted openai key #1a20>"


def test_the_branch_of_a_finished_run(call: Run, tmp_path: Path) -> None:
    done = crew(task("a", output="the result"))
    store = tmp_path / "store"
    write(store, document(done, trigger="crew_kickoff_completed", branch=f"b {KEY}"), ident(1))
    told = call("resume", "-l", store, "--json")
    assert (told.returncode, told.stderr) == (0, "")
    assert json.loads(told.stdout) == {
        "type": "finished",
        "result": "the result",
        "checkpoint_id": ident(1),
        "branch": f"b {MASK}",
        "nothing_to_run": True,
        "notes": [],
    }
    shown = call("--show-secrets", "resume", "-l", store, "--json")
    assert json.loads(shown.stdout)["branch"] == f"b {KEY}"


def test_the_path_of_a_method(call: Run, tmp_path: Path) -> None:
    method = {"flow_name": "Shop", "method_name": f"ask {KEY}", "parent_event_id": "event-1"}
    begun = [
        event(1, "flow_started", flow_name="Shop"),
        event(2, "method_execution_started", **method),
    ]
    ended = event(3, "method_execution_finished", started_event_id="event-2", result="x", **method)
    store = tmp_path / "store"
    write(store, document(flow(), events=begun), ident(1))
    write(store, document(flow(method["method_name"]), events=[*begun, ended]), ident(2), ident(1))
    told = call("diff", "-l", store, "--json")
    assert told.returncode == 0
    methods = [one for one in json.loads(told.stdout)["items"] if one["section"] == "methods"]
    assert [(one["label"], one["path"]) for one in methods] == [
        (f"ask {MASK}", f"methods.ask {MASK}")
    ]
    assert KEY not in told.stdout + call("diff", "-l", store, "--json", "--all").stdout


@pytest.mark.parametrize("options", [(), ("--color", "always")])
def test_what_runs_were_called(
    call: Run, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    state = RunState("7b2f63", "failed", branch=f"b {KEY}", name=KEY, message=f"no model: {KEY}")
    monkeypatch.setattr(follow, "list_runs", lambda: [state])
    told = call(*options, "runs")
    assert told.returncode == 0
    assert KEY not in told.stdout
    assert told.stdout.count(MASK) == 3
    if not options:
        cells = told.stdout.rstrip("\n").split("\t")
        assert cells[6:8] == [f"b {MASK}", MASK]
        assert json.loads(cells[11]) == f"no model: {MASK}"
