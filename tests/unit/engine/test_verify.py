"""Each rule planted once, and found exactly once at its place; nothing on what is well."""

from __future__ import annotations

import copy
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.checks.document import flaws_of
from crewcheck.engine.checks.rules import ADVICE, DAMAGE, RULES, WARNING
from crewcheck.engine.checks.subject import Subject
from crewcheck.engine.verify import Finding, damage_in, verify
from crewcheck.model.reports import FindingReport
from tests.build import (
    Json,
    agent,
    crew,
    document,
    event,
    executor,
    flow,
    ident,
    small_store,
    task,
    write,
)

OUTLINE, DRAFT = "entities[0].tasks[0]", "entities[0].tasks[1]"
SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}


def well() -> Json:
    """A crew of two tasks: the first is done, the second under way."""
    first, second = task("outline", output="An outline"), task("draft")
    return document(
        crew(first, second),
        executor(),
        events=[
            event(1, "crew_kickoff_started", inputs={"topic": "bridges"}),
            event(2, "task_started", task_id="task-outline", parent_event_id="event-1"),
            event(3, "llm_call_started", parent_event_id="event-2"),
            event(4, "llm_call_completed", parent_event_id="event-2", started_event_id="event-3"),
            event(5, "task_completed", task_id="task-outline", parent_event_id="event-1",
                  started_event_id="event-2"),
            event(6, "task_started", task_id="task-draft", parent_event_id="event-1",
                  previous_event_id="event-5"),
        ],
    )  # fmt: skip


def running_flow() -> Json:
    """A flow with two methods done and a third under way."""
    return document(
        flow("fetch", "sort", name="Digest"),
        events=[
            event(1, "flow_started", flow_name="Digest"),
            event(2, "method_execution_started", method_name="fetch", parent_event_id="event-1"),
            event(3, "method_execution_finished", method_name="fetch", parent_event_id="event-1",
                  started_event_id="event-2", result="a"),
            event(4, "method_execution_started", method_name="sort", parent_event_id="event-1"),
            event(5, "method_execution_finished", method_name="sort", parent_event_id="event-1",
                  started_event_id="event-4", result="b"),
            event(6, "method_execution_started", method_name="print", parent_event_id="event-1"),
        ],
        trigger="method_execution_finished",
    )  # fmt: skip


def found(location: Path) -> list[Finding]:
    with open_catalog(str(location)) as catalog:
        return verify(catalog)


def at_least_warnings(findings: list[Finding]) -> list[str]:
    return [one.rule for one in findings if one.severity != ADVICE]


def in_store(tmp_path: Path, doc: Json | bytes) -> list[Finding]:
    path = write(tmp_path, doc, ident(1))
    # a file of this very moment could be in the making
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return found(tmp_path)


def the_crew(doc: Json) -> Json:
    entity: Json = doc["entities"][0]
    return entity


def tasks(doc: Json) -> list[Json]:
    listed: list[Json] = the_crew(doc)["tasks"]
    return listed


def node(doc: Json, number: int) -> Json:
    made: Json = doc["event_record"]["nodes"][f"event-{number}"]["event"]
    return made


def add(doc: Json, made: Json) -> None:
    doc["event_record"]["nodes"][made["event_id"]] = {"event": made, "edges": {}}


def put(*path: Any) -> Callable[[Json], None]:
    """A change: the last is the value, before it the keys that lead to its place."""
    *way, last, value = path

    def change(doc: Json) -> None:
        at: Any = doc
        for step in way:
            at = at[step]
        at[last] = value

    return change


def drop(*path: Any) -> Callable[[Json], None]:
    *way, last = path

    def change(doc: Json) -> None:
        at: Any = doc
        for step in way:
            at = at[step]
        del at[last]

    return change


def of_task(index: int, key: str, value: Any) -> Callable[[Json], None]:
    return put("entities", 0, "tasks", index, key, value)


def _lost_result(doc: Json) -> None:
    tasks(doc)[0]["output"] = None


def _out_of_order(doc: Json) -> None:
    # the second is done, the first has begun and is not
    tasks(doc)[0]["output"] = None
    node(doc, 5)["task_id"] = "task-other"
    tasks(doc)[1]["output"] = {"raw": "A draft"}
    node(doc, 6)["type"] = "task_completed"
    node(doc, 6)["started_event_id"] = "event-3"


