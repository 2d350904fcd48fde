"""Whole processes, run by turns: seconds on the clock and of the CPU, and peak memory."""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from resource import struct_rusage
from typing import NamedTuple

#: What one run gave: ``wall`` and ``cpu`` in seconds, ``peak`` in bytes, and what a command
#: that answers in JSON has printed.
Sample = Mapping[str, float]

#: Where a command takes longer than this (seconds), fewer rounds have to do; where none takes
#: as long as that, there are more.
SLOW, SLOW_ROUNDS = 20.0, 3
QUICK, QUICK_TIMES = 2.0, 3
TIMEOUT = 600

ROOT = Path(__file__).resolve().parents[2]


class Failed(Exception):
    """A command did not do what it is measured for."""


class Call(NamedTuple):
    """A command line that can be run; ``lines`` is the least it must print, ``says`` what must
    occur there. ``before`` and ``after`` are not measured."""

    argv: Sequence[str]
    env: Mapping[str, str]
    lines: int = 0
    says: str = ""
    speaks_json: bool = False
    before: Callable[[], None] | None = None
    after: Callable[[], None] | None = None


def once(call: Call) -> Sample:
    """Run a command to its end. Raises `Failed`."""
    with contextlib.ExitStack() as stack, tempfile.TemporaryFile() as out:
        errors = stack.enter_context(tempfile.TemporaryFile())
        if call.before is not None:
            call.before()
        if call.after is not None:
            stack.callback(call.after)
        began = time.perf_counter()
        process = subprocess.Popen(
            call.argv,
            cwd=ROOT,
            env=dict(call.env),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
        )
        status, usage = _wait(process)
        wall = time.perf_counter() - began
        if status:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().splitlines() or ["no message"]
            raise Failed(f"{_short(call.argv)}: exit code {status}, {said[-1][:200]}")
        out.seek(0)
        answer = out.read()
    if answer.count(b"\n") < call.lines or call.says.encode() not in answer:
        raise Failed(f"{_short(call.argv)}: did not print what it should")
    scale = 1 if sys.platform == "darwin" else 1024
    sample = {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak": float(usage.ru_maxrss * scale),
    }
    if call.speaks_json:
        told = json.loads(answer.splitlines()[-1])
        sample |= {key: value for key, value in told.items() if isinstance(value, int | float)}
    return sample


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, struct_rusage]:
    """The exit code and what the process used; it is killed where it hangs."""
    timer = threading.Timer(TIMEOUT, process.kill)
    timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage


def _short(argv: Sequence[str]) -> str:
    return " ".join(Path(part).name if os.sep in part else part for part in argv[:6])


def by_turns(
    calls: Mapping[str, Call], rounds: int, tell: Callable[[str], None]
) -> tuple[dict[str, list[Sample]], dict[str, str]]:
    """Run commands A B C A B C ...; returns their samples, and why others have none.

    A command that fails once is left out from then on.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in calls}
    failed: dict[str, str] = {}
    done = 0
    while done < rounds:
        for name, call in calls.items():
            if name in failed:
                continue
            tell(f"round {done + 1} of {rounds}: {name}")
            try:
                samples[name].append(once(call))
            except Failed as error:
                failed[name] = str(error)
        done += 1
        slowest = max((one["wall"] for taken in samples.values() for one in taken), default=0.0)
        if done == 1 and slowest < QUICK:
            rounds *= QUICK_TIMES
        if slowest > SLOW:
            rounds = min(rounds, SLOW_ROUNDS)
    return {name: taken for name, taken in samples.items() if name not in failed}, failed


def median(samples: Sequence[Sample], key: str) -> float:
    return statistics.median(one[key] for one in samples)


def ratio(
    over: Sequence[Sample], under: Sequence[Sample], key: str, under_key: str | None = None
) -> float:
    """The median of the ratios of the rounds: what slows one round slows both of it."""
    low = under_key or key
    return statistics.median(a[key] / b[low] for a, b in zip(over, under, strict=False))
