"""Following a run from a command: the plan, the confirmation, what happens, how it ends.

For a person the result goes to stdout and all else to stderr; with ``--json`` each
message is an object on a line of stdout, the last one tells how it ended.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import click

from crewcheck.cli.console import Console, json_text
from crewcheck.cli.plan_text import plan_lines
from crewcheck.engine.entry import NeedsScript, SeveralEntries
from crewcheck.engine.planning import plan_report
from crewcheck.engine.running import FORK, Prepared, Wish, confirm, prepare, start
from crewcheck.engine.source import Source
from crewcheck.errors import CrewcheckError, Exit, Refused
from crewcheck.model import words
from crewcheck.model.harmless import harmless, name, one_line
from crewcheck.runtimes.follow import initial_state
from crewcheck.runtimes.run_state import RunState
from crewcheck.runtimes.spawn import RunHandle
from crewcheck.runtimes.spec import read_spec
from crewcheck.runtimes.wire import LAST

_CODES = {
    "finished": Exit.DONE,
    "failed": Exit.FAILED,
    "crashed": Exit.FAILED,
    "paused": Exit.PAUSED,
    "refused": Exit.REFUSED,
    "aborted": Exit.REFUSED,
    "interrupted": Exit.INTERRUPTED,
}

#: The reason of a refusal by the user's own check (`crewcheck.crewai.validate`).
NOT_VALID = "not-valid"

#: Beginnings of the events that are told to a person.
_TOLD = ("task_", "tool_usage_", "method_execution_")

#: What concerns a command and its supervisor only.
_NOT_SAID = frozenset({"supervised", "go", "abort", "exited", "attach", "answer"})


class Followed:
    """A run on its way to its end, as a command shows it."""

    def __init__(
        self, console: Console, state: RunState, *, as_json: bool, show_log: bool = False
    ) -> None:
        self.console = console
        self.state = state
        self.as_json = as_json
        self.show_log = show_log
        #: how many of the next questions have an answer already
        self.answered = 0
        self.last: dict[str, Any] | None = None

    def take(self, handle: RunHandle, message: dict[str, Any]) -> bool:
        """Show a message; False ends the following."""
        self.state.run_id = handle.run_id
        self.state.take(message)
        if message["type"] == "prompt":
            self._prompted(handle, message)
        else:
            self._say(message)
        return True

    def follow(self, handle: RunHandle) -> int:
        """Follow the run to its end, and return the exit code."""
        with _Interrupts(handle):
            for message in handle.follow():
                if not self.take(handle, message):
                    return Exit.DONE
                if message["type"] in LAST:
                    # CrewAI may take long to leave; nothing more is said
                    break
        return self._end()

    def _place(self) -> dict[str, Any]:
        """Where the run has got to."""
        return {"checkpoint_id": self.state.newest, "branch": self.state.branch}

    def _prompted(self, handle: RunHandle, message: dict[str, Any]) -> None:
        """A question, with what it is about: asked on a terminal."""
        if self.as_json:
            self._emit(message)
        else:
            self._show_question(message)
        if self.answered > 0:
            self.answered -= 1  # the supervisor has it
            return
        if not any(one.get("id") == message.get("id") for one in handle.state().prompts):
            return  # somebody has answered it
        if not sys.stdin.isatty():
            self._unanswered(handle, message)
            return
        answer = click.prompt("your answer", default="", show_default=False, err=True)
        try:
            handle.answer(message.get("id"), answer)
        except Refused as error:  # it was answered elsewhere meanwhile
            self.console.note(str(error))

    def _show_question(self, message: dict[str, Any]) -> None:
        hide = self.console.redactor.text
        keys = ("task", "method", "agent")
        who = [one_line(hide(str(message[key])), 60) for key in keys if message.get(key)]
        if message.get("output"):
            click.secho(f"  the result of {', '.join(who)}" if who else "  the result", err=True,
                        bold=True)  # fmt: skip
            for line in harmless(hide(str(message["output"]))).splitlines():
                click.echo(f"  | {line}", err=True)
        click.secho(harmless(hide(str(message.get("message") or ""))), err=True, fg="yellow")
        outcomes = message.get("outcomes")
        if isinstance(outcomes, list) and outcomes:
            led = ", ".join(one_line(hide(str(one)), 40) for one in outcomes)
            click.echo(f"  it leads to one of: {led}", err=True)

    def _unanswered(self, handle: RunHandle, message: dict[str, Any]) -> None:
        """Nobody can be asked. Raises `Refused`, unless the run can wait by itself."""
        if message.get("waits"):
            handle.answer(message.get("id"), None)  # it ends as paused, and says so
            return
        handle.cancel()
        raise Refused(
            "a person is asked, and there is no terminal",
            "give the answer with --answer, once for each question",
        )

    def _say(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind in ("finished", "failed", "refused", "paused", "interrupted"):
            self.last = message
            return
        if kind in _NOT_SAID:
            return
        if self.as_json:
            self._emit(message)
            return
        line = _line(message, self.show_log)
        if line and not self.console.quiet:
            click.secho(self.console.redactor.text(line), err=True, **styled(_line_style(message)))

    def _end(self) -> int:
        """Say how it ended. A run that ended without a word is told as failed."""
        state = self.state
        place = self._place()
        last = dict(self.last or {})
        if state.state in ("crashed", "aborted"):
            last = {
                "type": "failed" if state.state == "crashed" else "refused",
                "error": state.message or "the run ended without a word",
                "message": state.message,
                "hint": state.hint,
            }
        notes = self._notes()
        if self.as_json:
            if state.state == "paused":
                last["hint"] = state.hint
            if notes:
                last["notes"] = notes
            self._emit({**last, **place})
            return _CODES.get(state.state, Exit.FAILED)
        hint = state.hint or (state.resume_hint() if state.state != "finished" else "")
        hint = self.console.redactor.text(hint)
        for note in notes:
            self.console.note(note)
        if state.state == "finished":
            if state.nothing_to_run:
                self.console.note("finished, nothing to resume; this is the recorded result")
            else:
                self.console.note(
                    f"finished on branch {name(state.branch or '')}, "
                    f"newest checkpoint {name(state.newest)}, {state.tokens} tokens"
                )
            sys.stdout.write(harmless(self.console.redactor.text(state.result or "")) + "\n")
        else:
            said = self.console.redactor.text(state.message or state.state)
            for difference in last.get("differences") or []:
                told = self.console.redactor.text(str(difference))
                click.secho(f"  {one_line(told)}", err=True)
            print(
                f"crewcheck: {state.state}: {one_line(said)}"
                + (f"; {one_line(hint)}" if hint else ""),
                file=sys.stderr,
            )
        return _CODES.get(state.state, Exit.FAILED)

    @property
    def unasked(self) -> int:
        """How many answers that were given no question has come for."""
        return self.state.unasked

    def _notes(self) -> list[str]:
        """What is told at the end of a run that had begun, however it ended."""
        count = self.unasked
        if not count or self.state.state in ("refused", "aborted"):
            return []
        return [
            "1 answer was not asked for" if count == 1 else f"{count} answers were not asked for"
        ]

    def _emit(self, message: dict[str, Any]) -> None:
        """One object a line, with the id of the run."""
        value = self.console.redactor.value({**message, "run_id": self.state.run_id})
        sys.stdout.write(json_text(value) + "\n")
        sys.stdout.flush()


class Started(Followed):
    """A run that this command starts: its plan is shown and confirmed first."""

    def __init__(
        self, console: Console, prepared: Prepared, *, as_json: bool, show_log: bool
    ) -> None:
        super().__init__(console, RunState.of(prepared.spec), as_json=as_json, show_log=show_log)
        self.prepared = prepared
        self.answered = len(prepared.spec.answers)
        self.loaded: dict[str, Any] = {}
        self.dry_run = False
        self.yes = False
        #: whether a checkpoint that the user's own check refuses is passed over in silence
        self.passes_over = False

    @property
    def passed_over(self) -> str | None:
        """What the user's own check said against the checkpoint, if another one may be tried."""
        last = self.last or {}
        if not self.passes_over or last.get("type") != "refused" or last.get("reason") != NOT_VALID:
            return None
        return str(last.get("message") or "it is not valid")

    def _end(self) -> int:
        return Exit.REFUSED if self.passed_over is not None else super()._end()

    def run(self, *, dry_run: bool, yes: bool) -> int:
        """Start it, follow it to its end, and return the exit code."""
        self.dry_run, self.yes = dry_run, yes
        if not self.as_json and not self.console.quiet:
            spec = self.prepared.spec
            what = spec.entry or spec.script or "the checkpoint alone"
            click.secho(f"  loading {one_line(str(what))} ...", err=True, dim=True)
        with start(self.prepared) as handle:
            return self.follow(handle)

    def take(self, handle: RunHandle, message: dict[str, Any]) -> bool:
        if message["type"] == "loaded":
            self.loaded = message
        if message["type"] != "plan":
            return super().take(handle, message)
        self.state.take(message)
        return self._planned(handle, message)

    def _check_answers(self, report: dict[str, Any]) -> None:
        """Raises `Refused` where it is clear that a question would find nobody."""
        asking = [item for item in report["items"] if item["index"] in report["asks"]]
        if len(asking) <= len(self.prepared.spec.answers) or sys.stdin.isatty():
            return
        who = ", ".join(one_line(str(item["label"]), 40) for item in asking)
        raise Refused(
            f"a person is asked about {who}, and there is no terminal",
            'answer beforehand with --answer, once for each question ("": it is fine)',
        )

    def _planned(self, handle: RunHandle, plan: dict[str, Any]) -> bool:
        """Show the plan and confirm it; False: only the plan was wanted."""
        report = plan_report(self.prepared, self.loaded, plan)
        if self.as_json:
            self._emit(report)
        else:
            for line, style in plan_lines(self.console.redactor.value(report)):
                click.secho(line, err=not self.dry_run, **styled(style))
        if self.dry_run:
            handle.abort()
            return False
        if plan.get("nothing_to_run") and self.prepared.wish.action != FORK:
            # a finished run that is resumed says its result without waiting
            return True
        try:
            self._check_answers(report)
            if not self.yes:
                _ask(self.as_json)
            elif not self.prepared.wish.allow_losses:
                _refuse_doubts(report, alone=self.prepared.wish.without_project)
            self.state.checkpoint_id = confirm(self.prepared, handle, plan)
        except (CrewcheckError, click.Abort, KeyboardInterrupt):
            handle.abort()
            raise
        if self.as_json and self.prepared.wish.action == FORK:
            self._emit({"type": "forked", **self._place()})
        return True


