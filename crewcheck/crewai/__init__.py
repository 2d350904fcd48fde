"""What runs beside CrewAI, in the user's own interpreter.

Nothing here is imported by crewcheck's own process. Stdlib and CrewAI only, Python 3.10, but
for the two functions that a program of the user's can call where crewcheck is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crewcheck.crewai.library import fork, resume

__all__ = ["fork", "resume"]


def __getattr__(name: str) -> Any:
    """Load them when they are asked for: a child has no use for them."""
    if name in __all__:
        from crewcheck.crewai import library

        return getattr(library, name)
    raise AttributeError(f"module {__name__} has no attribute {name}")