def _early(doc: Json) -> None:
    tasks(doc)[1]["output"] = {"raw": "A draft"}


def _finished(doc: Json) -> None:
    doc["trigger"] = "crew_kickoff_completed"


def _context_not_done(doc: Json) -> None:
    tasks(doc)[0]["context"] = ["task-draft"]


def _unended(doc: Json) -> None:
    add(doc, event(7, "tool_usage_started", parent_event_id="event-2", tool_name="search"))


def _unended_task(doc: Json) -> None:
    del doc["event_record"]["nodes"]["event-5"]
    node(doc, 6)["previous_event_id"] = "event-4"
    tasks(doc)[0]["output"] = None


def _twice(doc: Json) -> None:
    nodes = doc["event_record"]["nodes"]
    nodes["other"] = copy.deepcopy(nodes["event-4"])


def _guarded(doc: Json) -> None:
    add(doc, event(7, "llm_guardrail_started", task_id="task-outline", parent_event_id="event-2"))
    add(doc, event(8, "llm_guardrail_completed", task_id="task-outline",
                   parent_event_id="event-2", started_event_id="event-7"))  # fmt: skip


def _settings(**values: Any) -> Callable[[Json], None]:
    def change(doc: Json) -> None:
        the_crew(doc)["checkpoint"] = values

    return change


PLANTED: list[tuple[str, Callable[[Json], None], str | None]] = [
    ("not-a-checkpoint", put("entities", []), "entities"),
    ("wrong-type", put("entities", 1, 7), "entities[1]"),
    ("wrong-type", of_task(0, "description", None), f"{OUTLINE}.description"),
    ("wrong-type", drop("entities", 0, "tasks", 1, "expected_output"), f"{DRAFT}.expected_output"),
    ("wrong-type", of_task(1, "output", ["x"]), f"{DRAFT}.output"),
    ("wrong-type", of_task(0, "output", {"raw": 3}), f"{OUTLINE}.output.raw"),
    ("wrong-type", put("entities", 0, "tasks", []), "entities[0].tasks"),
    ("wrong-type", put("entities", 0, "tasks", 1, "a task"), "entities[0].tasks[1]"),
    ("wrong-type", put("entities", 0, "agents", {}), "entities[0].agents"),
    ("wrong-type", put("entities", 0, "checkpoint_inputs", []), "entities[0].checkpoint_inputs"),
    ("wrong-type", put("event_record", "nodes", []), "event_record.nodes"),
    ("odd-type", put("trigger", 7), "trigger"),
    ("odd-type", of_task(0, "async_execution", "no"), f"{OUTLINE}.async_execution"),
    ("odd-type", put("event_record", "nodes", "x y", 5), 'event_record.nodes["x y"]'),
    ("no-record", drop("event_record"), "event_record"),
    ("unknown-version", put("crewai_version", "2.0.1"), "crewai_version"),
    ("unknown-version", put("crewai_version", "soon"), "crewai_version"),
    ("unknown-kind", put("entities", 1, {"entity_type": "swarm"}), "entities[1].entity_type"),
    ("output-missing", _lost_result, f"{OUTLINE}.output"),
    ("out-of-order", _out_of_order, f"{OUTLINE}.output"),
    ("output-early", _early, f"{DRAFT}.output"),
    ("finished-with-pending", _finished, "entities[0].tasks"),
    ("agent-missing", of_task(1, "agent", None), f"{DRAFT}.agent"),
    ("agent-unlisted", of_task(1, "agent", {"role": "Spy"}), f"{DRAFT}.agent"),
    ("manager-missing", put("entities", 0, "process", "hierarchical"), "entities[0].manager_agent"),
    ("context-missing", of_task(1, "context", ["task-gone"]), f"{DRAFT}.context[0]"),
    ("context-not-done", _context_not_done, f"{OUTLINE}.context[0]"),
    ("duplicate-task", of_task(1, "id", "task-outline"), f"{DRAFT}.id"),
    ("kickoff-missing", put("entities", 0, "checkpoint_kickoff_event_id", "event-0"),
     "entities[0].checkpoint_kickoff_event_id"),
    ("primary-missing", put("crewcheck", {"primary": 9}), "crewcheck.primary"),
    ("event-unended", _unended, 'event_record.nodes["event-7"]'),
    ("event-unended", _unended_task, 'event_record.nodes["event-2"]'),
    ("event-unstarted", put("event_record", "nodes", "event-4", "event", "started_event_id", None),
     'event_record.nodes["event-4"]'),
    ("event-duplicate", _twice, "event_record.nodes.other"),
    ("event-link", put("event_record", "nodes", "event-6", "event", "previous_event_id", "gone"),
     'event_record.nodes["event-6"].previous_event_id'),
    ("schema-invalid", of_task(1, "output_json", {"type": "objekt"}), f"{DRAFT}.output_json.type"),
    ("schema-invalid", of_task(1, "output_pydantic", {"properties": {"a": {"$ref": "#/$defs/A"}}}),
     f'{DRAFT}.output_pydantic.properties.a["$ref"]'),
    ("output-unfit", of_task(0, "output_json", SCHEMA), f"{OUTLINE}.output.raw"),
    ("lost-guardrail", _guarded, OUTLINE),
    ("lost-tool-function", of_task(1, "tools", [{"name": "look", "func": None}]),
     f"{DRAFT}.tools[0]"),
    ("lost-callback", of_task(1, "callback", "main.done"), DRAFT),
    ("lost-memory", put("entities", 0, "memory", True), "entities[0]"),
    ("lost-knowledge", put("entities", 0, "knowledge_sources", [{}]), "entities[0]"),
    ("lost-model-class", put("entities", 0, "agents", 0, "llm", {"model": "own"}), "entities[0]"),
    ("unlimited", _settings(on_events=["*"]), "entities[0].checkpoint.on_events"),
    ("event-never-fires", _settings(on_events=["task_completed", "SIGTERM"]),
     "entities[0].checkpoint.on_events"),
    ("secret-in-plain-text",
     put("entities", 0, "agents", 0, "llm", "api_key", "sk-proj-Zk3n8vQ2mX7wL5rT9bYc"),
     "entities[0].agents[0].llm.api_key"),
    ("parent-differs", put("parent_id", ident(9)), "parent_id"),
    ("branch-differs", put("branch", "other"), "branch"),
]  # fmt: skip


