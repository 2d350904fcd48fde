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

if TYPE_CHECKING:
    import msgspec

_BOM = b"\xef\xbb\xbf"
_PIECE = 1 << 20
_TOP = (
    "crewai_version", "crewcheck_version", "parent_id", "branch", "trigger", "crewcheck"
)  # fmt: skip
#: Kinds of entities of which a summary reads `_ENTITY`, tasks and state only.
_KINDS = frozenset({"crew", "flow", "agent"})
_ENTITY = (
    "entity_type", "id", "name", "role", "crew", "executor_type", "suppress_flow_events",
    "checkpoint", "checkpoint_kickoff_event_id", "checkpoint_completed_methods",
)  # fmt: skip
_STATE = ("id", "iterations", "use_native_tools", "is_finished")


def lean(data: bytes) -> dict[str, Any] | None:
    """The document with lean events; None where it has to be read whole to tell what it is."""
    import msgspec

    if not data.isascii() and not _is_utf8(data):
        return None
    if _has_long_number(data):
        return None
    text = memoryview(data)[len(_BOM) if data.startswith(_BOM) else 0 :]
    try:
        document: dict[str, Any] = _decoder().decode(text)
        for node in document.get("event_record", {}).get("nodes", {}).values():
            _take_messages(node.get("event", {}))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return document


def lean_head(data: bytes) -> dict[str, Any] | None:
    """A document without its events, of its entities what a summary reads of them.

    None where it has to be read whole to tell.
    """
    import msgspec

    if not data.isascii() and not _is_utf8(data):
        return None
    try:
        head: dict[str, Any] = _head_decoder().decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    for entity in head.get("entities", ()):
        if entity.get("entity_type") not in _KINDS:
            return None
        for task in entity.get("tasks", ()):
            if "output" in task:
                # what it was is not looked at
                task["output"] = None if bytes(task["output"]) == b"null" else {}
    return head


def _take_messages(event: dict[str, Any]) -> None:
    import msgspec

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
    fields[events.MESSAGES] = msgspec.Raw
    node = _some((), event=_some((), **fields))
    record = _some((), nodes=dict[str, node])  # type: ignore[valid-type]
    return msgspec.json.Decoder(_some(_TOP, entities=Any, event_record=record))


@cache
def _head_decoder() -> msgspec.json.Decoder[Any]:
    import msgspec

    task = _some(("async_execution",), output=msgspec.Raw)
    state = _some(_STATE) | None
    entity = _some(_ENTITY, tasks=list[task], checkpoint_state=state)  # type: ignore[valid-type]
    return msgspec.json.Decoder(_some(_TOP, entities=list[entity]))  # type: ignore[valid-type]


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
