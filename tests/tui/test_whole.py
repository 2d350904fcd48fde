"""The tabs for which a document is read once more: messages, and the document itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crewcheck.engine.redaction import Redactor
from crewcheck.model.scan import Checkpoint
from crewcheck.stores.json_dir import JsonDirStore
from crewcheck.tui.pages.messages import MessagesPage
from crewcheck.tui.pages.raw import RawPage
from crewcheck.tui.whole import Whole, read_whole
from tests import build
from tests.build import Json
from tests.talks import ANSWER, FAULT, lone_agent, version_1_14_1, version_1_15_30
from tests.tui.conftest import Running, press, screen_of, screen_text, settle
from tests.tui.test_pages import rows, said, subject

KEY = "sk-fake-0123456789abcdef0123456789"


def whole_of(tmp_path: Path, document: Json) -> Whole:
    build.write(tmp_path, document, build.ident(1))
    store = JsonDirStore(str(tmp_path))
    whole = read_whole(store, Checkpoint(store.scan().headers[0]), Redactor())
    assert whole is not None
    return whole


@pytest.mark.parametrize("asked", [1, 2, 3, 9])
def test_reading_ends_where_nobody_waits_for_it(tmp_path: Path, asked: int) -> None:
    build.write(tmp_path, version_1_15_30(), build.ident(1))
    store = JsonDirStore(str(tmp_path))
    times: list[int] = []

    def cancelled() -> bool:
        times.append(1)
        return len(times) >= asked

    assert read_whole(store, Checkpoint(store.scan().headers[0]), Redactor(), cancelled) is None
    assert len(times) == asked


def messages_page(tmp_path: Path, document: Json) -> MessagesPage:
    return MessagesPage(replace(subject(document), whole=whole_of(tmp_path, document)))


def test_conversations_and_the_chosen_one(tmp_path: Path) -> None:
    page = messages_page(tmp_path, version_1_15_30())
    assert page.count == 2
    assert rows(page)[0].split() == ["1.", "facts", "Researcher", "5", "2.0s", "30"]
    assert page.start == 1
    text = said(page, 0)
    for part in (
        "Researcher · gpt-4o-mini · 2 calls · 2.0s · 30 tokens",
        "  You are Researcher. Curious",
        "  calls multiply",
        '      "a": 6,',
        "tool  multiply",
        "  42 pears",
        f"  {ANSWER}",
    ):
        assert part in text.splitlines()
    name, copied = page.copied(0)
    assert name == "the messages"
    assert copied.endswith(f"tool:\n42 pears\n\nassistant:\n{ANSWER}")


def test_an_error_and_no_messages(tmp_path: Path) -> None:
    page = messages_page(tmp_path / "a", version_1_14_1())
    assert FAULT in said(page, 1)
    page = messages_page(tmp_path / "b", build.document(build.crew(build.task())))
    assert "No messages are recorded" in said(page)
    assert page.copied(0) == ("", "")
    assert messages_page(tmp_path / "c", lone_agent()).count == 1


def test_raw_is_the_document_with_masked_secrets(tmp_path: Path) -> None:
    document = build.document(build.crew(build.task("a", output=KEY, description=f"[red] {KEY}")))
    page = RawPage(replace(subject(document), whole=whole_of(tmp_path, document)))
    text = said(page, width=200)
    assert text.startswith('{\n  "crewai_version": "1.15.30",\n  "parent_id": null,')
    assert '"description": "[red] <redacted' in text
    assert KEY not in text
    assert KEY not in page.copied(0)[1]


def test_both_wait_for_the_document() -> None:
    waiting = subject(version_1_15_30())
    for page in (MessagesPage(waiting), RawPage(waiting)):
        assert page.waits
        assert "reading the document" in said(page)
        assert page.copied(0) == ("", "")


async def test_they_are_read_when_they_are_opened(running: Running, tmp_path: Path) -> None:
    build.write(tmp_path, version_1_15_30(), build.ident(1))
    other = build.document(build.crew(build.task("x"), name="[b]other"), parent=build.ident(1))
    build.write(tmp_path, other, build.ident(2), build.ident(1))
    async with running(tmp_path) as pilot:
        screen = screen_of(pilot)
        session = screen.session
        assert session is not None
        checkpoints = [node.checkpoint for node in session.forest.order]
        await press(pilot, "g", "down")
        assert all(session.whole(one) is None for one in checkpoints)
        await press(pilot, "7")
        assert '"name": "[b]other"' in screen_text(pilot)
        assert session.whole(checkpoints[1]) is not None
        await press(pilot, "down", "4")
        assert screen.detail.rows.count == 2
        await press(pilot, "tab", "up")
        assert "42 pears" in screen_text(pilot)
        await press(pilot, "r")
        assert "42 pears" in screen_text(pilot)


async def test_a_document_that_has_gone_meanwhile(running: Running, tmp_path: Path) -> None:
    path = build.write(tmp_path, version_1_15_30(), build.ident(1))
    async with running(tmp_path) as pilot:
        path.unlink()
        await press(pilot, "7")
        assert "is gone" in screen_text(pilot)


async def test_all_tabs_are_seen_at_80_columns(running: Running, tmp_path: Path) -> None:
    flow = build.document(build.flow("a"), events=[], trigger="method_execution_finished")
    build.write(tmp_path, flow, build.ident(1))
    async with running(tmp_path, size=(80, 24)) as pilot:
        assert "Overview Met Inp Sta Mes Eve Dif Raw" in screen_text(pilot)
        await press(pilot, "3")
        assert "Ove Met Inputs Sta Mes Eve Dif Raw" in screen_text(pilot)


async def test_the_active_tab_is_seen_where_not_all_fit(running: Running, tmp_path: Path) -> None:
    flow = build.document(build.flow("a"), events=[], trigger="method_execution_finished")
    build.write(tmp_path, flow, build.ident(1))
    async with running(tmp_path, size=(32, 20)) as pilot:
        await press(pilot, "right")
        assert "Overview Methods" in screen_text(pilot)
        await press(pilot, "8")
        text = screen_text(pilot)
        assert "… " in text
        assert "Raw" in text
        assert "Overview" not in text
        await pilot.resize_terminal(150, 30)
        await settle(pilot)
        assert "1 Overview" in screen_text(pilot)
