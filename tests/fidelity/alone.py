"""Going on from the checkpoint alone: each is right, or refused. There is no third.

The model and the tools' classes are at hand, as far as the checkpoint names them; the crew,
agent or flow itself is not asked for. What a checkpoint cannot tell is in doubt: it is refused
as by ``crewcheck resume --without-project --yes``, or accepted as by ``--allow-losses``.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.running import FORK, Wish
from tests.fidelity.bench import Bench
from tests.fidelity.cases import Case
from tests.fidelity.judging import judge
from tests.fidelity.resumes import Outcome, go_on

RIGHT, WRONG = "right", "wrong"
_URL = re.compile(r"http://127\.0\.0\.1:\d+/v1")
#: CrewAI takes a key from the environment, for none is in a checkpoint.
_KEY = {"OPENAI_API_KEY": "sk-fake"}


@dataclass
class Ending:
    """How a resume or fork ended: `RIGHT`, `WRONG` (``flaws`` say why), or the rule of its
    refusal (``doubt: RULE, ...`` if nobody accepts them). ``doubts`` are the rules of the
    doubts, also of those that were accepted."""

    case: Case
    end: str
    flaws: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Outcome)


def try_alone(
    bench: Bench, case: Case, *, allow_losses: bool = False, trust: bool = True
) -> Ending:
    """Resume or fork a checkpoint without its project, and judge it."""
    recording, point = case.recording, case.point
    oracle = bench.oracle(recording, case.oracle)
    folder = bench.place(f"{recording.scenario.name}-alone-{case.column}-{point.number}")
    store = bench.put_back(recording, folder)
    answers = list(recording.scenario.get("ANSWERS", []))
    wish = Wish(
        case.action,
        python=bench.python,
        without_project=True,
        trust_endpoint=trust,
        answers=answers,
        branch="what-if" if case.action == FORK else None,
    )
    with bench.model(folder) as model:
        ask_at(store, model.url)
        outcome = go_on(
            store,
            point.id,
            wish,
            case.edit,
            home=str(folder / "home"),
            variables={**bench.variables(model.url), **_KEY},
            goes=lambda plan: allow_losses or not doubts_of(plan),
        )
        asked = list(model.requests)
    plan = next((one for one in outcome.messages if one["type"] == "plan"), {})
    doubts = doubts_of(plan)
    if outcome.last["type"] in ("refused", "plan"):
        rule = str(outcome.last.get("reason") or "doubt: " + ", ".join(sorted(set(doubts))))
        flaws = ["refused, after the model was asked"] if asked else []
        return Ending(case, WRONG if flaws else rule, flaws, doubts, outcome)
    verdict = judge(case, oracle, outcome, asked, store)
    return Ending(case, WRONG if verdict.wrong else RIGHT, verdict.wrong, doubts, outcome)


def doubts_of(plan: dict[str, Any]) -> list[str]:
    """The rules of what a plan cannot tell; it says them first."""
    losses = plan.get("losses") or []
    doubts = [loss for loss in losses if loss.get("doubt")]
    assert losses[: len(doubts)] == doubts
    return [str(one["rule"]) for one in doubts]


def try_all_alone(
    bench: Bench, cases: Iterable[Case], *, allow_losses: bool = False, workers: int = 2
) -> Iterator[Ending]:
    """How all of them end, in their order."""
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(lambda case: _safely(bench, case, allow_losses), cases)


def _safely(bench: Bench, case: Case, allow_losses: bool) -> Ending:
    try:
        return try_alone(bench, case, allow_losses=allow_losses)
    except Exception as error:  # one case must not end all
        return Ending(case, WRONG, [f"{type(error).__name__}: {error}"])


def ask_at(store: Path, url: str) -> None:
    """The model of the recording is gone: another one is where the checkpoints say."""
    if store.is_dir():
        for path in store.rglob("*.json"):
            text = path.read_text("utf-8")
            path.unlink()  # it may be a file of the recording, too
            path.write_text(_URL.sub(url, text), "utf-8")
        return
    with open_catalog(str(store)) as catalog:
        documents = {one.id: catalog.store.document(one.header) for one in catalog.checkpoints}
    with sqlite3.connect(store) as database:
        database.executemany(
            "update checkpoints set data = ? where id = ?",
            [(_URL.sub(url, json.dumps(data)), name) for name, data in documents.items()],
        )
    database.close()


def head() -> str:
    return "scenario".ljust(24) + f"{'right':>8}{'refused':>9}{'wrong':>7}  why"


def line(name: str, endings: Sequence[Ending]) -> str:
    """How often it was right, refused and wrong; and why it was refused."""
    ends = Counter(one.end for one in endings)
    right, wrong = ends.pop(RIGHT, 0), ends.pop(WRONG, 0)
    why = "; ".join(f"{rule} {count}" for rule, count in ends.most_common())
    return f"{name:<24}{right:>8}{ends.total():>9}{wrong:>7}  {why}".rstrip()


def details(endings: Iterable[Ending], most: int) -> list[str]:
    """What was wrong, a line a case, of the first ``most``."""
    wrong = [one for one in endings if one.end == WRONG]
    lines = [
        f"    {_where(one)}: {'; '.join(one.flaws)}"
        + (f" [accepted: {', '.join(sorted(set(one.doubts)))}]" if one.doubts else "")
        for one in wrong[:most]
    ]
    return [*lines, f"    and {len(wrong) - most} more"] if len(wrong) > most else lines


def _where(one: Ending) -> str:
    point = one.case.point
    return f"{one.case.column} at {point.number} ({point.trigger}, {point.id})"


def as_json(name: str, ending: Ending) -> dict[str, Any]:
    return {
        "scenario": name,
        "column": ending.case.column,
        "checkpoint_id": ending.case.point.id,
        "number": ending.case.point.number,
        "trigger": ending.case.point.trigger,
        "end": ending.end,
        "wrong": ending.flaws,
        "doubts": ending.doubts,
        "said": ending.outcome.error or ending.outcome.last.get("message"),
        "differences": ending.outcome.last.get("differences") or [],
    }
