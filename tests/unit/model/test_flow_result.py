from __future__ import annotations

from typing import Any

import pytest

from crewcheck.model.flow_result import recorded_result, result_text
from tests.build import event


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("a text", "a text"),
        ({"n": 1, "ä": [True]}, '{"n": 1, "ä": [true]}'),
        (3, "3"),
        ({"raw": "what the crew said", "tasks_output": []}, "what the crew said"),
    ],
)
def test_what_a_flow_returned_as_a_text(value: Any, text: str) -> None:
    assert result_text(value) == text


def test_the_newest_ending_of_that_flow_counts() -> None:
    events = [
        event(1, "flow_finished", flow_name="Inner", result="inner"),
        event(2, "flow_finished", flow_name="Outer", result="old"),
        event(3, "flow_finished", flow_name="Outer", result="new"),
        event(4, "flow_finished", flow_name="Inner", result="inner"),
    ]
    assert recorded_result(events, "Outer") == "new"
    assert recorded_result(events, "Other") == ""
