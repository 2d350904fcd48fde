"""Big documents are read by another process, and come in slices that add up to the whole."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.cut import HEAD, LONGEST, Cut, Cutter
from crewcheck.engine.documents import PAGE, Documents, EventPages, Gone
from crewcheck.engine.inspect import Info, inspect
from crewcheck.engine.redaction import Redactor
from crewcheck.errors import CrewcheckError, Unreadable
from crewcheck.model.scan import Checkpoint
from tests import build
from tests.build import crew, document, event, ident, task

KEY = "sk-fake-0123456789abcdef0123456789"
LONG = "\u00e9 word \U0001f309 " * 40_000 + KEY + " \ud800 end"


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    events = [
        event(number, "tool_usage_finished", output=f"{number} " + "z" * number)
        for number in range(1, 2 * PAGE + 51)
    ]
    for number, one in enumerate(events):
        one["timestamp"] = f"2026-11-29T17:{number // 60:02}:{number % 60:02}Z"
    inputs = {"topic": "bridges", "list": list(range(5000)), "api_key": "secret-value"}
    doc = document(crew(task("a", output=LONG), task("b"), checkpoint_inputs=inputs), events=events)
    build.write(tmp_path, doc, ident(1))
    build.write(tmp_path, document(crew(task("c"))), ident(2), ident(1))
    build.write(tmp_path, '{"entities": [}', ident(3), ident(2))
    with open_catalog(str(tmp_path)) as opened:
        yield opened


@pytest.fixture
def documents(catalog: Catalog) -> Iterator[Documents]:
    made = Documents(catalog.store.location, show=False)
    yield made
    made.close()


def one(catalog: Catalog, number: int) -> Checkpoint:
    return next(found for found in catalog.checkpoints if found.id == ident(number))


def test_slices_add_up_to_what_is_read_here(catalog: Catalog, documents: Documents) -> None:
    checkpoint = one(catalog, 1)
    here, there = inspect(catalog, checkpoint, Redactor()), documents.load(checkpoint)
    assert there.checkpoint is checkpoint
    output = there.tasks[0].output
    assert isinstance(output, Cut)
    assert len(output) == HEAD
    assert output.length == len(here.tasks[0].output or "")
    whole = documents.text(checkpoint, output)
    assert whole == here.tasks[0].output
    assert "sk-fake" not in whole
    assert there.inputs is not None
    assert here.inputs is not None
    numbers = there.inputs["list"]
    assert isinstance(numbers, Cut)
    assert numbers.kind == "list"
    assert documents.text(checkpoint, numbers).startswith("[\n  0,\n  1,")
    assert there.inputs["api_key"] == here.inputs["api_key"] != "secret-value"
    for field in fields(Info):
        if field.name not in ("events", "tasks", "inputs", "summary"):
            assert getattr(there, field.name) == getattr(here, field.name), field.name
    assert there.summary.name == "newsroom"
    assert there.tasks[1] == here.tasks[1]


def test_events_come_page_by_page(catalog: Catalog, documents: Documents) -> None:
    checkpoint = one(catalog, 1)
    here, events = (
        inspect(catalog, checkpoint, Redactor()).events,
        documents.load(checkpoint).events,
    )
    assert isinstance(events, EventPages)
    assert len(events) == 2 * PAGE + 50
    assert events[0] == here[0]
    asked: list[int] = []
    events.want = asked.append
    assert [events[PAGE].type, events[-1].type, events[PAGE + 1].type] == ["", "", ""]
    assert asked == [1, 2]
    events.put(1, documents.events(checkpoint, 1))
    events.put(2, documents.events(checkpoint, 2))
    assert events[PAGE] == here[PAGE]
    assert events[-1] == here[-1]
    with pytest.raises(IndexError):
        events[len(events)]


def test_texts_of_another_document_are_read_again(catalog: Catalog, documents: Documents) -> None:
    output = documents.load(one(catalog, 1)).tasks[0].output
    assert documents.load(one(catalog, 2)).tasks[0].label == "c"
    assert isinstance(output, Cut)
    assert len(documents.text(one(catalog, 1), output)) == output.length


def test_damage_is_told_and_the_next_is_read(catalog: Catalog, documents: Documents) -> None:
    with pytest.raises(Unreadable, match="at byte 14"):
        documents.load(one(catalog, 3))
    assert documents.load(one(catalog, 2)).tasks[0].label == "c"


def held(documents: Documents, checkpoint: Checkpoint, problems: list[Any]) -> threading.Thread:
    """A load of which the helper does not get any further."""
    assert documents._process is not None
    os.kill(documents._process.pid, signal.SIGSTOP)

    def load() -> None:
        try:
            documents.load(checkpoint)
        except CrewcheckError as error:
            problems.append(error)

    thread = threading.Thread(target=load)
    thread.start()
    while documents._loading is None:
        time.sleep(0.001)
    return thread


def test_a_load_of_another_stops_the_one_that_goes_on(
    catalog: Catalog, documents: Documents
) -> None:
    documents.load(one(catalog, 2))
    problems: list[Any] = []
    thread = held(documents, one(catalog, 1), problems)
    assert documents.load(one(catalog, 2)).tasks[0].label == "c"
    thread.join()
    assert [type(problem) for problem in problems] == [Gone]


def test_a_helper_that_is_killed_is_told_of_and_started_again(
    catalog: Catalog, documents: Documents
) -> None:
    documents.load(one(catalog, 2))
    problems: list[Any] = []
    thread = held(documents, one(catalog, 1), problems)
    assert documents._process is not None
    os.kill(documents._process.pid, signal.SIGKILL)
    thread.join()
    assert "ended by the system, perhaps for want of memory" in str(problems[0])
    assert documents.load(one(catalog, 2)).tasks[0].label == "c"


def test_closing_ends_the_helper(catalog: Catalog, documents: Documents) -> None:
    documents.load(one(catalog, 2))
    process = documents._process
    assert process is not None
    documents.close()
    assert process.poll() is not None


def test_only_what_is_long_is_cut() -> None:
    cutter = Cutter()
    assert cutter.text("x" * LONGEST) == "x" * LONGEST
    short = {"a": ["b"] * 20}
    assert cutter.value(short) is short
    assert cutter.texts == []
    cut = cutter.value({"a": "b" * (LONGEST + 1)})
    assert isinstance(cut, Cut)
    assert (cut.kind, cut.number, cut.missing) == ("object", 0, cut.length - HEAD)
