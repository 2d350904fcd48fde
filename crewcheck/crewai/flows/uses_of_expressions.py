"""What expressions of the user's functions read and change, followed through what they call.

Statements are in `uses`.
"""

from __future__ import annotations

import ast
import inspect
import logging
import sysconfig
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from crewcheck.crewai.flows.code import attributes, function_of
from crewcheck.crewai.flows.handing import (
    Given,
    Part,
    called_by,
    changed_by,
    handed,
    part_of,
    updated,
)
from crewcheck.crewai.flows.places import Places

#: A model, an agent, a crew or a flow is asked.
ASK = "ask"

#: It is read; it gets a value whatever it was; it changes, or may; it is made where it is
#: missing, and would be the same each time.
READ, SET, CHANGE, MADE = "read", "set", "change", "made"

_ASKING = frozenset(
    ("call", "acall", "kickoff", "kickoff_async", "akickoff", "kickoff_for_each",
     "kickoff_for_each_async", "akickoff_for_each")
)  # fmt: skip
_LOGGING = frozenset(("debug", "info", "warning", "error", "exception", "critical", "log"))
_MUTATORS = frozenset(
    ("add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert", "pop",
     "popitem", "popleft", "remove", "reverse", "rotate", "setdefault", "sort", "subtract",
     "update")
)  # fmt: skip
#: With so many different arguments a function is gone through.
_MOST_CALLS = 4
_LIBRARIES = tuple(
    path for name in ("stdlib", "purelib", "platlib") if (path := sysconfig.get_path(name))
)


@dataclass(frozen=True)
class Use:
    """``place`` is as the user writes it: ``self.notes``, ``FOUND``. ``certain``: it happens
    whenever the function runs."""

    kind: str
    place: str
    certain: bool


def is_own(function: Any) -> bool:
    """Whether a function is the user's, and no library's."""
    code = getattr(function, "__code__", None)
    return code is not None and not is_library(code.co_filename)


def is_library(path: str) -> bool:
    """Whether a file of Python code belongs to the interpreter or what is installed in it."""
    return path.startswith((*_LIBRARIES, "<frozen"))


