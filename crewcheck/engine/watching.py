"""Telling when a store may have changed, and if possible where.

The system tells of folders (inotify, FSEvents, ...), where it can. Databases, network file
systems and folders of which it does not want to tell are polled: their fingerprints are
compared.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple, Protocol

from crewcheck.stores.base import Capability, Store

#: The system's news are gathered until nothing comes for so many ms, or so many at most.
_STEP_MS, _GATHER_MS = 40, 120
#: How long the system is waited for at a stretch, in ms; then other things are due.
_WAIT_MS = 250
#: With more news at a time than this some may have been lost.
_FLOOD: Final = 8_000
POLL_SECONDS: Final = 0.2
#: Polling takes at most this part of the time.
_POLL_SHARE: Final = 0.1
#: File systems where changes by other machines are not told.
_REMOTE = {"9p", "afs", "ceph", "cifs", "drvfs", "fuse.sshfs", "fuse.s3fs", "fuse.rclone",
           "glusterfs", "fuse.glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "prl_fs", "smb3",
           "smbfs", "vboxsf", "virtiofs"}  # fmt: skip


class Where(NamedTuple):
    """Where something may have changed: paths relative to the store, None for anywhere."""

    paths: frozenset[str] | None = None

    def __or__(self, other: object) -> Where:
        assert isinstance(other, Where)
        if self.paths is None or other.paths is None:
            return ANYWHERE
        return Where(self.paths | other.paths)


ANYWHERE: Final = Where()


class Watcher(Protocol):
    """Waits for changes. All calls from one thread."""

    def wait(self) -> Where | None:
        """Wait a little; where something may have changed since the last call, if it has."""

    def close(self) -> None: ...


def watcher_of(store: Store, stop: threading.Event, seen: object = None) -> Watcher:
    """The best watcher that there is for a store; it stops waiting when ``stop`` is set.

    ``seen`` is the fingerprint of what is known already, if it was taken.
    """
    if Capability.LOOK in store.capabilities and not must_poll(store.location):
        # a folder that cannot be watched must be polled; so must one that has just gone
        with suppress(ImportError, OSError, RuntimeError):
            return FolderWatcher(store.location, stop)
    return PollingWatcher(store, stop, seen)


class FolderWatcher:
    """Is told by the system what changes in a folder. Raises `OSError` or `RuntimeError`
    where it cannot be, or not any more."""

    def __init__(self, folder: str, stop: threading.Event) -> None:
        from watchfiles import watch

        self._root = os.path.abspath(folder)
        self._real = os.path.realpath(folder)
        self._identity = _identity(self._root)
        self._news = watch(
            self._root,
            watch_filter=None,
            debounce=_GATHER_MS,
            step=_STEP_MS,
            rust_timeout=1,
            yield_on_timeout=True,
            stop_event=stop,
            force_polling=False,
            ignore_permission_denied=True,
        )
        self._stop = stop
        # the first step makes the watch
        self._begun: Iterable[tuple[object, str]] = next(self._news, set())

    def wait(self) -> Where | None:
        """As promised. After news of the folder itself it is watched anew by whoever asks."""
        news, self._begun = list(self._begun), ()
        until = time.monotonic() + _WAIT_MS / 1000
        while not news and not self._stop.is_set() and time.monotonic() < until:
            news = list(next(self._news, ()))
        if not news:
            if _identity(self._root) != self._identity:
                raise FileNotFoundError(self._root)
            return None
        if len(news) > _FLOOD:
            return ANYWHERE
        paths = set()
        for _, path in news:
            key = self._key(path)
            if not key:
                raise FileNotFoundError(self._root)
            paths.add(key)
        return Where(frozenset(paths))

    def _key(self, path: str) -> str:
        for root in (self._root, self._real):
            if path.startswith(root + os.sep):
                return path[len(root) + 1 :].replace(os.sep, "/")
        return ""

    def close(self) -> None:
        with suppress(RuntimeError):
            self._news.close()


class PollingWatcher:
    """Compares fingerprints."""

    def __init__(self, store: Store, stop: threading.Event, seen: object = None) -> None:
        self._store = store
        self._stop = stop
        self._seen = store.fingerprint() if seen is None else seen
        self._again = seen is None
        self._pause = POLL_SECONDS

    def wait(self) -> Where | None:
        if self._stop.wait(self._pause):
            return None
        before, began = self._seen, time.monotonic()
        self._seen = self._store.fingerprint()
        self._pause = max(POLL_SECONDS, (time.monotonic() - began) / _POLL_SHARE)
        changed = self._seen != before
        # what is written right after a look, in the same tick of the clock, leaves no trace:
        # so there is one more look when it is quiet
        again, self._again = self._again, changed
        return ANYWHERE if changed or again else None

    def close(self) -> None:
        return


def must_poll(path: str) -> bool:
    """Whether the system does not tell what happens to a path, or a person wants to poll."""
    forced = os.environ.get("WATCHFILES_FORCE_POLLING", "").lower()
    if forced:
        return forced not in ("false", "disable", "disabled")
    return file_system(path) in _REMOTE


def file_system(path: str, mounts: str = "/proc/self/mounts") -> str:
    """The kind of file system that a path is on; empty where nothing tells."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return ""
    real = os.path.realpath(path)
    found = ("", "")
    for line in lines:
        parts = line.split(" ")
        if len(parts) < 3:
            continue
        point = parts[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(found[0]):
            found = point, parts[2]
    return found[1]


def _identity(path: str) -> tuple[int, int]:
    at = os.stat(path)
    return at.st_dev, at.st_ino
