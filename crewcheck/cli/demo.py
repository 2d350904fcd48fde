"""``crewcheck demo``: the app on a real store that comes with the package."""

from __future__ import annotations

import os
import sys

import click

from crewcheck.cli.console import Console
from crewcheck.errors import Exit, Refused

HINT = "↑↓ move · → open · Tab details · 1 2 3 tabs · ? help · demo --crewai runs it"


def demo_store() -> str:
    """The folder of the store that the package brings."""
    import crewcheck.demo

    return os.path.join(os.path.dirname(os.path.abspath(crewcheck.demo.__file__)), "store")


MISSING = "Or leave: `crewcheck demo --crewai` sets up all that it needs, and runs it offline."
RUN_HINT = "f forks what you have edited · e resumes · 1 2 3 tabs · ? help · q quit"


@click.command("demo")
@click.option("--crewai", is_flag=True, help="Also set up CrewAI, to fork and resume for real.")
@click.option("--folder", metavar="DIR", help="Where --crewai keeps its project.")
@click.option("--fresh", is_flag=True, help="With --crewai: forget the runs made so far.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask before CrewAI is set up.")
@click.pass_obj
def command(console: Console, crewai: bool, folder: str | None, fresh: bool, yes: bool) -> int:
    """Open the app on a real example store.

    A crew that finished, a fork of it with another outcome, and a run that failed half-way:
    written by CrewAI, shipped with crewcheck, nothing to set up. Without a terminal the
    store is printed as a tree. With --crewai the example can be run: an environment with
    CrewAI is made once (a gigabyte), and a small model on this machine answers, offline.

    \b
    Examples:
      crewcheck demo
      crewcheck demo | cat
      crewcheck demo --crewai
    """
    if crewai:
        return _for_real(console, folder, fresh=fresh, yes=yes)
    if sys.stdin.isatty() and sys.stdout.isatty():
        return _look_around(console)
    from crewcheck.cli.tree import print_tree

    console.location = demo_store()
    print_tree(console)
    console.note("this is the demo's store; in a terminal `crewcheck demo` opens the app on it")
    return Exit.DONE


def _look_around(console: Console) -> int:
    """The app on a copy, in which a fork may be made and leaves nothing behind."""
    import shutil
    import tempfile

    from crewcheck.cli.app import open_app

    with tempfile.TemporaryDirectory(prefix="crewcheck-demo-") as folder:
        console.location = os.path.join(folder, ".checkpoints")
        shutil.copytree(demo_store(), console.location)
        return open_app(console, hint=HINT, missing_hint=MISSING)


def _for_real(console: Console, folder: str | None, *, fresh: bool, yes: bool) -> int:
    """The example as a project that can be run."""
    from pathlib import Path

    from crewcheck.demo import environment, playground

    at = Path(os.path.abspath(folder)) if folder else playground.default_folder()
    python = environment.ready()
    if python is None:
        if not yes:
            if not sys.stdin.isatty():
                raise Refused("this would set up CrewAI, and nobody can be asked", "use --yes")
            question = f"Set up CrewAI in {environment.folder()} (about a gigabyte, once)?"
            if not click.confirm(question, err=True):
                raise Refused("nothing was set up")
        python = environment.make(console.note)
    store = playground.make_project(at, python, fresh=fresh)
    console.location = str(store)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        console.note(f"the demo's project is in {at}; in a terminal this opens the app on it")
        return Exit.DONE
    from crewcheck.cli.app import open_app

    os.chdir(at)
    with playground.model():
        code = open_app(console, hint=RUN_HINT)
        playground.wait_for_runs(str(store), console.note)
        return code
