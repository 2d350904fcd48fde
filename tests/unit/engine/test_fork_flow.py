"""Forks of flows as data: what is edited, what goes, and the state that is gone on with."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from crewcheck.engine.fork import fork_document
from crewcheck.errors import NotFound
from crewcheck.model.document import sorted_events
from crewcheck.model.edits import Edits
from crewcheck.model.flow_calls import calls
from tests.build import Json, crew, document, event, flow, task

IN = {"flow_name": "Shop", "parent_event_id": "event-1"}


def shop() -> Json:
    """``order`` and ``price`` are done, ``pack`` has run a crew and failed."""

    def state(**more: Any) -> Json:
        return {"id": "s", "size": 2, **more}

    events = [
        event(1, "flow_started", flow_name="Shop", inputs={"size": 2}),
        event(2, "method_execution_started", method_name="order", state=state(), **IN),
        event(3, "method_execution_finished", method_name="order", started_event_id="event-2",
              result="bread", state=state(order="bread"), **IN),
        event(4, "method_execution_started", method_name="price", triggered_by_event_id="event-3",
              state=state(order="bread"), **IN),
        event(5, "method_execution_finished", method_name="price", started_event_id="event-4",
              triggered_by_event_id="event-3", result={"sum": 3},
              state=state(order="bread", sum=3), **IN),
        event(6, "method_execution_started", method_name="pack", triggered_by_event_id="event-5",
              state=state(order="bread", sum=3), **IN),
        event(7, "crew_kickoff_started", parent_event_id="event-6", crew_name="packers"),
        event(8, "method_execution_failed", method_name="pack", started_event_id="event-6",
              error="no box", **IN),
        event(9, "flow_finished", parent_event_id="event-1", flow_name="Shop"),
    ]  # fmt: skip
    ahead = state(order="bread", sum=3, box="half")
    entity = flow(
        "price", "order", state=ahead,
        checkpoint_method_outputs=[
            {"method": "order", "output": "bread"}, {"method": "price", "output": {"sum": 3}},
        ],
    )  # fmt: skip
    packers = crew(task("wrap"), checkpoint_kickoff_event_id="event-7")
    return document(entity, packers, events=events, trigger="method_execution_failed")


def forked(edits: Edits, run: list[int], doc: Json | None = None) -> Json:
    return fork_document(doc or shop(), source_id="source", branch="b", edits=edits, run=run)


def of_flow(doc: Json) -> Json:
    return next(one for one in doc["entities"] if one["entity_type"] == "flow")


def state_of(doc: Json) -> Json:
    """The state that is gone on with, but for its id: that is a new one."""
    state = dict(of_flow(doc)["checkpoint_state"])
    assert state.pop("id") not in ("s", None)
    return state


def told(doc: Json) -> list[tuple[str, str, Any]]:
    found = calls(of_flow(doc), "Shop", sorted_events(doc))
    return [(call.label, call.state, call.result) for call in found]


def test_a_changed_state_is_what_the_rest_begins_with() -> None:
    source = shop()
    before = copy.deepcopy(source)
    made = forked(Edits(state={("size",): 5, ("box",): "big"}), [2], source)
    assert source == before
    entity = of_flow(made)
    # the state after the last finished method, not what the failed one had begun with it
    assert state_of(made) == {"size": 5, "order": "bread", "sum": 3, "box": "big"}
    nodes = made["event_record"]["nodes"]
    assert nodes["event-5"]["event"]["state"] == entity["checkpoint_state"]
    assert told(made) == [("order", "done", "bread"), ("price", "done", {"sum": 3})]
    assert sorted(entity["checkpoint_completed_methods"]) == ["order", "price"]
    # the failed attempt is gone, with its crew and the end of the flow
    assert list(nodes) == ["event-1", "event-2", "event-3", "event-4", "event-5"]
    assert [one["entity_type"] for one in made["entities"]] == ["flow"]
    paths = [(one["path"], one["new"]) for one in made["crewcheck"]["edits"]]
    assert paths == [("state.size", 5), ("state.box", "big")]


def test_an_edited_result_takes_what_followed_back() -> None:
    made = forked(Edits(results={0: "cake"}), [1, 2])
    entity = of_flow(made)
    assert told(made) == [("order", "done", "cake")]
    assert entity["checkpoint_completed_methods"] == ["order"]
    assert entity["checkpoint_method_outputs"] == [{"method": "order", "output": "cake"}]
    assert entity["checkpoint_method_counts"] == {"order": 1}
    assert state_of(made) == {"size": 2, "order": "bread"}
    assert made["crewcheck"]["dropped"] == ["price"]


def test_what_was_under_way_is_not_done_though_the_flow_says_so() -> None:
    """CrewAI copies what the flow says of itself a moment later."""
    source = shop()
    of_flow(source)["checkpoint_completed_methods"].append("pack")
    of_flow(source)["checkpoint_method_outputs"].append({"method": "pack", "output": "boxed"})
    doc = forked(Edits(results={0: "cake"}), [1, 2], source)
    assert of_flow(doc)["checkpoint_completed_methods"] == ["order"]
    assert told(doc) == [("order", "done", "cake")]


def test_a_failed_method_can_be_given_its_result() -> None:
    made = forked(Edits(results={2: "packed"}), [])
    assert told(made) == [
        ("order", "done", "bread"), ("price", "done", {"sum": 3}), ("pack", "done", "packed"),
    ]  # fmt: skip
    event = made["event_record"]["nodes"]["event-8"]["event"]
    assert (event["type"], "error" in event) == ("method_execution_finished", False)
    entity = of_flow(made)
    assert event["state"] == entity["checkpoint_state"]
    assert state_of(made) == {"size": 2, "order": "bread", "sum": 3}
    assert entity["checkpoint_method_counts"] == {"order": 1, "price": 1, "pack": 1}
    assert entity["checkpoint_method_outputs"][-1] == {"method": "pack", "output": "packed"}


def test_a_method_under_way_can_be_given_its_result() -> None:
    doc = shop()
    del doc["event_record"]["nodes"]["event-8"]
    made = forked(Edits(results={2: "packed"}), [], doc)
    assert told(made)[2] == ("pack", "done", "packed")


def test_a_fork_without_edits_keeps_what_was_under_way() -> None:
    made = forked(Edits(), [2])
    assert set(made["event_record"]["nodes"]) == {f"event-{n}" for n in range(1, 9)}
    assert len(made["entities"]) == 2
    assert state_of(made) == {"size": 2, "order": "bread", "sum": 3, "box": "half"}
    # the newest finished call is what is gone on from: its state is exact, its id is the fork's
    gone_on_with = made["event_record"]["nodes"]["event-5"]["event"]["state"]
    assert gone_on_with == {"size": 2, "order": "bread", "sum": 3, "id": gone_on_with["id"]}
    assert gone_on_with["id"] == of_flow(made)["checkpoint_state"]["id"]


def test_each_fork_has_a_state_id_of_its_own() -> None:
    ids = {of_flow(forked(Edits(), [2]))["checkpoint_state"]["id"] for _ in range(2)}
    assert len(ids) == 2
    own = forked(Edits(state={("id",): "mine"}), [2])
    assert of_flow(own)["checkpoint_state"]["id"] == "mine"


def test_run_from_the_start_begins_with_the_inputs() -> None:
    made = forked(Edits(inputs={"size": 9}), [0, 1, 2])
    entity = of_flow(made)
    assert state_of(made) == {"size": 9}
    assert entity["checkpoint_completed_methods"] == []
    assert list(made["event_record"]["nodes"]) == ["event-1"]
    assert made["event_record"]["nodes"]["event-1"]["event"]["inputs"] == {"size": 9}
    assert made["crewcheck"]["edits"][0]["path"] == "inputs.size"


def test_a_changed_input_of_a_flow_whose_first_method_has_begun() -> None:
    doc = shop()
    nodes = doc["event_record"]["nodes"]
    for number in range(3, 10):
        del nodes[f"event-{number}"]
    of_flow(doc).update(checkpoint_completed_methods=[], checkpoint_method_outputs=[])
    made = of_flow(forked(Edits(inputs={"size": 7}), run=[0], doc=doc))
    # not what the method had made of it in the meantime
    assert {**made["checkpoint_state"], "id": "s"} == {"id": "s", "size": 7}


def test_bare_outputs_of_older_versions() -> None:
    doc = shop()
    of_flow(doc)["checkpoint_method_outputs"] = ["bread", {"sum": 3}]
    assert of_flow(forked(Edits(results={0: "cake"}), [1, 2], doc))[
        "checkpoint_method_outputs"
    ] == ["cake"]


def test_a_place_that_is_not_there_is_refused() -> None:
    with pytest.raises(NotFound, match='the state has no "lag"; there are id, size, order, sum'):
        forked(Edits(state={("lag", "0"): 1}), [2])
