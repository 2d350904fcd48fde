"""When a store is looked at again, and what is found to have happened."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from crewcheck.engine import following, watching
from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.changes import Change, Ledger
from crewcheck.engine.following import Follower, follow
from crewcheck.engine.watching import ANYWHERE, FolderWatcher, PollingWatcher, Where, file_system
from crewcheck.errors import NotFound, Unreadable
from crewcheck.model.scan import Header
from crewcheck.stores.json_dir import JsonDirStore
from tests.build import crew, document, ident, small_store, task, write
from tests.writer import write_rows


def told(changes: list[Change]) -> list[tuple[str, str]]:
    return [(one.type, one.checkpoint.id) for one in changes]


def some(number: int, root: Path, branch: str = "main") -> Path:
    return write(root, document(crew(task(output="x")), branch=branch), ident(number), None, branch)


# -- parts of a store


def test_a_look_at_all_paths_is_a_scan(tmp_path: Path) -> None:
    small_store(tmp_path)
    some(7, tmp_path, "main/deep")
    (tmp_path / "copy.json").write_bytes(next(tmp_path.rglob(f"{ident(1)}*")).read_bytes())
    (tmp_path / "main" / "other.json").write_text("{}")
    (tmp_path / "main" / "linked.json").symlink_to(tmp_path / "copy.json")
    (tmp_path / "linked").symlink_to(tmp_path / "main")
    some(8, tmp_path, ".git")
    store = JsonDirStore(str(tmp_path))

    def shape(headers: list[Header]) -> list[list[object]]:
        known = [slot for slot in Header.__slots__ if not slot.startswith("_")]
        return sorted([[getattr(one, slot) for slot in [*known, "location"]] for one in headers],
                      key=str)  # fmt: skip

    scanned = shape(store.scan().headers)
    paths = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")]
    paths += [f"linked/{path.name}" for path in (tmp_path / "main").iterdir()]
    assert len(scanned) == 7
    assert shape(store.look([""])) == scanned
    assert shape(store.look(paths)) == scanned
    assert [one.id for one in store.look(["main/deep"])] == [ident(7)]
    assert store.look(["nowhere", "nowhere/at/all", f"main/{ident(99)}_p-none.json"]) == []
    shutil.rmtree(tmp_path)
    with pytest.raises(NotFound):
        store.look(["main"])


def test_a_catalog_takes_in_parts(tmp_path: Path) -> None:
    small_store(tmp_path)
    with open_catalog(str(tmp_path)) as catalog:
        catalog.read_summaries()
        kept = next(one for one in catalog.checkpoints if one.id == ident(2))
        forest = catalog.forest
        assert not catalog.look_at({"main", "nowhere"})
        assert catalog.forest is forest
        new, gone = some(9, tmp_path), next(tmp_path.rglob(f"{ident(1)}*"))
        gone.unlink()
        shutil.rmtree(tmp_path / "exp")
        paths = {str(path.relative_to(tmp_path)) for path in (new, gone)} | {"exp"}
        assert catalog.look_at(paths)
        assert [one.id for one in catalog.checkpoints] == [ident(2), ident(3), ident(9)]
        assert kept in catalog.checkpoints
        assert catalog.unread() == []
        assert not catalog.refresh()


def test_what_is_held_stays_in_sight_as_gone(tmp_path: Path) -> None:
    small_store(tmp_path)
    with open_catalog(str(tmp_path)) as catalog:
        catalog.read_summaries()
        held = next(one for one in catalog.checkpoints if one.id == ident(3))
        catalog.held = {held.key}
        next(tmp_path.rglob(f"{ident(3)}*")).unlink()
        assert catalog.look_at({str(held.key)})
        assert (catalog.gone, held.damage and held.damage.rule) == ([held], "gone")
        assert not catalog.refresh()
        assert held in catalog.checkpoints
        write(tmp_path, document(crew(task())), ident(3), ident(2))
        assert catalog.refresh()
        assert catalog.gone == []
        assert len(catalog.checkpoints) == 5
        next(tmp_path.rglob(f"{ident(3)}*")).unlink()
        catalog.refresh()
        catalog.held = ()
        assert catalog.refresh()
        assert len(catalog.checkpoints) == 4


def test_what_goes_while_it_is_read_is_left_out(tmp_path: Path) -> None:
    small_store(tmp_path)
    with open_catalog(str(tmp_path)) as catalog:
        next(tmp_path.rglob(f"{ident(3)}*")).unlink()
        catalog.read_summaries()
        assert ident(3) not in [one.id for one in catalog.checkpoints]


# -- what has happened


def test_a_ledger(tmp_path: Path) -> None:
    small_store(tmp_path)
    with open_catalog(str(tmp_path)) as catalog:
        ledger = Ledger()
        catalog.read_summaries()
        assert told(ledger.compare(catalog)) == [("added", ident(n)) for n in range(1, 6)]
        assert ledger.compare(catalog) == []
        path = next(tmp_path.rglob(f"{ident(1)}*"))
        os.utime(path, (5, 5))
        next(tmp_path.rglob(f"{ident(5)}*")).unlink()
        some(9, tmp_path)
        catalog.refresh()
        assert {one.id for one in ledger.unknown(catalog)} == {ident(1), ident(9)}
        catalog.read_summaries()
        assert told(ledger.compare(catalog)) == [
            ("changed", ident(1)), ("added", ident(9)), ("removed", ident(5)),
        ]  # fmt: skip
        assert len(ledger.clear()) == 5
        assert ledger.clear() == []


def test_a_file_that_grows_is_told_once_and_when_it_is_whole(tmp_path: Path) -> None:
    path = some(1, tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:50])
    with open_catalog(str(tmp_path)) as catalog:
        ledger = Ledger()
        catalog.read_summaries()
        assert told(ledger.compare(catalog)) == [("added", ident(1))]
        assert catalog.unsettled() == [f"main/{path.name}"]
        path.write_bytes(whole[:90])
        assert catalog.look_at(catalog.unsettled())
        assert ledger.compare(catalog) == []
        path.write_bytes(whole)
        assert catalog.look_at(catalog.unsettled())
        assert told(ledger.compare(catalog)) == [("changed", ident(1))]
        assert catalog.unsettled() == []


def test_a_file_that_stays_cut_short_becomes_damaged(tmp_path: Path) -> None:
    path = some(1, tmp_path)
    path.write_bytes(path.read_bytes()[:50])
    with open_catalog(str(tmp_path)) as catalog:
        ledger = Ledger()
        catalog.read_summaries()
        ledger.compare(catalog)
        old = time.time() - 6
        os.utime(path, (old, old))
        assert catalog.look_at(catalog.unsettled())
        (change,) = ledger.compare(catalog)
        assert change.type == "changed"
        assert change.checkpoint.damage is not None
        assert change.checkpoint.damage.rule == "truncated"


def test_tidying_a_database_up_changes_no_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    write_rows(path, 6, 3)
    with open_catalog(str(path)) as catalog:
        ledger = Ledger()
        catalog.read_summaries()
        ledger.take(catalog)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("VACUUM")
        catalog.refresh()
        catalog.read_summaries()
        assert ledger.compare(catalog) == []


# -- telling when


def watcher_of(root: Path) -> Iterator[FolderWatcher]:
    watcher = FolderWatcher(str(root), threading.Event())
    yield watcher
    watcher.close()


def news(watcher: FolderWatcher, wanted: set[str]) -> set[str]:
    """What a watcher tells, until it has told what is wanted."""
    found: set[str] = set()
    end = time.monotonic() + 20
    while not wanted <= found:
        assert time.monotonic() < end, found
        where = watcher.wait()
        if where is not None:
            assert where.paths is not None
            found |= where.paths
    return found


def test_a_folder_tells_what_changes_in_it(tmp_path: Path) -> None:
    some(1, tmp_path)
    for watcher in watcher_of(tmp_path):
        assert watcher.wait() is None
        path = some(2, tmp_path)
        assert news(watcher, {f"main/{path.name}"}) <= {f"main/{path.name}", "main"}
        open_catalog(str(tmp_path)).read_summaries()
        assert watcher.wait() is None
        some(3, tmp_path, "new/branch")
        assert "new" in news(watcher, {"new"})
        path.unlink()
        news(watcher, {f"main/{path.name}"})


def test_a_folder_that_is_replaced_is_noticed(tmp_path: Path) -> None:
    root = tmp_path / "store"
    some(1, root)
    for watcher in watcher_of(root):
        root.rename(tmp_path / "old")
        some(2, root)
        with pytest.raises(FileNotFoundError):
            news(watcher, {"never"})


def test_polling_looks_once_more_after_a_change(tmp_path: Path) -> None:
    some(1, tmp_path)
    watcher = PollingWatcher(JsonDirStore(str(tmp_path)), threading.Event())
    # what was before the first fingerprint is not known
    assert [watcher.wait(), watcher.wait()] == [ANYWHERE, None]
    some(2, tmp_path)
    assert [watcher.wait(), watcher.wait(), watcher.wait()] == [ANYWHERE, ANYWHERE, None]


def test_where_the_system_does_not_tell_it_is_polled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some(1, tmp_path)
    store, stop = JsonDirStore(str(tmp_path)), threading.Event()
    watcher = watching.watcher_of(store, stop)
    assert isinstance(watcher, FolderWatcher)
    watcher.close()
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    assert isinstance(watching.watcher_of(store, stop), PollingWatcher)
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "false")

    def refuse(*_: object, **__: object) -> object:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr("watchfiles.watch", refuse)
    assert isinstance(watching.watcher_of(store, stop), PollingWatcher)


def test_the_file_system_of_a_path(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/sda / ext4 rw 0 0\nserver:/x /mnt/my\\040files nfs4 rw 0 0\nodd\n"
        "tmpfs /mnt/my\\040files/fast tmpfs rw 0 0\n"
    )
    for path, kind in {
        "/mnt/my files/store": "nfs4",
        "/mnt/my files": "nfs4",
        "/mnt/my filesystem": "ext4",
        "/mnt/my files/fast/a": "tmpfs",
    }.items():
        assert file_system(path, str(mounts)) == kind
    assert file_system("/", str(tmp_path / "none")) == ""


def test_wheres_are_joined() -> None:
    one, two = Where(frozenset({"a"})), Where(frozenset({"b"}))
    assert one | two == Where(frozenset({"a", "b"}))
    assert one | ANYWHERE == ANYWHERE | one == ANYWHERE


def due(follower: Follower) -> Where:
    end = time.monotonic() + 20
    while (where := follower.wait()) is None:
        assert time.monotonic() < end
    return where


def test_what_came_between_look_and_watch_is_due(tmp_path: Path) -> None:
    path = some(1, tmp_path)
    for old in (tmp_path, path.parent):
        os.utime(old, (5, 5))
    with open_catalog(str(tmp_path)) as catalog:
        quiet = Follower(catalog, threading.Event())
        assert quiet.wait() is None
        quiet.close()
        some(2, tmp_path)
        os.utime(tmp_path, (5, 5))
        follower = Follower(catalog, threading.Event())
        assert due(follower) == Where(frozenset({"main"}))
        follower.close()


def test_a_look_that_failed_is_due_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "RETRY_SECONDS", 0.01)
    some(1, tmp_path)
    with open_catalog(str(tmp_path)) as catalog:
        follower = Follower(catalog, threading.Event())
        where = due(follower)
        with pytest.raises(Unreadable), follower.looking(where):
            raise Unreadable("busy")
        assert due(follower) == where
        follower.close()


def test_a_long_look_is_followed_by_a_long_pause(tmp_path: Path) -> None:
    some(1, tmp_path)
    stop = threading.Event()
    with open_catalog(str(tmp_path)) as catalog:
        follower = Follower(catalog, stop)
        with follower.looking(ANYWHERE):
            time.sleep(0.15)
        some(2, tmp_path)
        began = time.monotonic()
        due(follower)
        assert time.monotonic() - began >= 0.3
        follower.close()


# -- all together


def test_following_a_store_through_its_life(tmp_path: Path) -> None:
    root, stop = tmp_path / "store", threading.Event()
    said: list[str] = []
    stream = follow(str(root), stop, said.append)
    found: list[tuple[str, str]] = []

    def until(*wanted: tuple[str, str]) -> None:
        end = time.monotonic() + 20
        while not set(wanted) <= set(found):
            assert time.monotonic() < end, found
            found.extend(told(next(stream)))

    assert next(stream) == []
    some(1, root)
    until(("added", ident(1)))
    for number in range(2, 6):
        some(number, root, f"fork/{number}")
    until(*(("added", ident(number)) for number in range(2, 6)))
    shutil.rmtree(root)
    until(*(("removed", ident(number)) for number in range(1, 6)))
    some(7, root)
    until(("added", ident(7)))
    stop.set()
    assert list(stream) in ([], [[]])
    assert len(found) == 11
    assert said == [
        f"{root} is not there yet: waiting for it", f"{root} is gone: waiting for it",
    ]  # fmt: skip


def test_a_database_in_a_folders_place(tmp_path: Path) -> None:
    root, stop = tmp_path / "store", threading.Event()
    some(1, root)
    stream = follow(str(root), stop, lambda said: None, existing=True)
    found: list[tuple[str, str]] = []
    while ("added", ident(1)) not in found:
        found += told(next(stream))
    write_rows(tmp_path / "new.db", 2, 2)
    shutil.rmtree(root)
    (tmp_path / "new.db").rename(root)
    end = time.monotonic() + 20
    while ("added", ident(2)) not in found:
        assert time.monotonic() < end
        found += told(next(stream))
    stop.set()
    assert found[0] == ("added", ident(1))


def test_a_flow_that_waits_for_a_person_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "flows.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "CREATE TABLE flow_states (id INTEGER PRIMARY KEY, flow_uuid, method_name, timestamp,"
            " state_json); CREATE TABLE pending_feedback (id INTEGER PRIMARY KEY, flow_uuid,"
            " context_json, state_json, created_at);"
            "INSERT INTO flow_states VALUES (1, 'f', 'draft', '2026-11-29T17:00:00', '{}')"
        )
    with open_catalog(str(path)) as catalog:
        catalog.read_summaries()
        assert catalog.checkpoints[0].status == "stopped"
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("INSERT INTO pending_feedback VALUES (1, 'f', '{}', '{}', NULL)")
        assert catalog.refresh()
        catalog.read_summaries()
        assert catalog.checkpoints[0].status == "paused"


def test_a_catalog_without_parts_is_refreshed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    write_rows(path, 2, 2)
    with open_catalog(str(path)) as catalog:
        assert not catalog.look_at({"main"})
        write_rows(tmp_path / "b.db", 3, 3)
        (tmp_path / "b.db").replace(path)
        assert catalog.look_at({"main"})
