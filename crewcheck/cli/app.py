"""Starting the app: the one place where the commands know of it."""

from __future__ import annotations

import os

from crewcheck.cli.console import Console
from crewcheck.errors import Exit


def open_app(console: Console, *, hint: str | None = None, missing_hint: str = "") -> int:
    """Open the app on the console's store, and return the exit code.

    ``missing_hint`` is what else can be done where the project, or a Python with
    crewai, is not found.
    """
    # the app costs a quarter of a second to load: only here
    from crewcheck.stores.index import VARIABLE
    from crewcheck.tui.app import run_app

    if not console.use_index:
        os.environ[VARIABLE] = "off"
    run_app(
        console.location,
        show_secrets=console.show_secrets,
        first_hint=hint,
        missing_hint=missing_hint,
    )
    return Exit.DONE
