"""What is measured: commands of crewcheck, of CrewAI, floors, and the two apps."""

from __future__ import annotations

from typing import Literal, NamedTuple

from tests.bench.stores import Spec

Index = Literal["cold", "warm", "new"]

JSON_1K = Spec("json", 1_000, 200_000)
JSON_10K = Spec("json", 10_000, 200_000)
JSON_100K = Spec("json", 100_000, 20_000)
TEXT_1K = Spec("text", 1_000, 200_000)
TEXT_10K = Spec("text", 10_000, 200_000)
TEXT_100K = Spec("text", 100_000, 20_000)
JSONB_10K = Spec("jsonb", 10_000, 200_000)
BIG = Spec("single", 1, 50_000_000)
PAIR = Spec("pair", 2, 10_000_000)
EMPTY = Spec("json", 0, 0)


class Subject(NamedTuple):
    """Something to be measured. ``who``: crewcheck, CrewAI's command, Python code, or one of
    the two apps (`tests.bench.app`, `tests.bench.peer_app`). Stores among ``args`` stand for
    their paths. ``cache`` is the index cache of a listing: none before it (``cold``), ``warm``,
    or warm with ten files that are ``new``. It must print ``lines`` lines and ``says``."""

    who: Literal["crewcheck", "crewai", "python", "app", "peer_app"]
    args: tuple[str | Spec, ...]
    cache: Index | None = None
    lines: int = 0
    says: str = ""

    @property
    def label(self) -> str:
        words = [one.name if isinstance(one, Spec) else one for one in self.args]
        return " ".join([self.who, *words, *([self.cache] if self.cache else [])])

    @property
    def stores(self) -> list[Spec]:
        return [one for one in self.args if isinstance(one, Spec) and one.amount]


def listing(store: Spec, index: Index) -> Subject:
    return Subject("crewcheck", ("list", store), index, lines=store.amount)


def peer_listing(store: Spec) -> Subject:
    return Subject("crewai", ("checkpoint", "list", store), lines=store.amount)


def app(measure: str, store: Spec) -> Subject:
    return Subject("app", (measure, store))


def peer_app(measure: str, store: Spec) -> Subject:
    return Subject("peer_app", (measure, store))


VERSION = Subject("crewcheck", ("--version",), lines=1)
NOTHING = Subject("crewcheck", ("list", EMPTY))
PEER_NOTHING = Subject("crewai", ("checkpoint", "list", EMPTY), lines=1)
CLICK = Subject("python", ("-c", "import click"))
NAMES = Subject("python", ("tests/bench/names_only.py", JSON_10K), lines=JSON_10K.amount)
# 24 tasks of 13 events, and the kickoff's, less the one that tells of this checkpoint
INFO = Subject("crewcheck", ("info", BIG), says="\nevents\t312\n")
PEER_INFO = Subject("crewai", ("checkpoint", "info", BIG), says="\nEvents:  312\n")
DIFF = Subject("crewcheck", ("diff", PAIR), lines=1)
_LOADS = "import json, sys; [json.load(open(path, 'rb')) for path in sys.argv[1:]]"
LOADS = Subject("python", ("-c", _LOADS, PAIR))
