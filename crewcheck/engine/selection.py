"""Which checkpoints a person wants to see: the one core of the app's filter and the commands'.

A :class:`Selection` holds what must be true of a checkpoint. Words and ``field:word`` are
typed (:func:`parse`): they are literal, in any case, and found anywhere in a field; all
must be found. The commands' options (``--branch main``) are exact, several values of one
option are alternatives.

``branch``, ``id``, times, leaves and descendants are known from headers, the rest is in
the documents. A checkpoint's branch is its document's once that has been read, before
that where it lies; what has not been read does not fit a selection that asks for more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from functools import lru_cache
from typing import NamedTuple

from crewcheck.lineage import Forest, Node
from crewcheck.model.moments import WAYS, parse_moment
from crewcheck.model.scan import STATUSES, Checkpoint
from crewcheck.model.words import trigger_words

#: Fields that a word can be looked for in.
FIELDS = ("branch", "status", "kind", "name", "trigger", "id")
#: The status of what cannot be read; no checkpoint says so of itself.
DAMAGED = "damaged"
KINDS = ("crew", "flow", "agent", "workflow", "run")
SHOWN_STATUSES = (*STATUSES, DAMAGED)

_LEAF = {"leaf:yes": True, "is:leaf": True, "leaf:no": False}
_ASKING = ("since", "until", "leaf", "is")


class Term(NamedTuple):
    """One word of a query; ``field`` is empty where it may be anywhere."""

    field: str
    text: str


class Match(NamedTuple):
    """``shown`` holds (by ``id()``) what must be drawn, ``hits`` what the query found."""

    shown: set[int]
    hits: set[int]


class Selection:
    """What must be true of a checkpoint. Empty, it asks for nothing.

    ``exact`` has the allowed values of a field; ``first`` and ``last`` are the bounds of
    time, both within (``2026-11-29T17:42:28Z``; empty: none). ``leaf`` asks for
    checkpoints that nothing in the store hangs on (False: for those that something does),
    ``below`` for those with certain keys. ``problem`` says what of a typed query is no
    question: then nothing fits.
    """

    __slots__ = ("below", "exact", "first", "last", "leaf", "problem", "terms")

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.exact: dict[str, frozenset[str]] = {}
        self.first = ""
        self.last = ""
        self.leaf: bool | None = None
        self.below: set[str | int] | None = None
        self.problem = ""

    def __bool__(self) -> bool:
        """Whether it asks for anything."""
        asked = self.terms or self.exact or self.in_time or self.asks_lineage or self.problem
        return bool(asked)

    @property
    def in_time(self) -> bool:
        """Whether it asks for a time; what has none does not fit then."""
        return bool(self.first or self.last)

    @property
    def reads(self) -> bool:
        """Whether it asks for something that only documents tell."""
        return bool(self.terms) or not self.exact.keys() <= {"branch"}

    @property
    def asks_lineage(self) -> bool:
        return self.leaf is not None or self.below is not None

    def without(self, field: str) -> Selection:
        """The same without the exact values of a field."""
        rest = copy(self)
        rest.exact = {name: values for name, values in self.exact.items() if name != field}
        return rest

    def fits(self, node: Node) -> bool:
        """Whether a checkpoint is wanted, by all that is known of it."""
        return self.may_fit(node) and self._fits_document(node.checkpoint)

    def may_fit(self, node: Node) -> bool:
        """Whether what is known without the document speaks for a checkpoint."""
        if self.problem:
            return False
        checkpoint = node.checkpoint
        if self.in_time:
            created = checkpoint.header.created_at
            if created is None or created < self.first or (self.last and created > self.last):
                return False
        if self.leaf is not None and self.leaf == bool(node.children):
            return False
        if self.below is not None and checkpoint.key not in self.below:
            return False
        branches = self.exact.get("branch")
        return branches is None or checkpoint.branch in branches

    def _fits_document(self, checkpoint: Checkpoint) -> bool:
        if len(self.exact) > ("branch" in self.exact):
            own = exact_fields(checkpoint)
            if any(own[field] not in values for field, values in self.exact.items()):
                return False
        return all(
            text in _SAYS[field](checkpoint)
            if field
            else any(text in says(checkpoint) for says in _SAYS.values())
            for field, text in self.terms
        )

    def add_time(self, field: str, typed: str, now: float | None = None) -> None:
        """Take a lower (``since``) or upper (``until``) bound. Raises `ValueError`."""
        moment = parse_moment(typed, now)
        if field == "since":
            # before all times is still a bound
            self.first = max(self.first, moment.first or "0")
        else:
            self.last = min(self.last or "~", moment.last or "0")

    def add_query(self, query: str, now: float | None = None) -> None:
        """Take the words of a query; what is wrong with one is said in ``problem``."""
        for field, word in _words(query):
            if field in ("since", "until"):
                try:
                    self.add_time(field, word, now)
                except ValueError as error:
                    self.problem = self.problem or f"{field}:{word}: {error}; {WAYS}"
            elif field in ("leaf", "is"):
                wanted = _LEAF.get(f"{field}:{word.casefold()}")
                if wanted is None:
                    ways = "leaf:yes or leaf:no" if field == "leaf" else "is:leaf"
                    self.problem = self.problem or f"{field}:{word} asks nothing; write {ways}"
                else:
                    self.leaf = wanted
            else:
                self.terms.append(Term(field, word.casefold()))


def parse(query: str, now: float | None = None) -> Selection:
    """What was typed into a filter. A known ``field:`` without a word asks for nothing."""
    selection = Selection()
    selection.add_query(query, now)
    return selection


def _words(query: str) -> Iterator[tuple[str, str]]:
    """The words of a query, each with its field or ''. Quotes hold blanks together."""
    at, end = 0, len(query)
    while at < end:
        if query[at].isspace():
            at += 1
            continue
        field = ""
        for known in (*FIELDS, *_ASKING):
            if query[at : at + len(known) + 1].casefold() == f"{known}:":
                field, at = known, at + len(known) + 1
                break
        if at < end and query[at] == '"':
            stop = query.find('"', at + 1)
            stop = end if stop < 0 else stop
            word, at = query[at + 1 : stop], stop + 1
        else:
            stop = at
            while stop < end and not query[stop].isspace():
                stop += 1
            word, at = query[at:stop], stop
        if word:
            yield field, word


def search(
    forest: Forest, selection: Selection, cancelled: Callable[[], bool] = lambda: False
) -> Match | None:
    """What is wanted of a forest, with the checkpoints that the found ones hang on.

    None where it asks for nothing, or was cancelled on the way.
    """
    if not selection:
        return None
    hits = set()
    for place, node in enumerate(forest.order):
        if place % 1000 == 0 and cancelled():
            return None
        if selection.fits(node):
            hits.add(id(node))
    return Match(_with_fork_points(forest, hits), hits)


def keys_below(node: Node) -> set[str | int]:
    """The keys of those that hang on a checkpoint, without itself."""
    found: set[str | int] = set()
    stack = list(node.children)
    while stack:
        child = stack.pop()
        found.add(child.checkpoint.key)
        stack.extend(child.children)
    return found


def shown_status(checkpoint: Checkpoint) -> str:
    """The status a listing shows: ``damaged`` where the document cannot be read."""
    damage = checkpoint.damage
    if damage is not None and not damage.readable:
        return DAMAGED
    return checkpoint.status or ""


def exact_fields(checkpoint: Checkpoint) -> dict[str, str]:
    """What the commands' options are compared with; empty where it is unknown."""
    summary = checkpoint.summary
    return {
        "branch": checkpoint.branch,
        "status": shown_status(checkpoint),
        "kind": (summary.kind if summary else None) or "",
        "trigger": (summary.trigger if summary else None) or "",
    }


