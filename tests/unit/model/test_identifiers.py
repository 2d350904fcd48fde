from __future__ import annotations

import pytest

from crewcheck.model.identifiers import dated_file_name, parse_file_name

ID, AT = "20261129T174228_176e579a", "2026-11-29T17:42:28Z"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (f"{ID}_p-none.json", (ID, None, True, AT)),
        (f"{ID}_p-{ID}.json", (ID, ID, True, AT)),
        (f"{ID}.json", (ID, None, False, AT)),
        (f"{ID}_p-a_p-b.json.json", (ID, "a_p-b.json", True, AT)),
        (f"{ID}_p-none.json.json", (ID, "none.json", True, AT)),
        (f"{ID}_p-\n.json", (ID, "\n", True, AT)),
        ("20261129T174228_Z_p-x.json", ("20261129T174228_Z", "x", True, AT)),
        # no such time, but an id all the same
        ("20261329T174228_1_p-x.json", ("20261329T174228_1", "x", True, None)),
        ("20261129T174260_1_p-x.json", ("20261129T174260_1", "x", True, None)),
        (f"{ID}_p-.json", None),
        (f"{ID}_p-x.jsn", None),
        (f"{ID}_p-x.JSON", None),
        (f"{ID}-copy_p-x.json", None),
        ("20261129T174228__p-x.json", None),
        ("20261129T174228_\u00e9_p-x.json", None),
        ("20261129t174228_1_p-x.json", None),
        ("20261129T174228-1_p-x.json", None),
        ("2026_p-x.json", None),
        ("_p-.json", None),
        ("", None),
    ],
)
def test_names_of_files(name: str, told: tuple[str, str | None, bool, str | None] | None) -> None:
    for _ in range(2):  # of the second one the parts of its time are known
        assert dated_file_name(name) == told
    assert parse_file_name(name) == (told and told[:3])
