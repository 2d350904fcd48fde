"""A corpus: stores that real runs have left, with the programs that wrote them.

    scenarios/NAME.py        a program with ``target``, ``main()`` and, it may be, INPUTS
    fake_llm_server.py       the model that it asked: ``serve(port, log)``
    stores/VERSION/NAME/     ``store/`` or ``checkpoints.db``, ``meta.json`` (``fault``) and
                             ``requests.jsonl`` (what the run asked)

Only the store is taken from there; what an uninterrupted run does is seen by running it.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fake_model import Request
from tests.fake_replies import text_of
from tests.fidelity.bench import Bench, Model
from tests.fidelity.cases import EDITED
from tests.fidelity.recording import Ran, Recording, recording
from tests.fidelity.scenario import Scenario, read

#: Why finished work may be done again where an input was edited.
_ASKED_AGAIN_OK = {"crew_nasty_text": "its answers are the same whatever the input is"}

#: Their programs write no checkpoints: CrewAI's own database keeps their states.
_OTHER = ("persist_",)


@dataclass
class LoggedModel:
    """The corpus' own model. It has no part in ours, so ours cannot be wrong with it."""

    url: str
    log: Path

    @property
    def requests(self) -> list[Request]:
        return requests_in(self.log)

    def fail(self, match: str, /) -> None:
        raise NotImplementedError("a corpus is run without faults")


def requests_in(log: Path) -> list[Request]:
    """The chat requests of a log, in order."""
    if not log.exists():
        return []
    found = []
    for line in log.read_text("utf-8").splitlines():
        told = json.loads(line)
        if told.get("kind", "chat") != "chat":
            continue
        messages = told.get("messages") or []
        user = next((text_of(m) for m in reversed(messages) if m.get("role") == "user"), "")
        status = told["status"] if isinstance(told.get("status"), int) else 0
        found.append(Request(told["key"], "", user, messages, status, float(told["at"])))
    return found


def scenarios_of(corpus: Path, version: str, names: list[str]) -> list[Scenario]:
    """Those of a corpus of which there is a store of that version."""
    found = []
    for folder in sorted((corpus / "stores" / version).iterdir()):
        path = corpus / "scenarios" / f"{folder.name}.py"
        wanted = not names or any(folder.name.startswith(name) for name in names)
        if not wanted or folder.name.startswith(_OTHER) or not path.exists():
            continue
        if _store(folder) is None:
            continue
        found.append(_edited(read(path)))
    return found


def _edited(scenario: Scenario) -> Scenario:
    """A program of a corpus says nothing of edits: the first input gets another text."""
    inputs = scenario.get("INPUTS") or {}
    edits = {name: EDITED for name, value in list(inputs.items())[:1] if isinstance(value, str)}
    beside = sorted(path for path in scenario.path.parent.iterdir() if path.is_dir())
    folders = tuple(path for path in beside if path.name != "__pycache__")
    more = {"EDIT_INPUTS": edits, "ASKED_AGAIN_OK": _ASKED_AGAIN_OK.get(scenario.name)}
    return Scenario(scenario.name, scenario.path, {**scenario.facts, **more}, folders)


def _store(folder: Path) -> Path | None:
    for name in ("store", "checkpoints.db"):
        if (folder / name).exists():
            return folder / name
    return None


class CorpusBench(Bench):
    """A bench for what is in a corpus."""

    url_variable = "CORPUS_BASE_URL"

    def __init__(self, corpus: Path, python: str, version: str, folder: Path | None) -> None:
        super().__init__(python, folder)
        self._stores = corpus / "stores" / version
        self._serve = _load(corpus / "fake_llm_server.py").serve

    def model(self, folder: Path) -> AbstractContextManager[Model]:
        return self._model(folder / "requests.jsonl")

    @contextmanager
    def _model(self, log: Path) -> Iterator[Model]:
        server = self._serve(0, str(log))
        try:
            yield LoggedModel(f"http://127.0.0.1:{server.server_address[1]}/v1", log)
        finally:
            server.shutdown()
            server.server_close()

    def record(self, scenario: Scenario) -> Recording:
        """The store as it is in the corpus, and an uninterrupted run of the program."""
        folder = self._stores / scenario.name
        store = _store(folder)
        assert store is not None
        baseline = self.run(scenario)
        if baseline.error:
            raise RuntimeError(f"{scenario.name} does not run: {baseline.error}")
        asked = requests_in(folder / "requests.jsonl")
        recorded = Ran(baseline.project, asked, None, False, None)
        # its forks were made by CrewAI, with other inputs: nothing to compare with
        return recording(scenario, baseline, recorded, store, "main")


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("corpus_model", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