NAMES = [f"{rule}-{number}" for number, (rule, _, _) in enumerate(PLANTED)]


@pytest.mark.parametrize(("rule", "plant", "path"), PLANTED, ids=NAMES)
def test_a_planted_fault_is_found_once(
    rule: str, plant: Callable[[Json], None], path: str | None, tmp_path: Path
) -> None:
    doc = well()
    plant(doc)
    findings = [one for one in in_store(tmp_path, doc) if one.rule == rule]
    assert [(one.path, one.id) for one in findings] == [(path, ident(1))]
    assert findings[0].message
    assert FindingReport(**findings[0].as_dict())


#: What comes with a planted fault because it is the same fault.
TOGETHER = {
    "wrong-type": {"lost-templates", "output-early"},
    "out-of-order": {"lost-condition"},
    "lost-tool-function": {"lost-tool"},
    "event-unstarted": {"event-unended"},
    "schema-invalid": {"lost-output-class"},
    "output-unfit": {"lost-output-class"},
    "parent-differs": {"parent-missing"},
}


@pytest.mark.parametrize(("rule", "plant", "path"), PLANTED, ids=NAMES)
def test_a_planted_fault_raises_no_false_alarm(
    rule: str, plant: Callable[[Json], None], path: str | None, tmp_path: Path
) -> None:
    doc = well()
    plant(doc)
    others = {one.rule for one in in_store(tmp_path, doc)} - {rule}
    assert others <= TOGETHER.get(rule, set())


@pytest.mark.parametrize("make", [well, running_flow])
def test_nothing_is_wrong_with_what_is_well(make: Callable[[], Json], tmp_path: Path) -> None:
    findings = in_store(tmp_path, make())
    assert [one.rule for one in findings if one.rule != "lost-flow-class"] == []


