"""How a person names a checkpoint.

In this order: an existing path (a file is that checkpoint, a store its latest),
``STORE#ID``, an exact id, ``latest``, a branch (its newest), a part of an id that fits
only one, taken literally; each with ``~N`` for the Nth ancestor. An existing path or
branch that contains ``~`` or ``#`` wins over the suffix.
"""

from __future__ import annotations

import os
import re

from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.choosing import settle_lineage
from crewcheck.errors import NotFound
from crewcheck.lineage import Node
from crewcheck.model.harmless import name as shown
from crewcheck.stores.detect import open_path

_ANCESTOR = re.compile(r"(?P<base>.+)~(?P<steps>\d{0,9})", re.DOTALL)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_LISTED = 5


class Found:
    """A checkpoint and the catalog it is in. The catalog is the finder's to close."""

    __slots__ = ("catalog", "node")

    def __init__(self, catalog: Catalog, node: Node) -> None:
        self.catalog = catalog
        self.node = node


def find(ref: str | None, location: str | None = None) -> Found:
    """The checkpoint that a reference names, in the store at ``location`` or the default.

    Without a reference, the latest. Raises `NotFound` with near misses, or with the
    candidates where several fit.
    """
    if ref == "":
        raise NotFound("an empty reference names no checkpoint", "try `latest`")
    if ref is not None:
        by_path = _by_path(ref)
        if by_path is not None:
            return by_path
    catalog = open_catalog(location, use_index=False)
    try:
        return Found(catalog, find_in(catalog, ref or "latest"))
    except BaseException:
        catalog.close()
        raise


def _by_path(ref: str) -> Found | None:
    """A reference that begins with a path, None if it does not."""
    if _exists(ref):
        return _of_path(ref, None, 0)
    at = ref.find("#")
    while at >= 0:
        # the store's name and the branch's may both hold one
        if at and _exists(ref[:at]):
            return _of_path(ref[:at], ref[at + 1 :] or "latest", 0)
        at = ref.find("#", at + 1)
    base, steps = _split_ancestor(ref)
    if steps is not None and _exists(base):
        return _of_path(base, None, steps)
    if _is_path(ref):
        # opening it tells what is wrong with it
        open_path(ref.partition("#")[0]).store.close()
    return None


def names_path(ref: str) -> bool:
    """Whether a reference begins with a path, so that it tells its store itself."""
    at = ref.find("#")
    while at > 0:
        if _exists(ref[:at]):
            return True
        at = ref.find("#", at + 1)
    return _exists(ref) or _exists(_split_ancestor(ref)[0]) or _is_path(ref)


def _is_path(ref: str) -> bool:
    """Whether a reference can be nothing but a path, be it there or not."""
    if ref.startswith(("/", "./", "../", "~/")) or _URL.match(ref):
        return True
    return "/" not in ref and ref.partition("#")[0].endswith((".json", ".db"))


def _of_path(path: str, inner: str | None, steps: int) -> Found:
    opened = open_path(path)
    catalog = Catalog(opened.store)
    try:
        if inner is not None:
            node = find_in(catalog, inner)
        elif opened.checkpoint_key is not None:
            found = catalog.forest.by_key.get(opened.checkpoint_key)
            if found is None:
                raise NotFound(f"{shown(path)} is not among the checkpoints of its folder")
            node = found
        else:
            node = find_in(catalog, "latest")
        return Found(catalog, _ancestor_in(catalog, node, steps))
    except BaseException:
        catalog.close()
        raise


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path) or (
            path.startswith("~") and os.path.exists(os.path.expanduser(path))
        )
    except ValueError:
        return False


def _split_ancestor(ref: str) -> tuple[str, int | None]:
    found = _ANCESTOR.fullmatch(ref)
    if found is None:
        return ref, None
    return found["base"], int(found["steps"] or "1")


def find_in(catalog: Catalog, ref: str) -> Node:
    """The checkpoint that a reference names within a store.

    Where headers know no such thing the documents are read: a branch may be in them only.
    """
    node = _named(catalog, ref)
    if node is None and catalog.unread():
        catalog.read_summaries()
        node = _named(catalog, ref)
    if node is None:
        raise _nothing_fits(catalog, _split_ancestor(ref)[0])
    return node


