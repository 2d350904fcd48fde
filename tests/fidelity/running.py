"""Runs cases, several at a time, by the zygote or by the real command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.fidelity.bench import Bench
from tests.fidelity.cases import FORK, Case
from tests.fidelity.judging import Verdict, judge
from tests.fidelity.recording import Recording
from tests.fidelity.resumes import Outcome, go_on, wish_of

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120


def try_case(bench: Bench, case: Case, *, spawn: bool = False) -> Verdict:
    """Resume or fork as a case says, and judge it."""
    recording = case.recording
    oracle = bench.oracle(recording, case.oracle)
    folder = bench.place(f"{recording.scenario.name}-{case.column}-{case.point.number}")
    store = bench.put_back(recording, folder)
    with bench.model(folder) as model:
        variables = bench.variables(model.url)
        if spawn:
            outcome = _spawned(bench, case, store, variables)
        else:
            scenario = recording.scenario
            answers = scenario.get("ANSWERS", [])
            outcome = go_on(
                store,
                case.point.id,
                wish_of(case.action, scenario.entry, bench.python, answers),
                case.edit,
                home=str(folder / "home"),
                variables=variables,
            )
        asked = list(model.requests)
    return judge(case, oracle, outcome, asked, store)


def try_all(
    bench: Bench, cases: Iterable[Case], *, spawn: bool = False, workers: int = 2
) -> Iterator[Verdict]:
    """The verdicts of cases, in their order."""
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(lambda case: _safely(bench, case, spawn), cases)


def _safely(bench: Bench, case: Case, spawn: bool) -> Verdict:
    try:
        return try_case(bench, case, spawn=spawn)
    except Exception as error:  # one case must not end all
        import traceback

        where = traceback.format_exc().strip().splitlines()[-3].strip()
        return Verdict(case, [f"{type(error).__name__}: {error} ({where})"])


def record_all(bench: Bench, scenarios: Iterable[Any], workers: int = 2) -> Iterator[Any]:
    """A recording, or the error, of each scenario in its order."""

    def record(scenario: Any) -> Recording | Exception:
        try:
            return bench.record(scenario)
        except Exception as error:
            return error

    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(record, scenarios)


def _spawned(bench: Bench, case: Case, store: Path, variables: dict[str, str]) -> Outcome:
    """The real command, with a supervisor and a child of its own."""
    scenario = case.recording.scenario
    command = [
        sys.executable, "-m", "crewcheck", case.action, f"{store}#{case.point.id}",
        "--entry", scenario.entry, "--python", bench.python, "--yes", "--json",
    ]  # fmt: skip
    for answer in scenario.get("ANSWERS", []):
        command += ["--answer", answer]
    for key, value in (case.edit.get("inputs") or {}).items():
        command += ["--input", f"{key}={json.dumps(value)}"]
    for place, text in (case.edit.get("outputs") or {}).items():
        command += ["--output", f"{int(place) + 1}={text}"]
    for label, value in (case.edit.get("results") or {}).items():
        text = value if isinstance(value, str) else json.dumps(value)
        command += ["--output", f"{label}={text}"]
    for path, value in (case.edit.get("state") or {}).items():
        command += ["--state", f"{path}={json.dumps(value)}"]
    folder = store.parent.parent
    done = subprocess.run(
        command,
        cwd=store.parent,
        env={
            **os.environ,
            **variables,
            "HOME": str(folder / "home"),
            "PYTHONPATH": str(ROOT),
            "CREWAI_DISABLE_TELEMETRY": "true",
            "CREWAI_TRACING_ENABLED": "false",
            "OTEL_SDK_DISABLED": "true",
        },
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    outcome = Outcome(messages)
    if not messages:
        outcome.error = done.stderr.strip() or f"exit {done.returncode}, and nothing said"
        return outcome
    forked = next((one for one in messages if one["type"] == "forked"), None)
    outcome.begun_from = (
        case.point.id if case.action != FORK else (forked or {}).get("checkpoint_id")
    )
    outcome.branch = messages[-1].get("branch")
    codes = {"finished": 0, "failed": 1, "refused": 5, "paused": 6}
    if codes.get(outcome.last["type"]) != done.returncode:
        outcome.error = f"exit {done.returncode} with a last message {outcome.last['type']}"
    return outcome