def test_a_store_of_runs_and_forks_is_well(tmp_path: Path) -> None:
    assert at_least_warnings(found(small_store(tmp_path))) == []


@pytest.mark.parametrize(
    ("data", "rule", "offset"),
    [
        (b"", "empty", 0),
        (b'{"entities": [', "truncated", 14),
        (b'{"entities": nul, "x": 1}', "not-json", 13),
        (b'{"entities": []} tail', "trailing-data", 17),
        (b"[1]", "not-a-checkpoint", None),
    ],
)
def test_damage_of_the_text_has_its_byte(
    data: bytes, rule: str, offset: int | None, tmp_path: Path
) -> None:
    (finding,) = in_store(tmp_path, data)
    assert (finding.rule, finding.severity, finding.offset) == (rule, DAMAGE, offset)


def test_a_file_that_is_being_written_is_no_damage(tmp_path: Path) -> None:
    write(tmp_path, b'{"entities": [', ident(1))
    assert [(one.rule, one.severity) for one in found(tmp_path)] == [("being-written", WARNING)]


def test_odd_text_is_advice(tmp_path: Path) -> None:
    text = json.dumps(well()).replace('"emission_sequence": 3', '"emission_sequence": NaN')
    assert [(one.rule, one.severity) for one in in_store(tmp_path, text.encode())] == [
        ("odd-text", ADVICE)
    ]


def test_flows(tmp_path: Path) -> None:
    doc = running_flow()
    doc["entities"][0]["checkpoint_completed_methods"] += ["lost"]
    doc["entities"][0]["checkpoint_method_counts"]["sort"] = 0
    doc["entities"][0]["checkpoint_method_counts"]["lost"] = 1
    doc["entities"][0]["checkpoint"]["on_events"] = ["task_completed"]
    doc["entities"][0]["checkpoint_method_outputs"] = [{"method": "fetch", "output": "a"}]
    rules = {one.rule: one.path for one in in_store(tmp_path, doc)}
    assert rules == {
        "lost-flow-class": "entities[0]",
        "method-output-missing": "entities[0].checkpoint_completed_methods[2]",
        "method-counts": "entities[0].checkpoint_method_counts",
        "flow-writes-nothing": "entities[0].checkpoint.on_events",
    }


def test_schemas_that_refer_to_themselves(tmp_path: Path) -> None:
    tree = {"type": "object", "properties": {"kids": {"items": {"$ref": "#/$defs/Node"}}}}
    doc = well()
    tasks(doc)[1]["output_json"] = {"$ref": "#/$defs/Node", "$defs": {"Node": tree}}
    rules = [one.rule for one in in_store(tmp_path, doc)]
    assert sorted(rules) == ["lost-output-class", "schema-recursive"]


def test_a_class_is_no_finding_where_the_output_fits(tmp_path: Path) -> None:
    doc = well()
    tasks(doc)[0] |= {"output_json": SCHEMA, "output": {"raw": '{"title": "Bridges"}'}}
    assert [one.rule for one in in_store(tmp_path, doc)] == ["lost-output-class"]


def test_a_skipped_task_is_in_order(tmp_path: Path) -> None:
    doc = well()
    tasks(doc).insert(1, task("maybe"))
    tasks(doc)[2] = task("draft", output="A draft")
    add(doc, event(7, "task_completed", task_id="task-draft", parent_event_id="event-1",
                   started_event_id="event-6"))  # fmt: skip
    assert at_least_warnings(in_store(tmp_path, doc)) == []


def test_asynchronous_tasks_may_be_under_way_together(tmp_path: Path) -> None:
    doc = well()
    tasks(doc)[:] = [task(name, async_execution=True) for name in "abc"]
    nodes = doc["event_record"]["nodes"]
    for number, name in ((2, "a"), (5, "b"), (6, "c")):
        nodes[f"event-{number}"]["event"] = event(
            number, "task_started", task_id=f"task-{name}", parent_event_id="event-1"
        )
    assert at_least_warnings(in_store(tmp_path, doc)) == []