class Attached(Followed):
    """A run that somebody has started. Nothing ends it but an order."""

    def __init__(
        self, console: Console, handle: RunHandle, *, as_json: bool, answers: Sequence[str]
    ) -> None:
        super().__init__(console, initial_state(handle.folder), as_json=as_json)
        self._answers = list(answers)
        with suppress(OSError, ValueError):
            self.answered = len(read_spec(handle.folder / "spec.json").answers)

    def _prompted(self, handle: RunHandle, message: dict[str, Any]) -> None:
        # what is read here may have been answered long ago
        waits = any(one.get("id") == message.get("id") for one in handle.state().prompts)
        if waits and not self.answered and self._answers:
            handle.answer(message.get("id"), self._answers.pop(0))
            self.answered = 1
        super()._prompted(handle, message)

    @property
    def unasked(self) -> int:
        return super().unasked + len(self._answers)

    def _unanswered(self, handle: RunHandle, message: dict[str, Any]) -> None:
        raise Refused(
            "the run waits for an answer, and there is no terminal",
            f"answer with `crewcheck runs {handle.run_id} --answer TEXT`, or in the app",
        )


def prepared_for(source: Source, wish: Wish, *, as_json: bool) -> Prepared:
    """Prepare a run; of several objects that fit, a person at a terminal is asked for one, and
    before the program itself is run.

    Raises as `prepare` does.
    """
    try:
        return prepare(source, wish)
    except SeveralEntries as error:
        if as_json or not has_terminal():
            raise
        click.echo("several fit this checkpoint:", err=True)
        for number, entry in enumerate(error.entries, 1):
            click.echo(f"  {number:>2}  {name(entry)}", err=True)
        number = click.prompt(
            "which one (it is remembered)", type=click.IntRange(1, len(error.entries)), err=True
        )
        wish.entry = error.entries[number - 1]
        return prepare(source, wish)
    except NeedsScript as error:
        if as_json or not has_terminal():
            raise
        click.echo(error.message, err=True)
        script = os.path.relpath(error.script)
        if not click.confirm(f"run {name(script)} itself, up to that kickoff?", err=True):
            raise
        wish.script = error.script
        return prepare(source, wish)


