"""Writing a file so that it is there whole or not at all.

Stdlib only and Python 3.10: the writer beside CrewAI uses it too.
"""

from __future__ import annotations

import contextlib
import os
import secrets


def write_new(path: str, data: bytes) -> None:
    """Write a file that must not exist yet. Raises `FileExistsError` or another `OSError`.

    Written beside its place under a name that no one takes for a checkpoint, flushed to
    the disk, then linked into place: a reader sees nothing or all of it, and an existing
    file is never replaced.
    """
    folder, name = os.path.split(path)
    aside = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.tmp")
    try:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(aside, path)
        except FileExistsError:
            raise
        except OSError:
            # a file system without hard links
            if os.path.lexists(path):
                raise FileExistsError(path) from None
            os.rename(aside, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(aside)
    flush_folder(folder)


def flush_folder(folder: str) -> None:
    """Make a new name in a folder last, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
