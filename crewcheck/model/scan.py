"""What a listing knows of a checkpoint: plain slotted types, cheap to import and to keep.

*Header*: known without reading the document (file name or columns, size, modification
time). *Summary*: read from the document's head. A :class:`Checkpoint` is both.
"""

from __future__ import annotations

from typing import Any

#: The trigger of a checkpoint that a fork of ours has written.
FORK_TRIGGER = "fork"

#: How the note begins that says what a person has changed, in that person's words.
EDITS_NOTE = "a person's edits: "

#: Values of :attr:`Summary.status`. A run has the status of its newest checkpoint.
FINISHED, FAILED, PAUSED, RUNNING, STOPPED = "finished", "failed", "paused", "running", "stopped"
STATUSES = (FINISHED, FAILED, PAUSED, RUNNING, STOPPED)

#: Rules of :class:`Damage` that pass by: the file is in the making, or was deleted.
BEING_WRITTEN, GONE = "being-written", "gone"

LINEAGE_RULES = frozenset({"parent-missing", "cycle", "duplicate-id"})


class Damage:
    """Why a checkpoint cannot be used as it is. ``offset`` is a byte position or None.

    Rules that say that the document cannot be read: ``empty``, ``truncated``,
    ``not-json``, ``trailing-data``, ``not-a-checkpoint``, ``unreadable``,
    ``being-written``, ``gone`` (deleted since it was listed). Rules of the lineage, whose
    document is well: ``parent-missing``, ``cycle``, ``duplicate-id``.
    """

    __slots__ = ("message", "offset", "rule")

    def __init__(self, rule: str, message: str, offset: int | None = None) -> None:
        self.rule = rule
        self.message = message
        self.offset = offset

    @property
    def readable(self) -> bool:
        """Whether the document itself can be read."""
        return self.rule in LINEAGE_RULES

    def as_dict(self) -> dict[str, Any]:
        return {"rule": self.rule, "message": self.message, "offset": self.offset}

    def __repr__(self) -> str:
        return f"Damage({self.rule!r}, {self.message!r}, {self.offset!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Damage) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash((self.rule, self.message, self.offset))


class Header:
    """What is known of a checkpoint without reading its document.

    ``key`` identifies it within its store (a relative path, or a row number) and is what
    stores are asked with; ids may repeat, keys do not. ``created_at`` is UTC ISO to the
    second with a ``Z``, or None. ``stamp`` orders checkpoints of one second: mtime in
    nanoseconds, or the row number. ``size`` is in bytes, None where it is not free to
    know. ``lineage_known`` is false where the format has no parents (CrewAI 1.14.1).
    ``place`` is added before ``location``: headers of one store share it. ``mark`` is
    whatever else tells two states of a checkpoint apart.
    """

    __slots__ = (
        "_last",
        "_place",
        "branch",
        "created_at",
        "damage",
        "id",
        "key",
        "lineage_known",
        "mark",
        "parent_id",
        "size",
        "stamp",
    )

    def __init__(
        self,
        key: str | int,
        id: str,
        location: str,
        parent_id: str | None = None,
        branch: str = "main",
        created_at: str | None = None,
        stamp: int = 0,
        size: int | None = None,
        lineage_known: bool = True,
        damage: Damage | None = None,
        place: str = "",
        mark: object = None,
    ) -> None:
        self.key = key
        self.id = id
        self._place = place
        self._last = location
        self.parent_id = parent_id
        self.branch = branch
        self.created_at = created_at
        self.stamp = stamp
        self.size = size
        self.lineage_known = lineage_known
        self.damage = damage
        self.mark = mark

    @property
    def location(self) -> str:
        """Where the checkpoint is, as a person would name it."""
        return self._place + self._last

    def __repr__(self) -> str:
        return f"Header({self.id!r}, branch={self.branch!r}, parent={self.parent_id!r})"


class Summary:
    """What the head of a document says: the primary entity, its progress, the trigger.

    ``parent_id`` and ``branch`` are the document's own (``lineage_in_document`` tells
    whether it has them at all); a branch that differs from the header's wins. ``total``
    is None where it cannot be known (a flow's methods). ``status`` is the checkpoint's own,
    None where the document could not be read. ``run_key`` tells the runs of a store
    without lineage apart (id of the kickoff event, of the flow's state or of the agent).
    ``notes`` are oddities that are no damage. ``kind`` is ``crew``, ``flow``, ``agent``,
    ``workflow`` or ``run``.
    """

    __slots__ = (
        "branch",
        "damage",
        "done",
        "kind",
        "lineage_in_document",
        "name",
        "notes",
        "parent_id",
        "run_key",
        "status",
        "total",
        "trigger",
        "version",
    )

    def __init__(
        self,
        kind: str | None = None,
        name: str | None = None,
        done: int | None = None,
        total: int | None = None,
        status: str | None = None,
        trigger: str | None = None,
        version: str | None = None,
        lineage_in_document: bool = False,
        notes: tuple[str, ...] = (),
        damage: Damage | None = None,
        parent_id: str | None = None,
        branch: str | None = None,
        run_key: str | None = None,
    ) -> None:
        self.kind = kind
        self.name = name
        self.done = done
        self.total = total
        self.status = status
        self.trigger = trigger
        self.version = version
        self.parent_id = parent_id
        self.branch = branch
        self.lineage_in_document = lineage_in_document
        self.run_key = run_key
        self.notes = notes
        self.damage = damage

    def same_as(self, other: Summary) -> bool:
        """Whether two summaries say the same."""
        return all(getattr(self, one) == getattr(other, one) for one in self.__slots__)


#: What is said of a checkpoint that is gone.
DELETED = "it was deleted from the store"


class Checkpoint:
    """A header and, once it has been read, its summary."""

    __slots__ = ("gone", "header", "lineage_damage", "running", "summary")

    def __init__(self, header: Header, summary: Summary | None = None) -> None:
        self.header = header
        self.summary = summary
        #: what is wrong with its place in the store, not with its document
        self.lineage_damage: Damage | None = None
        #: its run is (probably) still going on
        self.running = False
        #: it was deleted, and is kept in sight for somebody
        self.gone = False

    @property
    def status(self) -> str | None:
        """The status to show, None where the document has not been or cannot be read."""
        status = self.summary.status if self.summary is not None else None
        return RUNNING if self.running and status in (STOPPED, FAILED, PAUSED) else status

    @property
    def key(self) -> str | int:
        return self.header.key

    @property
    def id(self) -> str:
        return self.header.id

    @property
    def parent_id(self) -> str | None:
        """The header's parent; the document's where the header has none.

        CrewAI reads the parent twice, for the name and for the document, and a race lets
        them differ; the name's is what a listing can sort by without reading.
        """
        if self.header.parent_id is not None or self.summary is None:
            return self.header.parent_id
        return self.summary.parent_id

    @property
    def branch(self) -> str:
        if self.summary is not None and self.summary.branch:
            return self.summary.branch
        return self.header.branch

    @property
    def being_written(self) -> bool:
        """Whether its file was in the making when it was read."""
        damage = self.summary.damage if self.summary is not None else None
        return damage is not None and damage.rule == BEING_WRITTEN

    @property
    def damage(self) -> Damage | None:
        if self.gone:
            return Damage(GONE, DELETED)
        if self.header.damage is not None:
            return self.header.damage
        if self.summary is not None and self.summary.damage is not None:
            return self.summary.damage
        return self.lineage_damage

    def __repr__(self) -> str:
        return f"Checkpoint({self.header!r})"
