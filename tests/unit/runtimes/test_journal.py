from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewcheck.runtimes import journal as journals
from crewcheck.runtimes.journal import Journal, JournalReader, read_journal
from crewcheck.runtimes.log_lines import LINE_LIMIT, LogLines
from crewcheck.runtimes.streams import LogStream
from crewcheck.runtimes.wire import Message


def log(text: str) -> Message:
    return {"type": "log", "stream": "stdout", "text": text}


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    reader = JournalReader(tmp_path)
    assert reader.read() == []
    with Journal(tmp_path / "journal.jsonl") as journal:
        journal.append([{"type": "hello", "n": 7, "odd": "\ud800\n\x1b"}, log("x")])
        first = reader.read()
        assert [(one["type"], one["n"]) for one in first] == [("hello", 1), ("log", 2)]
        assert first[0]["odd"] == "\ud800\n\x1b"
        assert first[0]["at"].endswith("Z")
        journal.append([{"type": "finished"}])
        assert [one["n"] for one in reader.read()] == [3]
        assert reader.read() == []
    assert (tmp_path / "journal.jsonl").stat().st_mode & 0o077 == 0


def test_a_log_is_passed_over_where_it_is_not_wanted(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl") as journal:
        journal.append([log("a"), {"type": "hello"}, log('{"type": "plan"}'), {"type": "plan"}])
    messages = read_journal(tmp_path, without_log=True)
    assert [one["type"] for one in messages] == ["hello", "plan"]


@pytest.mark.parametrize("without_log", [False, True])
def test_torn_and_odd_lines(tmp_path: Path, without_log: bool) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"type": "hello", "n": 1}\n\nno json\n[]\n\xff\n{"type": "pl')
    reader = JournalReader(tmp_path, without_log=without_log)
    assert [one["type"] for one in reader.read()] == ["hello"]
    assert reader.bad == 3
    with open(path, "ab") as file:
        file.write(b'an"}\n')
    assert [one["type"] for one in reader.read()] == ["plan"]


def test_a_limit_reads_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "_READ", 64)
    with Journal(tmp_path / "journal.jsonl") as journal:
        journal.append([log("x" * n) for n in range(20)])
    reader = JournalReader(tmp_path)
    parts = 0
    numbers: list[int] = []
    while True:
        numbers += [one["n"] for one in reader.read(1)]
        parts += 1
        if reader.drained:
            break
    assert numbers == list(range(1, 21))
    assert parts > 20


def test_a_full_disk_loses_prints_but_no_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "_BACKLOG", 300)
    full = False
    write = os.write

    def maybe(file: int, data: bytes) -> int:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        # a disk that fills up takes a part of a line
        return write(file, data[:10])

    monkeypatch.setattr(os, "write", maybe)
    with Journal(tmp_path / "journal.jsonl") as journal:
        journal.append([{"type": "hello"}])
        full = True
        for n in range(100):
            journal.append([log(str(n))])
        journal.append([{"type": "finished", "result": "r"}])
        assert journal.problem is not None
        assert [one["type"] for one in read_journal(tmp_path)] == ["hello"]
        full = False
        assert journal.flush()
        assert journal.problem is None
    messages = read_journal(tmp_path)
    assert [one["n"] for one in messages] == list(range(1, len(messages) + 1))
    assert messages[-2]["type"] == "finished"
    assert "lines were lost: the disk was full" in messages[-1]["text"]
    assert len(messages) < 12


def test_lines_end_in_several_ways() -> None:
    lines = LogLines()
    assert lines.feed(b"a\nb\r\nc\rd\r") == ["a", "b", "c"]
    assert lines.feed(b"\ne") == ["d"]
    assert lines.feed(b"\r") == []
    assert lines.feed(b"", end=True) == ["e"]
    assert LogLines().feed("\u20ac".encode()[:2], end=True) == ["\ufffd"]


@given(st.lists(st.binary(max_size=20), max_size=20))
def test_lines_do_not_depend_on_how_the_bytes_come(parts: list[bytes]) -> None:
    lines = LogLines()
    piecewise = [line for part in parts for line in lines.feed(part)]
    piecewise += lines.feed(b"", end=True)
    assert piecewise == LogLines().feed(b"".join(parts), end=True)


def test_a_line_without_end_comes_in_pieces() -> None:
    lines = LogLines()
    pieces = lines.feed(b"x" * (LINE_LIMIT * 2 + 5))
    assert [len(piece) for piece in pieces] == [LINE_LIMIT, LINE_LIMIT]
    assert lines.feed(b"", end=True) == ["xxxxx"]


def test_a_stream_is_kept_up_to_a_limit_and_its_end_is_known() -> None:
    stream = LogStream("stderr", limit=300)
    messages = [one for n in range(10) for one in stream.feed(b"line %d\n" % n)]
    assert [one["text"] for one in messages][-1] == "[more was printed than is kept of a run]"
    assert len(messages) == 5
    assert stream.tail().endswith("line 8\nline 9")
