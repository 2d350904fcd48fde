"""Starts children and user programs in an interpreter that has crewai."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crewcheck.runtimes.wire import LAST, Message, Reader, dump
from tests.fake_model import FakeModel

ROOT = Path(__file__).resolve().parents[3]
BOOT = ROOT / "crewcheck" / "runtimes" / "boot" / "child.py"
PROJECTS = ROOT / "tests" / "projects"
SECONDS = 100.0


@dataclass
class Place:
    """A scratch folder: a copy of a project, a home of its own, a model to ask."""

    folder: Path
    python: str
    model_url: str

    @property
    def project(self) -> Path:
        return self.folder / "project"

    def environment(self, **more: str) -> dict[str, str]:
        inherited = {
            key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ
        }
        return {
            **inherited,
            "HOME": str(self.folder / "home"),
            "MODEL_URL": self.model_url,
            "CREWAI_DISABLE_TELEMETRY": "true",
            "CREWAI_TRACING_ENABLED": "false",
            "OTEL_SDK_DISABLED": "true",
            "PYTHONUNBUFFERED": "1",
            **more,
        }

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the project to its end, as the user would."""
        return subprocess.run(
            [self.python, *arguments],
            cwd=self.project,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def command(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run crewcheck in the project's folder, in a pipe."""
        return subprocess.run(
            [sys.executable, "-m", "crewcheck", *arguments],
            cwd=self.project,
            env=self.environment(PYTHONPATH=str(ROOT), **environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def record(
        self, model: FakeModel, *arguments: str, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a program that writes checkpoints, as the user would, until none was lost.

        CrewAI dumps its objects in one thread while others change them: now and then it loses
        a checkpoint by that, or the whole run. The model has only the last run's requests.
        """
        pristine = self.folder / "pristine"
        shutil.copytree(self.project, pristine)
        for _ in range(10):
            model.requests.clear()
            ended = self.run(*arguments, **environment)
            if "during iteration" not in ended.stderr:
                return ended
            for folder in (self.project, self.folder / "home"):
                shutil.rmtree(folder)
            shutil.copytree(pristine, self.project)
            (self.folder / "home").mkdir()
        raise AssertionError(f"CrewAI lost checkpoints ten times\n{ended.stderr[-4000:]}")


def make_place(folder: Path, python: str, model_url: str, project: str) -> Place:
    """A copy of a project in a folder; ``odd`` stands beside ``zoo``."""
    place = Place(folder, python, model_url)
    shutil.copytree(PROJECTS / project, place.project)
    (folder / "home").mkdir()
    return place


class Child:
    """A running child. ``messages`` is all that it has said."""

    def __init__(
        self, place: Place, spec: Mapping[str, Any], environment: Mapping[str, str] | None = None
    ) -> None:
        spec_path = place.folder / "spec.json"
        spec_path.write_text(json.dumps(spec), encoding="utf-8")
        theirs_in, self._orders = os.pipe()
        self._said, theirs_out = os.pipe()
        self.log_path = place.folder / "log.txt"
        with self.log_path.open("wb") as log:
            self.process = subprocess.Popen(
                [place.python, BOOT, spec_path, str(theirs_in), str(theirs_out)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=place.project,
                env=environment or place.environment(),
                pass_fds=(theirs_in, theirs_out),
                start_new_session=True,
            )
        os.close(theirs_in)
        os.close(theirs_out)
        self._reader = Reader()
        self._seen = 0
        self.messages: list[Message] = []

    @property
    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8")

    def send(self, kind: str, **fields: Any) -> None:
        os.write(self._orders, dump({"type": kind, **fields}))

    def until(self, *kinds: str, event: str | None = None) -> Message:
        """Wait for a message of some types (or a last one, or an event of a type)."""
        end = time.monotonic() + SECONDS
        while True:
            while self._seen < len(self.messages):
                message = self.messages[self._seen]
                self._seen += 1
                wanted = message["type"] in kinds and event in (None, message.get("event"))
                if wanted or message["type"] in LAST:
                    return message
            ready, _, _ = select.select([self._said], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self._said, 1 << 16) if ready else b""
            assert data, f"the child said nothing more: {self.messages[-3:]}\n{self.log[-3000:]}"
            self.messages += self._reader.feed(data)

    def plan(self) -> Message:
        message = self.until("plan")
        assert message["type"] == "plan", message
        return message

    def go(self, plan: Message, **more: Any) -> None:
        """Say yes to a plan."""
        keep = [item["index"] for item in plan["items"] if item["action"] == "keep"]
        self.send("go", **{"keep": keep, "branch": plan["branch"], **more})

    def end(self) -> Message:
        """The last message, when the child is gone."""
        message = self.until()
        self.process.wait(20)
        return message

    def of(self, kind: str) -> list[Message]:
        return [message for message in self.messages if message["type"] == kind]

    def signal(self, number: signal.Signals) -> None:
        os.killpg(self.process.pid, number)

    def hang_up(self, *, all_of_it: bool = False) -> None:
        """Close the end that says ``go``; or both."""
        os.close(self._orders)
        self._orders = -1
        if all_of_it:
            os.close(self._said)
            self._said = -1

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self._orders, self._said):
            if descriptor >= 0:
                os.close(descriptor)


@dataclass(frozen=True)
class Written:
    """A checkpoint in a JSON store."""

    id: str
    path: Path
    document: Mapping[str, Any]

    @property
    def crew(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = next(
            one for one in self.document["entities"] if one["entity_type"] == "crew"
        )
        return found

    @property
    def done(self) -> list[int]:
        return [i for i, task in enumerate(self.crew["tasks"]) if task["output"] is not None]


def written(store: Path, branch: str = "main") -> list[Written]:
    """The checkpoints of a branch, oldest first."""
    paths = sorted((store / branch).glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    return [
        Written(path.name.split("_p-")[0], path, json.loads(path.read_text("utf-8")))
        for path in paths
    ]
