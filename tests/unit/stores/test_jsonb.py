from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewcheck.stores import jsonb
from crewcheck.stores.base import MAX_DEPTH
from crewcheck.stores.jsonb import JsonbError, Take

DATABASE = apsw.Connection(":memory:")

DOCUMENT = {
    "version": "1",
    "list": [{"a": 1, "big": {"x": [1]}}, {"a": None, "b": "no"}, [{"a": 5}], 7],
    "record": {"nodes": {"n1": {"event": {"type": "t"}}, "n2": 2, "n3": 3}},
    "é\n": -0.5,
}


def encode(value: Any) -> bytes:
    """SQLite's own encoding of a value, or of JSON (or JSON5) text."""
    text = value if isinstance(value, str) else json.dumps(value)
    (blob,) = next(iter(DATABASE.execute("SELECT jsonb(?)", (text,))))
    assert isinstance(blob, bytes)
    return blob


def element(kind: int, payload: bytes = b"", width: int | None = None) -> bytes:
    """An element made by hand; ``width`` bytes for its size, where that is not the least."""
    size = len(payload)
    if width is None and size < 12:
        return bytes([size << 4 | kind]) + payload
    width = width or next(w for w in (1, 2, 4, 8) if size < 256**w)
    nibble = {1: 12, 2: 13, 4: 14, 8: 15}[width]
    return bytes([nibble << 4 | kind]) + size.to_bytes(width, "big") + payload


@pytest.mark.parametrize(
    ("blob", "value"),
    [
        (b"\x00", None),
        (b"\x01", True),
        (b"\x02", False),
        (b"\x131", 1),
        (b"\x0b", []),
        (b"\x0c", {}),
        (b"\x07", ""),
        (b"\x17a", "a"),
        (element(11, element(4, b"0x1F")), [31]),
        (element(4, b"-0x1f"), -31),
        (element(4, b"+7"), 7),
        (element(5, b"-1.5e3"), -1500.0),
        (element(6, b".5"), 0.5),
        (element(6, b"5."), 5.0),
        (element(6, b"-Infinity"), -math.inf),
        (element(5, b"9e999"), math.inf),
        (element(8, rb"a\u00e9\ud83d\ude42\"\/"), 'aé🙂"/'),
        (element(8, rb"\ud800"), "\ud800"),
        (element(9, rb"\x41\v\0\'" + b'"\\\n\\\r\n\t'), "A\v\0'\"\t"),
        (element(10, b'a"\\n'), 'a"\\n'),
        (element(7, b"\xed\xa0\x80"), "\ud800"),
        (element(7, "é🙂".encode()), "é🙂"),
        (element(3, b"1" * 4300), int("1" * 4300)),
        (element(3, b"123", 8), 123),
        (element(11, element(1, b"", 1) + element(12, b"", 2)), [True, {}]),
        (element(12, b"\x17a\x131\x17a\x132"), {"a": 2}),
    ],
)
def test_golden_values(blob: bytes, value: object) -> None:
    found = jsonb.loads(blob)
    assert found == value
    assert type(found) is type(value)


def test_nan() -> None:
    assert math.isnan(jsonb.loads(element(6, b"NaN")))


@pytest.mark.parametrize(
    ("blob", "rule", "message", "offset"),
    [
        (b"", "empty", "it is empty (0 bytes)", 0),
        (b"\xdc\x01", "truncated", "cut short after 2 bytes", 2),
        (b"\x47abc", "truncated", "cut short after 4 bytes", 4),
        (b"\xff" * 9, "not-json", "unknown kind 15", 0),
        (b"\x0d", "not-json", "unknown kind 13", 0),
        (b"\x1b\x0e", "not-json", "unknown kind 14", 1),
        (b"\x00\x00", "trailing-data", "something follows the document at byte 1", 1),
        (b"\x1b\x27", "not-json", "goes beyond the end of what it is in", 1),
        (b"\x1b\xc7", "not-json", "goes beyond the end of what it is in", 1),
        (b"\x2c\x17a", "not-json", "without a value", 3),
        (b"\x2c\x00\x00", "not-json", "label that is no text", 1),
        (b"\x10\x00", "not-json", "constant", 1),
        (b"\x13-", "not-json", "number", 1),
        (b"\x331_0", "not-json", "number", 1),
        (b"\x35nan", "not-json", "number", 1),
        (b"\x27\xc3\x28", "not-json", "invalid UTF-8 at byte 1", 1),
        (b"\x18\\", "not-json", "escape", 1),
        (b'\x18"', "not-json", "escape", 1),
        (b"\x38\\u1", "not-json", "escape", 1),
        (b"\x39\\xg", "not-json", "escape", 1),
        (element(3, b"9" * 4301), "not-json", "too many digits (4301)", 3),
        (element(4, b"0x" + b"f" * 5000), "not-json", "number", 3),
    ],
)
def test_damage_is_named_with_its_place(blob: bytes, rule: str, message: str, offset: int) -> None:
    with pytest.raises(JsonbError) as caught:
        jsonb.loads(blob)
    assert (caught.value.rule, caught.value.offset) == (rule, offset)
    assert message in caught.value.message


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    def nested(depth: int) -> bytes:
        blob = b"\x0b"
        for _ in range(depth - 1):
            blob = element(11, blob)
        return blob

    value, depth = jsonb.loads(nested(MAX_DEPTH)), 0
    while isinstance(value, list):
        value, depth = value[0] if value else None, depth + 1
    assert depth == MAX_DEPTH
    for blob in (nested(MAX_DEPTH + 1), element(12, b"\x17a" + nested(20_000))):
        with pytest.raises(JsonbError, match=r"nested too deep \(more than 200 levels\)"):
            jsonb.loads(blob)
    # one header after the other, each as large as what is left: 100,000 levels
    deep = b"".join(
        bytes([0xEB]) + (5 * (99_999 - level)).to_bytes(4, "big") for level in range(100_000)
    )
    with pytest.raises(JsonbError, match="nested too deep"):
        jsonb.loads(deep)
    wanted: jsonb.Wanted = {b"a": {b"b": Take.SHALLOW}}
    assert jsonb.project(deep, 0, len(deep), wanted) == [[]]


