"""A lock in a file that ends with the process that holds it, however that ends."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

TRIES: Final = 5

_TAKEN: Final = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class ProcessLock:
    """The lock of a file, which the system itself gives back when the process ends.

    No number of a process is written down: after a crash another process may have it, as in a container, where the
    first process has the same one at each start.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1

    def take(self) -> bool | None:
        """Returns whether the lock is held now; False: another one holds it, None: it cannot be made here."""
        for _ in range(TRIES):
            try:
                file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            except (OSError, ValueError):
                return None
            try:
                _lock(file)
            except OSError as error:
                os.close(file)
                return False if error.errno in _TAKEN else None
            if self._is(file):
                self._file = file
                return True
            os.close(file)  # it was released, and removed, since it was opened
        return False

    def _is(self, file: int) -> bool:
        """Whether an open file is still the one of the path."""
        try:
            return sys.platform == "win32" or os.path.samestat(os.fstat(file), os.stat(self._path))
        except OSError:
            return False

    def release(self) -> None:
        """Gives the lock back, and removes its file."""
        file, self._file = self._file, -1
        if file < 0:
            return
        if sys.platform == "win32":  # which removes no file that is open
            os.close(file)
        with suppress(OSError):
            os.unlink(self._path)
        if sys.platform != "win32":
            os.close(file)


def _lock(file: int) -> None:
    if sys.platform == "win32":
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_held(path: Path) -> bool:
    """Whether a process that runs holds the lock of a file."""
    if not os.path.exists(path):
        return False
    lock = ProcessLock(path)
    taken = lock.take()
    lock.release()
    return taken is False
