"""What is said to be different between two checkpoints."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewcheck.engine.comparable import comparable, schema
from crewcheck.engine.diff import Comparison, Edit, Item, Side, compare, edits_in
from crewcheck.engine.diff_text import GONE, NEW, Part
from crewcheck.engine.json_patch import patch
from crewcheck.engine.redaction import Redactor
from crewcheck.model.json_values import same_json
from tests import build
from tests.unit.engine.test_json_patch import apply

Json = dict[str, Any]


def compared(old: Json, new: Json, **more: Any) -> Comparison:
    redactor = Redactor(show=more.pop("show", False))
    return compare(Side(old, edits_in(old)), Side(new, edits_in(new)), redactor, **more)


def told(items: list[Item] | tuple[Item, ...]) -> list[tuple[Any, ...]]:
    """``(kind, label, what: old -> new, ...)`` of each item."""
    return [
        (
            item.kind,
            item.label,
            *(
                f"{one.what}: {json.dumps(one.old)} -> {json.dumps(one.new)}".removeprefix(": ")
                for one in item.changes
            ),
        )
        for item in items
    ]


def crew_of(*tasks: Json, **more: Any) -> Json:
    return build.document(build.crew(*tasks, **more))


def test_the_same_checkpoint() -> None:
    document = crew_of(build.task("a", output="x"))
    found = compared(document, copy.deepcopy(document), everything=True)
    assert found.same
    assert (found.spent_old.events, found.notes) == (0, ())


def test_what_is_new_in_each_run_does_not_count() -> None:
    one = build.document(
        build.crew(
            build.task("a", output="x", id="1", start_time="2026", security_config={"a": 1})
        ),
        events=[build.event(1, "task_started")],
        parent="p",
    )
    two = build.document(
        build.crew(build.task("a", output="x", id="2", start_time="2027"), id="crew-2"),
        events=[build.event(7, "task_started")],
        parent="q",
    )
    two["entities"].append(build.executor())
    assert compared(one, two).same
    assert same_json(comparable(one), comparable(two))
    everything = compared(one, two, everything=True)
    assert {item.section for item in everything.items} == {"document"}
    assert "parent_id" in [item.label for item in everything.items]


def test_header() -> None:
    old = crew_of(build.task("a"), build.task("b"))
    new = build.document(
        build.crew(build.task("a", output="x"), build.task("b", output="y")),
        branch="exp", trigger="crew_kickoff_completed", version="1.15.31",
    )  # fmt: skip
    assert told(compared(old, new).section("checkpoint")) == [
        ("changed", "branch", '"main" -> "exp"'),
        ("changed", "trigger", '"task_completed" -> "crew_kickoff_completed"'),
        ("changed", "status", '"stopped" -> "finished"'),
        ("changed", "version", '"1.15.30" -> "1.15.31"'),
        ("changed", "progress", '"0/2" -> "2/2"'),
    ]


def test_inputs_have_types() -> None:
    old = crew_of(checkpoint_inputs={"n": 3, "same": 1, "gone": None, "deep": {"a": [1, 2]}})
    new = crew_of(checkpoint_inputs={"n": "3", "same": 1, "new": True, "deep": {"a": [1, 3]}})
    assert told(compared(old, new).section("inputs")) == [
        ("removed", "gone", "null -> null"),
        ("added", "new", "null -> true"),
        ("changed", "n", '3 -> "3"'),
        ("changed", "deep.a.1", "2 -> 3"),
    ]


def test_tasks_by_identity() -> None:
    a, b, c = (build.task(one, output=f"out {one}", description=f"Do {one}") for one in "abc")
    new_task = build.task("new", description="Do something else")
    found = compared(crew_of(a, b, c), crew_of(new_task, c, a)).section("tasks")
    assert [(one.kind, one.label, one.old_index, one.new_index) for one in found] == [
        ("added", "new", None, 0),
        ("moved", "a", 0, 2),
        ("removed", "b", 1, None),
    ]


def test_a_task_in_full() -> None:
    old = build.task("a", output="The pears are boiled", agent="Cook", human_input=False)
    new = build.task("a", output="The apples are boiled", agent="Waiter", human_input=True)
    new["expected_output"] = "a list"
    (item,) = compared(crew_of(old), crew_of(new)).section("tasks")
    assert (item.path, item.rule) == ("tasks.0", "id")
    assert told([item])[0][2:] == (
        'agent: "Cook" -> "Waiter"',
        'expected output: "text" -> "a list"',
        'output: "The pears are boiled" -> "The apples are boiled"',
        "human_input: false -> true",
    )
    text = item.changes[2].text
    assert text is not None
    assert [part for part in text.parts if part.op in (GONE, NEW)] == [
        Part(GONE, "pears"),
        Part(NEW, "apples"),
    ]


def test_pending_and_done() -> None:
    (item,) = compared(crew_of(build.task("a")), crew_of(build.task("a", output=""))).section(
        "tasks"
    )
    assert told([item])[0][2:] == ('status: "pending" -> "done"', 'output: null -> ""')


def test_agents_and_their_models() -> None:
    old, new = build.agent("Cook", id="1"), build.agent("Cook", id="2")
    new["llm"] = old["llm"] | {"model": "gpt-5", "base_url": "http://else", "temperature": 0.2}
    found = compared(crew_of(agents=[old]), crew_of(agents=[new, build.agent("Waiter")]))
    assert told(found.section("agents")) == [
        (
            "changed", "Cook",
            'base_url: null -> "http://else"', "temperature: null -> 0.2",
            'model: "gpt-4o-mini" -> "gpt-5"',
        ),
        ("added", "Waiter"),
    ]  # fmt: skip


def test_flow_state_by_path() -> None:
    old = build.flow("a", state={"id": "1", "count": 1, "gone": 0, "items": [{"id": "x", "n": 1}]})
    new = build.flow(
        "a", state={"id": "2", "count": "1", "new": {}, "items": [{"id": "x", "n": 2}]}
    )
    assert told(compared(build.document(old), build.document(new)).section("state")) == [
        ("removed", "gone", "0 -> null"),
        ("added", "new", "null -> {}"),
        ("changed", "count", '1 -> "1"'),
        ("changed", "items.0.n", "1 -> 2"),
    ]


def test_methods() -> None:
    def ran(number: int, name: str, result: Any) -> list[Json]:
        return [
            build.event(number, "method_execution_started", method_name=name),
            build.event(number + 1, "method_execution_finished", method_name=name, result=result),
        ]

    old = build.document(build.flow("a"), events=ran(1, "a", {"n": 1}))
    new = build.document(
        build.flow("a", "b"), events=[*ran(1, "a", {"n": 2}), *ran(3, "a", "x"), *ran(5, "b", "y")]
    )
    assert told(compared(old, new).section("methods")) == [
        (
            "changed", "a", "calls: 1 -> 2", 'output of call 2: null -> "x"',
            "output of call 1 n: 1 -> 2",
        ),
        ("added", "b", 'state: null -> "done"', "calls: null -> 1", 'output: null -> "y"'),
    ]  # fmt: skip
    # CrewAI keeps the completed ones in a set
    order = [build.document(build.flow(*names)) for names in ("ab", "ba")]
    assert compared(*order).same


def test_a_crew_within_a_flow() -> None:
    old, new = (
        build.document(build.flow("a"), build.crew(build.task("t", output=text), checkpoint=None))
        for text in ("x", "y")
    )
    assert told(compared(old, new).items) == [("changed", "newsroom: t", 'output: "x" -> "y"')]


def test_an_agent() -> None:
    def asked(answer: str) -> Json:
        events = [
            build.event(1, "lite_agent_execution_started", messages="Which?"),
            build.event(2, "lite_agent_execution_completed", output=answer),
        ]
        return build.document(build.agent(crew=None), events=events)

    assert told(compared(asked("This"), asked("That")).items) == [
        ("changed", "answer", '"This" -> "That"')
    ]


def test_different_kinds_are_said_plainly() -> None:
    found = compared(crew_of(build.task("a")), build.document(build.flow("a")))
    assert found.notes == (
        "they are of different kinds, crew and flow: only what both have is compared",
    )
    assert told(found.items)[0] == ("changed", "kind", '"crew" -> "flow"')
    assert not found.section("tasks")


def test_events_tokens_and_time_between() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 2}
    first = [build.event(1, "task_started")]
    more = [build.event(2, "llm_call_completed", usage=usage), build.event(5, "task_completed")]
    found = compared(
        build.document(build.crew(), events=first),
        build.document(build.crew(), events=first + more),
    )
    assert told(found.section("events")) == [
        ("changed", "events", "llm_call_completed: null -> 1", "task_completed: null -> 1"),
        (
            "changed", "tokens",
            "prompt: 0 -> 5", "completion: 0 -> 2", "total: 0 -> 7", "calls: 0 -> 1",
        ),
    ]  # fmt: skip
    assert found.spent_old.events == 0
    assert (found.spent_new.events, found.spent_new.tokens.total, found.spent_new.seconds) == (
        2,
        7,
        3,
    )


def test_a_persons_edit_is_told() -> None:
    old = crew_of(build.task("a", output="x"), build.task("b", output="y"))
    new = crew_of(build.task("a", output="mine"), build.task("b", output="z"))
    new["entities"][0]["checkpoint_inputs"] = {"topic": "dams"}
    edits = (
        Edit("tasks.0.output", "mine"),
        Edit("inputs.topic", "dams"),
        Edit("tasks.1.output", "q"),
    )
    found = compare(Side(old), Side(new, edits), Redactor())
    assert [(item.label, [one.edited for one in item.changes]) for item in found.items] == [
        ("topic", ["new"]),
        ("a", ["new"]),
        ("b", [None]),
    ]
    back = compare(Side(new, edits), Side(old), Redactor())
    assert [one.changes[0].edited for one in back.items] == ["old", "old", None]


def test_schemas_are_compared_by_their_meaning() -> None:
    one = {"type": "object", "required": ["a", "b"], "properties": {"a": {}, "b": {}}}
    other = {"properties": {"b": {}, "a": {}}, "required": ["b", "a"], "type": "object"}
    docs = [crew_of(build.task("a", output_json=this)) for this in (one, other, json.dumps(one))]
    assert compared(docs[0], docs[1]).same
    assert compared(docs[0], docs[2]).same
    changed = crew_of(build.task("a", output_json=one | {"required": ["a"]}))
    (item,) = compared(docs[0], changed).items
    assert told([item])[0][2:] == ('output_json.required.1: "b" -> null',)
    deep: Any = {}
    for _ in range(2_000):
        deep = {"properties": deep}
    assert schema(deep) is not None
    assert schema("{not json") == "{not json"


def test_settings_that_nobody_thought_of() -> None:
    old = crew_of(build.task("a"), planning=False, step_callback=None)
    new = crew_of(build.task("a"), planning=True) | {"odd": 1}
    found = compared(old, new)
    assert told(found.items) == [
        ("changed", "planning", "false -> true"),
        ("added", "odd", "null -> 1"),
    ]


def test_redaction_hides_the_value_and_not_the_difference() -> None:
    def keyed(key: str) -> Json:
        agent = build.agent()
        agent["llm"] = agent["llm"] | {"api_key": key}
        return crew_of(build.task("a", output=f"password: {key}"), agents=[agent])

    found = compared(keyed("hunter2!x"), keyed("hunter3!y"))
    changes = [one for item in found.items for one in item.changes]
    assert [(one.what, one.hidden, one.text) for one in changes] == [
        ("output", True, None),
        ("llm.api_key", True, None),
    ]
    assert "hunter" not in repr(found)
    shown = compared(keyed("hunter2!x"), keyed("hunter3!y"), show=True)
    assert "hunter2" in repr(shown)
    assert not any(one.hidden for item in shown.items for one in item.changes)


def test_a_secret_is_known_by_what_lies_beside_it() -> None:
    def stated(value: str) -> Json:
        return build.document(build.flow(state={"env": [{"name": "API_KEY", "value": value}]}))

    found = compared(stated("abcdefgh12"), stated("abcdefgh34"))
    assert "abcdefgh" not in repr(found)
    assert found.items[0].changes[0].hidden


@pytest.mark.parametrize("odd", [{}, {"entities": 1}, {"entities": []}, {"entities": [{}]}])
def test_any_json_object(odd: Json) -> None:
    assert compared(odd, odd).same
    assert not compared(odd, crew_of(build.task("a"))).same


TEXTS = st.sampled_from(["x", "y", "a b", ""])
TASKS = st.lists(
    st.builds(
        lambda name, output, text, more: build.task(name, output=output, description=text, **more),
        st.sampled_from(["a", "b", None]),
        st.one_of(st.none(), TEXTS),
        TEXTS,
        st.fixed_dictionaries({"markdown": st.booleans(), "id": st.sampled_from("1234")}),
    ),
    max_size=4,
)
EVENTS = st.lists(
    st.builds(
        build.event, st.integers(1, 9), st.sampled_from(["task_started", "llm_call_completed"])
    ),
    max_size=4,
)
DOCUMENTS = st.builds(
    lambda tasks, inputs, events, branch, agents: build.document(
        build.crew(*tasks, checkpoint_inputs=inputs, agents=[build.agent(one) for one in agents]),
        events=events,
        branch=branch,
    ),
    TASKS,
    st.dictionaries(st.sampled_from("ab"), st.one_of(TEXTS, st.integers(0, 1)), max_size=2),
    EVENTS,
    st.sampled_from(["main", "exp"]),
    st.lists(st.sampled_from(["Cook", "Waiter"]), max_size=2),
)


@given(DOCUMENTS, DOCUMENTS)
def test_nothing_that_can_be_compared_is_left_out(old: Json, new: Json) -> None:
    found = compared(old, new)
    if not same_json(comparable(old), comparable(new)):
        assert not found.same
    assert same_json(apply(patch(old, new), old), new)
    assert same_json(
        apply(patch(comparable(old), comparable(new)), comparable(old)), comparable(new)
    )
    assert compared(old, new, everything=True).same == same_json(old, new)
