"""What is different between two checkpoints, matched by identity and laid out for a person.

What is new in each run (ids, times, ...) does not count unless ``everything`` is asked
for. Whatever the result holds has gone through redaction; where that makes two different
values look the same, the change says that it is ``hidden``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crewcheck.engine.diff_text import WORDS, TextDiff, compare_texts
from crewcheck.engine.json_patch import Path, differences
from crewcheck.engine.redaction import Redactor
from crewcheck.model.document import iter_events, objects, sorted_events, text
from crewcheck.model.events import Tokens, seconds_between, total_tokens
from crewcheck.model.json_values import same_json
from crewcheck.model.primary import primary
from crewcheck.model.scan import Summary
from crewcheck.model.summarize import summarize

ADDED, REMOVED, CHANGED, MOVED = "added", "removed", "changed", "moved"

#: The sections of a comparison, in this order.
SECTIONS = (
    "checkpoint",
    "inputs",
    "tasks",
    "methods",
    "state",
    "answer",
    "agents",
    "settings",
    "events",
    "document",
)


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person changed at a fork: where, and to what (``removed``: to nothing)."""

    path: str
    new: Any
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """One of two checkpoints. ``edits`` are those that only its branch has."""

    document: Mapping[str, Any]
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One thing about an item. ``what`` is ``output``, ``status`` or a path within it; it
    is empty where the item itself is the value.

    ``kind`` is ``added``, ``removed`` or ``changed``. ``text`` compares two texts.
    ``edited``: the value is a person's edit, on the ``old`` or the ``new`` side. ``hidden``:
    the values differ in a secret only.
    """

    what: str
    kind: str
    old: Any = None
    new: Any = None
    text: TextDiff | None = None
    edited: str | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """An input, task, method, agent, ... that differs. ``kind`` is ``added``, ``removed``,
    ``moved`` (and maybe changed, too) or ``changed``.

    ``path`` is where it is: ``tasks.1`` counts from 0, in the new checkpoint unless it was
    removed. ``rule`` tells how the two were matched (see `model.identity`); ``old_index``
    and ``new_index`` are places in lists.
    """

    section: str
    kind: str
    label: str
    path: str
    changes: tuple[Change, ...] = ()
    rule: str = ""
    old_index: int | None = None
    new_index: int | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What the events that only one of the two has tell of work."""

    events: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """``items`` are in the order of `SECTIONS`. ``spent_old`` and ``spent_new`` are of the
    events that only the old or the new one has. ``notes`` are plain sentences."""

    old: Summary
    new: Summary
    items: tuple[Item, ...]
    spent_old: Spent
    spent_new: Spent
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        return not self.items

    def section(self, name: str) -> list[Item]:
        return [item for item in self.items if item.section == name]


#: The old value and the new one, and where they are.
Both = tuple[Any, Any]
Paths = tuple[str | None, str | None]


class Half:
    """A side, laid open: its events, summary and primary entity."""

    def __init__(self, side: Side) -> None:
        self.document = side.document
        self.edits = side.edits
        self.events = sorted_events(side.document)
        self.summary = summarize(side.document, all_events=list(iter_events(side.document)))
        found = primary(side.document, self.events) if self.summary.kind else None
        self.entity: Mapping[str, Any] = found if found is not None else {}


