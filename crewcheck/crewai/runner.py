"""The child's way from its spec to its exit code (`crewcheck.runtimes.wire`)."""

from __future__ import annotations

import atexit
import os
import platform
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from crewcheck.crewai.bus import flush
from crewcheck.crewai.channel import Channel
from crewcheck.crewai.refusal import Aborted, Refusal
from crewcheck.crewai.saved import Saved, load_document
from crewcheck.crewai.session import Session
from crewcheck.crewai.sessions import open_session
from crewcheck.crewai.signals import Signals
from crewcheck.model.document import text
from crewcheck.runtimes.spec import RunSpec, read_spec
from crewcheck.runtimes.wire import PROTOCOL
from crewcheck.runtimes.work_file import read_work

DONE, FAILED, REFUSED, PAUSED, INTERRUPTED = 0, 1, 5, 6, 130


def run(spec_path: str, fd_in: int, fd_out: int) -> int:
    """Do it all. Leaves the process: threads that hang must not hold it."""
    channel = Channel(fd_in, fd_out)
    signals = Signals()
    runner = Runner(channel, signals)
    try:
        runner.run(read_spec(spec_path))
        session = runner.session
        code = PAUSED if session is not None and session.paused is not None else DONE
    except BaseException as error:
        code = runner.ended_by(error)
    with suppress(BaseException):
        atexit._run_exitfuncs()  # what the user's program wants done in the end
    _leave(code)
    return code


