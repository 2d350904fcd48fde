"""Secrets in documents: where they are, never what they are.

Going through all texts with all rules takes longer than reading a document. So each text
is judged once for a whole store, and only a document with a secret that is new to the
store is gone through for its exact places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from crewcheck.engine.checks.subject import Flaw, join
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.secret_rules import rule_of
from crewcheck.model.words import many

_CONTAINERS = frozenset({dict, list})
_MOST_KNOWN = 400_000
#: Texts that are an id or a time: nothing to look into.
_DULL = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{8,15}(?:Z|[+-]\d\d:\d\d)?"
)


class Secrets:
    """Remembers what has been judged, for all documents of a store."""

    def __init__(self) -> None:
        self._redactor = Redactor()
        self._clean: set[int] = set()
        self._sealed: dict[tuple[str, str], set[str]] = {}
        self._names: dict[str, bool] = {}
        self._told: set[str] = set()
        self.found = False

    def check(self, document: dict[str, Any]) -> Iterator[Flaw]:
        """The secrets of a document that no document before it had: one flaw for each."""
        masks = self._masks(document)
        if masks:
            self.found = True
        new = masks - self._told
        if not new:
            return
        places: dict[str, list[str]] = {}
        for path, mask in _masked(document, self._redactor.value(document)):
            places.setdefault(mask, []).append(path)
        for mask, paths in places.items():
            if mask in self._told:
                continue
            self._told.add(mask)
            kind = mask.removeprefix("<redacted ").removesuffix(">")
            said = f"{kind} in plain text"
            if len(paths) > 1:
                said += f", and {many(len(paths) - 1, 'more copy', 'more copies')}"
            yield Flaw("secret-in-plain-text", paths[0], said)
        self._told |= new

    def _masks(self, document: dict[str, Any]) -> set[str]:
        """What would be masked: the masks, without the places."""
        clean, names, sealed = self._clean, self._names, self._sealed
        if len(clean) > _MOST_KNOWN:
            clean.clear()
            sealed.clear()
        masks: set[str] = set()
        level: list[Any] = [document]
        while level:
            below: list[Any] = []
            for part in level:
                if type(part) is dict:
                    for key, value in part.items():
                        kind = type(value)
                        if kind is str:
                            named = names.get(key)
                            if named is None:
                                named = names[key] = rule_of(key) is not None
                            if named:
                                at = key, value
                                if (known := sealed.get(at)) is None:
                                    self._judge({key: value}, known := set())
                                    sealed[at] = known
                                masks |= known
                            elif (seen := hash(value)) not in clean and not self._judge(
                                value, masks
                            ):
                                clean.add(seen)
                        elif kind in _CONTAINERS and value:
                            below.append(value)
                else:
                    for value in part:
                        kind = type(value)
                        if kind is str:
                            if (seen := hash(value)) not in clean and not self._judge(value, masks):
                                clean.add(seen)
                        elif kind in _CONTAINERS and value:
                            below.append(value)
            level = below
        return masks

    def _judge(self, value: Any, masks: set[str]) -> bool:
        """Whether there is a secret in a text, or under a name."""
        if type(value) is str:
            if _DULL.fullmatch(value):
                return False
            masked: Any = self._redactor.text(value)
            found = list(_new_masks(value, masked))
        else:
            masked = self._redactor.value(value)
            found = [one for key in value for one in _new_masks(value[key], masked[key])]
        masks.update(found)
        return bool(found)


def _new_masks(before: str, after: object) -> Iterator[str]:
    if not isinstance(after, str) or after is before or after == before:
        return
    at = after.find("<redacted ")
    while at >= 0:
        end = after.find(">", at)
        mask = after[at : end + 1]
        if end > 0 and mask not in before:
            yield mask
        at = after.find("<redacted ", max(end, at + 1))


def _masked(before: Any, after: Any) -> Iterator[tuple[str, str]]:
    """Where two values differ, one being the other masked: ``(path, mask)``."""
    stack: list[tuple[Any, Any, str]] = [(before, after, "")]
    while stack:
        old, new, path = stack.pop()
        if old is new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            pairs = zip(old.items(), new.items(), strict=False)
            inner = []
            for (key, one), (shown, other) in pairs:
                for mask in _new_masks(key, shown):
                    yield path, mask
                inner.append((one, other, join(path, shown)))
            stack += reversed(inner)
        elif isinstance(old, list) and isinstance(new, list):
            pairs_ = list(enumerate(zip(old, new, strict=False)))
            stack += [(one, other, f"{path}[{at}]") for at, (one, other) in reversed(pairs_)]
        else:
            for mask in _new_masks(str(old), new):
                yield path, mask
