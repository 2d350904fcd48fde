"""The user's own object, from ``module:attr``, ``file.py:attr``, a module with one, or a file
that declares it (`declared`).

What an attribute may be is told by the kind of object that is wanted: `Kind`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Protocol

from crewcheck.crewai.declared import load_declared
from crewcheck.crewai.refusal import Refusal
from crewcheck.runtimes.declarations import is_declaration

HINT = "name it with --entry MODULE:ATTR, or run your own program with --script FILE"


class Kind(Protocol):
    """What is looked for: ``name`` is ``crew``, ``flow`` or ``agent``."""

    name: str

    def may_be(self, value: Any, own: bool) -> bool:
        """Whether something at a module's top level can be meant; ``own``: defined there."""

    def made_of(self, value: Any, entry: str) -> Any:
        """The object that an attribute is or makes. Raises `Refusal`."""


def load(entry: str, kind: Kind) -> tuple[Any, str]:
    """The object that an entry names, and the entry in full. Raises `Refusal`."""
    if is_declaration(entry):
        return load_declared(os.path.abspath(entry), kind.name), entry
    place, _, attribute = entry.partition(":")
    module = _import(place)
    if attribute:
        return kind.made_of(_attribute(module, attribute, entry, kind), entry), entry
    found = list(_candidates(module, kind))
    if not found:
        raise Refusal("nothing-found", f"{place} has no {kind.name} at its top level", HINT)
    if len(found) > 1:
        raise Refusal(
            "several-found",
            f"{place} has {len(found)} {kind.name}s: say which",
            HINT,
            [f"{place}:{name}" for name, _ in found],
        )
    name, value = found[0]
    return kind.made_of(value, f"{place}:{name}"), f"{place}:{name}"


def _import(place: str) -> ModuleType:
    """Import a module by its name or file."""
    try:
        if place.endswith(".py") or os.sep in place:
            return _import_file(os.path.abspath(place))
        return importlib.import_module(place)
    except Refusal:
        raise
    except ModuleNotFoundError as error:
        missing = error.name or str(error)
        if missing == place or place.startswith(missing + "."):
            raise Refusal(
                "module-not-found",
                f"there is no module {place} here",
                "name it as you would import it from the project's folder, or as FILE.py:ATTR",
            ) from None
        raise Refusal(
            "import-failed",
            f"{place} imports {missing}, which this Python does not have",
            "choose the project's own Python with --python",
        ) from error
    except FileNotFoundError:
        raise Refusal("module-not-found", f"there is no file {place}") from None
    except Exception as error:
        raise Refusal(
            "import-failed", f"importing {place} failed: {type(error).__name__}: {error}"
        ) from error


def _import_file(path: str) -> ModuleType:
    """Import a file under the name it would have: with its package, if it is in one."""
    if not os.path.isfile(path):
        raise FileNotFoundError(path)
    folder, base = os.path.split(path)
    parts = [] if base == "__init__.py" else [base[: -len(".py")]]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = ".".join(parts)
    there = sys.modules.get(name) or _find(name)
    file = getattr(there, "__file__", None) or getattr(there, "origin", None)
    if file and os.path.realpath(file) == os.path.realpath(path):
        return importlib.import_module(name)
    # another module has this name: the file gets one that nobody uses
    spec = importlib.util.spec_from_file_location(f"_crewcheck_entry_{parts[-1]}", path)
    if spec is None or spec.loader is None:
        raise Refusal("import-failed", f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _find(name: str) -> Any:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None


def _attribute(module: ModuleType, path: str, entry: str, kind: Kind) -> Any:
    value: Any = module
    for part in path.split("."):
        owner = value
        try:
            value = getattr(owner, part)
            if inspect.isclass(owner) and _is_method(owner, part, value):
                value = getattr(call(owner, entry), part)
        except AttributeError:
            names = [f"{module.__name__}:{name}" for name, _ in _candidates(module, kind)]
            raise Refusal(
                "attribute-not-found",
                f"{entry}: there is no {part}",
                f"there is: {', '.join(names)}" if names else HINT,
                names,
            ) from None
    return value


def _is_method(owner: type, name: str, value: Any) -> bool:
    """Whether an attribute of a class wants an object of it."""
    is_free = isinstance(inspect.getattr_static(owner, name, None), (staticmethod, classmethod))
    return callable(value) and not inspect.isclass(value) and not is_free


def _candidates(module: ModuleType, kind: Kind) -> Iterator[tuple[str, Any]]:
    """What at a module's top level can be meant: each object once, nothing imported."""
    seen: list[Any] = []
    for name, value in vars(module).items():
        own = getattr(value, "__module__", None) == module.__name__
        if not any(value is other for other in seen) and kind.may_be(value, own):
            seen.append(value)
            yield name, value


def call(value: Callable[[], Any], entry: str) -> Any:
    """Call a function or class of the user's that needs no arguments. Raises `Refusal`."""
    if inspect.iscoroutinefunction(value):
        raise Refusal("entry-is-async", f"{entry} is an async function", HINT)
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        parameters = {}.values()
    needed = [
        one.name
        for one in parameters
        if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    if needed:
        raise Refusal(
            "entry-needs-arguments",
            f"{entry} needs arguments: {', '.join(needed)}",
            "write a function without arguments that calls it, or use --script FILE",
        )
    try:
        return value()
    except Refusal:
        raise
    except Exception as error:
        raise Refusal(
            "entry-failed", f"calling {entry} failed: {type(error).__name__}: {error}"
        ) from error
