"""Everything that can be wrong in a store is named, and nothing else in it suffers."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.inspect import inspect
from crewcheck.engine.redaction import Redactor
from crewcheck.errors import Unreadable
from crewcheck.model.scan import Damage
from crewcheck.stores.base import DamagedDocument
from tests.build import crew, document, ident, task, write
from tests.damage import FINE, FOREIGN, OF_LINEAGE, Said, damaged_folder
from tests.damaged_databases import filled, plain


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Catalog, dict[str, Said]]]:
    root = tmp_path_factory.mktemp("damage") / "store"
    root.mkdir()
    said = damaged_folder(root)
    with open_catalog(str(root)) as catalog:
        catalog.read_summaries()
        yield catalog, said


def test_what_is_a_checkpoint_is_listed_once_and_the_rest_is_counted(
    made: tuple[Catalog, dict[str, Said]],
) -> None:
    catalog, said = made
    listed = [str(one.key) for one in catalog.checkpoints]
    assert sorted(listed) == sorted(key for key, one in said.items() if one.listed)
    assert catalog.foreign == sum(one.rule == FOREIGN for one in said.values())
    assert catalog.problems == ()


def test_the_reason_is_told_by_the_summary_or_by_reading_all(
    made: tuple[Catalog, dict[str, Said]],
) -> None:
    catalog, said = made
    wrong: dict[str, object] = {}
    for key, expected in said.items():
        if not expected.listed:
            continue
        checkpoint = catalog.forest.by_key[key].checkpoint
        damage = checkpoint.damage
        rule, message = (damage.rule, damage.message) if damage else (FINE, "")
        notes: tuple[str, ...] = ()
        try:
            notes = inspect(catalog, checkpoint, Redactor()).notes
        except DamagedDocument as error:
            if rule != error.damage.rule and not (expected.whole_only and rule == FINE):
                wrong[key] = rule, error.damage
            rule, message = error.damage.rule, error.damage.message
        told = "; ".join(notes) if expected.rule == FINE else message
        if rule != expected.rule or expected.part not in told:
            wrong[key] = expected, rule, told
        if damage is not None and damage.rule not in OF_LINEAGE and checkpoint.status is not None:
            wrong[key] = "a damaged checkpoint has no status"
    assert wrong == {}


@contextmanager
def nobody() -> Iterator[Path]:
    """A folder, and no rights but those that its files give: root may read anything."""
    folder = Path(tempfile.mkdtemp(prefix="cc-"))
    folder.chmod(0o755)
    before = os.getresuid()
    try:
        yield folder
    finally:
        os.setresuid(*before)
        for path in folder.iterdir():
            path.chmod(0o755)
        shutil.rmtree(folder)


def drop_rights() -> None:
    if os.getuid() == 0:
        os.setresuid(65534, 65534, 0)


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="needs setresuid")
def test_what_may_not_be_read_is_named() -> None:
    with nobody() as folder:
        store = folder / "store"
        for number, branch in enumerate(("main", "main", "shut", "listed")):
            write(store, document(crew(task())), ident(number), branch=branch)
        (store / "main" / "copy.json").write_text(json.dumps(document(crew(task()))))
        (store / f"main/{ident(1)}_p-none.json").chmod(0)
        (store / "main" / "copy.json").chmod(0)
        (store / "shut").chmod(0)
        (store / "listed").chmod(0o644)
        drop_rights()
        with open_catalog(str(store)) as catalog:
            catalog.read_summaries()
            found = {one.id: one.damage for one in catalog.checkpoints}
            assert found == {
                ident(0): None,
                ident(1): Damage("unreadable", "it cannot be read: permission denied"),
            }
            with pytest.raises(Unreadable, match=r"cannot be read: permission denied") as caught:
                inspect(catalog, catalog.forest.by_id[ident(1)][0].checkpoint, Redactor())
            assert "look at its permissions" in caught.value.hint
            assert sorted(catalog.problems) == [
                "folder listed cannot be read: permission denied",
                "folder shut cannot be read: permission denied",
            ]
            assert catalog.foreign == 1
        for path in (store / "shut", store / f"main/{ident(1)}_p-none.json"):
            with pytest.raises(Unreadable, match="permission denied"):
                open_catalog(str(path))


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="needs setresuid")
@pytest.mark.parametrize("beside", [(), ("-wal",), ("-wal", "-shm"), ("-journal",)])
def test_a_folder_that_may_not_be_written(beside: tuple[str, ...]) -> None:
    with nobody() as folder:
        store = folder / "store"
        store.mkdir()
        path = store / "a.db"
        filled(
            path, plain(1), before=f"PRAGMA journal_mode={'WAL' if '-wal' in beside else 'DELETE'}"
        )
        if "-wal" in beside:
            live = folder / "live.db"
            shutil.copyfile(path, live)
            with closing(sqlite3.connect(live)) as db:
                db.execute("UPDATE checkpoints SET branch = 'newest'")
                db.commit()
                for end in beside:
                    shutil.copyfile(f"{live}{end}", f"{path}{end}")
        for end in beside:
            Path(f"{path}{end}").touch(0o444)
        path.chmod(0o444)
        store.chmod(0o555)
        before = {one.name: one.read_bytes() for one in store.iterdir()}
        drop_rights()
        with open_catalog(str(path)) as catalog:
            catalog.read_summaries()
            (one,) = catalog.checkpoints
            assert one.damage is None
            assert one.header.branch == ("newest" if "-wal" in beside else "main")
        assert {one.name: one.read_bytes() for one in store.iterdir()} == before


def test_folders_deeper_than_a_path_can_be_are_named(tmp_path: Path) -> None:
    write(tmp_path, document(crew(task())), ident(1))
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(30):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
        Path(f"{ident(2)}_p-none.json").write_text(json.dumps(document(crew(task()))))
    finally:
        os.chdir(here)
    with open_catalog(str(tmp_path)) as catalog:
        assert [one.id for one in catalog.checkpoints] == [ident(1)]
        (problem,) = catalog.problems
        assert problem.endswith("cannot be read: file name too long")
