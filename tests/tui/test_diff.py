"""The Diff tab: against the parent, against the marked one, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crewcheck.engine.comparing import compare_found
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.refs import Found, find
from crewcheck.tui.compared import compare_nodes
from crewcheck.tui.layout import text_of
from crewcheck.tui.pages import Subject
from crewcheck.tui.pages.diff import DiffPage
from tests import build
from tests.tui.conftest import NOW, Running, press, screen_of, screen_text, tree_lines


def page(root: Path, old: dict[str, Any], new: dict[str, Any]) -> DiffPage:
    """The page of a checkpoint and its parent."""
    build.write(root, old, build.ident(1))
    build.write(root, new, build.ident(2), build.ident(1))
    with find(str(root)).catalog as catalog:
        node = catalog.forest.order[1]
        assert node.parent is not None
        made = compare_nodes(Found(catalog, node.parent), Found(catalog, node), Redactor())
        return DiffPage(Subject(node, None, NOW, base=node.parent, compared=made))


def said(page: DiffPage, index: int = 0, width: int = 80) -> list[str]:
    return [text_of(line).rstrip() for one in page.blocks(index) for line in one.lines(width)]


def rows(page: DiffPage) -> list[str]:
    return [" ".join(" ".join(c.text for c in page.cells(at)).split()) for at in range(page.count)]


def crew(*tasks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return build.document(build.crew(*tasks, **more))


OLD = crew(build.task("a", output="one\ntwo three\nfour"), build.task("b"))
NEW = crew(
    build.task("a", output="one\ntwo 3\nfour"),
    build.task("b", output="done"),
    checkpoint_inputs={"topic": 3},
)


def test_rows_and_text(tmp_path: Path) -> None:
    made = page(tmp_path, OLD, NEW)
    assert rows(made) == [
        "all 5 differences",
        "~ checkpoint status stopped → finished",
        "~ checkpoint progress 1/2 → 2/2",
        '~ inputs topic "bridges" → 3',
        "~ tasks a output",
        "~ tasks b status pending → done, output",
    ]
    text = said(made)
    assert text[0].startswith(f"A  its parent  {build.ident(1)}  main")
    assert "   B comes 1 checkpoint after A" in text
    assert said(made, 4) == [
        "~ a", "  output", "      one", "    - two three", "    + two 3", "      four",
    ]  # fmt: skip
    assert '    output  "done"'.strip() in said(made, 5)[2]
    assert made.copied(4) == (
        "the differences",
        "@@ tasks a: output @@\n one\n-two three\n+two 3\n four",
    )


def test_side_by_side_where_there_is_room(tmp_path: Path) -> None:
    lines = said(page(tmp_path, OLD, NEW), 4, width=120)
    beside = [line.split() for line in lines[2:]]
    assert beside == [["one", "one"], ["two", "three", "|", "two", "3"], ["four", "four"]]


def test_no_differences_and_no_parent(tmp_path: Path) -> None:
    made = page(tmp_path, OLD, OLD)
    assert made.count == 0
    assert "No differences" in said(made)
    with find(str(tmp_path)).catalog as catalog:
        first = DiffPage(Subject(catalog.forest.order[0], None, NOW))
    assert "nothing to compare it with. It has no parent." in " ".join(said(first))
    assert not first.waits


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    made = page(tmp_path, OLD, NEW)
    found = find(str(tmp_path))
    build.write(tmp_path, "{", build.ident(1))
    with found.catalog as catalog:
        node = catalog.forest.order[1]
        assert node.parent is not None
        broken = compare_nodes(Found(catalog, node.parent), Found(catalog, node), Redactor())
    shown = DiffPage(Subject(node, None, NOW, base=node.parent, compared=broken))
    assert "is damaged" in " ".join(said(shown))
    assert made.comparison is not None


def test_a_person_s_edits_are_told(tmp_path: Path) -> None:
    edits = [{"path": "tasks.0.output", "old": "sha256:0", "new": "mine"}]
    old = crew(build.task("a", output="x"), build.task("b"))
    fork = crew(build.task("a", output="mine"), build.task("b"))
    fork |= {"crewcheck": {"source": build.ident(1), "primary": 0, "edits": edits}}
    fork |= {"branch": "exp", "trigger": "fork"}
    later = crew(build.task("a", output="mine"), build.task("b", output="y")) | {"branch": "exp"}
    build.write(tmp_path, old, build.ident(1))
    build.write(tmp_path, fork, build.ident(2), build.ident(1), "exp")
    build.write(tmp_path, later, build.ident(3), build.ident(2), "exp")
    with find(str(tmp_path)).catalog as catalog:
        first, _, last = (Found(catalog, node) for node in catalog.forest.order)
        comparison, *_ = compare_found(first, last, Redactor())
        back, *_ = compare_found(last, first, Redactor())
    told = [
        [
            (item.label, change.what, change.edited)
            for item in one.section("tasks")
            for change in item.changes
        ]
        for one in (comparison, back)
    ]
    assert told[0] == [("a", "output", "new"), ("b", "status", None), ("b", "output", None)]
    assert told[1][0] == ("a", "output", "old")


async def test_against_the_parent_and_the_marked_one(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        screen = screen_of(pilot)
        await press(pilot, "g", "down", "d")
        assert screen.detail.tab == "diff"
        text = screen_text(pilot)
        assert f"A  its parent  {build.ident(2)}" in text
        assert "edit" in text
        assert '"The end"' in text
        # the branch's tip, marked, against another's
        await press(pilot, "space")
        assert sum("◈" in line for line in tree_lines(pilot)) == 1
        await press(pilot, "down", "down")
        text = screen_text(pilot)
        assert f"A  marked      {build.ident(3)}" in text
        assert "B is the older one" in text
        await press(pilot, "space", "space")
        assert not any("◈" in line for line in tree_lines(pilot))


async def test_a_letter_in_the_filter_marks_nothing(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        await press(pilot, "slash", "d", "space")
        screen = screen_of(pilot)
        assert screen.query_text == "d "
        assert screen.detail.tab == "overview"
