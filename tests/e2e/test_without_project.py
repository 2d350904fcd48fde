"""Going on from a checkpoint alone: right, or refused, or said to be in doubt. Never wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from crewcheck.engine.running import RESUME, Wish
from tests.fidelity import scenario
from tests.fidelity.bench import Bench
from tests.fidelity.cases import Case, spread_points
from tests.fidelity.judging import judge
from tests.fidelity.resumes import Outcome, go_on

#: What may be said of each, by how a resume ends: its rule, ``doubt``, or ``right``.
EXPECTED = {
    "agent_kickoff": {"doubt", "right"},
    "crew_conditional": {"doubt", "condition-lost", "right"},
    "crew_contexts": {"doubt", "right"},
    "crew_equal_roles": {"doubt", "right"},
    "crew_own_model": {"model-class", "right"},
    "flow_linear": {"flow-class", "right"},
}
#: Of these no doubt comes true: they go on rightly where it is accepted.
HOLDS = {"agent_kickoff", "crew_equal_roles"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, crewai_python: str) -> Iterator[Bench]:
    with Bench(crewai_python, tmp_path_factory.mktemp("alone")) as one:
        yield one


def ask_at(store: Path, url: str) -> None:
    """The model of the recording is gone: another one is where the checkpoints say."""
    for path in store.rglob("*.json"):
        text = path.read_text("ascii")
        path.unlink()  # it may be a file of the recording, too
        path.write_text(re.sub(r"http://127\.0\.0\.1:\d+/v1", url, text), "ascii")


def tried(bench: Bench, case: Case, *, trust: bool = True) -> tuple[str, list[str], Outcome]:
    """How a resume ends, what is wrong with it, and what it said."""
    folder = bench.place(f"{case.recording.scenario.name}-{case.point.number}")
    store = bench.put_back(case.recording, folder)
    with bench.model(folder) as model:
        ask_at(store, model.url)
        wish = Wish(RESUME, python=bench.python, without_project=True, trust_endpoint=trust)
        variables = {**bench.variables(model.url), "OPENAI_API_KEY": "sk-fake"}
        outcome = go_on(
            store, case.point.id, wish, {}, home=str(folder / "home"), variables=variables
        )
        asked = list(model.requests)
    if outcome.last["type"] == "refused":
        return str(outcome.last["reason"]), ["it asked"] if asked else [], outcome
    verdict = judge(case, case.recording.baseline, outcome, asked, store)
    plan = next((one for one in outcome.messages if one["type"] == "plan"), {})
    doubts = [loss for loss in plan.get("losses") or [] if loss.get("doubt")]
    assert plan.get("losses", [])[: len(doubts)] == doubts  # they are said first
    return "doubt" if doubts else "right", verdict.wrong, outcome


@pytest.mark.parametrize("name", EXPECTED)
def test_it_is_right_or_refused_or_in_doubt(bench: Bench, name: str) -> None:
    recording = bench.record(next(one for one in scenario.find([name]) if one.name == name))
    ends: Counter[str] = Counter()
    wrong = []
    for point in spread_points(recording.points, 4):
        end, flaws, _ = tried(bench, Case(recording, point, "resume"))
        ends[end] += 1
        if flaws and (end != "doubt" or name in HOLDS):
            wrong.append(f"{point.number} ({point.trigger}): {end}: {'; '.join(flaws)}")
    assert not wrong, "\n".join(wrong)
    assert set(ends) <= EXPECTED[name]
    assert ends["right"] < ends.total()


def test_an_address_that_only_the_checkpoint_names_is_not_asked(bench: Bench) -> None:
    recording = bench.record(next(one for one in scenario.find(["agent_kickoff"])))
    end, flaws, outcome = tried(bench, Case(recording, recording.points[0], "resume"), trust=False)
    assert (end, flaws) == ("endpoint-not-trusted", [])
    assert "your key would be sent there" in str(outcome.last["message"])
