"""Which of several entries a person chose for a project: remembered until it fits no more.

choices/PROJECT.json    {"folder": ..., "entries": {"crew": {NAME: ENTRY}}}; a hash names it
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import Any

from crewcheck.errors import CrewcheckError
from crewcheck.runtimes.state_dirs import make_state_dir, state_dir

_FOLDER = "choices"


def chosen(folder: str, kind: str, name: str | None) -> str | None:
    """The entry that was chosen for the crew, flow or agent of that name in a project."""
    entry = _entries(_read(_path(folder)), kind).get(name or "")
    return entry if isinstance(entry, str) and entry else None


def remember(folder: str, kind: str, name: str | None, entry: str | None) -> None:
    """Remember a choice; None forgets it. What cannot be written is asked again the next
    time: no run is given up for it."""
    path = _path(folder)
    values = _read(path)
    entries = _entries(values, kind)
    if entries.get(name or "") == entry:
        return
    if entry is None:
        entries.pop(name or "", None)
    else:
        entries[name or ""] = entry
    kinds = values.get("entries")
    kinds = kinds if isinstance(kinds, dict) else {}
    with contextlib.suppress(CrewcheckError, OSError, ValueError):
        _write(path, {"folder": folder, "entries": {**kinds, kind: entries}})


def _path(folder: str) -> Path:
    digest = hashlib.sha256(os.path.realpath(folder).encode("utf-8", "surrogateescape"))
    return state_dir() / _FOLDER / f"{digest.hexdigest()[:32]}.json"


def _read(path: Path) -> dict[str, Any]:
    """What is known of a project; nothing where it cannot be read."""
    try:
        values = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _entries(values: dict[str, Any], kind: str) -> dict[str, Any]:
    kinds = values.get("entries")
    entries = kinds.get(kind) if isinstance(kinds, dict) else None
    return dict(entries) if isinstance(entries, dict) else {}


def _write(path: Path, values: dict[str, Any]) -> None:
    make_state_dir(_FOLDER)
    aside = path.with_name(f".{path.stem}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            file.write(json.dumps(values).encode("ascii"))
        os.replace(aside, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(aside)
