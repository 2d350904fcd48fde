"""SQLite's binary JSON, read without SQLite's own functions (those need 3.45).

The format is https://sqlite.org/jsonb.html: an *element* is a header and a payload. The
low four bits of the header's first byte are the kind, the high four the payload's size,
or 12..15 for a size in the next 1, 2, 4 or 8 bytes, big-endian. Containers hold elements
one after the other, an object label, value, label, value. So whatever is not wanted is
passed over in one step: `members` and `project` read a few values of a large document.

Offsets are byte positions in the blob, those of values point at their headers. A damaged
blob raises `JsonbError` and nothing else, however deep it is nested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import islice
from json import JSONDecodeError, JSONDecoder
from typing import Any

from crewcheck.stores.base import MAX_DEPTH, TOO_DEEP

_NULL, _TRUE, _FALSE, _INT, _INT5, _FLOAT, _FLOAT5, _TEXT, _TEXTJ, _TEXT5, _TEXTRAW = range(11)
_ARRAY, _OBJECT = 11, 12
_CONSTANTS = (None, True, False)
_MAX_DIGITS = 4300
_DECODER = JSONDecoder(strict=False)
_LONE = ("utf-8", "surrogatepass")

_INTEGER = re.compile(rb"[+-]?[0-9]+")
_HEXADECIMAL = re.compile(rb"[+-]?0[xX][0-9a-fA-F]+")
_NUMBER = re.compile(rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|Infinity|inf|NaN)")
_JSON5 = re.compile(r'"|\\(x[0-9a-fA-F]{2}|\r\n|.)', re.DOTALL)
#: what JSON makes of an escape that only JSON5 has
_AS_JSON = {"v": "\\u000b", "0": "\\u0000"} | dict.fromkeys("\n\r\u2028\u2029", "")
_AS_JSON |= {"\r\n": ""} | {letter: "\\" + letter for letter in '"\\/bfnrtux'}


class JsonbError(ValueError):
    """A blob that is no valid JSONB: what is wrong, where (a byte position), and which rule of
    `scan.Damage` it breaks: ``empty``, ``truncated``, ``trailing-data`` or ``not-json``."""

    def __init__(self, message: str, offset: int, rule: str = "not-json") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.rule = rule


class Take(Enum):
    """How much `project` reads of a container (scalars are read in any case): all of it; its
    own members, with containers among them empty; or only that it is there, empty."""

    WHOLE = "whole"
    SHALLOW = "shallow"
    PRESENT = "present"


#: What `project` reads: of an object the members with these (UTF-8) labels.
Wanted = Take | Mapping[bytes, "Wanted"]


def loads(blob: bytes) -> Any:
    """The value of a whole blob. Of duplicate labels the last one wins, as in `json.loads`."""
    _root(blob)
    return _decode(blob, 0, len(blob))


def top_level(blob: bytes) -> dict[str, tuple[int, int]]:
    """`members` of the outermost value, which must be an object and end where the blob ends."""
    if _root(blob) != _OBJECT:
        raise JsonbError("its outermost value is no object", 0)
    return members(blob, 0)


def members(blob: bytes, offset: int) -> dict[str, tuple[int, int]]:
    """``{label: (offset, end)}`` of the object at ``offset``; empty if it is no object."""
    kind, first, stop = _header(blob, offset, len(blob))
    found = _members(blob, first, stop) if kind == _OBJECT else ()
    return {_text(blob, label, start, end): (end, after) for label, start, end, after in found}


def decode_at(blob: bytes, offset: int) -> Any:
    """The value whose header is at ``offset``."""
    return _decode(blob, offset, len(blob))


def first_items(
    blob: bytes, offset: int, n: int | None = None, wanted: Wanted = Take.WHOLE
) -> Iterator[tuple[str | None, Any]]:
    """The first ``n`` items of the container at ``offset`` (all without ``n``), lazily, as
    ``(label, value)``: in an array the label is None. Nothing for a scalar."""
    kind, first, stop = _header(blob, offset, len(blob))
    if kind == _OBJECT:
        for label, start, end, after in islice(_members(blob, first, stop), n):
            yield _text(blob, label, start, end), project(blob, end, after, wanted)
    elif kind == _ARRAY:
        for start, end in islice(_items(blob, first, stop), n):
            yield None, project(blob, start, end, wanted)


def project(blob: bytes, offset: int, end: int, wanted: Wanted, in_array: bool = False) -> Any:
    """The part of a value that is wanted; the rest is passed over, and not checked. A mapping
    is applied to each item of an array (but not to arrays in it)."""
    kind, first, stop = _header(blob, offset, end)
    if kind < _ARRAY:
        return _scalar(blob, kind, first, stop)
    if wanted is Take.WHOLE:
        return _decode(blob, offset, end)
    if wanted is Take.PRESENT or (in_array and kind == _ARRAY):
        return [] if kind == _ARRAY else {}
    by_name = None if isinstance(wanted, Take) else wanted
    inner: Wanted = Take.PRESENT if by_name is None else by_name
    if kind == _ARRAY:
        return [project(blob, at, after, inner, True) for at, after in _items(blob, first, stop)]
    found: dict[str, Any] = {}
    for label, start, at, after in _members(blob, first, stop):
        if by_name is not None:
            plain = label in (_TEXT, _TEXTRAW)
            name = blob[start:at] if plain else _text(blob, label, start, at).encode(*_LONE)
            if name not in by_name:
                continue
            inner = by_name[name]
        found[_text(blob, label, start, at)] = project(blob, at, after, inner)
    return found


def is_object(blob: bytes) -> bool:
    """Whether a blob begins as a JSONB object, which JSON text never does."""
    return bool(blob) and blob[0] & 15 == _OBJECT


def _root(blob: bytes) -> int:
    """The outermost element's kind. Its end must be the blob's."""
    size = len(blob)
    if not size:
        raise JsonbError("it is empty (0 bytes)", 0, "empty")
    # nine bytes of zeros: a header that is cut itself is read as far as it goes
    kind, _, stop = _header(blob[:9].ljust(9, b"\0"), 0, 1 << 65)
    if stop > size:
        raise JsonbError(f"cut short after {size} bytes", size, "truncated")
    if stop < size:
        raise JsonbError(f"something follows the document at byte {stop}", stop, "trailing-data")
    return kind


def _header(blob: bytes, at: int, limit: int) -> tuple[int, int, int]:
    """``(kind, start of the payload, its end)`` of the element at ``at``."""
    if not 0 <= at < limit:
        raise JsonbError(f"an element is missing at byte {at}", at)
    kind, size, first = blob[at] & 15, blob[at] >> 4, at + 1
    if size > 11:
        first += 1 << (size - 12)
        size = int.from_bytes(blob[at + 1 : first], "big")
    if kind > _OBJECT:
        raise JsonbError(f"an element of the unknown kind {kind} at byte {at}", at)
    if first + size > limit:
        raise JsonbError(f"the element at byte {at} goes beyond the end of what it is in", at)
    return kind, first, first + size


def _items(blob: bytes, first: int, stop: int) -> Iterator[tuple[int, int]]:
    """``(offset, end)`` of each element in an array's payload."""
    while first < stop:
        end = _header(blob, first, stop)[2]
        yield first, end
        first = end


