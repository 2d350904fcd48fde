"""The modules of a project, read as text: found in its folders, parsed when needed.

Nothing is imported, and nothing outside the project is looked at: not its virtual
environments, not what is hidden, built or installed.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeGuard

from crewcheck.runtimes.declarations import is_declaration
from crewcheck.runtimes.static_module import ModuleReader, is_main_guard
from crewcheck.runtimes.static_values import FunctionValue, ModuleValue

_LEFT_OUT = frozenset(
    {"node_modules", "build", "dist", "site-packages", "__pycache__", "venv", "env"}
)
MOST_FILES = 5000
MOST_DECLARATIONS = 500
LARGEST_FILE = 1 << 20
_WORTH_PARSING = (b"crewai", b"kickoff")
_PROJECT_FILES = frozenset({"pyproject.toml", "setup.cfg", "setup.py"})
#: What CrewAI's tools call the file of a crew or flow, and the folder of a crew's agents.
_USUAL = ("crew", "flow")
_AGENTS = "agents"
_NAMED_FILE = re.compile(rb"[\w.-]+\.(?:jsonc?|ya?ml)\b", re.IGNORECASE)
_STARTS = ("kickoff", "akickoff")


class Module:
    """A module of the project. ``tree`` and ``reader`` come when they are asked for.

    ``root`` is the folder that must be on sys.path for its name, None for the project's own.
    """

    def __init__(self, name: str, path: str, root: str | None = None) -> None:
        self.name = name
        self.path = path
        self.root = root
        self.reader: ModuleReader | None = None
        self.problem: str | None = None
        self._bytes: bytes | None = None
        self._tree: ast.Module | None = None

    @property
    def is_package(self) -> bool:
        return os.path.basename(self.path) == "__init__.py"

    def bytes(self) -> bytes:
        """The text, empty where it cannot be had."""
        if self._bytes is None:
            self._bytes = b""
            try:
                if os.path.getsize(self.path) > LARGEST_FILE:
                    self.problem = "it is larger than 1 MB"
                else:
                    with open(self.path, "rb") as file:
                        self._bytes = file.read()
            except OSError as error:
                self.problem = (error.strerror or str(error)).lower()
        return self._bytes

    def worth_parsing(self) -> bool:
        """Whether it can have something to do with CrewAI."""
        text = self.bytes()
        return any(word in text for word in _WORTH_PARSING)

    def tree(self) -> ast.Module | None:
        """The syntax tree, None where there is none; then ``problem`` says why."""
        if self._tree is None and self.problem is None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # odd escapes in somebody's strings
                    self._tree = ast.parse(self.bytes())
            except SyntaxError as error:
                self.problem = f"a syntax error in line {error.lineno}"
            except (ValueError, RecursionError, MemoryError) as error:
                self.problem = f"it cannot be parsed: {error}"
        return self._tree


class StaticProject:
    """The modules below ``folder``, under the names that ``roots`` (for sys.path) give them.

    ``configured`` are the crews and flows that ``[tool.crewai] definition`` names.
    """

    def __init__(self, folder: str, roots: Sequence[str] = ()) -> None:
        self.folder = os.path.abspath(folder)
        self.notes: list[str] = []
        self.configured: set[str] = set()
        self._data: list[str] = []
        self._settings: list[str] = []
        #: whether they are the project's own, or those of a project in it (of a workspace)
        self._roots = dict.fromkeys([*map(os.path.abspath, roots), self.folder], True)
        self.modules: dict[str, Module] = {}
        self._imported: dict[tuple[str, bool], list[tuple[Module | None, str | None]]] = {}
        for path in self._files():
            root = max((one for one in self._roots if _is_below(path, one)), key=len)
            name = _module_name(os.path.relpath(path, root))
            # the projects in this one may have modules of the same names
            key = str(name) if self._roots[root] else os.path.join(root, str(name))
            if name is not None and key not in self.modules:
                self.modules[key] = Module(name, path, None if self._roots[root] else root)
        self._by_path = {one.path: one for one in self.modules.values()}

    def shown(self, path: str) -> str:
        """A file as a person would name it."""
        return os.path.relpath(path, self.folder)

    def signature(self) -> tuple[tuple[str, int, int], ...]:
        """What changes where one of the files does that a look reads."""
        found = []
        for path in (*self._by_path, *self._data, *self._settings):
            with suppress(OSError):
                state = os.stat(path)
                found.append((path, state.st_mtime_ns, state.st_size))
        return tuple(found)

    def declarations(self) -> list[str]:
        """The files that can declare a crew, flow or agent: by their names, or because the
        project names them."""
        named: set[str] = set()
        for module in self.modules.values():
            if module.worth_parsing():
                found = _NAMED_FILE.findall(module.bytes())
                named.update(one.decode("utf-8", "replace").lower() for one in found)
        wanted = []
        for path in self._data:
            folder, name = os.path.split(path)
            stem = name.lower().partition(".")[0]
            is_usual = stem in _USUAL or os.path.basename(folder) == _AGENTS
            if is_usual or path in self.configured or name.lower() in named:
                wanted.append(path)
        return wanted[:MOST_DECLARATIONS]

    def _files(self) -> Iterator[str]:
        """The Python files, in an order that is always the same."""
        count = 0
        for folder, folders, files in os.walk(self.folder):
            folders[:] = sorted(one for one in folders if _is_looked_into(folder, one))
            if not _PROJECT_FILES.isdisjoint(files):
                source = os.path.join(folder, "src")
                self._settings.append(os.path.join(folder, "pyproject.toml"))
                self._roots.setdefault(source if os.path.isdir(source) else folder, False)
                self.configured.update(_definition(os.path.join(folder, "pyproject.toml")))
            for name in sorted(files):
                is_data = is_declaration(name) and not name.startswith(".")
                if is_data and len(self._data) < MOST_FILES:
                    self._data.append(os.path.join(folder, name))
                if name.endswith(".py") and not name.startswith("."):
                    if count == MOST_FILES:
                        self.notes.append(f"only the first {MOST_FILES} files were looked at")
                        return
                    count += 1
                    yield os.path.join(folder, name)

    def read(self, module: Module) -> ModuleReader | None:
        """The module's values, None where it cannot be parsed."""
        if module.reader is None:
            tree = module.tree()
            if tree is None:
                return None
            module.reader = ModuleReader(module.path, tree, self._find)
            try:
                module.reader.read()
            except RecursionError:
                module.problem = "it is nested too deeply"
        return module.reader

    def _find(self, name: str | None, level: int, path: str) -> Mapping[str, Any] | None:
        """The names of a module that another one imports; None for one not of the project."""
        full = self._absolute(name, level, path)
        module = self._module(full, path)[0] if full is not None else None
        reader = self.read(module) if module is not None else None
        return None if reader is None else reader.scope.names

    def _module(self, name: str, path: str) -> tuple[Module | None, str | None]:
        """A module by its name, as the file at ``path`` imports it; and the folder that must
        be on sys.path for that, None where the project's own will do.

        A program in a folder of its own imports what lies beside it.
        """
        importer = self._by_path[path].root
        beside = self.modules.get(os.path.join(importer, name)) if importer is not None else None
        if beside is not None or name in self.modules:
            return beside or self.modules[name], None
        parts = name.split(".")
        if parts[0] in sys.stdlib_module_names or parts[0] == "crewai":
            return None, None
        folder = os.path.dirname(path)
        while _is_below(folder, self.folder):
            for tail in ([*parts[:-1], f"{parts[-1]}.py"], [*parts, "__init__.py"]):
                there = self._by_path.get(os.path.join(folder, *tail))
                if there is not None:
                    return there, folder
            folder = os.path.dirname(folder)
        inner = (os.path.join(one, name) for one, is_own in self._roots.items() if not is_own)
        return next((self.modules[one] for one in inner if one in self.modules), None), None

    def module_at(self, path: str) -> Module | None:
        """The module in a file."""
        return self._by_path.get(path)

    def needs(self, module: Module) -> str | None:
        """The folder beside the project's own that must be on sys.path for a module to be
        imported, None if none must."""
        if module.root is not None:
            return module.root
        for _, _, imports in self._walk(module, everywhere=True):
            for _, folder in imports:
                if folder is not None and _is_below(module.path, folder):
                    return folder
        return None

    def program_of(self, module: Module) -> str | None:
        """The file that a person would run to get at what a module makes: itself, or one
        that imports it; None if there is none."""
        for one in [module, *self.modules.values()]:
            tree = one.tree() if one.worth_parsing() else None
            if tree is None or not _is_program(tree):
                continue
            if any(reached is module for reached, _, _ in self._walk(one, everywhere=True)):
                return one.path
        return None

    def _walk(
        self, module: Module, *, everywhere: bool = False
    ) -> Iterator[tuple[Module, ast.Module, list[tuple[Module | None, str | None]]]]:
        """A module and what it imports (``everywhere`` in it, or on import), and what that
        does, each once: with its text, and the modules and folders of its imports."""
        seen: set[str] = set()
        waiting = [module]
        while waiting:
            one = waiting.pop()
            tree = None if one.path in seen else one.tree()
            seen.add(one.path)
            if tree is None:
                continue
            key = one.path, everywhere
            if key not in self._imported:  # each is come to from many
                names = self._imports(tree, one.path, everywhere)
                self._imported[key] = [self._module(name, one.path) for name in names]
            imports = self._imported[key]
            yield one, tree, imports
            waiting += [found for found, _ in imports if found is not None]

    def _absolute(self, name: str | None, level: int, path: str) -> str | None:
        if level == 0:
            return name
        importer = self._by_path[path]
        parts = importer.name.split(".")
        drop = level - 1 if importer.is_package else level
        if drop > len(parts):
            return None
        return ".".join([*parts[: len(parts) - drop], *([name] if name else [])])

    def starts_on_import(self, module: Module) -> str | None:
        """Which file would start a run if a module were imported: its own, or one it imports."""
        for one, tree, _ in self._walk(module):
            if self._starts_a_run(one, tree):
                return one.path
        return None

    def _imports(self, tree: ast.Module, path: str, everywhere: bool = False) -> Iterator[str]:
        """The names of the modules that one imports, with the packages that they are in: when
        it is imported itself, or ``everywhere`` in it."""
        for node in ast.walk(tree) if everywhere else _run_on_import(tree.body):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from _with_packages(alias.name)
            elif isinstance(node, ast.ImportFrom):
                base = self._absolute(node.module, node.level, path)
                if base:
                    yield from _with_packages(base)
                    yield from (f"{base}.{alias.name}" for alias in node.names)

    def _starts_a_run(self, module: Module, tree: ast.Module) -> bool:
        """Whether an import of a module kicks something off, by itself or by a function or
        method of the project that it calls."""
        reader = self.read(module)
        names = reader.scope.names if reader is not None else {}
        own = {
            one.name: one
            for one in ast.walk(tree)
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        seen: set[int] = set()
        waiting: list[ast.AST] = list(_run_on_import(tree.body))
        while waiting:
            node = waiting.pop()
            if not isinstance(node, ast.Call):
                continue
            called: ast.AST | None = None
            if isinstance(node.func, ast.Attribute):
                if node.func.attr.startswith(_STARTS):
                    return True
                owner = names.get(node.func.value.id) if _is_name(node.func.value) else None
                if isinstance(owner, ModuleValue):
                    called = _function(owner.names.get(node.func.attr))
                called = called or own.get(node.func.attr)
            elif isinstance(node.func, ast.Name):
                called = own.get(node.func.id) or _function(names.get(node.func.id))
            if called is not None and id(called) not in seen:
                seen.add(id(called))
                waiting += ast.walk(called)
        return False


def _definition(pyproject: str) -> Iterator[str]:
    """The file that ``[tool.crewai] definition`` names."""
    import tomllib

    try:
        with open(pyproject, "rb") as file:
            tool = tomllib.load(file).get("tool")
    except (OSError, ValueError):
        return
    crewai = tool.get("crewai") if isinstance(tool, dict) else None
    named = crewai.get("definition") if isinstance(crewai, dict) else None
    if isinstance(named, str) and named.strip():
        yield os.path.normpath(os.path.join(os.path.dirname(pyproject), named.strip()))


def _is_looked_into(folder: str, name: str) -> bool:
    if name.startswith(".") or name in _LEFT_OUT or name.endswith(".egg-info"):
        return False
    path = os.path.join(folder, name)
    return not os.path.islink(path) and not os.path.exists(os.path.join(path, "pyvenv.cfg"))


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _module_name(relative: str) -> str | None:
    """``a/b.py`` is ``a.b``; None for what no import statement can name."""
    parts = relative.removesuffix(".py").split(os.sep)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if parts and all(one.isidentifier() for one in parts) else None


def _run_on_import(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """What runs when a module is imported: all but functions and the main guard."""
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and is_main_guard(node.test):
            waiting += node.orelse
            continue
        yield node
        waiting += reversed(list(ast.iter_child_nodes(node)))


def _is_program(tree: ast.Module) -> bool:
    """Whether a file is made to be run: it has a main guard, or kicks something off."""
    return any(
        (isinstance(node, ast.If) and is_main_guard(node.test))
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr.startswith(_STARTS)
        )
        for node in ast.walk(tree)
    )


def _is_name(node: ast.expr) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _function(value: Any) -> ast.AST | None:
    return value.node if isinstance(value, FunctionValue) else None


def _with_packages(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))
