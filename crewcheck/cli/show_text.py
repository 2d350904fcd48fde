"""The parts of a checkpoint that `show` gives, for a person: nothing is cut but in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from crewcheck.cli import marks
from crewcheck.cli.console import Console, unicode_output
from crewcheck.cli.graph_text import print_graph
from crewcheck.cli.info_text import (
    TextPage,
    agent_line,
    facts,
    heading,
    print_method,
    print_task,
    value_text,
)
from crewcheck.model import words
from crewcheck.model.crew import Task
from crewcheck.model.events import seconds_between
from crewcheck.model.flow import Method
from crewcheck.model.harmless import name, one_line

if TYPE_CHECKING:
    from rich.console import Console as Rich

    from crewcheck.engine.showing import Shown
    from crewcheck.model.messages import Conversation
    from crewcheck.model.timeline import Spent, Timeline

_DEEPEST = 10
#: Wide enough for what an event is about; what it says gets the rest.
_ABOUT = 18
#: A last column that has less room is left out.
_LEAST = 12


def print_sections(
    console: Console, shown: Shown, wanted: list[str], work: Task | Method | None
) -> None:
    """Print a task or method, and some sections."""
    rich = console.rich()
    page = TextPage(rich, True)
    unicode = unicode_output()
    checkpoint = shown.checkpoint
    title = Text(f"{marks.symbol(checkpoint.status, unicode)} ", marks.style(checkpoint.status))
    title.append(name(checkpoint.id), "bold default")
    rich.print(title)
    if isinstance(work, Task):
        heading(rich, "Task")
        _task(page, work, unicode)
    elif work is not None:
        heading(rich, "Method")
        print_method(page, work, unicode)
    for section in wanted:
        heading(rich, section.capitalize())
        _PRINT[section](page, shown)


def _task(page: TextPage, task: Task, unicode: bool) -> None:
    print_task(page, task, unicode)
    for title, value in (
        ("Description", task.description),
        ("Template", task.template if task.template != task.description else ""),
        ("Expected output", task.expected_output),
        ("Structured", value_text(task.structured) if task.structured is not None else ""),
        ("Tools", ", ".join(map(one_line, task.tools))),
    ):
        if value:
            heading(page.rich, title)
            page.text(value)


def _nothing(page: TextPage, said: str) -> None:
    page.rich.print(Text(f"  {said}", "dim"))


def _inputs(page: TextPage, shown: Shown) -> None:
    inputs = shown.info.inputs
    if not inputs:
        _nothing(page, "It was started without inputs.")
        return
    facts(page.rich, [(name(key), value_text(value)) for key, value in inputs.items()])


def _state(page: TextPage, shown: Shown) -> None:
    if shown.info.state is None:
        _nothing(page, "It holds no state.")
        return
    page.text(value_text(shown.info.state))


def _agents(page: TextPage, shown: Shown) -> None:
    agents = shown.info.agents
    if not agents:
        _nothing(page, "It holds no agents.")
    for agent in agents:
        page.rich.print(Text(f"  {one_line(agent.role) or 'agent'}", "bold"))
        page.text(agent_line(agent), indent=4, style="dim")
        for text in (agent.goal, agent.backstory):
            if text:
                page.text(text, indent=4)


def _messages(page: TextPage, shown: Shown) -> None:
    found = shown.conversations()
    if not found:
        _nothing(page, "It holds no messages.")
    for place, one in enumerate(found):
        if place:
            page.rich.print()
        _conversation(page, one)


def _conversation(page: TextPage, one: Conversation) -> None:
    number = f"{one.task + 1}. " if one.task is not None else ""
    line = Text(f"  {number}{one_line(one.label, 60)}", "bold")
    spent = words.spent_talking(one.agent, one.model, one.calls, one.seconds, one.tokens.total)
    line.append(f"  {'  '.join(spent)}", "not bold dim")
    page.rich.print(line)
    for message in one.messages:
        who = message.role + (f" {one_line(message.name, 60)}" if message.name else "")
        page.rich.print(Text(f"    {one_line(who)}", "cyan"))
        if message.content:
            page.text(value_text(message.content), indent=6)
        for call in message.tool_calls:
            page.text(f"{one_line(call.name)} {value_text(call.arguments)}", indent=6)
    if one.error:
        page.text(one.error, indent=4, style="red")


def _events(page: TextPage, shown: Shown) -> None:
    made = shown.timeline()
    if not made.events:
        _nothing(page, "It holds no events.")
        return
    _print_events(page.rich, made)
    for title, spent in (
        ("Tasks", made.tasks),
        ("Methods", made.methods),
        ("Agents", made.agents),
        ("Models", made.models),
    ):
        if spent:
            heading(page.rich, title)
            _print_spent(page.rich, spent)


def _print_events(rich: Rich, made: Timeline) -> None:
    lines = []
    for event in made.events:
        bad = event.type.endswith(("_failed", "_error"))
        kind = "  " * min(event.depth, _DEEPEST) + words.trigger_words(event.type)
        lines.append(
            [
                Text(words.took(seconds_between(made.began, event.time)), "dim"),
                Text(kind, "red" if bad else ""),
                Text(one_line(event.subject, _ABOUT)),
                Text(words.took(event.seconds)),
                Text(f"{event.tokens:,}" if event.tokens is not None else ""),
                Text(one_line(event.detail, 300), "dim"),
            ]
        )
    _print_table(rich, ["AFTER", "EVENT", "ABOUT", "TOOK", "TOKENS", "DETAIL"], lines, "rllrrl")


def _print_spent(rich: Rich, spent: tuple[Spent, ...]) -> None:
    lines = []
    for one in spent:
        tokens = one.tokens
        lines.append(
            [
                Text(one_line(one.name, 40) if one.name else "(none named)"),
                Text(f"{one.runs:,}"),
                Text(words.took(one.seconds)),
                *(Text(f"{count:,}") for count in (tokens.prompt, tokens.completion, tokens.total)),
            ]
        )
    _print_table(rich, ["", "RUNS", "TOOK", "PROMPT", "ANSWER", "TOKENS"], lines, "lrrrrr")


def _print_table(rich: Rich, heads: list[str], lines: list[list[Text]], sides: str) -> None:
    """Columns as wide as they are; the last one takes what is left of the window."""
    widths = [
        max(len(head), *(line[place].cell_len for line in lines))
        for place, head in enumerate(heads)
    ]
    room = rich.width - sum(widths[:-1]) - 2 * len(widths)
    if widths[-1] > room:
        widths[-1] = room if room >= _LEAST else 0
    table = Table(box=None, pad_edge=True, padding=(0, 0, 0, 2), header_style="dim")
    shown = [place for place, width in enumerate(widths) if width]
    for place in shown:
        table.add_column(
            heads[place],
            width=widths[place],
            no_wrap=True,
            overflow="ellipsis",
            justify="right" if sides[place] == "r" else "left",
        )
    for line in lines:
        table.add_row(*(line[place] for place in shown))
    rich.print(table)


_PRINT: dict[str, Any] = {
    "inputs": _inputs,
    "graph": print_graph,
    "state": _state,
    "agents": _agents,
    "messages": _messages,
    "events": _events,
}
