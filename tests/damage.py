"""A store in which everything is wrong that can be, with what must be said of each part.

    said = damaged_folder(root)
    said["main/20261129T170003_00000003_p-none.json"].rule   # "truncated"

Files are old: nothing in it is being written now.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.build import Json, crew, document, event, executor, flow, ident, task

FINE, FOREIGN, SILENT = "fine", "foreign", "silent"


class Said(NamedTuple):
    """What must be said of a file.

    ``rule`` is that of its damage; ``fine`` where it has none, ``foreign`` where it is left out
    and counted, ``silent`` where it is left out and not even counted. ``part`` is a part of the
    message, of an odd but fine file that of a note. ``whole_only``: only who reads all of it can
    know; a summary may take it for fine.
    """

    rule: str
    part: str = ""
    whole_only: bool = False

    @property
    def listed(self) -> bool:
        return self.rule not in (FOREIGN, SILENT)


OF_LINEAGE = ("parent-missing", "cycle", "duplicate-id")
NOT_ONE = "not-a-checkpoint"


def usual() -> Json:
    """A document with some of everything in it."""
    work = [
        event(1, "crew_kickoff_started", inputs={"topic": "bridges"}),
        event(2, "task_started", task_id="task-outline", parent_event_id="event-1"),
        event(3, "task_completed", task_id="task-outline", output={"raw": "é 🙂 An outline"}),
    ]
    return document(crew(task(output="é 🙂 An outline"), task("draft")), executor(), events=work)


def long() -> Json:
    """A document whose entities alone are more than a listing reads first."""
    return document(crew(task(output="long " * 20_000), task("draft")), events=[event(1, "x")])


class Folder:
    """A folder in the making. Ids are a second apart unless said otherwise."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: dict[str, Said] = {}
        self._numbers = itertools.count(1)

    def put(self, data: Json | str | bytes, rule: str, part: str = "", whole: bool = False) -> str:
        """A checkpoint of a run of its own on main; its id."""
        id = ident(next(self._numbers))
        self.at(f"main/{id}_p-none.json", data, rule, part, whole)
        return id

    def at(
        self, key: str, data: Json | str | bytes, rule: str, part: str = "", whole: bool = False
    ) -> None:
        if isinstance(data, dict):
            data = json.dumps(data)
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        os.utime(path, (1_000_000_000, 1_000_000_000))
        self.said[key] = Said(rule, part, whole)

    def path(self, key: str) -> Path:
        return Path(os.fsdecode(os.fsencode(self.root) + b"/" + os.fsencode(key)))

    def made(self, key: str, make: Callable[[Path], object], rule: str) -> None:
        """Something that is no plain file."""
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        make(path)
        self.said[key] = Said(rule)


def damaged_folder(root: Path) -> dict[str, Said]:
    """Make the store; what must be said of each file, by its key in the store."""
    folder = Folder(root)
    for part in (cuts, blanks, encodings, shapes, sizes, oddities, names, lineage, branches, kinds):
        part(folder)
    return folder.said


