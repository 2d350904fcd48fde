from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewcheck.model.harmless import harmless, name, one_line, width

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
FLAG = "\U0001f1e9\U0001f1ea"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
KEYCAP = "1\ufe0f\u20e3"
HEART = "\u2764\ufe0f"
RUNNER = "\U0001f3c3\U0001f3fd\u200d\u2640\ufe0f"
LANGUAGES = {
    "Arabic": "مرحبا بالعالم",
    "Persian": "می\u200cخواهم",  # noqa: RUF001
    "Hebrew": "שָׁלוֹם עולם",
    "Devanagari": "क्षत्रिय हिन्दी",
    "Sinhala": "ක්\u200dෂ",
    "Thai": "สวัสดีชาวโลก กำ",
    "Korean": "한글 \u1112\u1161\u11ab",
    "Japanese": "日本語テキスト",
    "German": "Grüße, A\u0308",
    "emoji": f"{FAMILY} {FLAG} {ENGLAND} {KEYCAP} {HEART} {RUNNER}",
}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("windows\r\nand old mac\r", "windows\nand old mac\n"),
        ("\x1b[2J\x1b]0;title\x07", "␛[2J␛]0;title␇"),
        ("end\x1b", "end␛"),
        ("\x00\x08\x0b\x0c\x0e\x1f\x7f", "␀␈␋␌␎␟␡"),
        ("\x80\x85\x9b31m", "<U+0080><U+0085><U+009B>31m"),
        ("a\u202egnp.exe\u202c", "a<U+202E>gnp.exe<U+202C>"),
        ("\u061c\u200e\u200f\u2066x\u2069", "<U+061C><U+200E><U+200F><U+2066>x<U+2069>"),
        ("\u2028\u2029\u2060\ufeff", "<U+2028><U+2029><U+2060><U+FEFF>"),
        ("\ufff9a\ufffab\ufffb\uffff", "<U+FFF9>a<U+FFFA>b<U+FFFB><U+FFFF>"),
        ("hi\U000e0068\U000e0069", "hi<U+E0068><U+E0069>"),
        ("\U0001f3f4\U000e0068\U000e007f", "\U0001f3f4<U+E0068><U+E007F>"),
        ("\u2764\ufe0f\ufe01\U000e0101", "\u2764\ufe0f<U+FE01><U+E0101>"),
        ("\ud83d \udc00", "\ufffd \ufffd"),
        ("a\u200bb\xa0c", "a\u200bb\xa0c"),
    ],
)
def test_what_a_terminal_would_obey_is_made_visible(text: str, shown: str) -> None:
    assert harmless(text) == shown


