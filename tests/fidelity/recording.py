"""A scenario's uninterrupted run, the checkpoints to go on from, and its oracles."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crewcheck.engine.catalog import open_catalog
from crewcheck.model.primary import primary
from tests.fake_model import Request
from tests.fidelity.agents import answered_of_agent, whole
from tests.fidelity.answered import Event, answered, answered_since_last_end, events_of, owners
from tests.fidelity.scenario import Scenario


@dataclass(frozen=True)
class Ran:
    """How a program ran. ``home`` and ``project`` are its folders."""

    project: Path
    requests: list[Request]
    final: str | None
    paused: bool
    error: str | None

    @property
    def keys(self) -> list[str]:
        return [one.key for one in self.requests if one.status == 200]

    @property
    def used(self) -> list[str]:
        """The tools that were used, as far as they tell (`scenarios/_common.used`)."""
        return used_in(self.project)

    @property
    def home(self) -> Path:
        return self.project.with_name("home")


@dataclass(frozen=True)
class Point:
    """A checkpoint to go on from. ``answered`` are the keys of the requests whose answers it
    holds; ``outputs`` the texts of the tasks that are done; ``calls`` how many calls of each
    method of a flow have ended; ``under_way``: the model has answered since the last piece of
    work has ended; ``used``: the tools whose calls it has the results of."""

    id: str
    branch: str
    trigger: str
    number: int
    answered: list[str]
    outputs: dict[int, str]
    calls: dict[str, int]
    state_id: str | None
    finished: bool
    under_way: bool
    used: list[str] = field(default_factory=list)


@dataclass
class Recording:
    """What a scenario did. ``recorded`` is the run that wrote ``store``; ``points`` are the
    checkpoints to go on from, ``known`` the ids of all that are there."""

    scenario: Scenario
    baseline: Ran
    recorded: Ran
    store: Path
    points: list[Point]
    known: frozenset[str]
    _oracles: dict[str, Ran] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def oracle(self, edit: Mapping[str, Any], run: Any) -> Ran:
        """The run of an edited program, made once: ``run(**edit)``."""
        if not edit:
            return self.baseline
        name = json.dumps(edit, sort_keys=True)
        with self._lock:
            if name not in self._oracles:
                self._oracles[name] = run(**edit)
            return self._oracles[name]


def used_in(project: Path) -> list[str]:
    """What tools have said there of themselves."""
    path = project / "used.log"
    return path.read_text("utf-8").splitlines() if path.exists() else []


def _used(events: list[Event]) -> list[str]:
    done = [one for one in events if one["type"] == "tool_usage_finished"]
    return [str(one["tool_name"]) for one in done if not one.get("from_cache")]


def store_in(project: Path) -> Path:
    """Where a program has written its checkpoints."""
    for name in (".checkpoints", ".checkpoints.db"):
        if (project / name).exists():
            return project / name
    raise RuntimeError(f"the run in {project} has written no checkpoint")


def recording(
    scenario: Scenario, baseline: Ran, recorded: Ran, store: Path, branch: str | None = None
) -> Recording:
    """Look a store over; only the points of a branch, if one is named."""
    with open_catalog(str(store)) as catalog:
        known = frozenset(one.id for one in catalog.checkpoints)
    points = points_of(store, recorded.requests, branch)
    return Recording(scenario, baseline, recorded, store, points, known)


def points_of(store: Path, requests: list[Request], branch: str | None = None) -> list[Point]:
    """The checkpoints of a store, oldest first, with what the run had asked until then."""
    with open_catalog(str(store)) as catalog:
        catalog.read_summaries()
        ordered = [one for one in catalog.forest.order if branch in (None, one.checkpoint.branch)]
        documents = [catalog.store.document(one.checkpoint.header) for one in ordered]
        found = [one.checkpoint for one in ordered]
    alone = all(one.summary and one.summary.kind == "agent" for one in found)
    if alone:
        documents = whole(documents)
    last = max(documents, key=lambda one: len(events_of(one)))
    owned = owners(requests, documents)
    points = []
    for number, (one, document) in enumerate(zip(found, documents, strict=True)):
        summary = one.summary
        assert summary is not None
        events = events_of(document)
        entity: Any = primary(document, events) or {}
        finished = summary.status == "finished"
        kickoff = str(entity.get("checkpoint_kickoff_event_id"))
        points.append(
            Point(
                one.id,
                one.branch,
                str(summary.trigger or ""),
                number,
                answered_of_agent(requests, document, last, kickoff, finished)
                if alone
                else answered(requests, owned, document),
                _outputs(entity),
                _calls(events),
                (entity.get("checkpoint_state") or {}).get("id"),
                finished,
                answered_since_last_end(events),
                _used(events),
            )
        )
    return points


def _outputs(entity: Mapping[str, Any]) -> dict[int, str]:
    tasks = enumerate(entity.get("tasks") or [])
    return {place: str(one["output"].get("raw") or "") for place, one in tasks if one.get("output")}


def _calls(events: list[Event]) -> dict[str, int]:
    """How many calls of each method have ended well, of the flow that began first."""
    name = next((one.get("flow_name") for one in events if one["type"] == "flow_started"), None)
    counts: dict[str, int] = {}
    for event in events:
        if event["type"] == "method_execution_finished" and event.get("flow_name") == name:
            method = str(event["method_name"])
            counts[method] = counts.get(method, 0) + 1
    return counts
