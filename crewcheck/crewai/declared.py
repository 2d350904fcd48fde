"""The user's object from a file that declares it: ``crew.jsonc``, ``flow.yaml``.

CrewAI's own loaders make it, as ``crewai run`` has them do.
"""

from __future__ import annotations

import os
from typing import Any

from crewcheck.crewai.refusal import Refusal


def load_declared(path: str, kind: str) -> Any:
    """The ``crew``, ``flow`` or ``agent`` that a file declares. Raises `Refusal`."""
    if not os.path.isfile(path):
        raise Refusal("module-not-found", f"there is no file {path}")
    try:
        return _LOADERS[kind](path)
    except Refusal:
        raise
    except Exception as error:
        raise Refusal(
            "entry-failed", f"loading {path} failed: {type(error).__name__}: {error}"
        ) from error


def _crew(path: str) -> Any:
    try:
        from crewai.project.crew_loader import load_crew
    except ImportError:
        raise _too_old(path) from None
    return load_crew(path)[0]


def _agent(path: str) -> Any:
    try:
        from crewai.project.json_loader import load_agent
    except ImportError:
        raise _too_old(path) from None
    return load_agent(path)


def _flow(path: str) -> Any:
    from crewai.flow.flow import Flow

    load = getattr(Flow, "from_declaration", None)
    if load is None:
        raise _too_old(path)
    return load(path=path)


_LOADERS = {"crew": _crew, "agent": _agent, "flow": _flow}


def _too_old(path: str) -> Refusal:
    import crewai

    version = getattr(crewai, "__version__", "unknown")
    return Refusal("crewai-too-old", f"crewai {version} cannot load what {path} declares")
