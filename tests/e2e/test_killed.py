"""kill -9 of a run's child at any moment: nothing that was there is lost, nothing paid twice."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from crewcheck.cli.main import run as crewcheck
from crewcheck.engine import fallback
from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.running import RESUME
from tests.fidelity import scenario
from tests.fidelity.bench import Bench
from tests.fidelity.killing import Killed, When, resume_and_kill
from tests.fidelity.recording import Recording
from tests.fidelity.resumes import go_on, wish_of

#: With a checkpoint at the end of each task, and at each event.
SCENARIOS = ["crew_rare_checkpoints", "crew_tools", "flow_linear"]


@dataclass
class Whole:
    """A scenario, and a resume of its first checkpoint that nobody has killed."""

    bench: Bench
    recording: Recording
    run: Killed

    def store(self) -> Path:
        """The recorded store in a new place, as it was when it had one checkpoint."""
        folder = self.bench.place(f"{self.recording.scenario.name}-killed")
        store = self.bench.put_back(self.recording, folder)
        for path in store.rglob("*.json"):
            if not path.name.startswith(self.first):
                path.unlink()
        return store

    def kill(self, store: Path, checkpoint_id: str, when: When | None, **more: bool) -> Killed:
        return resume_and_kill(
            self.bench, self.recording.scenario, store, checkpoint_id, when, **more
        )

    @property
    def first(self) -> str:
        """The first checkpoint that says what the run was started with."""
        begun = (one for one in self.recording.points if one.trigger != "flow_created")
        return next(begun).id


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, crewai_python: str) -> Iterator[Bench]:
    with Bench(crewai_python, tmp_path_factory.mktemp("killed")) as one:
        yield one


@pytest.fixture(scope="module", params=SCENARIOS)
def whole(bench: Bench, request: pytest.FixtureRequest) -> Whole:
    return make_whole(bench, request.param)


def make_whole(bench: Bench, name: str) -> Whole:
    recording = bench.record(scenario.find([name])[0])
    made = Whole(bench, recording, Killed(recording.store))
    made.run = made.kill(made.store(), made.first, None)
    assert made.run.state.state == "finished"
    assert Counter(made.run.asked) == Counter(recording.baseline.keys)
    assert made.run.told == len(made.run.asked)
    return made


def newest_valid(killed: Killed) -> str:
    """After a kill: the run is told as what it is, the store is sound, and this is the
    checkpoint to go on from."""
    assert killed.state.state == "crashed"
    assert killed.state.signal == 9
    assert f"{killed.store}#{killed.state.newest}" in killed.state.hint
    assert crewcheck(["verify", str(killed.store)]) == 0
    with open_catalog(str(killed.store)) as catalog:
        catalog.read_summaries()
        newest = catalog.forest.latest
        assert newest is not None
        assert killed.state.newest in catalog.forest.by_id
        choice = fallback.choose(catalog, newest)
        assert choice.skipped == []
        return choice.node.checkpoint.id


def finish(whole: Whole, store: Path, checkpoint_id: str) -> Counter[str]:
    """Go on to the end, as the program would: what was asked."""
    bench, recording = whole.bench, whole.recording
    folder = store.parent.parent
    with bench.model(folder) as model:
        outcome = go_on(
            store,
            checkpoint_id,
            wish_of(RESUME, recording.scenario.entry, bench.python, []),
            {},
            home=str(folder / "home"),
            variables=bench.variables(model.url),
        )
        asked = Counter(one.key for one in model.requests)
    assert outcome.last["type"] == "finished", outcome.last
    assert outcome.last["result"] == recording.baseline.final
    return asked


def check(whole: Whole, killed: Killed) -> None:
    """What must hold after a kill; then go on, and compare."""
    asked = finish(whole, killed.store, newest_valid(killed))
    # one task after the other: what was told to be answered is what was asked first
    told = Counter(killed.asked[: killed.told])
    in_flight = Counter(killed.asked[killed.told :])
    assert not asked & told, "asked again what had been answered"
    everything = Counter(whole.recording.baseline.keys)
    assert everything - told - in_flight <= asked <= everything - told


def kill_at_random(whole: Whole, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(10):
        killed = whole.kill(whole.store(), whole.first, When.at_random(dice, whole.run))
        if killed.state.state != "finished":  # else it was quicker
            check(whole, killed)
            return
    pytest.fail("the run was quicker than ten kills")


@pytest.mark.parametrize("seed", range(9))
def test_a_run_that_is_killed_at_any_moment_is_gone_on_with(whole: Whole, seed: int) -> None:
    kill_at_random(whole, seed)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(100, 150))
def test_a_run_that_is_killed_at_many_moments_is_gone_on_with(whole: Whole, seed: int) -> None:
    kill_at_random(whole, seed)


@pytest.mark.parametrize(
    "moment", [When(messages=10), When(messages=24), When(seconds=0.4)], ids=["10", "24", "0.4 s"]
)
def test_a_child_of_its_own_is_killed_like_any_other(bench: Bench, moment: When) -> None:
    """The forks stand for children that take seconds to start: these are some."""
    whole = make_whole(bench, SCENARIOS[0])
    check(whole, whole.kill(whole.store(), whole.first, moment, spawn=True))


def test_what_any_of_several_killed_runs_was_told_is_not_asked_again(bench: Bench) -> None:
    whole = make_whole(bench, SCENARIOS[0])
    store, checkpoint_id = whole.store(), whole.first
    told: Counter[str] = Counter()
    for messages in (10, 14, 14, 20):
        killed = whole.kill(store, checkpoint_id, When(messages=messages))
        assert not Counter(killed.asked) & told
        told += Counter(killed.asked[: killed.told])
        checkpoint_id = newest_valid(killed)
    asked = finish(whole, store, checkpoint_id)
    assert not asked & told
    assert len(told) >= 3
