"""``python -m tests.bench.app NAME STORE``: one measurement of the app, as a line of JSON.

Each runs in a process of its own: memory and caches are not those of another.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from crewcheck.tui.app import SWITCH_SECONDS, CrewcheckApp
from crewcheck.tui.screens.browser import BrowserScreen
from tests.bench.screens import (
    TIMEOUT,
    Keys,
    Number,
    Watch,
    cpu_per_key,
    press,
    resident,
    running,
    settled,
    spread,
)

#: A person who holds a key down moves so fast.
HELD = 1 / 30
_BIG = 20_000_000


class Opened:
    """The app over a store, from its start on."""

    def __init__(self, store: str) -> None:
        # as `crewcheck` itself does it
        sys.setswitchinterval(SWITCH_SECONDS)
        self.began = time.perf_counter()
        self.app = CrewcheckApp(store)
        self.watch = Watch(self.app)
        gc.freeze()

    @property
    def screen(self) -> BrowserScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, BrowserScreen)
        return screen

    def drawn(self) -> bool:
        """Whether rows of the store have been painted."""
        if not self.app.screen_stack:
            return False
        tree = self.screen.tree_view
        return tree.count > 0 and tree.drawn > 0

    async def first(self) -> float:
        """Seconds from the start to the first rows."""
        return await self.watch.until(self.drawn) - self.began

    async def all_read(self) -> None:
        """Until every summary has been read."""
        end = time.monotonic() + TIMEOUT
        while self.screen.busy and time.monotonic() < end:
            await asyncio.sleep(0.05)
        await settled()

    @property
    def cursor(self) -> int:
        return self.screen.tree_view.cursor


@asynccontextmanager
async def opened(store: str) -> AsyncIterator[Opened]:
    made = Opened(store)
    async with running(made.app):
        yield made


async def first_screen(store: str) -> Number:
    """Seconds from the app's start to rows in their final order."""
    async with opened(store) as one:
        return {"seconds": await one.first()}


async def cursor_cpu(store: str) -> Number:
    """CPU seconds of a cursor move with the detail that it brings, less a key's that nobody
    takes. Every summary has been read; the look at the whole store that comes every so
    often, for which no key is the cause, is left out."""
    async with opened(store) as one:
        await one.first()
        one.screen.following = False
        await one.all_read()
        press(one.app, "plus")
        ignored = await cpu_per_key(one.app, "f12", 40, 0.12)
        move = await cpu_per_key(one.app, "down", 40, 0.12)
        return {"seconds": move - ignored, "key": move, "ignored": ignored}


async def held_cpu(store: str) -> Number:
    """As `cursor_cpu`, with the key held down: no document is read on the way."""
    async with opened(store) as one:
        await one.first()
        await one.all_read()
        press(one.app, "plus")
        move = await cpu_per_key(one.app, "down", 90, HELD)
        return {"seconds": move}


async def memory(store: str) -> Number:
    """Bytes that the app holds when the store is shown and every summary has been read."""
    async with opened(store) as one:
        await one.first()
        await one.all_read()
        return {"bytes": resident()}


async def key_to_paint(store: str) -> Number:
    """Seconds from a cursor key to its paint: ``idle``, then ``p95`` and ``worst`` of the
    worst of three loads: the store's summaries coming in, a run that streams, big documents
    that open. The store must be a folder of JSON checkpoints."""
    found: Number = {}
    for name, measure in (
        ("loading", _while_loading), ("streaming", _while_streaming), ("opening", _while_opening)
    ):  # fmt: skip
        for key, value in (await measure(store)).items():
            found[f"{name}_{key}"] = value
    for key in ("p95", "worst"):
        found[key] = max(value for name, value in found.items() if name.endswith(f"_{key}"))
    found["idle"] = found["opening_idle"]
    return found


async def _while_loading(store: str) -> Number:
    with tempfile.TemporaryDirectory() as folder:
        # no index from before
        os.environ["XDG_CACHE_HOME"] = folder
        async with opened(store) as one:
            await one.first()
            press(one.app, "plus")
            return await _held(one, 90)


