"""One run of the bench: its stores, its scratch folder, the peer, and commands ready to run."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from tests.bench.bars import Bar
from tests.bench.measure import ROOT, Call, once
from tests.bench.stores import Spec, Stores
from tests.bench.subjects import Subject

PEER_VERSION = "1.15.30"
_NEW_FILES = 10


class Skip(Exception):
    """Why something cannot be measured here."""


class Session:
    """``scratch`` is an empty folder for homes and index caches; ``peer`` is a Python that has
    CrewAI, or None."""

    def __init__(self, stores: Stores, scratch: Path, peer: Path | None) -> None:
        self.stores = stores
        self.scratch = scratch
        self.peer = peer
        self.empty = scratch / "empty"
        for folder in (self.empty, scratch / "home", scratch / "peer-home", scratch / "index"):
            folder.mkdir()
        self._new = 0
        self._peer_checked = False
        self._commands: list[str] | None = None

    def build(self, bars: Iterable[Bar]) -> None:
        """Write the stores that are missing. Raises `Skip` where the disk has no room."""
        missing = self.stores.missing(_stores(bars))
        if not missing:
            return
        self.stores.folder.mkdir(parents=True, exist_ok=True)
        need = sum(store.bytes for store in missing)
        free = shutil.disk_usage(self.stores.folder).free
        if need > free:
            raise Skip(
                f"the stores need {need >> 20} MiB in {self.stores.folder}, {free >> 20} MiB are "
                "free; name another folder with --stores"
            )
        command = [sys.executable, "-m", "tests.bench.stores", str(self.stores.folder)]
        subprocess.run([*command, *(store.name for store in missing)], cwd=ROOT, check=True)

    def warm(self, bars: Iterable[Bar]) -> None:
        """Have the stores in the system's cache of files."""
        for store in dict.fromkeys(
            s for b in bars for one in (b.ours, b.theirs) for s in one.stores
        ):
            path = self.stores.path(store)
            for file in [path] if path.is_file() else _files(path):
                with open(file, "rb", buffering=0) as open_file:
                    while open_file.read(1 << 20):
                        pass

    def call(self, subject: Subject) -> Call:
        """A subject as a command line. Raises `Skip`."""
        args = [text for one in subject.args for text in self._texts(one)]
        env = self._env(peer=subject.who in ("crewai", "peer_app"))
        match subject.who:
            case "python":
                argv = [sys.executable, *args]
            case "crewcheck":
                self._need_command(args[0])
                argv = [sys.executable, "-m", "crewcheck", *args]
            case "crewai":
                argv = [str(self._peer().parent / "crewai"), *args]
            case "app" | "peer_app":
                module = f"tests.bench.{subject.who}"
                if importlib.util.find_spec(module) is None:
                    raise Skip(f"{module} is not there")
                python = str(self._peer()) if subject.who == "peer_app" else sys.executable
                argv = [python, "-m", module, *args]
        speaks = subject.who in ("app", "peer_app")
        made = Call(argv, env, subject.lines, subject.says, speaks)
        return self._indexed(made, subject) if subject.cache else made

    def prepare(self, subject: Subject, call: Call) -> None:
        """Run a command of ours once, unmeasured: compiled modules, a filled index."""
        if subject.who in ("crewcheck", "python"):
            once(call)

    def _texts(self, one: str | Spec) -> list[str]:
        if isinstance(one, str):
            return [one]
        if not one.amount:
            return [str(self.empty)]
        path = self.stores.path(one)
        return sorted(_files(path)) if one.kind in ("single", "pair") else [str(path)]

    def _env(self, peer: bool) -> dict[str, str]:
        """What the user has set, less what would make a difference. As installed: compiled."""
        drop = ("CREWCHECK_", "CREWAI_", "PYTHON", "VIRTUAL_ENV", "XDG_", "NO_COLOR", "FORCE_COLOR")
        env = {key: value for key, value in os.environ.items() if not key.startswith(drop)}
        if peer:
            # else it waits ten seconds at its end for a server that takes its telemetry
            quiet = {"OTEL_SDK_DISABLED": "true", "CREWAI_DISABLE_TELEMETRY": "true"}
            return env | quiet | {"HOME": str(self.scratch / "peer-home")}
        return env | {"HOME": str(self.scratch / "home"), "PYTHONPATH": str(ROOT)}

    def _peer(self) -> Path:
        if self.peer is None:
            raise Skip("no CrewAI to compare with: --peer PYTHON or --make-peer")
        if not self._peer_checked:
            code = "from importlib.metadata import version; print(version('crewai'))"
            asked = subprocess.run([self.peer, "-c", code], capture_output=True, text=True)
            found = asked.stdout.strip()
            if found != PEER_VERSION:
                raise Skip(f"{self.peer} has crewai {found or 'nowhere'}, not {PEER_VERSION}")
            self._peer_checked = True
            argv = [str(self.peer.parent / "crewai"), "checkpoint", "list", str(self.empty)]
            once(Call(argv, self._env(peer=True), lines=1))
        return self.peer

    def _need_command(self, name: str) -> None:
        if self._commands is None:
            from crewcheck.cli.main import COMMANDS

            self._commands = list(COMMANDS)
        if not name.startswith("-") and name not in self._commands:
            raise Skip(f"there is no command `crewcheck {name}`")

    def _indexed(self, call: Call, subject: Subject) -> Call:
        """With an index of its own; listings of new files share it with the warm ones."""
        (store,) = subject.stores
        name = f"{store.name}-{'cold' if subject.cache == 'cold' else 'warm'}.db"
        index = self.scratch / "index" / name
        call = call._replace(env={**call.env, "CREWCHECK_INDEX": str(index)})

        def forget() -> None:
            for path in index.parent.glob(f"{index.name}*"):
                path.unlink()

        made: list[Path] = []

        def add() -> None:
            made.extend(self._new_files(store))

        def take_away() -> None:
            while made:
                made.pop().unlink()

        if subject.cache == "cold":
            return call._replace(before=forget)
        if subject.cache == "new":
            return call._replace(before=add, after=take_away, lines=subject.lines + _NEW_FILES)
        return call

    def _new_files(self, store: Spec) -> Iterator[Path]:
        """Copies of a store's files under ids that were never there, as old as they are."""
        root = self.stores.path(store)
        for source in islice(_files(root), _NEW_FILES):
            self._new += 1
            copy = (
                root
                / "main"
                / f"20260301T000000_{os.getpid() & 0xFFFF:04x}{self._new:04x}_p-none.json"
            )
            shutil.copy2(source, copy)
            yield copy


def _stores(bars: Iterable[Bar]) -> list[Spec]:
    """The stores that bars need, each once."""
    named = (store for bar in bars for one in (bar.ours, bar.theirs) for store in one.stores)
    return list(dict.fromkeys(named))


def _files(folder: Path) -> Iterator[str]:
    for root, _, names in os.walk(folder):
        yield from (os.path.join(root, name) for name in names)
