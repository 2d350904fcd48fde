"""`info` for a person: headings, aligned facts, and the texts in full."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from crewcheck.cli import marks
from crewcheck.cli.console import Console, unicode_output
from crewcheck.model import words
from crewcheck.model.harmless import harmless, name, one_line

if TYPE_CHECKING:
    from rich.console import Console as Rich

    from crewcheck.engine.inspect import Info
    from crewcheck.lineage import Node
    from crewcheck.model.crew import Task
    from crewcheck.model.flow import Method

_STATES = {"done": "finished", "failed": "failed", "running": "running", "paused": "paused"}


#: Longer texts are cut on a terminal unless all of them is asked for.
LONGEST_LINES, LONGEST_CHARACTERS = 40, 4_000


def print_info(
    console: Console, info: Info | None, node: Node, shape: dict[str, Any], *, full: bool
) -> None:
    """Print a checkpoint; ``info`` is None where the document cannot be read."""
    rich = console.rich()
    unicode = unicode_output()
    damage = node.checkpoint.damage
    broken = damage is not None and not damage.readable
    status = "damaged" if broken else shape["status"]
    title = Text()
    title.append(f"{marks.symbol(status, unicode)} ", marks.style(status))
    title.append(name(shape["id"]), "bold")
    what = " ".join(filter(None, (shape["kind"], one_line(shape["name"] or ""))))
    title.append(f"  {what}" if what else "")
    title.append(f"  {status or ''}", marks.style(status))
    rich.print(title)
    _facts(rich, _header_facts(shape, node))
    if damage is not None:
        rich.print(Text(f"\n{one_line(damage.message)}", "red" if broken else "yellow"))
    for note in shape["notes"]:
        rich.print(Text(f"note: {one_line(note)}", "dim"))
    if info is not None:
        _body(_Page(rich, full), info, unicode)


def _header_facts(shape: dict[str, Any], node: Node) -> list[tuple[str, str]]:
    lineage = shape["lineage"]
    parent = shape["parent_id"]
    tokens = shape["tokens"]
    created = shape["created_at"]
    return [
        ("branch", name(shape["branch"])),
        (
            "parent",
            f"{name(parent)}{'' if node.parent else ' (not in the store)'}" if parent else "",
        ),
        ("forked at", name(lineage["fork_point"] or "")),
        (
            "forks",
            ", ".join(
                name(c["branch"]) for c in lineage["children"] if c["branch"] != shape["branch"]
            ),
        ),
        ("trigger", one_line(shape["trigger"] or "")),
        (
            "created",
            f"{words.moment(created)} ({words.ago(created, time.time())})" if created else "",
        ),
        ("progress", marks.progress(shape["done"], shape["total"])),
        (
            "tokens",
            f"{tokens['total']} in {tokens['calls']} calls" if tokens and tokens["calls"] else "",
        ),
        ("attempts", f"{shape['attempts']} to resume it" if shape["attempts"] else ""),
        ("events", str(shape["events"] or "")),
        ("crewai", one_line(shape["version"] or "")),
        ("size", words.size(shape["size"])),
        ("location", name(shape["location"])),
    ]


class _Page:
    """The console, and whether long texts are printed whole."""

    def __init__(self, rich: Rich, full: bool) -> None:
        self.rich = rich
        self.full = full

    def text(self, text: str, indent: int = 2, style: str = "") -> None:
        rest = ""
        if not self.full and (len(text) > LONGEST_CHARACTERS or text.count("\n") > LONGEST_LINES):
            lines = text[:LONGEST_CHARACTERS].split("\n")[:LONGEST_LINES]
            short = "\n".join(lines)
            rest = f"… {len(text) - len(short):,} more characters: use --full, or a pipe"
            text = short
        if len(text) > LONGEST_CHARACTERS:
            # laid out line by line it would take minutes
            blanks = " " * indent
            lines = harmless(text).split("\n")
            self.rich.file.write("\n".join(blanks + line for line in lines) + "\n")
            return
        self.rich.print(Padding(Text(harmless(text), style, overflow="fold"), (0, 0, 0, indent)))
        if rest:
            self.rich.print(Padding(Text(rest, "dim"), (0, 0, 0, indent)))


def _body(page: _Page, info: Info, unicode: bool) -> None:
    rich = page.rich
    if info.inputs:
        _heading(rich, "Inputs")
        _facts(rich, [(name(key), _value(value)) for key, value in info.inputs.items()])
    if info.question is not None:
        _heading(rich, "Question")
        page.text(info.question)
    if info.answer is not None:
        _heading(rich, "Answer")
        page.text(info.answer)
    if info.tasks:
        _heading(rich, "Tasks")
        for task in info.tasks:
            _task(page, task, unicode)
    if info.methods:
        _heading(rich, "Methods")
        for method in info.methods:
            _method(page, method, unicode)
    if info.state is not None:
        _heading(rich, "State")
        page.text(_value(info.state))
    if info.agents:
        _heading(rich, "Agents")
        _facts(
            rich,
            [(one_line(agent.role, 40) or "agent", _agent_line(agent)) for agent in info.agents],
        )
    if info.losses:
        _heading(rich, "Not in the checkpoint")
        for loss in info.losses:
            where = f"{one_line(loss.where, 40)}: " if loss.where else ""
            rich.print(Padding(Text(where + one_line(loss.message), "dim"), (0, 0, 0, 2)))


def _agent_line(agent: Any) -> str:
    parts = [one_line(agent.model or "no model named")]
    if agent.endpoint:
        parts.append(f"at {one_line(agent.endpoint)}")
    if agent.tools:
        parts.append("tools: " + ", ".join(one_line(tool) for tool in agent.tools))
    if agent.is_manager:
        parts.append("manager")
    return "  ".join(parts)


def _task(page: _Page, task: Task, unicode: bool) -> None:
    status = _STATES.get(task.state)
    line = Text("  ")
    line.append(marks.symbol(status, unicode) + " ", marks.style(status))
    line.append(f"{task.index + 1}. {one_line(task.label, 60)}", "bold")
    spent = [one_line(task.agent or "", 30), task.state, words.took(task.seconds)]
    if task.tokens.calls:
        spent.append(f"{task.tokens.total} tokens")
    line.append("  " + "  ".join(filter(None, spent)), "dim")
    page.rich.print(line)
    if task.error:
        page.text(task.error, indent=5, style="red")
    if task.output is not None:
        page.text(task.output or "(an empty text)", indent=5)


def _method(page: _Page, method: Method, unicode: bool) -> None:
    status = _STATES.get(method.state)
    line = Text("  ")
    line.append(marks.symbol(status, unicode) + " ", marks.style(status))
    line.append(one_line(method.name), "bold")
    spent = [method.state, words.took(method.seconds)]
    if method.calls > 1:
        spent.append(f"{method.calls} calls")
    line.append("  " + "  ".join(filter(None, spent)), "dim")
    page.rich.print(line)
    for told, style in ((method.error, "red"), (method.message, "yellow")):
        if told:
            page.text(told, indent=5, style=style)
    for result in method.results:
        if result is not None:
            page.text(_value(result), indent=5)


def _heading(rich: Rich, title: str) -> None:
    rich.print(Text(f"\n{title}", "bold"))


def _facts(rich: Rich, facts: list[tuple[str, str]]) -> None:
    shown = [(label, value) for label, value in facts if value]
    width = min(24, max((len(label) for label, _ in shown), default=0))
    for label, value in shown:
        line = Text(f"  {label:<{width}}  ", "dim")
        line.append(value, "default")
        line.no_wrap = "\n" not in value
        line.overflow = "fold"
        rich.print(line, soft_wrap=True)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return harmless(value)
    return harmless(json.dumps(value, ensure_ascii=False, indent=2, default=str))
