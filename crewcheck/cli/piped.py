"""The lines of a listing in a pipe.

A store has many checkpoints and few words: what has been made of one is kept, so that a
line costs little more than joining its parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from crewcheck.cli.console import cell
from crewcheck.engine.rows import COLUMNS, row
from crewcheck.model.harmless import name

if TYPE_CHECKING:
    from crewcheck.engine.redaction import Redactor
    from crewcheck.model.scan import Checkpoint

_WORDS = slice(COLUMNS.index("trigger"), COLUMNS.index("parent_id"))


def lines(checkpoints: Iterable[Checkpoint], redactor: Redactor) -> Iterator[str]:
    """Each checkpoint's `COLUMNS`, separated by tabs; unknown is empty, nothing is cut."""
    branches: dict[str, str] = {}
    words: dict[tuple[Any, ...], str] = {}
    for checkpoint in checkpoints:
        header, summary = checkpoint.header, checkpoint.summary
        damage = header.damage or checkpoint.lineage_damage
        if summary is None or damage is not None or summary.damage is not None:
            yield "\t".join(cells(checkpoint, redactor))
            continue
        said = (
            summary.trigger,
            summary.kind,
            summary.name,
            summary.done,
            summary.total,
            checkpoint.status,
        )
        branch = summary.branch or header.branch
        if said not in words:
            words[said] = "\t".join(cells(checkpoint, redactor)[_WORDS])
        if branch not in branches:
            branches[branch] = cell(redactor.text(branch))
        parent = header.parent_id
        if parent is None:
            parent = summary.parent_id
        id, created, size = header.id, header.created_at, header.size
        yield (
            f"{id if id.isascii() and id.isprintable() else name(id)}\t{created or ''}\t"
            f"{branches[branch]}\t{words[said]}\t{name(parent) if parent else ''}\t"
            f"{'' if size is None else size}\t"
        )


def cells(checkpoint: Checkpoint, redactor: Redactor) -> list[str]:
    """One checkpoint's `COLUMNS`."""
    shape = row(checkpoint, redactor)
    damage = shape["damage"]
    shape["damage"] = f"{damage['rule']}: {damage['message']}" if damage else None
    return [cell(shape[column]) for column in COLUMNS]
