"""Everything that can be wrong in a store is named, and nothing else in it suffers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.inspect import inspect
from crewcheck.engine.redaction import Redactor
from crewcheck.stores.base import DamagedDocument
from tests.damage import FINE, FOREIGN, OF_LINEAGE, Said, damaged_folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Catalog, dict[str, Said]]]:
    root = tmp_path_factory.mktemp("damage") / "store"
    root.mkdir()
    said = damaged_folder(root)
    with open_catalog(str(root)) as catalog:
        catalog.read_summaries()
        yield catalog, said


def test_what_is_a_checkpoint_is_listed_once_and_the_rest_is_counted(
    made: tuple[Catalog, dict[str, Said]],
) -> None:
    catalog, said = made
    listed = [str(one.key) for one in catalog.checkpoints]
    assert sorted(listed) == sorted(key for key, one in said.items() if one.listed)
    assert catalog.foreign == sum(one.rule == FOREIGN for one in said.values())
    assert catalog.problems == ()


def test_the_reason_is_told_by_the_summary_or_by_reading_all(
    made: tuple[Catalog, dict[str, Said]],
) -> None:
    catalog, said = made
    wrong = {}
    for key, expected in said.items():
        if not expected.listed:
            continue
        checkpoint = catalog.forest.by_key[key].checkpoint
        damage = checkpoint.damage
        rule, message = (damage.rule, damage.message) if damage else (FINE, "")
        notes: tuple[str, ...] = ()
        try:
            notes = inspect(catalog, checkpoint, Redactor()).notes
        except DamagedDocument as error:
            if rule != error.damage.rule and not (expected.whole_only and rule == FINE):
                wrong[key] = rule, error.damage
            rule, message = error.damage.rule, error.damage.message
        told = "; ".join(notes) if expected.rule == FINE else message
        if rule != expected.rule or expected.part not in told:
            wrong[key] = expected, rule, told
        if damage is not None and damage.rule not in OF_LINEAGE and checkpoint.status is not None:
            wrong[key] = "a damaged checkpoint has no status"
    assert wrong == {}