def _named(catalog: Catalog, ref: str) -> Node | None:
    node = _plain(catalog, ref)
    base, steps = _split_ancestor(ref)
    if node is not None or steps is None:
        return node
    node = _plain(catalog, base)
    return _ancestor_in(catalog, node, steps) if node is not None else None


def _ancestor_in(catalog: Catalog, node: Node, steps: int) -> Node:
    """The ancestor; parents that only documents know are looked up where the line ends."""
    if node.checkpoint.header.lineage_known:
        try:
            return ancestor(node, steps)
        except NotFound:
            pass
    settle_lineage(catalog)
    return ancestor(catalog.forest.by_key[node.checkpoint.key], steps)


def _plain(catalog: Catalog, ref: str) -> Node | None:
    """A reference without ``~N``; None when nothing fits."""
    forest = catalog.forest
    if exact := forest.by_id.get(ref):
        return _only(exact, ref, catalog)
    if ref == "latest":
        if forest.latest is None:
            raise NotFound(
                f"no checkpoints in {shown(catalog.store.location)} yet",
                "run a crew with checkpoint=CheckpointConfig(...), or try `crewcheck demo`",
            )
        return forest.latest
    if (newest := forest.newest_on(ref)) is not None:
        return newest
    if not ref:
        raise NotFound("an empty reference names no checkpoint", "try `latest`")
    fitting = [node for node in forest.order if ref in node.checkpoint.id]
    return _only(fitting, ref, catalog) if fitting else None


def _only(nodes: list[Node], ref: str, catalog: Catalog) -> Node:
    if len(nodes) == 1:
        return nodes[0]
    newest = list(reversed(nodes))[:_LISTED]
    if len({node.checkpoint.id for node in nodes}) == 1:
        listed = ", ".join(shown(node.checkpoint.header.location) for node in newest)
        hint = "name one by its path"
    else:
        listed = ", ".join(shown(node.checkpoint.id) for node in newest)
        hint = "give more of the id"
    more = f" and {len(nodes) - _LISTED} more" if len(nodes) > _LISTED else ""
    raise NotFound(
        f'"{shown(ref)}" fits {len(nodes)} checkpoints in {shown(catalog.store.location)}: '
        f"{listed}{more}",
        hint,
    )


def ancestor(node: Node, steps: int) -> Node:
    """The ``steps``-th ancestor. Raises `NotFound` where the line ends before."""
    at = node
    for gone in range(steps):
        if at.parent is None:
            reason = (
                f"its parent {shown(at.missing_parent)} is not in the store"
                if at.missing_parent
                else "it has no parent"
            )
            raise NotFound(
                f"{shown(node.checkpoint.id)} has only {gone} ancestors here: "
                f"the line ends at {shown(at.checkpoint.id)} ({reason})"
            )
        at = at.parent
    return at


def _nothing_fits(catalog: Catalog, ref: str) -> NotFound:
    from difflib import get_close_matches

    where = shown(catalog.store.location)
    ids = [node.checkpoint.id for node in reversed(catalog.forest.order)]
    branches = list(dict.fromkeys(node.checkpoint.branch for node in catalog.forest.order))
    if not ids:
        return NotFound(
            f"no checkpoints in {where} yet",
            "run a crew with checkpoint=CheckpointConfig(...), or try `crewcheck demo`",
        )
    close = get_close_matches(ref, branches, 2, 0.6) + get_close_matches(ref, ids[:2000], 3, 0.6)
    if not close and len(ref) >= 4:
        # a part of an id with a slip in it: compare it with the parts after the underscore
        tails = {one.rpartition("_")[2]: one for one in reversed(ids[:2000])}
        close = [tails[tail] for tail in get_close_matches(ref, list(tails), 3, 0.6)]
    hint = (
        f"close: {', '.join(map(shown, close))}"
        if close
        else f"it has {len(ids)} checkpoints, the latest is {shown(ids[0])}: see `crewcheck list`"
    )
    return NotFound(f'no checkpoint matches "{shown(ref)}" in {where}', hint)
