"""The files of an SQLite database: what lies beside it now, and copies of them.

A copy is in a temporary folder named ``crewcheck-PID-...``. Its owner removes the folder as
soon as it has the files open, so that nothing outlives the process however it ends. Where
that is impossible (Windows), or where it was killed while copying, the next one that makes
a copy removes what a dead process has left.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from crewcheck.errors import NotFound, Unreadable
from crewcheck.stores.files import read_regular

Stamp = tuple[int, int, int]

_PREFIX: Final = "crewcheck-"
#: Folders younger than this (in seconds) are left alone: where process numbers are those of
#: a container, their owner may be alive.
_STALE = 600.0

MAGIC: Final = b"SQLite format 3\0"
_LEAST_PAGE = 512
#: A file younger than this may be changed once more within a tick of its clock.
_YOUNG_NS = 2_000_000_000

_WAL_HEADER = 32
_WAL_MAGIC = (0x377F0682, 0x377F0683)  # the lowest bit: checksums are big-endian
_WAL_VERSION = 3007000


class State(NamedTuple):
    """``(inode, size, mtime_ns)`` of the files of a database, None for missing or empty.

    ``log`` tells whether the ``-wal`` has a valid header and something behind it: SQLite
    passes over one without (a writer was killed there), but only after ten seconds of trying
    where it may not write the ``-shm``.
    """

    main: Stamp
    wal: Stamp | None
    journal: Stamp | None
    shm: bool
    log: bool


class Files:
    """The files of one database."""

    def __init__(self, path: str) -> None:
        self.path = path
        # SQLite looks for the other files beside the file that a link points to
        self.main = path if "\0" in path else os.path.realpath(path)
        self._log: tuple[Stamp, bool] | None = None

    def fingerprint(self) -> object:
        return stamp(self.main), stamp(self.main + "-wal")

    def state(self) -> str:
        """The fingerprint as a text; empty where a file is young, or not there."""
        main, wal = stamp(self.main), stamp(self.main + "-wal")
        if main is None or time.time_ns() - max(main[2], wal[2] if wal else 0) < _YOUNG_NS:
            return ""
        return f"{main} {wal}"

    def look(self) -> State:
        """The files as they are now. Raises where there is no file to be read."""
        try:
            found = os.stat(self.main)
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(f"no such file: {self.path}") from None
        except (OSError, ValueError) as error:
            raise unreadable(self.path, error) from None
        if not os.path.isfile(self.main):
            raise Unreadable(f"{self.path} is no regular file, so no SQLite database")
        if not found.st_size:
            raise Unreadable(f"{self.path} is an empty file, not a store", "wait for the first row")
        if found.st_size < _LEAST_PAGE:
            self._refuse_rest(found.st_size)
        wal, journal = stamp(self.main + "-wal"), stamp(self.main + "-journal")
        wal = wal if wal and wal[1] else None
        return State(
            (found.st_ino, found.st_size, found.st_mtime_ns),
            wal,
            journal if journal and journal[1] else None,
            os.path.isfile(self.main + "-shm"),
            wal is not None and wal[1] > _WAL_HEADER and self._is_log(wal),
        )

    def _refuse_rest(self, size: int) -> None:
        """SQLite takes the beginning of a first page for a database without tables."""
        try:
            begins = read_regular(self.main, len(MAGIC))
        except OSError as error:
            raise unreadable(self.path, error) from None
        if begins == MAGIC:
            raise Unreadable(f"{self.path} is a SQLite database cut short after {size} bytes")

    def _is_log(self, wal: Stamp) -> bool:
        if self._log is None or self._log[0] != wal:
            header = b""
            with suppress(OSError):
                header = read_regular(self.main + "-wal", _WAL_HEADER)
            self._log = wal, is_wal_header(header)
        return self._log[1]

    @contextmanager
    def copied(self, state: State) -> Iterator[str]:
        """The path of a copy, which is removed at the end; what has it open can go on."""
        import shutil
        import tempfile

        _sweep(tempfile.gettempdir())
        folder = None
        try:
            try:
                folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
                for name in ("", "-wal", "-journal") if state.log else ("", "-journal"):
                    with suppress(FileNotFoundError):
                        shutil.copyfile(self.main + name, f"{folder}/copy.db{name}")
            except OSError as error:
                why = "a copy of it could not be made: "
                raise unreadable(self.path, error, why) from None
            yield f"{folder}/copy.db"
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


def is_wal_header(header: bytes) -> bool:
    """Whether SQLite takes these 32 bytes for the beginning of a ``-wal``."""
    if len(header) < _WAL_HEADER:
        return False
    magic, version, page = (int.from_bytes(header[at : at + 4], "big") for at in (0, 4, 8))
    if magic not in _WAL_MAGIC or version != _WAL_VERSION:
        return False
    if not 512 <= page <= 65536 or page & (page - 1):
        return False
    first = second = 0
    for at in range(0, 24, 8):
        order = "big" if magic & 1 else "little"
        one, two = (int.from_bytes(header[n : n + 4], order) for n in (at, at + 4))  # type: ignore[arg-type]
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return header[24:32] == first.to_bytes(4, "big") + second.to_bytes(4, "big")


def _sweep(temporary: str) -> None:
    """Remove the copies that dead processes of ours have left."""
    import shutil

    with suppress(OSError), os.scandir(temporary) as found:
        for entry in found:
            if not entry.name.startswith(_PREFIX):
                continue
            owner = entry.name[len(_PREFIX) :].partition("-")[0]
            with suppress(OSError):
                if not owner.isdecimal() or not entry.is_dir(follow_symlinks=False):
                    continue
                at = entry.stat(follow_symlinks=False)
                ours = not hasattr(os, "getuid") or at.st_uid == os.getuid()
                if ours and time.time() - at.st_mtime > _STALE and not _alive(int(owner)):
                    shutil.rmtree(entry.path, ignore_errors=True)


def _alive(process: int) -> bool:
    if os.name == "nt":  # there os.kill would end it
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def stamp(path: str) -> Stamp | None:
    with suppress(OSError, ValueError):
        found = os.stat(path)
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def unreadable(path: str, error: Exception, why: str = "") -> Unreadable:
    reason = getattr(error, "strerror", None) or str(error)
    return Unreadable(f"{path} cannot be read: {why}{reason.lower()}")
