"""What every store can do, and how a store says what it can do beyond that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, Final, Protocol, cast

from crewcheck.errors import Refused, Unreadable
from crewcheck.model.scan import Damage, Header, Summary

#: Levels of containers in a document that are read. Deeper ones are valid JSON, but whatever
#: copies, writes or shows a document goes a few calls deeper with each level.
MAX_DEPTH: Final = 200
TOO_DEEP: Final = f"nested too deep (more than {MAX_DEPTH} levels)"

#: Bytes of a document that are read. Parsed, one takes ten times as much memory.
MAX_BYTES: Final = 512 * 1024 * 1024
TOO_LARGE: Final = f"too large to be read (more than {MAX_BYTES // 1024**2} MiB)"


class Capability(StrEnum):
    """What a store offers beyond reading. Asked for, never guessed from its type."""

    WRITE = "write"
    PRUNE = "prune"
    #: summaries depend on nothing but their documents, so they can be kept in an index
    INDEX = "index"
    #: the store itself can be checked, not only what is in it
    CHECK = "check"
    #: parts of it can be looked at, by their paths
    LOOK = "look"


class DamagedDocument(Unreadable):
    """A checkpoint whose document cannot be read; ``damage`` says why and where."""

    def __init__(self, header: Header, damage: Damage) -> None:
        super().__init__(
            f"{header.location} is damaged: {damage.message}",
            "its neighbours are not affected: see `crewcheck list`",
        )
        self.header = header
        self.damage = damage


class Scan:
    """The headers of a store at one moment, in no particular order.

    ``foreign`` counts the files that are no checkpoints and were left out; ``problems``
    are sentences about parts of the store that could not be read (a folder without
    permission, say). A scan of names only is not ``complete``: its headers have no size
    and the stamp 0, and what only a look inside could tell is left out and not counted.
    Where a store keeps all documents in one place, ``state`` is the same text only while
    none of them has changed; empty where that cannot be told.
    """

    __slots__ = ("complete", "foreign", "headers", "problems", "state")

    def __init__(
        self,
        headers: list[Header],
        foreign: int = 0,
        problems: tuple[str, ...] = (),
        complete: bool = True,
        state: str = "",
    ) -> None:
        self.headers = headers
        self.state = state
        self.foreign = foreign
        self.problems = problems
        self.complete = complete


class Store(Protocol):
    """A place with checkpoints. Reading one never writes, and creates nothing beside it.

    A store may be used from several threads, one call at a time each.
    """

    @property
    def kind(self) -> str:
        """``json``, ``sqlite``, ``flow-states`` or ``task-outputs``."""

    @property
    def location(self) -> str:
        """Where it is, as a person would name it."""

    @property
    def capabilities(self) -> frozenset[Capability]: ...

    def scan(self, names_only: bool = False) -> Scan:
        """All headers. Raises `NotFound` or `Unreadable` where the store itself is gone.

        With ``names_only`` a store may leave out what takes a look at each checkpoint.
        """

    def summary(self, header: Header, whole: bool = False) -> Summary:
        """The summary. Damage is a value in it, never an exception.

        It takes the beginning and the end of a long text to know it; damage in between is
        seen with ``whole``.
        """

    def summaries(self, wanted: Sequence[tuple[Header, bool]]) -> list[Summary]:
        """The `summary` of several headers, each with whether its text is read whole. All
        their documents may be in memory at once."""

    def measure(self, headers: list[Header]) -> None:
        """Find the sizes of headers without one, as far as no document is read for it."""

    def document(self, header: Header, *, lean: bool = False) -> dict[str, Any]:
        """The whole document, losslessly. Raises `DamagedDocument`, `NotFound` if it is gone.

        ``lean``: of the events only what `model.events` says is read of them need be there.
        """

    def stored(self, header: Header) -> bytes | None:
        """The document's own bytes, damaged or not; None where they are no JSON text.

        Raises `NotFound` if it is gone, `Unreadable` if it cannot be read.
        """

    def notes(self, header: Header) -> tuple[str, ...]:
        """What `document` found odd about the document when it last read it, beyond the notes
        of its summary: no damage. Empty before that."""

    def fingerprint(self) -> object:
        """Something cheap that differs when the store may have changed."""

    def close(self) -> None:
        """Give back what is open. Safe to call twice."""


class WritableStore(Store, Protocol):
    """A store with `Capability.WRITE`."""

    def write(self, data: bytes, *, id: str, parent_id: str | None, branch: str) -> str:
        """Add a checkpoint whole or not at all, and return its location.

        ``data`` is the document as JSON. Raises `Refused`
        where the id is taken, `Unreadable` where the store cannot be written.
        """


class CheckableStore(Store, Protocol):
    """A store with `Capability.CHECK`."""

    def check(self) -> list[str]:
        """What is wrong with the store as a whole, beyond its documents; reads all of it.

        Raises `NotFound` or `Unreadable`.
        """


class LookingStore(Store, Protocol):
    """A store with `Capability.LOOK`: parts of it can be looked at. Its keys are paths."""

    def look(self, paths: Iterable[str]) -> list[Header]:
        """The headers of all that lies at these paths of the store, and below them.

        What is not there (any more) is left out. Raises as `scan`, and `OSError` where only
        a scan can tell.
        """


def writable(store: Store) -> WritableStore:
    """The store, if checkpoints can be added to it. Raises `Refused`."""
    if Capability.WRITE not in store.capabilities:
        from shlex import quote

        way = "fork into a folder of JSON checkpoints or a database of checkpoints"
        if store.kind == "task-outputs":
            way = f"`crewcheck fork {quote(store.location)}` goes on from it in another store"
        raise Refused(
            f"nothing can be written into {store.location}: it is a store of {store.kind}", way
        )
    return cast(WritableStore, store)