def attach(
    console: Console, handle: RunHandle, *, as_json: bool, answers: Sequence[str] = ()
) -> int:
    """Follow a run that somebody has started, from its beginning; ``answers`` are given to
    the questions that wait, in order."""
    return Attached(console, handle, as_json=as_json, answers=answers).follow(handle)


@contextmanager
def stream(console: Console, as_json: bool) -> Iterator[None]:
    """What is printed within ends with an object also where it is refused."""
    try:
        yield
    except Refused as error:
        if as_json:
            told: dict[str, Any] = {
                "type": "refused",
                "message": error.message,
                "hint": error.hint,
            }
            if isinstance(error, SeveralEntries):
                told["entries"] = error.entries
            if isinstance(error, NeedsScript):
                told["script"] = error.script
            sys.stdout.write(json_text(console.redactor.value(told)) + "\n")
            sys.stdout.flush()
        raise


class _Interrupts:
    """Ctrl+C cancels the run and waits for its end; a second one lets go of it."""

    def __init__(self, handle: RunHandle) -> None:
        self._handle = handle
        self._asked = False

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGINT, self._interrupt)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        print("crewcheck: stopping the run (Ctrl+C again leaves it alone)", file=sys.stderr)
        try:
            self._handle.cancel()
        except CrewcheckError:
            raise KeyboardInterrupt from None