def test_several_runs_in_one_record(tmp_path: Path) -> None:
    doc = well()
    add(doc, event(7, "crew_kickoff_started", crew_name="again"))
    (finding,) = in_store(tmp_path, doc)
    assert (finding.rule, finding.path) == ("several-runs", 'event_record.nodes["event-7"]')


def test_a_pruned_parent_is_normal_and_a_deleted_one_is_not(tmp_path: Path) -> None:
    doc = well() | {"parent_id": ident(1)}
    write(tmp_path / "a", doc, ident(2), ident(1))
    assert [(one.rule, one.severity) for one in found(tmp_path / "a")] == [
        ("parent-missing", WARNING)
    ]
    the_crew(doc)["checkpoint"]["max_checkpoints"] = 1
    write(tmp_path / "b", doc, ident(2), ident(1))
    assert [(one.rule, one.severity) for one in found(tmp_path / "b")] == [
        ("parent-missing", ADVICE)
    ]


def test_the_lineage(tmp_path: Path) -> None:
    write(tmp_path, well() | {"parent_id": ident(2)}, ident(1), ident(2))
    write(tmp_path, well() | {"parent_id": ident(1)}, ident(2), ident(1))
    write(tmp_path, well(), ident(3))
    write(tmp_path, well() | {"branch": "copy"}, ident(3), None, "copy")
    write(tmp_path, well(), ident(7))
    write(tmp_path, well() | {"parent_id": ident(7)}, ident(5), ident(7))
    lineage = {"cycle", "duplicate-id", "parent-newer"}
    findings = [one for one in found(tmp_path) if one.severity != ADVICE]
    assert {one.rule for one in findings} == lineage
    assert [(one.rule, one.id) for one in findings] == [
        ("parent-newer", ident(5)),
        ("duplicate-id", ident(3)),
        ("cycle", ident(1)),
    ]


def begun(number: int, trigger: str) -> Json:
    return event(number, "checkpoint_started", trigger=trigger, branch="main")


def completed(number: int, trigger: str, id: str) -> Json:
    return event(number, "checkpoint_completed", trigger=trigger, branch="main", checkpoint_id=id)


def test_a_write_that_was_lost_is_counted(tmp_path: Path) -> None:
    first, last = well(), well() | {"parent_id": ident(1)}
    for doc in (first, last):
        add(doc, begun(7, "task_started"))
    first["trigger"] = last["trigger"] = "task_started"
    add(last, completed(8, "task_started", ident(1)))
    add(last, begun(9, "task_completed"))
    add(last, begun(10, "task_started"))
    write(tmp_path, first, ident(1))
    write(tmp_path, last, ident(2), ident(1))
    (finding,) = found(tmp_path)
    assert (finding.rule, finding.id) == ("write-lost", ident(2))
    assert finding.path == 'event_record.nodes["event-9"]'
    assert finding.message == (
        "1 checkpoint for task_completed on main: 1 were begun, 0 are known to be written"
    )


def test_a_pruned_write_was_not_lost(tmp_path: Path) -> None:
    doc = well()
    add(doc, begun(7, "task_completed"))
    add(doc, completed(8, "task_completed", ident(1)))
    add(doc, begun(9, "task_completed"))
    write(tmp_path, doc, ident(2))
    assert found(tmp_path) == []


def test_a_failed_write(tmp_path: Path) -> None:
    doc = well()
    add(doc, begun(7, "task_completed"))
    add(doc, begun(8, "task_completed"))
    add(doc, event(9, "checkpoint_failed", trigger="task_completed", branch="main", error="full"))
    write(tmp_path, doc, ident(2))
    (finding,) = found(tmp_path)
    assert (finding.rule, finding.path) == ("write-failed", 'event_record.nodes["event-9"]')


def database(path: Path, *docs: Json, more: str = "") -> Path:
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, "
            "parent_id TEXT, branch TEXT NOT NULL DEFAULT 'main', data JSONB NOT NULL)"
        )
        for number, doc in enumerate(docs, 1):
            parent = ident(number - 1) if number > 1 else None
            row = ident(number), ident(number)[:15], parent, "main", json.dumps(doc)
            db.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", row)
        db.commit()
    return path


def some_rows(count: int) -> list[Json]:
    return [well() | {"parent_id": ident(n) if n else None} for n in range(count)]


