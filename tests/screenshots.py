"""Pictures of the app for the README: ``python -m tests.screenshots`` writes them anew.

They are made by the real app, headless, over the store of ``crewcheck demo`` and that of a flow,
with a clock that stands still: the same stores give the same files.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from textual.widgets import Input, TextArea

from crewcheck.cli.demo import HINT
from crewcheck.model.words import epoch
from crewcheck.tui.app import CrewcheckApp
from crewcheck.tui.glyphs import UNICODE
from crewcheck.tui.screens.browser import BrowserScreen
from crewcheck.tui.screens.launch import LaunchScreen
from tests.screenshot_flow import BRANCH as FLOW_BRANCH
from tests.screenshot_flow import ToldFlow, write_project
from tests.screenshot_run import BRANCH, Told

#: Stand for what is no key: another text in the editor, the plan's coming, the last tab.
EDIT, PLAN, RUN_TAB = "<edit>", "<plan>", "<run>"
ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "crewcheck" / "demo" / "store"
FOLDER = ROOT / "screenshots"
SIZE = (120, 36)
#: Of the pictures that need more room.
SIZES = {"diff": (170, 36)}
#: Name -> the keys that lead there, and whether the hint is shown.
SHOTS: dict[str, tuple[tuple[str, ...], bool]] = {
    "tree": (("plus", *["down"] * 8), True),
    "overview": ((), False),
    "tasks": (("plus", *["down"] * 10, "2", "tab", "up"), False),
    "inputs": (("3", "tab"), False),
    "messages": (("plus", *["down"] * 10, "4", "tab"), False),
    "diff": (("plus", *["down"] * 5, "space", *["down"] * 5, "d", "tab", *["down"] * 4), False),
}


#: Name -> how far the fork's run has come (0: it is only planned), and the keys.
RUNS: dict[str, tuple[int, tuple[str, ...]]] = {
    "fork": (0, ("2", "tab", "home", "i", EDIT, "ctrl+s", "f", PLAN)),
    "running": (2, ("n", "escape", RUN_TAB)),
    "branch": (5, ("n", "2", "tab", "end")),
}


#: Name -> the keys, and the text that a person writes. Of a flow.
FLOWS: dict[str, tuple[tuple[str, ...], str]] = {
    "flow": (("2", "tab", "up"), ""),
    "state": (("4", "tab", "g", *["down"] * 5, "i", EDIT, "ctrl+s"), "warm, and in full sentences"),
    "flow-fork": (("2", "tab", "g", "down", "i", EDIT, "ctrl+s", "f", PLAN), "billing"),
}


async def picture(
    keys: tuple[str, ...],
    hint: bool,
    now: float,
    edited: str = "",
    size: tuple[int, int] = SIZE,
    branch: str = BRANCH,
) -> str:
    """The screen after some keys, as SVG."""
    app = CrewcheckApp(
        ".checkpoints",
        first_hint=HINT if hint else None,
        now=lambda: now,
        glyphs=UNICODE,
    )
    async with app.run_test(size=size) as pilot:
        screen = app.screen
        assert isinstance(screen, BrowserScreen)
        for key in (None, *keys):
            if key == EDIT:
                app.screen.query_one(TextArea).text = edited
            elif key == PLAN:
                dialog = app.screen
                assert isinstance(dialog, LaunchScreen)
                dialog.query_one("#branch", Input).value = branch
                while dialog.phase != "ready":
                    await pilot.pause(0.05)
            elif key == RUN_TAB:
                screen.detail.choose_tab("run")
            elif key is not None:
                await pilot.press(key)
            while not screen.sought or any(not (run.lines) for run in screen.runs):
                await pilot.pause(0.05)
            quiet = 0
            while quiet < 4:
                await pilot.pause()
                quiet = 0 if screen.busy else quiet + 1
        return app.export_screenshot(title="crewcheck", simplify=True)


def run_picture(place: Path, upto: int, keys: tuple[str, ...]) -> str:
    """The screen while a fork is planned or run, or after it."""
    store = place / ".checkpoints"
    shutil.copytree(STORE, store)
    os.environ["CREWCHECK_STATE_DIR"] = str(place / "state")
    told = Told(store, place / "state", upto)
    now = told.start + (5.2 if upto < 5 else 20)
    os.chdir(place)
    with ExitStack() as stack:
        if upto:
            told.write_run()
            if upto < 5:
                stack.enter_context(told.alive())
        else:
            told.write_plan()
            stack.enter_context(told.instead())
        return asyncio.run(picture(keys, False, now, told.edited))


def flow_picture(place: Path, keys: tuple[str, ...], edited: str) -> str:
    """The screen over the store of a flow, in its project."""
    place.mkdir()
    write_project(place)
    os.environ["CREWCHECK_STATE_DIR"] = str(place / "state")
    os.chdir(place)
    now = (epoch("2026-11-29T20:12:18Z") or 0.0) + 200
    told = ToldFlow(place)
    with told.instead():
        return asyncio.run(picture(keys, False, now, edited, branch=FLOW_BRANCH))


def keep(folder: Path, name: str, svg: str) -> None:
    """Write a picture down."""
    text = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
    (folder / f"{name}.svg").write_text(text, encoding="utf-8")
    print(f"{name}.svg", file=sys.stderr)


def newest(store: Path) -> float:
    """When the newest checkpoint of a store was written, by its id."""
    ids = (path.name for path in store.rglob("*.json"))
    times = (f"{i[:4]}-{i[4:6]}-{i[6:8]}T{i[9:11]}:{i[11:13]}:{i[13:15]}Z" for i in ids)
    return max(at for at in map(epoch, times) if at is not None)


def main(folder: Path = FOLDER) -> None:
    """Write all pictures into a folder."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    folder.mkdir(parents=True, exist_ok=True)
    now = newest(STORE) + 200
    with tempfile.TemporaryDirectory() as place:
        os.environ["CREWCHECK_STATE_DIR"] = str(Path(place) / "state")
        shutil.copytree(STORE, Path(place) / ".checkpoints")
        before = Path.cwd()
        os.chdir(place)
        try:
            for name, (keys, hint) in SHOTS.items():
                size = SIZES.get(name, SIZE)
                keep(folder, name, asyncio.run(picture(keys, hint, now, size=size)))
            for name, (upto, keys) in RUNS.items():
                keep(folder, name, run_picture(Path(place) / name, upto, keys))
            for name, (keys, edited) in FLOWS.items():
                keep(folder, name, flow_picture(Path(place) / name, keys, edited))
        finally:
            os.chdir(before)


if __name__ == "__main__":
    main()
