"""Which store a path means, and where to look when none is named.

A directory is a JSON store, a file with SQLite's magic a database of checkpoints, of flow
states or of task outputs by its tables, a ``.json`` file one checkpoint in the store around it.
Without a path: ``./.checkpoints``, else ``./.checkpoints.db``, else ``location`` in
``[tool.crewcheck]`` of the nearest ``pyproject.toml``.
"""

from __future__ import annotations

import os
from shlex import quote

from crewcheck.errors import NotFound, Unreadable, UsageProblem
from crewcheck.model.identifiers import parse_file_name
from crewcheck.stores.base import Store
from crewcheck.stores.files import NotRegular, read_regular

DEFAULT_FOLDER = ".checkpoints"
DEFAULT_DATABASE = ".checkpoints.db"
#: What the top folder of a project or repository has.
_TOPS = ("pyproject.toml", ".git")
_MAGIC = b"SQLite format 3\0"
#: Bigger documents are not looked at for more than is needed.
_BIG = 1024 * 1024


class Opened:
    """A store, and the file of the one checkpoint that was named, if one was."""

    __slots__ = ("checkpoint_key", "store")

    def __init__(self, store: Store, checkpoint_key: str | None = None) -> None:
        self.store = store
        self.checkpoint_key = checkpoint_key


def default_location(folder: str = ".") -> str:
    """The store to open when none was named. Raises `NotFound` when there is none."""
    for name in (DEFAULT_FOLDER, DEFAULT_DATABASE):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return os.path.join(".", name) if folder == "." else path
    configured = configured_location(folder)
    if configured is not None:
        return configured
    message = f"no checkpoints here: neither ./{DEFAULT_FOLDER} nor ./{DEFAULT_DATABASE} exists"
    above = _above(folder)
    if above is not None:
        raise NotFound(message, f"there is a store further up: `--location {quote(above)}`")
    kept = _kept_outputs(folder)
    if kept is not None:
        way = f"CrewAI kept the outputs of the last run: `crewcheck list {quote(kept)}`"
        raise NotFound(message, way)
    raise NotFound(message, "name a store (`--location PATH`), or try `crewcheck demo`")


def _above(folder: str) -> str | None:
    """The nearest usual store above a folder, within the project or repository that it is in."""
    at = os.path.abspath(folder)
    found = None
    while not any(os.path.exists(os.path.join(at, one)) for one in _TOPS):
        if os.path.dirname(at) == at:
            return None  # it is in none
        at = os.path.dirname(at)
        stores = (os.path.join(at, one) for one in (DEFAULT_FOLDER, DEFAULT_DATABASE))
        found = found or next((one for one in stores if os.path.exists(one)), None)
    return None if found is None else os.path.relpath(found, folder)


def _kept_outputs(folder: str) -> str | None:
    """The database in which CrewAI has kept the outputs of the last run in a folder."""
    from crewcheck.stores.task_outputs import TaskOutputsStore, place

    path = place(folder, os.environ)
    if not os.path.isfile(path):
        return None
    store = TaskOutputsStore(path)
    try:
        return path if store.scan().headers else None
    except (NotFound, Unreadable):
        return None
    finally:
        store.close()


def configured_location(folder: str = ".") -> str | None:
    """``[tool.crewcheck] location`` of the nearest ``pyproject.toml``, upwards."""
    at = os.path.abspath(folder)
    while True:
        path = os.path.join(at, "pyproject.toml")
        if os.path.isfile(path):
            location = _location_in(path)
            if location is not None:
                return os.path.normpath(os.path.join(at, os.path.expanduser(location)))
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above


def _location_in(path: str) -> str | None:
    import tomllib

    try:
        data = tomllib.loads(read_regular(path).decode())
    except (OSError, ValueError):
        # somebody else's file: not ours to complain about
        return None
    tool = data.get("tool")
    section = tool.get("crewcheck") if isinstance(tool, dict) else None
    location = section.get("location") if isinstance(section, dict) else None
    if location is None:
        return None
    if not isinstance(location, str) or not location:
        raise UsageProblem(f"{path}: [tool.crewcheck] location must be a path, not {location!r}")
    return location


