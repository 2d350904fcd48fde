"""The newest checkpoint of a run that can be relied on, where the newest one cannot.

The search stays on the branch of its run: a fork's first checkpoint holds a person's edits,
and what is before it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from crewcheck.engine.catalog import Catalog
from crewcheck.engine.verify import damage_in, damage_of
from crewcheck.errors import CrewcheckError, Refused, Unreadable
from crewcheck.lineage import Node, Segment
from crewcheck.model.harmless import name as shown
from crewcheck.model.scan import Summary
from crewcheck.stores.base import DamagedDocument, Store

#: How many checkpoints that the user's own check refuses are tried at most.
TRIES = 5
#: How many are named in a message.
_NAMED = 3


class NeedsAttention(Unreadable):
    """No checkpoint of a run can be relied on: a person must look."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A checkpoint that was passed over: the first rule it breaks, and what is known of
    the work in it (``done`` and ``total`` tasks; None: not known)."""

    id: str
    created_at: str | None
    rule: str
    message: str
    done: int | None
    total: int | None

    def as_dict(self) -> dict[str, Any]:
        return {
            "type": "skipped",
            "checkpoint_id": self.id,
            "created_at": self.created_at,
            "rule": self.rule,
            "message": self.message,
            "done": self.done,
            "total": self.total,
        }

    @property
    def said(self) -> str:
        """In one line."""
        far = f" ({self.done} of {self.total} tasks done)" if self.done is not None else ""
        return f"{shown(self.id)} is not valid: {self.message}{far}"


@dataclass(slots=True)
class Choice:
    """A valid checkpoint, and what is newer and was passed over, newest first."""

    node: Node
    skipped: list[Skipped] = field(default_factory=list)

    def loss(self, catalog: Catalog) -> str:
        """What is lost by going on from here, empty where nothing was passed over."""
        if not self.skipped:
            return ""
        catalog.read_summaries([self.node.checkpoint])
        summary = self.node.checkpoint.summary
        here = summary.done if summary is not None else None
        known = [one.done for one in self.skipped if one.done is not None]
        said = f"going on from {shown(self.node.checkpoint.id)}"
        if here is not None and summary is not None and summary.total is not None:
            said += f" ({here} of {summary.total} tasks done)"
        if here is None or not known:
            return f"{said}; what was done after it is not known, and is done again"
        more = max(known) - here
        if more <= 0:
            return f"{said}; no finished task is lost"
        tasks = "1 finished task is" if more == 1 else f"{more} finished tasks are"
        return f"{said}; {tasks} done again"


def choose(catalog: Catalog, node: Node, *, strict: bool = False) -> Choice:
    """The newest valid checkpoint of the run, at ``node`` or before it.

    Raises `Refused` where the newest is being written, `Unreadable` where ``strict`` and it
    is not valid, `NeedsAttention` where none is.
    """
    skipped: list[Skipped] = []
    for one in candidates(catalog, node):
        flaw = check(catalog, one)
        if flaw is None:
            choice = Choice(one, skipped)
            break
        if flaw.rule == "being-written":
            raise Refused(
                f"{shown(flaw.id)} is being written now: its run may be going on",
                "try again in a moment",
            )
        skipped.append(flaw)
    else:
        raise _attention(catalog, node, skipped)
    if strict and skipped:
        raise Unreadable(
            skipped[0].said, f"the newest valid one is {shown(choice.node.checkpoint.id)}"
        )
    return choice


def insist(catalog: Catalog, node: Node) -> None:
    """Make sure that a checkpoint that was named is valid. Raises `Unreadable`, which names
    the newest valid one before it."""
    flaw = check(catalog, node)
    if flaw is None:
        return
    before = next(
        (one for one in candidates(catalog, node)[1:] if check(catalog, one) is None), None
    )
    hint = (
        f"the newest valid one before it is {shown(before.checkpoint.id)}"
        if before is not None
        else "no checkpoint before it on its branch is valid"
    )
    raise Unreadable(flaw.said, hint)


def candidates(catalog: Catalog, node: Node) -> list[Node]:
    """A checkpoint and those before it on its branch of its run, newest first."""
    node = catalog.forest.by_key[node.checkpoint.key]  # reading may have built it anew
    if not node.checkpoint.header.lineage_known:
        # of a document that cannot be read nobody knows the run: time orders all of them
        branch = node.checkpoint.branch
        before = [one for one in catalog.forest.order if one.number < node.number]
        return [node, *(one for one in reversed(before) if one.checkpoint.branch == branch)]
    segment = _segment(catalog, node)
    return list(reversed(segment.nodes[: segment.nodes.index(node) + 1])) if segment else [node]


def _segment(catalog: Catalog, node: Node) -> Segment | None:
    return next((one for one in catalog.forest.segments() if node in one.nodes), None)


def check(catalog: Catalog, node: Node) -> Skipped | None:
    """Why a checkpoint cannot be gone on with, None if it is valid."""
    checkpoint = node.checkpoint
    summary: Summary | None = None
    header = checkpoint.header
    try:
        if header.damage is not None and not header.damage.readable:
            raise DamagedDocument(header, header.damage)
        document = catalog.store.document(header)
    except CrewcheckError as error:
        damage = damage_of(error)
        rule, message = damage.rule, damage.message
        summary = _salvaged(catalog.store, header.location)
    else:
        flaws = damage_in(document)
        if not flaws:
            return None
        rule, message = flaws[0].rule, flaws[0].message
        if len(flaws) > 1:
            message += f", and {len(flaws) - 1} more"
        catalog.read_summaries([checkpoint])
        summary = checkpoint.summary
    done, total = (summary.done, summary.total) if summary is not None else (None, None)
    if total is None:
        done = None
    return Skipped(checkpoint.id, header.created_at, rule, message, done, total)


def _salvaged(store: Store, location: str) -> Summary | None:
    """What the beginning of a file that is cut short still tells of its work."""
    if store.kind != "json":
        return None
    from crewcheck.model.primary import NeedsRecord
    from crewcheck.model.summarize import summarize
    from crewcheck.stores.files import read_regular
    from crewcheck.stores.json_text import before_record

    try:
        head = before_record(read_regular(location))
        return summarize(head) if head is not None else None
    except (OSError, NeedsRecord):
        return None


def _attention(catalog: Catalog, node: Node, skipped: list[Skipped]) -> NeedsAttention:
    """What was found, and what can be done."""
    found = "; ".join(one.said for one in skipped[:_NAMED])
    if len(skipped) > _NAMED:
        found += f"; and {len(skipped) - _NAMED} more"
    at = _segment(catalog, catalog.forest.by_key[node.checkpoint.key])
    hints = ["see `crewcheck verify`"]
    if at is not None and at.fork_point is not None:
        hints.append(f"its branch left {shown(at.fork_point.checkpoint.id)}: fork from there again")
    else:
        others = [
            run.newest
            for run in reversed(catalog.forest.runs)
            if run is not at and check(catalog, run.newest) is None
        ][:1]
        hints += [f"another run can be resumed: {shown(one.checkpoint.id)}" for one in others]
        if not others:
            hints.append("start the run anew")
    return NeedsAttention(
        f"needs attention: no checkpoint of this run is valid: {found}", ", or ".join(hints)
    )
