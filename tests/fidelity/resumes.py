"""Goes on from a checkpoint as `crewcheck resume` and `crewcheck fork` do, but for the
supervisor: the child is a fork of the zygote. `engine.running` prepares, starts and confirms."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crewcheck.engine import running
from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.running import FORK, RESUME, Wish, confirm, prepare, start
from crewcheck.engine.source import Source, find_call, read_source
from crewcheck.errors import CrewcheckError
from crewcheck.model.edits import Edits
from crewcheck.model.json_path import parse_path
from crewcheck.runtimes.spawn import RunHandle
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.state_dirs import make_run_folder
from crewcheck.runtimes.wire import LAST, Message, Reader, dump
from tests.fidelity.forks import Job, Zygote, environment

SECONDS = 60.0
HOME_VARIABLE = "FIDELITY_HOME"


@dataclass
class Outcome:
    """How a resume or fork went. ``error``: it was not begun, for this reason.
    ``begun_from``: the checkpoint that the new ones descend from."""

    messages: list[Message] = field(default_factory=list)
    error: str | None = None
    begun_from: str | None = None
    branch: str | None = None

    @property
    def last(self) -> Message:
        return self.messages[-1] if self.messages else {"type": "nothing"}


class Forked(RunHandle):
    """A run whose child is a fork of the zygote, without a supervisor in between."""

    def __init__(self, folder: Path, spec: RunSpec, zygote: Zygote) -> None:
        super().__init__(folder)
        self._answers = list(spec.answers)
        theirs_in, self._orders = os.pipe()
        self._said, theirs_out = os.pipe()
        home = spec.env.pop(HOME_VARIABLE)
        try:
            self.job: Job = zygote.start(
                "child",
                cwd=spec.cwd,
                env=environment(home, **spec.env),
                log=str(folder / "log.txt"),
                descriptors=(theirs_in, theirs_out),
                spec=str(folder / "spec.json"),
            )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def attach(self) -> None:
        """There is no supervisor to know of it."""

    def send(self, message: Message) -> Message:
        with suppress(BrokenPipeError):
            os.write(self._orders, dump(message))
        return {"type": "ok"}

    def messages(self, seconds: float = SECONDS) -> Iterator[Message]:
        """What the child says, until it says nothing more; prepared answers are given."""
        reader = Reader()
        end = time.monotonic() + seconds
        while True:
            ready, _, _ = select.select([self._said], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                self.job.signal(signal.SIGKILL)
                yield {"type": "failed", "error": f"it took more than {seconds} s"}
                return
            data = os.read(self._said, 1 << 16)
            for message in reader.feed(data):
                if message["type"] == "prompt" and self._answers:
                    self.answer(message["id"], self._answers.pop(0))
                yield message
            if not data:
                return

    def close(self) -> None:
        for one in (self._orders, self._said):
            with suppress(OSError):
                os.close(one)
        self.job.signal(signal.SIGKILL)
        self.job.close()


def starter(zygote: Zygote) -> Callable[..., Forked]:
    """What takes the place of `spawn.start_run`."""

    def start_run(
        spec: RunSpec,
        document: Mapping[str, Any] | None = None,
        begins: Callable[[str], None] = lambda _: None,
    ) -> Forked:
        folder = make_run_folder()
        spec.run_id = folder.name
        if document is not None:
            spec.document_path = str(folder / "document.json")
            (folder / "document.json").write_text(json.dumps(document), "ascii")
        (folder / "spec.json").write_bytes(spec.to_json())
        begins(folder.name)
        return Forked(folder, spec, zygote)

    return start_run


def edits_of(source: Source, edit: Mapping[str, Any]) -> Edits:
    """An edit of a case (`cases.Case.edit`) as the engine takes it."""
    results = edit.get("results") or {}
    return Edits(
        inputs=dict(edit.get("inputs") or {}),
        outputs={int(place): text for place, text in (edit.get("outputs") or {}).items()},
        results={find_call(source.calls, label): value for label, value in results.items()},
        state={parse_path(path): value for path, value in (edit.get("state") or {}).items()},
    )


def go_on(
    store: Path,
    checkpoint_id: str,
    wish: Wish,
    edit: Mapping[str, Any],
    *,
    home: str,
    variables: Mapping[str, str],
    goes: Callable[[Message], bool] | None = None,
) -> Outcome:
    """Resume or fork a checkpoint, and see it through; where the person says no to the plan
    (``goes``), to that. Without a person it is refused where the plan has doubts, as by
    ``--yes``."""
    outcome = Outcome()
    with open_catalog(str(store)) as catalog:
        catalog.read_summaries()
        try:
            source = read_source(catalog, catalog.forest.by_id[checkpoint_id][0])
            if wish.action == RESUME and not running.goes_on(source, wish):
                # as the command does: nothing is started for that
                outcome.messages = [{"type": "finished", "result": source.result}]
                return outcome
            wish.edits = edits_of(source, edit)
            prepared = prepare(source, wish)
            prepared.spec.env = {**prepared.spec.env, **variables, HOME_VARIABLE: home}
            handle = start(prepared)
        except CrewcheckError as error:
            outcome.error = str(error)
            return outcome
        assert isinstance(handle, Forked)
        with handle:
            for message in handle.messages():
                outcome.messages.append(message)
                if message["type"] == "plan" and (
                    wish.action == FORK or not message.get("nothing_to_run")
                ):
                    if not (goes or _is_certain)(message):
                        handle.abort()
                        if goes is None:
                            doubts = {one["rule"] for one in message["losses"] if one.get("doubt")}
                            outcome.error = f"refused for doubts: {', '.join(sorted(doubts))}"
                        return outcome
                    try:
                        outcome.begun_from = confirm(prepared, handle, message)
                    except CrewcheckError as error:
                        outcome.error = str(error)
                        return outcome
                    outcome.branch = prepared.branch
                if message["type"] in LAST:
                    break
    if outcome.last["type"] not in LAST:
        log = (handle.folder / "log.txt").read_text("utf-8", "replace")
        said = f"the child ended without a word: {log[-1500:]}"
        outcome.messages.append({"type": "failed", "error": said})
    return outcome


def _is_certain(plan: Message) -> bool:
    return not any(one.get("doubt") for one in plan["losses"])


def wish_of(action: str, entry: str, python: str, answers: list[str]) -> Wish:
    """What a person asks for by ``--entry``, ``--python`` and ``--answer``."""
    branch = "what-if" if action == FORK else None
    return Wish(action, entry=entry, python=python, answers=list(answers), branch=branch)
