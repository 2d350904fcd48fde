"""A plan for a person: what is kept, what runs and why, with what, and what to beware of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crewcheck.engine.flow_plan import MAY_COME
from crewcheck.engine.running import FORK
from crewcheck.model import words
from crewcheck.model.harmless import name, one_line

Line = tuple[str, str]  # text, style


def plan_lines(report: dict[str, Any]) -> Iterator[Line]:
    """The lines of a confirmation, with their styles."""
    verb = "Fork" if report["action"] == FORK else "Resume"
    what = one_line(report["name"] or report["kind"], 40)
    yield f"{verb} {what} from {name(report['checkpoint_id'])}", "bold"
    if report["branch"]:
        yield f"  branch   {name(report['branch'])}", ""
    for loss in report["losses"]:
        if loss.get("doubt"):
            yield f"  unknown  {_told(loss)}", "yellow"
    if report.get("entry"):
        origin = one_line(report["entry_origin"])
        yield f"  entry    {one_line(str(report['entry']))}  ({origin})", ""
    if report.get("python"):
        crewai = f"crewai {one_line(report['crewai'])}" if report["crewai"] else "crewai"
        yield f"  python   {name(report['python'])}  ({crewai})", ""
    if report.get("model"):
        at = f" at {one_line(report['endpoint'])}" if report["endpoint"] else ""
        yield f"  model    {one_line(report['model'])}{at}", ""
    if report.get("tools"):
        yield f"  tools    {one_line(', '.join(map(str, report['tools'])), 100)}", ""
    spent = words.spent(**report["costs"]["so_far"])
    if spent:
        yield f"  spent    {spent} so far", ""
    yield from _items(report)
    again = words.spent(**report["costs"]["again"])
    if again:
        yield f"  repeats  what cost {again} last time", ""
    labels = {str(item["index"]): one_line(str(item["label"]), 40) for item in report["items"]}
    if report.get("asks"):
        who = ", ".join(labels[str(index)] for index in report["asks"])
        yield f"  asks     {who}: a person is asked before the result counts", ""
    for key in report["edits"]["inputs"]:
        yield f"  edited   input {name(key)}", "cyan"
    for key in report["edits"]["outputs"]:
        yield f"  edited   output of {labels.get(key) or f'task {int(key) + 1}'}", "cyan"
    for key in report["edits"]["state"]:
        yield f"  edited   state {name(key)}", "cyan"
    for key in report["edits"]["removed"]:
        yield f"  edited   state {name(key)}, which is taken away", "cyan"
    yield from _remarks(report)


def _items(report: dict[str, Any]) -> Iterator[Line]:
    """What is kept and what runs, a line each."""
    items = report["items"]
    width = max((len(one_line(str(item["label"]), 32)) for item in items), default=0)
    for item in items:
        label = one_line(str(item["label"]), 32)
        number = item["index"] + 1
        may = item["rule"] == MAY_COME
        action = "may" if may else item["action"]
        style = "" if may or action == "keep" else "bold"
        line = f"  {action:<4}  {number:>2} {label:<{width}}  {one_line(item['reason'])}"
        spent = words.spent(**report["costs"]["items"].get(str(item["index"]), {}))
        yield (f"{line}  ({spent})" if spent else line), style


def _remarks(report: dict[str, Any]) -> Iterator[Line]:
    """What to beware of."""
    for difference in report.get("changed") or []:
        yield f"  changed  {one_line(str(difference))}", "yellow"
    for warning in report.get("warnings") or []:
        yield f"  beware   {_told(warning)}", "yellow"
    for loss in report["losses"]:
        if loss.get("doubt"):
            continue
        yield f"  note     {_told(loss)}", "dim"
    for note in report.get("notes") or []:
        yield f"  note     {one_line(note)}", "dim"


def _told(entry: dict[str, Any]) -> str:
    where = f"{one_line(str(entry['where']))}: " if entry.get("where") else ""
    return where + one_line(str(entry.get("message")))
