"""``crewcheck verify``: whether checkpoints can be relied on."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from crewcheck.cli.console import Console, common_options, say_error, unicode_output
from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.checks.rules import ADVICE, DAMAGE, RULES, SEVERITIES, WARNING
from crewcheck.engine.refs import find
from crewcheck.errors import CrewcheckError, Exit, UsageProblem
from crewcheck.model.harmless import name, one_line
from crewcheck.model.words import many
from crewcheck.stores.detect import open_path

if TYPE_CHECKING:
    from crewcheck.engine.verify import Finding
    from crewcheck.lineage import Node

#: The piped columns, in this order. They are promises.
COLUMNS = ("severity", "rule", "id", "path", "offset", "message", "remedy", "location")

_MARKS = {DAMAGE: ("✗", "x", "red"), WARNING: ("!", "!", "yellow"), ADVICE: ("·", ".", "dim")}
_SHOW_SECONDS = 0.1


@click.command("verify")
@click.argument("targets", metavar="[REF|STORE]...", nargs=-1)
@click.option("--rule", "rules", metavar="RULE", multiple=True, help="Look for this rule only.")
@click.option("--ignore", "ignored", metavar="RULE", multiple=True, help="Pass over this rule.")
@click.option(
    "--severity",
    type=click.Choice(SEVERITIES),
    default=WARNING,
    show_default=True,
    help="Show what is at least so bad.",
)
@click.option("--rules", "list_rules", is_flag=True, help="List all rules and what they mean.")
@common_options
@click.pass_obj
def command(
    console: Console,
    targets: tuple[str, ...],
    rules: tuple[str, ...],
    ignored: tuple[str, ...],
    severity: str,
    list_rules: bool,
    as_json: bool,
) -> int:
    """Check whether checkpoints can be relied on: everything is read.

    Whole stores or single checkpoints, the default store if none is named. Ends with 1 if
    there is damage. Piped, the columns are separated by tabs: severity, rule, id, path,
    offset, message, remedy, location. What several checkpoints of a store have in common is
    told once, of the newest.

    \b
    Examples:
      crewcheck verify
      crewcheck verify runs.db other/.checkpoints --severity damage
      crewcheck verify latest --severity advice
      crewcheck verify --ignore secret-in-plain-text --json | jq '.[].rule'
      crewcheck verify --rules
    """
    if list_rules:
        return _list_rules(console, as_json)
    wanted = _chosen(rules, ignored)
    failed: CrewcheckError | None = None
    told: list[dict[str, Any]] = []
    damaged = False
    for target in targets or (None,):
        try:
            shown, found = _look(console, target)
        except CrewcheckError as error:
            if len(targets) < 2:
                raise
            # the others are looked at all the same
            say_error(error)
            failed = failed or error
            continue
        found = [one for one in found if one.rule in wanted]
        damaged = damaged or any(one.severity == DAMAGE for one in found)
        worst = SEVERITIES[: SEVERITIES.index(severity) + 1]
        listed = [one for one in found if one.severity in worst]
        if as_json:
            told += [console.redactor.value(one.as_dict()) for one in listed]
        elif console.is_terminal:
            _print(console, listed)
        else:
            shapes = (console.redactor.value(one.as_dict()) for one in listed)
            console.rows([shape[column] for column in COLUMNS] for shape in shapes)
        sys.stdout.flush()
        console.note(_summary(shown, found, listed))
    if as_json:
        console.json(told)
    if failed is not None:
        return failed.exit_code
    return Exit.FAILED if damaged else Exit.DONE


def _chosen(rules: tuple[str, ...], ignored: tuple[str, ...]) -> set[str]:
    """The rules that are looked for. Raises `UsageProblem`."""
    for rule in (*rules, *ignored):
        if rule not in RULES:
            from difflib import get_close_matches

            close = get_close_matches(rule, RULES, 1)
            hint = f"did you mean {close[0]}?" if close else "see `crewcheck verify --rules`"
            raise UsageProblem(f'there is no rule "{name(rule)}"', hint)
    return (set(rules) or set(RULES)) - set(ignored)


def _look(console: Console, target: str | None) -> tuple[str, list[Finding]]:
    """What was looked at, in words, and what was found."""
    from crewcheck.engine.verify import verify

    catalog, nodes = _open(console, target)
    with catalog:
        count = len(catalog.checkpoints) if nodes is None else len(nodes)
        where = name(catalog.store.location)
        shown = f"{where}: {many(count, 'checkpoint')}" if nodes is None else name(target or "")
        with _Progress(console, count) as progress:
            return shown, verify(catalog, nodes, progress.tick)


def _open(console: Console, target: str | None) -> tuple[Catalog, list[Node] | None]:
    """A store (None: all of it), or one checkpoint of it."""
    if target is None:
        return open_catalog(console.location), None
    if target and os.path.exists(os.path.expanduser(target)):
        opened = open_path(target)
        if opened.checkpoint_key is None:
            return Catalog(opened.store), None
        opened.store.close()
    found = find(target, console.location)
    return found.catalog, [found.node]


class _Progress:
    """How far it is, on stderr, where that is a terminal."""

    def __init__(self, console: Console, total: int) -> None:
        self._on = sys.stderr.isatty() and not console.quiet and total > 1
        self._total = total
        self._done = 0
        self._shown_at = time.monotonic()
        self._shown = False

    def tick(self) -> None:
        self._done += 1
        now = time.monotonic()
        if self._on and now - self._shown_at >= _SHOW_SECONDS:
            self._shown_at, self._shown = now, True
            sys.stderr.write(f"\r  {self._done:,} of {self._total:,} read ")
            sys.stderr.flush()

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _summary(shown: str, found: list[Finding], listed: list[Finding]) -> str:
    """``.checkpoints: 7 checkpoints, no damage, 2 warnings; 5 more: --severity advice``."""
    damage, warnings = (
        sum(1 for one in found if one.severity == severity) for severity in (DAMAGE, WARNING)
    )
    said = f"{shown}, "
    said += f"damage in {many(damage, 'place')}" if damage else "no damage"
    said += f", {many(warnings, 'warning') if warnings else 'no warnings'}"
    hidden = len(found) - len(listed)
    if not hidden:
        return said
    findings = many(hidden, "finding is", "findings are")
    return f"{said}; {findings} not shown: --severity advice"


def _print(console: Console, findings: Iterable[Finding]) -> None:
    """Grouped by checkpoint, for a person."""
    from rich.padding import Padding
    from rich.text import Text

    rich = console.rich()
    unicode = unicode_output()
    for (where, _), group in groupby(findings, key=lambda one: (one.id or one.location, one.key)):
        rich.print(Text(name(console.redactor.text(where)), "bold"))
        for one in group:
            full, plain, style = _MARKS[one.severity]
            shape = console.redactor.value(one.as_dict())
            line = Text()
            line.append(f"{full if unicode else plain} ", style)
            line.append(one.rule, style if one.severity != ADVICE else "")
            line.append(f"  {one_line(shape['message'], 600)}")
            if one.checkpoints > 1:
                line.append(f"  (and in {many(one.checkpoints - 1, 'older one')})", "dim")
            rich.print(Padding(line, (0, 0, 0, 2)))
            place = [name(shape["path"])] if one.path else []
            place += [f"byte {one.offset:,}"] if one.offset is not None else []
            way = [f"{'→' if unicode else '->'} {one.remedy}"] if one.remedy else []
            about = "  ".join(place + way)
            if about:
                rich.print(Padding(Text(about, "dim", overflow="fold"), (0, 0, 0, 4)))


def _list_rules(console: Console, as_json: bool) -> int:
    shapes = [
        {"rule": one.name, "severity": one.severity, "meaning": one.meaning, "remedy": one.remedy}
        for one in RULES.values()
    ]
    if as_json:
        console.json(shapes)
    elif console.is_terminal:
        from rich.text import Text

        rich = console.rich()
        wide = max(map(len, RULES))
        for shape in shapes:
            line = Text(f"{shape['rule']:<{wide}}  ")
            line.append(f"{shape['severity']:<8} ", _MARKS[shape["severity"]][2])
            line.append(shape["meaning"])
            rich.print(line)
    else:
        console.rows(shape.values() for shape in shapes)
    return Exit.DONE
