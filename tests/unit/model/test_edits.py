from __future__ import annotations

from typing import Any

import pytest

from crewcheck.errors import NotFound, UsageProblem
from crewcheck.model.crew import tasks
from crewcheck.model.edits import (
    Edits,
    changed_inputs,
    find_task,
    parse_input,
    parse_inputs_file,
    state_changes,
)
from crewcheck.model.json_path import REMOVED, changed_at
from crewcheck.model.json_values import same_json
from tests.build import crew, document, task


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("n=3", 3),
        ('n="3"', "3"),
        ("n=3.5", 3.5),
        ("n=true", True),
        ("n=null", None),
        ("n=[1, {}]", [1, {}]),
        ("n=hello = world", "hello = world"),
        ("n=", ""),
        ("n=NaN", "NaN"),
        ("n=  padded ", "  padded "),
        ("n=[broken", "[broken"),
    ],
)
def test_a_value_is_json_where_it_is_json(text: str, value: Any) -> None:
    key, found = parse_input(text)
    assert key == "n"
    assert same_json(found, value)


@pytest.mark.parametrize("text", ["", "n", "=3"])
def test_what_is_no_input(text: str) -> None:
    with pytest.raises(UsageProblem):
        parse_input(text)


@pytest.mark.parametrize(
    ("text", "says"), [("{", "line 1"), ("[]", "one JSON object"), ("1", "one")]
)
def test_an_inputs_file_says_where_it_is_wrong(text: str, says: str) -> None:
    with pytest.raises(UsageProblem, match=says):
        parse_inputs_file(text, "in.json")


def test_tasks_are_named_by_name_id_or_number() -> None:
    one = crew(task("a"), task(None, id="x"), task("3"), task("twin"), task("twin", id="t2"))
    listed = tasks(document(one), one, [])
    assert find_task(listed, "a") == 0
    assert find_task(listed, "x") == 1
    assert find_task(listed, "2") == 1
    assert find_task(listed, "3") == 2
    with pytest.raises(NotFound, match="4, 5"):
        find_task(listed, "twin")
    for nothing in ("0", "6", "nope", "\u00b2"):
        with pytest.raises(NotFound, match="there are: 1 a"):
            find_task(listed, nothing)


def test_only_what_differs_is_an_edit_and_types_count() -> None:
    before = {"n": 3, "t": True, "s": "3", "l": [1]}
    edits = Edits(inputs={"n": "3", "t": 1, "s": "3", "l": [1.0], "new": None})
    assert changed_inputs(before, edits) == {"n": "3", "t": 1, "l": [1.0], "new": None}


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1}, {"a": True}, {("a",): True}),
        ({"a": 1}, {"a": 1, "b": None}, {("b",): None}),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 3}]}}, {("a", "b", "1", "c"): 3}),
        ({"a": [1, 2]}, {"a": [1]}, {("a",): [1]}),
        ({"a": [1]}, {"a": [1, 2]}, {("a",): [1, 2]}),
        ({"a": []}, {"a": []}, {}),
        ({"a": {}}, {"a": []}, {("a",): []}),
        # a key inside is taken out by setting what is around it
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {("a",): {"b": 1}}),
        (None, {"a": 1}, {("a",): 1}),
        ({"x.y": 1, "z": 1}, {"x.y": 2, "z": 2}, {("x.y",): 2, ("z",): 2}),
    ],
)
def test_what_differs_between_two_states(
    before: Any, after: dict[str, Any], changes: dict[Any, Any]
) -> None:
    found = state_changes(before, after)
    assert list(found.items()) == list(changes.items())
    made = before or {}
    for path, value in found.items():
        made, _ = changed_at(made, path, value, "the state")
    assert same_json(made, after)


def test_a_key_of_the_state_is_taken_out_but_its_id() -> None:
    found = state_changes({"a": 1, "b": 2, "c": [1]}, {"a": 2, "c": [1]})
    assert found == {("b",): REMOVED, ("a",): 2}
    assert changed_at({"a": 1, "b": 2}, ("b",), REMOVED, "the state") == ({"a": 1}, 2)
    with pytest.raises(NotFound, match='has no "x"'):
        changed_at({"a": 1}, ("x",), REMOVED, "the state")
    with pytest.raises(UsageProblem, match='the key "id" is gone'):
        state_changes({"a": 1, "id": "s"}, {"a": 1})


def test_a_copy_of_edits_is_apart() -> None:
    edits = Edits({"i": 1}, {0: "o"}, {1: [1]}, {("s",): 2}, {3}, {4})
    copied = edits.copy()
    assert copied == edits
    copied.inputs["i"] = copied.results[1] = copied.state["s",] = 9
    copied.outputs[0] = "other"
    copied.rerun.add(9)
    copied.keep.add(9)
    assert edits == Edits({"i": 1}, {0: "o"}, {1: [1]}, {("s",): 2}, {3}, {4})