class Maker:
    """Makes changes of raw values: redacted, with texts compared and edits recognised."""

    def __init__(self, old: Half, new: Half, redactor: Redactor, by: str) -> None:
        self.old, self.new = self.halves = old, new
        self.redactor = redactor
        self.by = by

    def change(self, what: str, both: Both, paths: Paths = (None, None)) -> Change | None:
        """How two values differ; None is a value that is not there. None if they do not.

        ``paths`` is where a person's edit of it would be, on either side.
        """
        old, new = both
        if same_json(old, new):
            return None
        shown = self.redactor.value(old, what or None), self.redactor.value(new, what or None)
        kind = ADDED if old is None else REMOVED if new is None else CHANGED
        return self._made(what, kind, both, shown, paths)

    def within(self, both: Both, key: str | None = None, path: str = "") -> list[Change]:
        """The changes within two values, each with its dotted path.

        ``key`` is what the values are called, ``path`` where they are for a person's edit.
        """
        found = list(differences(*both))
        if not found:
            return []
        olds, news = (Shown(self.redactor, one, key) for one in both)
        made = []
        for one in found:
            what = dotted(one.old_path if one.op == "remove" else one.path)
            full = ".".join(filter(None, (path, what)))
            kind = {"add": ADDED, "remove": REMOVED}.get(one.op, CHANGED)
            shown = (
                None if kind == ADDED else olds.at(one.old_path),
                None if kind == REMOVED else news.at(one.path),
            )
            made.append(self._made(what, kind, (one.old, one.new), shown, (full, full)))
        return made

    def _made(self, what: str, kind: str, both: Both, shown: Both, paths: Paths) -> Change:
        hidden = kind == CHANGED and same_json(*shown)
        old, new = shown
        compared = None
        if isinstance(old, str) and isinstance(new, str) and not hidden:
            compared = compare_texts(old, new, self.by)
        edited = self._edited(paths, both)
        return Change(self.redactor.text(what), kind, old, new, compared, edited, hidden)

    def _edited(self, paths: Paths, both: Both) -> str | None:
        """Whose side's value is a person's edit."""
        sides = ("old", self.old, paths[0], both[0]), ("new", self.new, paths[1], both[1])
        for side, half, path, value in reversed(sides):
            if any(one.path == path and same_json(one.new, value) for one in half.edits):
                return side
        return None


class Shown:
    """The parts of a value as they may be shown: redacted knowing what they lie in."""

    def __init__(self, redactor: Redactor, whole: Any, key: str | None) -> None:
        self._whole = redactor.value(whole, key)

    def at(self, path: Path) -> Any:
        value = self._whole
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return "<redacted>"  # a key that is a secret itself
        return value


def dotted(path: Path) -> str:
    """A path as it is written on a command line: ``a.b.0``."""
    return ".".join(map(str, path))


def compare(
    old: Side, new: Side, redactor: Redactor, *, everything: bool = False, by: str = WORDS
) -> Comparison:
    """Compare two documents: any JSON objects.

    ``everything``: also what is another in each run, as a section of its own. ``by`` is
    how texts are compared: ``words`` or ``lines``.
    """
    from crewcheck.engine import diff_sections as sections

    halves = Half(old), Half(new)
    maker = Maker(*halves, redactor, by)
    kinds = [half.summary.kind for half in halves]
    items: list[Item] = list(sections.header(maker))
    items += sections.inputs(maker)
    notes = []
    if kinds[0] == kinds[1]:
        items += sections.entities(maker)
    else:
        a, b = (redactor.text(kind) if kind else "nothing that can run" for kind in kinds)
        notes.append(f"they are of different kinds, {a} and {b}: only what both have is compared")
    items += sections.top_level(maker)
    items += sections.events(maker)
    if everything:
        items += sections.whole_document(maker)
    for half in halves:
        for name in ("kind", "name", "trigger", "version", "branch"):
            value = getattr(half.summary, name)
            setattr(half.summary, name, redactor.text(value) if value else value)
    order = {name: place for place, name in enumerate(SECTIONS)}
    return Comparison(
        halves[0].summary,
        halves[1].summary,
        tuple(sorted(items, key=lambda item: order[item.section])),
        _spent(halves[0].events, halves[1].events),
        _spent(halves[1].events, halves[0].events),
        tuple(notes),
    )


def _spent(events: Sequence[Mapping[str, Any]], others: Iterable[Mapping[str, Any]]) -> Spent:
    known = {text(event.get("event_id")) for event in others}
    own = [event for event in events if text(event.get("event_id")) not in known]
    if not own:
        return Spent()
    gap = seconds_between(own[0].get("timestamp"), own[-1].get("timestamp"))
    return Spent(len(own), total_tokens(own), gap)


def edits_in(document: Mapping[str, Any]) -> tuple[Edit, ...]:
    """The edits that a fork's document says were made in it."""
    own = document.get("crewcheck")
    listed = objects(own.get("edits")) if isinstance(own, dict) else []
    return tuple(
        Edit(path, one.get("new"), one.get("removed") is True)
        for one in listed
        if (path := text(one.get("path"))) is not None
    )
