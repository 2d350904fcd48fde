"""Reading of a big document only what laying it out needs: a third of the time, a fifth of
the memory.

Events hold whole copies of tasks and agents that nobody looks at; they are passed over
without making objects of them. The result equals the whole document as far as
`crewcheck.model.events` names what is read of an event. Whatever is not as usual (NaN, lone
surrogates, values of other types) is left to the reader of whole documents, which explains it
too. Levels and digits of what is passed over are looked at by its size only.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict

from crewcheck.model import events
from crewcheck.model.document import INTERNAL_FLOWS, LeanDocument, text

if TYPE_CHECKING:
    import msgspec

_BOM = b"\xef\xbb\xbf"
_PIECE = 1 << 20
_TOP = (
    "crewai_version", "crewcheck_version", "parent_id", "branch", "trigger", "crewcheck"
)  # fmt: skip


def lean(data: bytes) -> LeanDocument | None:
    """The document with lean events; None where it has to be read whole to tell what it is."""
    import msgspec

    if not data.isascii() and not _is_utf8(data):
        return None
    if _has_long_number(data):
        return None
    view = memoryview(data)[len(_BOM) if data.startswith(_BOM) else 0 :]
    try:
        document = LeanDocument(_decoder().decode(view))
        for node in document.get("event_record", {}).get("nodes", {}).values():
            _take_raw(node.get("event", {}))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return document


def _take_raw(event: dict[str, Any]) -> None:
    """Decode what only events of some types are read for, or else a part of it."""
    import msgspec

    state = event.pop(events.STATE, None)
    if state is not None:
        whole = event.get("type") == events.STATE_OF
        if whole and text(event.get("flow_name")) not in INTERNAL_FLOWS:
            event[events.STATE] = msgspec.json.decode(state)
        else:
            event[events.STATE] = _state_decoder().decode(state)
    raw = event.pop(events.MESSAGES, None)
    kind = event.get("type")
    if raw is not None and isinstance(kind, str) and kind.startswith(events.MESSAGES_OF):
        event[events.MESSAGES] = msgspec.json.decode(raw)


@cache
def _decoder() -> msgspec.json.Decoder[Any]:
    import msgspec

    fields: dict[str, Any] = dict.fromkeys(events.FIELDS, Any)
    fields |= {name: _some(names) | None for name, names in events.PARTS.items()}
    fields[events.OUTPUT] = _some(events.OUTPUT_PARTS) | str | int | float | bool | list[Any] | None
    fields[events.MESSAGES] = fields[events.STATE] = msgspec.Raw
    node = _some((), event=_some((), **fields))
    record = _some((), nodes=dict[str, node])  # type: ignore[valid-type]
    return msgspec.json.Decoder(_some(_TOP, entities=Any, event_record=record))


@cache
def _state_decoder() -> msgspec.json.Decoder[Any]:
    import msgspec

    return msgspec.json.Decoder(_some(events.PARTS[events.STATE]) | None)


def _some(names: Iterable[str], **fields: Any) -> Any:
    """An object of which only some keys are read, if they are there."""
    return TypedDict("Some", dict.fromkeys(names, Any) | fields, total=False)  # type: ignore[operator]


def _is_utf8(data: bytes) -> bool:
    """Whether all of it is UTF-8: strings that are passed over are not decoded."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for at in range(0, len(data), _PIECE):
            decoder.decode(view[at : at + _PIECE])
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True


def _has_long_number(data: bytes) -> bool:
    """Whether there may be a number with more digits than Python reads."""
    limit = sys.get_int_max_str_digits()
    if not limit:
        return False
    step = limit // 2  # so many digits follow one of the places looked at
    few = min(step, 64)
    places = (step * found.start() for found in re.finditer(rb"[0-9]", data[::step]))
    return any(data[at : at + few].isdigit() for at in places)
