"""An order of a graph's nodes in which it can be drawn from top to bottom, loops and all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def from_top(
    out: Mapping[int, Sequence[int]], begins: Sequence[int]
) -> tuple[list[int], set[tuple[int, int]]]:
    """The nodes, each after those that lead to it, and the edges that lead back up.

    ``out`` has the targets of each node. ``begins`` are all nodes, first those to begin
    with. A branch stays together as far as it can.
    """
    back = _back_edges(out, begins)
    waits = dict.fromkeys(out, 0)
    for source, targets in out.items():
        for target in targets:
            waits[target] += (source, target) not in back
    stack = [at for at in reversed(begins) if not waits[at]]
    order = []
    while stack:
        at = stack.pop()
        order.append(at)
        for target in reversed(out[at]):
            if (at, target) not in back:
                waits[target] -= 1
                if not waits[target]:
                    stack.append(target)
    return order, back


def _back_edges(out: Mapping[int, Sequence[int]], begins: Sequence[int]) -> set[tuple[int, int]]:
    """The edges that close a loop."""
    found: set[tuple[int, int]] = set()
    seen: set[int] = set()
    for begin in begins:
        if begin in seen:
            continue
        seen.add(begin)
        path = {begin}
        stack = [(begin, iter(out[begin]))]
        while stack:
            at, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                stack.pop()
                path.discard(at)
            elif target in path:
                found.add((at, target))
            elif target not in seen:
                seen.add(target)
                path.add(target)
                stack.append((target, iter(out[target])))
    return found
