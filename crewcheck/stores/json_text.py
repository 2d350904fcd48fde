"""Reading a checkpoint that is JSON text: its summary from the head, or all of it.

``event_record`` is three quarters of a document and comes after ``entities``; ``trigger``
comes last. So a summary is read from a prefix and the last bytes. The parse is the proof
that the prefix was cut at the top level: only there does it become an object when closed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from crewcheck.model.document import iter_events
from crewcheck.model.primary import NeedsRecord
from crewcheck.model.scan import Damage, Summary
from crewcheck.model.summarize import summarize
from crewcheck.stores import json_lean
from crewcheck.stores.base import TOO_DEEP
from crewcheck.stores.json_notes import MAX_FOR_KEYS, count_keys, oddities

HEAD = 64 * 1024
TAIL = 256
#: how much more is read at a time, and that of what is big already
_GROW, _GROW_BIG, _BIG = 4, 2, 1024 * 1024
_MARK = b'"event_record"'
_TRIES = 4
_FIRST_EVENTS = 8
#: first bytes (NULs left out) of an object, a list or a BOM in UTF-16 or UTF-32
_WIDE_BEGINS = (b"{", b"[", b"\xff", b"\xfe")
_BLANK = b" \t\r\n"
_BEFORE_RECORD = {"crewai_version", "parent_id", "branch", "entities"}

# A valid document that ends like this has this trigger at its top level: the last brace
# closes the outermost object.
_TRIGGER = re.compile(rb'[,{]\s*"trigger"\s*:\s*(?:"([^"\\]*)"|null)\s*\}\s*\Z')
_START = re.compile(
    rb'\s*\{\s*"crewai_version"\s*:\s*"[^"\\]*"\s*,\s*"parent_id"\s*:\s*(?:"[^"\\]*"|null)'
    rb'\s*,\s*"branch"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"entities"\s*:\s*\[\s*\{\s*"entity_type"'
)


class BadText(ValueError):
    """Text that is no checkpoint document; ``damage`` says why and where."""

    def __init__(self, damage: Damage) -> None:
        super().__init__(damage.message)
        self.damage = damage


class TooDeep(ValueError):
    """Valid JSON of more levels than are read."""


def parse(data: bytes) -> dict[str, Any]:
    """The whole document. Raises `BadText`. NaN, lone surrogates and a BOM are accepted."""
    return _document(data, set())[0]


def parse_with_notes(data: bytes, lean: bool = False) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The whole document as `parse` gives it, and what is odd about its text.

    ``lean``: of a big one the events may hold only what is read of them.
    """
    constants: set[str] = set()
    keys = 0
    document = json_lean.lean(data) if lean and len(data) > MAX_FOR_KEYS else None
    if document is None:
        document, keys = _document(data, constants)
    return document, tuple(f"its text {one}" for one in oddities(data, keys, constants))


def _document(data: bytes, constants: set[str]) -> tuple[dict[str, Any], int]:
    try:
        value, keys = decoded(data, constants)
    except (ValueError, RecursionError) as error:
        raise BadText(diagnose(data, error)) from None
    if not isinstance(value, dict):
        raise BadText(
            Damage("not-a-checkpoint", f"it holds {_article(value)}, not an object with entities")
        )
    return value, keys


def decoded(data: bytes, constants: set[str]) -> tuple[Any, int]:
    """What a text says, and how many keys it has. NaN and the like are added to
    ``constants``. Raises `ValueError` or `RecursionError`, which `diagnose` explains."""

    def constant(name: str) -> float:
        constants.add(name)
        return float(name)

    value = json.loads(data.decode("utf-8-sig"), parse_constant=constant)
    keys = count_keys(value)
    if keys is None:
        raise TooDeep(TOO_DEEP)
    return value, keys