def _members(blob: bytes, first: int, stop: int) -> Iterator[tuple[int, int, int, int]]:
    """``(label's kind, its start, its end = the value's offset, the value's end)``."""
    while first < stop:
        head = blob[first]
        kind, start = head & 15, first + 1
        end = start + (head >> 4)
        if 0xC0 <= head < 0xD0 and start < stop:  # nearly all labels are shorter than 256
            start, end = start + 1, start + 1 + blob[start]
        if head >= 0xD0 or end >= stop:
            _, start, end = _header(blob, first, stop)
        if not _TEXT <= kind <= _TEXTRAW:
            raise JsonbError(f"a label that is no text before byte {start}", first)
        head = blob[end] if end < stop else 0xFF  # that is none: `_header` will say so
        first = end + 1 + (head >> 4)
        if head >= 0xC0 or first > stop or head & 15 > _OBJECT:
            first = _header(blob, end, stop)[2]
        yield kind, start, end, first


def _decode(blob: bytes, offset: int, limit: int) -> Any:
    """All of one element; the containers around the current one are on a stack of our own.

    Sizes below 12, plain texts and constants are nearly all there is, so they are read in
    place: calls for them would double the time.
    """
    kind, at, stop = _header(blob, offset, limit)
    if kind < _ARRAY:
        return _scalar(blob, kind, at, stop)
    root: Any = [] if kind == _ARRAY else {}
    current, in_object = root, kind == _OBJECT
    labels: dict[bytes, str] = {}
    label: Any = None
    value: Any
    outer: list[tuple[Any, bool, int]] = []
    while True:
        while at < stop:
            if in_object:
                head, first = blob[at], at + 1
                end = first + (head >> 4)
                if head >= 0xC0 or end > stop:
                    _, first, end = _header(blob, at, stop)
                kind, raw = head & 15, blob[first:end]
                label = labels.get(raw) if kind == _TEXT else None
                if label is None:
                    if not _TEXT <= kind <= _TEXTRAW:
                        raise JsonbError(f"a label that is no text before byte {first}", at)
                    label = _text(blob, kind, first, end)
                    if kind == _TEXT:
                        labels[raw] = label
                at = end
                if at >= stop:
                    raise JsonbError(f"a label without a value before byte {at}", at)
            head, first = blob[at], at + 1
            end = first + (head >> 4)
            kind = head & 15
            if head >= 0xC0 or end > stop or kind > _OBJECT:
                _, first, end = _header(blob, at, stop)
            if kind == _TEXT:
                try:
                    value = blob[first:end].decode()
                except UnicodeDecodeError:
                    value = _text(blob, kind, first, end)
            elif kind <= _FALSE and first == end:
                value = _CONSTANTS[kind]
            elif kind < _ARRAY:
                value = _scalar(blob, kind, first, end)
            else:
                value = [] if kind == _ARRAY else {}
            if in_object:
                current[label] = value
            else:
                current.append(value)
            if kind < _ARRAY:
                at = end
                continue
            if len(outer) + 2 > MAX_DEPTH:
                raise JsonbError(TOO_DEEP, at)
            outer.append((current, in_object, stop))
            current, in_object, at, stop = value, kind == _OBJECT, first, end
        if not outer:
            return root
        at = stop
        current, in_object, stop = outer.pop()


