from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.fork import dump, fork_document, new_id
from crewcheck.errors import Refused
from crewcheck.model.crew import tasks
from crewcheck.model.document import iter_events
from crewcheck.model.edits import Edits
from crewcheck.stores.base import writable
from crewcheck.stores.json_dir import JsonDirStore
from tests.build import agent, crew, document, event, executor, ident, small_store, task


def three() -> dict[str, Any]:
    """Outline, draft and edit, all done, with what the record tells of them."""
    events = [event(1, "crew_kickoff_started", inputs={"topic": "bridges", "n": 3})]
    for place, name in enumerate(("outline", "draft", "edit")):
        start = 2 + 3 * place
        events += [
            event(start, "task_started", task_id=f"task-{name}", parent_event_id="event-1"),
            event(start + 1, "llm_call_completed", parent_event_id=f"event-{start}"),
            event(start + 2, "task_completed", task_id=f"task-{name}", parent_event_id="event-1"),
        ]
    events.append(event(20, "crew_kickoff_completed", started_event_id="event-1"))
    chat = {"messages": [{"role": "user", "content": "Current Task: Edit it"}]}
    return document(
        executor(checkpoint_state=chat),
        crew(
            task("outline", output="An outline"),
            task("draft", output="A draft", prompt_context="An outline", start_time="t"),
            task("edit", output="The end", description="Edit it"),
            agents=[agent("Writer", agent_executor=executor(checkpoint_state=chat))],
        ),
        events=events,
        trigger="crew_kickoff_completed",
        unknown={"kept": [1]},
    )


def forked(edits: Edits, run: list[int], doc: dict[str, Any] | None = None) -> dict[str, Any]:
    return fork_document(doc or three(), source_id="source", branch="b", edits=edits, run=run)


def of_crew(doc: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(e for e in doc["entities"] if e["entity_type"] == "crew")
    return found


def test_a_fork_says_what_it_is_and_leaves_its_source_alone() -> None:
    source = three()
    before = copy.deepcopy(source)
    made = forked(Edits(outputs={0: "Mine"}), [1, 2], source)
    assert source == before
    assert list(made) == [
        "crewai_version", "parent_id", "branch", "crewcheck", "entities", "unknown",
        "event_record", "trigger",
    ]  # fmt: skip
    assert (made["parent_id"], made["branch"], made["trigger"]) == ("source", "b", "fork")
    assert made["unknown"] == {"kept": [1]}
    own = made["crewcheck"]
    assert (own["source"], own["dropped"]) == ("source", [1, 2])
    assert made["entities"][own["primary"]] is of_crew(made)
    (edit,) = own["edits"]
    assert (edit["path"], edit["new"]) == ("tasks.0.output", "Mine")
    assert edit["old"].startswith("sha256:")
    assert "An outline" not in json.dumps(own)


def test_dropped_work_loses_output_events_and_chat() -> None:
    made = forked(Edits(outputs={0: "Mine"}), [1, 2])
    first, second, third = of_crew(made)["tasks"]
    assert first["output"]["raw"] == "Mine"
    assert (second["output"], second["prompt_context"], second["start_time"]) == (None, None, None)
    assert third["output"] is None
    assert [(e["type"], e.get("task_id")) for e in iter_events(made)] == [
        ("crew_kickoff_started", None),
        ("task_started", "task-outline"),
        ("llm_call_completed", None),
        ("task_completed", "task-outline"),
    ]
    assert [e["entity_type"] for e in made["entities"]] == ["crew"]
    assert of_crew(made)["agents"][0]["agent_executor"] is None


def test_what_is_kept_keeps_its_events() -> None:
    made = forked(Edits(), [2])
    kept = {e.get("task_id") for e in iter_events(made)}
    assert kept == {None, "task-outline", "task-draft"}
    assert of_crew(made)["tasks"][1]["output"]["raw"] == "A draft"


def test_links_to_what_is_gone_are_gone() -> None:
    doc = three()
    nodes = doc["event_record"]["nodes"]
    nodes["event-4"]["event"]["previous_event_id"] = "event-5"
    nodes["event-4"]["edges"] = {"next": ["event-5"], "child": ["event-3", "event-6"]}
    made = forked(Edits(), [1, 2], doc)
    node = made["event_record"]["nodes"]["event-4"]
    assert node["edges"] == {"child": ["event-3"]}
    assert node["event"]["previous_event_id"] is None


def test_edited_inputs_keep_their_types_and_fill_the_pending_texts() -> None:
    doc = three()
    crew_ = of_crew(doc)
    crew_["checkpoint_inputs"] = {"topic": "bridges", "n": 3, "same": [1]}
    edits = Edits(inputs={"topic": {"deep": [True, None]}, "same": [1], "new": "3"})
    made = forked(edits, [1, 2], doc)
    assert of_crew(made)["checkpoint_inputs"] == {
        "topic": {"deep": [True, None]}, "n": 3, "same": [1], "new": "3",
    }  # fmt: skip
    assert [edit["path"] for edit in made["crewcheck"]["edits"]] == ["inputs.topic", "inputs.new"]
    texts = [one["description"] for one in of_crew(made)["tasks"]]
    assert texts[0] == "Write an outline about bridges"
    assert texts[1] == "Write an outline about {'deep': [True, None]}"


def test_inputs_of_a_checkpoint_at_the_very_start_come_from_its_event() -> None:
    doc = document(
        crew(task("a"), checkpoint_inputs=None),
        events=[event(1, "crew_kickoff_started", inputs={"topic": "x", "n": 3})],
        trigger="crew_kickoff_started",
    )
    made = forked(Edits(inputs={"topic": "y"}), [0], doc)
    assert of_crew(made)["checkpoint_inputs"] == {"topic": "y", "n": 3}


def test_an_edited_output_that_must_be_json() -> None:
    schema = {"type": "object", "required": ["title"], "properties": {"title": {}}}
    doc = document(crew(task("a", output="{}", output_json=schema), task("b")))
    made = forked(Edits(outputs={0: '{"title": "T"}'}), [1], doc)
    assert of_crew(made)["tasks"][0]["output"]["json_dict"] == {"title": "T"}
    for text, reason in (("hello", "must be JSON"), ("[]", "a JSON object"), ("{}", "title")):
        with pytest.raises(Refused, match=reason):
            forked(Edits(outputs={0: text}), [1], doc)


def test_what_nobody_started_cannot_be_forked() -> None:
    with pytest.raises(Refused, match="only crews, flows and agents"):
        forked(Edits(), [], document(executor()))


def test_a_fork_in_a_folder_store_is_a_checkpoint_of_its_branch(tmp_path: Path) -> None:
    small_store(tmp_path)
    with open_catalog(str(tmp_path)) as catalog:
        node = catalog.forest.by_id[ident(3)][0]
        source = catalog.store.document(node.checkpoint.header)
        path = Path(node.checkpoint.header.location)
        before = path.read_bytes()
        made = fork_document(source, source_id=ident(3), branch="w/x y", edits=Edits(), run=[2])
        written = writable(catalog.store).write(
            dump(made), id=new_id(), parent_id=ident(3), branch="w/x y"
        )
        assert path.read_bytes() == before
        catalog.refresh()
        catalog.read_summaries()
        fork = next(one for one in catalog.checkpoints if one.header.location == written)
    assert (fork.branch, fork.parent_id, fork.status, fork.damage) == (
        "w/x y", ident(3), "stopped", None,
    )  # fmt: skip
    assert fork.summary is not None
    assert (fork.summary.trigger, fork.summary.done, fork.summary.total) == ("fork", 2, 3)
    assert sorted(os.listdir(tmp_path / "w" / "x y")) == [Path(written).name]


def test_an_existing_checkpoint_is_never_replaced(tmp_path: Path) -> None:
    store = JsonDirStore(str(tmp_path))
    store.write(b"{}", id="a", parent_id=None, branch="main")
    with pytest.raises(Refused, match="exists already"):
        store.write(b"[]", id="a", parent_id=None, branch="main")
    assert (tmp_path / "main" / "a_p-none.json").read_bytes() == b"{}"


def test_a_branch_may_not_leave_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "out").mkdir()
    os.symlink(tmp_path / "out", tmp_path / "store" / "b")
    with pytest.raises(Refused, match="would leave"):
        JsonDirStore(str(tmp_path / "store")).write(b"{}", id="a", parent_id=None, branch="b")
    assert os.listdir(tmp_path / "out") == []


