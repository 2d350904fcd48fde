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
    facts(rich, _header_facts(shape, node))
    if damage is not None:
        rich.print(Text(f"\n{one_line(damage.message)}", "red" if broken else "yellow"))
    for note in shape["notes"]:
        rich.print(Text(f"note: {one_line(note)}", "dim"))
    if info is not None:
        _body(TextPage(rich, full), info, unicode)


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


class TextPage:
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


def _body(page: TextPage, info: Info, unicode: bool) -> None:
    rich = page.rich
    if info.inputs:
        heading(rich, "Inputs")
        facts(rich, [(name(key), value_text(value)) for key, value in info.inputs.items()])
    if info.question is not None:
        heading(rich, "Question")
        page.text(info.question)
    if info.answer is not None:
        heading(rich, "Answer")
        page.text(info.answer)
    if info.tasks:
        heading(rich, "Tasks")
        for task in info.tasks:
            print_task(page, task, unicode)
    if info.methods:
        heading(rich, "Methods")
        for method in info.methods:
            print_method(page, method, unicode)
    if info.state is not None:
        heading(rich, "State")
        page.text(value_text(info.state))
    if info.agents:
        heading(rich, "Agents")
        facts(
            rich,
            [(one_line(agent.role, 40) or "agent", agent_line(agent)) for agent in info.agents],
        )
    if info.edits:
        heading(rich, "Edited by a person")
        facts(
            rich,
            [
                (one_line(place, 60), f"in fork {name(fork)}")
                for place, fork in info.edited_places()
            ],
        )
    if info.losses:
        heading(rich, "Not in the checkpoint")
        for loss in info.losses:
            where = f"{one_line(loss.where, 40)}: " if loss.where else ""
            rich.print(Padding(Text(where + one_line(loss.message), "dim"), (0, 0, 0, 2)))


def agent_line(agent: Any) -> str:
    parts = [one_line(agent.model or "no model named")]
    if agent.endpoint:
        parts.append(f"at {one_line(agent.endpoint)}")
    if agent.tools:
        parts.append("tools: " + ", ".join(one_line(tool) for tool in agent.tools))
    if agent.is_manager:
        parts.append("manager")
    return "  ".join(parts)


def print_task(page: TextPage, task: Task, unicode: bool) -> None:
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


def print_method(page: TextPage, method: Method, unicode: bool) -> None:
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
            page.text(value_text(result), indent=5)


def heading(rich: Rich, title: str) -> None:
    rich.print(Text(f"\n{title}", "bold"))


def facts(rich: Rich, pairs: list[tuple[str, str]]) -> None:
    shown = [(label, value) for label, value in pairs if value]
    width = min(24, max((len(label) for label, _ in shown), default=0))
    for label, value in shown:
        line = Text(f"  {label:<{width}}  ", "dim")
        line.append(value, "default")
        line.no_wrap = "\n" not in value
        line.overflow = "fold"
        rich.print(line, soft_wrap=True)


def value_text(value: Any) -> str:
    if isinstance(value, str):
        return harmless(value)
    return harmless(json.dumps(value, ensure_ascii=False, indent=2, default=str))
