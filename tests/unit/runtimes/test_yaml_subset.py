from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from crewcheck.runtimes.yaml_subset import read_yaml

TASKS = """\
# tasks of the crew
research_task:
  description: >
    Conduct a thorough research about {topic}
    Make sure you find any interesting and relevant information given
    the current year is {current_year}.

    And cite.
      - a list
    after
  expected_output: |
    A list with 10 bullet points

      indented
  agent: researcher   # who

"reporting": # quoted
  description: >-
    Review the context.
  expected_output: 'It''s a "report"'
  context: [research_task, other]
  tools:
  - one
  - two: no
    three: [a, {b: c}]
"""


def test_a_project_file() -> None:
    assert read_yaml(TASKS) == {
        "research_task": {
            "description": "Conduct a thorough research about {topic} Make sure you find any "
            "interesting and relevant information given the current year is {current_year}.\n"
            "And cite.\n  - a list\nafter\n",
            "expected_output": "A list with 10 bullet points\n\n  indented\n",
            "agent": "researcher",
        },
        "reporting": {
            "description": "Review the context.",
            "expected_output": 'It\'s a "report"',
            "context": ["research_task", "other"],
            "tools": ["one", {"two": "no", "three": ["a", {"b": "c"}]}],
        },
    }


def test_texts_over_several_lines() -> None:
    text = 'a:\n  b: one\n    two\n\n    three # x\n  c: "four\n    fi\\nve"\n'
    text += "  d:\n    plain\n    more\n"
    assert read_yaml(text) == {
        "a": {"b": "one two\nthree", "c": "four fi\nve", "d": "plain more"},
    }


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "\ufeff\n"])
def test_an_empty_file(text: str) -> None:
    assert read_yaml(text) == {}


def test_values_that_are_not_there_and_keeping_line_ends() -> None:
    assert read_yaml("a: >\n  b") == {"a": "b"}
    assert read_yaml("a:\nb: ~\nc: |+\n  x\n\n\nd: |\n") == {
        "a": None,
        "b": None,
        "c": "x\n\n\n",
        "d": "",
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{b: c}", {"b": "c"}),
        ("{or: [cut, keep]}  # either", {"or": ["cut", "keep"]}),
        ("{a: {b: }, c}", {"a": {"b": None}, "c": None}),
        ('["it, is", \'so\', x:y, a b#c]', ["it, is", "so", "x:y", "a b#c"]),
        ("[b, # one\n   c,\n   d e]", ["b", "c", "d e"]),
        ("[]", []),
        ("\n- - b\n  - c\n- d: e\n  f:\n  - g\n-\n  h: i\n-   j: k\n    l: m\n-\n- n", [
            ["b", "c"], {"d": "e", "f": ["g"]}, {"h": "i"}, {"j": "k", "l": "m"}, None, "n",
        ]),
        ("\n  - |\n    one\n    two\n  - >-\n    three\n    four", ["one\ntwo\n", "three four"]),
        ("\n  |\n    one", "one\n"),
    ],
)  # fmt: skip
def test_lists_and_mappings_in_each_other(text: str, value: Any) -> None:
    assert read_yaml(f"a: {text}\nz: end") == {"a": value, "z": "end"}


@pytest.mark.parametrize(
    "text",
    [
        "a: &anchor b",
        "a: *anchor",
        "a: {b: c} d",
        "a: {b: c, b: d}",
        "a: [b: c]",
        "a: [b,\nc: d",
        "a: 'open",
        'a: "open',
        "a: !tag b",
        "- a",
        "just words",
        "a: b\n c: d",
        "a: 1\na: 2",
        "a:\n\t- b",
        "a: |\n  x\n y",
    ],
)
def test_more_than_is_read_is_not_guessed(text: str) -> None:
    with pytest.raises(ValueError, match=r"line \d+: "):
        read_yaml(text)


def test_a_bracket_may_close_below_its_key() -> None:
    text = "tools: [\n  one,\n  {a: b}\n]\nother: {\n  c: d\n}\n"
    assert read_yaml(text) == {"tools": ["one", {"a": "b"}], "other": {"c": "d"}}


MANY = 100_000


@pytest.mark.timeout(60)  # each of these took hours when places were looked at again and again
@pytest.mark.parametrize(
    "text",
    [
        "a" + " " * MANY + "x",
        "a: b" + " " * MANY + "x # c",
        'a: "\n' + "  b\n" * MANY,
        "a: [\n" + "  b,\n" * MANY + "]\n",
        "a: [b," + " " * MANY + "x]",
    ],
)
def test_long_texts_are_read_at_once(text: str) -> None:
    with suppress(ValueError):
        assert list(read_yaml(text)) == ["a"]
