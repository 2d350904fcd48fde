"""Make the store that `crewcheck demo` shows, by really running the demo project.

Run it with an interpreter that has CrewAI (it was made with 1.15.30); crewcheck itself is not needed:

    path/to/python tests/demo_tools/make_demo_store.py

It runs the crew of `crewcheck/demo/project` against `crewcheck/demo/model_server.py`, offline:

1. on branch `main`, to the end;
2. as a fork from the checkpoint after the second task, on branch `what-if/shorter`, with fewer words
   wanted and the second task's output edited;
3. on branch `main` again, for another audience, while the model refuses the third task.

Each run has a process of its own and is repeated until CrewAI has lost none of its checkpoints. Then the
documents are cleaned (see `clean`), checked, and put into `crewcheck/demo/store`, which is replaced.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

DEMO = Path(__file__).resolve().parents[2] / "crewcheck" / "demo"
PORT = 8765
BRANCH = "what-if/shorter"
EDITED_ANGLE = (
    "**One lamp, one promise**\n\n"
    "For: shift workers\n"
    "Promise: Light wakes you, and nothing else does.\n"
    "Proof: \u201cA ringing alarm wakes the whole home.\u201d\n"
    "Tone: short enough for a poster."
)
INPUTS: dict[str, dict[str, Any]] = {
    "main": {},
    "fork": {"max_words": 60},
    "failed": {"audience": "new parents"},
}
"""What differs from the project's own inputs."""
REFUSED = "Write the launch brief"
"""The third task, by its first words."""
EXPECTED = {
    "main": ["crew_kickoff_started", *["task_completed"] * 4, "crew_kickoff_completed"],
    "fork": [*["task_completed"] * 2, "crew_kickoff_completed"],
    "failed": ["crew_kickoff_started", *["task_completed"] * 2, "crew_kickoff_failed"],
}
ATTEMPTS = 25
FORBIDDEN = re.compile(r"sk-|/root|/work|/tmp|/home|/Users")


def load(path: Path) -> Any:
    """Import a file that is in no package here."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


# ---------------------------------------------------------------- in a process per run


def run(step: str, source: str) -> None:
    """Run the project once; the working folder has a copy of it and the store."""
    project = load(Path("crew.py").resolve())
    settle()
    crew = fork(project, source) if step == "fork" else project.crew
    crew.kickoff(inputs={**project.INPUTS, **INPUTS[step]})


def settle() -> None:
    """Let each checkpoint be written before the next task starts, so that every one has its own parent."""
    from crewai import Task
    from crewai.events import crewai_event_bus

    original = Task.execute_sync

    def execute_sync(self: Any, *args: Any, **kwargs: Any) -> Any:
        crewai_event_bus.flush()
        try:
            return original(self, *args, **kwargs)
        finally:
            crewai_event_bus.flush()

    Task.execute_sync = execute_sync


def fork(project: Any, source: str) -> Any:
    """CrewAI's own fork, with what a document cannot hold taken from the project, and with our edits."""
    from crewai import CheckpointConfig, Crew

    crew = Crew.fork(CheckpointConfig(restore_from=source), BRANCH)
    mine = project.build_crew()
    for agent, own in zip(crew.agents, mine.agents, strict=True):
        agent.role, agent.goal, agent.backstory = own.role, own.goal, own.backstory  # the templates
    for task, own in zip(crew.tasks, mine.tasks, strict=True):
        if isinstance(own.context, list):
            task.context = [crew.tasks[mine.tasks.index(other)] for other in own.context]
    crew.tasks[1].output.raw = EDITED_ANGLE
    return crew


# ---------------------------------------------------------------- around the runs