@pytest.mark.parametrize("text", LANGUAGES.values(), ids=LANGUAGES)
def test_letters_and_emoji_stay(text: str) -> None:
    assert harmless(text) == text
    assert one_line(text) == text
    assert one_line(text, 200) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("exp/hot soup", "exp/hot soup"),
        ("a\tb\nc\r", "a␉b␊c␍"),
        ("ma\u200bin", "ma<U+200B>in"),
        ("ma\u200din \u200c", "ma<U+200D>in <U+200C>"),
        ("a\xa0b\u3000c\u2003d", "a<U+00A0>b<U+3000>c<U+2003>d"),
        ("\xad\u034f\u115f\u3164\uffa0\u2800", "<U+00AD><U+034F><U+115F><U+3164><U+FFA0><U+2800>"),
        ("x\ufe0fy\U000e0101", "x<U+FE0F>y<U+E0101>"),
        ("\U0001f600\u200d\u200d\U0001f600", "\U0001f600<U+200D><U+200D>\U0001f600"),
        ("日\u200d本", "日<U+200D>本"),
        (f"{FAMILY}{FLAG}{ENGLAND}{KEYCAP}{HEART}{RUNNER}",) * 2,
        ("\u200d", "<U+200D>"),
    ],
)
def test_in_names_nothing_is_invisible(text: str, shown: str) -> None:
    assert name(text) == shown


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("  a \n\t b  ", None, "a b"),
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("ab cdef", 4, "ab…"),
        ("abcdef", 1, "…"),
        ("abcdef", 0, ""),
        ("abcdef", -300, ""),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("日本語", 2, "…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        (f"{FAMILY}{FAMILY}", 4, f"{FAMILY}{FAMILY}"),
        (f"{FAMILY}{FAMILY}", 3, f"{FAMILY}…"),
        (f"{FAMILY}ab", 2, "…"),
        (f"{FLAG}{FLAG}{FLAG}", 5, f"{FLAG}{FLAG}…"),
        (f"{FLAG}{FLAG}{FLAG}", 4, f"{FLAG}…"),
        (f"{ENGLAND}abc", 3, f"{ENGLAND}…"),
        (f"{KEYCAP}{HEART}{RUNNER}", 5, f"{KEYCAP}{HEART}…"),
        ("क्षत्रिय", 4, "क्ष…"),
        ("กำกำกำ", 5, "กำกำ…"),
        ("\u1112\u1161\u11ab\u1112\u1161\u11ab", 3, "\u1112\u1161\u11ab…"),
        (" " * 5000 + "x", 5, "x"),
        ("x" + " " * 5000 + "y", 5, "x…"),
        ("x" * 10_000_000, 5, "xxxx…"),
    ],
)
def test_one_line_is_cut_between_characters(text: str, limit: int | None, shown: str) -> None:
    assert one_line(text, limit) == shown


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("", 0),
        ("abc", 3),
        ("Grüße", 5),
        ("e\u0301", 1),
        ("日本", 4),
        ("ﾊ", 1),
        ("한글", 4),
        (FAMILY, 2),
        (FLAG, 2),
        (FLAG + FLAG, 4),
        (ENGLAND, 2),
        (KEYCAP, 2),
        (HEART, 2),
        ("\u2764", 1),
        ("\u2764\ufe0e", 1),
        (RUNNER, 2),
        ("\U0001f441\ufe0f\u200d\U0001f5e8\ufe0f", 2),
        ("\U0001faea", 2),
        ("สวัสดี", 4),
        ("क्ष", 2),
        ("می\u200cخواهم", 7),  # noqa: RUF001
        ("…␛", 2),
    ],
)
def test_width_in_cells(text: str, cells: int) -> None:
    assert width(text) == cells


PIECES = st.one_of(
    st.text(max_size=6),
    st.characters(codec=None),
    st.sampled_from([*LANGUAGES.values(), "\ud83d", "\x1b[", "\r\n", "\u200d", "\ufe0f", "\u202e"]),
    st.integers(0, 0x10FFFF).map(chr),
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


def _controls(text: str) -> set[str]:
    return {char for char in text if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")}


@given(TEXTS)
def test_no_control_comes_through(text: str) -> None:
    lines = harmless(text)
    assert _controls(lines) <= {"\n", "\t"}
    assert not _controls(one_line(text))
    assert not _controls(name(text))
    for shown in (lines, one_line(text, 20), name(text)):
        shown.encode("utf-8")
        assert not set("\u061c\u200e\u200f\u202a\u202e\u2066\u2069\ufeff") & set(shown)
    assert harmless(lines) == lines
    assert name(name(text)) == name(text)


@given(TEXTS, st.integers(-2, 40))
def test_one_line_fits_its_limit(text: str, limit: int) -> None:
    whole, cut = one_line(text), one_line(text, limit)
    assert width(cut) <= max(0, limit)
    assert cut == whole or whole.startswith(cut[:-1])
    if width(whole) <= limit:
        assert cut == whole
    assert "\n" not in cut
    assert "\t" not in cut


@given(TEXTS, TEXTS)
def test_width_adds_up_over_blanks(one: str, other: str) -> None:
    one, other = one_line(one), one_line(other)
    assert width(f"{one} {other}") == width(one) + 1 + width(other)
