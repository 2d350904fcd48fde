"""``crewcheck show``: parts of one checkpoint, in full."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from crewcheck.cli.console import Console, common_options, json_text
from crewcheck.cli.info import flatten, show_info
from crewcheck.engine.refs import find
from crewcheck.errors import UsageProblem
from crewcheck.model.harmless import harmless
from crewcheck.model.pretty import pretty

if TYPE_CHECKING:
    from crewcheck.engine.showing import Shown

#: The piped columns of events and messages. They are promises.
EVENT_COLUMNS = ("number", "time", "depth", "type", "subject", "seconds", "tokens", "detail")
MESSAGE_COLUMNS = ("label", "task", "agent", "role", "name", "content", "tool_calls")


@click.command("show")
@click.argument("ref", required=False)
@common_options
@click.option("--task", metavar="TASK", help="One task: its number from 1, name or id; a method.")
@click.option("--inputs", is_flag=True, help="The inputs of the kickoff.")
@click.option("--graph", is_flag=True, help="The methods of a flow, and the route it took.")
@click.option("--state", is_flag=True, help="The state of a flow.")
@click.option("--agents", is_flag=True, help="The agents, their models and tools.")
@click.option("--messages", is_flag=True, help="What was said to the models and by them.")
@click.option("--events", is_flag=True, help="What happened when, and what it cost.")
@click.option("--path", metavar="PATH", help="One value of the document, by its path.")
@click.option("--raw", is_flag=True, help="The stored document itself.")
@click.pass_obj
def command(console: Console, /, ref: str | None, as_json: bool, **options: Any) -> None:
    """Show parts of a checkpoint: a task, messages, events, raw.

    Without REF the latest, without an option all of `info` with its texts whole. Options
    can be combined, but for --raw and --path.

    Piped, each line is a key, a tab and a value; of --events alone an event (number, time,
    depth, type, subject, seconds, tokens, detail), of --messages alone a message (label, task,
    agent, role, name, content, tool_calls). --raw is the document as it is stored, and --path
    a text as it is, anything else as JSON. Secrets are masked in all of them.

    \b
    Examples:
      crewcheck show latest --task research
      crewcheck show main~1 --inputs --messages
      crewcheck show my-branch --graph
      crewcheck show 176e579a --events --json | jq '.events.models'
      crewcheck show latest --path 'entities[0].tasks[1].output.raw' > notes.md
      crewcheck show latest --raw | jq .
    """
    from crewcheck.engine.showing import SECTIONS, Shown

    wanted = [section for section in SECTIONS if options[section]]
    task, path, raw = options["task"], options["path"], options["raw"]
    parts = bool(wanted) + (task is not None)
    if (raw and (parts or path is not None)) or (path is not None and parts):
        raise UsageProblem("--raw and --path stand alone")
    if not (parts or raw or path is not None):
        return show_info(console, ref, as_json=as_json, full=True)
    found = find(ref, console.location)
    with found.catalog as catalog:
        checkpoint = found.node.checkpoint
        if raw and console.show_secrets and not (as_json or console.is_terminal):
            stored = catalog.store.stored(checkpoint.header)
            if stored is not None:  # damaged or not
                return _write(stored)
        if checkpoint.summary is None:
            checkpoint.summary = catalog.read_summary(checkpoint)
        shown = Shown(catalog.store, checkpoint, console.redactor)
        if raw:
            _raw(console, shown, as_json)
        elif path is not None:
            _value(console, shown, path, as_json)
        else:
            _sections(console, shown, wanted, task, as_json)
    return None


def _write(data: bytes) -> None:
    """Bytes as they are; a stream of a test has none."""
    sys.stdout.flush()
    out = getattr(sys.stdout, "buffer", None)
    if out is None:
        sys.stdout.write(data.decode("utf-8", "backslashreplace"))
    else:
        out.write(data)
        out.flush()


def _raw(console: Console, shown: Shown, as_json: bool) -> None:
    if as_json:
        masked = shown.masked
        hidden = masked is not shown.document
        console.json(masked)
    elif console.is_terminal:
        masked = shown.masked
        hidden = masked is not shown.document
        click.echo(harmless(pretty(masked)))
    else:
        data, hidden = shown.raw()
        _write(data)
    if hidden:
        console.note("secrets in the document are masked: --show-secrets gives it as it is")


def _value(console: Console, shown: Shown, path: str, as_json: bool) -> None:
    value, hidden = shown.value(path)
    if as_json:
        console.json(value)
    elif console.is_terminal:
        click.echo(harmless(value if isinstance(value, str) else pretty(value)))
    elif isinstance(value, str):
        sys.stdout.write(value if value.endswith("\n") else value + "\n")
    else:
        sys.stdout.write(json_text(value) + "\n")
    if hidden:
        console.note("secrets in the value are masked: --show-secrets gives it as it is")


def _sections(
    console: Console, shown: Shown, wanted: list[str], task: str | None, as_json: bool
) -> None:
    from crewcheck.engine.rows import values

    work = shown.work(task) if task is not None else None
    if console.is_terminal and not as_json:
        from crewcheck.cli.show_text import print_sections

        print_sections(console, shown, wanted, work[1] if work is not None else None)
        return
    parts: dict[str, Any] = {work[0]: values(work[1])} if work is not None else {}
    parts |= {section: shown.section(section) for section in wanted}
    if as_json:
        console.json(shown.head() | parts)
    elif list(parts) == ["events"]:
        console.rows([one[column] for column in EVENT_COLUMNS] for one in parts["events"]["events"])
    elif list(parts) == ["messages"]:
        console.rows(_message_rows(parts["messages"]))
    else:
        console.rows(flatten(parts))
    for section in wanted:
        if not parts[section] or (section == "events" and not parts["events"]["events"]):
            console.note(f"checkpoint {shown.checkpoint.id} holds no {section}")


def _message_rows(conversations: list[dict[str, Any]]) -> list[list[Any]]:
    rows = []
    for one in conversations:
        number = None if one["task"] is None else one["task"] + 1
        for message in one["messages"]:
            calls = message["tool_calls"] or None
            line = {**one, **message, "task": number, "tool_calls": calls}
            rows.append([line[column] for column in MESSAGE_COLUMNS])
    return rows
