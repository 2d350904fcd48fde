"""Summaries from typed parts of a text, against those of a whole parse."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewcheck.model.scan import Summary
from crewcheck.stores.json_text import HEAD, summary_of, summary_of_all
from crewcheck.stores.json_typed import Unsure, head_of, is_shallow, plain_text
from tests.build import agent, crew, document, event, executor, flow, task


def plain(summary: Summary) -> dict[str, Any]:
    return {name: getattr(summary, name) for name in Summary.__slots__}


def from_parts(data: bytes, head: int = HEAD, whole: bool = False) -> Summary:
    return summary_of(data[:head], len(data), lambda start, end: data[start:end], whole)


def usual(*tasks: dict[str, Any], **more: Any) -> dict[str, Any]:
    tasks = tasks or (task(output="x"), task(output="y"), task())
    return document(crew(*tasks), events=[event(1, "task_completed")], **more)


def changed(change: Any) -> bytes:
    doc = usual()
    change(doc, doc["entities"][0])
    return json.dumps(doc).encode()


AS_TEXT = json.dumps(usual())
NESTED = {"a": 1, "event_record": {"nodes": {}}, "trigger": "task_failed"}
#: valid documents in which a search for bytes alone would find the wrong thing; two of
#: three tasks are done in each
TRICKY = {
    "the record's name deeper down": changed(lambda _, c: c["tasks"][0].update(extra=NESTED)),
    "the record's name in texts": changed(
        lambda _, c: c["tasks"][1].update(description='b", "event_record": {}, "trigger": "no"}')
    ),
    "quotes and backslashes": changed(
        lambda _, c: c["tasks"][0].update(output={"raw": 'a\\", "event_record": {} \\\\" ]}'})
    ),
    "many records deeper down": changed(lambda _, c: c["tasks"][0].update(extra=[NESTED] * 300)),
    "a trigger in an event": changed(
        lambda d, _: d["event_record"]["nodes"]["event-1"]["event"].update(trigger="task_failed")
    ),
    "no blanks": json.dumps(usual(), separators=(",", ":")).encode(),
    "lines": json.dumps(usual(), indent=2).encode(),
    "another order": json.dumps(dict(reversed(usual().items()))).encode(),
    "the same key twice": (AS_TEXT[:-1] + ', "trigger": "task_completed"}').encode(),
    "an escaped key": AS_TEXT.replace('"event_record"', '"event\\u005frecord"').encode(),
    "an output that is false": changed(lambda _, c: c["tasks"][1].update(output=False)),
    "a fork's note": changed(lambda d, _: d.update(crewcheck={"primary": 0, "dropped": [2]})),
    "something among the tasks": changed(lambda _, c: c["tasks"].insert(1, "no task")),
    "UTF-8": json.dumps(usual(task("é", output="ü"), task("z", output="ß"), task("ö")))
    .encode()
    .decode("unicode_escape")
    .encode(),
    "a byte order mark": b"\xef\xbb\xbf" + AS_TEXT.encode(),
    "half a character": changed(lambda _, c: c["tasks"][0].update(description="\ud800")),
    "no number": changed(lambda _, c: c.update(weight=float("nan"))),
}


@pytest.mark.parametrize("name", TRICKY)
@pytest.mark.parametrize(("head", "whole"), [(HEAD, False), (200, False), (200, True)])
def test_tricky_documents_are_read_right(name: str, head: int, whole: bool) -> None:
    data = TRICKY[name]
    found = from_parts(data, head, whole)
    assert (found.kind, found.name, found.done, found.total) == ("crew", "newsroom", 2, 3)
    assert (found.trigger, found.damage) == ("task_completed", None)
    assert plain(found) == plain(summary_of_all(data))


GOOD = AS_TEXT.encode()
BIG = json.dumps(usual(task(output="x" * HEAD))).encode()


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (GOOD + GOOD, "trailing-data"),
        (GOOD + b" }", "trailing-data"),
        (GOOD.replace(b'"edges": {}', b'"edges": {} x'), "not-json"),
        (GOOD.replace(b'"edges": {}', b'"edges": "\xff"'), "not-json"),
        (GOOD.replace(b'"edges": {}', b'"edges": "a\nb"'), "not-json"),
        (GOOD.replace(b'"edges": {}', b'"edges": ' + b"7" * 5000), "not-json"),
        (GOOD.replace(b'"edges": {}', b'"edges": ' + b"[" * 250 + b"]" * 250), "not-json"),
        (GOOD.replace(b'"edges": {}', b'"edges": ' + b"[" * 9000 + b"]" * 9000), "not-json"),
        (BIG + BIG, "trailing-data"),
        (BIG[:-20] + b"\0" * 20, "truncated"),
    ],
)
def test_a_whole_look_sees_damage_wherever_it_is(data: bytes, rule: str) -> None:
    damage = from_parts(data, whole=True).damage
    assert damage is not None
    assert damage.rule == rule
    assert damage == summary_of_all(data).damage


PIECES = [b'"', b"{", b"}", b"[", b"]", b"\\", b",", b"null", b"NaN", b"\xff", b"\n", b"3", b"{}"]
PIECES += [b"\\ud800", b'"trigger": 3, ', b'"event_record"', b"true", b"9" * 4400, "é".encode()]
DOCUMENTS = [
    usual(),
    document(flow("a"), executor(), events=[event(1, "flow_started", flow_name="One")]),
    document(agent(crew=None), trigger="lite_agent_execution_completed"),
    document({"entity_type": "workflow", "name": "w", "id": "1"}),
]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(DOCUMENTS), st.data())
def test_a_whole_look_at_any_mutation_equals_a_parse(doc: dict[str, Any], draw: Any) -> None:
    text = bytearray(json.dumps(doc).encode())
    for _ in range(draw.draw(st.integers(1, 3))):
        place = draw.draw(st.integers(0, len(text)))
        text[place : place + draw.draw(st.integers(0, 4))] = draw.draw(st.sampled_from(PIECES))
    data = bytes(text)
    assert plain(from_parts(data, whole=True)) == plain(summary_of_all(data))


@pytest.mark.parametrize(
    "entity", [{"entity_type": "run"}, {"entity_type": 3}, crew(task()) | {"name": 3}]
)
def test_what_crewai_does_not_write_is_left_to_others(entity: dict[str, Any]) -> None:
    with pytest.raises(Unsure):
        head_of(json.dumps(document(entity)).encode())


def test_numbers_are_as_long_as_python_reads() -> None:
    assert plain_text(b"[" + b"1" * 2000 + b"]")
    for before in range(0, 4400, 399):
        assert not plain_text(b" " * before + b"1" * 4301 + b"]")
    assert plain_text(b"1 " * 9000)


def test_brackets_are_counted() -> None:
    assert is_shallow(b"[" * 90 + b"]" * 90)
    assert is_shallow(b'{"a": []}' * 500)
    assert not is_shallow(b"[" * 201 + b"]" * 201)
    assert not is_shallow(b'{"a": [' * 101 + b"]}" * 101)
