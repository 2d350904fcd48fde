"""The lock by which others know that a supervisor lives.

The system lets go of it when the process ends, however it ends; unlike a process id it
cannot come to mean something else.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})


def take(path: Path) -> int:
    """Hold the lock until the descriptor that is returned is closed, or the process ends.

    Raises `BlockingIOError` where another supervisor has it, `OSError`.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(file)
        # for people, and for file systems without locks
        os.ftruncate(file, 0)
        os.write(file, b"%d\n" % os.getpid())
    except BaseException:
        os.close(file)
        raise
    return file


def _lock(file: int) -> None:
    if sys.platform == "win32":
        return
    for wait in (0.002, 0.01, 0.05, 0.2, None):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # readers hold it for the moment of their look
            if wait is None:
                raise
            time.sleep(wait)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            return
        else:
            return


def is_held(path: Path) -> bool | None:
    """Whether somebody holds the lock; None where nobody ever has, or nobody can know."""
    if sys.platform == "win32":
        return None
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return _owner_lives(os.read(file, 32))
    finally:
        os.close(file)
    return False


def _owner_lives(noted: bytes) -> bool | None:
    try:
        os.kill(int(noted), 0)
    except PermissionError:
        return True
    except ProcessLookupError:
        return False
    except (ValueError, OSError):
        return None
    return True
