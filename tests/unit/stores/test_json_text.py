from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from crewcheck.model.scan import Damage
from crewcheck.stores import json_text
from crewcheck.stores.base import MAX_DEPTH, TOO_DEEP
from crewcheck.stores.json_text import BadText, parse, parse_with_notes, summary_of_all
from tests.build import crew, document, task


def nested(levels: int, opening: str = "[", closing: str = "]") -> bytes:
    """A document of that many levels."""
    return f'{{"a": {opening * (levels - 1)}1{closing * (levels - 1)}}}'.encode()


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"b": ', "}")])
def test_documents_have_at_most_200_levels(opening: str, closing: str) -> None:
    value = parse(nested(MAX_DEPTH, opening, closing))
    assert json.dumps(copy.deepcopy(value)).encode() == nested(MAX_DEPTH, opening, closing)
    for levels in (MAX_DEPTH + 1, 900, 2_000, 100_000):
        with pytest.raises(BadText) as caught:
            parse(nested(levels, opening, closing))
        assert caught.value.damage == Damage("not-json", TOO_DEEP)
    assert TOO_DEEP == "nested too deep (more than 200 levels)"
    assert summary_of_all(nested(MAX_DEPTH + 1)).damage == Damage("not-json", TOO_DEEP)


def test_brackets_in_texts_are_no_levels() -> None:
    value = {"a": "[{" * 300, "b": "]}" * 300, "[" * 300: [[]] * 300}
    assert parse(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('{"a": 1}'.encode("utf-16"), "it is UTF-16, and a checkpoint is UTF-8"),
        ('{"a": 1}'.encode("utf-16-le"), "it is UTF-16, and a checkpoint is UTF-8"),
        ('[{"a": 1}]'.encode("utf-16-be"), "it is UTF-16, and a checkpoint is UTF-8"),
        ('{"a": 1}'.encode("utf-32"), "it is UTF-32, and a checkpoint is UTF-8"),
        ('{"a": 1}'.encode("utf-32-le"), "it is UTF-32, and a checkpoint is UTF-8"),
        ('{"a": 1}'.encode("utf-32-be"), "it is UTF-32, and a checkpoint is UTF-8"),
        (b'\xef\xbb\xbf{"a": "\xff"}', "invalid UTF-8 at byte 10"),
        (b'{"a": "\x01"}', "Invalid control character at byte 7"),
        (
            b'{"a": ' + b"9" * 5_000 + b"}",
            "it holds a number with too many digits (more than 4300)",
        ),
    ],
)
def test_what_is_wrong_is_said_plainly(data: bytes, message: str) -> None:
    with pytest.raises(BadText) as caught:
        parse(data)
    assert (caught.value.damage.rule, caught.value.damage.message) == ("not-json", message)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (r'{"a": "NaN, Infinity, ud800, \\ud800", "b": 1}', ()),
        (r'{"a": "\ud83d\ude42 \ud83d\ude42\ud83d\ude42", "b": {"a": 1}}', ()),
        (r'{"a": ": b", "c": "\":", "d" : "\\", "e": [{"d": 1}, {"d": 1}]}', ()),
        ('{"a": [NaN, 1, -Infinity]}', ("-Infinity, which is not JSON", "NaN, which is not JSON")),
        (r'{"a": "\ud83d"}', (r"contains \ud83d, half of a character",)),
        (r'{"\\\uDE42": 1}', (r"contains \uDE42, half of a character",)),
        (r'{"a": "\ud83d\ud83d\ude42"}', (r"contains \ud83d, half",)),
        ('\ufeff{"a": 1}', ("begins with a byte order mark",)),
        ('{"a": {"x": 1, "x" : 2, "\\u0078": 3}}', ('repeats a key of an object ("x"): the last',)),
        (
            '{"a": 1, "b": 1, "c": 1, "d": 1, "a": 2, "b": 2, "c": 2, "d": 2}',
            ('("a", "b", "c" and 1 more)',),
        ),
    ],
)
def test_oddities_are_notes(text: str, notes: tuple[str, ...]) -> None:
    data = text.encode()
    value, found = parse_with_notes(data)
    assert repr(value) == repr(json.loads(text.lstrip("\ufeff")))  # NaN is not equal to itself
    assert len(found) == len(notes)
    for one, expected in zip(found, notes, strict=True):
        assert one.startswith("its text ")
        assert expected in one


def test_a_plain_document_has_no_notes() -> None:
    doc: dict[str, Any] = document(crew(task(output="ü 🙂\n"), weight=1.5))
    for ascii_only in (True, False):
        data = json.dumps(doc, ensure_ascii=ascii_only, indent=1).encode()
        assert parse_with_notes(data) == (doc, ())


def test_the_branch_of_a_document_that_begins_as_crewais_do() -> None:
    text = json.dumps(document(crew(task()), branch='a "b"/\u00e9'))
    assert json_text.branch_at_start(text.encode()) == 'a "b"/\u00e9'
    assert json_text.branch_at_start(text.encode()[:40]) is None
    other = json.dumps({"entities": [], "branch": "x"})
    assert json_text.branch_at_start(other.encode()) is None
    assert json_text.branch_at_start(b"") is None