def _scalar(blob: bytes, kind: int, first: int, end: int) -> Any:
    if kind >= _TEXT:
        return _text(blob, kind, first, end)
    if kind <= _FALSE and first == end:
        return _CONSTANTS[kind]
    raw = blob[first:end]
    if kind in (_INT, _INT5) and _INTEGER.fullmatch(raw):
        try:
            return int(raw)
        except ValueError:  # Python refuses very long ones: they take quadratic time
            raise JsonbError(f"too many digits ({len(raw)}) at byte {first}", first) from None
    if kind == _INT5 and len(raw) < _MAX_DIGITS and _HEXADECIMAL.fullmatch(raw):
        return int(raw, 16)
    if kind in (_FLOAT, _FLOAT5) and _NUMBER.fullmatch(raw):
        return float(raw)
    raise JsonbError(f"an invalid number or constant at byte {first}", first)


def _text(blob: bytes, kind: int, first: int, end: int) -> str:
    try:
        text = blob[first:end].decode()
    except UnicodeDecodeError:
        try:  # lone surrogates have no UTF-8, but are written like this
            text = blob[first:end].decode(*_LONE)
        except UnicodeDecodeError as error:
            at = first + error.start
            raise JsonbError(f"invalid UTF-8 at byte {at}", at) from None
    if kind in (_TEXT, _TEXTRAW):
        return text
    if kind == _TEXT5:
        text = _JSON5.sub(lambda found: _AS_JSON.get(found[1] or '"', _other(found[1])), text)
    try:
        value, after = _DECODER.raw_decode(f'"{text}"')
    except JSONDecodeError:
        after = -1
    if after != len(text) + 2:
        raise JsonbError(f"a bad escape in the text at byte {first}", first)
    return str(value)


def _other(escaped: str | None) -> str:
    """JSON's form of an escape that stands for itself, or of ``\\xHH``."""
    return "\\u00" + escaped[1:] if escaped and len(escaped) == 3 else escaped or ""
