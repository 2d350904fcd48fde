"""Whatever is done to a document: reading it answers, or says what is wrong with it."""

from __future__ import annotations

import json
import os
import random
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

from crewcheck.cli.console import Console
from crewcheck.cli.info import flatten
from crewcheck.engine.flow_plan import FlowWishes, plan_flow
from crewcheck.engine.fork import dump, fork_document
from crewcheck.engine.inspect import lay_out
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.rows import COLUMNS, info_row, row
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node
from crewcheck.model.crew import tasks
from crewcheck.model.document import iter_events, mapping, sorted_events
from crewcheck.model.edits import Edits
from crewcheck.model.flow_calls import calls
from crewcheck.model.harmless import one_line
from crewcheck.model.primary import NeedsRecord, flow_name, primary
from crewcheck.model.scan import Checkpoint, Damage, Header, Summary
from crewcheck.model.summarize import summarize
from crewcheck.stores.base import DamagedDocument, Store
from crewcheck.stores.json_dir import JsonDirStore
from crewcheck.stores.json_text import HEAD, BadText, parse, summary_of, summary_of_all
from crewcheck.stores.jsonb import JsonbError, loads
from crewcheck.stores.sqlite import SqliteStore, summary_of_jsonb, summary_of_value
from tests.property.many import Count, both, many
from tests.property.material import (
    any_blob,
    any_document,
    any_json,
    any_text,
    mutated,
    spoiled,
    to_jsonb,
    written,
)

NAME = "20261129T170001_00000001_p-none.json"
REDACTOR = Redactor()
RULES = {"empty", "truncated", "not-json", "trailing-data", "not-a-checkpoint"}
#: in its damage a summary from the head may be less exact than a full parse
FIELDS = [name for name in Summary.__slots__ if name not in ("damage", "notes")]


class OneRow(SqliteStore):
    """A database whose one row is what the test says, without a file."""

    def __init__(self, kind: str, data: bytes) -> None:
        super().__init__("one.db")
        self.row = kind, data

    def _data(self, header: Header) -> tuple[str, bytes]:
        return self.row

    def summary(self, header: Header, whole: bool = False) -> Summary:
        return summary_of_value(*self.row, whole)


def header(size: int | None = None) -> Header:
    return Header(key=f"main/{NAME}", id=NAME[:24], location=NAME, size=size)


def as_file(data: bytes, root: Path) -> JsonDirStore:
    (root / "main").mkdir(exist_ok=True)
    path = root / "main" / NAME
    path.write_bytes(data)
    # else it is taken to be in the making
    os.utime(path, (1, 1))
    return JsonDirStore(str(root))


def read(store: Store, whole: Any) -> None:
    """Read the one checkpoint of a store in every way. ``whole`` is its value by a full parse,
    None where that is refused."""
    at = header()
    summary = store.summary(at)
    try:
        document = store.document(at)
    except DamagedDocument as error:
        said(error.damage)
        assert not isinstance(whole, dict)
    else:
        assert same(document, whole)
        store.notes(at)
        full = summarize(document, all_events=list(iter_events(document)))
        assert (summary.damage is None) == (full.damage is None), summary.damage
        if full.damage is None:
            alike(summary, full)
        laid_out(document, summary)
    checkpoint = Checkpoint(at, summary)
    shape = row(checkpoint, REDACTOR)
    assert sorted(shape) == sorted({*COLUMNS, "location", "version"})
    json.dumps(shape, allow_nan=False)
    if summary.damage is not None:
        # what is damaged at its head is so as a whole
        assert checkpoint.status is None or shape["damage"] is not None


def said(damage: Damage) -> None:
    assert damage.rule in RULES
    assert one_line(damage.message) == damage.message


def alike(summary: Summary, full: Summary) -> None:
    """Both say the same; but a folder has notes of its own."""
    for name in FIELDS:
        assert getattr(summary, name) == getattr(full, name), name
    assert (summary.damage is None) == (full.damage is None)


def same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)  # NaN is not equal to itself


def laid_out(document: dict[str, Any], summary: Summary | None = None) -> None:
    checkpoint = Checkpoint(header(1), summary)
    info = lay_out(document, checkpoint, REDACTOR)
    shape = info_row(info, Node(checkpoint), REDACTOR)
    flatten(shape)
    said = StringIO()
    with redirect_stdout(said):
        Console().json(shape)
    json.loads(said.getvalue(), parse_constant=lambda name: 1 / 0)


