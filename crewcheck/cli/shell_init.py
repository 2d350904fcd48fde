"""``crewcheck shell-init``: `crewai checkpoint …` in a person's shell is ours."""

from __future__ import annotations

import os

import click

from crewcheck.errors import UsageProblem

_POSIX = """\
crewai() {
  case "${1-} ${2-}" in
    "checkpoint prune") command crewai "$@" ;;
    "checkpoint "*) shift; command crewcheck "$@" ;;
    *) command crewai "$@" ;;
  esac
}"""

_FISH = """\
function crewai --wraps crewai
    if test "$argv[1]" = checkpoint; and test "$argv[2]" != prune
        set -e argv[1]
        command crewcheck $argv
    else
        command crewai $argv
    end
end"""

SHELLS = {"bash": _POSIX, "zsh": _POSIX, "fish": _FISH}


@click.command("shell-init")
@click.argument("shell", required=False, type=click.Choice(list(SHELLS)))
def command(shell: str | None) -> None:
    """Print a shell function that sends `crewai checkpoint` here.

    All other `crewai` commands go to CrewAI as before, and so does its `checkpoint prune`.
    Without SHELL, that of $SHELL.

    \b
    Examples:
      eval "$(crewcheck shell-init bash)"          in ~/.bashrc
      eval "$(crewcheck shell-init zsh)"           in ~/.zshrc
      crewcheck shell-init fish | source           in config.fish
    """
    if shell is None:
        shell = os.path.basename(os.environ.get("SHELL", ""))
        if shell not in SHELLS:
            raise UsageProblem(
                f"$SHELL is {shell or 'not set'}, which has no such function",
                f"name one: {', '.join(SHELLS)}",
            )
    click.echo(SHELLS[shell])
