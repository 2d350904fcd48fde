"""Following a store: looking again when and where something may have changed.

A `Follower` says when, for a front end that keeps a catalog of its own; `follow` does the
rest too, and gives what has happened. A quick writer is followed in steps: the next look
comes no sooner than twice the time that the last one took.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Final

from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.changes import Change, Ledger
from crewcheck.engine.watching import ANYWHERE, FolderWatcher, Watcher, Where, watcher_of
from crewcheck.errors import CrewcheckError, NotFound, Unreadable
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.scan import GONE, Checkpoint
from crewcheck.stores.detect import (
    DEFAULT_DATABASE,
    DEFAULT_FOLDER,
    default_location,
    open_path,
)

#: At least so many seconds lie between two looks, and so many times what the last one took.
LEAST_SECONDS, PAUSE_TIMES = 0.2, 2
#: After a look that failed the next one is so many seconds later.
RETRY_SECONDS = 0.5
#: Whatever is told, the whole is looked at this often, and at most in one of so many parts
#: of the time: news may be lost, and what was written lately gets old.
WHOLE_SECONDS, WHOLE_PARTS = 30.0, 200
#: A folder that was changed so short before a look may have been changed after it.
_TICK_SECONDS = 1.0
#: What cannot be read at first is given so many seconds to become a store.
GRACE_SECONDS: Final = 2.0
#: A store that cannot be read any more is told of after so many seconds.
TROUBLE_SECONDS: Final = 3.0
#: While nothing happens, summaries are read for so many seconds at a stretch.
_READING_SECONDS = 0.1


class Follower:
    """When to look at a store again, and where. For one thread.

    Args:
        catalog: What is known of the store. It is not changed here.
        stop: Ends every waiting once it is set.
    """

    def __init__(self, catalog: Catalog, stop: threading.Event) -> None:
        self._catalog = catalog
        self._stop = stop
        self._not_before = 0.0
        self._watcher: Watcher
        self._due: Where | None = None
        self._watch()
        if isinstance(self._watcher, FolderWatcher):
            self._due = self._missed()

    def _watch(self) -> None:
        self._watcher = watcher_of(self._catalog.store, self._stop, self._catalog.fingerprint)
        self._whole_at = time.monotonic() + WHOLE_SECONDS

    def _missed(self) -> Where | None:
        """Where something may have changed between the last look and the watch."""
        catalog = self._catalog
        root = os.path.abspath(catalog.store.location)
        paths = {str(key).rpartition("/")[0] for key in catalog.forest.by_key} | {""}
        changed = set()
        for path in paths:
            try:
                at = os.stat(os.path.join(root, *path.split("/"))).st_mtime
            except OSError:
                return ANYWHERE
            if at > catalog.looked_at - _TICK_SECONDS:
                changed.add(path)
        if "" in changed:
            return ANYWHERE
        return Where(frozenset(changed)) if changed else None

    def wait(self) -> Where | None:
        """Wait for a fraction of a second; where to look now, None for nowhere yet."""
        pause = self._not_before - time.monotonic()
        if pause > 0 and self._stop.wait(pause):
            return None
        due, self._due = self._due, None
        try:
            news = self._watcher.wait()
        except (OSError, RuntimeError):
            # the folder itself is gone or another one
            self._watcher.close()
            self._watch()
            news = ANYWHERE
        if news is not None and news.paths:
            # a new folder may have got files before it was watched: look there once more
            folders = frozenset(one for one in news.paths if not one.endswith(".json"))
            self._due = Where(folders) if folders else None
        if unsettled := self._catalog.unsettled():
            news = _joined(news, Where(frozenset(unsettled)))
        if time.monotonic() >= self._whole_at:
            news = ANYWHERE
        return _joined(news, due)

    @contextmanager
    def looking(self, where: Where) -> Iterator[None]:
        """To be held while the store is looked at; a look that fails is due again."""
        began = time.monotonic()
        try:
            yield
        except BaseException:
            self._due = _joined(self._due, where)
            self._not_before = time.monotonic() + RETRY_SECONDS
            raise
        now = time.monotonic()
        self._not_before = now + max(LEAST_SECONDS, PAUSE_TIMES * (now - began))
        if where.paths is None:
            self._whole_at = now + max(WHOLE_SECONDS, WHOLE_PARTS * (now - began))

    def close(self) -> None:
        self._watcher.close()


def look(catalog: Catalog, where: Where) -> bool:
    """Look at a store again where something may have changed; whether it has."""
    return catalog.refresh() if where.paths is None else catalog.look_at(where.paths)


def _joined(one: Where | None, other: Where | None) -> Where | None:
    if one is None or other is None:
        return one if other is None else other
    return one | other


def appearance(location: str | None) -> object:
    """What can be seen of a store from outside; differs when opening it may end otherwise."""
    if location is None:
        try:
            location = default_location()
        except NotFound:
            return None
    found: list[object] = []
    for path in (location, location + "-wal"):
        try:
            at = os.stat(os.path.expanduser(path))
        except (OSError, ValueError):
            found.append(None)
        else:
            found.append((at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns))
    return tuple(found)


def follow(
    location: str | None,
    stop: threading.Event,
    say: Callable[[str], object],
    *,
    existing: bool = False,
) -> Iterator[list[Change]]:
    """What happens in a store, as it happens; empty a few times a second when nothing does.

    A store that is not there yet is waited for, and so is one that was deleted.

    Args:
        location: The store, None for the default one.
        stop: Ends it once it is set.
        say: Told, in a sentence, what is waited for.
        existing: Whether what is there at first is added, too.

    Raises `Unreadable` and `UsageProblem` for what is no store at the beginning.
    """
    ledger = Ledger()
    first = True
    while not stop.is_set():
        catalog, waited = yield from _opened(location, stop, say, first)
        if catalog is None:
            return
        with catalog:
            if first and not (existing or waited):
                ledger.take(catalog)
            else:
                catalog.read_summaries()
                yield ledger.compare(catalog)
            first = False
            follower = Follower(catalog, stop)
            try:
                yield from _followed(location, catalog, follower, ledger, stop, say)
            except NotFound:
                say(f"{harmless_name(catalog.store.location)} is gone: waiting for it")
                yield ledger.clear()
            finally:
                follower.close()


def _followed(
    location: str | None,
    catalog: Catalog,
    follower: Follower,
    ledger: Ledger,
    stop: threading.Event,
    say: Callable[[str], object],
) -> Iterator[list[Change]]:
    """What happens in an open store. Ends where it is to be opened anew.

    Raises `NotFound` when it is gone.
    """
    trouble_since: float | None = None
    told = False
    unread = iter(catalog.unread())
    while not stop.is_set():
        where = follower.wait()
        if where is None:
            _read_some(catalog, unread)
            yield []
            continue
        try:
            with follower.looking(where):
                changed = look(catalog, where)
                if changed and (unknown := ledger.unknown(catalog)):
                    catalog.read_summaries(unknown)
        except Unreadable as error:
            if moved(location, catalog):
                return
            trouble_since = trouble_since or time.monotonic()
            if not told and time.monotonic() - trouble_since > TROUBLE_SECONDS:
                told = True
                say(f"{error}; trying again")
            yield []
            continue
        trouble_since, told = None, False
        yield ledger.compare(catalog) if changed else []
        if not catalog.checkpoints and moved(location, catalog):
            return


def moved(location: str | None, catalog: Catalog) -> bool:
    """Whether a location means another store by now: what is empty at first may hold one."""
    try:
        store = open_path(location if location is not None else default_location()).store
    except CrewcheckError:
        return False
    store.close()
    known = catalog.store
    return (store.kind, store.location) != (known.kind, known.location)


def _read_some(catalog: Catalog, unread: Iterator[Checkpoint]) -> None:
    """Read some summaries in advance: of what is removed no more can be told than is known."""
    until = time.monotonic() + _READING_SECONDS
    for checkpoint in unread:
        if checkpoint.summary is None:
            summary = catalog.read_summary(checkpoint)
            if summary.damage is None or summary.damage.rule != GONE:
                checkpoint.summary = summary
        if time.monotonic() > until:
            return


def _opened(
    location: str | None, stop: threading.Event, say: Callable[[str], object], first: bool
) -> Generator[list[Change], None, tuple[Catalog | None, bool]]:
    """The store, as soon as it can be opened, and whether it had to be waited for."""
    began = time.monotonic()
    waited = False
    while not stop.is_set():
        seen = appearance(location)
        try:
            return open_catalog(location), waited
        except NotFound as error:
            if first and not waited:
                say(_waiting_for(location, error))
        except Unreadable as error:
            if first and _is_empty_file(location):
                if not waited:
                    say(f"{error.message}: waiting for its first checkpoint")
            elif first and not waited and time.monotonic() - began > GRACE_SECONDS:
                raise
            else:
                # it is being made, perhaps
                yield []
                stop.wait(LEAST_SECONDS)
                continue
        waited = True
        again_at = time.monotonic() + RETRY_SECONDS
        while not stop.is_set() and appearance(location) == seen and time.monotonic() < again_at:
            yield []
            stop.wait(LEAST_SECONDS)
    return None, waited


def _waiting_for(location: str | None, error: NotFound) -> str:
    if location is None:
        return f"no checkpoints here yet: waiting for ./{DEFAULT_FOLDER} or ./{DEFAULT_DATABASE}"
    meant = f"; {error.hint}" if error.hint.startswith("did you mean") else ""
    return f"{harmless_name(location)} is not there yet: waiting for it{meant}"


def _is_empty_file(location: str | None) -> bool:
    path = os.path.expanduser(location if location is not None else DEFAULT_DATABASE)
    return os.path.isfile(path) and not os.path.getsize(path)
