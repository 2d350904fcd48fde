"""CrewAI's own record of the last run's task outputs, shown as a store of one checkpoint.

CrewAI writes ``latest_kickoff_task_outputs.db`` for every crew, in its data folder for the
project (`place`), also for those that write no checkpoints. A row has a task's output and
the inputs of the run; the next run of any crew of the project empties the table. What is
not in it is in no document made of it: the crew's name, its agents, ``context`` lists, the
templates, and which tasks were still to come.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from crewcheck.errors import CrewcheckError, NotFound
from crewcheck.model.scan import DELETED, GONE, STOPPED, Damage, Header, Summary
from crewcheck.model.status import KEPT_OUTPUTS
from crewcheck.stores.base import Capability, DamagedDocument, Scan
from crewcheck.stores.json_text import decoded
from crewcheck.stores.sqlite_check import integrity
from crewcheck.stores.sqlite_open import DATA_LIMIT, DamagedDatabase, Reader, TooLarge
from crewcheck.stores.sqlite_query import columns, readable, row_number, rows

Json = dict[str, Any]

TABLE: Final = "latest_kickoff_task_outputs"
#: The one checkpoint.
ID: Final = "last-run"

_FILE = "latest_kickoff_task_outputs.db"
_COLUMNS = ("task_id", "expected_output", "output", "task_index", "inputs", "timestamp")
#: Positions beyond this are not believed.
_MOST_TASKS = 10_000
_NOTE = "made of the outputs that CrewAI kept of the last run: agents and tasks to come are unknown"


def place(folder: str, environment: Mapping[str, str]) -> str:
    """Where CrewAI keeps the outputs of the crews that run in a folder."""
    name = environment.get("CREWAI_STORAGE_DIR") or os.path.basename(os.path.abspath(folder))
    if sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    elif os.name == "nt":
        base = os.path.join(environment.get("LOCALAPPDATA") or "", "CrewAI")
    else:
        base = environment.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, name, _FILE)


class TaskOutputsStore:
    """The outputs of the last run. Its key is `ID`."""

    kind = "task-outputs"
    capabilities: frozenset[Capability] = frozenset({Capability.CHECK})

    def __init__(self, path: str) -> None:
        self.location = path
        self._reader = Reader(path)

    def scan(self, names_only: bool = False) -> Scan:
        found = self._rows()
        if not found:
            return Scan([])
        header = Header(
            key=ID,
            id=ID,
            location=f"{self.location}#{ID}",
            branch="main",
            created_at=max(filter(None, map(_when, found)), default=None),
            size=sum(len(row["output"]) for row in found if isinstance(row["output"], bytes)),
        )
        return Scan([header])

    def summary(self, header: Header, whole: bool = False) -> Summary:
        try:
            document = self.document(header)
        except NotFound:
            return Summary(damage=Damage(GONE, DELETED))
        except DamagedDocument as error:
            return Summary(damage=error.damage)
        except CrewcheckError as error:
            return Summary(damage=Damage("unreadable", error.message))
        crew = document["entities"][0]
        return Summary(
            kind="crew",
            done=len(crew[KEPT_OUTPUTS]),
            total=len(crew["tasks"]),
            status=STOPPED,
            trigger="task_completed",
            run_key=ID,
            notes=(_NOTE,),
        )

    def summaries(self, wanted: Sequence[tuple[Header, bool]]) -> list[Summary]:
        return [self.summary(header, whole) for header, whole in wanted]

    def measure(self, headers: list[Header]) -> None:
        """Nothing: a scan has the size."""

    def stored(self, header: Header) -> None:
        """Nothing: a document is made of rows."""

    def document(self, header: Header, *, lean: bool = False) -> Json:
        """A document in the shape of a crew's checkpoint, made of the rows.

        The crew's ``kept_outputs`` are the positions that are known; a task between them of
        which nothing is known has no description. Raises `DamagedDocument`, `NotFound`.
        """
        try:
            found = self._rows()
        except (DamagedDatabase, TooLarge) as error:
            raise DamagedDocument(header, Damage("unreadable", error.message)) from error
        if not found:
            raise NotFound(f"{self.location} holds no outputs any more", "run the crew again")
        tasks: dict[int, Json] = {}
        inputs: Json = {}
        for row in found:
            try:
                index, task = _task(row)
                inputs = {**inputs, **(_object(row["inputs"], "its inputs") or {})}
            except (ValueError, RecursionError) as error:
                reason = f"task {readable(row['task_index'])}: {error}"
                raise DamagedDocument(header, Damage("not-json", reason)) from None
            tasks[index] = task  # of two crews at once the newer one
        listed = [tasks.get(index) or blank_task(index) for index in range(max(tasks) + 1)]
        roles = dict.fromkeys(
            role for task in tasks.values() if isinstance(role := task["output"].get("agent"), str)
        )
        crew = {
            "entity_type": "crew",
            "id": ID,
            "name": None,
            "process": "sequential",
            "tasks": listed,
            "agents": [*map(_agent, roles), _agent("")],
            "checkpoint_inputs": inputs,
            KEPT_OUTPUTS: sorted(tasks),
        }
        return {
            "parent_id": None,
            "branch": "main",
            # nothing says that a task between them was skipped
            "crewcheck": {"dropped": [at for at in range(len(listed)) if at not in tasks]},
            "entities": [crew],
            "event_record": {"nodes": {}},
            "trigger": "task_completed",
        }

    def notes(self, header: Header) -> tuple[str, ...]:
        return ()

    def check(self) -> list[str]:
        return integrity(self._reader, TABLE)

    def fingerprint(self) -> object:
        return self._reader.fingerprint()

    def close(self) -> None:
        self._reader.close()

    def _rows(self) -> list[Json]:
        """All rows by position, each with its columns; texts as bytes."""
        return self._reader.run(_load, limit=DATA_LIMIT, table=TABLE)


def _load(db: sqlite3.Connection) -> list[Json]:
    names = columns(db, TABLE)
    listed = ", ".join(name if name in names else "NULL" for name in _COLUMNS)
    order = ", ".join(filter(None, ("task_index", row_number(db, TABLE))))
    found = rows(db, f"SELECT {listed} FROM {TABLE} ORDER BY {order}", text=bytes)
    return [dict(zip(_COLUMNS, row, strict=True)) for row in found]


def _task(row: Json) -> tuple[int, Json]:
    """A task's position, and the task as a checkpoint has it. Raises `ValueError`."""
    index = row["task_index"]
    if not isinstance(index, int) or not 0 <= index < _MOST_TASKS:
        raise ValueError("its position is none")
    output = _object(row["output"], "its output")
    if output is None:
        raise ValueError("it has no output")
    expected = _text(row["expected_output"]) or ""
    return index, {
        **blank_task(index),
        "id": _text(row["task_id"]) or f"{ID}-{index}",
        "description": str(output.get("description") or ""),
        "expected_output": expected,
        "output": {
            "raw": "",
            "pydantic": None,
            "json_dict": None,
            "output_format": "raw",
            **output,
            "expected_output": expected,
        },
    }


