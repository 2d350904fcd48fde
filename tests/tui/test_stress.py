"""A writer at full speed, and everything that reads at the same time: nobody sees an error."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.catalog import open_catalog
from tests.cli.watching import ROOT, Watch, environment
from tests.tui.conftest import Running, screen_of

KEPT = 200


def writer(home: Path, kind: str, store: Path, count: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "tests.writer", kind, str(store), str(count), str(KEPT)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            cwd=ROOT, env=environment(home))  # fmt: skip


def seconds_of(process: subprocess.Popen[str]) -> float:
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    return float(out)


def on_disk(store: Path) -> list[str]:
    """What is there, oldest first, by a fresh look that must find nothing wrong."""
    with open_catalog(str(store)) as catalog:
        catalog.read_summaries()
        for one in catalog.checkpoints:
            assert one.damage is None or one.damage.rule == "parent-missing", one.damage
        return [one.id for one in catalog.checkpoints]


async def stress(running: Running, home: Path, kind: str, count: int) -> None:
    alone = home / f"alone.{kind}"
    rate_alone = count / seconds_of(writer(home, kind, alone, count))
    store = home / f"store.{kind}"
    listings, errors = 0, []
    async with running(store, following=True) as pilot:
        with Watch(home, store, "--json", "--existing") as watch:
            await asyncio.sleep(1)
            process = writer(home, kind, store, count)
            while process.poll() is None:
                listing = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "crewcheck", "list", str(store), "--json",
                    stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
                    env=environment(home), cwd=home,
                )  # fmt: skip
                out, err = await listing.communicate()
                listings += 1
                errors += _wrong(listing.returncode, out, err)
            rate = count / seconds_of(process)
            final = on_disk(store)
            assert final[-1].endswith(f"_{count:08x}")
            assert len(final) == min(count, KEPT)
            await _until(lambda: _alive(watch.events()) == set(final))
            await _until(lambda: _shown(pilot) == final)
            events = watch.events()
            assert watch.stop() == 130
    said = watch.err.read_text().strip()
    print(f"{kind}: {count} written, {rate:.0f}/s beside us, {rate_alone:.0f}/s alone: "
          f"{rate / rate_alone:.2f}; {listings} listings, {len(events)} events")  # fmt: skip
    assert errors == []
    assert said == f"crewcheck: {store} is not there yet: waiting for it"
    added = [event["id"] for event in events if event["type"] == "added"]
    removed = [event["id"] for event in events if event["type"] == "removed"]
    # each one that was told of is still there, or was told to be gone; none twice
    assert set(added) - set(removed) == set(final)
    assert len(added) == len(set(added))
    assert len(removed) == len(set(removed))
    rules = {event["damage"]["rule"] for event in events if event["damage"]}
    assert rules <= {"parent-missing", "being-written"}
    assert rate > 0


def _wrong(code: int | None, out: bytes, err: bytes) -> list[object]:
    if code in (3, 4) and (b"no such file" in err or b"empty file" in err
                           or b"without checkpoints" in err):  # fmt: skip
        return []  # it is only just being made
    if code != 0 or b"Traceback" in err or b"damaged" in err or b"cannot" in err:
        return [(code, err)]
    rows = json.loads(out)
    return [
        row["damage"] for row in rows
        if row["damage"] and row["damage"]["rule"] not in ("parent-missing", "being-written")
    ]  # fmt: skip


def _alive(events: list[dict[str, Any]]) -> set[str]:
    found: set[str] = set()
    for event in events:
        (found.discard if event["type"] == "removed" else found.add)(event["id"])
    return found


def _shown(pilot: Any) -> list[str]:
    screen = screen_of(pilot)
    if screen.forest is None or not screen.has_store:
        return []
    gone = {one.id for one in screen.session.gone} if screen.session is not None else set()
    return [n.checkpoint.id for n in screen.forest.order if n.checkpoint.id not in gone]


async def _until(what: Any) -> None:
    end = time.monotonic() + 40
    while not what():
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("kind", ["json", "sqlite"])
async def test_everybody_reads_while_somebody_writes(
    running: Running, tmp_path: Path, kind: str
) -> None:
    await stress(running, tmp_path, kind, 200 if kind == "json" else 60)


@pytest.mark.torture
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["json", "sqlite"])
async def test_everybody_reads_while_somebody_writes_a_lot(
    running: Running, tmp_path: Path, kind: str
) -> None:
    await stress(running, tmp_path, kind, 20_000 if kind == "json" else 2_000)
