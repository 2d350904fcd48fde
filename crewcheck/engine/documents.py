"""Big documents, read by a process beside the app, and what it shows of them in slices.

Parsing tens of megabytes would keep the interpreter from everything else. So that is done
elsewhere, and what comes back are the parts that fit a screen: texts are cut, events come
page by page, and the whole of a text is fetched when somebody looks at it.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from struct import Struct
from threading import Lock
from typing import IO, Any, overload

import crewcheck
from crewcheck.engine.cut import Cut
from crewcheck.engine.inspect import Info
from crewcheck.errors import CrewcheckError, Unreadable
from crewcheck.model.events import EventLine
from crewcheck.model.scan import Checkpoint

#: Documents that are bigger are read so.
BIG_BYTES = 4_000_000
#: So many events come at once, and so many such pages are kept.
PAGE, PAGES = 200, 50

LENGTH = Struct(">I")
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from crewcheck.engine.document_helper import main; main(sys.argv[2:])"
)
_WAITING = EventLine(0, "", None, "", "…", None, None, 0, None)


class Gone(CrewcheckError):
    """The helper was stopped: nobody wants its answer any more."""


class EventPages(Sequence[EventLine]):
    """The events of a big document. Those that are not here yet are stand-ins; looking at one
    tells ``want`` which page it is on."""

    def __init__(self, total: int, first: list[EventLine]) -> None:
        self.total = total
        self.first = first
        self.want: Callable[[int], object] = lambda _page: None
        self._pages: OrderedDict[int, list[EventLine]] = OrderedDict()
        self._asked: set[int] = set()

    def __len__(self) -> int:
        return self.total

    @overload
    def __getitem__(self, index: int) -> EventLine: ...
    @overload
    def __getitem__(self, index: slice) -> list[EventLine]: ...

    def __getitem__(self, index: int | slice) -> EventLine | list[EventLine]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self.total))]
        index = index + self.total if index < 0 else index
        if not 0 <= index < self.total:
            raise IndexError(index)
        if index < len(self.first):
            return self.first[index]
        number, at = divmod(index, PAGE)
        page = self._pages.get(number)
        if page is None:
            if number not in self._asked:
                self._asked.add(number)
                self.want(number)
            return _WAITING
        return page[at] if at < len(page) else _WAITING

    def has(self, number: int) -> bool:
        return number in self._pages

    def put(self, number: int, lines: list[EventLine]) -> None:
        """A page has come. The pages that came first go where there are many."""
        self._pages[number] = lines
        while len(self._pages) > PAGES:
            gone, _ = self._pages.popitem(last=False)
            self._asked.discard(gone)

    def give_up(self, number: int) -> None:
        """A page has not come; it may be asked for again."""
        self._asked.discard(number)


class Documents:
    """A store's big documents. For several threads, which wait for each other; but a load of
    another document stops the one that goes on."""

    def __init__(self, location: str, *, show: bool) -> None:
        self.location = location
        self.show = show
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._loading: Checkpoint | None = None
        #: the process that was ended on purpose
        self._doomed: subprocess.Popen[bytes] | None = None

    def load(self, checkpoint: Checkpoint) -> Info:
        """A checkpoint laid out, its long texts cut and its events in pages.

        Raises `CrewcheckError`, of it `Gone` where another was asked for meanwhile.
        """
        going_on = self._loading
        if going_on is not None and going_on is not checkpoint:
            self.stop()
        with self._lock:
            self._loading = checkpoint
            try:
                return self._info(checkpoint)
            finally:
                self._loading = None

    def text(self, checkpoint: Checkpoint, cut: Cut) -> str:
        """The whole of a text. Raises `CrewcheckError`."""
        with self._lock:
            parts = self._ask(checkpoint, "text", cut.number)
            return "".join(part.decode("utf-8", "surrogatepass") for part in parts)

    def events(self, checkpoint: Checkpoint, page: int) -> list[EventLine]:
        """The events of a page. Raises `CrewcheckError`."""
        with self._lock:
            return list(self._ask(checkpoint, "events", page))

    def stop(self) -> None:
        """End the helper, whatever it does. The next question starts another."""
        process = self._doomed = self._process
        if process is not None:
            with suppress(OSError):
                process.kill()

    def close(self) -> None:
        self.stop()
        with self._lock:
            self._end()

    def _info(self, checkpoint: Checkpoint) -> Info:
        made: dict[str, Any] = {"checkpoint": checkpoint, "events": []}
        for name, value, is_item in self._ask(checkpoint, "load"):
            if is_item:
                made.setdefault(name, []).append(value)
            else:
                made[name] = value
        for field in fields(Info):
            if field.name == "notes":
                made[field.name] = tuple(made.get(field.name, ()))
            else:
                made.setdefault(field.name, [])
        made["inputs"] = dict(made["inputs"]) if made.pop("has_inputs") else None
        made["events"] = EventPages(made["event_count"], made["events"])
        return Info(**made)

    def _ask(self, checkpoint: Checkpoint, what: str, number: int = 0) -> Iterator[Any]:
        """The parts of an answer."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, (checkpoint.header, _notes(checkpoint), what, number))
            while True:
                kind, value = receive(process.stdout)
                if kind == "end":
                    return
                if kind == "error":
                    raise Unreadable(*value)
                yield value
        except (OSError, EOFError, pickle.UnpicklingError, ValueError) as error:
            raise self._lost() from error
        except GeneratorExit:
            self.stop()
            raise

    def _running(self) -> subprocess.Popen[bytes]:
        process = self._process
        if process is not None and process is not self._doomed and process.poll() is None:
            return process
        self._end()
        root = str(Path(crewcheck.__file__).parent.parent)
        # not to be interrupted by a key that is meant for the app
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT, root, self.location, "1" if self.show else ""],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self._process

    def _lost(self) -> CrewcheckError:
        """Why there is no answer."""
        process = self._process
        code = self._end()
        if process is None or process is self._doomed:
            return Gone("another checkpoint was asked for")
        said = f"with code {code}" if code is not None and code >= 0 else "by a signal"
        if code is not None and -code == getattr(signal, "SIGKILL", None):
            said = "by the system, perhaps for want of memory"
        return Unreadable(
            f"the process that reads big documents was ended {said}",
            "try again with r, or look at it with `crewcheck info`",
        )

    def _end(self) -> int | None:
        """Let the process go; its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        try:
            # one that has ended by itself says how
            return process.wait(0 if process is self._doomed else 1)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def _notes(checkpoint: Checkpoint) -> tuple[str, ...]:
    return checkpoint.summary.notes if checkpoint.summary else ()


def send(file: IO[bytes], value: Any) -> None:
    """Write one value. Raises `OSError`."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    file.write(LENGTH.pack(len(data)) + data)
    file.flush()


def receive(file: IO[bytes]) -> Any:
    """Read one value, which a process of ours has written. Raises `EOFError`, `OSError`."""
    head = file.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(head)
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def niceness() -> None:
    """Let others have the processor first."""
    with suppress(OSError, AttributeError):
        os.nice(5)
