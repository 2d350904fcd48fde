"""With what besides the question the user's program asks an agent: ``response_format``.

No checkpoint tells of it. So the texts of the project are looked at for kickoffs of the
agent: under the name of the entry, or under one that it is given there.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from crewcheck.crewai.refusal import Refusal

_KICKOFFS = ("kickoff", "kickoff_async", "akickoff")
_FORMAT = "response_format"
#: So many files of a project are looked at.
_MOST_FILES = 300
_NOT_THEIRS = frozenset({"site-packages", "node_modules", "__pycache__", "venv", "env"})

HINT = "run your own program instead, with --script FILE"


class Asked(NamedTuple):
    """``format`` is the class of the answer, None for a text. ``known``: a kickoff was found."""

    format: Any
    known: bool


class _Kickoff(NamedTuple):
    path: str
    line: int
    format: ast.expr | None


def how_it_is_asked(entry: str, folder: str) -> Asked:
    """How the program in a folder asks the agent of an entry (``module:attr``).

    Raises `Refusal` where it does so in several ways, or with a class that is not found.
    """
    place, _, attribute = entry.partition(":")
    module = _module(place)
    name = attribute.rpartition(".")[2]
    found = [one for path in _files(folder, module) for one in _kickoffs(path, name)]
    if not found:
        return Asked(None, False)
    first = found[0]
    ways = {"" if one.format is None else ast.unparse(one.format) for one in found}
    if len(ways) > 1:
        raise Refusal(
            "asked-differently",
            f"the program asks {entry} in several ways, and no checkpoint tells which of them "
            "this was",
            HINT,
            [f"{one.path}, line {one.line}: {_said(one)}" for one in found],
        )
    if first.format is None:
        return Asked(None, True)
    for one in found:
        value = _value(one, module)
        if value is not None:
            return Asked(value, True)
    raise Refusal(
        "response-format",
        f"the program asks {entry} for an answer of the class {ast.unparse(first.format)} "
        f"({first.path}, line {first.line}), which cannot be had without running it",
        HINT,
    )


def _said(one: _Kickoff) -> str:
    return f"{_FORMAT}={ast.unparse(one.format)}" if one.format is not None else "for a text"


def _module(place: str) -> ModuleType | None:
    """The module of an entry, which has been imported."""
    if place in sys.modules:
        return sys.modules[place]
    path = os.path.realpath(place)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.realpath(file) == path:
            return module
    return None


def _files(folder: str, module: ModuleType | None) -> Iterator[str]:
    """The project's own files, that of the entry first."""
    own = os.path.realpath(getattr(module, "__file__", None) or "")
    if os.path.isfile(own):
        yield own
    count = 0
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(
            one
            for one in folders
            if not one.startswith(".")
            and one not in _NOT_THEIRS
            and not os.path.exists(os.path.join(above, one, "pyvenv.cfg"))
        )
        for name in sorted(names):
            path = os.path.realpath(os.path.join(above, name))
            if name.endswith(".py") and path != own:
                count += 1
                if count > _MOST_FILES:
                    return
                yield path


def _kickoffs(path: str, name: str) -> list[_Kickoff]:
    """The kickoffs in a file of what is called by a name there."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
        if name not in text or "kickoff" not in text:
            return []
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return []
    names = {name} | _other_names(tree, name)
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in _KICKOFFS or _last_name(node.func.value) not in names:
            continue
        given = [one.value for one in node.keywords if one.arg == _FORMAT] + node.args[1:2]
        plain = [one for one in given if not (isinstance(one, ast.Constant) and one.value is None)]
        found.append(_Kickoff(path, node.lineno, plain[0] if plain else None))
    return found


def _other_names(tree: ast.AST, name: str) -> set[str]:
    """What else the file calls it: ``import ... as``, and what it is assigned to."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {one.asname for one in node.names if one.name == name and one.asname}
        elif isinstance(node, ast.Assign) and _last_name(node.value) == name:
            names |= {one.id for one in node.targets if isinstance(one, ast.Name)}
    return names


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _value(one: _Kickoff, module: ModuleType | None) -> Any:
    """The class that a kickoff names: of the entry's module, or as its file imports it."""
    names = ast.unparse(one.format).split(".") if one.format is not None else []
    if not names or not all(name.isidentifier() for name in names):
        return None
    if module is not None and os.path.realpath(getattr(module, "__file__", "") or "") == one.path:
        return _part(vars(module).get(names[0]), names[1:])
    with open(one.path, encoding="utf-8-sig") as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        if not isinstance(node, (ast.ImportFrom, ast.Import)):
            continue
        for alias in node.names:
            if (alias.asname or alias.name) != names[0]:
                continue
            try:
                if isinstance(node, ast.Import):
                    return _part(importlib.import_module(alias.name), names[1:])
                if node.level == 0 and node.module:
                    return _part(importlib.import_module(node.module), [alias.name, *names[1:]])
            except ImportError:
                return None
    return None


def _part(value: Any, names: list[str]) -> Any:
    for name in names:
        value = getattr(value, name, None)
    return value
