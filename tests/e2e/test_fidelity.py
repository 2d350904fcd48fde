"""A part of `make fidelity`: each scenario, resumed and forked at some of its checkpoints.

All of it is ``python -m tests.fidelity``, which also explains what is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fidelity import scenario
from tests.fidelity.bench import Bench
from tests.fidelity.cases import COLUMNS, Case, cases, spread_points
from tests.fidelity.recording import Recording
from tests.fidelity.running import try_all

#: What is not right so far, and why. To be emptied: what comes out right fails here.
NOT_YET: dict[str, str] = {}

#: How many checkpoints of a scenario are tried in each way.
_SPREAD = {"resume": 3}


def _parameter(one: scenario.Scenario) -> object:
    reason = NOT_YET.get(one.name)
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(one, id=one.name, marks=marks)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, crewai_python: str) -> Iterator[Bench]:
    with Bench(crewai_python, tmp_path_factory.mktemp("fidelity")) as one:
        yield one


def _chosen(recording: Recording) -> Iterator[Case]:
    for column in COLUMNS:
        wanted = [one for one in cases(recording) if one.column == column]
        points = {one.point.id: one.point for one in wanted}
        some = spread_points(list(points.values()), _SPREAD.get(column, 1))
        yield from (one for one in wanted if one.point in some)


@pytest.mark.parametrize("one", [_parameter(one) for one in scenario.find()])
def test_a_resume_and_a_fork_do_what_the_program_would(
    bench: Bench, one: scenario.Scenario
) -> None:
    recording = bench.record(one)
    verdicts = list(try_all(bench, list(_chosen(recording))))
    assert len(verdicts) >= 2
    wrong = [f"{v.case.name}: {'; '.join(v.wrong)}" for v in verdicts if not v.right]
    assert not wrong, "\n".join(wrong)


def test_the_real_command_does_the_same(bench: Bench) -> None:
    """The fork of the zygote stands for a supervisor and a child: here they are real."""
    recording = bench.record(scenario.find(["crew_contexts"])[0])
    middle = next(one for one in recording.points if set(one.outputs) == {0, 1})
    wanted = [one for one in cases(recording, [middle]) if one.column in ("resume", "fork+output")]
    verdicts = list(try_all(bench, wanted, spawn=True))
    assert [(v.case.column, v.wrong) for v in verdicts] == [("resume", []), ("fork+output", [])]


def test_what_lies_about_scenarios_is_known() -> None:
    names = {one.name for one in scenario.find()}
    assert set(NOT_YET) <= names
    beside = Path(scenario.SCENARIOS, "files")
    assert {path.name for path in beside.iterdir()} <= names
