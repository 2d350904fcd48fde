"""Runs as the app follows them: read by a worker, shown by the UI thread.

`Run.listen` reads the journal and belongs to the worker; what it brings, a `News`, goes to
the UI thread by a message, and `Run.take` keeps it there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from crewcheck.engine.redaction import Redactor
from crewcheck.errors import CrewcheckError
from crewcheck.model import words
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.harmless import one_line
from crewcheck.runtimes.follow import Follower, initial_state
from crewcheck.runtimes.run_state import PAUSED, PLANNING, RUNNING, RunState
from crewcheck.runtimes.spawn import RunHandle
from crewcheck.runtimes.wire import Message
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.layout import Block
from crewcheck.tui.run_lines import RunLines

#: Of a run's lines the newest are kept.
MOST_LINES = 1500
#: What is read of a journal at a stretch.
READ_BYTES = 1 << 19
#: More of a result that a run asks about is on the pages of its checkpoint; a prompt's key that
#: says so.
LONGEST_OUTPUT, CUT = 200_000, "output_cut"


@dataclass(slots=True)
class News:
    """What a look into a journal brought. ``wrote``: the store has something new. ``asks`` is
    the ``paused`` message of a run that has ended so."""

    state: RunState
    lines: list[Block] = field(default_factory=list)
    wrote: bool = False
    over: bool = False
    traceback: str = ""
    asks: Message | None = None


class Run:
    """One run of the store, going on or over."""

    def __init__(self, folder: Path, redactor: Redactor, glyphs: Glyphs) -> None:
        self.folder = folder
        self.run_id = folder.name
        self.handle = RunHandle(folder)
        #: how it stands, as far as the UI thread has been told
        self.state: RunState = initial_state(folder)
        self.lines: deque[Block] = deque(maxlen=MOST_LINES)
        self.lost = 0
        self.over = False
        #: the worker has read all that there will be
        self.heard_all = False
        self.traceback = ""
        #: what a person is asked, of a run that waits for one
        self.asks: Message = {}
        #: a person has been told how it ended, or need not be
        self.told = False
        #: prompts for which a dialog has been opened
        self.asked: set[object] = set()
        self._redactor = redactor
        self._lines = RunLines(glyphs, redactor.text)
        self._follower: Follower | None = None
        #: the questions that wait, as they came and without secrets
        self._hidden: list[tuple[Message, Message]] = []
        self._lock = Lock()

    @property
    def live(self) -> bool:
        return not self.over and self.state.live

    @property
    def name(self) -> str:
        """What a person calls it: its branch."""
        return self.state.branch or self.state.checkpoint_id

    @property
    def short(self) -> str:
        """The same for a list or a line: a name that was made up is cut."""
        return words.short_branch(harmless_name(self._redactor.text(self.name)))

    @property
    def paused(self) -> bool:
        """Whether it has ended, and a person's answer goes on with it."""
        return not self.live and self.state.state == PAUSED

    @property
    def prompts(self) -> list[Message]:
        """The questions that wait for an answer."""
        return self.state.prompts if self.live else []

    def listen(self) -> News | None:
        """What is new, None if nothing is. In a worker."""
        with self._lock:
            if self._follower is None:
                self._follower = Follower(self.folder)
            follower = self._follower
            messages = follower.poll(READ_BYTES)
            if not messages:
                return None
            self.heard_all = follower.over
            news = News(self._snapshot(follower.state), over=follower.over)
        for message in messages:
            news.lines += self._lines.of(message)
            news.wrote = news.wrote or message["type"] in ("checkpoint", "go", "forked")
            if message["type"] == "failed" and message.get("traceback"):
                news.traceback = self._redactor.text(str(message["traceback"]))
            elif message["type"] == "paused":
                news.asks = self._redactor.value(dict(message))
        return news

    def _snapshot(self, state: RunState) -> RunState:
        """A copy that stays as it is, without secrets."""
        made = copy(state)
        hide = self._redactor.text
        known = {id(one): shown for one, shown in self._hidden}
        self._hidden = [(one, known.get(id(one)) or self._shown(one)) for one in state.prompts]
        made.prompts = [shown for _, shown in self._hidden]
        made.written, made.done = list(state.written), list(state.done)
        made.message, made.hint = hide(state.message), hide(state.hint)
        made.result = None if state.result is None else hide(state.result)
        made.task = None if state.task is None else hide(state.task)
        return made

    def _shown(self, prompt: Message) -> Message:
        """A question as it is shown, however long that which it is about is."""
        output = prompt.get("output")
        if isinstance(output, str) and len(output) > LONGEST_OUTPUT:
            prompt = {**prompt, "output": output[:LONGEST_OUTPUT], CUT: True}
        shown: Message = self._redactor.value(dict(prompt))
        return shown

    def take(self, news: News) -> None:
        """Keep what a worker brought. On the UI thread."""
        self.state = news.state
        self.over = news.over
        self.lost += max(0, len(self.lines) + len(news.lines) - MOST_LINES)
        self.lines.extend(news.lines)
        self.traceback = news.traceback or self.traceback
        self.asks = news.asks or self.asks

    def cancel(self) -> str:
        """Ask the supervisor to end it; what went wrong, empty if nothing did."""
        return self._order(self.handle.cancel)

    def answer(self, prompt_id: object, text: str) -> str:
        return self._order(lambda: self.handle.answer(prompt_id, text))

    def _order(self, send: Callable[[], object]) -> str:
        try:
            send()
        except CrewcheckError as error:
            return one_line(self._redactor.text(str(error)), 300)
        return ""


def began(run: Run) -> tuple[str, str]:
    """Sorts runs by when they were started: their ids carry whole seconds only."""
    return run.state.created_at or "", run.run_id


def newest_first(runs: Iterable[Run]) -> list[Run]:
    """Those that go on first, then by when they began."""
    return sorted(runs, key=lambda run: (run.live, began(run)), reverse=True)


def marks(runs: Iterable[Run]) -> tuple[frozenset[str], frozenset[str]]:
    """The checkpoints at which our runs stand: of those that go on, and of ended ones."""
    runs = list(runs)
    live = {run.state.newest for run in runs if run.live and run.state.state == RUNNING}
    ended = {run.state.newest for run in runs if not run.live} - live
    return frozenset(live), frozenset(ended)


def begun(runs: Iterable[Run]) -> list[Run]:
    """Those that are going on, without those that only plan."""
    return [run for run in runs if run.live and run.state.state != PLANNING]
