"""The app on a store in which everything is wrong that can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from crewcheck.stores.base import DamagedDocument
from tests.cli.test_handles import handles
from tests.damage import FINE, FOREIGN, OF_LINEAGE, damaged_folder
from tests.damaged_databases import DATABASES
from tests.tui.conftest import Running, press, screen_of, screen_text


async def test_the_tree_has_each_once_and_each_can_be_opened(
    running: Running, tmp_path: Path
) -> None:
    root = tmp_path / "store"
    root.mkdir()
    said = damaged_folder(root)
    async with running(root, size=(120, 40)) as pilot:
        screen = screen_of(pilot)
        await press(pilot, "plus")
        rows = screen.tree_view.rows
        assert rows is not None
        shown = [str(node.checkpoint.key) for _, node in rows.list if node is not None]
        assert sorted(shown) == sorted(key for key, one in said.items() if one.listed)
        session = screen.session
        assert session is not None
        assert session.foreign == sum(one.rule == FOREIGN for one in said.values())
        for node in session.forest.order:
            expected = said[str(node.checkpoint.key)]
            loaded = session.load(node.checkpoint)
            assert loaded is not None
            assert (loaded.error is None) == (loaded.info is not None)
            if expected.rule in (FINE, *OF_LINEAGE):
                assert loaded.error is None
            elif loaded.error is not None:
                assert isinstance(loaded.error, DamagedDocument)
                assert loaded.error.damage.rule == expected.rule
            else:  # JSON, but no checkpoint
                assert expected.rule == "not-a-checkpoint"
        await press(pilot, "end", "up", "pageup", "home", "down", "down")
        assert "unexpected" not in screen_text(pilot)


@pytest.mark.parametrize("name", ["every_data", "odd_columns", "hot_journal", "bad_pages"])
async def test_databases_are_shown_whole_and_given_back(
    running: Running, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "a.db"
    said = DATABASES[name](path)
    async with running(path) as pilot:
        await press(pilot, "plus", "home", "down", "down", "end")
        rows = screen_of(pilot).tree_view.rows
        assert rows is not None
        shown = [node.checkpoint.id for _, node in rows.list if node is not None]
        assert sorted(shown) == sorted(said)
        assert "unexpected" not in screen_text(pilot)
    still_open = [target for _, target in handles() if target.startswith(str(tmp_path))]
    assert still_open == []
