"""Is a resume right? Resumes from each checkpoint of recorded runs, and compares.

    python -m tests.fidelity CORPUS [SCENARIO ...] [--provider json|sqlite] [--python PYTHON]

CORPUS holds ``scenarios/NAME.py`` (user programs with a ``target``), ``fake_llm_server.py``
(a model that logs a key for each request), and ``stores/VERSION/NAME/`` with ``meta.json``
(the requests and the final text of an uninterrupted run) and the store.

Right is: exactly the requests that the uninterrupted run made after that point, in order,
none twice and none new; the same final text; new checkpoints on the same branch, chained
to the one resumed from. The exit code is 1 where one case is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crewcheck.demo import environment
from crewcheck.engine.catalog import open_catalog
from crewcheck.model.document import objects
from crewcheck.model.primary import primary

ROOT = Path(__file__).resolve().parents[1]
PORT = 18977  # the stores name it
SECONDS = 120
CREWS = [
    "crew_sequential", "crew_fault_task2", "crew_forks", "crew_context_subset", "crew_sqlite",
    "crew_nasty_text", "crew_empty_output", "crew_prune", "crew_sigint", "crewbase_project",
]  # fmt: skip


@dataclass
class Case:
    """One checkpoint, and what a resume from it must do."""

    scenario: str
    checkpoint_id: str
    branch: str
    wanted: list[str]
    final: str | None


class Bench:
    """A corpus, an interpreter with crewai, and a model that logs what it is asked."""

    def __init__(self, corpus: Path, python: str, provider: str, version: str) -> None:
        self.corpus = corpus
        self.python = python
        self.provider = provider
        self.stores = corpus / "stores" / version

    @contextmanager
    def model(self) -> Iterator[None]:
        command = [sys.executable, str(self.corpus / "fake_llm_server.py"), "--port", str(PORT)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
            try:
                for _ in range(100):
                    try:
                        urllib.request.urlopen(f"http://127.0.0.1:{PORT}/v1/models", timeout=1)
                        break
                    except OSError:
                        time.sleep(0.05)
                yield
            finally:
                server.terminate()

    def log_to(self, path: Path) -> None:
        request = urllib.request.Request(
            f"http://127.0.0.1:{PORT}/_control/log",
            json.dumps({"path": str(path)}).encode(),
            {"Content-Type": "application/json"},
        )
        urllib.request.urlopen(request, timeout=5).close()

    def cases(self, scenario: str) -> list[Case]:
        """Each checkpoint of a scenario's store, with what the uninterrupted run did after it."""
        meta = json.loads((self.stores / scenario / "meta.json").read_text())
        with open_catalog(str(self._original(scenario))) as catalog:
            catalog.read_summaries()
            return [
                self._case(scenario, meta["baseline"], one, catalog.store.document(one.header))
                for one in catalog.checkpoints
            ]

    def _case(self, scenario: str, baseline: dict[str, Any], one: Any, doc: dict[str, Any]) -> Case:
        tasks = objects((primary(doc, []) or {}).get("tasks"))
        keys = [key for key, _ in baseline["requests"]][: len(tasks)]
        pending = [index for index, task in enumerate(tasks) if task.get("output") is None]
        ids = {tasks[index].get("id") for index in pending}
        nodes = doc["event_record"]["nodes"].values()
        # a call of a task under way that was answered is not asked again
        answered = sum(
            node["event"]["type"] == "llm_call_completed" and node["event"].get("task_id") in ids
            for node in nodes
        )
        wanted = [keys[index] for index in pending][answered:]
        final = baseline["final"]
        if scenario == "crew_forks" and one.branch != "main" and not one.branch.startswith("fork/"):
            # made with other inputs: no uninterrupted run to compare with but their number
            return Case(scenario, one.id, one.branch, ["?"] * len(wanted), None)
        return Case(scenario, one.id, one.branch, wanted, final)

    def _original(self, scenario: str) -> Path:
        database = self.stores / scenario / "checkpoints.db"
        return database if database.exists() else self.stores / scenario / "store"

    def run(self, case: Case) -> str:
        """Resume from a checkpoint; empty if all was right, else what was not."""
        with tempfile.TemporaryDirectory(prefix="fidelity-") as name:
            folder = Path(name)
            store = self._store(case.scenario, folder)
            log = folder / "requests.jsonl"
            self.log_to(log)
            command = [
                sys.executable, "-m", "crewcheck", "resume", f"{store}#{case.checkpoint_id}",
                "--entry", f"{case.scenario}:target", "--python", self.python, "--yes", "--json",
            ]  # fmt: skip
            done = subprocess.run(
                command, cwd=folder, env=self._env(folder), capture_output=True, text=True,
                timeout=SECONDS, check=False,
            )  # fmt: skip
            asked = [json.loads(line)["key"] for line in _lines(log)]
            last = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}
            if done.returncode or last.get("type") != "finished":
                return f"exit {done.returncode}: {last.get('error') or done.stderr.strip()}"
            return _compare(case, asked, last) or _lineage(case, store, last)

    def _store(self, scenario: str, folder: Path) -> Path:
        original = self._original(scenario)
        if self.provider == "json":
            shutil.copytree(original, folder / ".checkpoints")
            return folder / ".checkpoints"
        store = folder / ".checkpoints.db"
        if original.is_file():
            shutil.copyfile(original, store)
            return store
        with open_catalog(str(original)) as catalog, closing(sqlite3.connect(store)) as db, db:
            catalog.read_summaries()
            db.execute(
                "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, "
                "parent_id TEXT, branch TEXT NOT NULL DEFAULT 'main', data JSONB NOT NULL)"
            )
            for one in catalog.checkpoints:
                text = json.dumps(catalog.store.document(one.header))
                row = one.id, one.id.split("_")[0], one.parent_id, one.branch, text
                db.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", row)
        return store

    def _env(self, folder: Path) -> dict[str, str]:
        return {
            **os.environ,
            "HOME": str(folder),
            "CREWCHECK_STATE_DIR": str(folder / "state"),
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(self.corpus / "scenarios")]),
            "CORPUS_PROVIDER": self.provider,
        }


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _compare(case: Case, asked: list[str], last: dict[str, Any]) -> str:
    if case.final is None:
        if len(asked) != len(case.wanted) or len(set(asked)) != len(asked):
            return f"{len(asked)} requests instead of {len(case.wanted)}"
        return ""
    if asked != case.wanted:
        return f"asked {asked} instead of {case.wanted}"
    return "" if last["result"] == case.final else f"ended with {last['result'][:60]!r}"


