from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewcheck.model.schema import misfit

PLAN = {
    "type": "object",
    "required": ["title", "steps"],
    "properties": {
        "title": {"type": "string", "minLength": 1, "maxLength": 5},
        "steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}, "minItems": 1},
        "kind": {"enum": ["short", "long"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "version": {"const": 1},
    },
    "additionalProperties": False,
    "$defs": {
        "Step": {
            "type": "object",
            "required": ["cost"],
            "properties": {
                "cost": {"type": "number", "minimum": 0, "exclusiveMaximum": 10},
                "inner": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
            },
        }
    },
}
GOOD: dict[str, Any] = {"title": "T", "steps": [{"cost": 1, "inner": [{"cost": 2.5}]}]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, None),
        ({"note": None, "kind": "long", "version": 1}, None),
        ({"title": 3}, "title: it must be a text"),
        ({"title": ""}, "title: it must have at least 1 characters"),
        ({"title": "123456"}, "title: it must have at most 5 characters"),
        ({"steps": {}}, "steps: it must be a list"),
        ({"steps": []}, "steps: it must have at least 1 items"),
        ({"steps": [{"cost": 1}, {}]}, "steps[1]: cost is missing"),
        ({"steps": [{"cost": True}]}, "steps[0].cost: it must be a number"),
        ({"steps": [{"cost": -1}]}, "steps[0].cost: it must be at least 0"),
        ({"steps": [{"cost": 10}]}, "steps[0].cost: it must be less than 10"),
        ({"steps": [{"cost": 1, "inner": [{"cost": "2"}]}]},
         "steps[0].inner[0].cost: it must be a number"),
        ({"kind": "wide"}, 'kind: it must be one of "short", "long"'),
        ({"note": 3}, "note: it must be a text"),
        ({"version": 2}, "version: it must be 1"),
        ({"version": True}, "version: it must be 1"),
        ({"more": 1}, "more: there is no such field"),
    ],
)  # fmt: skip
def test_the_place_of_a_misfit(change: dict[str, Any], said: str | None) -> None:
    assert misfit(GOOD | change, PLAN) == said


def test_what_is_missing_at_the_top() -> None:
    assert misfit([], PLAN) == "it must be a JSON object"
    assert misfit({"title": "T"}, PLAN) == "steps is missing"
    assert misfit(1.0, {"type": "integer"}) is None
    assert misfit(None, {"type": ["string", "null"]}) is None
    assert misfit(1, False) == "nothing is allowed here"


def test_references_that_lead_to_themselves_end() -> None:
    loop = {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    assert misfit({"x": 1}, loop) is None
    assert misfit(1, {"$ref": "#/nowhere/at/all"}) is None
    assert misfit(1, {"$ref": "https://example.org/schema"}) is None


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["type", "items", "properties", "required", "enum", "anyOf", "allOf", "$ref", "const",
             "minItems", "minimum", "maxLength", "additionalProperties", "prefixItems"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(ANY, ANY)
def test_any_schema_and_any_value(value: Any, schema: Any) -> None:
    found = misfit(value, schema)
    assert found is None or isinstance(found, str)
