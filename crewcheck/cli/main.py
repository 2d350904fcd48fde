"""The command group: options for all commands, and the one place where errors are shown."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from typing import Any

import click

from crewcheck import __version__
from crewcheck.cli.console import Console, say_error
from crewcheck.errors import CrewcheckError, Exit, UsageProblem

#: name -> (module, one line for the help). The module's `command` is loaded when called,
#: so that a listing does not pay for the app. A test holds the lines equal to the help.
COMMANDS = {
    "list": ("crewcheck.cli.listing", "List the checkpoints of a store, newest first."),
    "info": ("crewcheck.cli.info", "Show one checkpoint in full."),
    "show": ("crewcheck.cli.show", "Show parts of a checkpoint: a task, messages, events, raw."),
    "tree": ("crewcheck.cli.tree", "Show runs, branches and forks as a tree."),
    "diff": ("crewcheck.cli.diff", "Show what is different between two checkpoints."),
    "verify": (
        "crewcheck.cli.verify",
        "Check whether checkpoints can be relied on: everything is read.",
    ),
    "watch": ("crewcheck.cli.watch", "Print what happens in a store as it happens."),
    "resume": ("crewcheck.cli.resume", "Run the rest of a crew or flow from a checkpoint."),
    "fork": (
        "crewcheck.cli.fork",
        "Edit a checkpoint and run what depends on it, on a new branch.",
    ),
    "runs": ("crewcheck.cli.runs", "List the runs that crewcheck has started, newest first."),
    "attempts": (
        "crewcheck.cli.attempts",
        "Show or reset how often checkpoints were resumed.",
    ),
    "demo": ("crewcheck.cli.demo", "Open the app on a real example store."),
    "shell-init": (
        "crewcheck.cli.shell_init",
        "Print a shell function that sends `crewai checkpoint` here.",
    ),
}


class ReaderGone(Exception):
    """Whoever read our output has closed the pipe: that is no error."""


class LazyGroup(click.Group):
    """Loads a command's module when the command is called."""

    def invoke(self, ctx: click.Context) -> Any:
        # click itself would end with 1 here
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            raise ReaderGone from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        from importlib import import_module

        command: click.Command = import_module(entry[0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, 1)
            if close:
                raise click.UsageError(f"{error.message} Did you mean {close[0]}?", ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 the work failed, 2 usage, 3 not found or ambiguous, "
    "4 unreadable or damaged, 5 refused, 6 paused, 130 interrupted.",
)
@click.option(
    "-l",
    "--location",
    metavar="STORE",
    help="The store: a folder of JSON checkpoints or a SQLite file. "
    "[default: ./.checkpoints, ./.checkpoints.db, or pyproject.toml's tool.crewcheck.location]",
)
@click.option("--show-secrets", is_flag=True, help="Show keys, tokens and passwords as they are.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colours on the terminal; NO_COLOR and FORCE_COLOR are honoured.",
)
@click.option(
    "--no-index",
    is_flag=True,
    help="Read every checkpoint anew, and keep nothing of it in the cache folder.",
)
@click.option("-q", "--quiet", is_flag=True, help="No remarks on stderr, only errors.")
@click.version_option(__version__, "-V", "--version", message="crewcheck %(version)s")
@click.pass_context
def cli(
    ctx: click.Context,
    location: str | None,
    show_secrets: bool,
    color: str,
    no_index: bool,
    quiet: bool,
) -> None:
    """Time travel for agent runs: see, inspect, fork and resume CrewAI checkpoints.

    Without a command the app opens on the store.

    \b
    Examples:
      crewcheck                               open ./.checkpoints in the app
      crewcheck -l runs.db                    open another store
      crewcheck list --json | jq '.[0].id'    the newest checkpoint's id
      crewcheck info latest~1                 the checkpoint before the latest
      crewcheck fork main -i max_words=60     what if? the rest really runs, on a new branch
      crewcheck demo                          look around in an example
    """
    ctx.obj = Console(
        location=location,
        show_secrets=show_secrets,
        color=color,
        quiet=quiet,
        use_index=not no_index,
    )
    if ctx.invoked_subcommand is None:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            click.echo(ctx.get_help(), err=True)
            ctx.exit(Exit.USAGE)
        from crewcheck.cli.app import open_app

        ctx.exit(open_app(ctx.obj))


def main(args: list[str] | None = None) -> None:
    """Run a command line and exit with its code. Nothing a user can do ends in a traceback."""
    code = run(args)
    # all that was read is gone with the process: to look through it would take a while
    gc.freeze()
    sys.exit(code)


def run(args: list[str] | None = None) -> int:
    """Run a command line, show what goes wrong, and return the exit code."""
    _have_streams()
    _accept_any_text(sys.stdout)
    _sane_width()
    try:
        code: Any = cli.main(args, prog_name="crewcheck", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else Exit.DONE
    except click.ClickException as error:
        say_error(_as_ours(error))
        return error.exit_code
    except CrewcheckError as error:
        say_error(error)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return Exit.INTERRUPTED
    except ReaderGone:
        _let_go_of_stdout()
        return Exit.DONE
    except BrokenPipeError:
        _let_go_of_stdout()
        return Exit.DONE
    except OSError as error:
        _let_go_of_stdout()
        about = f"{error.filename}: " if error.filename else ""
        say_error(CrewcheckError(f"{about}{(error.strerror or str(error)).lower()}"))
        return Exit.FAILED


def _as_ours(error: click.ClickException) -> CrewcheckError:
    """What click has against a command line, in one line."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "crewcheck"
    return UsageProblem(error.format_message().rstrip("."), f"see `{path} --help`")


def _have_streams() -> None:
    """A stream that was closed before we began is one that nobody reads or writes."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _let_go_of_stdout() -> None:
    """What is left in the buffer has nowhere to go, and the interpreter would complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sane_width() -> None:
    """A width that is no width is as good as none."""
    columns = os.environ.get("COLUMNS", "")
    if columns and not (columns.isascii() and columns.isdigit() and 0 < int(columns) < 10_000):
        del os.environ["COLUMNS"]


def _accept_any_text(stream: Any) -> None:
    """A terminal or pipe that is not UTF-8 gets escapes instead of an exception."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
