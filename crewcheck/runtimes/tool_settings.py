"""Where tools keep their settings, caches and data, and reading what is in them.

Each function gives what a tool would see with an environment; what cannot be read is empty.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Any

LARGEST = 1 << 20


def numbers(name: str) -> list[int]:
    """The version at the end of a name, for comparing."""
    return [int(one) for one in re.findall(r"\d+", name.rpartition("-py")[2])]


def listed(folder: str) -> list[str]:
    """The names in a folder, sorted."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def text(path: str) -> str:
    """What a file says, as far as it is read, without what no path can have."""
    try:
        if not os.path.isfile(path):  # a pipe would be waited for
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST).replace("\0", "")
    except (OSError, ValueError):
        return ""


def toml(path: str) -> dict[str, Any]:
    """A file of settings; empty where it cannot be read."""
    import tomllib

    try:
        return tomllib.loads(text(path))
    except (ValueError, RecursionError):
        return {}


def within(values: Any, *keys: str) -> Any:
    """What lies below some keys, None where there is nothing, or what can be no path."""
    for key in keys:
        values = values.get(key) if isinstance(values, dict) else None
    return None if isinstance(values, str) and "\0" in values else values


def changed_at(path: str) -> float:
    """When something was last changed; long ago where it is not there (any more)."""
    try:
        return os.path.getmtime(path)
    except OSError:
        return 0.0


def home(path: str, environment: Mapping[str, str]) -> str:
    """A path with ``~`` at its beginning, as the environment has it."""
    own = environment.get("HOME")
    if own and (path == "~" or path.startswith(("~/", f"~{os.sep}"))):
        return os.path.join(own, path[2:])
    return os.path.expanduser(path)


def config_home(environment: Mapping[str, str]) -> str:
    """The folder of settings of a person's programs."""
    if sys.platform == "darwin":
        return home("~/Library/Application Support", environment)
    return environment.get("XDG_CONFIG_HOME") or home("~/.config", environment)


def cache_home(environment: Mapping[str, str]) -> str:
    """The folder of their caches."""
    if sys.platform == "darwin":
        return home("~/Library/Caches", environment)
    return environment.get("XDG_CACHE_HOME") or home("~/.cache", environment)


def data_home(environment: Mapping[str, str]) -> str:
    """The folder of their data."""
    if sys.platform == "darwin":
        return home("~/Library/Application Support", environment)
    return environment.get("XDG_DATA_HOME") or home("~/.local/share", environment)
