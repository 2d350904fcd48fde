from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewcheck.errors import NotFound, UsageProblem
from crewcheck.model.paths import changed_at, follow, parse_path, write_path

VALUE = {"plan": {"steps": [{"name": "a"}, {"name": "b"}]}, "a.b": 1, "x/y": {"~": 2}, "0": 3}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plan.steps[1].name", "b"),
        ("/plan/steps/1/name", "b"),
        ("plan.steps.1.name", "b"),
        ("/a.b", 1),
        ("/x~1y/~0", 2),
        ("0", 3),
    ],
)
def test_paths_lead_to_their_place(text: str, found: Any) -> None:
    assert follow(VALUE, parse_path(text)) == found


@pytest.mark.parametrize("text", ["", ".a", "a[", "a[x]", "a]b", "a..b"])
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(UsageProblem):
        parse_path(text)


def test_a_wrong_path_says_how_far_it_goes() -> None:
    with pytest.raises(NotFound) as missing:
        follow(VALUE, parse_path("plan.steps[2].name"))
    assert str(missing.value) == 'no "2" in plan.steps; it is a list of 2, counted from 0'
    with pytest.raises(NotFound) as missing:
        changed_at(VALUE, parse_path("plan.stops[0]"), 1)
    assert str(missing.value) == 'no "stops" in plan; there are: steps'


def test_a_change_is_a_copy() -> None:
    made, old = changed_at(VALUE, parse_path("plan.steps[1].name"), "z")
    assert (old, made["plan"]["steps"]) == ("b", [{"name": "a"}, {"name": "z"}])
    assert VALUE["plan"] == {"steps": [{"name": "a"}, {"name": "b"}]}
    assert changed_at({"a": 1}, ("b",), 2) == ({"a": 1, "b": 2}, None)
    assert changed_at([1], (1,), 2) == ([1, 2], None)
    with pytest.raises(NotFound):
        changed_at([1], (2,), 2)


@given(st.lists(st.text(min_size=1) | st.integers(0, 99), min_size=1, max_size=5))
def test_a_written_path_is_read_again(path: list[str | int]) -> None:
    assert [str(one) for one in parse_path(write_path(tuple(path)))] == list(map(str, path))
