"""``python -m tests.bench [NUMBER...]``: measure the bars, all or those of these numbers.

Ratios only: each pair is run by turns in one session, so that a busy machine slows both.
The exit code is 1 where a bar is missed or a command fails, 2 where nothing can be measured.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from crewcheck.demo import environment
from tests.bench.bars import BARS, Bar
from tests.bench.measure import Call, Failed, Sample, by_turns
from tests.bench.report import Row, as_json, judged, skipped, table
from tests.bench.session import Session, Skip
from tests.bench.stores import Stores
from tests.bench.subjects import Subject

_ROUNDS, _QUICK_ROUNDS = 5, 2


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description="Measure how fast crewcheck is, in ratios."
    )
    parser.add_argument(
        "numbers", nargs="*", type=int, metavar="NUMBER", help="bars (default: all)"
    )
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help="pairs (slow ones: at most 3)")
    parser.add_argument("--quick", action="store_true", help=f"{_QUICK_ROUNDS} rounds")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--stores", type=Path, metavar="FOLDER", help="where the stores are kept")
    parser.add_argument("--keep", action="store_true", help="keep the stores (12 GB) afterwards")
    parser.add_argument(
        "--peer", type=Path, metavar="PYTHON", help="a Python with CrewAI (default: the tests' own)"
    )
    parser.add_argument("--make-peer", action="store_true", help="make the tests' own if missing")
    args = parser.parse_args(argv)
    unknown = set(args.numbers) - {bar.number for bar in BARS}
    if unknown or args.rounds < 1:
        parser.error(f"there is no bar {min(unknown)}" if unknown else "--rounds is at least 1")
    return args


def main(argv: Sequence[str] | None = None) -> int:
    args = arguments(argv)
    folder: Path = args.stores or _cache() / "crewcheck-bench"
    numbers = set(args.numbers)
    bars = [bar for bar in BARS if not numbers or bar.number in numbers]
    peer: Path | None = args.peer and args.peer.absolute()
    if peer is None:
        found = environment.make(_tell) if args.make_peer else environment.ready()
        peer = Path(found) if found else None
    rounds = _QUICK_ROUNDS if args.quick else args.rounds
    began = time.monotonic()
    stores = Stores(folder)
    with tempfile.TemporaryDirectory(prefix="crewcheck-bench-") as scratch:
        session = Session(stores, Path(scratch), peer)
        try:
            rows = _measured(session, bars, rounds)
        except Skip as reason:
            print(reason, file=sys.stderr)
            return 2
        finally:
            if not (args.keep or args.stores):
                for left in stores.mine():
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
    print(as_json(rows) if args.json else table(rows))
    _tell(f"took {(time.monotonic() - began) / 60:.1f} min\n")
    if all(row.verdict == "skipped" for row in rows):
        return 2
    return int(any(row.verdict in ("MISSED", "FAILED") for row in rows))


def _measured(session: Session, bars: list[Bar], rounds: int) -> list[Row]:
    """The rows of the bars, in their order; measured scene by scene."""
    reasons: dict[Bar, str] = {}
    calls: dict[Bar, tuple[Call, Call]] = {}
    for bar in bars:
        try:
            calls[bar] = session.call(bar.ours), session.call(bar.theirs)
        except Skip as reason:
            reasons[bar] = str(reason)
    session.build(calls)
    # the paths of stores that have just been written
    calls = {bar: (session.call(bar.ours), session.call(bar.theirs)) for bar in calls}
    rows: dict[Bar, Row] = {bar: skipped(bar, reason) for bar, reason in reasons.items()}
    for scene in dict.fromkeys(bar.scene for bar in calls):
        here = [bar for bar in calls if bar.scene == scene]
        samples, failed = _scene(session, scene, {bar: calls[bar] for bar in here}, rounds)
        for bar in here:
            rows[bar] = judged(bar, samples, failed)
    return [rows[bar] for bar in bars]


def _scene(
    session: Session, scene: str, bars: dict[Bar, tuple[Call, Call]], rounds: int
) -> tuple[dict[str, list[Sample]], dict[str, str]]:
    """Samples by the subjects' labels, and why some have none."""
    subjects: dict[str, tuple[Subject, Call]] = {}
    for bar, (ours, theirs) in bars.items():
        subjects[bar.ours.label] = bar.ours, ours
        subjects[bar.theirs.label] = bar.theirs, theirs
    failed: dict[str, str] = {}
    _tell(f"{scene} ...")
    session.warm(bars)
    for label, (subject, call) in subjects.items():
        try:
            session.prepare(subject, call)
        except Failed as error:
            failed[label] = str(error)
    ready = {label: call for label, (_, call) in subjects.items() if label not in failed}
    tell = (lambda text: _tell(f"{scene}: {text}")) if sys.stderr.isatty() else (lambda text: None)
    samples, late = by_turns(ready, rounds, tell)
    return samples, failed | late


def _tell(text: str) -> None:
    """Say on stderr what goes on, on one line of a terminal."""
    end, start = ("", "\r\033[K") if sys.stderr.isatty() else ("\n", "")
    print(f"{start}{text}", end=end, file=sys.stderr, flush=True)


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


if __name__ == "__main__":
    sys.exit(main())
