"""The sections of a comparison: header, inputs, tasks, agents, state, methods, events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from crewcheck.engine import comparable as without
from crewcheck.engine.diff import ADDED, CHANGED, MOVED, REMOVED, Both, Change, Item, Maker
from crewcheck.engine.inspect import conversation
from crewcheck.model import crew as crews
from crewcheck.model import flow as flows
from crewcheck.model.document import kickoff_inputs, mapping, objects, text
from crewcheck.model.identity import Pair, Traits, agent_traits, entity_traits, match, task_traits
from crewcheck.model.primary import candidates, flow_name
from crewcheck.model.scan import Summary

T = TypeVar("T")
Json = Mapping[str, Any]

#: What to call settings of an agent's model.
_MODEL = {"llm.model": "model", "llm.base_url": "base_url", "llm.temperature": "temperature"}
#: What is told of a task, and where its view has it.
_OF_TASK = (
    ("status", "state"),
    ("name", "name"),
    ("agent", "agent"),
    ("description", "description"),
    ("expected output", "expected_output"),
    ("error", "error"),
)
# What is told on its own, so that it is not a setting as well.
_SHOWN_OF_TASK = frozenset({"name", "description", "expected_output", "output", "agent"})
_OF_OUTPUT = frozenset({"raw", "agent"})
_OF_ENTITY = frozenset(
    {
        "tasks",
        "agents",
        "manager_agent",
        "checkpoint_inputs",
        "checkpoint_state",
        "checkpoint_completed_methods",
        "checkpoint_method_outputs",
        "checkpoint_method_counts",
        "entity_type",
        "name",
    }
)
_OF_DOCUMENT = frozenset(
    {"entities", "event_record", "branch", "trigger", "crewai_version", "crewcheck_version"}
)


def header(maker: Maker) -> Iterator[Item]:
    """Branch, trigger, status, version, progress, and what ran."""
    old, new = maker.old.summary, maker.new.summary
    for what in ("kind", "name", "branch", "trigger", "status", "version"):
        yield from _one(maker, "checkpoint", what, (getattr(old, what), getattr(new, what)))
    yield from _one(maker, "checkpoint", "progress", (_progress(old), _progress(new)))


def _progress(summary: Summary) -> str | int | None:
    done, total = summary.done, summary.total
    return f"{done}/{total}" if total is not None else done


def _one(maker: Maker, section: str, label: str, both: Both) -> Iterator[Item]:
    change = maker.change("", both)
    if change is not None:
        yield Item(section, change.kind, label, f"{section}.{label}", (change,))


def inputs(maker: Maker) -> Iterator[Item]:
    """Each input that differs; 3 and "3" do."""
    old, new = (kickoff_inputs(half.entity, half.events) or {} for half in maker.halves)
    yield from _values(maker, "inputs", (old, new))


def _values(maker: Maker, section: str, both: Both) -> Iterator[Item]:
    for change in maker.within(both, section, section):
        path = f"{section}.{change.what}" if change.what else section
        yield Item(section, change.kind, change.what or section, path, (replace(change, what=""),))


def entities(maker: Maker) -> Iterator[Item]:
    """The primary entity, and the crews and agents beside it (those a flow has run)."""
    yield from _entity(maker, maker.old.entity, maker.new.entity, "")
    old, new = (
        [one for one in candidates(half.document) if one is not half.entity]
        for half in maker.halves
    )
    pairs = match([entity_traits(one) for one in old], [entity_traits(one) for one in new])
    for pair in pairs:
        a, b = _at(old, pair.old), _at(new, pair.new)
        traits = entity_traits(b or a or {})
        label = maker.redactor.text(traits.name or traits.owner or "")
        if a is None or b is None:
            kind = ADDED if a is None else REMOVED
            owner = maker.redactor.text(traits.owner or "entity")
            yield Item("settings", kind, f"{owner} {label}", "entities")
        yield from _entity(maker, a or {}, b or {}, f"{label}: ")


def _at(items: Sequence[T], place: int | None) -> T | None:
    return items[place] if place is not None else None


def _entity(maker: Maker, old: Json, new: Json, prefix: str) -> Iterator[Item]:
    kind = (new or old).get("entity_type")
    if kind == "crew":
        yield from _tasks(maker, old, new, prefix)
        yield from _agents(maker, _all_agents(old), _all_agents(new), prefix)
    elif kind == "agent":
        yield from _agents(maker, [old] if old else [], [new] if new else [], prefix)
        if not prefix:
            yield from _answers(maker)
        return
    elif kind == "flow":
        yield from _methods(maker, old, new)
        a, b = (without.comparable_entity(one, ()).get("checkpoint_state") for one in (old, new))
        yield from _values(maker, "state", (a, b))
    if old and new:
        a, b = (_left(without.comparable_entity(one, ()), _OF_ENTITY) for one in (old, new))
        yield from _settings(maker, (a, b), prefix)


def _settings(maker: Maker, both: Both, prefix: str = "") -> Iterator[Item]:
    for change in maker.within(both):
        path = f"settings.{change.what}"
        yield Item("settings", change.kind, prefix + change.what, path, (replace(change, what=""),))


def _left(whole: Json, without_keys: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in whole.items() if key not in without_keys}


def _tasks(maker: Maker, old: Json, new: Json, prefix: str) -> Iterator[Item]:
    raw = objects(old.get("tasks")), objects(new.get("tasks"))
    views = [
        crews.tasks(half.document, crew, half.events)
        for half, crew in zip(maker.halves, (old, new), strict=True)
    ]
    for pair in match(*([task_traits(one) for one in listed] for listed in raw)):
        before, after = _at(views[0], pair.old), _at(views[1], pair.new)
        shown = after or before
        assert shown is not None
        made = [
            change
            for what, name in _OF_TASK
            if (change := maker.change(what, _fields(before, after, name)))
        ]
        paths = tuple(f"tasks.{one.index}.output" if one else None for one in (before, after))
        output = maker.change("output", _fields(before, after, "output"), (paths[0], paths[1]))
        made += [output] if output else []
        if before and after:
            made += _rest_of_task(maker, raw[0][before.index], raw[1][after.index])
        label = prefix + maker.redactor.text(shown.label)
        path = f"tasks.{shown.index}" if not prefix else ""
        yield from _listed("tasks", pair, label, path, made)


def _fields(before: object, after: object, name: str) -> Both:
    return tuple(  # type: ignore[return-value]
        getattr(one, name) if one is not None else None for one in (before, after)
    )


def _rest_of_task(maker: Maker, old: Json, new: Json) -> list[Change]:
    a, b = without.comparable_task(old), without.comparable_task(new)
    outputs = tuple(_left(mapping(one.get("output")), _OF_OUTPUT) for one in (a, b))
    made = [
        replace(one, what=f"output {one.what}")
        for one in maker.within((outputs[0], outputs[1]))
        if old.get("output") is not None and new.get("output") is not None
    ]
    return made + maker.within((_left(a, _SHOWN_OF_TASK), _left(b, _SHOWN_OF_TASK)))


def _listed(
    section: str, pair: Pair, label: str, path: str, changes: Sequence[Change]
) -> Iterator[Item]:
    if pair.old is None:
        kind = ADDED
    elif pair.new is None:
        kind = REMOVED
    elif pair.moved:
        kind = MOVED
    elif changes:
        kind = CHANGED
    else:
        return
    yield Item(section, kind, label, path, tuple(changes), pair.rule, pair.old, pair.new)


def _all_agents(crew: Json) -> list[Json]:
    manager = crew.get("manager_agent")
    return [*objects(crew.get("agents")), *([manager] if isinstance(manager, dict) else [])]


def _agents(maker: Maker, old: list[Json], new: list[Json], prefix: str) -> Iterator[Item]:
    pairs = match([agent_traits(one) for one in old], [agent_traits(one) for one in new])
    for pair in pairs:
        a, b = _at(old, pair.old), _at(new, pair.new)
        changes: list[Change] = []
        if a is not None and b is not None:
            both = without.comparable_agent(a), without.comparable_agent(b)
            changes = [
                replace(one, what=_MODEL.get(one.what, one.what)) for one in maker.within(both)
            ]
        label = prefix + maker.redactor.text(text((b or a or {}).get("role")) or "agent")
        path = f"agents.{pair.new if pair.new is not None else pair.old}"
        yield from _listed("agents", pair, label, path if not prefix else "", changes)


def _methods(maker: Maker, old: Json, new: Json) -> Iterator[Item]:
    both: list[list[flows.Method]] = [
        flows.methods(flow, flow_name(flow, half.events), half.events) if flow else []
        for half, flow in zip(maker.halves, (old, new), strict=True)
    ]
    for pair in match(*([Traits(name=one.name) for one in listed] for listed in both)):
        before, after = _at(both[0], pair.old), _at(both[1], pair.new)
        shown = after or before
        assert shown is not None
        path = f"methods.{shown.name}"
        made = [
            change
            for what in ("state", "calls", "error", "message")
            if (change := maker.change(what, _fields(before, after, what)))
        ]
        results = [one.results if one else [] for one in (before, after)]
        most = max(map(len, results))
        made += [
            replace(one, what=_result(one.what, most))
            for one in maker.within((results[0], results[1]), "output", f"{path}.output")
        ]
        # methods that wait for nobody start in any order
        unordered = Pair(pair.old, pair.new, pair.rule)
        label, path = maker.redactor.text(shown.name), maker.redactor.text(path)
        yield from _listed("methods", unordered, label, path, made)


def _result(path: str, calls: int) -> str:
    """What to call a part of a method's results: of one call its output."""
    call, _, rest = path.partition(".")
    output = "output" if calls == 1 or not call.isdigit() else f"output of call {int(call) + 1}"
    return f"{output} {rest}" if rest else output


def _answers(maker: Maker) -> Iterator[Item]:
    old, new = (conversation(half.document, half.entity, half.events) for half in maker.halves)
    yield from _one(maker, "answer", "question", (old[0], new[0]))
    yield from _one(maker, "answer", "answer", (old[1], new[1]))


def top_level(maker: Maker) -> Iterator[Item]:
    """Whatever else stands at the top of a document."""
    a, b = (
        _left(without.comparable({**half.document, "entities": []}, ()), _OF_DOCUMENT)
        for half in maker.halves
    )
    yield from _settings(maker, (a, b))


def events(maker: Maker) -> Iterator[Item]:
    """How many events of which type, and the tokens of all."""
    old, new = (
        without.comparable({"entities": []}, half.events)["event_record"] for half in maker.halves
    )
    for name, label in (("types", "events"), ("tokens", "tokens")):
        changes = maker.within((old[name], new[name]))
        if changes:
            yield Item("events", CHANGED, label, f"events.{name}", tuple(changes))


def whole_document(maker: Maker) -> Iterator[Item]:
    """Everything that differs, whatever it is."""
    for change in maker.within((maker.old.document, maker.new.document)):
        yield Item("document", change.kind, change.what, change.what, (replace(change, what=""),))
