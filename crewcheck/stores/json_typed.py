"""The parts of a document that a summary is made of, decoded without the rest.

msgspec passes over what is not declared here, and checks it on the way, except for three
things that `plain_text` and `is_shallow` look at. Whatever is not exactly as declared (an
entity of another type, a number where a text should be, NaN) is refused: then the document
has to be parsed without types. So a summary from here never differs from one of the whole.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Final, Literal

from msgspec import UNSET, DecodeError, Raw, Struct, UnsetType
from msgspec.json import Decoder

from crewcheck.stores.base import MAX_DEPTH

_NULL: Final = Raw(b"null")
_STRETCH = MAX_DEPTH // 2
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_TWO_DIGITS = re.compile(rb"[0-9](?=[0-9])")


class Unsure(ValueError):
    """The document is to be parsed without types."""


class _Task(Struct, gc=False):
    output: Raw = _NULL
    async_execution: bool | None = None


class _State(Struct, gc=False):
    id: str | None = None
    iterations: Raw | UnsetType = UNSET
    use_native_tools: Raw | UnsetType = UNSET
    is_finished: Raw | UnsetType = UNSET


class _Entity(Struct, gc=False):
    entity_type: Literal["crew", "flow", "agent"]
    id: str | None = None
    name: str | None = None
    role: str | None = None
    crew: str | None = None
    executor_type: Raw | UnsetType = UNSET
    suppress_flow_events: bool | None = None
    checkpoint: Raw = _NULL
    checkpoint_kickoff_event_id: str | None = None
    checkpoint_completed_methods: list[str] | None = None
    checkpoint_state: _State | None = None
    tasks: list[_Task] | None = None


class _Head(Struct, gc=False):
    entities: list[_Entity]
    crewai_version: str | UnsetType | None = UNSET
    crewcheck_version: str | None = None
    parent_id: str | UnsetType | None = UNSET
    branch: str | UnsetType | None = UNSET
    crewcheck: Raw | UnsetType = UNSET
    trigger: str | UnsetType | None = UNSET


_DECODER = Decoder(_Head)


def head_of(data: bytes) -> dict[str, Any]:
    """What `summarize` reads of a document. Raises `Unsure`.

    ``data`` is a whole document, or what comes before its event record, closed.
    """
    if not plain_text(data):
        raise Unsure
    try:
        head = _DECODER.decode(data)
    except (DecodeError, RecursionError, UnicodeDecodeError):
        raise Unsure from None
    if head.crewcheck is not UNSET:
        # ours is rare, and says more
        raise Unsure
    made: dict[str, Any] = {"entities": [_entity(one) for one in head.entities]}
    for name in ("crewai_version", "parent_id", "branch", "trigger"):
        value = getattr(head, name)
        if value is not UNSET:
            made[name] = value
    if head.crewcheck_version is not None:
        made["crewcheck_version"] = head.crewcheck_version
    return made


def _entity(one: _Entity) -> dict[str, Any]:
    made: dict[str, Any] = {
        "entity_type": one.entity_type,
        "id": one.id,
        "name": one.name,
        "role": one.role,
        "crew": one.crew,
        "checkpoint_kickoff_event_id": one.checkpoint_kickoff_event_id,
    }
    if one.tasks is not None:
        made["tasks"] = [
            {
                "output": None if task.output == _NULL else True,
                "async_execution": task.async_execution,
            }
            for task in one.tasks
        ]
    if one.entity_type == "flow":
        made["suppress_flow_events"] = one.suppress_flow_events
        made["checkpoint"] = _truth(one.checkpoint)
        made["checkpoint_completed_methods"] = one.checkpoint_completed_methods
        if one.executor_type is not UNSET:
            made["executor_type"] = True
    state = one.checkpoint_state
    if state is not None:
        made["checkpoint_state"] = {"id": state.id} | {
            name: True
            for name in ("iterations", "use_native_tools", "is_finished")
            if getattr(state, name) is not UNSET
        }
    return made


def _truth(raw: Raw) -> bool:
    """Whether a value is true, as far as it is what CrewAI writes."""
    text = bytes(raw)
    if text in (b"null", b"false"):
        return False
    if text == b"true" or text.startswith(b'{"'):
        return True
    raise Unsure


def plain_text(data: bytes) -> bool:
    """Whether a text is UTF-8, and surely without numbers that are too long to be read."""
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            return False
    longest = sys.get_int_max_str_digits()
    if not longest:
        return True
    # more digits than that in a row fill a step of half the length
    step = longest // 2
    return not any(
        data[at.start() * step : (at.start() + 1) * step].isdigit()
        for at in _TWO_DIGITS.finditer(data[::step])
    )


def is_shallow(data: bytes) -> bool:
    """Whether a valid text is surely nested no deeper than is read.

    Brackets within texts count too, so some are called deep that are not.
    """
    brackets = data.translate(_BRACKETS, _NO_BRACKETS)
    depth = 0
    for start in range(0, len(brackets), _STRETCH):
        # within a stretch it gets no deeper than by all of it
        if depth > MAX_DEPTH - _STRETCH:
            return False
        stretch = brackets[start : start + _STRETCH]
        depth += 2 * stretch.count(b"[") - len(stretch)
    # in texts there may be half of a pair
    return depth == 0