class Runner:
    """Does the run, and says how it ended."""

    def __init__(self, channel: Channel, signals: Signals) -> None:
        self.channel = channel
        self.signals = signals
        self.session: Session[Any] | None = None
        self._ending = threading.Lock()
        signals.ends = self._interrupted

    def run(self, spec: RunSpec) -> None:
        """The whole run. Raises what ends it otherwise than well."""
        session = self.session = open_session(self.channel, spec, load_document(spec.document_path))
        known = [text(event.get("event_id")) or "" for event in session.saved.events]
        session.saved.take_later(read_work(spec.work, known))
        session.on_arm = self.signals.install  # CrewAI's telemetry may have put its own there
        if session.nothing_to_run:
            self._nothing_to_run(session)
            return
        self._prepare_path(spec)
        self._import_crewai(len(spec.answers))
        if spec.validate:
            self._validate(spec.validate, session.saved)
        if spec.script:
            self._script(session, spec.script, spec.args)
        elif spec.entry:
            self._object(session, spec.entry)
        else:
            self._document(session, spec)
        flush()
        session.finished()

    def _nothing_to_run(self, session: Session[Any]) -> None:
        """A finished run: nothing is imported, and nothing of the user's is run."""
        saved = session.saved
        self.channel.send(
            "plan",
            items=[],
            warnings=[],
            losses=[],
            changed=[],
            branch=saved.branch,
            nothing_to_run=True,
        )
        self.channel.send("finished", result=saved.result, nothing_to_run=True, tokens=0)

    def _validate(self, reference: str, saved: Saved) -> None:
        from crewcheck.crewai import validate
        from crewcheck.crewai.loading import no_kickoff

        with no_kickoff(reference, self._leave_now):
            validate.ask(reference, saved)

    def _prepare_path(self, spec: RunSpec) -> None:
        """The project's folder first, as if the user had started Python in it."""
        own = [spec.cwd, os.path.join(spec.cwd, "src")]
        folders = [folder for folder in [*own, *spec.path] if os.path.isdir(folder)]
        sys.path[:0] = [folder for folder in folders if folder not in sys.path]

    def _import_crewai(self, prepared_answers: int) -> None:
        began = time.monotonic()
        try:
            import crewai
        except ImportError as error:
            if error.name and error.name.split(".")[0] == "crewai":
                raise Refusal(
                    "no-crewai",
                    f"{sys.executable} has no crewai",
                    "choose the project's own Python with --python",
                ) from None
            raise
        ours = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
        if os.path.realpath(str(crewai.__file__)).startswith(ours + os.sep):
            raise Refusal("wrong-crewai", "import crewai found crewcheck's own folder")
        from crewcheck.crewai import prompts, writes

        version = str(getattr(crewai, "__version__", "unknown"))
        self.channel.send(
            "hello",
            protocol=PROTOCOL,
            pid=os.getpid(),
            python=platform.python_version(),
            executable=sys.executable,
            crewai=version,
            seconds=round(time.monotonic() - began, 3),
        )
        try:
            writes.harden()
        except ImportError:
            raise Refusal(
                "crewai-too-old", f"crewai {version} has no checkpoints that can be gone on with"
            ) from None
        prompts.install(self.channel, prepared_answers)
        self.signals.install()

    def _object(self, session: Session[Any], entry: str) -> None:
        from crewcheck.crewai import objects
        from crewcheck.crewai.loading import no_kickoff

        with no_kickoff(entry, self._leave_now):
            target, full = objects.load(entry, session.kind)
        self._go_on(session, target, full)

    def _document(self, session: Session[Any], spec: RunSpec) -> None:
        """Without the project: what was saved is built anew."""
        from crewcheck.crewai import restore
        from crewcheck.crewai.loading import no_kickoff

        with no_kickoff("a tool's module", self._leave_now):
            target, session.lost, session.only_kept = restore.rebuild(session.saved, spec)
        session.asked_with(None)
        self._go_on(session, target, restore.ENTRY)

    def _go_on(self, session: Session[Any], target: Any, full: str) -> None:
        session.say_loaded(target, full, ran_before=False)
        session.say_plan(target)
        session.agree(target)
        session.run(target, lambda: session.kickoff(target))

    def _script(self, session: Session[Any], file: str, args: list[str]) -> None:
        from crewcheck.crewai import script

        script.run(session, file, args, self._leave_now)

    def _leave_now(self, error: BaseException) -> None:
        """End in the middle of the user's code, without running more of it."""
        _leave(self.ended_by(error))

    def ended_by(self, error: BaseException) -> int:
        """Say how it ended. Returns the exit code."""
        if isinstance(error, Refusal):
            self.channel.send("refused", **error.as_message())
            return REFUSED
        if isinstance(error, Aborted):
            self.channel.send(
                "refused", reason="aborted", message=str(error), hint="", differences=[]
            )
            return REFUSED
        if isinstance(error, KeyboardInterrupt) or self.signals.name:
            self._interrupted(self.signals.name or "SIGINT")
        flush()
        self.channel.send(
            "failed",
            error=str(error) or type(error).__name__,
            error_type=type(error).__name__,
            traceback=_traceback(error),
            hint=_hint(error),
            checkpoint_id=self.session.newest if self.session else None,
        )
        return FAILED

    def _interrupted(self, name: str) -> None:
        """End here, whatever thread this is and whatever still runs."""
        if not self._ending.acquire(blocking=False):
            threading.Event().wait()  # another thread is ending it
        flush(2.0)
        newest = self.session.newest if self.session else None
        self.channel.send("interrupted", signal=name, checkpoint_id=newest)
        _leave(INTERRUPTED)


def _leave(code: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(code)


def _traceback(error: BaseException) -> str:
    """The traceback; its beginning and end, where it is long."""
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return lines if len(lines) <= 10_000 else f"{lines[:2000]}\n...\n{lines[-8000:]}"


def _hint(error: BaseException) -> str:
    """The way out of what often goes wrong."""
    name, status = type(error).__name__, getattr(error, "status_code", None)
    for matches, hint in _HINTS:
        if matches(name, status):
            return hint
    return ""


_HINTS: list[tuple[Callable[[str, Any], bool], str]] = [
    (
        lambda name, status: status == 401 or name == "AuthenticationError",
        "the model's provider does not take the key: set it in the environment or in .env",
    ),
    (
        lambda name, status: status == 429 or name == "RateLimitError",
        "the model's provider is limiting you: resume later, what is done is kept",
    ),
    (
        lambda name, _: name in ("APIConnectionError", "ConnectError", "APITimeoutError"),
        "the model cannot be reached: check the address and the network, then resume",
    ),
    (
        lambda name, _: name in ("ImportError", "ModuleNotFoundError"),
        "this Python lacks a module: choose the project's own with --python",
    ),
    (
        lambda name, _: name == "EOFError",
        "it asked a question and nobody was there to answer",
    ),
]