READERS: list[Callable[[bytes], object]] = [
    jsonb.loads,
    jsonb.top_level,
    lambda blob: list(jsonb.first_items(blob, 0, 3)),
    lambda blob: jsonb.project(blob, 0, len(blob), {b"list": {b"a": Take.WHOLE}}),
    lambda blob: jsonb.project(blob, 0, len(blob), Take.SHALLOW),
]


def test_every_truncation_is_found() -> None:
    blob = encode(DOCUMENT)
    for size in range(len(blob)):
        for reader in READERS[:2]:
            with pytest.raises(JsonbError) as caught:
                reader(blob[:size])
            assert caught.value.rule == ("truncated" if size else "empty")
            assert caught.value.offset == size


def test_flipped_bytes_raise_nothing_else() -> None:
    blob = encode(DOCUMENT)
    chance = random.Random(7)
    offsets = []
    for _ in range(3000):
        broken = bytearray(blob)
        for _ in range(chance.randint(1, 3)):
            broken[chance.randrange(len(blob))] = chance.randrange(256)
        for reader in READERS:
            try:
                reader(bytes(broken))
            except JsonbError as error:
                offsets.append(error.offset)
    assert len(offsets) > 5000
    assert 0 <= min(offsets) <= max(offsets) <= len(blob)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=20,
)


@given(values, st.booleans())
@settings(max_examples=150, deadline=None)
def test_reads_what_sqlite_writes(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    blob = encode(text)
    found = jsonb.loads(blob)
    assert found == value
    assert json.dumps(found) == json.dumps(value)
    if isinstance(value, dict):
        places = jsonb.top_level(blob)
        assert {label: jsonb.decode_at(blob, at) for label, (at, _) in places.items()} == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{a: 1, $b: 'it\\'s', c: [+5, -0x1F, .5, 5., 1e5]}", None),
        ("'a\"b'", 'a"b'),
        ("'line\\\ncontinued'", "linecontinued"),
        ('"lone \\ud800 and pair \\ud83d\\ude42"', "lone \ud800 and pair 🙂"),
        ("[Infinity, -Infinity]", [math.inf, -math.inf]),
    ],
)
def test_reads_json5_as_sqlite_does(text: str, value: Any) -> None:
    blob = encode(text)
    if value is None:
        (back,) = next(iter(DATABASE.execute("SELECT json(?)", (blob,))))
        value = json.loads(str(back))
    assert jsonb.loads(blob) == value


def test_hopping_reads_only_what_is_wanted() -> None:
    blob = encode(DOCUMENT)
    places = jsonb.top_level(blob)
    assert list(places) == list(DOCUMENT)
    assert places["é\n"][1] == len(blob)
    assert jsonb.decode_at(blob, places["version"][0]) == "1"
    nodes, _ = jsonb.members(blob, places["record"][0])["nodes"]
    assert list(jsonb.first_items(blob, nodes, 2)) == [("n1", {"event": {"type": "t"}}), ("n2", 2)]
    assert len(list(jsonb.first_items(blob, nodes))) == 3
    at, end = places["list"]
    assert [item for _, item in jsonb.first_items(blob, at, 1, Take.SHALLOW)] == [
        {"a": 1, "big": {}}
    ]
    wanted: jsonb.Wanted = {b"a": Take.WHOLE, b"big": Take.PRESENT}
    assert jsonb.project(blob, at, end, wanted) == [{"a": 1, "big": {}}, {"a": None}, [], 7]
    assert jsonb.project(blob, at, end, Take.SHALLOW) == [{}, {}, [], 7]
    assert jsonb.project(blob, at, end, Take.WHOLE) == DOCUMENT["list"]
    assert jsonb.members(blob, at) == {}
    assert list(jsonb.first_items(blob, places["version"][0])) == []


def test_escaped_labels_are_found_too() -> None:
    blob = element(12, element(8, rb"\u0061") + b"\x131" + element(9, rb"\x62") + b"\x132")
    assert jsonb.project(blob, 0, len(blob), {b"a": Take.WHOLE, b"b": Take.WHOLE}) == {
        "a": 1,
        "b": 2,
    }


def test_what_is_passed_over_is_not_checked_but_its_size_is() -> None:
    blob = element(12, b"\x17a" + element(11, b"\x0f") + b"\x17b\x131")
    assert jsonb.project(blob, 0, len(blob), {b"b": Take.WHOLE}) == {"b": 1}
    with pytest.raises(JsonbError):
        jsonb.loads(blob)


def test_only_an_object_has_a_top_level() -> None:
    with pytest.raises(JsonbError, match="no object"):
        jsonb.top_level(b"\x0b")


@pytest.mark.parametrize("text", ['{"a":12}', '{"a":1}', " {}", "\ufeff{}", "[]", "{}"])
def test_json_text_in_a_blob_is_told_apart(text: str) -> None:
    assert not jsonb.is_object(text.encode())
    assert jsonb.is_object(encode({"a": 1}))
    assert not jsonb.is_object(b"")
