"""``crewcheck demo``: the app on a real store that comes with the package."""

from __future__ import annotations

import os
import sys

import click

from crewcheck.cli.console import Console

HINT = "↑↓ move   → open   ← close   Tab to the details   1-5 tabs   / filter   ? help   q quit"


def demo_store() -> str:
    """The folder of the store that the package brings."""
    import crewcheck.demo

    return os.path.join(os.path.dirname(os.path.abspath(crewcheck.demo.__file__)), "store")


@click.command("demo")
@click.pass_obj
def command(console: Console) -> int:
    """Open the app on a real example store.

    A crew that finished, a fork of it with another outcome, and a run that failed half-way:
    written by CrewAI, shipped with crewcheck, nothing to set up. Without a terminal the
    store is printed as a tree.

    \b
    Examples:
      crewcheck demo
      crewcheck demo | cat
    """
    console.location = demo_store()
    if sys.stdin.isatty() and sys.stdout.isatty():
        from crewcheck.cli.app import open_app

        return open_app(console, hint=HINT)
    from crewcheck.cli.tree import print_tree

    print_tree(console)
    console.note("this is the demo's store; in a terminal `crewcheck demo` opens the app on it")
    return 0
