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
from collections.abc import Iterable, Sequence
from typing import Any

from crewcheck.errors import NotFound, Refused, Unreadable
from crewcheck.model.collecting import no_collecting
from crewcheck.model.identifiers import dated_file_name, parse_file_name
from crewcheck.model.scan import BEING_WRITTEN, DELETED, GONE, Damage, Header, Summary
from crewcheck.stores.base import MAX_BYTES, TOO_LARGE, Capability, DamagedDocument, Scan
from crewcheck.stores.files import NotRegular, open_descriptor, open_regular, read_regular

#: Folders below a store that never hold checkpoints; ours is the first.
_PASSED_OVER = frozenset({".crewcheck", ".git", ".venv", "node_modules", "__pycache__"})

#: How much of a file of another name is looked at.
_PEEK = 64 * 1024
_NOT_LOOKED_AT = (0, None)

#: A cut file that was touched within this many seconds is taken to be in the making.
BEING_WRITTEN_SECONDS = 5.0


class JsonDirStore:
    """A directory of JSON checkpoints. Keys are paths relative to it, with ``/``."""

    kind = "json"
    capabilities: frozenset[Capability] = frozenset(
        {Capability.WRITE, Capability.LOOK, Capability.INDEX}
    )

    def __init__(self, root: str) -> None:
        self.location = root
        self._root = os.path.abspath(root)
        self._notes: dict[str | int, tuple[str, ...]] = {}

    def scan(self, names_only: bool = False) -> Scan:
        """All headers; with ``names_only`` no file is looked at, and none of a person's
        own naming is known to be a checkpoint."""
        headers: list[Header] = []
        problems: list[str] = []
        foreign = 0
        stack = [("", self._root)]
        place = os.path.join(self.location, "")
        with no_collecting():
            while stack:
                branch, folder = stack.pop()
                try:
                    files, folders, others = _look(folder, names_only, problems)
                except FileNotFoundError as error:
                    if not branch:
                        raise NotFound(f"no such folder: {self.location}") from error
                    continue
                except OSError as error:
                    if not branch:
                        raise _cannot_read(self.location, error) from error
                    problems.append(f"folder {branch} cannot be read: {_reason(error)}")
                    continue
                inside = f"{branch}/" if branch else ""
                stack += [
                    (inside + entry.name, entry.path)
                    for entry in folders
                    if entry.name not in _PASSED_OVER
                ]
                branch = branch or "main"
                # sorted, what is looked at one after the other later lies so in memory
                for name in sorted(files):
                    named = dated_file_name(name)
                    if named is not None:
                        checkpoint_id, parent, lineage_known, created_at = named
                    elif not names_only and _looks_like_one(folder, name):
                        # when a copy was made says nothing of when the checkpoint was
                        checkpoint_id, parent, lineage_known = name[: -len(".json")], None, True
                        created_at = None
                    else:
                        others.append(name)
                        continue
                    stamp, size = files[name]
                    key = inside + name
                    headers.append(
                        Header(
                            key,
                            checkpoint_id,
                            key,
                            parent,
                            branch,
                            created_at,
                            stamp,
                            size,
                            lineage_known,
                            None,
                            place,
                        )
                    )
                for name in others:
                    # without a look inside some are not told from a copy of a checkpoint
                    unsure = names_only and name.endswith(".json")
                    foreign += not (name.startswith(".") or unsure)
        return Scan(headers, foreign, tuple(problems), complete=not names_only)

    def look(self, paths: Iterable[str]) -> list[Header]:
        from crewcheck.stores.json_look import headers_at

        if not os.path.isdir(self._root):
            raise NotFound(f"no such folder: {self.location}")
        return headers_at(self._root, self.location, paths, _PASSED_OVER, _looks_like_one)

    def summary(self, header: Header, whole: bool = False) -> Summary:
        # here and below: an empty store needs no parser
        from crewcheck.stores.json_text import HEAD, summary_of

        try:
            descriptor, at = open_descriptor(self._path(header))
            try:
                size = at.st_size
                if header.size is None:
                    header.size = size

                def read(start: int, end: int) -> bytes:
                    return _read(descriptor, start, end)

                summary = summary_of(read(0, size if whole else HEAD), size, read, whole)
            finally:
                os.close(descriptor)
        except (FileNotFoundError, NotADirectoryError):
            return Summary(damage=Damage(GONE, DELETED))
        except OSError as error:
            reason = _reason(error)
            if not isinstance(error, NotRegular):
                reason = f"it cannot be read: {reason}"
            return Summary(damage=Damage("unreadable", reason))
        if summary.damage is not None:
            summary.damage = _in_the_making(summary.damage, at.st_mtime)
        elif named := _differences(header, summary):
            summary.notes = (*summary.notes, *named)
        return summary

    def summaries(self, wanted: Sequence[tuple[Header, bool]]) -> list[Summary]:
        return [self.summary(header, whole) for header, whole in wanted]

    def measure(self, headers: list[Header]) -> None:
        """A complete scan has all sizes."""

    def document(self, header: Header, *, lean: bool = False) -> dict[str, Any]:
        from crewcheck.stores.json_text import BadText, parse_with_notes

        try:
            data, changed = self._read(header)
            document, self._notes[header.key] = parse_with_notes(data, lean)
        except BadText as error:
            raise DamagedDocument(header, _in_the_making(error.damage, changed)) from error
        return document

    def stored(self, header: Header) -> bytes:
        return self._read(header)[0]

    def _read(self, header: Header) -> tuple[bytes, float]:
        """The file's bytes, and when it was changed."""
        try:
            with open_regular(self._path(header)) as file:
                at = os.fstat(file.fileno())
                if at.st_size > MAX_BYTES:
                    raise DamagedDocument(header, Damage("unreadable", TOO_LARGE))
                return file.read(), at.st_mtime
        except FileNotFoundError as error:
            raise NotFound(
                f"checkpoint {header.id} is gone: {header.location} was deleted",
                "list the store again",
            ) from error
        except OSError as error:
            raise _cannot_read(header.location, error) from error

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
        return f"{self._root}/{header.key}"


