from __future__ import annotations

import os
from pathlib import Path

import pytest

from crewcheck.engine.refs import find
from crewcheck.errors import NotFound, Unreadable
from crewcheck.stores.detect import default_location
from tests.build import crew, document, ident, small_store, task, write


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return small_store(tmp_path / "store")


def named(ref: str | None, store: Path | None) -> str:
    found = find(ref, str(store) if store else None)
    with found.catalog:
        return found.node.checkpoint.id


def test_without_a_reference_the_latest(store: Path) -> None:
    assert named(None, store) == ident(5)
    assert named("latest", store) == ident(5)


def test_an_exact_id_a_branch_and_a_part_of_an_id(store: Path) -> None:
    assert named(ident(2), store) == ident(2)
    assert named("main", store) == ident(3)
    assert named("exp/hot soup", store) == ident(4)
    assert named("00000002", store) == ident(2)


def test_ancestors(store: Path) -> None:
    assert named(f"{ident(3)}~2", store) == ident(1)
    assert named("main~1", store) == ident(2)
    assert named("latest~", store) == ident(4)
    assert named("main~0", store) == ident(3)


def test_an_ancestor_too_far_says_where_the_line_ends(store: Path) -> None:
    with pytest.raises(NotFound, match=r"only 2 ancestors.*it has no parent"):
        named("main~3", store)


def test_a_path_is_a_checkpoint_or_a_stores_latest(store: Path) -> None:
    file = store / "exp/hot soup" / f"{ident(4)}_p-{ident(1)}.json"
    assert named(str(file), None) == ident(4)
    assert named(f"{file}~1", None) == ident(1)
    assert named(str(store), None) == ident(5)
    assert named(f"{store}~1", None) == ident(4)
    assert named(f"{store}#{ident(2)}", None) == ident(2)
    assert named(f"{store}#main", None) == ident(3)


def test_a_path_wins_over_an_id_and_over_a_suffix(
    store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "main", document(crew(task())), ident(9))
    write(tmp_path / "other~1", document(crew(task())), ident(8))
    assert named("main", store) == ident(9)
    assert named("other~1", store) == ident(8)


def test_a_branch_with_a_tilde_wins_over_the_suffix(store: Path) -> None:
    write(store, document(crew(task()), branch="main~1"), ident(7), branch="main~1")
    assert named("main~1", store) == ident(7)


def test_a_file_without_its_branch_folder_above_it(tmp_path: Path) -> None:
    path = tmp_path / f"{ident(1)}_p-none.json"
    write(tmp_path / "x", document(crew(task())), ident(1)).rename(path)
    assert named(str(path), None) == ident(1)


@pytest.mark.parametrize("ref", ["_", "%", "0000000_", "20261129T17", "0"])
def test_a_part_is_literal_and_must_fit_only_one(store: Path, ref: str) -> None:
    with pytest.raises(NotFound):
        named(ref, store)


def test_several_that_fit_are_listed(store: Path) -> None:
    with pytest.raises(NotFound) as error:
        named("20261129", store)
    assert "fits 5 checkpoints" in str(error.value)
    assert all(ident(n) in str(error.value) for n in range(1, 6))


def test_a_slip_names_what_is_close(store: Path) -> None:
    with pytest.raises(NotFound, match="close: exp/hot soup"):
        named("exp/hot soop", store)
    with pytest.raises(NotFound, match=ident(2)):
        named(ident(2)[:-1] + "f", store)
    with pytest.raises(NotFound, match="5 checkpoints, the latest is"):
        named("zzz", store)


def test_one_id_twice_wants_a_path(store: Path) -> None:
    write(store, document(crew(task()), branch="twin"), ident(2), branch="twin")
    with pytest.raises(NotFound, match="name one by its path"):
        named(ident(2), store)
    path = store / "twin" / f"{ident(2)}_p-none.json"
    assert named(str(path), None) == ident(2)


def test_an_empty_store_and_none_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound, match="no checkpoints in"):
        named(None, tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFound, match="neither"):
        named(None, None)


def test_the_default_places(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "pyproject.toml").write_text("[tool.crewcheck]\nlocation = '../store'\n")
    monkeypatch.chdir(project / "src")
    assert named(None, None) == ident(5)
    os.symlink(store, ".checkpoints")
    (project / "pyproject.toml").write_text("[tool.crewcheck]\nlocation = 'nowhere'\n")
    assert named(None, None) == ident(5)


def test_a_projects_folder_means_the_store_in_it(store: Path, tmp_path: Path) -> None:
    store.rename(tmp_path / ".checkpoints")
    assert named(str(tmp_path), None) == ident(5)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("package.json", b'{"name": "x"}', "it has no list of entities"),
        ("notes.txt", b"hello", "neither a SQLite database nor a .json file"),
        ("empty.db", b"", "an empty file"),
    ],
)
def test_paths_that_are_no_stores(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(Unreadable, match=reason):
        named(str(tmp_path / name), None)


def test_markup_and_escapes_in_a_reference_are_shown_harmlessly(store: Path) -> None:
    with pytest.raises(NotFound) as error:
        named("\x1b[31mred", store)
    assert "\x1b" not in str(error.value)


def test_a_store_further_up_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "project" / "src" / "press"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    monkeypatch.setenv("CREWAI_STORAGE_DIR", "nothing-of-crewcheck")
    (tmp_path / ".checkpoints").mkdir()
    (tmp_path / "project" / "pyproject.toml").touch()
    with pytest.raises(NotFound, match="no checkpoints here") as caught:
        default_location()
    assert "further up" not in str(caught.value.hint)  # that one is of another project
    (tmp_path / "project" / ".checkpoints.db").touch()
    with pytest.raises(NotFound) as caught:
        default_location()
    assert caught.value.hint == "there is a store further up: `--location ../../.checkpoints.db`"
    (tmp_path / "project" / "src" / ".checkpoints").mkdir()
    with pytest.raises(NotFound, match="no checkpoints here") as caught:
        default_location()
    assert caught.value.hint == "there is a store further up: `--location ../.checkpoints`"