def open_path(path: str) -> Opened:
    """Open what a path means. Raises `NotFound`, `Unreadable` or `UsageProblem`."""
    if not path:
        raise UsageProblem("an empty path names no store", "give a folder or a database")
    scheme = path.partition("://")[0] if "://" in path else ""
    if scheme and not os.path.exists(path):
        raise UsageProblem(
            f"{path}: stores of the kind {scheme}:// cannot be opened",
            "give a folder of JSON checkpoints or a SQLite file",
        )
    path = os.path.expanduser(path) if path.startswith("~") else path
    try:
        if os.path.isdir(path):
            return Opened(_directory(path))
        if path.endswith(".json") and os.path.islink(path):
            raise Unreadable(
                f"{path} is a symbolic link, and links to checkpoints are not followed",
                f"give the file itself: {os.path.realpath(path)}",
            )
        magic = read_regular(path, len(_MAGIC))
    except FileNotFoundError:
        raise _missing(path) from None
    except NotRegular:
        raise Unreadable(
            f"{path} is no regular file, so no checkpoint store",
            "give a folder of JSON checkpoints or a SQLite file",
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unreadable(f"{path} cannot be read: {reason.lower()}") from None
    if magic == _MAGIC:
        return Opened(_database(path))
    if path.endswith(".json"):
        return _one_file(path)
    if not magic:
        raise Unreadable(f"{path} is an empty file, not a store", "wait for the first checkpoint")
    raise Unreadable(
        f"{path} is no checkpoint store: neither a SQLite database nor a .json file",
        "give a folder of JSON checkpoints or a SQLite file",
    )


def _missing(path: str) -> NotFound:
    if "#" in path:
        return NotFound(f"no such store: {path}", "STORE#ID names one checkpoint, not a store")
    # CrewAI appends .db to a location without a suffix
    if os.path.exists(path + ".db"):
        return NotFound(f"no such file: {path}", f"did you mean {path}.db?")
    return NotFound(f"no such file or folder: {path}", "name a store, or try `crewcheck demo`")


def _directory(path: str) -> Store:
    from crewcheck.stores.json_dir import JsonDirStore

    inner = os.path.join(path, DEFAULT_FOLDER)
    if not _holds_checkpoints(path):
        if os.path.isdir(inner):
            return JsonDirStore(inner)
        database = os.path.join(path, DEFAULT_DATABASE)
        if os.path.isfile(database):
            return _database(database)
    return JsonDirStore(path)


def _holds_checkpoints(path: str) -> bool:
    """Whether a folder itself or a folder right below it has a checkpoint's file."""
    try:
        with os.scandir(path) as found:
            entries = list(found)
        for entry in entries:
            if parse_file_name(entry.name):
                return True
            if (
                entry.name != DEFAULT_FOLDER
                and entry.is_dir(follow_symlinks=False)
                and any(map(parse_file_name, os.listdir(entry.path)))
            ):
                return True
    except OSError:
        return False
    return False


def _database(path: str) -> Store:
    from crewcheck.stores.sqlite_open import sqlite_kind

    kind = sqlite_kind(path)
    if kind in ("checkpoints", "both"):
        from crewcheck.stores.sqlite import SqliteStore

        return SqliteStore(path)
    if kind == "flow-states":
        from crewcheck.stores.flow_states import FlowStatesStore

        return FlowStatesStore(path)
    if kind == "task-outputs":
        from crewcheck.stores.task_outputs import TaskOutputsStore

        return TaskOutputsStore(path)
    raise Unreadable(
        f"{path} is a SQLite database without checkpoints: it has no table `checkpoints`",
        "give the database that CrewAI's SqliteProvider writes",
    )


def _branch_of_big(path: str) -> str | None:
    """The branch of a big document, where its beginning tells: the rest is read soon enough."""
    from crewcheck.stores.json_text import HEAD, branch_at_start

    try:
        return branch_at_start(read_regular(path, HEAD)) if os.path.getsize(path) > _BIG else None
    except OSError:
        return None


def _one_file(path: str) -> Opened:
    """The store around one checkpoint's file: the folder above its branch."""
    from crewcheck.model.scan import Header
    from crewcheck.stores.json_dir import JsonDirStore

    folder, name = os.path.split(os.path.abspath(path))
    here = JsonDirStore(folder)
    named = parse_file_name(name)
    branch = _branch_of_big(path)
    if branch is None:
        summary = here.summary(Header(key=name, id=name, location=path))
        damage = summary.damage
        # a file with a checkpoint's name is one, if a damaged one, as in a listing
        if named is None and damage is not None and damage.rule == "not-a-checkpoint":
            raise Unreadable(
                f"{path} is no checkpoint: {damage.message}",
                "give a checkpoint that CrewAI has written, or a folder of them",
            )
        branch = summary.branch or ("main" if os.path.basename(folder) == "main" else "")
    parts = [part for part in branch.split("/") if part]
    above = folder.split(os.sep)
    flat = named is not None and not named[2]
    if parts and not flat and above[-len(parts) :] == parts:
        root = os.sep.join(above[: -len(parts)]) or os.sep
        key = "/".join([*parts, name])
    else:
        root, key = folder, name
    shown = os.path.relpath(root) if not os.path.isabs(path) else root
    return Opened(JsonDirStore(shown), key)
