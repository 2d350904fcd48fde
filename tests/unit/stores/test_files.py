"""What lies in a store and is no regular file, or cannot be reached."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from crewcheck.errors import Unreadable
from crewcheck.stores.detect import configured_location, open_path
from crewcheck.stores.files import NotRegular, open_regular, read_regular
from crewcheck.stores.json_dir import JsonDirStore
from tests.build import crew, document, ident, task, write

pytestmark = pytest.mark.timeout(10)

NAME = f"{ident(1)}_p-none.json"


def fifo(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [fifo, listening, device])
def test_only_regular_files_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: object
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    assert callable(make)
    make(Path("x"))
    for read in (open_regular, read_regular):
        with pytest.raises(NotRegular):
            read("x")
    with pytest.raises(Unreadable, match="x is no regular file"):
        open_path("x")
    with pytest.raises(FileNotFoundError):
        open_regular("none")
    (tmp_path / "y").write_bytes(b"abc")
    assert (read_regular("y"), read_regular("y", 2), read_regular("y", 9)) == (
        b"abc",
        b"ab",
        b"abc",
    )


def test_a_fifo_that_comes_between_look_and_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").write_bytes(b"abc")
    os.mkfifo(tmp_path / "fifo")
    before = os.stat(tmp_path / "real")
    monkeypatch.setattr(os, "stat", lambda path: before)
    with pytest.raises(NotRegular):
        open_regular(str(tmp_path / "fifo"))


def test_fifos_in_a_store_are_no_checkpoints(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / NAME)
    os.mkfifo(tmp_path / "copy.json")
    scan = JsonDirStore(str(tmp_path)).scan()
    assert (scan.headers, scan.foreign, scan.problems) == ([], 2, ())
    for name in (NAME, "copy.json", "pyproject.toml"):
        if not (tmp_path / name).exists():
            os.mkfifo(tmp_path / name)
        with pytest.raises(Unreadable, match="is no regular file"):
            open_path(str(tmp_path / name))
    assert configured_location(str(tmp_path)) is None


def test_a_checkpoint_that_becomes_a_fifo_after_the_scan(tmp_path: Path) -> None:
    path = write(tmp_path, document(crew(task())), ident(1))
    store = JsonDirStore(str(tmp_path))
    (header,) = store.scan().headers
    path.unlink()
    os.mkfifo(path)
    damage = store.summary(header).damage
    assert damage is not None
    assert (damage.rule, damage.message) == ("unreadable", "it is no regular file")
    with pytest.raises(Unreadable, match="is no regular file"):
        store.document(header)


def test_a_link_to_a_checkpoint_is_refused_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, document(crew(task())), ident(1))
    link = tmp_path / NAME
    link.symlink_to(path)
    with pytest.raises(Unreadable, match=r"is a symbolic link.*not followed") as caught:
        open_path(str(link))
    assert str(path) in caught.value.hint


def test_a_folder_that_can_be_listed_but_not_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, document(crew(task())), ident(1))
    write(tmp_path, document(crew(task())), ident(2), branch="other")
    closed = [str(tmp_path / "other")]
    # as root may go anywhere, the answer of the system is made up
    monkeypatch.setattr(os, "access", lambda path, mode: path not in closed)
    scan = JsonDirStore(str(tmp_path)).scan()
    assert [header.id for header in scan.headers] == [ident(1)]
    assert scan.problems == ("folder other cannot be read: permission denied",)
    closed.append(str(tmp_path))
    with pytest.raises(Unreadable, match="permission denied"):
        JsonDirStore(str(tmp_path)).scan()


@pytest.mark.parametrize("at", [-(2**40), 2**40, 253402300800])
def test_a_copy_has_no_time_but_that_of_its_file_as_stamp(tmp_path: Path, at: int) -> None:
    path = tmp_path / "copy.json"
    write(tmp_path, document(crew(task())), ident(1)).rename(path)
    os.utime(path, (at, at))
    store = JsonDirStore(str(tmp_path))
    (header,) = store.scan().headers
    assert (header.created_at, header.stamp) == (None, os.stat(path).st_mtime_ns)
    assert store.summary(header).damage is None
