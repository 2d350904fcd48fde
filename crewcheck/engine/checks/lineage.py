"""Whether checkpoints, their names and their parents fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crewcheck.engine.checks.rules import ADVICE
from crewcheck.engine.checks.subject import Flaw
from crewcheck.lineage import Forest, Node
from crewcheck.model.document import text
from crewcheck.model.identifiers import parse_file_name
from crewcheck.model.scan import Header


def check_place(document: Mapping[str, Any], header: Header) -> Iterator[Flaw]:
    """Where a document and its name, folder or row disagree."""
    is_file = isinstance(header.key, str)
    folder, _, name = str(header.key).rpartition("/")
    named = parse_file_name(name) is not None if is_file else True
    if "parent_id" in document and header.lineage_known and named:
        own = text(document["parent_id"])
        if own != header.parent_id:
            said = f"its name gives {header.parent_id or 'none'}, its document {own or 'none'}"
            yield Flaw("parent-differs", "parent_id", said)
    own = text(document.get("branch"))
    if own and own != header.branch and (folder or not is_file):
        said = f"its place gives {header.branch}, its document {own}"
        yield Flaw("branch-differs", "branch", said)


def check_forest(
    forest: Forest, nodes: list[Node], limits: Mapping[str, int]
) -> Iterator[tuple[Node, Flaw]]:
    """What is odd about the places of some checkpoints. ``limits``: how many checkpoints of
    a branch are kept, where that is known; older ones are gone by intent."""
    for node in nodes:
        checkpoint = node.checkpoint
        twins = forest.by_id[checkpoint.id]
        if len(twins) > 1 and node is not twins[0]:
            said = f"its id is also that of {twins[0].checkpoint.header.location}"
            yield node, Flaw("duplicate-id", "", said)
        if node.cut:
            said = f"it is among its own ancestors: its parent is {checkpoint.parent_id}"
            yield node, Flaw("cycle", "parent_id", said)
        elif node.missing_parent is not None:
            said = f"its parent {node.missing_parent} is not in the store"
            limit = limits.get(checkpoint.branch)
            if limit is None:
                yield node, Flaw("parent-missing", "parent_id", said)
            else:
                said += f": of a branch {limit} are kept"
                yield node, Flaw("parent-missing", "parent_id", said, ADVICE)
        elif node.parent is not None:
            before, after = node.parent.checkpoint.header.created_at, checkpoint.header.created_at
            if before is not None and after is not None and before > after:
                said = f"its parent was written at {before}, it at {after}"
                yield node, Flaw("parent-newer", "parent_id", said)
