"""What tools keep from one call to the next: given back to them, as a checkpoint has it.

A tool that counts, or holds a list, would else begin anew: the calls that are recorded are not
made again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crewcheck.crewai.tool_answers import plain_name
from crewcheck.crewai.tool_state import saved_state, state_of
from crewcheck.model.document import objects, text

Saved = Mapping[str, Any]


@dataclass
class Memory:
    """``known``: tools and what they had kept; ``lost``: names of tools -> what is not there."""

    known: list[tuple[Any, dict[str, Any]]] = field(default_factory=list)
    lost: dict[str, list[str]] = field(default_factory=dict)

    def give_back(self) -> None:
        """Let the tools go on from there."""
        for tool, state in self.known:
            for name, value in state.items():
                setattr(tool, name, value)

    def doubts(self) -> list[dict[str, Any]]:
        """What is lost, as the losses of a plan."""
        return [
            {
                "rule": "tool-state",
                "where": name,
                "message": "its calls before, which are not made again, have left something in it "
                f"({', '.join(names)}) that cannot be given back to it",
                "doubt": True,
            }
            for name, names in self.lost.items()
        ]


def of_tools(
    tools: Iterable[tuple[str, Any, Saved]], counted: Collection[str], repeated: Collection[str]
) -> Memory:
    """What some tools (name, tool, how it was saved) had kept. ``counted`` are the names of
    those whose recorded calls are not made again, ``repeated`` of those whose are."""
    found = Memory()
    seen: set[int] = set()
    for name, tool, then in tools:
        plain = plain_name(name)
        if id(tool) in seen or plain not in counted:
            continue
        seen.add(id(tool))
        names = state_of(tool)
        if not names:
            continue
        # a state that has repeated calls in it, too, is not the one before them
        state = saved_state(tool, names, then) if plain not in repeated else None
        if state is None:
            found.lost[name] = names
        else:
            found.known.append((tool, state))
    return found


def beside(holder: Any, then: Saved) -> Iterator[tuple[str, Any, Saved]]:
    """The tools of a task or agent, each with the saved one of its name."""
    by_name = {plain_name(text(one.get("name")) or ""): one for one in objects(then.get("tools"))}
    for tool in getattr(holder, "tools", None) or []:
        name = str(getattr(tool, "name", tool))
        yield name, tool, by_name.get(plain_name(name), {})


def used(events: Iterable[Saved]) -> set[str]:
    """The names of the tools that some events tell the results of."""
    return {
        plain_name(text(event.get("tool_name")) or "")
        for event in events
        if event.get("type") == "tool_usage_finished" and not event.get("from_cache")
    }
