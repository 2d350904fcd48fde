from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crewcheck.errors import NotFound, UsageProblem
from crewcheck.model.json_path import changed_at, parse_path, value_at, write_path

DOC: dict[str, Any] = {
    "entities": [{"tasks": [{"output": {"raw": "text"}}, {"output": None}], "": 3}],
    "odd.key": {"a/b": 1, "a~b": 2, '"q"': 3, "[0]": 4},
    "0": "zero",
    "empty": {},
    "none": [],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("entities[0].tasks[0].output.raw", "text"),
        ("$.entities[0].tasks[-1].output", None),
        ("entities.0.tasks.0.output.raw", "text"),
        ("/entities/0/tasks/0/output/raw", "text"),
        ("/entities/0/", 3),
        ("/odd.key/a~1b", 1),
        ("/odd.key/a~0b", 2),
        ('["odd.key"].a/b', 1),
        ("['odd.key']['a~b']", 2),
        ('["odd.key"]["\\"q\\""]', 3),
        ('["odd.key"]["[0]"]', 4),
        ("[0]", "zero"),
        ("$", DOC),
        ("", DOC),
    ],
)
def test_a_value(path: str, value: object) -> None:
    assert value_at(DOC, path) == value


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("entities[0].taks", 'entities[0] has no "taks"', "there are tasks, "),
        ("entities[0].tasks[2]", "entities[0].tasks has no [2]", "there are [0] to [1]"),
        ("entities[1]", "entities has no [1]", "there is [0] only"),
        ("entities.x", "entities has no [x]", "there is [0] only"),
        ("/entities/0/tasks/0/output/raw/x", "entities[0].tasks[0].output.raw is a text", ""),
        ("entities[0].tasks[1].output.raw", "entities[0].tasks[1].output is null", ""),
        ("nothing", 'the document has no "nothing"', "there are entities, odd.key, 0, empty, none"),
        ('["odd.key"].z', '["odd.key"] has no "z"', "there are a/b"),
        ("empty.a", 'empty has no "a"', "it is empty"),
        ("none[0]", "none has no [0]", "it is an empty list"),
    ],
)
def test_a_wrong_path_says_how_far_it_goes(path: str, message: str, hint: str) -> None:
    with pytest.raises(NotFound) as told:
        value_at(DOC, path)
    assert told.value.message.startswith(message)
    assert told.value.hint.startswith(hint)


@pytest.mark.parametrize("path", ["a[", "a[0", "a..b", "a[x]", "a]", 'a["b]', "a.", "a[0]b", '"a"'])
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(UsageProblem, match="is no path"):
        parse_path(path)


def test_a_change_is_a_copy() -> None:
    value = {"steps": [{"name": "a"}, {"name": "b"}], "n": 1}
    made, old = changed_at(value, parse_path("steps[1].name"), "z", "the state")
    assert (old, made["steps"], made["n"]) == ("b", [{"name": "a"}, {"name": "z"}], 1)
    assert value["steps"] == [{"name": "a"}, {"name": "b"}]
    assert changed_at({"a": 1}, ("b",), 2, "x") == ({"a": 1, "b": 2}, None)
    assert changed_at([1], ("1",), 2, "x") == ([1, 2], None)
    assert changed_at([1, 2], ("-1",), 3, "x") == ([1, 3], 2)
    for path, said in (
        ("steps[2].name", "state.steps has no [2]"),
        ("stops[0]", 'the state has no "stops"'),
        ("n.x", "state.n is 1: there is no x in it"),
    ):
        with pytest.raises(NotFound) as told:
            changed_at(value, parse_path(path), 0, "the state")
        assert told.value.message == said


@example(["/"])
@example(["$", "/x"])
@given(st.lists(st.text(max_size=5) | st.integers(-3, 99).map(str), max_size=5))
def test_a_written_path_is_read_again(steps: list[str]) -> None:
    assert parse_path(write_path(steps)) == tuple(steps)
