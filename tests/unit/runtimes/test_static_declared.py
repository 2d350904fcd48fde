"""Crews, flows and agents that files declare, in a static look."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crewcheck.runtimes.jsonc import read_jsonc
from crewcheck.runtimes.static_look import Candidate, Look, look_at
from crewcheck.runtimes.static_match import match_agent, match_crew, match_flow
from tests.unit.runtimes.test_static_look import contexts, entries, only, saved, templates

CREW = """\
{
  // "name": "commented",
  "name": "press", /* its "name" */
  "agents": ["writer"],
  "tasks": [
    {"name": "plan", "description": "Plan // {topic}", "expected_output": "x", "agent": "writer"},
    {"name": "draft", "description": "Draft", "expected_output": "x", "agent": "writer",
     "context": ["plan"]},
    {"description": "Sign", "expected_output": "x", "context": [],},
  ],
}
"""
WRITER = {"role": "Writer on {theme}", "goal": "x", "settings": {"goal": "g"}, "backstory": "b"}
FLOW = """\
schema: crewai.flow/v1
name: Road
methods:
  begin:
    start: true
    do: {call: expression, expr: "1"}
  fork:
    listen: begin
    router: true
    emit: [left, right]
    do:
      call: script
      code: |
        if a: b
        return "left"
  left_way:
    listen: left
    do: {call: expression, expr: "1"}
  meet:
    listen:
      and:
        - begin
        - or: [left_way, right]
    do: {call: expression, expr: "1"}
