"""Forks of agents as data: another question, and what CrewAI had let go of."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.data_plan import decide_from_data
from crewcheck.engine.fork import fork_document
from crewcheck.engine.source import Source, read_source
from crewcheck.errors import Refused, UsageProblem
from crewcheck.model.agent import AgentRun, agent_run
from crewcheck.model.document import mapping, sorted_events
from crewcheck.model.edits import Edits
from crewcheck.model.primary import primary
from tests.build import Json, document, event, executor, ident, write
from tests.unit.model.test_agent import ANSWERED, ASKED, alone, answered, asked


def poem(*more: Json, trigger: str = ASKED) -> Json:
    """The poet has been asked, and a model has said something to it."""
    said = {"parent_event_id": "event-2", "call_id": "c", "call_type": "llm_call"}
    events = [
        asked(1, "Poet", "Rhyme?"),
        event(2, "flow_started", parent_event_id="event-1"),
        event(3, "llm_call_started", **said),
        event(4, "llm_call_completed", response="Rain.", usage={"total_tokens": 7}, **said),
        *more,
    ]
    return document(alone("Poet"), executor(), events=events, trigger=trigger)


def done() -> Json:
    return poem(answered(5, "Poet", 1, "Rain."), trigger=ANSWERED)


def forked(doc: Json, edits: Edits, run: list[int]) -> dict[str, Any]:
    before = copy.deepcopy(doc)
    made = fork_document(doc, source_id="s", branch="b", edits=edits, run=run)
    assert doc == before
    return made


def run_of(doc: dict[str, Any]) -> AgentRun:
    events = sorted_events(doc)
    return agent_run(doc, mapping(primary(doc, events)), events)


def kinds(doc: dict[str, Any]) -> list[Any]:
    return [one["type"] for one in sorted_events(doc)]


def test_another_question_leaves_nothing_of_the_old_one() -> None:
    made = forked(done(), Edits(inputs={"question": "Prose?"}), [0])
    assert run_of(made) == AgentRun("event-1", "Prose?", None, None)
    assert kinds(made) == [ASKED]
    assert [one["entity_type"] for one in made["entities"]] == ["agent"]
    edit = made["crewcheck"]["edits"][0]
    assert (edit["path"], edit["new"]) == ("inputs.question", "Prose?")
    assert made["crewcheck"]["dropped"] == [0]


def test_a_run_under_way_keeps_what_models_had_said() -> None:
    made = forked(poem(), Edits(), [0])
    assert kinds(made) == kinds(poem())
    assert run_of(made) == AgentRun("event-1", "Rhyme?", None, None)


def test_a_failed_run_that_is_tried_again_has_not_failed() -> None:
    info = {"id": "agent-Poet"}
    failed = event(
        5, "lite_agent_execution_error", agent_info=info, error="?", started_event_id="event-1"
    )
    made = forked(poem(failed), Edits(), [0])
    assert run_of(made).error is None
    assert "llm_call_completed" in kinds(made)


def test_a_fork_that_keeps_the_answer_is_finished() -> None:
    made = forked(done(), Edits(), [])
    assert run_of(made).answer == "Rain."


def test_a_question_is_written_down_where_crewai_had_let_go_of_it() -> None:
    doc = document(alone("Poet"), events=[answered(5, "Poet", 1, "Rain.")], trigger=ANSWERED)
    made = forked(doc, Edits(inputs={"question": "Prose?"}), [0])
    assert run_of(made) == AgentRun("event-1", "Prose?", None, None)
    assert made["event_record"]["nodes"]["event-1"]["event"]["timestamp"] == (
        "2026-11-29T17:42:05.000000Z"
    )


def test_an_answer_cannot_be_edited() -> None:
    with pytest.raises(Refused, match="nothing would run on another one; ask it something else"):
        forked(done(), Edits(outputs={0: "Snow."}), [])


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"topic": "x"}, "is given a question, and nothing called topic"),
        ({"question": 3}, "must be a text, or a list of messages"),
        ({"question": " "}, "must be a text"),
        ({"question": [{"content": "no role"}]}, "must be a text"),
    ],
)
def test_what_is_no_question_is_refused(inputs: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageProblem, match=said):
        forked(done(), Edits(inputs=inputs), [0])


def source(root: Path, id: str) -> Source:
    with open_catalog(str(root)) as catalog:
        return read_source(catalog, catalog.forest.by_id[id][0])


END = ident(3, 2)


def store(root: Path) -> Path:
    """As CrewAI writes them: the last two without parent, question and calls."""
    write(root, poem(), ident(1))
    judged = event(6, "llm_guardrail_started", parent_event_id="event-1")
    lost = document(alone("Poet"), events=[judged], trigger="llm_guardrail_started")
    write(root, lost, ident(2))
    # of the same second, and so in no order
    end = document(alone("Poet"), events=[answered(8, "Poet", 1, "Rain.")], trigger=ANSWERED)
    write(root, end, END)
    return root


def test_what_a_checkpoint_lacks_is_taken_from_those_before_it(tmp_path: Path) -> None:
    found = source(store(tmp_path), ident(2))
    assert found.mended
    assert found.inputs == {"question": "Rhyme?"}
    assert (found.done, found.pending, found.tokens.total) == (0, True, 7)
    assert kinds(found.document) == [
        ASKED, "flow_started", "llm_call_started", "llm_call_completed", "llm_guardrail_started",
    ]  # fmt: skip


def test_a_finished_one_has_its_question_again(tmp_path: Path) -> None:
    found = source(store(tmp_path), END)
    assert (found.done, found.pending, found.result) == (1, False, "Rain.")
    assert found.inputs == {"question": "Rhyme?"}


def test_nothing_is_taken_from_another_run_or_what_came_later(tmp_path: Path) -> None:
    store(tmp_path)
    other = event(6, "llm_guardrail_started", parent_event_id="event-0")
    lost = document(alone("Poet", 0) | {"id": "agent-2"}, events=[other], trigger=None)
    write(tmp_path, lost, ident(4))
    found = source(tmp_path, ident(4))
    assert not found.mended
    assert found.inputs == {}
    whole = source(tmp_path, ident(1))
    assert not whole.mended


def test_the_plan_of_an_agent_is_one_item(tmp_path: Path) -> None:
    store(tmp_path)

    def planned(id: str, edits: Edits) -> list[tuple[int, str, str, str]]:
        made = decide_from_data(source(tmp_path, id), edits, None)
        return [(one.index, one.label, one.action, one.rule) for one in made]

    assert planned(ident(1), Edits()) == [(0, "Poet", "run", "under-way")]
    assert planned(END, Edits()) == [(0, "Poet", "keep", "recorded")]
    edits = Edits(inputs={"question": "Prose?"})
    assert planned(END, edits) == [(0, "Poet", "run", "input-changed")]
    assert planned(END, Edits(inputs={"question": "Rhyme?"}))[0][2] == "keep"
    assert planned(END, Edits(rerun={0})) == [(0, "Poet", "run", "rerun-by-wish")]
