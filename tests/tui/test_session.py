"""What the workers do with an open store, without a screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from crewcheck.engine.redaction import Redactor
from crewcheck.tui import session as sessions
from crewcheck.tui.rows import Rows, newest_runs_first, outline_of
from crewcheck.tui.screens.store import difference
from crewcheck.tui.session import Session
from crewcheck.tui.widgets.detail import Detail
from tests import build
from tests.build import crew, document, ident, task
from tests.tui.conftest import NOW, Running, screen_of, settle
from tests.tui.forests import chain


def opened(store: Path) -> Session:
    return Session(str(store), Redactor(), lambda: NOW)


def test_a_store_is_opened_by_its_names_and_completed_afterwards(small: Path) -> None:
    session = opened(small)
    forest = session.forest
    assert [one.checkpoint.header.size for one in forest.order] == [None] * len(forest.order)
    assert session.left == len(forest.order)
    session.complete()
    assert session.forest is forest
    assert all((one.checkpoint.header.size or 0) > 100 for one in forest.order)
    session.close()


def test_files_of_other_names_are_looked_for_before_a_store_is_called_empty(
    tmp_path: Path,
) -> None:
    build.write(tmp_path, document(crew(task())), ident(1)).rename(tmp_path / "copy.json")
    session = opened(tmp_path)
    assert [one.checkpoint.id for one in session.forest.order] == ["copy"]
    session.close()


def test_summaries_share_their_texts(small: Path) -> None:
    session = opened(small)
    session.complete()
    list(session.read_summaries(lambda: False))
    names = [one.checkpoint.summary.name for one in session.forest.order if one.checkpoint.summary]
    assert len(names) > 2
    assert len({id(name) for name in names}) == 1
    session.close()


def test_the_cache_holds_so_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2, 3):
        build.write(tmp_path, document(crew(task(output="x" * 50_000))), ident(number))
    monkeypatch.setattr(sessions, "CACHE_BYTES", 120_000)
    session = opened(tmp_path)
    one, two, three = [node.checkpoint for node in session.forest.order]
    for checkpoint in (one, two, three):
        session.load(checkpoint)
    assert session.cached(one) is None
    assert session.cached(two) is not None
    assert session.cached(three) is not None
    session.close()


def test_what_has_come_and_gone_is_counted(tmp_path: Path) -> None:
    first = build.write(tmp_path, document(crew(task())), ident(1))
    session = opened(tmp_path)
    before = session.forest
    first.unlink()
    build.write(tmp_path, document(crew(task())), ident(2))
    build.write(tmp_path, document(crew(task())), ident(3))
    session.refresh()
    assert difference(before, session.forest) == "Refreshed: 2 new, 1 gone"
    assert difference(before, before) == "Nothing has changed"
    session.close()


def test_an_outline_is_worked_out_once() -> None:
    forest = chain(50)
    outline = outline_of(forest)
    assert outline_of(forest) is outline
    assert Rows(forest).runs is outline.runs == newest_runs_first(forest)
    assert outline.size_of(forest.runs[0]) == 50


async def test_of_keys_that_come_faster_than_they_are_painted_the_last_is_looked_at(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = None
    for number in range(1, 41):
        build.write(tmp_path, document(crew(task())), ident(number), parent)
        parent = ident(number)
    async with running(tmp_path) as pilot:
        shown: list[str] = []
        show = Detail.show

        def counted(self: Detail, subject: object) -> None:
            shown.append(subject.node.checkpoint.id)  # type: ignore[attr-defined]
            show(self, subject)  # type: ignore[arg-type]

        monkeypatch.setattr(Detail, "show", counted)
        for _ in range(30):
            pilot.app.post_message(events.Key("down", None))
        await settle(pilot)
        assert screen_of(pilot).tree_view.cursor == 31
        assert shown[-1] == ident(10)
        assert len(shown) < 20


def test_a_big_document_is_let_go_when_another_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "BIG_BYTES", 5_000)
    build.write(tmp_path, build.document(build.crew(build.task(output="x" * 6_000))), ident(1))
    build.write(tmp_path, build.document(build.crew(build.task(output="y"))), ident(2), ident(1))
    session = Session(str(tmp_path), Redactor())
    session.complete()
    big, small = (node.checkpoint for node in session.forest.order)
    session.load_whole(big, lambda: False)
    assert session.whole(big) is not None
    session.load(small)
    assert session.whole(big) is None
    session.load_whole(small, lambda: False)
    session.load(small)
    assert session.whole(small) is not None
    session.close()
