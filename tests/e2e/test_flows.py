"""Flows by the real commands: a bad value is changed, a paused one is answered."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crewcheck.model.document import sorted_events
from crewcheck.model.flow_calls import DONE, calls
from tests.e2e.child.driver import Place, make_place, written
from tests.fake_model import FakeModel


class Shop:
    """The shop's project after a run that came to no end."""

    def __init__(
        self,
        folder: Path,
        python: str,
        model: FakeModel,
        *arguments: str,
        project_file: str = "shop.py",
    ) -> None:
        self.place: Place = make_place(folder, python, model.url, "shop")
        self.place.record(model, project_file, *arguments)
        self.model = model

    @property
    def done(self) -> list[str]:
        return (self.place.project / "done.txt").read_text("utf-8").split()

    @property
    def store(self) -> Path:
        return self.place.project / ".checkpoints"

    @property
    def pending(self) -> int:
        """How many flows wait for an answer."""
        with closing(sqlite3.connect(self.place.project / "desk.db")) as database:
            return int(database.execute("select count(*) from pending_feedback").fetchone()[0])

    @property
    def created(self) -> str:
        """The checkpoint before anything was done."""
        found = [one for one in written(self.store) if one.document["trigger"] == "flow_created"]
        return f"{self.store}#{found[0].id}"

    def state_ids(self, branch: str) -> set[str]:
        """The ids of the flow's state in all checkpoints of a branch."""
        found = [one.document["entities"][0] for one in written(self.store, branch)]
        return {flow["checkpoint_state"]["id"] for flow in found}

    def command(self, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
        """Run crewcheck; its exit code, and what it says with ``--json``."""
        ended = self.place.command(*arguments, "--json")
        return ended.returncode, [json.loads(line) for line in ended.stdout.splitlines()]

    def go_on(
        self, action: str, entry: str | None, *more: str, ref: str = "latest"
    ) -> tuple[int, dict[str, Any]]:
        self.model.reset()
        own = ("--entry", entry) if entry else ()
        arguments = (ref, *own, "--python", self.place.python, "--yes", *more)
        code, said = self.command(action, *arguments)
        return code, said[-1]


def asked(model: FakeModel) -> list[str]:
    return [request.user.partition(" ")[0] for request in model.requests]


@pytest.fixture
def model() -> Any:
    with FakeModel() as one:
        yield one


def test_a_bad_value_in_the_state_is_changed_in_a_fork(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    shop = Shop(tmp_path, crewai_python, model)
    assert shop.done == ["take", "pack"]
    code, ended = shop.go_on("fork", "shop:Shop", "--state", "boxes=4", "--branch", "four")
    assert (code, ended["type"], ended["branch"]) == (0, "finished", "four")
    assert shop.done == ["take", "pack", "pack", "send"]
    assert asked(model) == ["pack", "send"]
    assert model.requests[0].user.startswith("pack 3 into each of 4: ANSWER-")
    assert (
        ended["result"]
        == f"ANSWER-{model.requests[1].key} for: " + " ".join(model.requests[1].user.split())[:40]
    )
    states = {branch: shop.state_ids(branch) for branch in ("main", "four")}
    assert len(states["main"]) == len(states["four"]) == 1
    assert states["main"] != states["four"]


def test_what_fails_again_names_the_newest_checkpoint(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    shop = Shop(tmp_path, crewai_python, model)
    code, failed = shop.go_on("resume", "shop:Shop")
    assert (code, failed["type"]) == (1, "failed")
    assert failed["error"] == "integer division or modulo by zero"
    assert shop.done == ["take", "pack", "pack"]
    newest = max(written(shop.store), key=lambda one: one.path.stat().st_mtime_ns)
    assert failed["checkpoint_id"] == newest.id
    flow = newest.document["entities"][0]
    found = calls(flow, "Shop", sorted_events(newest.document))
    assert [(one.label, one.state, one.cause) for one in found] == [
        ("take", "done", None), ("pack", "failed", 0),
    ]  # fmt: skip


def test_a_mistake_in_the_program_is_corrected_and_the_flow_resumed(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    shop = Shop(tmp_path, crewai_python, model)
    program = shop.place.project / "shop.py"
    text = program.read_text("utf-8")
    program.write_text(text.replace("12 // self.state.boxes", "12 // (self.state.boxes or 1)"))
    code, ended = shop.go_on("resume", "shop:Shop")
    assert (code, ended["type"]) == (0, "finished")
    assert shop.done == ["take", "pack", "pack", "send"]
    assert asked(model) == ["pack", "send"]


@pytest.mark.parametrize("more", [(), ("--arg", "stream")])
def test_its_own_program_goes_on_with_it(
    tmp_path: Path, crewai_python: str, model: FakeModel, more: tuple[str, ...]
) -> None:
    shop = Shop(tmp_path, crewai_python, model)
    program = shop.place.project / "shop.py"
    text = program.read_text("utf-8")
    program.write_text(text.replace("12 // self.state.boxes", "12 // (self.state.boxes or 1)"))
    before = len(written(shop.store))
    code, ended = shop.go_on("resume", None, "--script", "shop.py", *more)
    assert (code, ended["type"]) == (0, "finished")
    assert shop.done == ["take", "pack", "pack", "send"]
    assert asked(model) == ["pack", "send"]
    # making the object again is no part of the run
    new = written(shop.store)[before:]
    assert [one.document["trigger"] for one in new] == ["method_execution_finished"] * 2
    assert all(one.document["parent_id"] for one in new)


def test_an_edited_value_must_fit_the_class_of_the_state(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    shop = Shop(tmp_path, crewai_python, model)
    code, refused = shop.go_on("fork", "shop:Shop", "--state", "boxes=many")
    assert (code, refused["type"], refused["reason"]) == (5, "refused", "state-class")
    assert refused["message"].startswith("the edited state (boxes) does not fit ")
    assert refused["differences"][0].startswith("boxes: Input should be a valid integer")
    assert shop.done == ["take", "pack"]


def test_a_renamed_method_that_is_done_is_refused(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    shop = Shop(tmp_path, crewai_python, model)
    program = shop.place.project / "shop.py"
    text = program.read_text("utf-8")
    program.write_text(
        text.replace("def take", "def accept").replace("listen(take", "listen(accept")
    )
    code, refused = shop.go_on("resume", "shop:Shop", "--allow-changed")
    assert (code, refused["reason"]) == (5, "different-flow")
    assert refused["differences"] == [
        "pack: take set it off, and it waits for accept now",
        "take: it is in the checkpoint, and the project's flow has no such method",
    ]
    assert shop.done == ["take", "pack"]


def test_a_paused_flow_waits_on_and_is_answered(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    shop = Shop(tmp_path, crewai_python, model, "letter")
    assert (shop.done, shop.pending) == (["write", "check"], 1)
    code, paused = shop.go_on("resume", "shop:Letter")  # nobody is there
    assert (code, paused["type"]) == (6, "paused")
    assert (paused["method"], paused["message"]) == ("check", "Shall it be sent?")
    assert paused["outcomes"] == ["yes", "no"]
    assert (shop.done, shop.pending, asked(model)) == (["write", "check"], 1, [])


def test_a_fork_of_a_paused_flow_is_answered_on_its_own(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    shop = Shop(tmp_path, crewai_python, model, "letter")
    code, ended = shop.go_on("fork", "shop:Letter", "--answer", "")
    assert (code, ended["type"]) == (0, "finished")
    assert shop.done == ["write", "check", "post"]  # what was to be checked was known
    assert shop.pending == 1  # the source waits on
    assert [one.user[:18] for one in model.requests] == ["post to be sent: A"]


def test_an_answer_of_the_source_ends_its_waiting(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    shop = Shop(tmp_path, crewai_python, model, "letter")
    code, ended = shop.go_on("resume", "shop:Letter", "--answer", "")
    assert (code, ended["type"]) == (0, "finished")
    assert shop.done == ["write", "check", "post"]  # what was to be checked was known
    assert shop.pending == 0


@pytest.mark.parametrize(
    ("answer", "done", "requests"),
    [
        ("", "post", ["post to be sent: A"]),  # nothing said: the default outcome
        ("<<choose no>>", "burn", ["Based on the follo"]),  # its model tells the outcome
    ],
)
def test_a_flow_that_comes_to_wait_within_the_run_is_answered_at_once(
    tmp_path: Path,
    crewai_python: str,
    model: FakeModel,
    answer: str,
    done: str,
    requests: list[str],
) -> None:
    shop = Shop(tmp_path, crewai_python, model, "letter")
    assert (shop.done, shop.pending) == (["write", "check"], 1)
    ref = shop.created  # before the pause: `check` runs anew, and comes to wait again
    code, paused = shop.go_on("resume", "shop:Letter", ref=ref)
    assert (code, paused["type"]) == (6, "paused")
    assert "notes" not in paused
    assert f"#{paused['checkpoint_id']}' --answer TEXT" in paused["hint"]
    answers = ("--answer", answer, "--answer", "not needed")
    code, ended = shop.go_on("resume", "shop:Letter", *answers, ref=ref)
    assert (code, ended["type"]) == (0, "finished")
    assert ended["notes"] == ["1 answer was not asked for"]
    assert shop.done == [*["write", "check"] * 3, done]
    assert [one.user[:18] for one in model.requests if not one.user.startswith("write")] == requests
    assert shop.pending == 0


def test_an_answer_that_nothing_asks_for_is_said_to_be_left(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    shop = Shop(tmp_path, crewai_python, model, "parcel")
    code, paused = shop.go_on("resume", "shop:Parcel", "--answer", "no")
    assert (code, paused["type"]) == (6, "paused")
    assert paused["notes"] == ["1 answer was not asked for"]
    assert paused["hint"].startswith("the answer given was not used")
    assert "--answer" not in paused["hint"]


@pytest.fixture
def two_flows(tmp_path: Path, crewai_python: str, model: FakeModel) -> Shop:
    shop = Shop(tmp_path, crewai_python, model, project_file="two_flows.py")
    assert shop.done == ["order", "read", "note", "end"]
    return shop


def after(shop: Shop, method: str) -> str:
    """A checkpoint at which a method was the last that had ended."""
    for one in written(shop.store):
        made = calls(one.document["entities"][0], None, sorted_events(one.document))
        done = [call.method for call in made if call.state == DONE]
        if done[-1:] == [method]:
            return one.id
    raise AssertionError(method)


def test_a_flow_that_the_program_runs_before_it_is_not_made_again(two_flows: Shop) -> None:
    shop = two_flows
    code, ended = shop.go_on("resume", None, "--script", "two_flows.py", ref=after(shop, "read"))
    assert (code, ended["type"]) == (0, "finished")
    assert asked(shop.model) == ["note", "end"]
    assert shop.done == ["order", "read", "note", "end", "note", "end"]


def test_what_was_noted_beside_the_state_is_not_taken_for_empty(two_flows: Shop) -> None:
    shop = two_flows
    code, refused = shop.go_on("resume", "two_flows:Second", ref=after(shop, "note"))
    assert (code, refused["reason"]) == (5, "attributes-lost")
    assert refused["differences"] == ["end reads self.notes, which note had set"]
    assert asked(shop.model) == []
    code, ended = shop.go_on("fork", "two_flows:Second", "--rerun", "note", ref=after(shop, "note"))
    assert (code, ended["type"]) == (0, "finished")
    assert asked(shop.model) == ["note", "end"]
    assert shop.model.requests[-1].user.startswith("end of 1: ")
