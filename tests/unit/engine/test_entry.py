"""Where a crew's, flow's or agent's object is: named, configured, or found in the project."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine import choices
from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.entry import Entry, NeedsScript, NoEntry, SeveralEntries, find_entry
from crewcheck.engine.running import Wish, prepare
from crewcheck.engine.source import Source, read_source
from crewcheck.errors import NotFound
from crewcheck.runtimes import interpreter
from crewcheck.runtimes.project import find_project
from crewcheck.runtimes.static_look import Look, look_at
from tests.build import agent, crew, document, event, flow, ident, task, write

HEAD = """\
from crewai import Agent, Crew, Task
from crewai.flow.flow import Flow, listen, start
"""
CREW = 'Crew(tasks=[Task(description="Write an outline about {topic}", expected_output="text")])'
FLOW = "class Road(Flow):\n    @start()\n    def begin(self): ...\n"


@pytest.fixture(autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREWCHECK_STATE_DIR", str(tmp_path_factory.mktemp("state")))


def source_of(folder: Path, kind: str, **more: Any) -> Source:
    """A checkpoint of a kind, in a store of the project."""
    is_flow = kind == "flow"
    events = [
        event(1, "flow_started", flow_name="Road"),
        event(2, "method_execution_started", flow_name="Road", method_name="begin"),
    ]
    entity = flow("begin", name="Road") if is_flow else crew(task())
    made = document(entity, events=events if is_flow else [], **more)
    write(folder / ".checkpoints", made, ident(1))
    if not (folder / "pyproject.toml").exists():
        (folder / "pyproject.toml").touch()
    catalog = open_catalog(str(folder / ".checkpoints"))
    source = read_source(catalog, catalog.forest.order[-1])
    if kind == "agent":
        source = dataclasses.replace(source, kind="agent", entity=agent())
    return source


def found(folder: Path, kind: str, **given: str) -> Entry:
    source = source_of(folder, kind)
    with source.catalog:
        return find_entry(source, find_project(source.catalog.store.location), **given)


@pytest.mark.parametrize(
    ("kind", "text", "entry"),
    [
        ("crew", f"crew = {CREW}", "app:crew"),
        ("flow", FLOW, "app:Road"),
        (
            "agent",
            'writer = Agent(role="Writer", goal="Write", backstory="Was there")',
            "app:writer",
        ),
    ],
)
def test_each_kind_is_found_and_nothing_of_another(
    tmp_path: Path, kind: str, text: str, entry: str
) -> None:
    (tmp_path / "app.py").write_text(HEAD + text)
    told = found(tmp_path, kind)
    assert (told.entry, told.script, told.origin) == (entry, None, "found in app.py, line 3")
    (tmp_path / "app.py").write_text(
        HEAD + "class Road(Flow):\n    @start()\n    def other(self): ...\n"
        'crew = Crew(tasks=[Task(description="x")])\nagent = Agent(role="x")\n'
    )
    has = {"crew": "the tasks", "flow": "the methods", "agent": "the role"}[kind]
    with pytest.raises(NoEntry, match=rf"^no {kind} in {tmp_path} has {has} of this checkpoint"):
        found(tmp_path, kind)


def test_what_is_named_needs_no_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "run.py").touch()
    assert found(tmp_path, "crew", entry="a.b:c").entry == "a.b:c"
    assert found(tmp_path, "crew", entry="sub/run.py:c").entry == f"{tmp_path}/sub/run.py:c"
    told = found(tmp_path, "crew", script="sub/run.py")
    assert (told.script, told.origin) == (str(tmp_path / "sub" / "run.py"), "--script")
    (tmp_path / "pyproject.toml").write_text('[tool.crewcheck]\nentry = "x:y"\n')
    told = found(tmp_path, "flow")
    assert (told.entry, told.origin) == ("x:y", f"{tmp_path}/pyproject.toml")


@pytest.mark.parametrize("named", ["wipe:everything", "/tmp/wipe.py:everything", "crew.jsonc"])
def test_a_checkpoint_cannot_say_what_is_imported(tmp_path: Path, named: str) -> None:
    (tmp_path / "wipe.py").write_text("def everything():\n    raise SystemExit\n")
    source = source_of(tmp_path, "crew", crewcheck={"entry": named})
    with source.catalog, pytest.raises(NoEntry, match="no crew in"):
        find_entry(source, find_project(source.catalog.store.location))


def test_twins_are_a_question(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(f"{HEAD}one = {CREW}\ntwo = {CREW}\n")
    with pytest.raises(
        SeveralEntries, match=r"several crews in .* fit: app:one, app:two"
    ) as caught:
        found(tmp_path, "crew")
    assert caught.value.entries == ["app:one", "app:two"]
    source = source_of(tmp_path, "crew", crewcheck={"entry": "app:two"})
    with source.catalog:
        told = find_entry(source, find_project(source.catalog.store.location))
    assert (told.entry, told.origin) == ("app:two", "the checkpoint, and found in app.py, line 4")


def test_a_notebook_is_to_be_saved_as_a_program(tmp_path: Path) -> None:
    for name, hint in (("notes.md", "name it: --entry module:attr"), ("a.ipynb", "nbconvert")):
        (tmp_path / name).touch()
        with pytest.raises(NoEntry, match="no flow in") as caught:
            found(tmp_path, "flow")
        assert hint in str(caught.value.hint)


def test_a_flow_in_a_module_that_runs_it(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(f"{HEAD}{FLOW}Road().kickoff()\n")
    with pytest.raises(NeedsScript) as caught:
        found(tmp_path, "flow")
    assert caught.value.message == (
        "the flow is in main.py, but importing that would start a run (in main.py)"
    )
    assert caught.value.hint == "run the program itself: --script main.py"
    assert caught.value.script == str(tmp_path / "main.py")


def test_a_crew_that_is_made_while_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        f"{HEAD}def main(llm):\n    {CREW}.kickoff()\nif __name__ == '__main__':\n    main(3)\n"
    )
    with pytest.raises(NeedsScript) as caught:
        found(tmp_path, "crew")
    assert caught.value.message == (
        "the crew is made while main.py runs (main.py, line 4), and no name leads to it"
    )


def test_a_program_in_a_folder_of_its_own_has_it_on_the_path(tmp_path: Path) -> None:
    folder = tmp_path / "services" / "press"
    folder.mkdir(parents=True)
    (folder / "tasks.py").write_text(f"{HEAD}crews = [{CREW}]\n")
    (folder / "main.py").write_text("import crewai\nfrom tasks import crews\ncrew = crews[0]\n")
    told = found(tmp_path, "crew")
    assert (told.entry, told.path) == (f"{folder}/main.py:crew", [str(folder)])
    named = found(tmp_path, "crew", entry="services/press/main.py:crew")
    assert (named.entry, named.path) == (told.entry, told.path)


def twins(folder: Path) -> None:
    (folder / "app.py").write_text(f"{HEAD}one = {CREW}\ntwo = {CREW}\n")


def test_a_choice_is_remembered_while_it_fits(tmp_path: Path) -> None:
    twins(tmp_path)
    choices.remember(str(tmp_path), "crew", "newsroom", "app:two")
    choices.remember(str(tmp_path), "flow", "newsroom", "app:Flow")
    (kept,) = (Path(os.environ["CREWCHECK_STATE_DIR"]) / "choices").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    told = found(tmp_path, "crew")
    assert told.entry == "app:two"
    assert told.origin == "chosen before; change with --entry: app.py, line 4"
    assert told.fitting == ["app:one", "app:two"]
    assert found(tmp_path, "crew", entry="app:one").entry == "app:one"
    (tmp_path / "app.py").write_text(f"{HEAD}one = {CREW}\nthree = {CREW}\n")
    with pytest.raises(SeveralEntries):
        found(tmp_path, "crew")
    twins(tmp_path)
    with pytest.raises(SeveralEntries):  # it fitted no more once, and is forgotten
        found(tmp_path, "crew")
    assert choices.chosen(str(tmp_path), "flow", "newsroom") == "app:Flow"
    kept.write_text('{"entries": {"crew": ["odd"], "flow": 3}}')
    assert choices.chosen(str(tmp_path), "crew", "newsroom") is None
    choices.remember(str(tmp_path), "flow", None, "a:b")
    assert choices.chosen(str(tmp_path), "flow", None) == "a:b"


def test_what_no_look_finds_is_known_from_the_last_time(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("from hidden import crew\n")
    choices.remember(str(tmp_path), "crew", "newsroom", "app:crew")
    told = found(tmp_path, "crew")
    assert (told.entry, told.origin) == ("app:crew", "chosen before; change with --entry")
    (tmp_path / "app.py").unlink()
    with pytest.raises(NoEntry):
        found(tmp_path, "crew")


def test_a_file_that_declares_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    declared = '{"agents": [], "tasks": [{"description": "Write an outline about {topic}"}]}'
    (tmp_path / "crews").mkdir()
    for name in ("crew.jsonc", "crews/crew.jsonc"):
        (tmp_path / name).write_text(declared)
    monkeypatch.chdir(tmp_path / "crews")
    with pytest.raises(SeveralEntries) as caught:
        found(tmp_path, "crew")
    assert caught.value.entries == ["crew.jsonc", "crews/crew.jsonc"]
    inner = str(tmp_path / "crews" / "crew.jsonc")
    assert found(tmp_path, "crew", entry="crew.jsonc").entry == inner
    assert found(tmp_path, "crew", entry="crews/crew.jsonc").entry == inner
    with pytest.raises(NotFound, match=r"no such file: gone\.yaml"):
        found(tmp_path, "crew", entry="gone.yaml")
    choices.remember(str(tmp_path), "crew", "newsroom", "crews/crew.jsonc")
    told = found(tmp_path, "crew")
    assert told.entry == inner
    assert told.origin == "chosen before; change with --entry: crews/crew.jsonc"
    (tmp_path / "pyproject.toml").write_text('[tool.crewcheck]\nentry = "crews/crew.jsonc"\n')
    told = found(tmp_path, "crew")
    assert (told.entry, told.origin) == (inner, f"{tmp_path}/pyproject.toml")
    (tmp_path / "pyproject.toml").write_text('[tool.crewai]\ndefinition = "crew.jsonc"\n')
    (tmp_path / "crews" / "crew.jsonc").unlink()
    told = found(tmp_path, "crew")
    assert (told.entry, told.origin) == (str(tmp_path / "crew.jsonc"), "found in crew.jsonc")


def test_a_choice_that_cannot_be_kept_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CREWCHECK_STATE_DIR", str(tmp_path / "file" / "state"))
    choices.remember("/x", "crew", "a", "b:c")
    assert choices.chosen("/x", "crew", "a") is None


def test_a_flow_is_looked_for_by_its_name_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def look(folder: str, roots: Any, name: str | None = None) -> Look:
        asked.append(name)
        return look_at(folder, roots, name)

    monkeypatch.setattr("crewcheck.engine.entry.look_at", look)
    (tmp_path / "app.py").write_text(HEAD + FLOW)
    assert found(tmp_path, "flow").entry == "app:Road"
    assert asked == ["Road"]
    (tmp_path / "app.py").write_text(HEAD + FLOW.replace("Road", "Street"))
    assert found(tmp_path, "flow").entry == "app:Street"
    assert asked == ["Road", "Road", None]


@pytest.mark.parametrize("named", [{}, {"entry": "app:crew"}, {"script": "app.py"}])
def test_what_the_stores_project_has_not_may_be_in_the_working_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: dict[str, str]
) -> None:
    theirs, here = tmp_path / "theirs", tmp_path / "here"
    for folder in (theirs, here):
        folder.mkdir()
        (folder / "pyproject.toml").write_text(f'[tool.crewcheck]\npython = "{sys.executable}"\n')
    source = source_of(theirs, "crew")
    monkeypatch.chdir(here)
    monkeypatch.setattr(interpreter, "crewai_version", lambda _: "1.15.30")
    with source.catalog:
        if not named:
            told = f"no crew in {theirs} has .* and no crew in {here} has"
            with pytest.raises(NoEntry, match=told):
                prepare(source, Wish())
        (here / "app.py").write_text(f"{HEAD}crew = {CREW}\n")
        prepared = prepare(source, Wish(entry=named.get("entry"), script=named.get("script")))
        assert prepared.spec.cwd == str(here)
        (theirs / "app.py").write_text(f"{HEAD}crew = {CREW}\n")
        prepared = prepare(source, Wish(entry=named.get("entry")))
        assert prepared.spec.cwd == str(theirs)
