"""A fork is data: a new document from an old one, with edits in and invalidated work out.

The document says so itself: ``crewcheck: {source, primary, edits, dropped}``, before
``entities`` so that a listing sees it. CrewAI passes the key over and loads the rest.
"""

from __future__ import annotations

import copy
import hashlib
import json
import secrets
import time
from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.engine.fork_agent import fork_agent
from crewcheck.engine.fork_crew import fork_crew
from crewcheck.engine.fork_flow import fork_flow
from crewcheck.errors import Refused
from crewcheck.model.document import entities, iter_events
from crewcheck.model.edits import Change, Edits
from crewcheck.model.json_path import REMOVED
from crewcheck.model.primary import primary
from crewcheck.model.scan import FORK_TRIGGER


def new_id(now: float | None = None) -> str:
    """An id as CrewAI makes them: UTC time to the second and 8 hex digits."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now))
    return f"{stamp}_{secrets.token_hex(4)}"


def fork_document(
    document: Mapping[str, Any],
    *,
    source_id: str,
    branch: str,
    edits: Edits,
    run: Iterable[int],
    root: bool = False,
) -> dict[str, Any]:
    """The document of a fork of a checkpoint. The source is not touched.

    ``root``: it goes into a store in which its source is not, and has no parent there.

    ``run`` are the positions of the tasks, of the calls of a flow's methods, or of an
    agent's one run, that are not kept: what they gave is dropped with all that the events
    tell of them. Raises `Refused` where an edit does not fit.
    """
    made = copy.deepcopy(dict(document))
    entity: Any = primary(made, list(iter_events(made)))
    kind = entity.get("entity_type") if entity is not None else None
    dropped: list[int] | list[str]
    if kind == "crew":
        changes, dropped = fork_crew(made, entity, edits, frozenset(run))
    elif kind == "flow":
        changes, dropped = fork_flow(made, entity, edits, frozenset(run))
    elif kind == "agent":
        changes, dropped = fork_agent(made, entity, edits, frozenset(run))
    else:
        raise Refused("only crews, flows and agents can be forked, and this holds none")
    place = next(index for index, one in enumerate(entities(made)) if one is entity)
    own = {
        "source": source_id,
        "primary": place,
        "edits": [_recorded(change) for change in changes],
        "dropped": dropped,
    }
    return _in_order(made, own, None if root else source_id, branch)


def _in_order(
    made: dict[str, Any], own: dict[str, Any], parent_id: str | None, branch: str
) -> dict[str, Any]:
    """The keys in CrewAI's order, ours before the bulk; unknown keys survive."""
    head = {
        "crewai_version": made.pop("crewai_version", None),
        "parent_id": parent_id,
        "branch": branch,
        "crewcheck": own,
        "entities": made.pop("entities"),
    }
    if head["crewai_version"] is None:
        del head["crewai_version"]
    record = made.pop("event_record", {"nodes": {}})
    for key in ("parent_id", "branch", "crewcheck", "trigger"):
        made.pop(key, None)
    return {**head, **made, "event_record": record, "trigger": FORK_TRIGGER}


def dump(document: Mapping[str, Any]) -> bytes:
    """A document as CrewAI writes it: one line of ASCII JSON."""
    return json.dumps(document).encode("ascii")


def _recorded(change: Change) -> dict[str, Any]:
    """What was changed: enough to tell a person's edit, without keeping the old value."""
    new = {"removed": True} if change.new is REMOVED else {"new": change.new}
    return {"path": change.path, "old": value_hash(change.old), **new}


def value_hash(value: Any) -> str:
    """What stands for a value that an edit has replaced."""
    digest = hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
    return f"sha256:{digest}"
