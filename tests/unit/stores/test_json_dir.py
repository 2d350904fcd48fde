from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewcheck.errors import NotFound
from crewcheck.model.scan import Summary
from crewcheck.stores.base import DamagedDocument
from crewcheck.stores.json_dir import JsonDirStore
from crewcheck.stores.json_text import HEAD, summary_of, summary_of_all
from tests.build import crew, document, event, executor, flow, ident, small_store, task, write


def test_names_give_id_parent_branch_and_time(tmp_path: Path) -> None:
    small_store(tmp_path)
    found = {h.id: h for h in JsonDirStore(str(tmp_path)).scan().headers}
    assert {id: (h.parent_id, h.branch) for id, h in found.items()} == {
        ident(1): (None, "main"),
        ident(2): (ident(1), "main"),
        ident(3): (ident(2), "main"),
        ident(4): (ident(1), "exp/hot soup"),
        ident(5): (ident(4), "exp/hot soup/deeper"),
    }
    assert found[ident(2)].created_at == "2026-11-29T17:00:02Z"
    assert found[ident(2)].size == os.path.getsize(found[ident(2)].location)


def test_flat_files_of_1_14_1_have_no_lineage(tmp_path: Path) -> None:
    (tmp_path / f"{ident(1)}.json").write_text(json.dumps(document(crew(task()), version=None)))
    (header,) = JsonDirStore(str(tmp_path)).scan().headers
    assert (header.branch, header.parent_id, header.lineage_known) == ("main", None, False)


def test_foreign_files_are_counted_and_left_out(tmp_path: Path) -> None:
    small_store(tmp_path)
    (tmp_path / "package.json").write_text('{"name": "x"}')
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / ".DS_Store").write_text("x")
    (tmp_path / "x.json").mkdir()
    os.symlink(tmp_path, tmp_path / "main" / "loop")
    os.symlink("/etc/hostname", tmp_path / "main" / f"{ident(8)}_p-none.json")
    scan = JsonDirStore(str(tmp_path)).scan()
    assert len(scan.headers) == 5
    assert scan.foreign == 4  # package.json, notes.txt, and both links


def test_a_persons_copy_is_a_checkpoint_too(tmp_path: Path) -> None:
    (tmp_path / "good one.json").write_text(json.dumps(document(crew(task()), parent="p")))
    store = JsonDirStore(str(tmp_path))
    (header,) = store.scan().headers
    assert header.id == "good one"
    assert store.summary(header).parent_id == "p"


def test_the_sidecar_is_not_looked_into(tmp_path: Path) -> None:
    write(tmp_path, document(crew(task())), ident(1), branch=".crewcheck/trash")
    scan = JsonDirStore(str(tmp_path)).scan()
    assert (scan.headers, scan.foreign) == ([], 0)


def test_document_and_folder_that_disagree(tmp_path: Path) -> None:
    write(tmp_path, document(crew(task()), branch="real", parent="b"), ident(1), "a", "folder")
    store = JsonDirStore(str(tmp_path))
    (header,) = store.scan().headers
    assert store.summary(header).notes == (
        "it lies in the folder of folder, but says branch real",
        "its name gives the parent a, the document b",
    )


@pytest.mark.parametrize(
    ("data", "rule", "offset"),
    [
        (b"", "empty", 0),
        (b"\0" * 40, "empty", 0),
        (b"  \n", "empty", 0),
        (b'{"entities": [', "truncated", 14),
        (b'{"entities": [{"name": "abc', "truncated", 27),
        (b"{}{}", "trailing-data", 2),
        (b"[1, 2]", "not-a-checkpoint", None),
        (b"17", "not-a-checkpoint", None),
        (b"{}", "not-a-checkpoint", None),
        (b"hello", "not-json", 0),
        (b'{"a": "\xff"}', "not-json", 7),
        ("{}".encode("utf-16"), "not-json", 0),
        (b'{"entities": ' + b"[" * 100_000, "not-json", None),
        (b'{"entities": [1' + b"9" * 5_000 + b"]}", "not-json", None),
    ],
)
def test_damage_is_a_value(tmp_path: Path, data: bytes, rule: str, offset: int | None) -> None:
    path = write(tmp_path, data, ident(1))
    os.utime(path, (1, 1))
    store = JsonDirStore(str(tmp_path))
    (header,) = store.scan().headers
    damage = store.summary(header).damage
    assert damage is not None
    assert (damage.rule, damage.offset) == (rule, offset)
    if data not in (b"{}",):
        with pytest.raises(DamagedDocument):
            store.document(header)


