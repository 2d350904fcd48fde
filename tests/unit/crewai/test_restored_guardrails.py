"""Guardrails that are functions, told by what has run."""

from __future__ import annotations

from typing import Any

import pytest

from crewcheck.crewai.restore.guardrails import had_function, texts_of

TEXT = "It names a tree"


@pytest.mark.parametrize(
    ("saved", "texts"),
    [
        ({}, []),
        ({"guardrail": TEXT, "guardrails": None}, [TEXT]),
        ({"guardrails": TEXT}, [TEXT]),
        ({"guardrails": [TEXT, "It is short"], "guardrail": None}, [TEXT, "It is short"]),
        ({"guardrail": None, "guardrails": [None, 3]}, []),
    ],
)
def test_its_texts(saved: Any, texts: list[str]) -> None:
    assert texts_of(saved) == texts


def test_one_that_ran_and_is_no_text_of_it_is_a_function() -> None:
    ran = [{"type": "task_started"}, {"type": "llm_guardrail_started", "guardrail": f"{TEXT}\n"}]
    assert not had_function({"guardrail": TEXT}, ran)
    assert not had_function({"guardrails": ["It is short", f" {TEXT}"]}, ran)
    assert had_function({"guardrails": []}, ran)
    code = {"type": "llm_guardrail_started", "guardrail": "def careful(output): ..."}
    assert had_function({"guardrail": TEXT}, [*ran, code])
    assert not had_function({}, [{"type": "task_started"}])
