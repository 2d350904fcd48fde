"""Opening files that a person, or anybody else, has put where a store is.

A FIFO, a socket or a device would make a plain `open` wait for ever, or do something. So
a path is looked at first, opened without waiting, and looked at again: it may have been
swapped meanwhile.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
)


class NotRegular(OSError):
    """What a path names is no regular file."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EINVAL, "it is no regular file", path)


def open_regular(path: str) -> BinaryIO:
    """A regular file, opened for reading, unbuffered. Raises as `open_descriptor`."""
    return os.fdopen(open_descriptor(path)[0], "rb", buffering=0)


def open_descriptor(path: str) -> tuple[int, os.stat_result]:
    """A descriptor of a regular file, and what is known of the file. Raises `OSError`, of it
    `NotRegular`; `ValueError` for a path that no file can have."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise NotRegular(path)
    descriptor = os.open(path, _FLAGS)
    try:
        at = os.fstat(descriptor)
        if not stat.S_ISREG(at.st_mode):
            raise NotRegular(path)
        return descriptor, at
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: str, size: int = -1) -> bytes:
    """The first ``size`` bytes of a regular file, or all of it. Raises as `open_regular`."""
    with open_regular(path) as file:
        parts: list[bytes] = []
        while size:
            part = file.read(size)
            if not part:
                break
            parts.append(part)
            size -= len(part) if size > 0 else 0
        return parts[0] if len(parts) == 1 else b"".join(parts)
