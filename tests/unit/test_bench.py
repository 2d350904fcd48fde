"""The bench: its stores are what crewcheck and CrewAI take them for, and its sums are right."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from crewcheck.engine.catalog import Catalog, open_catalog
from tests.bench.bars import BARS, Bar
from tests.bench.documents import Shape, steps
from tests.bench.measure import Call, Failed, by_turns, once
from tests.bench.report import judged, table
from tests.bench.stores import Placed, Spec, Stores, documents, lineage, shape_for, write
from tests.bench.subjects import Subject

SMALL = Spec("json", 60, 100_000)


def read(path: Path) -> Catalog:
    catalog = open_catalog(str(path))
    catalog.read_summaries()
    return catalog


@pytest.fixture(scope="module")
def planned() -> list[tuple[Placed, str]]:
    return list(documents(SMALL))


@pytest.mark.parametrize("kind", ["json", "text", "jsonb"])
def test_a_store_is_read_as_it_was_planned(
    kind: str, planned: list[tuple[Placed, str]], tmp_path: Path
) -> None:
    write(SMALL._replace(kind=kind), tmp_path / "store")
    with read(tmp_path / "store") as catalog:
        seen = {one.id: one for one in catalog.checkpoints}
        forest = catalog.forest
    assert len(seen) == len(planned) == 60
    for placed, document in planned:
        one = seen[placed.id]
        assert one.damage is None
        assert (one.header.parent_id, one.branch) == (placed.parent, placed.branch)
        # two tasks: starts 1st, done 1st, starts 2nd, ...
        done = (placed.step + 1) // 2
        flow = placed.run % 4 == 3
        assert one.summary is not None
        assert (one.summary.done, one.summary.total) == (done, None if flow else 2)
        assert one.summary.trigger == ("task_completed" if placed.step % 2 else "task_started")
        if kind == "json":
            assert one.header.size == len(document)
            assert one.header.stamp == placed.stamp
    assert any(one.summary and one.summary.kind == "flow" for one in seen.values())
    runs = {placed.run for placed, _ in planned}
    assert len(forest.runs) == len(runs)
    forks = Counter(placed.branch for placed, _ in planned if placed.branch != "main")
    assert (
        Counter({one.branch: len(one.nodes) for one in forest.segments() if not one.is_run})
        == forks
    )
    assert forks


def test_the_mean_size_is_the_one_asked_for(planned: list[tuple[Placed, str]]) -> None:
    mean = sum(len(document) for _, document in planned) / len(planned)
    assert 80_000 < mean < 120_000


def test_a_lineage_has_resumes_forks_and_forks_of_forks() -> None:
    placed = list(lineage(2000, 6))
    assert len({one.id for one in placed}) == 2000
    by_id = {one.id: one for one in placed}
    parents = [(one, by_id[one.parent]) for one in placed if one.parent]
    assert all(one.step == parent.step + 1 and one.run == parent.run for one, parent in parents)
    siblings = Counter((parent.id, one.branch) for one, parent in parents)
    assert max(siblings.values()) == 2
    forks = [(one, parent) for one, parent in parents if one.branch != parent.branch]
    assert any(parent.branch != "main" for _, parent in forks)
    assert any("/" in one.branch for one, _ in forks)
    assert list(lineage(100, 6)) == placed[:100]


def test_a_document_has_what_crewai_writes() -> None:
    last = list(steps(Shape(tasks=2, text=300, live=True), variant=0))[-1]
    text = last.document(7, None, "main")
    document = json.loads(text)
    assert text == json.dumps(document)
    assert [*document] == [
        *("crewai_version", "parent_id", "branch", "entities", "event_record", "trigger")
    ]
    crew, executor = document["entities"]
    assert [task["output"] is not None for task in crew["tasks"]] == [True, True]
    assert executor["executor_type"] == "experimental"
    # the kickoff, nine of each task, and two of each of four checkpoints but the last one's
    nodes = document["event_record"]["nodes"]
    assert len(nodes) == last.events == 26
    assert all(identity.startswith("00000007-") for identity in nodes)
    # live copies: they tell of the end of the run
    started = next(n["event"] for n in nodes.values() if n["event"]["type"] == "task_started")
    assert started["task"] == crew["tasks"][0]
    assert len(json.dumps(document["entities"])) < len(text) / 3


def test_single_documents_and_pairs(tmp_path: Path) -> None:
    write(Spec("pair", 2, 1_500_000), tmp_path / "pair")
    with read(tmp_path / "pair") as catalog:
        read_off = [
            (one.summary.done, one.summary.total) for one in catalog.checkpoints if one.summary
        ]
        sizes = [one.header.size or 0 for one in catalog.checkpoints]
    assert read_off == [(8, 8), (8, 8)]
    assert all(1_200_000 < size < 1_800_000 for size in sizes)
    assert shape_for(1_500_000, last=True).tasks == 8


def test_stores_of_earlier_code_are_replaced(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    spec = Spec("json", 4, 20_000)
    old = tmp_path / f"{spec.name}-00000000"
    (old / "main").mkdir(parents=True)
    assert stores.missing([spec, spec]) == [spec]
    stores.build(spec)
    assert stores.missing([spec]) == []
    assert stores.mine() == [stores.path(spec)]
    assert len(list(tmp_path.rglob("*.json"))) == 4


def python(code: str, **more: object) -> Call:
    return Call([sys.executable, "-S", "-c", code], {}, **more)  # type: ignore[arg-type]


def test_commands_are_run_by_turns_and_failures_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log"

    def noted(letter: str) -> str:
        return f"open({str(log)!r}, 'a').write('{letter}'); print('{letter}')"

    calls = {
        "a": python(noted("a"), lines=1),
        "b": python(noted("b"), says="nothing of the kind"),
        "c": python("raise SystemExit('broken')"),
    }
    samples, failed = by_turns(calls, 1, lambda text: None)
    assert log.read_text() == "abaa"
    assert [*samples] == ["a"]
    assert len(samples["a"]) == 3
    assert all(one["wall"] > 0 and one["peak"] > 2**20 for one in samples["a"])
    assert failed.keys() == {"b", "c"}
    assert failed["c"].endswith("exit code 1, broken")


def test_what_a_command_tells_in_json_is_measured() -> None:
    told = once(python('print(\'{"seconds": 2.5, "note": "x"}\')', speaks_json=True))
    assert told["seconds"] == 2.5
    assert "note" not in told


def test_before_and_after_are_not_part_of_it(tmp_path: Path) -> None:
    made = tmp_path / "made"
    call = python(
        f"import os; raise SystemExit(not os.path.exists({str(made)!r}))",
        before=made.touch,
        after=made.unlink,
    )
    once(call)
    assert not made.exists()
    with pytest.raises(Failed, match="exit code 1, gone"):
        once(python("raise SystemExit('gone')", before=made.touch, after=made.unlink))
    assert not made.exists()


OURS, THEIRS = Subject("python", ("a",)), Subject("python", ("b",))


@pytest.mark.parametrize(
    ("sense", "times", "verdict"),
    # ours takes 2, 2, 4 and theirs 8, 10, 12: 4, 5 and 3 times better
    [("better", 4, "OK"), ("better", 4.1, "MISSED"), ("most", 0.25, "OK"), ("most", 0.2, "MISSED")],
)
def test_a_bar_is_judged_by_the_median_of_the_rounds(
    sense: str, times: float, verdict: str
) -> None:
    bar = Bar(1, "a", "b", "scene", OURS, THEIRS, sense, times)  # type: ignore[arg-type]
    samples = {
        OURS.label: [{"wall": wall, "cpu": 1.0} for wall in (2.0, 2.0, 4.0)],
        THEIRS.label: [{"wall": wall, "cpu": 2.0} for wall in (8.0, 10.0, 12.0)],
    }
    row = judged(bar, samples, {})
    assert (row.verdict, row.ours, row.theirs) == (verdict, 2.0, 10.0)
    assert (row.ratio, row.cpu_ratio) == ((4.0, 2.0) if sense == "better" else (0.25, 0.5))
    assert table([row]).endswith(verdict)


def test_a_bar_without_samples_has_failed() -> None:
    bar = Bar(1, "a", "b", "scene", OURS, THEIRS, "most", 1)
    assert judged(bar, {}, {THEIRS.label: "it broke"}).reason == "it broke"
    samples = {OURS.label: [{"wall": 1.0}], THEIRS.label: [{"cpu": 1.0}]}
    row = judged(bar, samples, {})
    assert (row.verdict, row.reason) == ("FAILED", "python b does not tell 'wall'")


def test_every_bar_is_there() -> None:
    assert sorted({bar.number for bar in BARS}) == list(range(1, 22))