def _look(
    folder: str, names_only: bool, problems: list[str]
) -> tuple[dict[str, tuple[int, int | None]], list[os.DirEntry[str]], list[str]]:
    """What is in a folder: the stamp and size of each file (0 and None with ``names_only``),
    the folders, and the names of all else. Raises `OSError`."""
    files: dict[str, tuple[int, int | None]] = {}
    folders: list[os.DirEntry[str]] = []
    others: list[str] = []
    reachable = os.access(folder, os.X_OK)
    with os.scandir(folder) as found:
        for entry in found:
            if not reachable:
                # its names can be read, but nothing in it can be reached
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
            if entry.is_file(follow_symlinks=False):
                if names_only:
                    files[entry.name] = _NOT_LOOKED_AT
                    continue
                try:
                    at = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # deleted meanwhile
                    continue
                except OSError as error:
                    problems.append(f"{entry.name} cannot be looked at: {_reason(error)}")
                else:
                    files[entry.name] = at.st_mtime_ns, at.st_size
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry)
            else:
                # a link may lead out of the store
                others.append(entry.name)
    return files, folders, others


def _looks_like_one(folder: str, name: str) -> bool:
    """Whether a file of another name has a checkpoint in it (a person's copy, say)."""
    if not name.endswith(".json"):
        return False
    try:
        return b'"entities"' in read_regular(os.path.join(folder, name), _PEEK)
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


def _in_the_making(damage: Damage, changed: float) -> Damage:
    """What to say of a file that was changed then (seconds since 1970)."""
    if damage.rule not in ("truncated", "empty"):
        return damage
    if abs(time.time() - changed) > BEING_WRITTEN_SECONDS:
        return damage
    return Damage(BEING_WRITTEN, "it is being written now", damage.offset)


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