def cuts(folder: Folder) -> None:
    data = json.dumps(usual(), ensure_ascii=False).encode()
    mark = data.index(b'"event_record"')
    places = {1, 2, len(data) // 2, mark - 2, mark, mark + 7, mark + 30, len(data) - 1}
    places |= {data.index("🙂".encode()) + part for part in range(5)}  # within a character
    for cut in sorted(places | set(range(50, len(data), len(data) // 20))):
        folder.put(data[:cut], "truncated", f"cut short after {cut} bytes")
    data = json.dumps(long()).encode()
    for cut in (1000, 64 * 1024, len(data) - 300, len(data) - 1):
        folder.put(data[:cut], "truncated", f"cut short after {cut} bytes")
    # what follows a document
    for first in (usual(), long()):
        data = json.dumps(first).encode()
        follows = f"something follows the document at byte {len(data)}"
        folder.put(data * 2, "trailing-data", follows, whole=True)
        folder.put(data + b"\n" + data, "trailing-data", f"at byte {len(data) + 1}", whole=True)
        folder.put(data + b"garbage", "trailing-data", follows)
        folder.put(data + b"}", "trailing-data", follows)
        folder.put(data + b" \r\n\t", FINE)


def blanks(folder: Folder) -> None:
    folder.put("", "empty", "0 bytes")
    folder.put(" \r\n", "empty", "only blanks")
    folder.put(b"\0" * 4096, "empty", "only NUL bytes (4096")
    folder.put(b"{" + b"\0" * 40, "truncated", "only NUL bytes from byte 1 on")
    folder.put(b"hello" + b"\0" * 40, "not-json", "at byte 0")
    for one in (usual(), long()):
        data = json.dumps(one).encode()
        half = len(data) // 2
        nul = b"\0" * (len(data) - half)
        folder.put(data[:half] + nul, "truncated", f"only NUL bytes from byte {half} on")
        end = f"only NUL bytes follow the document at byte {len(data)}"
        folder.put(data + b"\0" * 512, "trailing-data", end)


def encodings(folder: Folder) -> None:
    text = json.dumps(usual())
    for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        folder.put(text.encode(name), "not-json", f"it is {name[:6].upper()}")
        folder.put(("\ufeff" + text).encode(name), "not-json", f"it is {name[:6].upper()}")
    data = json.dumps(usual(), ensure_ascii=False).encode()
    first, second = (at for at in range(len(data)) if data.startswith("é".encode(), at))
    for at, whole in ((first, False), (second, True)):
        broken = data[:at] + b"\xff" + data[at + 1 :]
        folder.put(broken, "not-json", f"invalid UTF-8 at byte {at}", whole=whole)
    folder.put(text.replace("task_completed", "task\udcff").encode(errors="surrogateescape"),
               "not-json", "invalid UTF-8", whole=True)  # fmt: skip
    folder.put("hello", "not-json", "at byte 0")
    folder.put(text.replace("1.15.30", "1.15\n30"), "not-json", "Invalid control character")


def shapes(folder: Folder) -> None:
    for value, what in (
        ([usual()], "a list"),
        ("entities", "a text"),
        (17, "a number"),
        (None, "null"),
        (True, "a truth value"),
    ):
        folder.put(json.dumps(value), NOT_ONE, f"it holds {what}")
    folder.put("{}", NOT_ONE, "no list of entities")
    without = usual()
    del without["entities"]
    folder.put(without, NOT_ONE, "no list of entities")
    for odd in ("crew", {"0": crew(task())}, 7, None):
        folder.put(usual() | {"entities": odd}, NOT_ONE, "no list of entities")
    folder.put(document(), NOT_ONE, "its list of entities is empty")
    for others in ([1, 2], ["crew"], [None], [[crew(task())]]):
        folder.put(usual() | {"entities": others}, NOT_ONE, "is empty")
    for nobody in (executor(), {"entity_type": 7}, {}):
        folder.put(document(nobody), NOT_ONE, "nothing in it was started by a user")
    for odd_tasks in ("x", 7, {"a": 1}, [1, "x", None, []], None, [{"output": 7}, {"name": [1]}]):
        folder.put(document(crew(task(), tasks=odd_tasks)), FINE)
    records: tuple[Any, ...] = (
        "x",
        [],
        None,
        {"nodes": []},
        {"nodes": {"a": 7, "b": {"event": []}}},
    )
    for odd_record in records:
        folder.put(usual() | {"event_record": odd_record}, FINE)
    without = usual()
    del without["event_record"]
    folder.put(without, FINE)
    strange = usual() | {"branch": 7, "parent_id": {}, "crewai_version": [], "trigger": 0.5}
    folder.put(strange | {"crewcheck": "mine"}, FINE)
    folder.put(document(flow("a", state=["no", "object"])), FINE)


def sizes(folder: Folder) -> None:
    entities, record = '"weight": 1,', '"emission_sequence": 3'
    text = json.dumps(document(crew(task(), weight=1, other=2), events=[event(3, "task_started")]))
    assert text.count(entities) == text.count(record) == 1
    long_number = "9" * 5000
    deep = "[" * 100_000 + "]" * 100_000
    deeper = "[" * 300 + "]" * 300
    for value, part in (
        (long_number, "too many digits (more than 4300)"),
        ("-" + long_number, "too many digits"),
        (deep, "nested too deep"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deep"),
        (deeper, "nested too deep (more than 200 levels)"),
    ):
        whole = value == deeper
        folder.put(text.replace(entities, f'"weight": {value},'), "not-json", part, whole)
        changed = text.replace(record, f'"emission_sequence": {value}')
        folder.put(changed, "not-json", part, whole=True)
    folder.put(text.replace(entities, f'"weight": {"9" * 400}.{long_number},'), FINE)
    folder.put(text.replace(entities, '"weight": 1e999,'), FINE)
    folder.put("[" * 100_000, "not-json", "nested too deep")


def oddities(folder: Folder) -> None:
    """What can be read all the same, and is noted."""
    nan = "NaN, which is not JSON"
    folder.put(document(crew(task(), weight=float("nan"))), FINE, nan)
    folder.put(document(crew(task()), events=[event(1, "x", n=float("nan"))]), FINE, nan)
    folder.put(document(crew(task(), weight=-float("inf"))), FINE, "-Infinity, which is not JSON")
    half = "\\ud83d, half of a character"
    folder.put(document(crew(task(output="\ud83d"), name="\ud83d")), FINE, half)
    folder.put(document(crew(task()), events=[event(1, "x", text="\ud83d")]), FINE, half)
    text = json.dumps(usual())
    folder.put("\ufeff" + text, FINE, "byte order mark")
    folder.put("\ufeff" + json.dumps(long()), FINE, "byte order mark")
    twice = text.replace('"name": "newsroom"', '"name": "old", "name": "newsroom"')
    folder.put(twice, FINE, 'repeats a key of an object ("name")')
    folder.put(text.replace("{", '{"branch": "old", ', 1), FINE, '("branch")')


def names(folder: Folder) -> None:
    good = usual()
    id = ident(1000)
    for name in (
        f"main/{id}.JSON",
        f"main/{id}_p-none.json.bak",
        f"main/{id}_p-none.json~",
        f"main/{id}_p-none.json.tmp",
        f"main/{id}_p-none",
        "main/notes.txt",
        "main/x.db",
    ):
        folder.at(name, good, FOREIGN)
    for name in (".DS_Store", f"main/.{id}_p-none.json.ab12cd34.tmp", ".git/x.json"):
        folder.at(name, good, SILENT)
    folder.at(f".crewcheck/trash/{id}_p-none.json", good, SILENT)
    # a person's copies, whatever they are called
    for number, name in enumerate(
        (
            f"{id}_P-NONE",
            f" {id}_p-none",
            f"{id}_",
            f"{id}-copy_p-none",
            "good one (1)",
            "x" * 250,
            "two\nlines",
            "\x1b]0;title\x07\x1b[31mred",
            "\u202etxt",
            "üñî-ชื่อ-🙂",
            os.fsdecode(b"latin-\xe9\xff"),
            "-rf",
            "%2e%2e",
            "latest",
            "main",
            "a~1",
            "a#b",
        )
    ):
        folder.at(f"main/{name}.json", good | {"parent_id": f"none-{number}"}, "parent-missing")
    folder.at("main/cut copy.json", json.dumps(good)[:900], "truncated", "cut short after 900")
    # parents that no id is
    for number, parent in enumerate(("x\ny", "\x1b[2J", os.fsdecode(b"\xff"), "..", "é", "a b")):
        folder.at(f"main/{ident(1010 + number)}_p-{parent}.json", good, "parent-missing", parent[:1]
                  if parent.isprintable() else "")  # fmt: skip
    for name in ("package.json", "tsconfig.json", "main/list.json", "main/empty.json", "x/a.json"):
        texts = {"main/list.json": "[]", "main/empty.json": ""}
        folder.at(name, texts.get(name, '{"name": "x", "compilerOptions": {}}'), FOREIGN)
    # times that are none
    for number, stamp in enumerate(("20261329T170001", "20260230T000000", "00000000T999999")):
        folder.at(f"main/{stamp}_{number:08x}_p-none.json", good, FINE)


def lineage(folder: Folder) -> None:
    def one(
        number: int, parent: int | None, rule: str, part: str = "", branch: str = "line", **at: int
    ) -> None:
        above = None if parent is None else name(parent)
        doc = document(crew(task(output="x")), parent=above, branch=branch)
        key = f"{branch}/{name(number, **at)}_p-{above or 'none'}.json"
        folder.at(key, doc, rule, part)

    def name(number: int, second: int | None = None) -> str:
        # from 1400 on all in one second
        if number >= 1400:
            second = 1400
        return ident(number, second)

    one(1100, None, "duplicate-id", "other/")
    one(1100, None, "duplicate-id", "line/", branch="other")
    one(1101, None, "duplicate-id", "_p-")
    one(1101, 1102, "duplicate-id", "_p-none.json")
    one(1102, None, FINE)
    # circles of one, two and three, cut at the earliest
    one(1110, 1110, "cycle", "among its own ancestors")
    one(1120, 1121, "cycle")
    one(1121, 1120, FINE)
    one(1130, 1132, "cycle")
    one(1131, 1130, FINE, branch="other")
    one(1132, 1131, FINE)
    # parents elsewhere and nowhere
    one(1140, None, FINE)
    one(1141, 1140, FINE, branch="other")
    one(1142, 1999, "parent-missing", name(1999))
    # clocks that step back, and one second for all
    one(1210, None, FINE)
    one(1205, 1210, FINE)
    one(1201, 1205, FINE)
    one(1402, None, FINE)
    one(1401, 1402, FINE)
    one(1400, 1401, FINE)


def branches(folder: Folder) -> None:
    deep = "/".join("deep" for _ in range(100))
    for number, branch in enumerate(
        ("Main", "a", "a/b", "a/b/c", "with blanks", "ветка", "分支/🙂", " ", "-x", deep, "x.json")
    ):
        doc = document(crew(task()), branch=branch)
        folder.at(f"{branch}/{ident(1500 + number)}_p-none.json", doc, FINE)
    odd = f"{ident(1600)}_p-none.json"  # a folder with the name of a checkpoint
    folder.at(f"{odd}/{ident(1601)}_p-none.json", document(crew(task()), branch=odd), FINE)
    lies = document(crew(task()), branch="elsewhere")
    folder.at(f"main/{ident(1602)}_p-none.json", lies, FINE, "lies in the folder of main")
    folder.path("empty").mkdir()


def kinds(folder: Folder) -> None:
    """What is no plain file."""
    outside = folder.root.parent / f"{folder.root.name}-outside"
    outside.mkdir()
    secret = outside / f"{ident(1700)}_p-none.json"
    secret.write_text(json.dumps(usual()))
    inside = folder.path(f"main/{ident(1)}_p-none.json")
    for key, target in (
        (f"main/{ident(1701)}_p-none.json", secret),
        (f"main/{ident(1702)}_p-none.json", inside),
        (f"main/{ident(1703)}_p-none.json", Path(f"{ident(1703)}_p-none.json")),
        (f"main/{ident(1704)}_p-none.json", Path("/nowhere")),
        ("main/link.json", secret),
        ("round", folder.root),
        ("out", outside),
    ):
        folder.made(key, lambda path, to=target: path.symlink_to(to), FOREIGN)  # type: ignore[misc]
    folder.made(f"main/{ident(1710)}_p-none.json", os.mkfifo, FOREIGN)
    folder.made("main/fifo.json", os.mkfifo, FOREIGN)
    folder.made(f"main/{ident(1711)}_p-none.json", _socket, FOREIGN)
    folder.made("y.json", Path.mkdir, SILENT)


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)
