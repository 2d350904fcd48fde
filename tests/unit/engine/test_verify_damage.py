"""`verify` on the folder of all damage: what was planted is found, and nothing else is damage."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.checks.rules import DAMAGE
from crewcheck.engine.verify import verify
from tests.damage import FINE, OF_LINEAGE, damaged_folder

#: What is JSON of odd types opens, and is listed as it is; only here it is told.
_OF_SHAPE = {"wrong-type", "agent-missing"}


def test_each_planted_fault_is_found_once(tmp_path: Path) -> None:
    root = tmp_path / "store"
    said = {key: one for key, one in damaged_folder(root).items() if one.listed}
    with open_catalog(str(root)) as catalog:
        findings = verify(catalog)
    wrong = {}
    for key, expected in said.items():
        here = [one.rule for one in findings if one.location == f"{root}/{key}"
                and one.severity == DAMAGE and one.rule not in OF_LINEAGE]  # fmt: skip
        if expected.rule in (FINE, *OF_LINEAGE):
            here = [rule for rule in here if rule not in _OF_SHAPE]
            fits = here == []
        else:
            fits = here == [expected.rule]
        if not fits:
            wrong[key] = expected.rule, here
    assert wrong == {}
    told: Counter[str] = Counter()
    for one in findings:
        told[one.rule] += one.checkpoints
    planted = Counter(one.rule for one in said.values())
    assert told["parent-missing"] == planted["parent-missing"]
    assert told["cycle"] == planted["cycle"] > 0
    assert 0 < told["duplicate-id"] <= planted["duplicate-id"]
