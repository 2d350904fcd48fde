from __future__ import annotations

import json
from typing import Any

import pytest

from crewcheck.model.pretty import pretty
from tests.talks import version_1_15_30


@pytest.mark.parametrize(
    "value",
    [
        version_1_15_30(),
        {}, [], None, "a\nb", 3.5, [[]], {"a": {}, "b": []},
        {"a": [{"b": [{"c": {"d": "x\ny", "é": [1, 2.0, True, None, [], {}]}}]}]},
        {"a": [{"b": [{"c": {"d": float("nan"), "e": "\ud800"}}]}]},
    ],
)  # fmt: skip
def test_it_is_what_the_standard_library_makes(value: Any) -> None:
    assert pretty(value) == json.dumps(value, indent=2, ensure_ascii=False)