def test_odd_links_between_events_do_not_stop_a_fork() -> None:
    source = three()
    nodes = source["event_record"]["nodes"]
    nodes["event-1"]["edges"] = {"odd": [["event-9"], {}, "event-9", None], "dead": ["event-9"]}
    nodes["event-1"]["event"] |= {"previous_event_id": ["event-9"], "triggered_by_event_id": {}}
    made = forked(Edits(), [2], source)["event_record"]["nodes"]
    assert "event-9" not in made
    assert made["event-1"]["edges"] == {"odd": [["event-9"], {}, None]}
    assert made["event-1"]["event"]["previous_event_id"] == ["event-9"]


def test_what_a_fork_has_taken_away_stays_pending_in_a_fork_of_it() -> None:
    first = forked(Edits(keep={1, 2}), [0])
    assert first["crewcheck"]["dropped"] == [0]
    again = forked(Edits(outputs={2: "Another end"}), [0], first)
    assert again["crewcheck"]["dropped"] == [0]
    states = [one.state for one in tasks(again, of_crew(again), [])]
    assert states == ["pending", "done", "done"]


def test_a_task_that_was_skipped_and_is_to_run_is_pending() -> None:
    doc = three()
    of_crew(doc)["tasks"][1]["output"] = None
    assert [one.state for one in tasks(doc, of_crew(doc), [])] == ["done", "skipped", "done"]
    made = forked(Edits(rerun={1}), [1], doc)
    assert [one.state for one in tasks(made, of_crew(made), [])] == ["done", "pending", "done"]
    kept = forked(Edits(), [], doc)
    assert kept["crewcheck"]["dropped"] == []


def test_an_edited_output_has_not_failed() -> None:
    source = three()
    nodes = source["event_record"]["nodes"]
    # a callback of the first task had raised after its output was there
    nodes["event-4"]["event"]["type"] = "task_failed"
    assert nodes["event-4"]["event"]["task_id"] == "task-outline"
    made = forked(Edits(outputs={0: "Mine"}), [1, 2], source)
    types = [one["type"] for one in iter_events(made) if one.get("task_id") == "task-outline"]
    assert types == ["task_started"]