def parsed(data: bytes) -> Any:
    try:
        return parse(data)
    except BadText as error:
        said(error.damage)
        return None


@both
def test_any_prefix_of_a_file(examples: int, record_property: Count, tmp_path: Path) -> None:
    def check(random: random.Random) -> None:
        data = any_text(random)
        data = data[: random.randrange(len(data) + 1)]
        read(as_file(data, tmp_path), parsed(data))

    many(examples, check, record_property)


@both
def test_any_mutation_of_a_file(examples: int, record_property: Count, tmp_path: Path) -> None:
    def check(random: random.Random) -> None:
        data = mutated(any_text(random), random)
        read(as_file(data, tmp_path), parsed(data))

    many(examples, check, record_property)


@both
def test_any_mutation_of_a_row_of_text(examples: int, record_property: Count) -> None:
    def check(random: random.Random) -> None:
        data = mutated(any_text(random), random)
        read(OneRow("text", data), parsed(data))

    many(examples, check, record_property)


@both
def test_any_mutation_of_a_binary_row(examples: int, record_property: Count) -> None:
    def check(random: random.Random) -> None:
        blob = any_blob(random)
        cut = random.random() < 0.2
        blob = blob[: random.randrange(len(blob))] if cut else mutated(blob, random)
        whole = None
        if blob[:1] and blob[0] & 15 == 12:
            with suppress(JsonbError):
                whole = loads(blob)
        else:
            whole = parsed(blob)
        read(OneRow("blob", blob), whole)

    many(examples, check, record_property)


@both
def test_any_value_at_any_place_is_laid_out(examples: int, record_property: Count) -> None:
    def check(random: random.Random) -> None:
        document = spoiled(any_document(random), random)
        laid_out(document)
        try:
            quick = summarize(document)
        except NeedsRecord:
            return
        full = summarize(document, all_events=list(iter_events(document)))
        assert (quick.status, quick.done) == (full.status, full.done)

    many(examples, check, record_property)


@both
def test_any_object_is_laid_out(examples: int, record_property: Count) -> None:
    def check(random: random.Random) -> None:
        keys = ("entities", "event_record", "trigger", "crewcheck", "branch", "parent_id")
        laid_out({key: any_json(random) for key in keys if random.random() < 0.8})

    many(examples, check, record_property)


@both
def test_a_fork_of_any_document_is_made_or_refused(examples: int, record_property: Count) -> None:
    def check(random: random.Random) -> None:
        document = spoiled(any_document(random), random)
        before = repr(document)
        entity = mapping(primary(document, list(iter_events(document))))
        events = sorted_events(document)
        is_flow = entity.get("entity_type") == "flow"
        found = calls(entity, flow_name(entity, events), events) if is_flow else []
        count = len(found) or len(tasks(document, entity, events))
        some = [index for index in range(count) if random.random() < 0.5]
        edits = Edits(
            inputs={"topic": any_json(random)} if random.random() < 0.5 else {},
            outputs={
                index: random.choice(("new", '{"a": 1}', "[1]", ""))
                for index in range(count)
                if not is_flow and random.random() < 0.3
            },
            results={
                index: any_json(random)
                for index in range(count)
                if is_flow and random.random() < 0.3
            },
            state={
                random.choice((("n",), ("log", "0"), ("id",), ("a", "b"))): any_json(random)
                for _ in range(is_flow and random.randint(0, 2))
            },
        )
        plan_flow(found, None, FlowWishes(edits.results, frozenset(edits.inputs)))
        try:
            made = fork_document(document, source_id="a", branch="b", edits=edits, run=some)
        except CrewcheckError:
            made = {}
        dump(made)
        laid_out(made)
        assert repr(document) == before

    many(examples, check, record_property)


@both
def test_a_summary_of_any_value_equals_that_of_the_whole(
    examples: int, record_property: Count
) -> None:
    def check(random: random.Random) -> None:
        document = spoiled(any_document(random), random)
        data = written(document, random)
        head = random.choice((64, 900, 4000, HEAD))
        quick = summary_of(data[:head], len(data), lambda start, end: data[start:end])
        alike(quick, summary_of_all(data))
        blob = to_jsonb(document)
        whole = loads(blob)
        alike(summary_of_jsonb(blob), summarize(whole, all_events=list(iter_events(whole))))

    many(examples, check, record_property)
