"""A plan for a person: what is kept, what runs and why, with what, and what to beware of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crewcheck.engine.running import FORK
from crewcheck.model.harmless import name, one_line

Line = tuple[str, str]  # text, style


def plan_lines(report: dict[str, Any]) -> Iterator[Line]:
    """The lines of a confirmation, with their styles."""
    verb = "Fork" if report["action"] == FORK else "Resume"
    what = one_line(report["name"] or "crew", 40)
    yield f"{verb} {what} from {name(report['checkpoint_id'])}", "bold"
    yield f"  branch   {name(report['branch'])}", ""
    yield f"  entry    {one_line(str(report['entry']))}  ({one_line(report['entry_origin'])})", ""
    crewai = f"crewai {one_line(report['crewai'])}" if report["crewai"] else "crewai"
    yield f"  python   {name(report['python'])}  ({crewai})", ""
    if report["model"]:
        at = f" at {one_line(report['endpoint'])}" if report["endpoint"] else ""
        yield f"  model    {one_line(report['model'])}{at}", ""
    if report["tools"]:
        yield f"  tools    {one_line(', '.join(map(str, report['tools'])), 100)}", ""
    width = max((len(one_line(str(item["label"]), 32)) for item in report["items"]), default=0)
    for item in report["items"]:
        label = one_line(str(item["label"]), 32)
        number = item["index"] + 1
        style = "" if item["action"] == "keep" else "bold"
        yield (
            f"  {item['action']:<4}  {number:>2} {label:<{width}}  {one_line(item['reason'])}",
            style,
        )
    for key in report["edits"]["inputs"]:
        yield f"  edited   input {name(key)}", "cyan"
    for key in report["edits"]["outputs"]:
        yield f"  edited   output of task {int(key) + 1}", "cyan"
    for difference in report["changed"]:
        yield f"  changed  {one_line(str(difference))}", "yellow"
    for warning in report["warnings"]:
        yield f"  beware   {_told(warning)}", "yellow"
    for loss in report["losses"]:
        yield f"  note     {_told(loss)}", "dim"
    if report["ran_before"]:
        yield "  note     the program has already run up to its kickoff", "yellow"
    for note in report["notes"]:
        yield f"  note     {one_line(note)}", "dim"


def _told(entry: dict[str, Any]) -> str:
    where = f"{one_line(str(entry['where']))}: " if entry.get("where") else ""
    return where + one_line(str(entry.get("message")))
