"""What properties are tried on: real documents, and ways to spoil them."""

from __future__ import annotations

import copy
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import apsw

from tests.build import agent, crew, document, event, executor, flow, task

DEMO = Path(__file__).parents[2] / "crewcheck" / "demo" / "store"

#: what breaks readers, and what they look for
_PIECES = [
    *(b"\0", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x7f", b"\x1b", b" "),
    *(b'"', b"\\", b"\\u", b"\\ud83d", b"\\u0000", b"{", b"}", b"[", b"]", b",", b":", b"-"),
    *(b"1e999", b"9" * 20, b"9" * 5000, b"0.1", b"NaN", b"-Infinity", b"true", b"null"),
    *(b'""', b"{}", b"[]", b"//", b"/*", "é".encode(), "🙂".encode(), b"[" * 300, b'{"a":' * 300),
    *(b'"entities":', b'"event_record":', b', "event_record": {"nodes": {}}', b"}}"),
    *(b', "trigger": "crew_kickoff_completed"}', b'"crewcheck": {"primary": 1}, '),
    b'{"entities": []}',
]


@cache
def small() -> tuple[dict[str, Any], ...]:
    """Documents of every kind, a few kilobytes each."""
    of = {"flow_name": "Poem", "method_name": "begin"}
    tokens = {"usage": {"prompt_tokens": 3, "completion_tokens": 4}, "task_id": "task-outline"}
    done, open_task = task("outline", output="An outline"), task("draft", async_execution=True)
    work = [
        event(1, "crew_kickoff_started", inputs={"topic": "bridges"}),
        event(2, "task_started", task_id="task-outline", parent_event_id="event-1"),
        event(3, "llm_call_completed", parent_event_id="event-2", model="gpt-4o", **tokens),
        event(4, "task_completed", task_id="task-outline", started_event_id="event-2"),
        event(5, "task_failed", task_id="task-draft", error="no", parent_event_id="event-1"),
    ]
    return (
        document(crew(done, open_task, task("edit")), executor(), events=work),
        document(crew(done, task("draft", output="x"), memory=True), crew(id="2"), events=work),
        document(
            crew(open_task, done),
            crew(done, id="2"),
            crewcheck={"primary": 1, "dropped": [0], "edits": [{"path": "inputs.topic"}]},
            parent="p",
        ),
        document(
            flow("begin", state={"id": "state-1", "n": [1, {"deep": None}]}),
            executor(),
            events=[
                event(1, "flow_started", flow_name="Poem"),
                event(2, "method_execution_started", **of),
                event(3, "method_execution_finished", result={"x": 1}, **of),
                event(4, "method_execution_paused", message="?", **of),
            ],
            trigger="flow_paused",
        ),
        document(
            agent(crew=None, agent_executor=executor()),
            events=[
                event(1, "lite_agent_execution_started", messages=[{"content": "why?"}]),
                event(2, "lite_agent_execution_completed", output="so"),
            ],
            trigger=None,
            version=None,
        ),
    )


@cache
def real() -> tuple[dict[str, Any], ...]:
    """The demo's documents: CrewAI wrote them."""
    paths = sorted(DEMO.rglob("*.json"), key=lambda path: path.stat().st_size)
    return tuple(json.loads(path.read_bytes()) for path in paths)


def any_document(random: random.Random) -> dict[str, Any]:
    """A document (not to be changed): mostly a small one, of ten one real."""
    return random.choice(real() if random.random() < 0.1 else small())


@cache
def texts() -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The small and the real documents as JSON, the small ones in all ways of writing."""
    made = [
        json.dumps(one, indent=indent, separators=separators, ensure_ascii=ascii_only).encode()
        for one in small()
        for indent, separators, ascii_only in (
            (None, None, True),
            (None, (",", ":"), False),
            (1, None, True),
        )
    ]
    return tuple(made), tuple(json.dumps(one).encode() for one in real())


def any_text(random: random.Random) -> bytes:
    return random.choice(texts()[random.random() < 0.1])


@cache
def blobs() -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """As `texts`, in SQLite's binary JSON."""
    few, many = (tuple(map(to_jsonb, one)) for one in (small(), real()))
    return few, many


def any_blob(random: random.Random) -> bytes:
    return random.choice(blobs()[random.random() < 0.1])


_SQLITE = apsw.Connection(":memory:")


def to_jsonb(value: Any) -> bytes:
    """A value as SQLite's own binary JSON (NaN becomes null)."""
    blob = next(_SQLITE.execute("SELECT jsonb(?)", (json.dumps(value),)))[0]
    assert isinstance(blob, bytes)
    return blob


def mutated(data: bytes, random: random.Random) -> bytes:
    """Some bytes changed, put in, taken out, doubled or swapped; or the end cut off."""
    made = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        size = len(made)
        if not size:
            return bytes(made)
        at = random.randrange(size)
        to = min(size, at + random.choice((1, 1, 2, 4, 16, 64, 1000)))
        other = random.randrange(size)
        match random.randrange(9):
            case 0:
                made[at] ^= 1 << random.randrange(8)
            case 1:
                made[at] = random.randrange(256)
            case 2:
                made[at:at] = random.choice(_PIECES)
            case 3:
                made[at : at + 1] = random.choice(_PIECES)
            case 4:
                del made[at:to]
            case 5:
                made[other:other] = made[at:to]
            case 6:
                chunk = made[at:to]
                del made[at:to]
                made[other:other] = chunk
            case 7:
                made[at:to] = random.randbytes(to - at)
            case 8 if random.random() < 0.3:
                del made[at:]
    return bytes(made)


_WORDS = (
    *("", "crew", "flow", "agent", "task", "id", "name", "main", "event-1", "task-outline", "x/y"),
    *("\0", "\ud800", "é🙂", "\x1b]0;t\x07", "{topic}", "[red]", "NOT_SPECIFIED", "9" * 20),
    *("2026-11-29T17:42:01Z", "9999-12-31T23:59:59+14:00", "12", "entity_type", "a" * 3000),
)
_NUMBERS = (0, 1, -1, 3, 10**30, 0.5, -0.0, 1e308, float("nan"), float("inf"), 2**63)


def any_json(random: random.Random, depth: int = 0) -> Any:
    """A value that JSON (Python's, with NaN) can hold."""
    kind = random.randrange(8 if depth < 4 else 6)
    if kind < 3:
        return random.choice(_WORDS)
    if kind < 4:
        return random.choice(_NUMBERS)
    if kind < 6:
        return random.choice((None, True, False))
    count = random.choice((0, 1, 2, 5))
    if kind == 6:
        return [any_json(random, depth + 1) for _ in range(count)]
    return {random.choice(_WORDS): any_json(random, depth + 1) for _ in range(count)}


def spoiled(document: dict[str, Any], random: random.Random) -> dict[str, Any]:
    """A copy in which values at random places are others: of odd types, or from elsewhere."""
    made = copy.deepcopy(document)
    for _ in range(random.choice((1, 1, 2, 5))):
        holder, key = _a_place(made, random)
        if holder is None:
            continue
        if random.random() < 0.2:
            del holder[key]
        elif random.random() < 0.2:
            # a value of the same document at another place
            other, its = _a_place(made, random)
            holder[key] = copy.deepcopy(other[its]) if other is not None else None
        else:
            holder[key] = any_json(random)
    return made


def _a_place(document: dict[str, Any], random: random.Random) -> tuple[Any, Any]:
    """A container and a key in it; those near the root, and first ones, are likelier."""
    at: Any = document
    while True:
        if not at:
            return None, None
        keys = list(at) if isinstance(at, dict) else range(len(at))
        key = random.choice(keys)
        inner = at[key]
        if not isinstance(inner, dict | list) or not inner or random.random() < 0.15:
            return at, key
        at = inner


def written(document: dict[str, Any], random: random.Random) -> bytes:
    """A document as JSON in one of the ways in which it can be written. Our own key comes
    first, as we write it: that is what it is there for."""
    keys = list(document)
    if random.random() < 0.3:
        random.shuffle(keys)
    keys.sort(key="crewcheck".__ne__)
    return json.dumps(
        {key: document[key] for key in keys},
        indent=random.choice((None, None, 1)),
        separators=random.choice((None, (",", ":"))),
        ensure_ascii=random.random() < 0.5,
    ).encode(errors="replace")
