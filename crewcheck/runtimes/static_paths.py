"""Paths in a static look: texts, whatever they are made with (``pathlib`` or ``os.path``)."""

from __future__ import annotations

import os
from typing import Any

from crewcheck.runtimes.static_values import UNKNOWN

_SAME = frozenset({"resolve", "absolute", "expanduser", "as_posix"})


def joined_path(*parts: Any) -> Any:
    """A path of known parts."""
    return os.path.join(*parts) if all(isinstance(one, str) for one in parts) else UNKNOWN


def path_call(function: str, args: list[Any]) -> Any:
    """What a function of a library gives that makes a path."""
    if function in ("os.path.join", "pathlib.Path", "pathlib.PurePath") and args:
        return joined_path(*args)
    if function in ("pathlib.Path.cwd", "os.getcwd"):
        return ""
    if len(args) != 1 or not isinstance(args[0], str):
        return UNKNOWN
    if function == "os.path.dirname":
        return os.path.dirname(args[0])
    return args[0] if function in ("os.path.abspath", "os.path.realpath") else UNKNOWN


def path_method(path: str, name: str, args: list[Any]) -> Any:
    """What a path's method gives."""
    if name in _SAME and not args:
        return path
    return joined_path(path, *args) if name == "joinpath" else UNKNOWN


def path_attribute(path: str, name: str) -> Any:
    """What a path's attribute is."""
    if name == "parent":
        return os.path.dirname(path)
    if name == "parents":
        found = [os.path.dirname(path)]
        while os.path.dirname(found[-1]) != found[-1]:
            found.append(os.path.dirname(found[-1]))
        return found
    return UNKNOWN


def nearest_file(named: str, folder: str) -> str | None:
    """The file that a path means to a program in some folder: it runs there, or further up."""
    while True:
        path = os.path.normpath(os.path.join(folder, named))
        if os.path.isfile(path):
            return path
        above = os.path.dirname(folder)
        if above == folder or os.path.isabs(named):
            return None
        folder = above
