from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crewcheck.errors import CrewcheckError, NotFound, Refused
from crewcheck.runtimes import spawn
from crewcheck.runtimes.control import Control, socket_path
from crewcheck.runtimes.follow import (
    follow,
    list_runs,
    live_runs,
    running_checkpoints,
    runs_of,
    supervisor_lives,
)
from crewcheck.runtimes.spawn import RunHandle, open_run, start_run
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.state_dirs import run_folders
from tests.build import ident
from tests.unit.runtimes.conftest import Start, one, spec, until


def texts(messages: list[dict[str, object]], stream: str = "stdout") -> list[object]:
    return [one["text"] for one in messages if one.get("stream") == stream]


def gone(pid: int) -> bool:
    """Waits until a process has ended (its entry may wait for its parent)."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    return False


def test_a_run_from_plan_to_result(start: Start) -> None:
    handle = start("print:before", "plan", "wait", "print:hello", "error:careful", "finish")
    until(handle, "plan")
    planned = handle.state()
    assert (planned.state, planned.waiting, planned.total) == ("planning", True, 1)
    handle.go(branch="fork/x", keep=[0], outputs={"0": "edited"}, inputs=None)
    messages = until(handle, "exited")
    assert [one["n"] for one in messages] == list(range(1, len(messages) + 1))
    order = [one["type"] for one in messages if one["type"] != "log"]
    assert order == ["supervised", "hello", "loaded", "plan", "go", "started", "finished", "exited"]
    assert texts(messages) == ["before", "hello"]
    assert texts(messages, "stderr") == ["careful"]
    assert messages[-2]["type"] == "finished"
    assert one(messages, "go")["outputs"] == {"0": "edited"}
    state = handle.state()
    assert (state.state, state.result, state.code) == ("finished", "all done", 0)
    assert (state.branch, state.name, state.entry) == ("fork/x", "zoo", "crew:crew")
    assert sorted(os.listdir(handle.folder)) == [
        "journal.jsonl",
        "lock",
        "spec.json",
        "status.json",
        "supervisor.log",
    ]
    assert (handle.folder / "supervisor.log").read_text() == ""


def test_a_supervisor_and_its_child_have_sessions_of_their_own(start: Start) -> None:
    handle = start("plan", "wait")
    until(handle, "plan")
    state = handle.state()
    assert state.supervisor is not None
    assert state.pid is not None
    assert len({os.getsid(0), os.getsid(state.supervisor), os.getsid(state.pid)}) == 3
    handle.abort()
    until(handle, "exited")


def test_only_the_user_can_read_a_run_and_no_environment_is_written(start: Start) -> None:
    handle = start("env:MODEL_KEY", "finish", env={"MODEL_KEY": "sk-fake-0123456789"})
    messages = until(handle, "exited")
    assert texts(messages) == ["MODEL_KEY 'sk-fake-0123456789'"]
    assert b"sk-fake" not in (handle.folder / "spec.json").read_bytes()
    assert json.loads((handle.folder / "spec.json").read_text())["env"] == ["MODEL_KEY"]
    for folder in (handle.folder, handle.folder.parent, handle.folder.parent.parent):
        assert folder.stat().st_mode & 0o077 == 0
    for name in os.listdir(handle.folder):
        if name != "supervisor.log":
            assert (handle.folder / name).stat().st_mode & 0o022 == 0


def test_a_document_is_put_beside_the_spec(start: Start, tmp_path: Path, state: Path) -> None:
    document = {"entities": [], "odd": "\ud800", "nan": float("nan")}
    with start_run(spec(tmp_path, "finish"), document) as handle:
        until(handle, "exited")
        path = json.loads((handle.folder / "spec.json").read_text())["document_path"]
        assert json.loads(Path(path).read_text())["odd"] == "\ud800"


def test_nobody_attached_before_go_aborts(start: Start) -> None:
    handle = start("plan", "wait", "finish", unattended_seconds=0.2)
    until(handle, "plan")
    handle.close()
    messages = until(handle, "exited")
    assert one(messages, "abort")["message"] == "nobody was there to confirm it"
    state = handle.state()
    assert (state.state, state.message) == ("aborted", "nobody was there to confirm it")


def test_an_attached_handle_keeps_it_waiting_and_go_needs_nobody(start: Start) -> None:
    handle = start("plan", "wait", "ask:q", "finish", unattended_seconds=0.2)
    until(handle, "plan")
    assert not [one for one in handle.follow(timeout=0.5) if one["type"] == "abort"]
    handle.go()
    handle.close()
    until(handle, "prompt")
    assert not [one for one in handle.follow(timeout=0.5) if one["type"] == "abort"]
    handle.answer("q", "yes")
    until(handle, "exited")
    assert handle.state().state == "finished"


def test_abort(start: Start) -> None:
    handle = start("plan", "wait", "finish")
    until(handle, "plan")
    handle.abort()
    messages = until(handle, "exited")
    assert messages[-1]["code"] == 5
    assert handle.state().state == "aborted"
    with pytest.raises(NotFound, match="is not going on"):
        handle.send({"type": "go"})


def test_an_abort_that_the_child_does_not_hear_ends_it(start: Start) -> None:
    handle = start("plan", "stubborn", "hang", grace_seconds=0.1)
    until(handle, "event")
    handle.abort()
    messages = until(handle, "exited")
    assert messages[-1]["signal"] == signal.SIGKILL
    assert handle.state().state == "aborted"


def test_orders_that_do_not_fit_are_refused(start: Start) -> None:
    handle = start("wait", "hang")
    until(handle, "hello")
    with pytest.raises(Refused, match="there is no plan yet"):
        handle.go()
    with pytest.raises(Refused, match="does not wait for an answer"):
        handle.answer("q", "x")
    with pytest.raises(Refused, match="takes no order 'dance'"):
        handle.send({"type": "dance"})
    other = start("plan", "wait", "hang")
    until(other, "plan")
    other.go()
    until(other, "event")
    with pytest.raises(Refused, match="has begun already"):
        other.go()
    with pytest.raises(Refused, match="cancel it instead"):
        other.abort()
    status = other.send({"type": "status"})["status"]
    assert status["state"] == "running"


def test_cancel_is_gentle_first(start: Start) -> None:
    handle = start("plan", "wait", "hang")
    until(handle, "plan")
    handle.go()
    until(handle, "event")
    handle.cancel()
    messages = until(handle, "exited")
    said = one(messages, "interrupted")
    assert (said["signal"], said["checkpoint_id"]) == ("SIGINT", "c0")
    # the interpreter's own answer to SIGINT
    assert messages[-1]["signal"] == signal.SIGINT
    state = handle.state()
    assert (state.state, state.message) == ("interrupted", "it was cancelled")
    assert "KeyboardInterrupt" in str(texts(messages, "stderr"))


def test_cancel_of_a_child_that_does_not_listen_takes_a_kill(start: Start) -> None:
    handle = start("stubborn", "hang", grace_seconds=0.05)
    until(handle, "event")
    handle.cancel()
    messages = until(handle, "exited")
    assert messages[-1]["signal"] == signal.SIGKILL
    assert handle.state().message == "it was cancelled; it took SIGKILL"


def test_cancelling_again_does_not_wait_for_the_grace(start: Start) -> None:
    handle = start("stubborn", "hang", grace_seconds=60)
    until(handle, "event")
    for _ in range(3):
        handle.cancel()
    assert until(handle, "exited")[-1]["signal"] == signal.SIGKILL


def test_sigint_reaches_a_child_of_a_shell_that_ignores_it(start: Start) -> None:
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        handle = start("hang", grace_seconds=60)
    finally:
        signal.signal(signal.SIGINT, old)
    until(handle, "event")
    handle.cancel()
    assert until(handle, "exited")[-1]["signal"] == signal.SIGINT


def test_a_signal_to_the_supervisor_cancels(start: Start) -> None:
    handle = start("hang", grace_seconds=60)
    until(handle, "event")
    supervisor = handle.state().supervisor
    assert supervisor is not None
    os.kill(supervisor, signal.SIGTERM)
    until(handle, "exited")
    assert handle.state().state == "interrupted"


@pytest.mark.parametrize(
    ("step", "words", "code", "number"),
    [
        ("kill:9", "was killed by SIGKILL (out of memory?)", None, 9),
        ("kill:11", "was killed by SIGSEGV (a crash in native code)", None, 11),
        ("exit:3", "ended with exit status 3", 3, None),
        ("exit:0", "ended (exit status 0)", 0, None),
    ],
)
def test_a_child_that_dies_without_a_word(
    start: Start, step: str, words: str, code: int | None, number: int | None
) -> None:
    say = f'say:{{"type": "checkpoint", "id": "{ident(7)}"}}'
    handle = start("plan", "wait", say, "error:it hurts", step)
    until(handle, "plan")
    handle.go()
    messages = until(handle, "exited")
    failed = one(messages, "failed")
    assert failed["error"] == f"the process of the run {words} before the run was over"
    assert failed["traceback"] == "it hurts"
    assert f"crewcheck resume '{handle.state().store}#{ident(7)}'" in failed["hint"]
    assert (messages[-1]["code"], messages[-1]["signal"]) == (code, number)
    assert handle.state().state == "crashed"


def test_what_a_dead_child_started_is_ended(start: Start) -> None:
    handle = start("orphan:300", "kill:9")
    messages = until(handle, "exited")
    assert messages[-1]["signal"] == 9


def test_a_process_that_holds_the_output_open_does_not_keep_a_finished_run(start: Start) -> None:
    began = time.monotonic()
    handle = start("orphan:20", "finish")
    until(handle, "exited")
    assert time.monotonic() - began < 10
    assert handle.state().state == "finished"


def test_a_child_that_stays_after_its_last_message_is_ended(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    # in this process, to have less time to wait
    from crewcheck.runtimes import supervisor

    monkeypatch.setattr(supervisor, "_LINGER_SECONDS", 0.05)
    handle = start("exit:0")
    until(handle, "exited")
    for name in ("journal.jsonl", "status.json", "supervisor.log"):
        (handle.folder / name).unlink()
    wanted = spec(handle.folder, "finish", "hang", grace_seconds=0.1)
    (handle.folder / "spec.json").write_bytes(wanted.to_json())
    old = {one: signal.getsignal(one) for one in (2, 15, signal.SIGCHLD, signal.SIGHUP)}
    try:
        supervisor.supervise(handle.folder)
    finally:
        signal.set_wakeup_fd(-1)
        for number, handler in old.items():
            signal.signal(number, handler)
    state = handle.state()
    assert (state.state, state.result, state.signal) == ("finished", "all done", signal.SIGTERM)


@pytest.mark.parametrize("values", [{"python": "/no/such/python"}, {"cwd": "/no/such/folder"}])
def test_what_cannot_be_started_is_said(start: Start, values: dict[str, str]) -> None:
    handle = start("finish", **values)
    messages = until(handle, "exited")
    failed = one(messages, "failed")
    assert next(iter(values.values())) in failed["error"]
    assert failed["hint"]
    assert handle.state().state == "failed"


def test_a_python_that_is_no_program(start: Start, tmp_path: Path) -> None:
    (tmp_path / "python").write_text("hello")
    failed = one(until(start("x", python=str(tmp_path / "python")), "exited"), "failed")
    assert "cannot be started: permission denied" in failed["error"]


def test_a_killed_supervisor_is_told_by_those_who_follow(start: Start) -> None:
    handle = start("plan", "wait", "hang")
    until(handle, "plan")
    handle.go()
    before = until(handle, "event")
    state = handle.state()
    assert state.supervisor is not None
    assert state.pid is not None
    assert live_runs(state.store)[0].run_id == handle.run_id
    os.kill(state.supervisor, signal.SIGKILL)
    messages = until(handle, "exited")
    assert messages[: len(before)] == before
    failed = one(messages, "failed")
    assert (failed["error_type"], "n" in failed) == ("SupervisorGone", False)
    assert failed["hint"] == f"go on with `crewcheck resume '{state.store}#c0'`"
    assert handle.state().state == "crashed"
    assert list_runs()[0].state == "crashed"
    assert live_runs() == []
    assert gone(state.pid)
    with pytest.raises(NotFound):
        handle.cancel()


def test_a_supervisor_that_died_after_the_last_message_leaves_a_finished_run(
    start: Start,
) -> None:
    handle = start("finish")
    until(handle, "exited")
    journal = handle.folder / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    (handle.folder / "status.json").unlink()
    messages = list(handle.follow())
    assert [one["type"] for one in messages][-2:] == ["finished", "exited"]
    assert handle.state().state == "finished"


def test_a_flood_of_prints_is_followed_while_it_runs(start: Start) -> None:
    handle = start("plan", "wait", "flood:10000000", "finish")
    until(handle, "plan")
    handle.go()
    messages = until(handle, "exited")
    assert len(texts(messages)) == 100_000
    assert handle.state().state == "finished"
    assert [one["n"] for one in messages] == list(range(1, len(messages) + 1))


def test_text_that_is_no_text_and_lines_without_end(start: Start) -> None:
    odd = "\x1b[2J[/red]\u202e"
    handle = start(
        "raw:" + b"\xff\xfe\n".hex(),
        "raw:" + (b"y" * 20_000).hex(),
        "garbage:no json",
        "garbage:[1, 2]",
        'garbage:{"type": 3}',
        'say:{"type": "exited", "code": 9}',
        "say:" + json.dumps({"type": "event", "event": "\ud800" + odd, "n": 99}),
        "say:" + json.dumps({"type": "failed", "error": odd, "hint": ["no", "text"]}),
        'say:{"type": "finished", "result": "too late"}',
    )
    messages = until(handle, "exited")
    printed = texts(messages)
    assert printed[0] == "\ufffd\ufffd"
    assert "".join(str(text) for text in printed[1:]) == "y" * 20_000
    assert all(len(str(text)) <= 8192 for text in printed)
    assert one(messages, "event")["event"] == "\ud800" + odd
    assert [one["type"] for one in messages].count("exited") == 1
    state = handle.state()
    assert (state.state, state.message, state.code) == ("failed", odd, 0)
    assert state.hint == state.resume_hint()


def test_a_question_is_answered_once(start: Start) -> None:
    handle = start("plan", "wait", "ask:q1", "finish")
    until(handle, "plan")
    handle.go()
    until(handle, "prompt")
    assert [one["id"] for one in handle.state().prompts] == ["q1"]

    def answer(text: str) -> str:
        try:
            with Control(handle.folder) as control:
                control.send({"type": "answer", "id": "q1", "text": text})
            return text
        except (Refused, NotFound) as error:
            return error.message

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(answer, ["a", "b", "c", "d"]))
    won = [text for text in said if len(text) == 1]
    assert len(won) == 1
    messages = until(handle, "exited")
    assert f"answered {won[0]}" in texts(messages)
    assert one(messages, "answer")["text"] == won[0]


def test_prepared_answers_go_to_the_first_questions(start: Start) -> None:
    handle = start("ask:a", "ask:b", "ask:c", "finish", answers=["one", "two"])
    until(handle, "prompt", id="c")
    handle.answer("c", "three")
    messages = until(handle, "exited")
    assert texts(messages) == ["answered one", "answered two", "answered three"]


def test_an_order_larger_than_a_pipe_and_a_client_that_never_reads(start: Start) -> None:
    handle = start("plan", "wait", "finish")
    until(handle, "plan")
    deaf = socket.socket(socket.AF_UNIX)
    deaf.connect(str(socket_path(handle.folder)))
    deaf.setblocking(False)
    asked = b'{"type": "status"}\n' * 3000
    try:
        for _ in range(200):
            deaf.send(asked)
    except OSError:
        pass
    handle.go(outputs={"0": "x" * 3_000_000})
    messages = until(handle, "exited")
    deaf.close()
    assert len(one(messages, "go")["outputs"]["0"]) == 3_000_000
    assert handle.state().state == "finished"


def test_five_runs_at_once(start: Start) -> None:
    handles = [start("plan", "wait", f"print:{n}", "finish") for n in range(5)]
    for handle in handles:
        until(handle, "plan")
    store = handles[0].state().store
    assert {one.run_id for one in live_runs()} == {one.run_id for one in handles}
    assert running_checkpoints(store) == frozenset()
    for handle in handles:
        handle.go()
    for n, handle in enumerate(handles):
        assert texts(until(handle, "exited")) == [str(n)]
    assert {one.state for one in list_runs()} == {"finished"}
    assert len(runs_of(store, "c0")) == 5
    assert runs_of(store + "x", "c0") == []
    assert len(list_runs(limit=2)) == 2


def test_the_newest_checkpoint_of_a_live_run_is_running(start: Start) -> None:
    say = f'say:{{"type": "checkpoint", "id": "{ident(7)}"}}'
    handle = start("plan", "wait", "ask:q", say, "ask:r", "finish")
    until(handle, "plan")
    store = handle.state().store
    handle.go()
    until(handle, "prompt")
    assert running_checkpoints(store) == {"c0"}
    handle.answer("q", "")
    until(handle, "prompt", id="r")
    assert running_checkpoints(store) == {ident(7)}
    assert [one.run_id for one in runs_of(store, ident(7))] == [handle.run_id]
    handle.answer("r", "")
    until(handle, "exited")
    assert running_checkpoints(store) == frozenset()


def test_many_follow_one_run(start: Start) -> None:
    handle = start("plan", "wait", "flood:300000", "finish")
    until(handle, "plan")
    seen: list[list[dict[str, object]]] = [[] for _ in range(4)]

    def read(into: list[dict[str, object]]) -> None:
        into.extend(follow(handle.folder, timeout=30))

    threads = [threading.Thread(target=read, args=(into,)) for into in seen]
    for thread in threads:
        thread.start()
    handle.go()
    for thread in threads:
        thread.join(60)
    assert seen[0][-1]["type"] == "exited"
    assert all(into == seen[0] for into in seen)


def test_following_can_be_stopped(start: Start) -> None:
    handle = start("plan", "wait", "finish")
    stop = threading.Event()
    for message in handle.follow(stop=stop):
        if message["type"] == "plan":
            stop.set()
    assert message["type"] == "plan"


def test_a_socket_path_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREWCHECK_STATE_DIR", str(tmp_path / ("long" * 30)))
    with start_run(spec(tmp_path, "plan", "wait", "finish")) as handle:
        until(handle, "plan")
        path = socket_path(handle.folder)
        assert len(str(path)) < 100
        assert path.parent.stat().st_mode & 0o077 == 0
        handle.go()
        until(handle, "exited")
    assert not path.parent.exists()
    assert not (handle.folder / "control.path").exists()


def test_a_state_folder_that_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CREWCHECK_STATE_DIR", str(tmp_path / "file" / "state"))
    with pytest.raises(CrewcheckError, match="cannot be written: not a directory") as caught:
        start_run(spec(tmp_path, "finish"))
    assert "CREWCHECK_STATE_DIR" in caught.value.hint
    assert list_runs() == []


def test_a_read_only_state_folder(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(CrewcheckError, match="cannot be written: read-only file system"):
        start_run(spec(tmp_path, "finish"))


def test_a_system_that_cannot_run_says_so(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(Refused, match="runs need Linux or macOS"):
        start_run(spec(tmp_path, "finish"))
    assert not state.exists()


def test_a_full_disk_at_the_start_leaves_nothing(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spawn, "_private", refuse)
    with pytest.raises(CrewcheckError, match="no space left on device"):
        start_run(spec(tmp_path, "finish"))
    assert os.listdir(state / "runs") == []


def test_a_supervisor_that_cannot_start_says_why(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunSpec, "to_json", lambda _: b"[]")
    with pytest.raises(CrewcheckError, match="ValueError: a spec is one JSON object") as caught:
        start_run(spec(tmp_path, "finish"))
    assert "supervisor.log" in caught.value.hint
    monkeypatch.setattr(sys, "executable", "/bin/true")
    with pytest.raises(CrewcheckError, match="it said nothing"):
        start_run(spec(tmp_path, "finish"))


def test_runs_are_opened_by_a_part_of_their_id(start: Start) -> None:
    handles = [start("exit:0"), start("exit:0")]
    for handle in handles:
        until(handle, "exited")
    assert open_run(handles[0].run_id[-6:]).run_id == handles[0].run_id
    with pytest.raises(NotFound, match="fits 2 runs"):
        open_run("T")
    with pytest.raises(NotFound, match="there is no run"):
        open_run("../x")
    (handles[0].folder / "spec.json").write_text("[]")
    (handles[0].folder / "status.json").unlink()
    assert [one.run_id for one in list_runs()] == [handles[1].run_id]


def test_a_run_has_one_supervisor(start: Start) -> None:
    from crewcheck.runtimes.supervisor import supervise

    handle = start("plan", "wait", "finish")
    until(handle, "plan")
    with pytest.raises(BlockingIOError):
        supervise(handle.folder)
    handle.abort()
    until(handle, "exited")
    with pytest.raises(FileExistsError):
        supervise(handle.folder)


def test_a_folder_whose_supervisor_never_came(start: Start, state: Path) -> None:
    until(start("exit:0"), "exited")
    folder = run_folders()[0]
    for name in ("journal.jsonl", "lock", "status.json"):
        (folder / name).unlink()
    assert supervisor_lives(folder)  # it may be on its way
    os.utime(folder, (1, 1))
    assert not supervisor_lives(folder)
    assert [one["type"] for one in RunHandle(folder).follow()] == ["failed", "exited"]
