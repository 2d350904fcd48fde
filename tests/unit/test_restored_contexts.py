"""Which outputs a task was given, told from the text that it was given."""

from __future__ import annotations

from typing import Any

import pytest

from crewcheck.crewai.restore.contexts import ALL, DIVIDER, context_of, has_lists
from tests.build import Json, task


def crew(*given: str | None, texts: tuple[str, ...] = ("A", "B", "C")) -> list[Json]:
    """Three done tasks with these outputs, and one that was given some texts (None: not begun)."""
    tasks = [task(name, output=text) for name, text in zip("abc", texts, strict=True)]
    begun = [text for text in given if text is not None]
    last = task("d", prompt_context=DIVIDER.join(begun) if begun else None)
    return [*tasks, last]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("A", "B", "C"), ALL),
        (("A", "C"), [0, 2]),
        (("B",), [1]),
        ((None,), None),  # not begun: it may have any list
        (("A", "X"), None),  # an output that is not there any more
    ],
)
def test_a_list_is_told_by_its_texts(given: Any, told: Any) -> None:
    assert context_of(crew(*given), 3) == told


def test_equal_texts_do_not_tell() -> None:
    assert context_of(crew("A", texts=("A", "A", "B")), 3) is None


def test_an_empty_list_is_kept() -> None:
    tasks = crew(None)
    tasks[3]["context"] = []
    assert context_of(tasks, 3) == []


def test_the_first_two_tasks_have_no_choice() -> None:
    tasks = [task("a", output="A"), task("b")]
    assert context_of(tasks, 0) == ALL
    assert context_of(tasks, 1) == ALL
    # beside an asynchronous one, it depends on whether that has ended
    tasks[0]["async_execution"] = True
    assert context_of(tasks, 1) is None


def test_without_a_list_an_asynchronous_task_is_given_nothing() -> None:
    tasks = crew(None)
    tasks[3] |= {"async_execution": True, "prompt_context": "", "output": {"raw": "D"}}
    assert context_of(tasks, 3) == ALL


def test_a_list_whose_outputs_are_gone_is_no_empty_one() -> None:
    tasks = crew(None)
    tasks[3] |= {"prompt_context": "", "output": {"raw": "D"}}
    assert context_of(tasks, 3) is None


def test_whether_tasks_have_lists_at_all() -> None:
    assert not has_lists(crew("A", "B", "C"))
    assert not has_lists(crew(None))
    assert has_lists(crew("A", "C"))
    tasks = crew(None)
    tasks[1]["context"] = []
    assert has_lists(tasks)
