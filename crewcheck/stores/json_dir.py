"""The JSON store: a folder with a file per checkpoint, in a folder per branch.

    LOCATION/BRANCH/20261129T174229_d2c08134_p-20261129T174228_176e579a.json

A branch is used as a path, so the folder of one branch can hold another's. CrewAI 1.14.1
wrote ``LOCATION/ID.json``, without branches and parents. Files are written in place, so a
file may be cut short while its run goes on.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable
from typing import Any

from crewcheck.errors import NotFound, Refused, Unreadable
from crewcheck.model.identifiers import parse_file_name, time_of
from crewcheck.model.scan import BEING_WRITTEN, DELETED, GONE, Damage, Header, Summary
from crewcheck.stores.base import Capability, DamagedDocument, Scan
from crewcheck.stores.files import NotRegular, open_regular, read_regular

#: Folders below a store that never hold checkpoints; ours is the first.
_PASSED_OVER = frozenset({".crewcheck", ".git", ".venv", "node_modules", "__pycache__"})

#: How much of a file of another name is looked at.
_PEEK = 64 * 1024

#: A cut file that was touched within this many seconds is taken to be in the making.
BEING_WRITTEN_SECONDS = 5.0


class JsonDirStore:
    """A directory of JSON checkpoints. Keys are paths relative to it, with ``/``."""

    kind = "json"
    capabilities: frozenset[Capability] = frozenset({Capability.WRITE, Capability.LOOK})

    def __init__(self, root: str) -> None:
        self.location = root
        self._root = os.path.abspath(root)
        self._notes: dict[str | int, tuple[str, ...]] = {}

    def scan(self) -> Scan:
        headers: list[Header] = []
        problems: list[str] = []
        foreign = 0
        stack = [("", self._root)]
        while stack:
            branch, folder = stack.pop()
            try:
                with os.scandir(folder) as found:
                    entries = list(found)
                if entries and not os.access(folder, os.X_OK):
                    # its names can be read, but nothing in it can be reached
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
            except FileNotFoundError as error:
                if not branch:
                    raise NotFound(f"no such folder: {self.location}") from error
                continue
            except OSError as error:
                if not branch:
                    raise _cannot_read(self.location, error) from error
                problems.append(f"folder {branch} cannot be read: {_reason(error)}")
                continue
            for entry in entries:
                name = entry.name
                try:
                    if entry.is_dir(follow_symlinks=False):
                        if name not in _PASSED_OVER:
                            stack.append((f"{branch}/{name}" if branch else name, entry.path))
                        continue
                    header = self._header(branch, entry)
                except FileNotFoundError:  # deleted meanwhile
                    continue
                except OSError as error:
                    problems.append(f"{name} cannot be looked at: {_reason(error)}")
                    continue
                if header is not None:
                    headers.append(header)
                elif not name.startswith("."):
                    foreign += 1
        return Scan(headers, foreign, tuple(problems))

    def look(self, paths: Iterable[str]) -> list[Header]:
        from crewcheck.stores.json_look import headers_at

        if not os.path.isdir(self._root):
            raise NotFound(f"no such folder: {self.location}")
        return headers_at(self._root, self.location, paths, _PASSED_OVER, _has_entities)

    def _header(self, branch: str, entry: os.DirEntry[str]) -> Header | None:
        """The header of a file, None if it is no checkpoint."""
        name = entry.name
        named = parse_file_name(name)
        if named is None and not (name.endswith(".json") and self._looks_like_one(entry)):
            return None
        if not entry.is_file(follow_symlinks=False):
            # a link may lead out of the store
            return None
        at = entry.stat(follow_symlinks=False)
        if named is None:
            # when a copy was made says nothing of when the checkpoint was
            checkpoint_id, parent, has_parent = name[: -len(".json")], None, True
        else:
            checkpoint_id, parent, has_parent = named
        return Header(
            key=f"{branch}/{name}" if branch else name,
            id=checkpoint_id,
            location=os.path.join(self.location, branch, name),
            parent_id=parent,
            branch=branch or "main",
            created_at=time_of(checkpoint_id) if named is not None else None,
            stamp=at.st_mtime_ns,
            size=at.st_size,
            lineage_known=has_parent,
        )

    def _looks_like_one(self, entry: os.DirEntry[str]) -> bool:
        """Whether a file of another name has a checkpoint in it (a person's copy, say)."""
        try:
            if not entry.is_file(follow_symlinks=False):
                return False
            return _has_entities(entry.path)
        except OSError:
            return False

    def summary(self, header: Header) -> Summary:
        # here and below: an empty store needs no parser
        from crewcheck.stores.json_text import HEAD, summary_of

        try:
            with open_regular(self._path(header)) as file:
                size = os.fstat(file.fileno()).st_size
                head = file.read(HEAD) or b""

                def read(start: int, end: int) -> bytes:
                    return _read(file.fileno(), start, end)

                summary = summary_of(head, size, read)
        except (FileNotFoundError, NotADirectoryError):
            return Summary(damage=Damage(GONE, DELETED))
        except OSError as error:
            reason = _reason(error)
            if not isinstance(error, NotRegular):
                reason = f"it cannot be read: {reason}"
            return Summary(damage=Damage("unreadable", reason))
        if summary.damage is not None:
            summary.damage = self._in_the_making(header, summary.damage)
        elif named := _differences(header, summary):
            summary.notes = (*summary.notes, *named)
        return summary

    def _in_the_making(self, header: Header, damage: Damage) -> Damage:
        if damage.rule not in ("truncated", "empty"):
            return damage
        if abs(time.time() - header.stamp / 1e9) > BEING_WRITTEN_SECONDS:
            return damage
        return Damage(BEING_WRITTEN, "it is being written now", damage.offset)

    def document(self, header: Header) -> dict[str, Any]:
        from crewcheck.stores.json_text import BadText, parse_with_notes

        try:
            data = read_regular(self._path(header))
        except FileNotFoundError as error:
            raise NotFound(
                f"checkpoint {header.id} is gone: {header.location} was deleted",
                "list the store again",
            ) from error
        except OSError as error:
            raise _cannot_read(header.location, error) from error
        try:
            document, self._notes[header.key] = parse_with_notes(data)
        except BadText as error:
            raise DamagedDocument(header, self._in_the_making(header, error.damage)) from error
        return document

    def notes(self, header: Header) -> tuple[str, ...]:
        return self._notes.get(header.key, ())

    def write(self, data: bytes, *, id: str, parent_id: str | None, branch: str) -> str:
        from crewcheck.stores.atomic import write_new

        name = f"{id}_p-{parent_id or 'none'}.json"
        folder = os.path.join(self._root, *branch.split("/"))
        path = os.path.join(folder, name)
        try:
            os.makedirs(folder, exist_ok=True)
            # a link in the store could lead a branch out of it
            if os.path.commonpath([os.path.realpath(folder), os.path.realpath(self._root)]) != (
                os.path.realpath(self._root)
            ):
                raise Refused(f"branch {branch} would leave the store {self.location}")
            write_new(path, data)
        except FileExistsError:
            raise Refused(f"checkpoint {id} exists already: {path}") from None
        except OSError as error:
            raise Unreadable(f"{self.location} cannot be written: {_reason(error)}") from None
        return os.path.join(self.location, *branch.split("/"), name)

    def fingerprint(self) -> object:
        seen: list[tuple[str, int, int]] = []
        stack = [self._root]
        while stack:
            try:
                with os.scandir(stack.pop()) as found:
                    for entry in found:
                        if entry.is_dir(follow_symlinks=False):
                            if entry.name not in _PASSED_OVER:
                                stack.append(entry.path)
                        else:
                            at = entry.stat(follow_symlinks=False)
                            seen.append((entry.path, at.st_mtime_ns, at.st_size))
            except OSError:
                continue
        return frozenset(seen)

    def close(self) -> None:
        return

    def _path(self, header: Header) -> str:
        return os.path.join(self._root, *str(header.key).split("/"))


def _has_entities(path: str) -> bool:
    try:
        return b'"entities"' in read_regular(path, _PEEK)
    except OSError:
        return False


def _read(descriptor: int, start: int, end: int) -> bytes:
    parts: list[bytes] = []
    while start < end:
        part = os.pread(descriptor, end - start, start)
        if not part:
            break
        parts.append(part)
        start += len(part)
    return b"".join(parts)


def _differences(header: Header, summary: Summary) -> list[str]:
    """Where the document and its place in the store disagree; the document wins."""
    notes = []
    if summary.branch and summary.branch != header.branch:
        notes.append(f"it lies in the folder of {header.branch}, but says branch {summary.branch}")
    if (
        summary.lineage_in_document
        and parse_file_name(os.path.basename(str(header.key)))
        and summary.parent_id != header.parent_id
    ):
        notes.append(
            f"its name gives the parent {header.parent_id}, the document {summary.parent_id}"
        )
    return notes


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _cannot_read(what: str, error: OSError) -> Unreadable:
    if isinstance(error, NotRegular):
        return Unreadable(f"{what} is no regular file")
    hint = "look at its permissions (`ls -ld`)" if isinstance(error, PermissionError) else ""
    return Unreadable(f"{what} cannot be read: {_reason(error)}", hint)
