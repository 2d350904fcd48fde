"""Properties on many made examples: few in every test run, 100,000 each in ``make torture``.

Hypothesis draws one number an example, and the example is made from that by a generator of
its own: thousands a second, and the number that it prints makes the example again.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

QUICK, TORTURE = 50, int(os.environ.get("CREWCHECK_EXAMPLES", "100000"))

#: for a test that takes ``examples`` (how many) and calls `many` with it
both = pytest.mark.parametrize(
    "examples",
    [
        pytest.param(QUICK, id="quick"),
        pytest.param(TORTURE, id="torture", marks=[pytest.mark.torture, pytest.mark.timeout(7200)]),
    ],
)

Count = Callable[[str, object], None]


def many(examples: int, check: Callable[[random.Random], None], record: Count) -> None:
    """Check a property on so many examples; ``record`` is told how many there were."""
    done = 0

    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        # a smaller number is no simpler example
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**63 - 1))
    def one(number: int) -> None:
        nonlocal done
        check(random.Random(number))
        done += 1

    one()
    assert done >= examples
    record("examples", done)