def _lineage(case: Case, store: Path, last: dict[str, Any]) -> str:
    """New checkpoints are on the branch, the newest one descends from the source."""
    if last.get("nothing_to_run"):
        return ""
    with open_catalog(str(store)) as catalog:
        catalog.read_summaries()
        (node,) = catalog.forest.by_id[last["checkpoint_id"]]
        if node.checkpoint.branch != case.branch:
            return f"written on branch {node.checkpoint.branch}"
        while node.parent is not None and node.checkpoint.id != case.checkpoint_id:
            node = node.parent
        # a crew with max_checkpoints may have pruned the source meanwhile
        pruned = case.checkpoint_id not in catalog.forest.by_id and node.missing_parent is not None
        chained = pruned or node.checkpoint.id == case.checkpoint_id
        return "" if chained else "not chained to its source"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("scenarios", nargs="*", default=CREWS)
    parser.add_argument("--provider", choices=["json", "sqlite"], default="json")
    parser.add_argument("--python", help="has crewai; else an environment is made")
    parser.add_argument("--version", default="1.15.30")
    options = parser.parse_args()
    python = options.python or environment.make(lambda text: print(text, file=sys.stderr))
    bench = Bench(options.corpus.resolve(), python, options.provider, options.version)
    passed = failed = 0
    with bench.model():
        for scenario in options.scenarios:
            if options.provider == "json" and (bench.stores / scenario / "checkpoints.db").exists():
                continue
            cases = bench.cases(scenario)
            wrong = {case.checkpoint_id: said for case in cases if (said := bench.run(case))}
            passed += len(cases) - len(wrong)
            failed += len(wrong)
            print(f"{scenario:<22} {len(cases) - len(wrong):>3}/{len(cases)}", flush=True)
            for checkpoint_id, said in wrong.items():
                print(f"    {checkpoint_id}: {said}")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