async def _while_streaming(store: str) -> Number:
    """A run of 2,000 events streams into its tab."""
    with tempfile.TemporaryDirectory(prefix="cc-") as folder:
        os.environ["CREWCHECK_STATE_DIR"] = folder
        async with opened(store) as one:
            await one.first()
            await one.all_read()
            argv = [sys.executable, "-m", "tests.bench.app", "stream", store]
            writer = subprocess.Popen(argv, stdout=subprocess.PIPE)
            assert writer.stdout is not None
            await asyncio.to_thread(writer.stdout.readline)
            one.screen.look_for_runs()
            end = time.monotonic() + 20
            while not one.screen.runs and time.monotonic() < end:
                await asyncio.sleep(0.05)
            one.screen.detail.choose_tab("run")
            press(one.app, "plus")
            try:
                return await _held(one, 120)
            finally:
                writer.terminate()
                writer.wait()


async def _while_opening(store: str) -> Number:
    """Documents of 20 MB among small ones: the cursor rests on each, and goes on."""
    with tempfile.TemporaryDirectory() as folder:
        await asyncio.to_thread(mixed_store, Path(store), Path(folder))
        async with opened(folder) as one:
            await one.first()
            await one.all_read()
            # a page down, so that every key scrolls from here on
            press(one.app, "pagedown")
            await settled()
            idle = await _held(one, 40, 0.1)
            keys = Keys(one.app, lambda: one.cursor)
            for _ in range(4):
                await keys.go(one.watch, 10, 0.1)
            return spread(keys.waits) | {"idle": idle["median"]}


async def _held(one: Opened, count: int, every: float = HELD) -> Number:
    keys = Keys(one.app, lambda: one.cursor)
    await keys.go(one.watch, count, every)
    return spread(keys.waits)


def mixed_store(source: Path, folder: Path) -> None:
    """Checkpoints of a store as one run: ninety small ones, the newest, and before those of
    ten each one of 20 MB."""
    # what says that it is of another branch would be folded away
    small = sorted((source / "main").glob("*.json"))[:60]
    big = json.loads(small[0].read_bytes())
    record = big["event_record"]["nodes"]
    text = json.dumps(list(record.values()))
    copies = -(-_BIG // len(text))
    big["event_record"]["nodes"] = {
        f"{key}-{copy}": node for copy in range(copies) for key, node in record.items()
    }
    data = json.dumps(big)
    at = 0
    parent = "none"
    main = folder / "main"
    main.mkdir()
    for place in range(140):
        name = f"20261129T{10 + place // 60:02}{place % 60:02}00_{place:08x}"
        path = main / f"{name}_p-{parent}.json"
        if place % 10 == 5 and place < 50:
            path.write_text(data)
        else:
            shutil.copyfile(small[at % len(small)], path)
            at += 1
        parent = name


def stream(store: str) -> None:
    """Play a supervisor whose run tells of 2,000 events in four seconds."""
    from crewcheck.runtimes import lock
    from crewcheck.runtimes.journal import Journal
    from crewcheck.runtimes.spec import RunSpec
    from crewcheck.runtimes.state_dirs import make_run_folder

    first = next(Path(store).rglob("*.json")).stem.partition("_p-")[0]
    folder = make_run_folder()
    spec = RunSpec(store=os.path.abspath(store), checkpoint_id=first, python="python", cwd="/")
    (folder / "spec.json").write_bytes(spec.to_json())
    lock.take(folder / "lock")
    journal = Journal(folder / "journal.jsonl")
    journal.append([{"type": "supervised", "protocol": 1, "pid": os.getpid()}])
    journal.append([{"type": "started", "branch": "main", "checkpoint_id": first}])
    print("started", flush=True)
    time.sleep(1.0)
    for number in range(2000):
        kind = ("llm_call_started", "llm_call_completed", "tool_usage_finished")[number % 3]
        event = {"type": "event", "event": kind, "task": number // 200, "agent": "Writer",
                 "task_name": f"task {number // 200}", "model": "m", "tokens": 25}  # fmt: skip
        said = {"type": "log", "stream": "stdout", "text": f"line {number}: " + "words " * 20}
        journal.append([event, said])
        time.sleep(0.002)
    time.sleep(60)


Measure = Callable[[str], Coroutine[Any, Any, Number]]
MEASURES: dict[str, Measure] = {
    "first_screen": first_screen,
    "cursor_cpu": cursor_cpu,
    "held_cpu": held_cpu,
    "memory": memory,
    "key_to_paint": key_to_paint,
    "key_loading": _while_loading,
    "key_streaming": _while_streaming,
    "key_opening": _while_opening,
}


def main(name: str, store: str) -> None:
    if name == "stream":
        stream(store)
        return
    print(json.dumps(asyncio.run(MEASURES[name](store))))


if __name__ == "__main__":
    main(*sys.argv[1:])