def documents(store: Path) -> dict[str, dict[str, Any]]:
    """Checkpoint id to document, oldest first."""
    paths = sorted(store.rglob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    return {path.stem.split("_p-")[0]: json.loads(path.read_bytes()) for path in paths}


def made(step: str, before: dict[str, Any], after: dict[str, Any], source: str) -> str | None:
    """What is wrong with the checkpoints that a run has added, or nothing."""
    new = {key: document for key, document in after.items() if key not in before}
    if (got := [document.get("trigger") for document in new.values()]) != EXPECTED[step]:
        return f"checkpoints lost or out of order: {got}"
    parent = Path(source).stem.split("_p-")[0] if source else None
    for key, document in new.items():
        if document["parent_id"] != parent:
            return f"{key} has the parent {document['parent_id']}, not {parent}"
        if document["branch"] != (BRANCH if step == "fork" else "main"):
            return f"{key} is on branch {document['branch']}"
        parent = key
    return None


def perform(step: str, folder: Path, source: Path | None = None) -> None:
    """Do one run, again and again until its checkpoints are complete."""
    store = folder / ".checkpoints"
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder / "home"),
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CREWAI_DISABLE_TELEMETRY": "true",
        "CREWAI_TRACING_ENABLED": "false",
        "OTEL_SDK_DISABLED": "true",
        "CREWAI_STORAGE_DIR": "demo",
    }
    given = str(source.relative_to(folder)) if source else ""
    command = [sys.executable, str(Path(__file__).resolve()), "--step", step, "--source", given]
    before = documents(store)
    kept = set(store.rglob("*.json"))
    problem: str | None = None
    for attempt in range(1, ATTEMPTS + 1):
        with open(folder / f"{step}.log", "ab") as log:
            result = subprocess.run(
                command, cwd=folder, env=environment, stdout=log, stderr=log, check=False
            )
        failed = result.returncode != 0
        problem = made(step, before, documents(store), given)
        if problem is None and failed == (step == "failed"):
            print(f"{step}: good at attempt {attempt}", flush=True)
            return
        print(
            f"{step}: attempt {attempt}: {problem or f'exit status {result.returncode}'}",
            flush=True,
        )
        for path in set(store.rglob("*.json")) - kept:
            path.unlink()
    raise SystemExit(f"{step}: {problem}; see {folder / f'{step}.log'}")


def clean(document: dict[str, Any]) -> dict[str, Any]:
    """Take out the key, and the copies that make these documents big.

    CrewAI writes a whole agent into each event and each task, its executor with all messages included, and
    a whole task into each event. One of each stays: the crew's agents and tasks, and the executors that are
    entities of their own. In the copies the executor, the model and the output are null, as they are before
    a run.
    """
    for entity in document["entities"]:
        for task in entity.get("tasks") or []:
            task["agent"]["agent_executor"] = None
    for node in document["event_record"]["nodes"].values():
        event = node["event"]
        agent, task = event.get("agent"), event.get("task")
        if isinstance(agent, dict):
            agent["agent_executor"] = agent["llm"] = None
        if isinstance(task, dict):
            task["agent"] = task["output"] = None
            if isinstance(agent, dict):
                event["task"] = {
                    key: task[key] for key in ("id", "name", "description", "expected_output")
                }
    cleaned = redacted(document)
    assert isinstance(cleaned, dict)
    return cleaned


def redacted(value: Any) -> Any:
    """A copy in which no API key is left, not even the made-up one."""
    if isinstance(value, dict):
        return {
            key: "<redacted>" if key == "api_key" and item is not None else redacted(item)
            for key, item in value.items()
        }
    return [redacted(item) for item in value] if isinstance(value, list) else value


def publish(store: Path, target: Path) -> None:
    """Clean and check each document, and put them all where the package has them."""
    made_of = {
        path: json.dumps(clean(json.loads(path.read_bytes()))) for path in store.rglob("*.json")
    }
    for path, text in made_of.items():
        if found := FORBIDDEN.search(text):
            raise SystemExit(
                f"{path.name} has {text[max(0, found.start() - 60) : found.end() + 60]!r}"
            )
    shutil.rmtree(target, ignore_errors=True)
    for path, text in made_of.items():
        place = target / path.relative_to(store)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="ascii")
        modified = path.stat().st_mtime_ns
        os.utime(place, ns=(modified, modified))
    total = sum(map(len, made_of.values()))
    print(f"{len(made_of)} checkpoints, {total / 1e6:.2f} MB in {target}")


def main() -> None:
    """Make the whole store, or (as a child of itself) do one run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--out", type=Path, default=DEMO / "store", help="where the store goes (it is replaced)"
    )
    parser.add_argument(
        "--pause", type=float, default=150.0, metavar="SECONDS", help="between the runs"
    )
    parser.add_argument(
        "--seconds-per-word", type=float, default=0.05, help="how fast the model writes"
    )
    parser.add_argument("--step", choices=sorted(EXPECTED), help=argparse.SUPPRESS)
    parser.add_argument("--source", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        run(options.step, options.source)
        return

    server = load(DEMO / "model_server.py").serve(PORT, seconds_per_word=options.seconds_per_word)
    with tempfile.TemporaryDirectory(prefix="demo-store-") as name, server:
        folder = Path(name)
        (folder / "home").mkdir()
        store = folder / ".checkpoints"
        store.mkdir()
        shutil.copy(DEMO / "project" / "crew.py", folder)
        perform("main", folder)
        after_second = list(documents(store))[2]
        source = next(store.rglob(f"{after_second}_p-*.json"))
        time.sleep(options.pause)
        perform("fork", folder, source)
        time.sleep(options.pause)
        server.fail(REFUSED)
        perform("failed", folder)
        publish(store, options.out)


if __name__ == "__main__":
    main()
