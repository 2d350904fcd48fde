"""Finished calls of a run that was cut off, kept for the next."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.unfinished import work_behind
from crewcheck.runtimes.run_state import RunState
from crewcheck.runtimes.spawn import RunHandle
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.supervisor import write_status
from crewcheck.runtimes.work_file import WorkFile, read_work
from tests.unit.runtimes.conftest import until

Start = Callable[..., RunHandle]


def event(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "llm_call_completed", "event_id": name, **more}


def test_events_are_read_in_order_and_once(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    first, second = WorkFile(tmp_path / "first"), WorkFile(tmp_path / "second")
    first.append(event("a", response="ä"))
    first.append(event("b"))
    second.append(event("b", response="told twice"))
    second.append(event("c"))
    for one in (first, second):
        one.close(keep=True)
    paths = [str(tmp_path / name / "work.jsonl") for name in ("first", "second", "gone")]
    assert [one["event_id"] for one in read_work(paths)] == ["a", "b", "c"]
    assert read_work(paths)[0] == event("a", response="ä")
    assert [one["event_id"] for one in read_work(paths, known=["a", "c"])] == ["b"]


def test_a_torn_line_and_what_is_no_event_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "work.jsonl"
    path.write_text(f'[]\n{{"type": "x"}}\n{json.dumps(event("a"))}\n{{"type": "llm_ca')
    assert read_work([str(path)]) == [event("a")]


def test_a_supervisor_keeps_records_out_of_the_journal_for_the_users_eyes_only(
    start: Start,
) -> None:
    record = json.dumps({"type": "record", "event": event("a")})
    handle = start("plan", "wait", f"say:{record}", "kill:9")
    until(handle, "plan")
    handle.go()
    messages = until(handle, "exited")
    assert "record" not in {one["type"] for one in messages}
    assert "llm_call" not in (handle.folder / "journal.jsonl").read_text()
    path = handle.folder / "work.jsonl"
    assert read_work([str(path)]) == [event("a")]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_run_that_has_finished_needs_no_record(start: Start) -> None:
    record = json.dumps({"type": "record", "event": event("a")})
    handle = start("plan", "wait", f"say:{record}", "finish")
    until(handle, "plan")
    handle.go()
    until(handle, "exited")
    assert not (handle.folder / "work.jsonl").exists()


@pytest.fixture
def ran(state: Path, tmp_path: Path) -> Callable[..., str]:
    """``ran(number, state, began_at, *written)``: a run of the past; the path of its record."""

    def make(number: int, how: str, began_at: str, *written: str, work: list[str]) -> str:
        folder = state / "runs" / f"20310101T00000{number}_abcdef"
        folder.mkdir(parents=True)
        spec = RunSpec(str(tmp_path), began_at, "python", str(tmp_path), work=work)
        (folder / "spec.json").write_bytes(spec.to_json())
        (folder / "work.jsonl").write_text("")
        run = RunState(folder.name, how, store=str(tmp_path), checkpoint_id=began_at)
        run.written = list(written)
        write_status(folder, run.as_dict())
        return str(folder / "work.jsonl")

    return make


def test_what_runs_had_done_behind_a_checkpoint(tmp_path: Path, ran: Callable[..., str]) -> None:
    first = ran(1, "crashed", "a", work=[])
    second = ran(2, "failed", "a", work=[first])
    further = ran(3, "interrupted", "a", "b", "c", work=[first, second])
    ran(4, "finished", "c", work=[further])
    store = str(tmp_path)
    # runs that wrote nothing are behind what they began from, the oldest first
    assert work_behind(store, ["a"]) == [first, second]
    # b was left behind on purpose: what its run was given counts, not what it did then
    assert work_behind(store, ["b", "a"]) == [first, second]
    assert work_behind(store, ["c", "b", "a"]) == [first, second, further]
    # d was written, and its run killed before it could say so
    assert work_behind(store, ["d", "c", "b"]) == [first, second, further]
    assert work_behind(store, ["d"]) == []
    assert work_behind(str(tmp_path / "other"), ["a"]) == []
