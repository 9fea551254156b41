"""Marks on disk of the windows that run, so that the next start knows that one ended unexpectedly."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QLockFile

from tokenarium.models.files import OWN_BYTES, make_way
from tokenarium_core import WriteError
from tokenarium_core.plain_files import open_file, read_file
from tokenarium_core.whole_files import write_files

SHORT_S: Final = 10 * 60
"""Seconds: two crashes within them count as in a row."""

IN_A_ROW: Final = 2
"""Crashes in a row after which a safe start is offered."""


@dataclass(frozen=True, slots=True)
class CrashedRun:
    """A run that ended unexpectedly: when it began (seconds since 1970), and the name of its log, without a suffix.

    ``count``: how many ended so in a row within a short time, this one included.
    """

    started: float
    log: str
    count: int


class RunMark:
    """The mark of this process. Where nothing can be written, no crash is noticed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mark = folder / f"run-{os.getpid()}-{os.urandom(4).hex()}.json"
        self._last = folder / "crashes.json"
        self._lock: QLockFile | None = None  # held as long as this process runs, on all systems

    def begin(self, log: str) -> None:
        """Marks that this process runs; ``log`` is the name of its log."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = lock_of(self._mark)
            self._lock.tryLock(0)
            self._mark.write_text(json.dumps({"started": time.time(), "log": log}), "utf-8")

    def end(self) -> None:
        """Marks that it ended as it should."""
        if self._lock is None:
            return
        with suppress(OSError):
            self._last.unlink(missing_ok=True)
        with suppress(OSError):
            self._mark.unlink(missing_ok=True)
        self._lock.unlock()
        self._lock = None

    def crashed(self) -> CrashedRun | None:
        """Returns the last run that ended unexpectedly, if one did since the last start; its mark is removed."""
        found: list[tuple[float, str]] = []
        with suppress(OSError):
            for mark in self._folder.glob("run-*.json"):
                if mark == self._mark or not is_left(mark):
                    continue
                found.append(_read_mark(mark))
                with suppress(OSError):
                    mark.unlink()
        if not found:
            return None
        now = time.time()
        count = 1
        with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            last = json.loads(read_file(self._last, OWN_BYTES))
            if 0 <= now - float(last["noticed"]) <= SHORT_S:
                count += int(last["count"])
        make_way(self._last)
        with suppress(OSError, WriteError):
            write_files({self._last: json.dumps({"noticed": now, "count": count}).encode()})
        started, log = max(found)
        return CrashedRun(started, log, count)


def _read_mark(mark: Path) -> tuple[float, str]:
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        read = json.loads(read_file(mark, OWN_BYTES))
        # The name becomes part of a path.
        return float(read["started"]), Path(str(read["log"])).name
    return 0.0, ""


def lock_of(mark: Path) -> QLockFile:
    """Returns the lock of a mark, which its process holds as long as it runs."""
    return lock_at(mark.with_suffix(".lock"))


def lock_at(path: Path) -> QLockFile:
    """Returns a lock that counts as long as its process runs. What is there and cannot be one is renamed: Qt would read it."""
    if make_way(path) and _is_damaged_lock(path):
        with suppress(OSError):  # on Windows, one that is held cannot be removed
            path.unlink()
    lock = QLockFile(str(path))
    lock.setStaleLockTime(0)
    return lock


def _is_damaged_lock(path: Path) -> bool:
    """Whether a file names no process, as after a full disk, and none holds it: Qt would take it for held, for ever."""
    try:
        first = read_file(path, OWN_BYTES).partition(b"\n")[0]
    except OSError:
        return False
    if first.isdigit() and len(first) < 19 and int(first) > 0:
        return False
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        with open_file(path) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # Qt holds it so, beside what is in it
    except OSError:
        return False
    return True


def is_left(mark: Path) -> bool:
    """Whether the process of a mark has ended."""
    lock = lock_of(mark)
    if lock.tryLock(0):
        lock.unlock()
        return True
    return lock.error() != QLockFile.LockError.LockFailedError  # a folder that is read-only
