"""The place where scenarios are run: an interpreter with crewai, folders, a model for each."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol
from unittest import mock

from crewcheck.engine import running
from crewcheck.runtimes.state_dirs import STATE_DIR_VARIABLE
from tests.fake_model import FakeModel, Request
from tests.fidelity import resumes
from tests.fidelity.forks import Zygote, environment
from tests.fidelity.recording import Ran, Recording, recording, store_in
from tests.fidelity.scenario import Scenario


class Model(Protocol):
    """What a bench needs of a model."""

    @property
    def url(self) -> str: ...
    @property
    def requests(self) -> list[Request]: ...
    def fail(self, match: str, /) -> None: ...


class Bench:
    """Runs programs and goes on from their checkpoints, each in a folder of its own below
    ``folder``. May be used from several threads."""

    #: the variable that tells a program where its model is
    url_variable = "MODEL_URL"

    def __init__(self, python: str, folder: Path | None = None, provider: str = "json") -> None:
        self.python = python
        self.provider = provider
        self._stack = ExitStack()
        self._temporary = folder is None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="fidelity-"))
        self._numbers = itertools.count(1)
        self.zygote = self._stack.enter_context(Zygote(python))

    def model(self, folder: Path) -> AbstractContextManager[Model]:
        """A model that nobody else asks. ``folder``: where it may keep a log."""
        return FakeModel()

    def __enter__(self) -> Bench:
        self._stack.enter_context(
            mock.patch.dict(os.environ, {STATE_DIR_VARIABLE: str(self.folder / "state")})
        )
        self._stack.enter_context(
            mock.patch.object(running, "start_run", resumes.starter(self.zygote))
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def place(self, name: str) -> Path:
        """A new folder."""
        folder = self.folder / f"{next(self._numbers):04d}-{name}"
        shutil.rmtree(folder, ignore_errors=True)  # kept by an earlier run
        (folder / "home").mkdir(parents=True)
        return folder

    def variables(self, url: str) -> dict[str, str]:
        """What a program of ours is told by its environment."""
        return {self.url_variable: url, "FIDELITY_PROVIDER": self.provider}

    def environment(self, folder: Path, url: str) -> dict[str, str]:
        """What a process that is no fork is given of it all."""
        return environment(str(folder / "home"), **self.variables(url))

    def run(self, scenario: Scenario, *, fault: bool = False, **edit: Any) -> Ran:
        """Run a program from the start; ``edit`` is what comes out differently (`program`)."""
        folder = self.place(f"{scenario.name}-{'-'.join(edit) or ('fault' if fault else 'run')}")
        project = folder / "project"
        scenario.put_into(project)
        wrong = scenario.get("FAULT") if fault else None
        with self.model(folder) as model:
            variables = self.variables(model.url)
            if isinstance(wrong, str):
                model.fail(wrong)
            elif wrong:
                variables["FIDELITY_FAULT"] = "1"
            job = self.zygote.start(
                "program",
                cwd=str(project),
                env=environment(str(folder / "home"), **variables),
                log=str(folder / "log.txt"),
                module=scenario.name,
                answers=scenario.get("ANSWERS", []),
                result=str(folder / "result.json"),
                **edit,
            )
            job.wait()
            try:
                told = json.loads((folder / "result.json").read_text("utf-8"))
            except FileNotFoundError:
                log = (folder / "log.txt").read_text("utf-8", "replace")
                raise RuntimeError(f"{scenario.name} came to no end: {log[-2000:]}") from None
            requests = list(model.requests)
        return Ran(project, requests, told["final"], told["paused"], told["error"])

    def record(self, scenario: Scenario) -> Recording:
        """Run a scenario without an interruption and, if it is to fail, with it."""
        baseline = self.run(scenario)
        if baseline.error:
            raise RuntimeError(f"{scenario.name} does not run: {baseline.error}")
        recorded = self.run(scenario, fault=True) if scenario.get("FAULT") else baseline
        return recording(scenario, baseline, recorded, store_in(recorded.project))

    def oracle(self, of: Recording, edit: Mapping[str, Any]) -> Ran:
        """The run of the edited program (`program.run` says what an edit may be)."""

        def run(**more: Any) -> Ran:
            ran = self.run(of.scenario, **more)
            if ran.error:
                raise RuntimeError(f"the program fails with the edit: {ran.error}")
            return ran

        return of.oracle(edit, run)

    def put_back(self, what: Recording, folder: Path) -> Path:
        """The user's project and home folder after the recorded run; the store in it."""
        project = folder / "project"
        what.scenario.put_into(project)
        shutil.copytree(what.recorded.home, folder / "home", dirs_exist_ok=True)
        store = project / what.store.name
        if what.store.is_dir():
            # no file of a store is ever changed, so it can be the same one
            shutil.copytree(what.store, store, copy_function=_linked)
        else:
            for path in what.store.parent.glob(what.store.name + "*"):
                shutil.copyfile(path, project / path.name)
        return store


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