def _status(checkpoint: Checkpoint) -> str:
    status = shown_status(checkpoint)
    return status if checkpoint.damage is None else f"{status} {checkpoint.damage.rule}"


def _name(checkpoint: Checkpoint) -> str:
    summary = checkpoint.summary
    return summary.name.casefold() if summary is not None and summary.name else ""


def _kind(checkpoint: Checkpoint) -> str:
    summary = checkpoint.summary
    return summary.kind.casefold() if summary is not None and summary.kind else ""


def _trigger(checkpoint: Checkpoint) -> str:
    summary = checkpoint.summary
    return _both_names(summary.trigger) if summary is not None and summary.trigger else ""


@lru_cache(1024)
def _both_names(trigger: str) -> str:
    return f"{trigger} {trigger_words(trigger)}".casefold()


#: What a word is looked for in, by field; all in small letters.
_SAYS: dict[str, Callable[[Checkpoint], str]] = {
    "id": lambda one: one.id.casefold(),
    "branch": lambda one: one.branch.casefold(),
    "name": _name,
    "trigger": _trigger,
    "kind": _kind,
    "status": _status,
}


def _with_fork_points(forest: Forest, hits: set[int]) -> set[int]:
    """The hits, and the points where the forks left that they are on."""
    shown = set(hits)
    for run in forest.runs:
        # forks come after what they hang on: backwards, each hands its need on
        for segment in reversed(list(run.walk())):
            point: Node | None = segment.fork_point
            if point is not None and any(id(node) in shown for node in segment.nodes):
                shown.add(id(point))
    return shown