class Walk(ast.NodeVisitor):
    """Goes through one function. ``seen`` are those that have been gone through."""

    def __init__(
        self,
        function: Any,
        owner: Any,
        hidden: frozenset[str] | None,
        found: list[Use],
        seen: set[tuple[Any, frozenset[tuple[str, Part]]]],
        certain: bool = True,
        given: Given | None = None,
    ) -> None:
        self._function, self._owner, self._hidden = function, owner, hidden
        self._found, self._seen, self._certain = found, seen, certain
        self._places = Places(function, owner, hidden)
        for name, place in (given or {}).items():
            self._places.name_it(name, place)
        self._key = function.__code__, frozenset((given or {}).items())
        #: places that are known to be missing here, and names of what is the same in each run
        self._absent: set[str] = set()
        self._clean: set[str] = set()
        #: calls whose results nobody looks at
        self._alone: set[int] = set()
        #: within what is only shown or logged: what that reads changes nothing
        self._shown = False

    def run(self) -> None:
        self._seen.add(self._key)
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(self._function)))
        except (OSError, TypeError, SyntaxError):
            return self._by_code()
        node = tree.body[0]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._block(node.body)
        else:
            self._by_code()

    def _by_code(self) -> None:
        """Without the text: all that is read, and then what is set."""
        if self._places.own is None:
            return
        for name in attributes(self._function):
            self._member(name)
        for name in attributes(self._function, stored=True):
            self._use(SET, f"self.{name}")

    # what happens

    def _use(self, kind: str, place: str | None) -> None:
        if place is not None and not (self._shown and kind == READ):
            self._found.append(Use(kind, place, self._certain))

    def _member(self, attr: str) -> None:
        """An attribute of the object is loaded."""
        function = self._places.code_of(attr)
        if attr == "state":
            self._use(READ, "self.state" if self._hidden is None else None)
            return
        if function is None:
            self._use(READ, f"self.{attr}")
            return
        found = inspect.getattr_static(type(self._owner), attr, None)
        self._follow(function, None if isinstance(found, staticmethod) else self._owner)

    def _follow(self, function: Any, owner: Any, given: Given | None = None) -> list[Use]:
        """Go on in another function of the user's, once for the places that it is ``given``."""
        given = given or {}
        code = function.__code__
        if not is_own(function) or (code, frozenset(given.items())) in self._seen:
            return []
        if given and sum(one is code for one, _ in self._seen) > _MOST_CALLS:
            for place, _ in given.values():  # it goes down into what it is given
                self._use(CHANGE, place)
            return []
        before = len(self._found)
        hidden = self._hidden if owner is self._owner or given else frozenset[str]()
        known = self._found if owner is self._owner or owner is None else []
        walk = type(self)(function, owner, hidden, known, self._seen, self._certain, given)
        walk.run()
        return known if known is not self._found else known[before:]

    def _block(self, statements: Iterable[ast.AST], *, sure: bool = True) -> None:
        certain, self._certain = self._certain, self._certain and sure
        for one in statements:
            self.visit(one)
        self._certain = certain

    @contextmanager
    def _missing(self, places: set[str]) -> Iterator[None]:
        """Where these are known to be missing."""
        absent, self._absent = self._absent, self._absent | places
        yield
        self._absent = absent

    def _index(self, target: ast.expr) -> None:
        """What is read to find the place of a store."""
        while isinstance(target, (ast.Attribute, ast.Subscript)):
            if isinstance(target, ast.Subscript):
                self.visit(target.slice)
            target = target.value

    def _kind_of_store(
        self, place: str | None, value: ast.expr | None, target: ast.expr | None = None
    ) -> str:
        if value is None or place is None:
            return SET
        key = target.slice if isinstance(target, ast.Subscript) else None
        match value:
            case ast.BoolOp(op=ast.Or(), values=[first, *rest]) if (
                self._places.find(first) == place
            ):
                return MADE if all(map(self._is_clean, rest)) else CHANGE
        if place in self._absent and self._is_clean(value, _names_in(key)):
            return MADE
        return SET

    def _is_clean(self, value: ast.expr, known: frozenset[str] = frozenset()) -> bool:
        """Whether a value would be the same at any time: it is made of nothing of this run.

        A call may be given parts of the state: of a model's name, a model.
        """
        same = known | self._clean | {self._places.own}
        local = {
            one.id
            for one in ast.walk(value)
            if isinstance(one, ast.Name) and one.id in self._places.locals
        }
        of_state = any(
            isinstance(one, ast.Attribute) and one.attr == "state" for one in ast.walk(value)
        )
        return local <= same and (isinstance(value, ast.Call) or not of_state)

    # expressions

    def visit_Expr(self, node: ast.Expr) -> None:
        self._alone.add(id(node.value))
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        value = None if node.id in self._places.locals else self._places.known(node.id)
        if isinstance(value, FunctionType):
            self._follow(value, None)
        else:
            self._use(READ, self._places.named(node.id))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.value.id == self._places.own:
            self._member(node.attr)
            return
        place = self._places.find(node)
        if place is not None:
            self._use(READ, place)
            self._index(node)
        elif self._is_super(node.value):
            for function in self._above(node.attr):
                self._follow(function, self._owner)
        else:
            self.generic_visit(node)

    def _is_super(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and (node.func.id == "super")
        )

    def _above(self, attr: str) -> Iterator[Any]:
        for kind in type(self._owner).__mro__:
            function = function_of(vars(kind).get(attr))
            if inspect.isfunction(function) and function is not self._function:
                yield function

    def visit_Subscript(self, node: ast.Subscript) -> None:
        place = self._places.find(node)
        if place is not None:
            self._use(READ, place)
            self._index(node)
        else:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        shown, self._shown = self._shown, self._shown or self._only_shows(node)
        self._call(node)
        self._shown = shown
        match node.func:
            case ast.Attribute(attr=attr) if attr in _ASKING:
                self._use(ASK, attr)

    def _only_shows(self, node: ast.Call) -> bool:
        """Whether a call prints or logs what it is given, and does nothing else."""
        match node.func:
            case ast.Name(id="print"):
                return self._places.known("print") is None
            case ast.Attribute(value=holder, attr=attr) if attr in _LOGGING:
                return isinstance(self._places.value_in(holder), logging.Logger) or (
                    isinstance(holder, ast.Name) and self._places.known(holder.id) is logging
                )
        return False

    def _call(self, node: ast.Call) -> None:
        if attr := self._places.asked(node, "setattr"):
            self.visit(node.args[2])
            self._use(self._kind_of_store(f"self.{attr}", node.args[2]), f"self.{attr}")
            return
        if attr := self._places.asked(node, "getattr", "hasattr"):
            self._member(attr)
            for one in node.args[2:]:
                self.visit(one)
            return
        match node:
            case _ if (called := called_by(self._places, node)) is not None:
                self._follow(called.function, called.owner, called.given)
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)):
                self._called(node, inner, attr)
            case _:
                self.visit(node.func)
        self._use(CHANGE, changed_by(self._places, node))
        for one in [*node.args, *(given.value for given in node.keywords)]:
            self.visit(one)

    def _called(self, node: ast.Call, inner: ast.expr, attr: str) -> None:
        """A method of something is called."""
        if ast.unparse(inner) == f"{self._places.own}.state" and self._of_state(attr):
            return
        if attr in ("get", "setdefault") and (place := self._places.find(node)):
            self._index(inner)
            self._use(READ, place)
            self._use(CHANGE, place if attr == "setdefault" else None)
            return
        part = part_of(self._places, inner)
        if part is None:
            self.visit(node.func)
            return
        place = part[0]
        self._index(inner)
        if attr == "update" and self._hidden is None and part[1] and (keys := updated(node)):
            for key in keys:
                self._use(SET, f"{place}.{key}")
            return
        changes = attr in _MUTATORS
        if self._places.is_whole(inner, place):
            value = self._places.value_in(inner)
            function = function_of(inspect.getattr_static(type(value), attr, None))
            if inspect.isfunction(function) and is_own(function):
                if given := handed(self._places, node, function, bound=True):
                    self._follow(function, None, given)
                within = self._follow(function, value)
                changes = changes or any(one.kind in (SET, CHANGE) for one in within)
        if id(node) not in self._alone or not changes:
            self._use(READ, place)
        if changes:
            self._use(CHANGE, place)

    def _of_state(self, attr: str) -> bool:
        """Go on in a method of the state's own class; whether it is one."""
        state = getattr(self._owner, "_state", None)
        function = function_of(inspect.getattr_static(type(state), attr, None))
        if not inspect.isfunction(function) or not is_own(function):
            return False
        for one in self._follow(function, state):
            part = one.place.removeprefix("self.")
            known = self._hidden is None or part.partition(".")[0] in self._hidden
            if one.place.startswith("self.") and known:
                certain = one.certain and self._certain
                self._found.append(Use(one.kind, f"self.state.{part}", certain))
        return True


def _names_in(node: ast.expr | None) -> frozenset[str]:
    if node is None:
        return frozenset()
    return frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