def test_a_database_that_is_well(tmp_path: Path) -> None:
    assert found(database(tmp_path / "runs.db", *some_rows(30))) == []


def test_an_index_that_is_out_of_step(tmp_path: Path) -> None:
    path = database(tmp_path / "runs.db", *some_rows(30))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        root = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_checkpoints_1'"
        ).fetchone()[0]
        size = db.execute("PRAGMA page_size").fetchone()[0]
    data = bytearray(path.read_bytes())
    page = (root - 1) * size
    # the index has one entry less than the table has rows
    cells = int.from_bytes(data[page + 3 : page + 5], "big")
    data[page + 3 : page + 5] = (cells - 1).to_bytes(2, "big")
    path.write_bytes(data)
    rules = {(one.rule, one.severity, one.id) for one in found(path)}
    assert ("index-out-of-step", DAMAGE, None) in rules


def test_a_damaged_page_is_named_and_the_rest_is_checked(tmp_path: Path) -> None:
    path = database(tmp_path / "runs.db", *some_rows(30))
    data = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as db:
        size = db.execute("PRAGMA page_size").fetchone()[0]
    at = (len(data) // size - 3) * size
    data[at : at + size] = b"\xa5" * size
    path.write_bytes(data)
    findings = found(path)
    assert [one.id for one in findings if one.rule == "database-damaged"] == [None]
    assert all(one.severity == DAMAGE for one in findings)


def test_what_is_the_same_in_many_is_told_once(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        doc = well() | {"parent_id": ident(number - 1) if number > 1 else None}
        tasks(doc)[1]["callback"] = "main.done"
        write(tmp_path, doc, ident(number), ident(number - 1) if number > 1 else None)
    (finding,) = found(tmp_path)
    assert (finding.rule, finding.id, finding.checkpoints) == ("lost-callback", ident(3), 3)


def test_a_secret_is_never_in_a_finding(tmp_path: Path) -> None:
    key = "sk-proj-Zk3n8vQ2mX7wL5rT9bYc"
    doc = well()
    the_crew(doc)["agents"][0]["llm"]["api_key"] = key
    tasks(doc)[0]["description"] = f"use {key} for it"
    findings = in_store(tmp_path, doc)
    assert [one.rule for one in findings] == ["secret-in-plain-text"]
    assert findings[0].message.endswith("in plain text, and 1 more copy")
    assert key not in json.dumps([one.as_dict() for one in findings])


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_a_store_that_everybody_can_read(tmp_path: Path) -> None:
    from crewcheck.engine.checks.practice import world_readable

    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    above = [one for one in inner.parents if not one.stat().st_mode & 0o001]
    inner.chmod(0o755)
    assert world_readable(str(inner)) is not bool(above)
    inner.chmod(0o750)
    assert not world_readable(str(inner))


def test_all_rules_have_words() -> None:
    for rule in RULES.values():
        assert rule.meaning
        assert rule.severity in (DAMAGE, WARNING, ADVICE)
        assert rule.name == rule.name.lower().replace("_", "-")


def test_each_rule_is_planted_somewhere() -> None:
    here = Path(__file__).read_text()
    # permissions: root may do anything
    unplanted = {"unreadable", "part-unreadable", "world-readable"}
    told_by_the_model = {
        f"lost-{one}"
        for one in ("condition", "templates", "context", "tool", "agents", "tasks-to-come")
    }
    missing = [rule for rule in RULES if f'"{rule}"' not in here]
    assert set(missing) <= unplanted | told_by_the_model


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, ...]] = []
    for key, one in inner:
        found.append((*path, key))
        if isinstance(one, (dict, list)):
            found += places(one, (*path, key))
    return found


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_no_document_is_too_odd(data: st.DataObject) -> None:
    doc = data.draw(st.sampled_from([well, running_flow]))()
    doc["entities"].append(agent())
    for _ in range(3):
        *way, last = data.draw(st.sampled_from(places(doc)))
        at: Any = doc
        for step in way:
            at = at[step]
        at[last] = data.draw(json_values)
    list(flaws_of(Subject(doc)))
    damage_in(doc)
