"""One judgement: what data tells with the project's text, what the child plans, what runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.data_plan import decide_from_data
from crewcheck.engine.running import project_of
from crewcheck.engine.source import read_source
from crewcheck.model.edits import Edits
from tests.e2e.child.conftest import Start
from tests.e2e.child.driver import Place, Written
from tests.fake_model import FakeModel

At = Callable[..., Written]

#: The zoo: ``describe`` names ``watch``, ``count`` names nothing, ``report`` names both others.
EDITS = [
    Edits(outputs={0: "only eels"}),
    Edits(outputs={1: "none"}),
    Edits(rerun={2}),
    Edits(rerun={0}, keep={2}),
    Edits(inputs={"animal": "eels"}),
]


@pytest.mark.parametrize("edits", EDITS, ids=repr)
def test_what_runs_is_what_the_plan_said(
    zoo: Place, at: At, start: Start, model: FakeModel, edits: Edits
) -> None:
    source = at(4)
    with open_catalog(str(zoo.project / ".checkpoints")) as catalog:
        (node,) = (one for one in catalog.forest.order if one.checkpoint.id == source.id)
        read = read_source(catalog, node)
        told = decide_from_data(read, edits, project_of(read))
    child = start(
        zoo,
        source,
        entry="zoo:crew",
        action="fork",
        branch="b",
        inputs=edits.inputs,
        outputs={str(index): text for index, text in edits.outputs.items()},
        rerun=sorted(edits.rerun),
        keep=sorted(edits.keep),
    )
    plan = child.plan()
    planned = [item["index"] for item in plan["items"] if item["action"] == "run"]
    assert planned
    assert [one.index for one in told if one.action == "run"] == planned
    more: dict[str, Any] = {"outputs": {str(k): v for k, v in edits.outputs.items()}}
    child.go(plan, **more, inputs=edits.inputs or None)
    assert child.end()["type"] == "finished"
    began = [
        one["task"]
        for one in child.messages
        if one["type"] == "event" and one["event"] == "task_started" and not one.get("replayed")
    ]
    assert sorted(began) == planned
    assert len(model.requests) == len(planned)
