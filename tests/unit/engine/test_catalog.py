from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from crewcheck.engine.catalog import open_catalog, run_status
from crewcheck.model.scan import Checkpoint
from tests.build import crew, document, ident, small_store, task, write


def by_id(checkpoints: list[Checkpoint]) -> dict[str, Checkpoint]:
    return {one.id: one for one in checkpoints}


def test_headers_come_without_reading_a_document(tmp_path: Path) -> None:
    write(tmp_path, b"not even json", ident(1))
    with open_catalog(str(tmp_path)) as catalog:
        assert [one.status for one in catalog.checkpoints] == [None]
        assert catalog.checkpoints[0].damage is None
        assert len(catalog.unread()) == 1
        catalog.read_summaries()
        damage = catalog.checkpoints[0].damage
        assert damage is not None
        assert damage.rule == "not-json"


def test_a_refresh_keeps_what_is_known_and_sees_what_is_new(tmp_path: Path) -> None:
    small_store(tmp_path)
    with open_catalog(str(tmp_path)) as catalog:
        catalog.read_summaries()
        before = by_id(catalog.checkpoints)
        assert not catalog.refresh()
        write(tmp_path, document(crew(task()), parent=ident(3)), ident(6), ident(3))
        os.unlink(tmp_path / "main" / f"{ident(1)}_p-none.json")
        assert catalog.refresh()
        after = by_id(catalog.checkpoints)
        assert after[ident(2)] is before[ident(2)]
        assert [one.id for one in catalog.unread()] == [ident(6)]
        damage = after[ident(2)].damage
        assert damage is not None
        assert (damage.rule, damage.readable) == ("parent-missing", True)


def test_what_is_ordered_later_is_ordered_when_asked_for(tmp_path: Path) -> None:
    small_store(tmp_path)
    orders = []
    for later in (False, True):
        with open_catalog(str(tmp_path), ordered_later=later) as catalog:
            orders.append([one.id for one in catalog.unread()])
        with open_catalog(str(tmp_path), ordered_later=later) as catalog:
            catalog.read_summaries()
            orders.append([one.id for one in reversed(catalog.checkpoints)])
    assert orders == [[ident(number) for number in (5, 4, 3, 2, 1)]] * 4


def test_a_rewritten_file_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, document(crew(task())), ident(1))
    with open_catalog(str(tmp_path)) as catalog:
        catalog.read_summaries()
        path.write_text("{}")
        os.utime(path, (2, 2))
        assert catalog.refresh()
        assert len(catalog.unread()) == 1


def test_names_come_first_and_the_rest_changes_no_more_than_it_must(tmp_path: Path) -> None:
    os.utime(write(tmp_path, document(crew(task())), ident(1)), (9, 9))
    newer = write(tmp_path, document(crew(task())), ident(2, 7), ident(1))
    older = write(tmp_path, document(crew(task())), ident(3, 7), ident(1))
    os.utime(newer, (30, 30))
    os.utime(older, (20, 20))
    (tmp_path / "good one.json").write_text(json.dumps(document(crew(task()))))
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("")
    with open_catalog(str(tmp_path), names_only=True) as catalog:
        first = by_id(catalog.checkpoints)
        assert [one.id for one in catalog.checkpoints] == [ident(1), ident(2, 7), ident(3, 7)]
        assert {(one.header.size, one.header.stamp) for one in first.values()} == {(None, 0)}
        assert (catalog.is_complete, catalog.foreign) == (False, 1)
        assert catalog.complete()
        now = [one.id for one in catalog.checkpoints]
        assert now == ["good one", ident(1), ident(3, 7), ident(2, 7)]
        assert (catalog.is_complete, catalog.foreign) == (True, 2)
        after = by_id(catalog.checkpoints)
        assert all(after[id] is first[id] for id in first)
        assert after[ident(1)].header.size == os.path.getsize(after[ident(1)].header.location)
        assert not catalog.complete()
        assert not catalog.refresh()


def test_where_names_say_it_all_the_forest_stays(tmp_path: Path) -> None:
    small_store(tmp_path)
    with open_catalog(str(tmp_path), names_only=True) as catalog:
        forest = catalog.forest
        catalog.checkpoints[0].summary = catalog.read_summary(catalog.checkpoints[0])
        assert not catalog.complete()
        assert catalog.forest is forest
        assert [one.header.size is None for one in catalog.checkpoints] == [False] * 5
        assert len(catalog.unread()) == 4


def test_what_was_rewritten_between_names_and_the_rest_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, document(crew(task())), ident(1))
    with open_catalog(str(tmp_path), names_only=True) as catalog:
        catalog.checkpoints[0].summary = catalog.read_summary(catalog.checkpoints[0])
        path.write_text("{}")
        assert catalog.complete()
        assert len(catalog.unread()) == 1


def test_duplicate_ids_are_marked_on_both(tmp_path: Path) -> None:
    write(tmp_path, document(crew(task())), ident(1))
    write(tmp_path, document(crew(task()), branch="x"), ident(1), branch="x")
    with open_catalog(str(tmp_path)) as catalog:
        rules = [one.damage and one.damage.rule for one in catalog.checkpoints]
        assert rules == ["duplicate-id", "duplicate-id"]


def now_id(seconds_ago: int, number: int) -> tuple[str, float]:
    now = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC).timestamp()
    at = datetime.fromtimestamp(now - seconds_ago, UTC)
    return f"{at:%Y%m%dT%H%M%S}_{number:08x}", now


def test_only_the_newest_of_a_young_branch_is_running(tmp_path: Path) -> None:
    old, now = now_id(200, 1)
    young, _ = now_id(20, 2)
    write(tmp_path, document(crew(task(), task())), old)
    write(tmp_path, document(crew(task(output="x"), task())), young, old)
    with open_catalog(str(tmp_path)) as catalog:
        catalog.read_summaries()
        catalog.rebuild(now)
        assert {one.id: one.status for one in catalog.checkpoints} == {
            old: "stopped",
            young: "running",
        }
        assert run_status(catalog.forest.runs[0]) == "running"
        catalog.rebuild(now + 120)
        assert run_status(catalog.forest.runs[0]) == "stopped"


def test_a_finished_run_is_not_running_however_young(tmp_path: Path) -> None:
    young, now = now_id(5, 1)
    write(tmp_path, document(crew(task(output="x"))), young)
    with open_catalog(str(tmp_path)) as catalog:
        catalog.read_summaries()
        catalog.rebuild(now)
        assert catalog.checkpoints[0].status == "finished"


def test_the_status_of_a_run_is_that_of_its_newest_readable_checkpoint(tmp_path: Path) -> None:
    write(tmp_path, document(crew(task()), trigger="crew_kickoff_failed"), ident(1))
    os.utime(write(tmp_path, b"{", ident(2), ident(1)), (1, 1))
    with open_catalog(str(tmp_path)) as catalog:
        catalog.read_summaries()
        assert run_status(catalog.forest.runs[0]) == "failed"
