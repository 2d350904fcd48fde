"""Going on from the checkpoint alone, where the project is not at hand.

The crew or agent is built anew from what was saved of it, and then gone on with like the user's
own. A document does not hold all of an object, and rarely says what it lacks: what shows that
it would be something else is refused; what is lost, and what cannot be told, is named before
anything runs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.restore.lost import Lost
from crewcheck.runtimes.spec import RunSpec

#: What the plan says where an entry would be named.
ENTRY = "the checkpoint alone"


class Rebuilt(NamedTuple):
    """The object of a checkpoint, what of it is lost, and the positions of what is done and was
    built to be kept only: it lacks what it would need to run."""

    target: Any
    lost: list[dict[str, Any]]
    only_kept: frozenset[int]


def rebuild(saved: Any, spec: RunSpec) -> Rebuilt:
    """Build the object of a checkpoint. Raises `Refusal`."""
    lost = Lost()
    if saved.kind == "crew":
        from crewcheck.crewai.restore.crews import build

        made, only_kept = build(saved, spec, lost)
    elif saved.kind == "agent":
        from crewcheck.crewai.restore.agents import build_alone

        made, only_kept = build_alone(saved, spec, lost)
    else:
        raise Refusal(
            "flow-class",
            f"a {saved.kind} cannot be gone on with from its checkpoint alone: what its methods do "
            "is in the project's class",
            "name the class with --entry MODULE:CLASS, or the program with --script FILE",
        )
    return Rebuilt(made, lost.told, only_kept)
