"""Going on from the checkpoint alone, where the project is not at hand.

The crew or agent is built anew from what was saved of it, and then gone on with like the user's
own. A document does not hold all of an object, and rarely says what it lacks: what shows that
it would be something else is refused; what is lost, and what cannot be told, is named before
anything runs.
"""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.restore.lost import Lost
from crewcheck.runtimes.spec import RunSpec

#: What the plan says where an entry would be named.
ENTRY = "the checkpoint alone"


def rebuild(saved: Any, spec: RunSpec) -> tuple[Any, list[dict[str, Any]]]:
    """The object of a checkpoint, and what of it is lost. Raises `Refusal`."""
    lost = Lost()
    if saved.kind == "crew":
        from crewcheck.crewai.restore.crews import build

        made = build(saved, spec, lost)
    elif saved.kind == "agent":
        from crewcheck.crewai.restore.agents import build_alone

        made = build_alone(saved, spec, lost)
    else:
        raise Refusal(
            "flow-class",
            f"a {saved.kind} cannot be gone on with from its checkpoint alone: what its methods do "
            "is in the project's class",
            "name the class with --entry MODULE:CLASS, or the program with --script FILE",
        )
    return made, lost.told