def diagnose(data: bytes, error: Exception) -> Damage:
    """Why a text cannot be parsed, in a person's words, with the byte offset."""
    if not data:
        return Damage("empty", "the file is empty (0 bytes)", 0)
    if not data.strip(b"\0"):
        return Damage("empty", f"the file holds only NUL bytes ({len(data)} of them)", 0)
    if not data.strip():
        return Damage("empty", "the file holds only blanks", 0)
    encoding = json.detect_encoding(data)
    if not encoding.startswith("utf-8") and data[:4].strip(b"\0")[:1] in _WIDE_BEGINS:
        return Damage("not-json", f"it is {encoding[:6].upper()}, and a checkpoint is UTF-8", 0)
    if isinstance(error, UnicodeDecodeError):
        # the codec does not count the BOM that it has taken off
        at = error.start + 3 * data.startswith(b"\xef\xbb\xbf")
        return Damage("not-json", f"invalid UTF-8 at byte {at}", at)
    if isinstance(error, RecursionError | TooDeep):
        return Damage("not-json", TOO_DEEP)
    if isinstance(error, json.JSONDecodeError):
        skipped = error.doc.startswith("\ufeff")
        at = len(error.doc[: error.pos].encode("utf-8", "surrogatepass")) + 3 * skipped
        if error.msg == "Extra data":
            return Damage("trailing-data", f"something follows the document at byte {at}", at)
        rest = data[at:].strip()
        cut = error.msg.startswith("Unterminated string") or not rest
        if data.lstrip().startswith((b"{", b"\xef\xbb\xbf{")) and (cut or _ends_early(data)):
            return Damage("truncated", f"cut short after {len(data)} bytes", len(data))
        return Damage("not-json", f"{error.msg.removesuffix(' at')} at byte {at}", at)
    # Python refuses very long ones: they take quadratic time
    limit = sys.get_int_max_str_digits()
    return Damage("not-json", f"it holds a number with too many digits (more than {limit})")


def _ends_early(data: bytes) -> bool:
    return not data.rstrip().endswith(b"}")


def _article(value: object) -> str:
    names = {list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def summary_of(head: bytes, size: int, read: Callable[[int, int], bytes]) -> Summary:
    """The summary of a text of ``size`` bytes; ``read(start, end)`` gives more of it.

    ``head`` are its first bytes. What cannot be told from head and tail is told from the
    whole text, so the answer never differs from that of a full parse.
    """
    tail = head[-TAIL:] if len(head) >= size else read(max(0, size - TAIL), size)
    found = _TRIGGER.search(tail)
    if found is not None:
        try:
            quick = _from_prefix(head, size, read, _as_text(found[1]))
        except NeedsRecord:
            quick = None
        if quick is not None:
            return quick
    data = head if len(head) >= size else read(0, size)
    return summary_of_all(data)


def summary_of_all(data: bytes) -> Summary:
    """The summary from a full parse."""
    try:
        document = parse(data)
    except BadText as error:
        return Summary(damage=error.damage)
    return summarize(document, all_events=list(iter_events(document)))


def branch_at_start(head: bytes) -> str | None:
    """The branch of a document that begins as CrewAI's do; None where it does not."""
    found = _START.match(head)
    if found is None:
        return None
    try:
        branch = json.loads(found[1])
    except ValueError:
        return None
    return branch if isinstance(branch, str) and branch else None


def _as_text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "replace")


def _from_prefix(
    head: bytes, size: int, read: Callable[[int, int], bytes], trigger: str | None
) -> Summary | None:
    """The summary from what comes before ``event_record``; None when that does not tell."""
    start = 0
    tries = 0
    while tries < _TRIES:
        at = head.find(_MARK, start)
        if at < 0:
            if len(head) >= size:
                return None
            start = max(0, len(head) - len(_MARK))
            grown = len(head) * (_GROW if len(head) < _BIG else _GROW_BIG)
            head += read(len(head), min(size, max(HEAD, grown)))
            continue
        start = at + len(_MARK)
        end = at
        while end and head[end - 1] in _BLANK:
            end -= 1
        after = head[start : start + 16].lstrip(_BLANK)
        if head[end - 1 : end] != b"," or not after.startswith(b":"):
            continue
        tries += 1
        parsed = _closed(memoryview(head)[: end - 1])
        if parsed is None:
            continue
        if not parsed.keys() >= _BEFORE_RECORD:
            # somebody has put the keys in another order
            return None
        parsed["trigger"] = trigger
        return summarize(parsed, first_events=_first_events(head, start))
    return None


def _closed(prefix: memoryview) -> dict[str, Any] | None:
    import msgspec

    data = b"".join((prefix, b"}")).removeprefix(b"\xef\xbb\xbf")
    lean = json_lean.lean_head(data)
    if lean is not None:
        return lean
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        # msgspec refuses NaN and lone surrogates, which occur
        try:
            value = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _first_events(head: bytes, at: int) -> Iterator[dict[str, Any]]:
    """The first events of the record, as far as the head has them."""
    text = head[at:].decode("utf-8", "ignore")
    opening = re.match(r'\s*:\s*\{\s*"nodes"\s*:\s*\{', text)
    if opening is None:
        return
    decoder = json.JSONDecoder()
    place = opening.end()
    separator = re.compile(r'\s*,?\s*("(?:[^"\\]|\\.)*")\s*:\s*')
    for _ in range(_FIRST_EVENTS):
        key = separator.match(text, place)
        if key is None:
            return
        try:
            node, place = decoder.raw_decode(text, key.end())
        except (ValueError, RecursionError):
            return
        if isinstance(node, dict) and isinstance(node.get("event"), dict):
            yield node["event"]
