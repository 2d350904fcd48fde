"""What tests with the real crewai share: an interpreter of its own that has it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from crewcheck.demo import environment

#: Names a Python that has crewai; else an environment is made in the cache folder, once.
VARIABLE = "CREWCHECK_CREWAI_PYTHON"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def crewai_python() -> str:
    """A Python that has crewai, and need not have crewcheck."""
    named = os.environ.get(VARIABLE)
    return named or environment.make(lambda text: print(text, file=sys.stderr))
