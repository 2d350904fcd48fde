"""A patch makes the new value of the old one, whatever they are."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from crewcheck.engine.json_patch import differences, patch, pointer
from crewcheck.model.json_values import same_json


def apply(operations: list[dict[str, Any]], value: Any) -> Any:
    """RFC 6902's add, remove and replace, as the standard words them."""
    whole = [copy.deepcopy(value)]
    for one in operations:
        parts = [part.replace("~1", "/").replace("~0", "~") for part in one["path"].split("/")[1:]]
        at: Any = whole
        steps = ["0", *parts]
        for step in steps[:-1]:
            at = at[int(step)] if isinstance(at, list) else at[step]
        last = steps[-1]
        if isinstance(at, list):
            place = int(last)
            assert str(place) == last
            assert 0 <= place <= len(at) - (one["op"] != "add")
            if one["op"] == "add" and at is not whole:
                at.insert(place, copy.deepcopy(one["value"]))
            elif one["op"] == "remove":
                del at[place]
            else:
                at[place] = copy.deepcopy(one["value"])
        elif one["op"] == "remove":
            del at[last]
        else:
            assert (last in at) == (one["op"] == "replace")
            at[last] = copy.deepcopy(one["value"])
    return whole[0]


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.floats(), st.text("a~/0", max_size=3)
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(st.text("ab~/", max_size=2), inner, max_size=4),
        st.lists(st.fixed_dictionaries({"id": st.sampled_from("abcde"), "v": inner}), max_size=5),
    ),
    max_leaves=20,
)


@given(JSON, JSON)
@example([1], [True])
@example({"a": 1}, {"a": 1.0})
@example([{"id": "a"}, {"id": "b"}], [{"id": "b", "v": 1}, {"id": "a"}])
@example([], [None])
def test_applying_the_patch_gives_the_new_value(old: Any, new: Any) -> None:
    before = copy.deepcopy(old)
    made = patch(old, new)
    assert same_json(apply(made, old), new)
    assert same_json(old, before)
    assert json.loads(json.dumps(made)) is not None
    assert (made == []) == same_json(old, new)


@given(JSON, JSON)
def test_old_and_new_values_are_where_it_says(old: Any, new: Any) -> None:
    def at(value: Any, path: tuple[str | int, ...]) -> Any:
        for part in path:
            value = value[part]
        return value

    for one in differences(old, new):
        if one.op != "add":
            assert at(old, one.old_path) is one.old
        if one.op != "remove":
            assert at(new, one.path) is one.new


def test_operations() -> None:
    old = {"a": [1, 2, 3], "b": "x", "gone": None, "c/d": {"~": 1}}
    new = {"a": [1, 3], "b": "y", "new": [], "c/d": {"~": 2}}
    assert patch(old, new) == [
        {"op": "remove", "path": "/gone"},
        {"op": "add", "path": "/new", "value": []},
        {"op": "remove", "path": "/a/1"},
        {"op": "replace", "path": "/b", "value": "y"},
        {"op": "replace", "path": "/c~1d/~0", "value": 2},
    ]
    assert patch(1, 2) == [{"op": "replace", "path": "", "value": 2}]
    assert pointer(("a", 0, "b/c")) == "/a/0/b~1c"


def test_items_with_ids_are_paired_by_them() -> None:
    old = [{"id": "a", "v": 1}, {"id": "b", "v": 2}]
    new = [{"id": "n"}, {"id": "a", "v": 1}, {"id": "b", "v": 3}]
    assert patch(old, new) == [
        {"op": "add", "path": "/0", "value": {"id": "n"}},
        {"op": "replace", "path": "/2/v", "value": 3},
    ]


def test_any_depth() -> None:
    old: Any = 1
    new: Any = 2
    for _ in range(1_500):
        old, new = [old], [new]
    made = patch(old, new)
    assert made == [{"op": "replace", "path": "/0" * 1_500, "value": 2}]


def test_types_count() -> None:
    assert not same_json(1, True)
    assert not same_json({"a": [3]}, {"a": ["3"]})
    assert same_json({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert same_json(float("nan"), float("nan"))
