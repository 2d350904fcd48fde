"""Whether a resume or fork did what the uninterrupted program would have done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.lineage import Node
from tests.fake_model import Request
from tests.fidelity.cases import FORK, Case
from tests.fidelity.recording import Ran, used_in
from tests.fidelity.resumes import Outcome


@dataclass
class Verdict:
    """``wrong`` are sentences, ``tolerated`` those that the scenario allows for a reason."""

    case: Case
    wrong: list[str] = field(default_factory=list)
    tolerated: list[str] = field(default_factory=list)
    refused: bool = False

    @property
    def right(self) -> bool:
        return not self.wrong


def judge(
    case: Case, oracle: Ran, outcome: Outcome, asked: Sequence[Request], store: Path
) -> Verdict:
    """Compare what was asked and what came out with an oracle's run."""
    verdict = Verdict(case)
    last = outcome.last
    rule = case.recording.scenario.get("REFUSED")
    said = outcome.error or last.get("message") or last.get("error") or ""
    if rule and not (case.point.finished and last["type"] == "finished"):
        verdict.refused = True
        if last.get("reason") != rule and rule not in said:
            verdict.wrong.append(f"not refused with {rule} but {last['type']}: {said}")
        if asked:
            verdict.wrong.append("refused, after the model was asked")
        return verdict
    may = case.recording.scenario.get("MAY_BE_REFUSED", {}).get(case.column)
    if may and outcome.error is not None and may in outcome.error:
        verdict.refused = True
        if asked:
            verdict.wrong.append("refused, after the model was asked")
        return verdict
    if outcome.error is not None:
        verdict.wrong.append(f"refused: {said}")
        return verdict
    wanted = "paused" if oracle.paused else "finished"
    if last["type"] != wanted:
        differences = "; ".join(map(str, last.get("differences") or []))
        verdict.wrong.append(f"{last['type']}: {said} {differences}".strip())
    _requests(verdict, oracle, asked)
    if last["type"] == wanted == "finished" and last.get("result") != oracle.final:
        sentence = f"ended with {_short(last.get('result'))} instead of {_short(oracle.final)}"
        reason = case.recording.scenario.get("RECORDED_RESULT")
        if reason and not asked and case.point.finished:
            verdict.tolerated.append(f"{sentence}: {reason}")
        else:
            verdict.wrong.append(sentence)
    verdict.wrong += _uses(case, oracle, store.parent)
    if last["type"] == wanted:
        verdict.wrong += _written(case, outcome, bool(asked), store)
    return verdict


def _requests(verdict: Verdict, oracle: Ran, asked: Sequence[Request]) -> None:
    """Wanted is what the oracle asked, without what the checkpoint has the answers of."""
    case = verdict.case
    whole = Counter(oracle.keys)
    wanted = whole - Counter(case.point.answered)
    made = Counter(one.key for one in asked if one.status == 200)
    texts = _texts([*case.recording.recorded.requests, *oracle.requests, *asked])
    missing, more = wanted - made, made - wanted
    if missing:
        verdict.wrong.append(f"never asked {_list(missing, texts)}")
    again = more & Counter(case.point.answered)
    if again:
        reason = case.recording.scenario.get("ASKED_AGAIN_OK")
        if isinstance(reason, dict):
            reason = reason.get(case.column)
        sentence = f"asked again {_list(again, texts)}"
        if reason:
            verdict.tolerated.append(f"{sentence}: {reason}")
        else:
            verdict.wrong.append(sentence)
    if more - again:
        verdict.wrong.append(f"asked what nobody asks {_list(more - again, texts)}")


def _uses(case: Case, oracle: Ran, project: Path) -> list[str]:
    """What an uninterrupted program does with its tools is done once, all in all. An edit may
    let some of it be done again."""
    if case.edit:
        return []
    whole, made = Counter(oracle.used), Counter(used_in(project))
    wanted = Counter() if case.point.finished else whole - Counter(case.point.used)
    if made == wanted:
        return []
    return [f"used the tools {dict(made)} instead of {dict(wanted)}"]


def _texts(requests: Sequence[Request]) -> dict[str, str]:
    return {
        one.key: " ".join((one.user.partition("Current Task:")[2] or one.user).split())[:30]
        for one in requests
    }


def _list(keys: Mapping[str, int], texts: Mapping[str, str]) -> str:
    return ", ".join(
        f"{key} ({texts.get(key)!r})" + (f" x{count}" if count > 1 else "")
        for key, count in keys.items()
    )


def _short(value: object) -> str:
    text = str(value)
    return repr(text if len(text) < 60 else text[:57] + "...")


def _written(case: Case, outcome: Outcome, worked: bool, store: Path) -> list[str]:
    """The checkpoints that were written: on the right branch, chained to where the run
    began, the newest of them finished; a fork of a flow has a state of its own."""
    with open_catalog(str(store)) as catalog:
        catalog.read_summaries()
        order = catalog.forest.order
        new = [node for node in order if node.checkpoint.id not in case.recording.known]
        if case.action == FORK:
            own = [node for node in new if node.checkpoint.id == outcome.begun_from]
            if not own and not (new and _prunes(catalog, new[-1])):
                return ["the fork's own checkpoint is not there"]
            if own and own[0].checkpoint.parent_id != case.point.id:
                return [f"the fork's parent is {own[0].checkpoint.parent_id}"]
            new = [node for node in new if node not in own]
        if not new:
            return ["no checkpoint was written"] if worked else []
        return _chain(case, outcome, new) + _newest(case, outcome, new[-1], catalog)


def _prunes(catalog: Catalog, node: Node) -> bool:
    """Whether the project keeps only some checkpoints of a branch."""
    document: Any = catalog.store.document(node.checkpoint.header)
    configs = [one.get("checkpoint") for one in document["entities"]]
    return any(isinstance(one, dict) and one.get("max_checkpoints") for one in configs)


def _chain(case: Case, outcome: Outcome, new: list[Node]) -> list[str]:
    branch = case.point.branch if case.action != FORK else outcome.branch
    wrong = [
        f"{node.checkpoint.id} is on branch {node.checkpoint.branch}"
        for node in new
        if node.checkpoint.branch != branch
    ]
    for node in new:
        at: Node | None = node
        while at is not None and at.checkpoint.id != outcome.begun_from:
            if at.missing_parent is not None:  # pruned, as the project wants it
                break
            at = at.parent
        if at is None:
            wrong.append(f"{node.checkpoint.id} does not descend from {outcome.begun_from}")
    return wrong[:2]


def _newest(case: Case, outcome: Outcome, newest: Node, catalog: Catalog) -> list[str]:
    summary = newest.checkpoint.summary
    wrong = []
    status = summary.status if summary is not None else None
    wanted = "paused" if outcome.last["type"] == "paused" else "finished"
    trigger = (summary.trigger if summary is not None else None) or ""
    # of a flow that writes only with its methods no checkpoint can tell that it was the last
    if status != wanted and not trigger.startswith("method_execution_"):
        wrong.append(f"its newest checkpoint ({trigger}) is {status}, not {wanted}")
    if case.action == FORK and case.recording.scenario.kind == "flow":
        document: Any = catalog.store.document(newest.checkpoint.header)
        states = [
            (one.get("checkpoint_state") or {}).get("id")
            for one in document["entities"]
            if one.get("entity_type") == "flow" and "executor_type" not in one
        ]
        if case.point.state_id in states:
            wrong.append("the fork has the state id of its source")
    return wrong
