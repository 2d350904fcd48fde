"""The options that choose checkpoints, and what is said on stderr of what they left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.choosing import SORTS, choose, in_order, settle_lineage, values_of
from crewcheck.engine.selection import KINDS, SHOWN_STATUSES, Selection, keys_below
from crewcheck.errors import UsageProblem
from crewcheck.model.harmless import name
from crewcheck.model.moments import WAYS
from crewcheck.model.words import many

if TYPE_CHECKING:
    from crewcheck.cli.console import Console
    from crewcheck.engine.catalog import Catalog
    from crewcheck.model.scan import Checkpoint

F = TypeVar("F", bound=Callable[..., Any])

#: So many of the values there are get named where nothing fits.
_NAMED = 8

_FILTERS = (
    click.option(
        "--branch", "branches", metavar="NAME", multiple=True,
        help="Only this branch, by its exact name.",
    ),
    click.option(
        "--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only what was started so."
    ),
    click.option(
        "--status", "statuses", multiple=True, type=click.Choice(SHOWN_STATUSES),
        help="Only with this status.",
    ),
    click.option(
        "--since", metavar="TIME", help="Only from this time on: 30m, 2h, 3d, 1w, today, "
        "yesterday, 2026-11-29, 2026-11-29T17:42 (local, or with Z or +01:00)."
    ),
    click.option("--until", metavar="TIME", help="Only up to this time, a day to its end."),
)  # fmt: skip

_MORE_FILTERS = (
    click.option(
        "--trigger", "triggers", metavar="EVENT", multiple=True,
        help="Only caused by this event type, by its exact name.",
    ),
    click.option(
        "--text", metavar="WORDS", help="Only what these words fit, as in the app's filter: "
        "words, branch:x, status:failed, since:2h, …"
    ),
    click.option("--leaf", is_flag=True, help="Only tips: nothing in the store hangs on them."),
    click.option("--descendants-of", "above", metavar="REF", help="Only what hangs on this one."),
)  # fmt: skip

_LISTING = (
    click.option(
        "--limit", metavar="N", type=click.IntRange(min=1), help="Only the newest N that fit."
    ),
    click.option(
        "--sort", type=click.Choice(SORTS),
        help="Sort by this; times, sizes and progress begin with the most. [default: newest first]",
    ),
    click.option("--reverse", is_flag=True, help="The other way round."),
)  # fmt: skip


def run_filters(function: F) -> F:
    """Options that choose runs as well as checkpoints. Each may be given several times."""
    return _with(function, _FILTERS)


def checkpoint_filters(function: F) -> F:
    """All options that choose checkpoints."""
    return _with(function, (*_FILTERS, *_MORE_FILTERS))


def listing_options(function: F) -> F:
    """Options for how many there are listed, and in which order."""
    return _with(function, _LISTING)


def run_limit(function: F) -> F:
    """The option for how many runs there are shown."""
    limit = click.option(
        "--limit", metavar="N", type=click.IntRange(min=1), help="Only the newest N runs that fit."
    )
    return limit(function)


def _with(function: F, options: tuple[Callable[[Any], Any], ...]) -> F:
    for option in reversed(options):
        function = option(function)
    return function


@contextmanager
def selected(
    console: Console, store: str | None, options: dict[str, Any]
) -> Iterator[tuple[Catalog, list[Checkpoint]]]:
    """The open store and the checkpoints that the options choose, in their order.

    How many that are is said on stderr once they have been printed.
    """
    selection, limit = selection_from(options), options["limit"]
    location = store if store is not None else console.location
    index = console.use_index
    with open_selected(location, options["above"], selection, use_index=index) as catalog:
        chosen = choose(catalog, selection, limit)
        yield catalog, in_order(chosen, options["sort"], options["reverse"])
        remark_selection(console, catalog, selection, len(chosen), limit)


def selection_from(options: dict[str, Any]) -> Selection:
    """What the options ask for; ``--descendants-of`` wants an open store, too.

    Raises `UsageProblem`.
    """
    selection = Selection()
    for field, option in (
        ("branch", "branches"),
        ("kind", "kinds"),
        ("trigger", "triggers"),
        ("status", "statuses"),
    ):
        if options.get(option):
            selection.exact[field] = frozenset(options[option])
    for field in ("since", "until"):
        typed = options.get(field)
        if typed is not None:
            try:
                selection.add_time(field, typed)
            except ValueError as error:
                raise UsageProblem(f'--{field} "{name(typed)}": {error}', WAYS) from None
    selection.add_query(options.get("text") or "")
    if selection.problem:
        raise UsageProblem(f"--text {name(selection.problem)}")
    if options.get("leaf"):
        if selection.leaf is False:
            raise UsageProblem("--leaf and leaf:no exclude each other")
        selection.leaf = True
    return selection


def open_selected(
    location: str | None, above: str | None, selection: Selection, *, use_index: bool = True
) -> Catalog:
    """Open the store, and look up in it whose descendants are wanted.

    Without a location a reference that is a path says which store. Raises `NotFound`,
    `UsageProblem` where the reference is in another store.
    """
    if above is None:
        return open_catalog(location, use_index=use_index, ordered_later=True)
    from crewcheck.engine.refs import find

    found = find(above, location)
    catalog = found.catalog
    try:
        if location is not None:
            with open_catalog(location) as wanted:
                one, other = wanted.store.location, catalog.store.location
            if os.path.realpath(one) != os.path.realpath(other):
                raise UsageProblem(
                    f"--descendants-of names a checkpoint in {name(other)}, not in {name(one)}"
                )
        settle_lineage(catalog)
        selection.below = keys_below(catalog.forest.by_key[found.node.checkpoint.key])
    except BaseException:
        catalog.close()
        raise
    return catalog


def remark_selection(
    console: Console, catalog: Catalog, selection: Selection, shown: int, limit: int | None
) -> None:
    """Say how many of how many are shown; where none are, what there is instead."""
    count = len(catalog.checkpoints)
    if count and (selection or limit is not None):
        _remark(console, catalog, selection, shown, many(count, "checkpoint"))


def remark_runs(
    console: Console, catalog: Catalog, selection: Selection, shown: int, limit: int | None
) -> None:
    """The same of runs."""
    count = len(catalog.forest.runs)
    if count and (selection or limit is not None):
        _remark(console, catalog, selection, shown, many(count, "run"))


def _remark(console: Console, catalog: Catalog, selection: Selection, shown: int, of: str) -> None:
    where = name(catalog.store.location)
    if shown:
        console.note(f"{where}: {shown:,} of {of}")
    else:
        console.note(f"{where}: 0 of {of}: {_instead(catalog, selection)}")
    if selection.in_time:
        timeless = sum(1 for one in catalog.checkpoints if one.header.created_at is None)
        if timeless:
            console.note(f"{where}: left out {many(timeless, 'checkpoint')} without a time")


def _instead(catalog: Catalog, selection: Selection) -> str:
    """Which of the wishes nothing fits, and what there is to wish for."""
    checkpoints = catalog.checkpoints
    for field, wanted in selection.exact.items():
        there = values_of(checkpoints, field)
        if wanted.isdisjoint(there):
            plural = {"branch": "branches", "status": "statuses"}.get(field, f"{field}s")
            unread = any(one.summary is None for one in checkpoints)
            among = " among those that fit the rest" if field != "branch" and unread else ""
            if not there:
                return f"there are no {plural}{among}"
            return f"{_close(field, wanted, there)}there are the {plural} {_few(there)}{among}"
    if selection.in_time:
        times = sorted(one.header.created_at for one in checkpoints if one.header.created_at)
        outside = not times or times[-1] < selection.first
        if outside or (selection.last and times[0] > selection.last):
            span = f"they are from {times[0]} to {times[-1]}" if times else "none has a time"
            return span
    if selection.below is not None and not selection.below:
        return "nothing hangs on that checkpoint"
    return (
        "each wish fits some, but not all together" if _wishes(selection) > 1 else "try other words"
    )


def _wishes(selection: Selection) -> int:
    return (
        len(selection.exact)
        + len(selection.terms)
        + selection.in_time
        + (selection.leaf is not None)
        + (selection.below is not None)
    )


def _close(field: str, wanted: frozenset[str], there: list[str]) -> str:
    """A near miss, said first."""
    from difflib import get_close_matches

    known = there
    if field == "trigger":
        from crewcheck.model.words import TRIGGERS

        known = [*there, *(one for one in TRIGGERS if one not in there)]
    for one in sorted(wanted):
        found = get_close_matches(one, known, 1, 0.6)
        if found and found[0] != one:
            absent = "" if found[0] in there else " (none of these either)"
            return f"did you mean {name(found[0])}{absent}? "
    return ""


def _few(values: list[str]) -> str:
    more = f" and {len(values) - _NAMED} more" if len(values) > _NAMED else ""
    return ", ".join(map(name, values[:_NAMED])) + more
