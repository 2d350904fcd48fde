"""What is read of a big document gives the same as the whole of it, or nothing at all."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.inspect import lay_out
from crewcheck.engine.redaction import Redactor
from crewcheck.model import events as eventlog
from crewcheck.model.scan import Checkpoint, Header
from crewcheck.stores import json_text
from crewcheck.stores.json_lean import lean, lean_head
from tests import build
from tests.build import agent, crew, document, event, executor, flow, task

Json = dict[str, Any]
KEY = "sk-fake-0123456789abcdef0123456789"
TASK = {"name": "a", "role": None, "agent": {"tools": [{"big": ["copy"]}]}}


def documents() -> dict[str, Json]:
    of = {"flow_name": "F"}
    steps = [
        event(1, "crew_kickoff_started", inputs={"topic": "bridges"}, crew_name="newsroom"),
        event(2, "task_started", task_id="task-a", task=TASK, parent_event_id="event-1"),
        event(3, "agent_execution_started", agent={"role": "Writer", "llm": {"x": [1]}}),
        event(4, "llm_call_started", messages=[{"role": "user", "content": "x" * 500}], model="m"),
        event(5, "llm_call_completed", response="y", usage={"total_tokens": 7}, task_id="task-a",
              started_event_id="event-4", messages="not read"),
        event(6, "tool_usage_finished", tool_name="t", tool_args={"q": [1]}, output=[1, {"a": 2}]),
        event(7, "llm_guardrail_started", task_id="task-a"),
        event(8, "task_completed", task_id="task-a", started_event_id="event-2",
              output={"raw": f"done \u00e9 {KEY}", "messages": [{"long": "z" * 500}]}),
        event(9, "task_failed", task_id="task-b", error="down", output=None),
        event(10, "checkpoint_completed", checkpoint_id="c", trigger="task_completed"),
        event(11, "odd", output=1.5, message="", result={"deep": [None, True]}),
    ]  # fmt: skip
    runs = [
        event(1, "flow_created", **of),
        event(2, "method_execution_started", method_name="a", state={"id": "state-1"}, **of),
        event(3, "method_execution_finished", method_name="a", result=[1, {"b": 2}],
              state={"id": "state-1", "long": "s" * 300}, **of),
        event(4, "method_execution_paused", method_name="b", message="ok?", **of),
        event(5, "method_execution_failed", method_name="c", error={"not": "a text"}, **of),
    ]  # fmt: skip
    chat = [{"role": "system", "content": "be good"}, {"role": "user", "content": "why?"}]
    asked = [
        event(1, "lite_agent_execution_started", messages=chat, agent_role="Writer",
              agent_info={"id": "agent-Writer", "more": [1]}),
        event(2, "lite_agent_execution_completed", output="because", messages=chat),
    ]  # fmt: skip
    done = crew(task("a", output="text"), task("b"), executor(), agents=[agent(crew=None)])
    return {
        "crew": document(done, executor(), events=steps),
        "flow": document(flow("a"), crew(task()), events=runs, trigger="flow_paused"),
        "agent": document(agent(crew=None), events=asked),
        "without trigger": document(agent(crew=None), events=asked, trigger=None, version=None),
        "fork": document(crew(task("a")), events=steps[:2],
                         crewcheck={"primary": 0, "dropped": [0], "edits": [{"path": "x"}]}),
        "two crews": document(crew(task("a")), crew(task("b"), id="crew-2"), events=steps),
        "workflow": document({"entity_type": "workflow", "name": "w", "tasks": [task()]}),
        "bare": {"entities": []},
        "none": {},
    }  # fmt: skip


def shape(doc: Json) -> Json:
    """All that is laid out of a document."""
    info = lay_out(doc, Checkpoint(Header(key="k", id="i", location="l")), Redactor())
    shown = {one.name: getattr(info, one.name) for one in fields(info)}
    del shown["checkpoint"]
    return shown | {"summary": summary_shape(info.summary)}


def summary_shape(summary: Any) -> Json:
    return {name: getattr(summary, name) for name in summary.__slots__}


@pytest.mark.parametrize("name", documents())
@pytest.mark.parametrize("form", [{}, {"indent": 1, "ensure_ascii": False}, {"sort_keys": True}])
def test_it_is_laid_out_as_the_whole_is(name: str, form: Json) -> None:
    doc = documents()[name]
    read = lean(json.dumps(doc, **form).encode())
    assert read is not None
    assert repr(shape(read)) == repr(shape(doc))


def test_copies_of_tasks_and_agents_are_passed_over() -> None:
    read = lean(json.dumps(documents()["crew"]).encode())
    assert read is not None
    events = [node["event"] for node in read["event_record"]["nodes"].values()]
    assert events[1]["task"] == {"name": "a", "role": None}
    assert events[2]["agent"] == {"role": "Writer"}
    assert "messages" not in events[3]
    assert events[7]["output"] == {"raw": f"done \u00e9 {KEY}"}
    assert "edges" not in read["event_record"]["nodes"]["event-1"]


class Watched(dict[str, Any]):
    """An object that notes which keys it is asked for."""

    def __init__(self, items: Json, asked: set[str]) -> None:
        super().__init__(items)
        self.asked = asked

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.asked.add(key)
        return super().__getitem__(key)


@pytest.mark.parametrize("name", documents())
def test_nothing_else_of_an_event_is_ever_asked_for(name: str) -> None:
    """A field that a reader learns to use must be named, or big documents would lack it."""
    doc = documents()[name]
    asked: set[str] = set()
    parts: dict[str, set[str]] = {}
    for node in doc.get("event_record", {}).get("nodes", {}).values():
        one = node["event"]
        for part in (*eventlog.PARTS, eventlog.OUTPUT):
            if isinstance(one.get(part), dict):
                one[part] = Watched(one[part], parts.setdefault(part, set()))
        node["event"] = Watched(one, asked)
    lay_out(doc, Checkpoint(Header(key="k", id="i", location="l")), Redactor(show=True))
    whole = eventlog.FIELDS | set(eventlog.PARTS) | {eventlog.OUTPUT, eventlog.MESSAGES}
    assert asked <= whole
    for part, keys in parts.items():
        assert keys <= {*eventlog.PARTS.get(part, ()), *eventlog.OUTPUT_PARTS}


ODD = [
    b"", b"null", b"[]", b"{", b'{"entities": NaN}', b'{"event_record": {"nodes": []}}',
    b'{"event_record": {"nodes": {"a": 1}}}', b'{"event_record": {"nodes": {"a": {"event": 3}}}}',
    b'{"event_record": {"nodes": {"a": {"event": {"task": "x"}}}}}',
    b'{"event_record": {"nodes": {"a": {"event": {"skipped": NaN}}}}}',
    b'{"event_record": {"nodes": {"a": {"event": {"skipped": "\xff"}}}}}',
    b'{"event_record": {"nodes": {"a": {"event": {"skipped": "\x01"}}}}}',
    b'{"event_record": {"nodes": {"a": {"event": {"skipped": "\\x"}}}}}',
    b'{"event_record": {"nodes": {"a": {"event": {"error": "\\ud800"}}}}}',
    b'{"event_record": {"nodes": {"a": {"event": {"skipped": ' + b"7" * 9000 + b"}}}}}",
    b'{"event_record": {"nodes": {"a": {"event": {"skipped": ' + b"[" * 5000 + b"}}}}}",
    b'{"entities": []} x', b"\xff\xfe{\x00}\x00",
]  # fmt: skip


@pytest.mark.parametrize("data", ODD)
def test_what_is_odd_is_left_to_the_reader_of_the_whole(data: bytes) -> None:
    assert lean(data) is None


def test_a_byte_order_mark_is_passed_over() -> None:
    data = b"\xef\xbb\xbf" + json.dumps(documents()["crew"]).encode()
    read = lean(data)
    assert read is not None
    assert repr(shape(read)) == repr(shape(json_text.parse(data)))


BITS = [
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\\u12", b"\\ud800", b"NaN", b"1e999",
    b"\x00", b"\xff", b"\n", b"-", b"0", b"1.", b"\\x", b"null", b'"a":1,', b"\x01", b"\t",
    b',"event_record": 1,', b'"output": null,', b'"type": "x",', b'"event": {},',
]  # fmt: skip


def broken(head: bool = False) -> Iterator[bytes]:
    """Documents with something put in, taken out or changed (``head``: before the events),
    the same ones each time."""
    chance = random.Random(4)
    texts = [json.dumps(doc).encode() for doc in documents().values()]
    for _ in range(1500):
        data = bytearray(chance.choice(texts))
        end = data.find(b'"event_record"') if head else -1
        at = chance.randrange(end if end > 0 else len(data))
        what = chance.random()
        if what < 0.6:
            data[at:at] = chance.choice(BITS)
        elif what < 0.8:
            del data[at : at + chance.randrange(1, 20)]
        else:
            data[at] = chance.randrange(256)
        yield bytes(data)


def test_broken_documents_are_never_read_otherwise() -> None:
    accepted = 0
    for data in broken():
        read = lean(data)
        if read is not None:
            accepted += 1
            assert repr(shape(read)) == repr(shape(json_text.parse(data))), data
    assert accepted > 200


def test_summaries_of_broken_documents_are_those_of_the_whole() -> None:
    accepted = 0
    for data in broken(head=True):
        quick = json_text.summary_of(data, len(data), lambda _a, _b: b"")
        whole = json_text.summary_of_all(data)
        assert summary_shape(quick) == summary_shape(whole), data
        accepted += whole.damage is None
    assert accepted > 200


def test_of_entities_that_only_we_write_a_summary_reads_all() -> None:
    assert lean_head(json.dumps({"entities": [{"entity_type": "workflow"}]}).encode()) is None
    head = lean_head(json.dumps({"entities": [crew(task("a", output="x"), task("b"))]}).encode())
    assert head is not None
    assert head["entities"][0]["tasks"] == [
        {"async_execution": False, "output": {}},
        {"async_execution": False, "output": None},
    ]


def test_stores_read_big_documents_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MAX_FOR_KEYS", 100)
    build.write(tmp_path, documents()["crew"], build.ident(1))
    with open_catalog(str(tmp_path)) as catalog:
        header = catalog.checkpoints[0].header
        assert "messages" not in nodes(catalog.store.document(header, lean=True))[3]
        assert "messages" in nodes(catalog.store.document(header))[3]


def nodes(doc: Json) -> list[Json]:
    return [node["event"] for node in doc["event_record"]["nodes"].values()]
