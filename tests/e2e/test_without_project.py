"""Going on from a checkpoint alone: right, or refused, or said to be in doubt. Never wrong.

All scenarios are tried by ``python -m tests.fidelity --without-project``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.fidelity import scenario
from tests.fidelity.alone import RIGHT, WRONG, try_all_alone, try_alone
from tests.fidelity.bench import Bench
from tests.fidelity.cases import Case, cases, spread_points

#: What may be said of each, by how it ends: `RIGHT`, or the rule of a refusal. Where doubts are
#: accepted, those named in them may come true; of the others none does.
EXPECTED = {
    "agent_judged": {RIGHT},
    "agent_kickoff": {RIGHT},
    "crew_async": {RIGHT},
    "crew_conditional": {RIGHT, "condition-lost", "templates-lost"},
    "crew_contexts": {RIGHT, "context-lost", "templates-lost"},
    "crew_equal_roles": {RIGHT},
    "crew_guardrails": {RIGHT, "guardrail-lost", "templates-lost"},
    "crew_own_model": {RIGHT, "model-class"},
    "crew_structured": {RIGHT, "output-class-lost", "templates-lost"},
    "flow_linear": {RIGHT, "flow-class"},
}
COME_TRUE = {"crew_conditional": "condition", "crew_guardrails": "guardrail"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, crewai_python: str) -> Iterator[Bench]:
    with Bench(crewai_python, tmp_path_factory.mktemp("alone")) as one:
        yield one


def chosen(bench: Bench, name: str) -> list[Case]:
    """A spread of the checkpoints: all are resumed, and in the middle they are forked."""
    recording = bench.record(next(one for one in scenario.find([name]) if one.name == name))
    points = spread_points(recording.points, 4)
    wanted = list(cases(recording, points))
    middle = points[len(points) // 2]
    return [one for one in wanted if one.column == "resume" or one.point is middle]


@pytest.mark.parametrize("name", EXPECTED)
def test_it_is_right_or_refused_or_in_doubt(bench: Bench, name: str) -> None:
    endings = list(try_all_alone(bench, chosen(bench, name), allow_losses=True))
    true = COME_TRUE.get(name)
    ends: Counter[str] = Counter()
    for one in endings:
        if one.end != WRONG or true not in one.doubts:
            ends[f"{one.case.name}: {'; '.join(one.flaws)}" if one.flaws else one.end] += 1
    assert set(ends) <= EXPECTED[name]


def test_what_is_in_doubt_is_refused_where_nobody_accepts_it(bench: Bench) -> None:
    recording = bench.record(scenario.find(["crew_equal_roles"])[0])
    first = try_alone(bench, Case(recording, recording.points[0], "resume"))
    assert first.end == "doubt: agent-settings, condition, context, guardrail"
    assert first.flaws == []
    last = try_alone(bench, Case(recording, recording.points[-1], "resume"))
    assert (last.end, last.doubts) == (RIGHT, [])


def test_an_address_that_only_the_checkpoint_names_is_not_asked(bench: Bench) -> None:
    recording = bench.record(scenario.find(["agent_kickoff"])[0])
    ending = try_alone(bench, Case(recording, recording.points[0], "resume"), trust=False)
    assert (ending.end, ending.flaws) == ("endpoint-not-trusted", [])
    assert "your key would be sent there" in str(ending.outcome.last["message"])
