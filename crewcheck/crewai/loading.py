"""Importing the user's module must not start a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from crewcheck.crewai.refusal import Refusal

_KICKOFFS = ("kickoff", "kickoff_async", "akickoff", "kickoff_for_each")


@contextmanager
def no_kickoff(entry: str, leave: Callable[[BaseException], None]) -> Iterator[None]:
    """While this holds, a kickoff ends the process: the module runs its crew on import."""
    from crewai import Crew

    originals = {name: getattr(Crew, name) for name in _KICKOFFS if hasattr(Crew, name)}

    def refuse(*args: Any, **named: Any) -> None:
        leave(
            Refusal(
                "runs-on-import",
                f"importing {entry} kicks off a crew",
                'put the kickoff under if __name__ == "__main__", or use --script FILE',
            )
        )

    for name in originals:
        setattr(Crew, name, refuse)
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(Crew, name, original)
