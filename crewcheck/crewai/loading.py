"""Importing the user's module must not start a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from crewcheck.crewai.refusal import Refusal

_KICKOFFS = ("kickoff", "kickoff_async", "akickoff", "kickoff_for_each")


@contextmanager
def no_kickoff(entry: str, leave: Callable[[BaseException], None]) -> Iterator[None]:
    """While this holds, a kickoff ends the process: the module runs something on import."""
    from crewai import Agent, Crew
    from crewai.flow.flow import Flow

    kinds: list[tuple[str, Any]] = [("a crew", Crew), ("a flow", Flow), ("an agent", Agent)]

    def refuse(what: str) -> Callable[..., None]:
        def kickoff(*args: Any, **named: Any) -> None:
            leave(
                Refusal(
                    "runs-on-import",
                    f"importing {entry} kicks off {what}",
                    'put the kickoff under if __name__ == "__main__", or use --script FILE',
                )
            )

        return kickoff

    originals = [
        (owner, name, vars(owner).get(name), refuse(what))
        for what, owner in kinds
        for name in _KICKOFFS
        if hasattr(owner, name)
    ]
    for owner, name, _, refusing in originals:
        setattr(owner, name, refusing)
    try:
        yield
    finally:
        for owner, name, original, _ in originals:
            if original is not None:
                setattr(owner, name, original)
            else:
                delattr(owner, name)
