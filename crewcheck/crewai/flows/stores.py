"""What a flow's methods kick off writes into the store that was opened, if it wrote there.

A crew in a method has a config of its own, with a location as the program has it: relative to
where that runs. If that is where the flow's checkpoints were, it is meant to be the same store.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.lineage import moved
from crewcheck.model.document import entities, mapping, text
from crewcheck.runtimes.spec import RunSpec

_current: list[tuple[frozenset[str], RunSpec]] = []
_patched: list[Any] = []


def arm(flow: Any, saved: SavedFlow, spec: RunSpec) -> None:
    """Look at the config of all that writes. To be called before the flow's own is moved."""
    from crewai.state import checkpoint_listener

    recorded = (mapping(one.get("checkpoint")).get("location") for one in entities(saved.document))
    own = getattr(flow.checkpoint, "location", None)
    known = [one for given in (*recorded, own) if (one := text(given))]
    locations = {os.path.normpath(one) for one in known}
    _current[:] = [(frozenset(locations), spec)]
    find = getattr(checkpoint_listener, "_find_checkpoint", None)
    if find is not None and not _patched:
        _patched.append(find)
        checkpoint_listener._find_checkpoint = _followed(find)


def disarm() -> None:
    """From now on each writes where it says."""
    _current.clear()


def _followed(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(find)
    def at_the_store(source: Any) -> Any:
        config = find(source)
        if config is None or not _current:
            return config
        locations, spec = _current[0]
        if config.location == spec.store or os.path.normpath(config.location) not in locations:
            return config
        return moved(config, spec)

    return at_the_store
