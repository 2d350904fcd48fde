"""Looking at parts of a JSON store: the files that somebody says have changed.

What is at a path, and in the folders below it, is listed as a scan of the whole store
lists it: a scan is about all files and made for speed, this is about a few.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator

from crewcheck.model.identifiers import parse_file_name, time_of
from crewcheck.model.scan import Header


def headers_at(
    root: str,
    location: str,
    paths: Iterable[str],
    passed_over: frozenset[str],
    looks_like_one: Callable[[str, str], bool],
) -> list[Header]:
    """The headers of the checkpoints at these paths of a store, and below them.

    Args:
        root: The folder of the store.
        location: The same, as a person would name it.
        paths: Relative to the store, with ``/``; empty for the store itself.
        passed_over: Names of folders that are left out.
        looks_like_one: Whether a file of another name has a checkpoint in it.

    Raises `OSError` where something cannot be looked at that is there.
    """
    found: dict[str, Header] = {}
    ways: dict[str, bool] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if folder not in ways:
            ways[folder] = _leads_to(root, folder, passed_over)
        if not ways[folder] or name in passed_over:
            continue
        for key, at in _files(root, path, passed_over):
            if key not in found:
                header = _header(root, location, key, at, looks_like_one)
                if header is not None:
                    found[key] = header
    return list(found.values())


def _leads_to(root: str, folder: str, passed_over: frozenset[str]) -> bool:
    """Whether a folder of the store is one, and not behind a link or left out."""
    at = root
    for part in filter(None, folder.split("/")):
        at = os.path.join(at, part)
        if part in passed_over or os.path.islink(at) or not os.path.isdir(at):
            return False
    return True


def _files(
    root: str, path: str, passed_over: frozenset[str]
) -> Iterator[tuple[str, os.stat_result]]:
    """The regular files at a path and below it."""
    stack = [path]
    while stack:
        key = stack.pop()
        full = os.path.join(root, *key.split("/"))
        try:
            at = os.lstat(full)
            names = os.listdir(full) if stat.S_ISDIR(at.st_mode) else []
        except (FileNotFoundError, NotADirectoryError):  # deleted meanwhile
            continue
        if stat.S_ISREG(at.st_mode):
            yield key, at
        stack += [f"{key}/{name}" if key else name for name in names if name not in passed_over]


def _header(
    root: str,
    location: str,
    key: str,
    at: os.stat_result,
    looks_like_one: Callable[[str, str], bool],
) -> Header | None:
    branch, _, name = key.rpartition("/")
    named = parse_file_name(name)
    created_at = None
    if named is not None:
        created_at = time_of(named[0])
    elif looks_like_one(os.path.join(root, *branch.split("/")), name):
        named = name[: -len(".json")], None, True
    else:
        return None
    return Header(
        key=key,
        id=named[0],
        location=os.path.join(location, branch, name),
        parent_id=named[1],
        branch=branch or "main",
        created_at=created_at,
        stamp=at.st_mtime_ns,
        size=at.st_size,
        lineage_known=named[2],
    )
