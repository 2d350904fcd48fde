"""The user's own crew, from ``module:attr``, ``file.py:attr``, or a module with one crew.

The attribute is a crew, a ``@CrewBase`` class or an instance of one, or a function that
returns one of these and needs no arguments.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from crewcheck.crewai.refusal import Refusal

HINT = "name it with --entry MODULE:ATTR, or run your own program with --script FILE"


def load(entry: str) -> tuple[Any, str]:
    """The crew that an entry names, and the entry in full. Raises `Refusal`."""
    place, _, attribute = entry.partition(":")
    module = _import(place)
    if attribute:
        return _crew_of(_attribute(module, attribute, entry), entry), entry
    found = list(_candidates(module))
    if not found:
        raise Refusal("nothing-found", f"{place} has no crew at its top level", HINT)
    if len(found) > 1:
        raise Refusal(
            "several-found",
            f"{place} has {len(found)} crews: say which",
            HINT,
            [f"{place}:{name}" for name, _ in found],
        )
    name, value = found[0]
    return _crew_of(value, f"{place}:{name}"), f"{place}:{name}"


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


def _attribute(module: ModuleType, path: str, entry: str) -> Any:
    value: Any = module
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            names = [f"{module.__name__}:{name}" for name, _ in _candidates(module)]
            raise Refusal(
                "attribute-not-found",
                f"{entry}: there is no {part}",
                f"there is: {', '.join(names)}" if names else HINT,
                names,
            ) from None
    return value


def _candidates(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """What at a module's top level can be meant: each object once, nothing imported."""
    seen: list[Any] = []
    for name, value in vars(module).items():
        if any(value is other for other in seen):
            continue
        own = getattr(value, "__module__", None) == module.__name__
        if _is_crew(value) or (own and (_is_crew_class(value) or _makes_crew(value))):
            seen.append(value)
            yield name, value


def _is_crew(value: Any) -> bool:
    from crewai import Crew

    return isinstance(value, Crew)


def _is_crew_class(value: Any) -> bool:
    return inspect.isclass(value) and bool(getattr(value, "is_crew_class", False))


def _makes_crew(value: Any) -> bool:
    """Whether it is a function that says that it returns a crew."""
    if not inspect.isfunction(value):
        return False
    said = inspect.unwrap(value).__annotations__.get("return")
    return (said if isinstance(said, str) else getattr(said, "__name__", "")) == "Crew"


def _crew_of(value: Any, entry: str) -> Any:
    """The crew that an object is or makes. Raises `Refusal`."""
    if _is_crew(value):
        return value
    _refuse_flow(value, entry)
    if _is_crew_class(value):
        return _crew_of(_call(value, entry), entry)
    if _is_crew_class(type(value)):
        made = _call(_crew_method(value, entry), entry)
        if not _is_crew(made):
            raise _no_crew(made, entry)
        return made
    if inspect.isroutine(value) or inspect.isclass(value):
        made = _call(value, entry)
        if _is_crew(made) or _is_crew_class(type(made)):
            return _crew_of(made, entry)
        _refuse_flow(made, entry)
        raise _no_crew(made, entry)
    raise _no_crew(value, entry)


def _crew_method(instance: Any, entry: str) -> Callable[[], Any]:
    """The ``@crew`` method of a ``@CrewBase`` object: ``crew``, as it is called by custom,
    or the one that says that it returns a crew (CrewAI leaves no mark on it)."""
    kind = type(instance)
    names = [name for name in vars(kind) if _makes_crew(vars(kind)[name])]
    if callable(getattr(kind, "crew", None)):
        names = ["crew"]
    if len(names) != 1:
        raise Refusal(
            "no-crew",
            f"{entry} has no method crew",
            "name a function that returns the crew with --entry MODULE:ATTR",
            names,
        )
    method: Callable[[], Any] = getattr(instance, names[0])
    return method


def _call(value: Callable[[], Any], entry: str) -> Any:
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


def _refuse_flow(value: Any, entry: str) -> None:
    names = {one.__name__ for one in (value if inspect.isclass(value) else type(value)).__mro__}
    if "Flow" in names:
        raise Refusal("wrong-kind", f"{entry} is a flow, and the checkpoint is of a crew")


def _no_crew(value: Any, entry: str) -> Refusal:
    return Refusal(
        "no-crew", f"{entry} gives no crew but an object of {type(value).__name__}", HINT
    )
