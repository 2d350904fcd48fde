"""Is a resume right, and is a fork? Goes on from the checkpoints of programs, and compares.

    python -m tests.fidelity [NAME ...] [--spread N] [--spawn N] [--corpus FOLDER]
    python -m tests.fidelity --without-project [--allow-losses] [NAME ...]

Each scenario (`scenario`) is run once without an interruption, with a checkpoint at each
event that can cause one. From each checkpoint it is then resumed and forked, with and without
edits, by what the commands call, in a process that is forked from one which has CrewAI
imported (`zygote`); a few times by the real command (--spawn).

Right is: the model is asked exactly what the same program asks it when it is run from the
start and the same comes out differently (`program`), without what the checkpoint has the
answers of (`answered`); the same text comes out; the new checkpoints are on the right branch,
descend from where the run began, and the newest says that it is finished (`judging`).

With --without-project each goes on from the checkpoint alone (`alone`): right is also what
is refused before anything is asked.

The exit code is 1 if one case was wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import suppress
from pathlib import Path

from crewcheck.demo import environment
from tests.fidelity import alone, scenario, table
from tests.fidelity.bench import Bench
from tests.fidelity.cases import COLUMNS, cases, spread_points
from tests.fidelity.judging import Verdict
from tests.fidelity.recording import Recording
from tests.fidelity.running import record_all, try_all


def main() -> int:
    options = _parser().parse_args()
    python = options.python or environment.make(lambda text: print(text, file=sys.stderr))
    began = time.monotonic()
    told: list[dict[str, object]] = []
    right = wrong = 0
    with _bench(options, python) as bench:
        scenarios = _scenarios(options)
        print(alone.head() if options.without_project else table.head())
        for one, recording in zip(
            scenarios, record_all(bench, scenarios, options.workers), strict=True
        ):
            if not isinstance(recording, Recording):
                print(f"{one.name.ljust(24)} not recorded: {recording}")
                wrong += 1
                continue
            if options.without_project:
                endings = _try_alone(bench, recording, options)
                told += [alone.as_json(one.name, ending) for ending in endings]
                bad = sum(ending.end == alone.WRONG for ending in endings)
                right, wrong = right + len(endings) - bad, wrong + bad
                lines = [alone.line(one.name, endings), *alone.details(endings, options.most)]
            else:
                verdicts = _try(bench, recording, options)
                told += map(table.as_json, verdicts)
                right += sum(verdict.right for verdict in verdicts)
                wrong += sum(not verdict.right for verdict in verdicts)
                lines = [table.line(one.name, verdicts), *table.details(verdicts, options.most)]
            print("\n".join(lines), flush=True)
    means = "right or refused" if options.without_project else "right"
    print(f"{right} {means}, {wrong} wrong, {time.monotonic() - began:.0f} s")
    if options.json:
        options.json.write_text(json.dumps(told, indent=1), "utf-8")
    return int(wrong > 0)


def _try(bench: Bench, recording: Recording, options: argparse.Namespace) -> list[Verdict]:
    least = recording.scenario.get("FROM_DONE", 0)
    counted = [one for one in recording.points if len(one.outputs) >= least]
    points = spread_points(counted, options.spread)
    wanted = [one for one in cases(recording, points) if one.column in options.column]
    verdicts = list(try_all(bench, wanted, workers=options.workers))
    if options.spawn:
        middle = recording.points[len(recording.points) // 2]
        some = [recording.points[0], middle] if options.spawn > 1 else [middle]
        chosen = [one for one in cases(recording, some) if one.column in options.column]
        verdicts += try_all(bench, chosen[: options.spawn], spawn=True, workers=options.workers)
    return verdicts


def _try_alone(
    bench: Bench, recording: Recording, options: argparse.Namespace
) -> list[alone.Ending]:
    points = spread_points(recording.points, options.spread)
    wanted = [one for one in cases(recording, points) if one.column in options.column]
    return list(
        alone.try_all_alone(
            bench, wanted, allow_losses=options.allow_losses, workers=options.workers
        )
    )


def _bench(options: argparse.Namespace, python: str) -> Bench:
    if options.corpus:
        from tests.fidelity.corpus import CorpusBench

        return CorpusBench(options.corpus, python, options.version, options.keep)
    return Bench(python, options.keep, options.provider)


def _scenarios(options: argparse.Namespace) -> list[scenario.Scenario]:
    if options.corpus:
        from tests.fidelity.corpus import scenarios_of

        return scenarios_of(options.corpus, options.version, options.names)
    return scenario.find(options.names)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fidelity",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="scenarios, or how their names begin [all]")
    add("--python", help="a Python that has crewai; else an environment is made")
    add("--spread", type=int, metavar="N", help="so many checkpoints of each [all]")
    add("--spawn", type=int, default=0, metavar="N", help="N cases of each by the real command")
    add("--column", action="append", choices=COLUMNS, help="only these cases")
    add("--provider", choices=["json", "sqlite"], default="json", help="the kind of store")
    add("--corpus", type=Path, metavar="FOLDER", help="recorded stores, with their programs")
    add("--version", default="1.15.30", help="of a corpus: stores of this CrewAI")
    add("--json", type=Path, metavar="FILE", help="write all verdicts there")
    add("--keep", type=Path, metavar="FOLDER", help="leave all stores and logs there")
    add("--most", type=int, default=8, metavar="N", help="so many wrong cases are explained")
    add("--without-project", action="store_true", help="resume from the checkpoints alone")
    add("--allow-losses", action="store_true", help="and accept what they cannot tell")
    add("--workers", type=int, default=2, metavar="N", help="so many at a time")
    parser.set_defaults(column=None)
    original = parser.parse_args

    def parse() -> argparse.Namespace:
        options = original()
        options.column = options.column or COLUMNS
        for name in ("corpus", "keep"):
            path = getattr(options, name)
            if path is not None:
                setattr(options, name, path.resolve())
        return options

    parser.parse_args = parse  # type: ignore[assignment,method-assign]
    return parser


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        sys.exit(main())
