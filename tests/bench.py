"""How fast crewcheck is: ratios of commands run by turns in one session (``make bench``).

Each pair is run several times, alternating, so that a busy machine slows both. The bars
are the most (or least) a ratio may be; the exit code is 1 where one is missed.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 15
OURS = [sys.executable, "-m", "crewcheck"]


@dataclass(frozen=True)
class Pair:
    """A command and what it is measured against; ``bar`` is the most their ratio may be."""

    what: str
    command: Sequence[str]
    against: str
    floor: Sequence[str]
    bar: float


def pairs(empty: Path) -> list[Pair]:
    click = [sys.executable, "-c", "import click"]
    return [
        Pair("crewcheck --version", [*OURS, "--version"], "import click", click, 1.5),
        Pair(
            "crewcheck list, empty store", [*OURS, "list", str(empty)], "import click", click, 1.5
        ),
    ]


def seconds(command: Sequence[str], env: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=env, check=True, capture_output=True)
    return time.perf_counter() - began


def measure(pair: Pair, env: dict[str, str]) -> tuple[float, float]:
    """Medians in seconds of the command and of what it is measured against."""
    ours, theirs = [], []
    seconds(pair.command, env)
    for _ in range(ROUNDS):
        ours.append(seconds(pair.command, env))
        theirs.append(seconds(pair.floor, env))
    return statistics.median(ours), statistics.median(theirs)


def main() -> int:
    missed = 0
    with tempfile.TemporaryDirectory() as home:
        empty = Path(home) / "empty"
        empty.mkdir()
        env = {**os.environ, "HOME": home}
        # as installed: with compiled modules
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        print(f"{'what':<30} {'ms':>7}  {'against':<14} {'ms':>7} {'ratio':>7} {'bar':>6}")
        for pair in pairs(empty):
            ours, theirs = measure(pair, env)
            ratio = ours / theirs
            missed += ratio > pair.bar
            print(
                f"{pair.what:<30} {ours * 1000:7.0f}  {pair.against:<14} {theirs * 1000:7.0f} "
                f"{ratio:7.2f} {pair.bar:6.2f}{'  MISSED' if ratio > pair.bar else ''}"
            )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
