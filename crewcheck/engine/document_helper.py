"""The process that reads big documents for the app (`crewcheck.engine.documents`).

It is asked on its standard input and answers on its standard output. The last document's
texts are kept for questions about them; where nothing is asked for a while, it ends.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import IO, Any

from crewcheck.engine.cut import Cutter, cut_info
from crewcheck.engine.documents import PAGE, niceness, receive, send
from crewcheck.engine.inspect import Info, lay_out
from crewcheck.engine.redaction import Redactor
from crewcheck.errors import CrewcheckError
from crewcheck.model.events import EventLine
from crewcheck.model.scan import Checkpoint, Header, Summary
from crewcheck.stores.base import Store
from crewcheck.stores.detect import open_path

#: It ends after so many seconds in which nothing was asked.
IDLE_SECONDS = 30.0
#: An event's texts are cut to this.
EVENT_TEXT = 600
#: Bytes of a long text that go over at once.
_PIECE = 128 * 1024
#: How much of the machine's memory it may take.
_SHARE = 0.75


@dataclass
class Kept:
    """The document that was read last."""

    identity: tuple[Any, ...]
    info: Info
    texts: list[str]
    events: list[EventLine]


class Helper:
    """Answers questions about the documents of one store."""

    def __init__(self, location: str, redactor: Redactor) -> None:
        self.location = location
        self.redactor = redactor
        self._store: Store | None = None
        self._kept: Kept | None = None

    def answer(
        self, header: Header, notes: tuple[str, ...], what: str, number: int
    ) -> Iterator[Any]:
        """The parts of an answer. Raises `CrewcheckError`."""
        identity = header.key, header.id, header.stamp, header.size
        if what == "load" or self._kept is None or self._kept.identity != identity:
            self._kept = None
            self._kept = self._read(header, notes, identity)
        kept = self._kept
        if what == "text":
            data = kept.texts[number].encode("utf-8", "surrogatepass")
            yield from (data[at:end] for at, end in pairwise(_starts(data)))
        elif what == "events":
            yield from kept.events[number * PAGE : (number + 1) * PAGE]
        else:
            yield from _parts(kept)

    def _read(self, header: Header, notes: tuple[str, ...], identity: tuple[Any, ...]) -> Kept:
        if self._store is None:
            self._store = open_path(self.location).store
        document = self._store.document(header, lean=True)
        more = self._store.notes(header)
        checkpoint = Checkpoint(header, Summary(notes=notes))
        info = lay_out(document, checkpoint, self.redactor, more)
        del document
        cutter = Cutter()
        events = [cutter.part(one, EVENT_TEXT) for one in info.events]
        return Kept(identity, cut_info(info, cutter), cutter.texts, events)


def _starts(data: bytes) -> Iterator[int]:
    """Where the pieces of a text begin, none of them within a character; last its end."""
    at = 0
    while at < len(data):
        yield at
        at = min(at + _PIECE, len(data))
        while at < len(data) and data[at] & 0xC0 == 0x80:
            at += 1
    yield len(data)


def _parts(kept: Kept) -> Iterator[tuple[str, Any, bool]]:
    """A checkpoint as ``(field, value, whether it is one item of a list)``."""
    info = kept.info
    for field in fields(info):
        name, value = field.name, getattr(info, field.name)
        if name == "inputs":
            yield "has_inputs", value is not None, False
            yield from ((name, item, True) for item in (value or {}).items())
        elif name == "events":
            yield from ((name, line, True) for line in kept.events[:PAGE])
        elif isinstance(value, (list, tuple)):
            yield from ((name, item, True) for item in value)
        elif name != "checkpoint":
            yield name, value, False


def serve(source: IO[bytes], target: IO[bytes], helper: Helper) -> None:
    """Answer questions until there are none."""
    while _is_asked(source):
        try:
            question = receive(source)
        except EOFError:
            return
        try:
            for part in helper.answer(*question):
                send(target, ("part", part))
            send(target, ("end", None))
        except CrewcheckError as error:
            send(target, ("error", (error.message, error.hint)))
        except MemoryError:
            helper._kept = None
            send(target, ("error", ("there is not enough memory to read this document", "")))


def _is_asked(source: IO[bytes]) -> bool:
    if sys.platform == "win32":
        return True
    return bool(select.select([source], [], [], IDLE_SECONDS)[0])


def _limit_memory() -> None:
    """So that a document that is too big ends this process, and nothing else."""
    with suppress(ImportError, OSError, ValueError, AttributeError):
        import resource

        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (int(whole * _SHARE), hard))


def main(arguments: list[str]) -> None:
    """``LOCATION SHOW``: serve one store until nobody asks any more."""
    location, show = arguments
    niceness()
    _limit_memory()
    source = os.fdopen(os.dup(0), "rb", buffering=0)
    with suppress(BrokenPipeError, KeyboardInterrupt):
        serve(source, os.fdopen(os.dup(1), "wb"), Helper(location, Redactor(show=bool(show))))
