"""Pictures of the app for the README: ``python -m tests.screenshots`` writes them anew.

They are made by the real app, headless, over the store of ``crewcheck demo``, with a clock
that stands still: the same store gives the same files.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from crewcheck.tui.app import CrewcheckApp
from crewcheck.tui.glyphs import UNICODE
from crewcheck.tui.screens.browser import BrowserScreen
from crewcheck.tui.words import epoch

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "crewcheck" / "demo" / "store"
FOLDER = ROOT / "screenshots"
SIZE = (120, 36)
HINT = "↑↓ move · → open · Tab detail · 1-5 tabs · / filter · ? help"
#: Name -> the keys that lead there, and whether the hint is shown.
SHOTS: dict[str, tuple[tuple[str, ...], bool]] = {
    "tree": (("plus", *["down"] * 8), True),
    "overview": ((), False),
    "tasks": (("plus", *["down"] * 10, "2", "tab", "up"), False),
    "inputs": (("3", "tab"), False),
}


async def picture(keys: tuple[str, ...], hint: bool, now: float) -> str:
    """The screen after some keys, as SVG."""
    app = CrewcheckApp(
        ".checkpoints",
        first_hint=HINT if hint else None,
        now=lambda: now,
        glyphs=UNICODE,
    )
    async with app.run_test(size=SIZE) as pilot:
        screen = app.screen
        assert isinstance(screen, BrowserScreen)
        for key in (None, *keys):
            if key is not None:
                await pilot.press(key)
            quiet = 0
            while quiet < 4:
                await pilot.pause()
                quiet = 0 if screen.busy else quiet + 1
        return app.export_screenshot(title="crewcheck", simplify=True)


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
        shutil.copytree(STORE, Path(place) / ".checkpoints")
        before = Path.cwd()
        os.chdir(place)
        try:
            for name, (keys, hint) in SHOTS.items():
                svg = asyncio.run(picture(keys, hint, now))
                text = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
                (folder / f"{name}.svg").write_text(text, encoding="utf-8")
                print(f"{name}.svg", file=sys.stderr)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    main()
