"""Which of a project's objects made a checkpoint: by its texts, methods and name.

Of each kind those that fit best are given. Certain ones, of which all texts are known and
the same, leave no room for others; then come those of which something is known and
nothing differs, then what bears the checkpoint's name, and last what could be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crewcheck.model.crew import Task
from crewcheck.model.identity import fill
from crewcheck.runtimes.static_look import Candidate, Look, TaskTexts

#: The name of a crew that is given none.
_CREWS_NAME = "crew"


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate that fits. ``certain``: all of its texts are known, and are the same."""

    candidate: Candidate
    certain: bool


def match_crew(
    look: Look,
    tasks: Sequence[Task],
    inputs: Mapping[str, Any] | None = None,
    name: str | None = None,
    *,
    partial: bool = False,
) -> list[Match]:
    """The crews whose tasks are a checkpoint's. Of several, the name and the expected
    outputs choose, if they can. ``partial``: they may have more tasks, and those without a
    description are not known."""
    ranked: list[tuple[int, Match]] = []
    for candidate in look.candidates:
        if candidate.kind != "crew":
            continue
        fits = [_UNKNOWN]
        if candidate.tasks is not None:
            more = len(candidate.tasks) - len(tasks)
            if not tasks or (more < 0 if partial else more != 0):
                continue
            pairs = zip(candidate.tasks, tasks, strict=False)
            fits = [
                _fits(ours, saved, inputs or {})
                for ours, saved in pairs
                if saved.description or not partial
            ]
        named = (candidate.name or _CREWS_NAME) == (name or _CREWS_NAME)
        _rank(ranked, candidate, fits, named)
    found = _best(ranked)
    found = _those(found, lambda one: one.candidate.name == name)
    return _those(found, lambda one: _expects(one.candidate, tasks, inputs or {}))


def _rank(
    ranked: list[tuple[int, Match]], candidate: Candidate, fits: Sequence[str], named: bool
) -> None:
    """Take a candidate up, unless something differs; the smaller its number the better."""
    if _OTHER in fits:
        return
    certain = set(fits) == {_SAME}
    if certain:
        rank = 0
    elif set(fits) != {_UNKNOWN} and fits:
        rank = 1
    else:
        rank = 2 if named else 3
    ranked.append((rank, Match(candidate, certain)))


def _best(ranked: list[tuple[int, Match]]) -> list[Match]:
    best = min((rank for rank, _ in ranked), default=0)
    return [match for rank, match in ranked if rank == best]


def _those(matches: list[Match], wanted: Callable[[Match], bool]) -> list[Match]:
    """Those that are wanted, all if none is."""
    return [one for one in matches if wanted(one)] or matches


_SAME, _BEGINS, _UNKNOWN, _OTHER = "same", "begins", "unknown", "other"


def _fits(ours: TaskTexts, saved: Task, inputs: Mapping[str, Any]) -> str:
    """How a task of the project goes with one of a checkpoint."""
    if ours.template is None:
        return _UNKNOWN
    if saved.template is not None:
        return _SAME if ours.template.strip() == saved.template.strip() else _OTHER
    description = saved.description.strip()
    texts = {ours.template.strip(), fill(ours.template, inputs).strip()}
    if description in texts:
        return _SAME
    # planning appends the plan to a description
    return _BEGINS if any(one and description.startswith(one) for one in texts) else _OTHER


def _expects(candidate: Candidate, tasks: Sequence[Task], inputs: Mapping[str, Any]) -> bool:
    """Whether a crew's expected outputs are a checkpoint's."""
    return all(
        ours.expected_template is not None
        and (
            ours.expected_template.strip() == (saved.expected_template or "").strip()
            or fill(ours.expected_template, inputs).strip() == saved.expected_output.strip()
        )
        for ours, saved in zip(candidate.tasks or (), tasks, strict=False)
        if saved.description
    )


def match_flow(look: Look, name: str | None, methods: Sequence[str]) -> list[Match]:
    """The flows that have a checkpoint's methods; by its class's name, where one has it.

    A flow with bases of which nothing is known may have more methods than are told.
    """
    fitting, named = [], []
    for one in look.candidates:
        if one.kind != "flow":
            continue
        has_all = bool(one.methods) and set(methods) <= set(one.methods)
        is_named = name is not None and name in (one.name, one.label)
        if is_named and (has_all or not one.complete):
            named.append(Match(one, has_all))
        elif has_all:
            fitting.append(Match(one, False))
    return _those(named, lambda one: one.certain) or fitting


def match_agent(
    look: Look, role: str | None, goal: str | None, backstory: str | None
) -> list[Match]:
    """The agents with a checkpoint's role, goal and backstory."""
    ranked: list[tuple[int, Match]] = []
    for candidate in look.candidates:
        if candidate.kind == "agent":
            pairs = zip(candidate.agent, (role, goal, backstory), strict=True)
            _rank(ranked, candidate, [_same(ours, saved) for ours, saved in pairs], False)
    return _best(ranked)


def _same(ours: str | None, saved: str | None) -> str:
    if ours is None:
        return _UNKNOWN
    return _SAME if ours.strip() == (saved or "").strip() else _OTHER