def test_a_file_that_was_cut_just_now_is_being_written(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"entities": [', ident(1))
    store = JsonDirStore(str(tmp_path))
    (header,) = store.scan().headers
    damage = store.summary(header).damage
    assert damage is not None
    assert damage.rule == "being-written"
    path.write_text(json.dumps(document(crew(task()))))
    assert store.summary(header).damage is None


def test_oddities_that_are_no_damage(tmp_path: Path) -> None:
    doc = document(crew(task(output="\ud800"), weight=float("nan")))
    path = write(tmp_path, b"\xef\xbb\xbf" + json.dumps(doc).encode(), ident(1))
    store = JsonDirStore(str(tmp_path))
    (header,) = store.scan().headers
    assert store.summary(header).damage is None
    assert store.document(header)["entities"][0]["tasks"][0]["output"]["raw"] == "\ud800"
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")


def test_a_file_that_goes_away(tmp_path: Path) -> None:
    path = write(tmp_path, document(crew(task())), ident(1))
    store = JsonDirStore(str(tmp_path))
    (header,) = store.scan().headers
    path.unlink()
    damage = store.summary(header).damage
    assert damage is not None
    assert damage.rule == "gone"
    with pytest.raises(NotFound):
        store.document(header)


def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(NotFound):
        JsonDirStore("/nowhere/at/all").scan()


def test_the_fingerprint_sees_a_rewrite(tmp_path: Path) -> None:
    path = write(tmp_path, document(crew(task())), ident(1))
    store = JsonDirStore(str(tmp_path))
    before = store.fingerprint()
    assert store.fingerprint() == before
    path.write_text("{}")
    os.utime(path, (time.time() + 5,) * 2)
    assert store.fingerprint() != before


# --- the head alone says what the whole would


def plain(summary: Summary) -> dict[str, Any]:
    return {name: getattr(summary, name) for name in Summary.__slots__ if name != "damage"} | {
        "damage": summary.damage and summary.damage.rule
    }


def from_head(data: bytes, head: int = HEAD) -> Summary:
    return summary_of(data[:head], len(data), lambda start, end: data[start:end])


LIE = 'x", "event_record": {"nodes": {}}, "trigger": "flow_finished"}'
documents = st.builds(
    document,
    st.sampled_from(
        [
            crew(task(output="x"), task("b")),
            crew(task(output=LIE), name=LIE),
            crew(task(), event_record={"nodes": {}}, trigger="no"),
            flow("a", "b"),
            flow("a", name=LIE),
            executor(),
        ]
    ),
    st.sampled_from([executor(), crew(task(), id="2"), flow("z"), {"entity_type": 3}]),
    events=st.lists(
        st.sampled_from(
            [
                event(1, "flow_created", flow_name="One"),
                event(2, "flow_started", flow_name="AgentExecutor"),
                event(3, "task_completed", parent_event_id="kickoff-1", output=LIE),
                event(4, "method_execution_finished", flow_name="Two", state={"id": "state-1"}),
            ]
        ),
        max_size=4,
    ),
    trigger=st.sampled_from([None, "task_completed", LIE, "crew_kickoff_failed", "a\\b"]),
    version=st.sampled_from([None, "1.15.30"]),
    crewcheck=st.sampled_from([None, {"primary": 0}]),
)


@settings(max_examples=80, deadline=None)
@given(documents, st.sampled_from([(", ", ": "), (",", ":")]), st.booleans(), st.integers(64, 900))
def test_a_summary_from_the_head_equals_one_from_the_whole(
    doc: dict[str, Any], separators: tuple[str, str], sort: bool, head: int
) -> None:
    data = json.dumps(doc, separators=separators, sort_keys=sort).encode()
    assert plain(from_head(data, head)) == plain(summary_of_all(data))


@settings(max_examples=60, deadline=None)
@given(documents, st.data())
def test_any_mutation_of_a_document_is_read_without_an_exception(
    doc: dict[str, Any], data: st.DataObject
) -> None:
    text = bytearray(json.dumps(doc).encode())
    cut = data.draw(st.integers(0, len(text)))
    place = data.draw(st.integers(0, max(0, len(text) - 1)))
    text[place : place + 1] = data.draw(st.binary(max_size=3))
    from_head(bytes(text[:cut]))
    from_head(bytes(text))


def test_a_head_is_enough_for_a_large_document(tmp_path: Path) -> None:
    """Reading more than head and tail would make listing a large store slow."""
    big = event(1, "task_started", context="x" * 3_000_000)
    data = json.dumps(document(crew(task(output="x")), events=[big])).encode()
    reads: list[int] = []

    def read(start: int, end: int) -> bytes:
        reads.append(end - start)
        return data[start:end]

    assert summary_of(data[:HEAD], len(data), read).done == 1
    assert sum(reads) < 1_000