def blank_task(index: int) -> Json:
    """A task of which nothing is known but that it is there. Who does it is told by its
    output, once it has one."""
    return {
        "id": f"{ID}-{index}",
        "name": None,
        "description": "",
        "expected_output": "",
        "agent": _agent(""),
        "context": "NOT_SPECIFIED",
        "async_execution": False,
        "tools": [],
        "output": None,
    }


def _agent(role: str) -> Json:
    return {"entity_type": "agent", "role": role, "goal": "", "backstory": "", "tools": []}


def _object(value: object, what: str) -> Json | None:
    """The object of a JSON text; None for NULL. Raises `ValueError`."""
    if value is None:
        return None
    if not isinstance(value, bytes):
        raise ValueError(f"{what} is no JSON text")
    try:
        parsed = decoded(value, set())[0]
    except ValueError as error:
        raise ValueError(f"{what} is no JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise ValueError(f"{what} is no object")
    return parsed


def _text(value: object) -> str | None:
    return None if value is None else readable(value)


def _when(row: Json) -> str | None:
    """A time as SQLite writes it, which is UTC."""
    said = _text(row["timestamp"]) or ""
    plain = len(said) >= 19 and said[10] == " " and said[:19].translate(_NO_DIGITS) == "-- ::"
    return f"{said[:10]}T{said[11:19]}Z" if plain else None


_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
