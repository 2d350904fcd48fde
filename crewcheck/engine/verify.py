"""Whether the checkpoints of a store can be relied on: everything is read, nothing trusted.

One pass over the documents, newest first; what concerns several of them is told at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from crewcheck.engine.catalog import Catalog
from crewcheck.engine.checks import database, lineage, practice
from crewcheck.engine.checks.document import flaws_of
from crewcheck.engine.checks.rules import ADVICE, DAMAGE, RULES, WARNING
from crewcheck.engine.checks.secrets import Secrets
from crewcheck.engine.checks.subject import Flaw, Subject
from crewcheck.engine.checks.writes import Writes
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node
from crewcheck.model.collecting import no_collecting
from crewcheck.model.scan import Checkpoint, Damage, Summary
from crewcheck.model.summarize import summarize
from crewcheck.stores.base import DamagedDocument


class Finding:
    """A breach of a rule, and where: a checkpoint (``id`` None: the store as a whole), in it
    a JSON path or a byte. ``checkpoints`` counts those that have the same; the newest one
    is named."""

    __slots__ = (
        "checkpoints",
        "id",
        "key",
        "location",
        "message",
        "offset",
        "path",
        "remedy",
        "rule",
        "severity",
    )

    def __init__(
        self,
        flaw: Flaw,
        *,
        id: str | None,
        location: str,
        key: str | int | None = None,
        offset: int | None = None,
    ) -> None:
        rule = RULES[flaw.rule]
        self.rule = flaw.rule
        self.severity = flaw.severity or rule.severity
        self.id = id
        self.key = key
        self.path = flaw.path or None
        self.offset = offset
        self.message = flaw.message
        self.remedy = rule.remedy
        self.location = location
        self.checkpoints = 1

    def as_dict(self) -> dict[str, Any]:
        """The promised shape (`model.reports.FindingReport`)."""
        return {
            "severity": self.severity,
            "rule": self.rule,
            "id": self.id,
            "path": self.path,
            "offset": self.offset,
            "message": self.message,
            "remedy": self.remedy,
            "location": self.location,
            "checkpoints": self.checkpoints,
        }

    def __repr__(self) -> str:
        return f"Finding({self.severity}, {self.rule!r}, {self.id!r}, {self.path!r})"


def verify(
    catalog: Catalog,
    only: Iterable[Node] | None = None,
    tick: Callable[[], None] | None = None,
) -> list[Finding]:
    """All findings of a store, or of some of its checkpoints.

    Those of the store itself first, then checkpoint by checkpoint, newest first. The same
    finding in several checkpoints is told once, of the newest, unless it is damage.
    ``tick`` is called for each checkpoint. Raises `NotFound` or `Unreadable` where the
    store itself cannot be read.
    """
    nodes = list(reversed(catalog.forest.order)) if only is None else list(only)
    one_pass = _Pass(catalog, whole=only is None)
    with no_collecting():
        for node in nodes:
            one_pass.take(node.checkpoint)
            if tick is not None:
                tick()
    return one_pass.findings([node.checkpoint.key for node in nodes])


class _Pass:
    """What one pass over documents gathers."""

    def __init__(self, catalog: Catalog, *, whole: bool) -> None:
        self._catalog = catalog
        self._whole = whole
        self._found: dict[str | int | None, list[Finding]] = {}
        self._merged: dict[tuple[str, str, str], Finding] = {}
        self._secrets = Secrets()
        self._writes = Writes()
        self._limits: dict[str, int] = {}

    def take(self, checkpoint: Checkpoint) -> None:
        """Read one document, and forget it again."""
        header = checkpoint.header
        try:
            document = self._read(checkpoint)
        except CrewcheckError as error:
            damage = damage_of(error)
            if checkpoint.summary is None:
                checkpoint.summary = Summary(damage=damage)
            self._add(checkpoint, Flaw(damage.rule, "", damage.message), damage.offset)
            self._writes.unread(checkpoint.branch)
            return
        subject = Subject(document)
        summary = summarize(document, all_events=subject.events)
        if checkpoint.summary is None:
            checkpoint.summary = summary
        if summary.damage is not None:
            self._add(checkpoint, Flaw(summary.damage.rule, "entities", summary.damage.message))
            self._writes.unread(checkpoint.branch)
            return
        for flaw in flaws_of(subject):
            self._add(checkpoint, flaw)
        for flaw in lineage.check_place(document, header):
            self._add(checkpoint, flaw)
        for flaw in self._secrets.check(document):
            self._add(checkpoint, flaw)
        for note in self._catalog.store.notes(header):
            self._add(checkpoint, Flaw("odd-text", "", note))
        self._writes.take(checkpoint.key, checkpoint.id, checkpoint.branch, subject)
        limit = practice.limit_of(subject)
        if limit is not None:
            self._limits.setdefault(checkpoint.branch, limit)

    def findings(self, keys: list[str | int]) -> list[Finding]:
        """What was found in the checkpoints of these keys, in their order."""
        catalog = self._catalog
        catalog.rebuild()  # reading may have shown that some belong elsewhere
        forest = catalog.forest
        nodes = [forest.by_key[key] for key in keys]
        for node, flaw in lineage.check_forest(forest, nodes, self._limits):
            self._add(node.checkpoint, flaw)
        if self._whole:
            for key, flaw in self._writes.check():
                self._add(forest.by_key[key].checkpoint, flaw)
            for flaw in self._of_store():
                self._add(None, flaw)
        found = [*self._found.get(None, ())]
        for key in keys:
            found += self._found.get(key, ())
        return found

    def _of_store(self) -> Iterator[Flaw]:
        store = self._catalog.store
        yield from database.check(store, self._catalog.problems)
        if practice.world_readable(store.location):
            severity = WARNING if self._secrets.found else ADVICE
            said = "everybody on this machine can read it"
            if self._secrets.found:
                said += ", and there are secrets in it"
            yield Flaw("world-readable", "", said, severity)

    def _read(self, checkpoint: Checkpoint) -> dict[str, Any]:
        if checkpoint.header.damage is not None and not checkpoint.header.damage.readable:
            raise DamagedDocument(checkpoint.header, checkpoint.header.damage)
        return self._catalog.store.document(checkpoint.header)

    def _add(self, checkpoint: Checkpoint | None, flaw: Flaw, offset: int | None = None) -> None:
        key = checkpoint.key if checkpoint is not None else None
        finding = Finding(
            flaw,
            id=checkpoint.id if checkpoint is not None else None,
            location=checkpoint.header.location
            if checkpoint is not None
            else self._catalog.store.location,
            key=key,
            offset=offset,
        )
        if finding.severity != DAMAGE:
            same = self._merged.setdefault((flaw.rule, flaw.path, flaw.message), finding)
            if same is not finding:
                same.checkpoints += 1
                return
        self._found.setdefault(key, []).append(finding)


def damage_of(error: CrewcheckError) -> Damage:
    """Why a document could not be read."""
    damage = getattr(error, "damage", None)
    if isinstance(damage, Damage) and damage.rule in RULES:
        return damage
    return Damage("unreadable", error.message)


def damage_in(document: Mapping[str, Any]) -> list[Flaw]:
    """What keeps a document that can be read from being gone on with; nothing if it is valid."""
    summary = summarize(document, all_events=(subject := Subject(document)).events)
    if summary.damage is not None:
        return [Flaw(summary.damage.rule, "entities", summary.damage.message)]
    return [flaw for flaw in flaws_of(subject) if (flaw.severity or RULES[flaw.rule].severity)
            == DAMAGE]  # fmt: skip
