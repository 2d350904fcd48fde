"""A comparison of two checkpoints as the app shows it. Made in workers."""

from __future__ import annotations

from dataclasses import dataclass

from crewcheck.engine.comparing import compare_found
from crewcheck.engine.diff import Comparison
from crewcheck.engine.diff_rows import Row, hunks, rows
from crewcheck.engine.diff_words import inline, parts
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.refs import Found
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node

#: So many unchanged lines are shown around changed ones.
CONTEXT = 2
#: Of a value so many lines at most are laid out.
MOST_LINES = 4_000

#: The lines of a value that is too long for one: in groups without a gap.
Hunks = list[list[Row]]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two checkpoints compared, or why that did not work.

    ``hunks`` has for each item and each of its changes the lines; none where the values
    are shown on one line.
    """

    old: Node
    new: Node
    comparison: Comparison | None = None
    hunks: tuple[tuple[Hunks, ...], ...] = ()
    error: CrewcheckError | None = None


def compare_nodes(old: Found, new: Found, redactor: Redactor) -> Compared:
    """Read and compare two checkpoints. Whatever goes wrong is in the result."""
    try:
        comparison, *_ = compare_found(old, new, redactor)
        laid_out = tuple(
            tuple(
                []
                if change.hidden or inline(item, change) is not None
                else hunks(rows(parts(change), CONTEXT)[:MOST_LINES])
                for change in item.changes
            )
            for item in comparison.items
        )
    except CrewcheckError as error:
        return Compared(old.node, new.node, error=error)
    except Exception as error:  # whatever it is, a person must be told
        return Compared(old.node, new.node, error=unexpected(error))
    return Compared(old.node, new.node, comparison, laid_out)


def unexpected(error: Exception) -> CrewcheckError:
    """An error that nobody thought of, as a person is told of it."""
    return CrewcheckError(
        f"something unexpected went wrong: {type(error).__name__}: {error}",
        "this is a fault of crewcheck: please report it",
    )