"""


def look(folder: Path, **files: str) -> Look:
    """A look at a project with these files; ``a__b__jsonc`` is ``a/b.jsonc``."""
    for name, text in files.items():
        base, _, suffix = name.rpartition("__")
        path = folder / f"{base.replace('__', '/')}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return look_at(str(folder), [str(folder)])


def press(folder: Path, **files: str) -> Look:
    return look(folder, crew__jsonc=CREW, agents__writer__jsonc=json.dumps(WRITER), **files)


def test_a_crew_and_its_agents(tmp_path: Path) -> None:
    found = press(tmp_path)
    assert entries(found) == ["crew.jsonc", "agents/writer.jsonc"]
    (crew,) = only(found)
    assert (crew.name, crew.file, crew.can_be_imported) == ("press", "crew.jsonc", True)
    assert templates(crew) == ["Plan // {topic}", "Draft", "Sign"]
    assert contexts(crew) == [frozenset(), frozenset({0}), frozenset()]
    assert crew.tasks is not None
    assert [one.names for one in crew.tasks] == [{"topic", "theme"}, {"theme"}, None]
    (match,) = match_crew(found, saved("Plan // {topic}", "Draft", "Sign"))
    assert match.certain
    (agent,) = match_agent(found, "Writer on {theme}", "g", "b")
    assert agent.candidate.entry == "agents/writer.jsonc"


def test_a_flow_and_its_methods(tmp_path: Path) -> None:
    found = look(tmp_path, src__my__flow__yaml=FLOW)
    (match,) = match_flow(found, "Road", ["begin", "fork"])
    assert (match.candidate.entry, match.certain) == ("src/my/flow.yaml", True)
    steps = {one.name: one for one in match.candidate.steps}
    assert [one.kind for one in steps.values()] == ["start", "router", "listen", "listen"]
    assert steps["fork"].labels == ("left", "right")
    assert steps["left_way"].waits_for == ("left",)
    assert steps["meet"].waits_for == ("begin", "left_way", "right")
    assert steps["meet"].all_of
    assert look_at(str(tmp_path), [], "Road").candidates == found.candidates


@pytest.mark.parametrize(
    ("program", "entry"),
    [
        ('load_crew("crew.jsonc")[0]', "main:crew"),
        ('load_crew(Path(__file__).resolve().parent / "crew.jsonc")[0]', "main:crew"),
        ('load_crew(os.path.join(os.path.dirname(__file__), "crew.jsonc"))[0]', "main:crew"),
        ('load_crew(Path.cwd().joinpath("crew.jsonc"))[0]', "main:crew"),
        ('load_crew("other.jsonc")[0]', "crew.jsonc"),
        ("None", "crew.jsonc"),
    ],
)
def test_what_a_program_makes_of_it_goes_before_the_file(
    program: str, entry: str, tmp_path: Path
) -> None:
    head = "import os\nfrom pathlib import Path\nfrom crewai.project.crew_loader import load_crew\n"
    found = press(tmp_path, main__py=f"{head}crew = {program}\n")
    (match,) = match_crew(found, saved("Plan // {topic}", "Draft", "Sign"))
    assert match.candidate.entry == entry


def test_what_the_project_says_is_run_goes_before_a_function_that_makes_it(tmp_path: Path) -> None:
    main = (
        "from crewai.project import load_crew\ndef make():\n    return load_crew('crew.jsonc')[0]"
    )
    assert [one.entry for one in only(press(tmp_path, main__py=main))] == ["main:make"]
    configured = '[tool.crewai]\ntype = "crew"\ndefinition = "crew.jsonc"\n'
    found = press(tmp_path, pyproject__toml=configured)
    assert [one.entry for one in only(found)] == ["crew.jsonc"]


def test_a_flow_that_a_program_loads(tmp_path: Path) -> None:
    main = (
        "from crewai.flow.flow import Flow\nroad = Flow.from_declaration(path='ways/road.yaml')\n"
    )
    found = look(tmp_path, main__py=main, ways__road__yaml=FLOW)
    (match,) = match_flow(found, "Road", ["begin"])
    assert match.candidate.entry == "main:road"


def test_only_files_that_are_named_or_have_the_usual_names_are_read(tmp_path: Path) -> None:
    found = press(tmp_path, data__press__jsonc=CREW, mine__crew__json=read_twice(CREW))
    assert {one.entry for one in only(found)} == {"crew.jsonc", "mine/crew.json"}
    named = press(tmp_path, main__py="import crewai\nPATHS = ['press.jsonc']\n")
    assert "data/press.jsonc" in entries(named)


def read_twice(text: str) -> str:
    """The same crew with another name."""
    return json.dumps({**read_jsonc(text), "name": "other"})


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"tasks": 1, "agents": []}', '{"agents": []}', "[" * 100_000]
)
def test_what_declares_nothing(text: str, tmp_path: Path) -> None:
    assert look(tmp_path, crew__json=text, flow__yaml=text).candidates == []


def test_a_crew_of_which_a_part_is_not_known(tmp_path: Path) -> None:
    def crew(*tasks: Any) -> Candidate:
        text = json.dumps({"agents": ["gone"], "tasks": list(tasks)})
        return only(look(tmp_path, crew__json=text))[0]

    assert crew("a name").tasks is None
    tasks = crew({"description": "Go", "agent": "gone", "context": ["gone"]}).tasks
    assert tasks is not None
    assert (tasks[0].template, tasks[0].depends_on, tasks[0].names) == ("Go", None, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "// no", /* x, } */ "b": [1, 2,],}', {"a": "// no", "b": [1, 2]}),
        ('\ufeff{"a": "\\"//", // b\r\n "c": ", }"}', {"a": '"//', "c": ", }"}),
        ('[1 // a, ]\n , // "b"\n]', [1]),
    ],
)
def test_json_with_comments(text: str, value: Any) -> None:
    assert read_jsonc(text) == value


@pytest.mark.parametrize("text", ['{"a": 1 /* open }', "[1,,]", '{"a" "b"}'])
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"char|column"):
        read_jsonc(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["/* " * 300_000, '"' + '\\"' * 300_000, '{}/* "a" '])
def test_json_that_does_not_end_is_told_at_once(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting value|Unterminated|Extra data"):
        read_jsonc(text)
