"""The user's own program with the recording armed; prompts; signals."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import pytest

from tests.e2e.child.conftest import Start
from tests.e2e.child.driver import Place, Written, written
from tests.fake_model import FakeModel

At = Callable[..., Written]
Run = tuple[Place, list[str], str]


def test_a_script_blocks_at_its_kickoff_and_goes_on(
    zoo: Place, zoo_run: Run, at: At, start: Start, model: FakeModel
) -> None:
    child = start(zoo, at(2), script="zoo.py")
    loaded = child.until("loaded")
    assert loaded["ran_before"] is True
    plan = child.plan()
    assert [(one["rule"], one["where"]) for one in plan["warnings"]] == [("ran-before", "zoo.py")]
    assert "before the kickoff" in child.log
    assert "result" not in child.log
    child.go(plan)
    assert child.end()["result"] == zoo_run[2]
    assert model.keys == zoo_run[1][2:]
    assert f"result {zoo_run[2]}" in child.log
    assert "after the kickoff" in child.log


@pytest.mark.parametrize("args", [[], ["places"]], ids=["by name", "by place"])
def test_edited_inputs_win_over_the_scripts(
    zoo: Place, at: At, start: Start, model: FakeModel, args: list[str]
) -> None:
    edits = {"animal": "eel"}
    child = start(zoo, at(1), script="zoo.py", args=args, action="fork", branch="eel", inputs=edits)
    child.go(child.plan(), inputs=edits)
    assert child.end()["type"] == "finished"
    assert "Watch the eel" in model.requests[0].user


def test_no_to_the_plan_ends_the_script_there(zoo: Place, at: At, start: Start) -> None:
    child = start(zoo, at(2), script="zoo.py")
    child.plan()
    child.send("abort")
    assert child.end()["reason"] == "aborted"
    assert "after the kickoff" not in child.log


def test_another_kickoff_before_is_refused_unless_allowed(
    zoo: Place, zoo_run: Run, at: At, start: Start, model: FakeModel
) -> None:
    child = start(zoo, at(3), script="zoo.py", args=["other"])
    message = child.end()
    assert message["reason"] == "before-the-match"
    assert "--allow-before" in message["hint"]
    assert model.requests == []
    allowed = start(zoo, at(3), script="zoo.py", args=["other"], allow_before=True)
    allowed.go(allowed.plan())
    assert allowed.end()["result"] == zoo_run[2]
    assert len(model.requests) == 2


def test_other_inputs_are_no_match(zoo: Place, at: At, start: Start, model: FakeModel) -> None:
    path = zoo.project / "zoo.py"
    path.write_text(path.read_text("utf-8").replace('"otter"', '"eel"'), encoding="utf-8")
    message = start(zoo, at(3), script="zoo.py").end()
    assert message["reason"] == "before-the-match"
    assert message["differences"] == [
        "input animal: 'otter' in the checkpoint, 'eel' in the program"
    ]
    assert model.requests == []


def test_a_script_that_never_kicks_it_off_has_failed(zoo: Place, at: At, start: Start) -> None:
    child = start(zoo, at(3), script="zoo.py", args=["never"])
    message = child.end()
    assert message["type"] == "failed"
    assert message["error_type"] == "NeverMatched"
    assert child.process.returncode == 1


def test_a_failure_that_the_script_passes_over_is_told(
    zoo: Place, at: At, start: Start, model: FakeModel
) -> None:
    code = (
        "from zoo import INPUTS, crew\n"
        "try:\n    crew.kickoff(inputs=INPUTS)\nexcept Exception:\n    print('never mind')\n"
    )
    code = "import atexit\natexit.register(print, 'put away')\n" + code
    (zoo.project / "careless.py").write_text(code, encoding="utf-8")
    model.fail("Report on all", status=400)
    child = start(zoo, at(3), script="careless.py")
    child.go(child.plan())
    assert child.end()["type"] == "failed"
    assert "never mind" in child.log
    assert "put away" in child.log


def test_a_program_goes_on_behind_a_finished_kickoff(
    zoo: Place, zoo_run: Run, at: At, start: Start, model: FakeModel
) -> None:
    child = start(zoo, at(4, "crew_kickoff_completed"), script="zoo.py")
    plan = child.plan()
    assert plan["nothing_to_run"] is False
    assert {item["action"] for item in plan["items"]} == {"keep"}
    assert [one["rule"] for one in plan["warnings"]] == ["ran-before", "program-goes-on"]
    assert "after the kickoff" not in child.log
    child.go(plan)
    assert child.end()["result"] == zoo_run[2]
    assert model.requests == []
    assert "after the kickoff" in child.log


def test_input_becomes_a_prompt(zoo: Place, at: At, start: Start) -> None:
    child = start(zoo, at(3), script="zoo.py", args=["asks"])
    prompt = child.until("prompt")
    assert (prompt["message"], prompt["kind"]) == ("Your name?", "human_input")
    child.send("answer", id=prompt["id"], text="Ada")
    child.go(child.plan())
    assert child.end()["type"] == "finished"
    assert "heard Ada" in child.log


def test_human_input_of_a_task(zoo: Place, at: At, start: Start, model: FakeModel) -> None:
    code = "from zoo import crew\ncrew.tasks[3].human_input = True\n"
    (zoo.project / "asking.py").write_text(code, encoding="utf-8")
    child = start(zoo, at(3), entry="asking:crew")
    child.go(child.plan())
    prompt = child.until("prompt")
    child.send("answer", id=prompt["id"], text="shorter, please")
    prompt = child.until("prompt")
    child.send("answer", id=prompt["id"], text="")
    assert child.end()["type"] == "finished"
    assert "shorter, please" in str(model.requests[-1].messages)


def test_sigint_leaves_a_valid_newest_checkpoint(
    zoo: Place, zoo_run: Run, at: At, start: Start, model: FakeModel
) -> None:
    model.hold("Report on all")
    child = start(zoo, at(2), entry="zoo:crew")
    child.go(child.plan())
    child.until("event", event="llm_call_started")
    _wait_for(lambda: any(request.status == 0 for request in model.requests))
    began = time.monotonic()
    child.signal(signal.SIGINT)
    ended = child.end()
    assert time.monotonic() - began < 5
    assert ended["type"] == "interrupted"
    assert ended["signal"] == "SIGINT"
    assert child.process.returncode == 130
    newest = written(zoo.project / ".checkpoints")[-1]
    assert ended["checkpoint_id"] == newest.id
    assert newest.done == [0, 1, 2]
    model.reset()
    again = start(zoo, newest, entry="zoo:crew")
    again.go(again.plan())
    assert again.end()["result"] == zoo_run[2]
    assert model.keys == zoo_run[1][3:]


def test_a_supervisor_that_is_gone_does_not_stop_a_run(
    zoo: Place, at: At, start: Start, model: FakeModel
) -> None:
    child = start(zoo, at(1), entry="zoo:crew")
    child.go(child.plan())
    child.until("started")
    child.hang_up(all_of_it=True)
    assert child.process.wait(30) == 0
    assert written(zoo.project / ".checkpoints")[-1].done == [0, 1, 2, 3]


def _wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)
