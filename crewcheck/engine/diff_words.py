"""How a front end says what is different, in words and in lines."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from crewcheck.engine.diff import ADDED, CHANGED, MOVED, REMOVED, Change, Comparison, Item, Spent
from crewcheck.engine.diff_text import GONE, NEW, Part, show_blanks
from crewcheck.model import words
from crewcheck.model.harmless import harmless
from crewcheck.model.identity import POSITION

#: What people read above a section.
TITLES = {
    "checkpoint": "Checkpoint",
    "inputs": "Inputs",
    "tasks": "Tasks",
    "methods": "Methods",
    "state": "State",
    "answer": "Answer",
    "agents": "Agents",
    "settings": "Settings",
    "events": "Events",
    "document": "The whole document",
}
HIDDEN = "differs (hidden)"
SAME = "no differences"

#: Longer values are shown on lines of their own.
_SHORT = 60
#: Where words of CrewAI's own stand, not a person's values.
_PLAIN = frozenset({"status", "state", "agent", "name"})


def remarks(item: Item) -> list[str]:
    """What is to be said of an item beside its name."""
    said = []
    if item.kind in (ADDED, REMOVED) and item.section in ("tasks", "agents", "methods"):
        said.append({ADDED: "only in B", REMOVED: "only in A"}[item.kind])
    if item.kind == MOVED and item.old_index is not None and item.new_index is not None:
        said.append(f"moved from {item.old_index + 1} to {item.new_index + 1}")
    if item.rule == POSITION:
        said.append("matched by its place")
    return said


def edit_remark(change: Change) -> str:
    """That a value is not a run's result but a person's edit."""
    return {"new": "your edit", "old": "your edit in A"}.get(change.edited or "", "")


def inline(item: Item, change: Change) -> tuple[str, str] | None:
    """Both values if they fit on a line, an empty text for none; None if they do not."""
    if any(isinstance(one, str) and "\n" in one for one in (change.old, change.new)):
        return None
    plain = change.what in _PLAIN or item.section == "checkpoint"
    old = "" if change.kind == ADDED else value(change.old, plain)
    new = "" if change.kind == REMOVED else value(change.new, plain)
    if max(len(old), len(new)) > _SHORT:
        return None
    if change.text is not None and change.text.blanks_only:
        return None
    return old, new


def value(of: Any, plain: bool = False) -> str:
    """A value on a line; texts in quotes, so that 3 and "3" are told apart."""
    if plain and isinstance(of, str):
        return of
    if isinstance(of, str) and len(of) > _SHORT:
        return of
    return json.dumps(of, ensure_ascii=False, default=str)


def parts(change: Change, unicode: bool = True) -> list[Part]:
    """Both values as text in parts, whatever they are."""
    if change.text is not None:
        found = change.text.parts
        return show_blanks(found, unicode) if change.text.blanks_only else found
    old = [] if change.kind == ADDED else [Part(GONE, _whole(change.old))]
    new = [] if change.kind == REMOVED else [Part(NEW, _whole(change.new))]
    return [part for part in (*old, *new) if part.text]


def line_text(text: str) -> str:
    """A part of a line, harmless and on one line. An end of Windows' is no difference here."""
    return harmless(text.removesuffix("\r")).replace("\n", "\u2424").expandtabs(4)


def bracketed(op: str, text: str) -> str:
    """A part of a line between the signs that stand for its colour: ``[-old-]``, ``{+new+}``."""
    before, after = {GONE: ("[-", "-]"), NEW: ("{+", "+}")}.get(op, ("", ""))
    core = text.rstrip(" ") or text
    return before + core + after + text[len(core) :]


def _whole(of: Any) -> str:
    if isinstance(of, str):
        return of
    try:
        return json.dumps(of, ensure_ascii=False, indent=2, default=str)
    except RecursionError:
        return str(type(of))


def replaced(change: Change) -> str:
    """That long texts have nothing in common, with their sizes."""
    found = change.text
    if found is None or any(part.op not in (GONE, NEW) for part in found.parts):
        return ""
    if max(found.gone, found.new) < 1_000:
        return ""
    return f"replaced: {found.gone:,} characters by {found.new:,}"


def spent(of: Spent, whose: str) -> str:
    """``only in B: 12 events, 230 tokens in 2 calls, 1.2s``; empty for none."""
    if not of.events:
        return ""
    said = [words.many(of.events, "event")]
    if of.tokens.calls:
        calls = words.many(of.tokens.calls, "call")
        said.append(f"{words.many(of.tokens.total, 'token')} in {calls}")
    if of.seconds is not None:
        said.append(words.took(of.seconds))
    return f"only in {whose}: {', '.join(said)}"


def counts(items: list[Item]) -> dict[str, int]:
    """How many items are of which kind; all kinds are there."""
    found = Counter(item.kind for item in items)
    return {kind: found[kind] for kind in (ADDED, REMOVED, CHANGED, MOVED)}


def characters(item: Item) -> tuple[int, int]:
    """How many characters of texts came and went with an item."""
    came = gone = 0
    for change in item.changes:
        for op, text in parts(change):
            came += len(text) if op == NEW else 0
            gone += len(text) if op == GONE else 0
    return came, gone


def in_sections(comparison: Comparison) -> list[tuple[str, list[Item]]]:
    """The sections that have something, in order."""
    found: dict[str, list[Item]] = {}
    for item in comparison.items:
        found.setdefault(item.section, []).append(item)
    return list(found.items())
