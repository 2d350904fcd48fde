"""Where a command's words go: data to stdout, everything else to stderr.

A :class:`Console` holds what the options of the group say. On a terminal output is
coloured and fitted; in a pipe it is tab-separated and whole.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crewcheck.errors import CrewcheckError
from crewcheck.model.harmless import name, one_line

if TYPE_CHECKING:
    from rich.console import Console as RichConsole

    from crewcheck.engine.redaction import Redactor

#: An escape in ASCII JSON: two halves of a character, one alone, or another.
_ESCAPE = r"\\(?:ud[89ab]..\\ud[c-f]..|(?P<half>ud[89a-f]..)|.)"
#: Lines that are written at once.
_BATCH = 1_000

F = TypeVar("F", bound=Callable[..., Any])


class Console:
    """The options of the group, and how to print."""

    def __init__(
        self,
        *,
        location: str | None = None,
        show_secrets: bool = False,
        color: str = "auto",
        quiet: bool = False,
        use_index: bool = True,
    ) -> None:
        self.location = location
        self.show_secrets = show_secrets
        self.color = color
        self.quiet = quiet
        self.use_index = use_index

    @cached_property
    def redactor(self) -> Redactor:
        """What hides secrets. Loaded when there is something to show."""
        from crewcheck.engine.redaction import Redactor

        return Redactor(show=self.show_secrets)

    @property
    def is_terminal(self) -> bool:
        """Whether to print for a person: on a terminal, or with ``--color always``."""
        return sys.stdout.isatty() or self.color == "always"

    def note(self, text: str) -> None:
        """A remark on stderr, unless ``--quiet``."""
        if not self.quiet:
            _say(self.redactor.text(text))

    def rich(self) -> RichConsole:
        """A rich console on stdout; loaded only when there is a terminal."""
        from rich.console import Console as Rich

        class Pipe(Rich):
            def on_broken_pipe(self) -> None:
                # rich itself would end the program here, with code 1
                raise BrokenPipeError

        return Pipe(
            no_color=True if self.color == "never" else None,
            force_terminal=True if self.color == "always" else None,
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=False,
        )

    def rows(self, rows: Iterable[Iterable[Any]]) -> None:
        """Tab-separated lines, nothing cut."""
        self.lines("\t".join(map(cell, row)) for row in rows)

    def lines(self, lines: Iterable[str]) -> None:
        """Lines that are ready to be printed."""
        rest = iter(lines)
        while batch := list(islice(rest, _BATCH)):
            batch.append("")
            sys.stdout.write("\n".join(batch))

    def json(self, value: Any) -> None:
        """One JSON value, as `json_text` writes it, indented."""
        sys.stdout.write(_indented(value) + "\n")

    def json_list(self, values: Iterable[Any]) -> None:
        """Values as one JSON list, like `json`; never all of them in memory as text."""
        rest = iter(values)
        before = "[\n"
        while batch := list(islice(rest, _BATCH)):
            sys.stdout.write(before + _indented(batch)[2:-2])
            before = ",\n"
        sys.stdout.write("[]\n" if before == "[\n" else "\n]\n")


def cell(value: Any) -> str:
    """A value as one tab-separated field; unknown is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return name(value)
    if type(value) is int:
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    import json

    return name(json.dumps(value, ensure_ascii=False, default=str))


def json_text(value: Any) -> str:
    """A value as JSON that every reader takes: one line of ASCII, without NaN and lone
    surrogates.

    NaN and Infinity become their names as texts, half a character U+FFFD: one odd
    checkpoint would keep jq from reading all others.
    """
    import json

    try:
        text = json.dumps(value, allow_nan=False, default=str)
    except ValueError:
        text = json.dumps(_standard(value), allow_nan=False, default=str)
    if "\\ud" in text:
        try:  # most are emoji: looking at each escape would take long
            json.dumps(value, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            return re.sub(_ESCAPE, _whole, text)
    return text


def _whole(escape: re.Match[str]) -> str:
    return "\\ufffd" if escape["half"] else escape[0]


def _indented(value: Any) -> str:
    # json's own way of indenting is ten times as slow
    import json

    from msgspec import DecodeError
    from msgspec import json as fast

    text = json_text(value)
    try:
        return fast.format(text, indent=2)
    except (DecodeError, RecursionError):  # very deep
        return json.dumps(json.loads(text), indent=2)


def _standard(value: Any) -> Any:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if isinstance(value, dict):
        return {key: _standard(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_standard(item) for item in value]
    return value


def say_error(error: CrewcheckError) -> None:
    """An error as one line on stderr. What it names may hold a password."""
    from crewcheck.engine.redaction import Redactor

    _say(Redactor().text(str(error)))


def _say(text: str) -> None:
    # nobody to tell that nobody can be told
    with contextlib.suppress(OSError):
        print(f"crewcheck: {one_line(text)}", file=sys.stderr)


def unicode_output() -> bool:
    """Whether stdout can carry our symbols."""
    return "utf" in (getattr(sys.stdout, "encoding", None) or "").lower()


def common_options(function: F) -> F:
    """Options that every command that prints data has."""
    function = click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)
    function = click.option(
        "--no-index",
        is_flag=True,
        expose_value=False,
        callback=_set_no_index,
        help="Read every checkpoint anew.",
    )(function)
    return click.option(
        "-l",
        "--location",
        metavar="STORE",
        expose_value=False,
        callback=_set_location,
        help="The store, if not the default one.",
    )(function)


def _set_location(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.find_object(Console).location = value  # type: ignore[union-attr]


def _set_no_index(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_object(Console).use_index = False  # type: ignore[union-attr]
