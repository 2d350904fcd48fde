"""The measurements of `app` for CrewAI's own screen; run by CrewAI's Python."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from crewai_cli.checkpoint_tui import CheckpointTUI  # type: ignore[import-not-found]
from textual.widgets import Tree

from tests.bench.screens import Number, Watch, cpu_per_key, resident, running, settled


class Opened:
    """CrewAI's screen over a store, from its start on."""

    def __init__(self, store: str) -> None:
        self.began = time.perf_counter()
        self.app = CheckpointTUI(store)
        self.watch = Watch(self.app)

    @property
    def tree(self) -> Tree[Any]:
        tree: Tree[Any] = self.app.query_one("#tree-panel", Tree)
        return tree

    def drawn(self) -> bool:
        """Whether rows of the store have been painted."""
        if not self.app.screen_stack or not self.app.query("#tree-panel"):
            return False
        tree = self.tree
        return len(tree.root.children) > 0 and tree.size.height > 0 and len(tree._line_cache) > 0

    async def first(self) -> float:
        return await self.watch.until(self.drawn) - self.began


@asynccontextmanager
async def opened(store: str) -> AsyncIterator[Opened]:
    made = Opened(store)
    async with running(made.app):
        yield made


async def first_screen(store: str) -> Number:
    """Seconds from its start to the first rows."""
    async with opened(store) as one:
        return {"seconds": await one.first()}


async def cursor_cpu(store: str) -> Number:
    """CPU seconds of a cursor move with the detail that it brings, less a key's that nobody
    takes."""
    async with opened(store) as one:
        await one.first()
        one.tree.focus()
        await settled()
        ignored = await cpu_per_key(one.app, "f12", 20, 0.4)
        move = await cpu_per_key(one.app, "down", 20, 0.4)
        return {"seconds": move - ignored, "key": move, "ignored": ignored}


async def memory(store: str) -> Number:
    """Bytes that it holds when the store is shown."""
    async with opened(store) as one:
        await one.first()
        await settled()
        return {"bytes": resident()}


MEASURES: dict[str, Callable[[str], Coroutine[Any, Any, Number]]] = {
    one.__name__: one for one in (first_screen, cursor_cpu, memory)
}


def main(name: str, store: str) -> None:
    print(json.dumps(asyncio.run(MEASURES[name](store))))


if __name__ == "__main__":
    main(*sys.argv[1:])
