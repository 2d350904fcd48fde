"""Whatever a document holds: what is shown of it can be shown, and steers no terminal."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from itertools import islice
from typing import Any

import pytest

from crewcheck.cli.console import Console
from crewcheck.cli.info_text import print_info
from crewcheck.engine.cut import pretty
from crewcheck.engine.inspect import lay_out
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.rows import info_row
from crewcheck.lineage import Node
from crewcheck.model.reports import InfoReport
from crewcheck.model.scan import Checkpoint, Header
from crewcheck.tui.layout import text_of
from crewcheck.tui.pages import Subject, pages_of
from crewcheck.tui.session import Loaded
from tests.property.many import Count, both, many
from tests.property.material import any_document, any_json, small, spoiled

REDACTOR = Redactor()
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def checkpoint() -> Checkpoint:
    header = Header(key="k", id="20261129T174200_00000001", location="k.json", size=66_000)
    header.created_at = "2026-11-29T17:42:00Z"
    return Checkpoint(header)


def drawn(document: dict[str, Any], width: int) -> Iterator[str]:
    """All that the app shows of a document."""
    one = checkpoint()
    info = lay_out(document, one, REDACTOR)
    one.summary = info.summary
    subject = Subject(Node(one), Loaded(info, None, pretty(info.state)), 1_800_000_000.0)
    for page in pages_of(subject):
        yield "".join(cell.text for cell in page.heads())
        for index in range(max(1, min(page.count, 6))):
            if page.count:
                yield "".join(cell.text for cell in page.cells(index))
            if page.count or not page.heads():
                page.copied(index)
            for block in page.blocks(index):
                for line in islice(block.lines(width), 50):
                    yield text_of(line)


def odd(random: random.Random) -> dict[str, Any]:
    if random.random() < 0.1:
        return {"entities": any_json(random), "event_record": any_json(random), "trigger": "x"}
    document = any_document(random) if random.random() < 0.1 else random.choice(small())
    return spoiled(document, random)


@both
def test_any_document_is_drawn_by_the_app(examples: int, record_property: Count) -> None:
    def check(random: random.Random) -> None:
        for line in drawn(odd(random), random.choice((20, 60, 100))):
            assert STEERS.search(line) is None, line

    many(examples, check, record_property)


@both
def test_any_document_is_printed_in_colour(
    examples: int, record_property: Count, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    def check(random: random.Random) -> None:
        one = checkpoint()
        info = lay_out(odd(random), one, REDACTOR)
        one.summary = info.summary
        shape = info_row(info, Node(one), REDACTOR)
        console = Console(color="always")
        said = StringIO()
        with redirect_stdout(said):
            print_info(console, info, Node(one), shape, full=random.random() < 0.5)
        found = STEERS.search(COLOURS.sub("", said.getvalue()))
        assert found is None, found

    many(examples, check, record_property)


@both
def test_any_document_has_the_promised_shape(examples: int, record_property: Count) -> None:
    def check(random: random.Random) -> None:
        one = checkpoint()
        info = lay_out(odd(random), one, REDACTOR)
        one.summary = info.summary
        InfoReport.model_validate(whole(info_row(info, Node(one), REDACTOR)))

    many(examples, check, record_property)


def whole(value: Any) -> Any:
    """Without halves of characters, which pydantic refuses (our JSON has them as escapes)."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, list):
        return [whole(one) for one in value]
    if isinstance(value, dict):
        return {whole(key): whole(one) for key, one in value.items()}
    return value