def has_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _refuse_doubts(report: dict[str, Any], *, alone: bool) -> None:
    """What nobody can tell is accepted by a person, not by ``--yes``. Raises `Refused`."""
    named = words.doubts(report["losses"])
    if named:
        way = "go on with the project: --entry or --script" if alone else words.ANEW
        raise Refused(
            f"the checkpoint {'alone ' if alone else ''}does not tell whether this would do what "
            f"the project does: {named}",
            f"accept it with --allow-losses, or {way}",
        )


def _ask(as_json: bool) -> None:
    """Ask before anything runs. Raises `Refused` without a terminal or a yes."""
    if as_json or not has_terminal():
        raise Refused(
            "this would run your own code, and nobody can be asked", "confirm it with --yes"
        )
    if not click.confirm("Run it?", err=True):
        raise Refused("nothing was run")


def _line(message: dict[str, Any], show_log: bool) -> str:
    """A message as a line for a person, empty for what does not concern them."""
    kind = message["type"]
    if kind == "hello":
        return (
            f"  crewai {one_line(str(message.get('crewai')))} loaded in {message.get('seconds')} s"
        )
    if kind == "checkpoint":
        if message.get("lost"):
            return f"  a checkpoint was lost: {one_line(str(message['lost']))}"
        return f"  checkpoint {name(str(message.get('id')))}"
    if kind == "log":
        return f"  | {one_line(str(message.get('text')))}" if show_log else ""
    if kind != "event" or message.get("replayed"):
        return ""
    event = str(message.get("event"))
    about = str(
        message.get("task_name")
        or message.get("tool")
        or message.get("method")
        or message.get("model")
        or ""
    )
    took = message.get("seconds")
    spent = [words.took(took) if isinstance(took, (int, float)) else ""]
    tokens = message.get("tokens")
    if isinstance(tokens, dict):
        tokens = tokens.get("total")
    if tokens:
        spent.append(f"{tokens} tokens")
    if event.startswith(_TOLD) or event == "llm_call_failed":
        error = f": {one_line(str(message['error']))}" if message.get("error") else ""
        told = "  ".join(filter(None, spent))
        return f"  {words.trigger_words(event)} {one_line(about, 40)}{error}  {told}".rstrip()
    return ""


def _line_style(message: dict[str, Any]) -> str:
    event = str(message.get("event"))
    if event.endswith(("_failed", "_error")) or message.get("lost"):
        return "red"
    begins = ("task_started", "method_execution_started")
    return "bold" if event in begins else "dim" if message["type"] != "event" else ""


def styled(style: str) -> dict[str, Any]:
    """A style of ours as click takes it."""
    if style in ("bold", "dim"):
        return {style: True}
    return {"fg": style} if style else {}
