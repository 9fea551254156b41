"""Marks on disk of the windows that run, so that the next start knows that one ended unexpectedly."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tokenarium.models.files import OWN_BYTES, make_way
from tokenarium.models.process_lock import ProcessLock, is_held
from tokenarium_core import WriteError
from tokenarium_core.plain_files import read_file
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
        self._lock: ProcessLock | None = None  # held as long as this process runs, on all systems

    def begin(self, log: str) -> None:
        """Marks that this process runs; ``log`` is the name of its log."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = lock_of(self._mark)
            self._lock.take()
            self._mark.write_text(json.dumps({"started": time.time(), "log": log}), "utf-8")

    def end(self) -> None:
        """Marks that it ended as it should."""
        if self._lock is None:
            return
        with suppress(OSError):
            self._last.unlink(missing_ok=True)
        with suppress(OSError):
            self._mark.unlink(missing_ok=True)
        self._lock.release()
        self._lock = None

    def crashed(self) -> CrashedRun | None:
        """Returns the last run that ended unexpectedly, if one did since the last start; its mark is removed."""
        runs: list[tuple[float, str]] = []
        with suppress(OSError):
            for mark in self._folder.glob("run-*.json"):
                if mark == self._mark or not is_left(mark):
                    continue
                runs.append(_read_mark(mark))
                with suppress(OSError):
                    mark.unlink()
        if not runs:
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
        started, log = max(runs)
        return CrashedRun(started, log, count)


def _read_mark(mark: Path) -> tuple[float, str]:
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        read = json.loads(read_file(mark, OWN_BYTES))
        # The name becomes part of a path.
        return float(read["started"]), Path(str(read["log"])).name
    return 0.0, ""


def lock_of(mark: Path) -> ProcessLock:
    """Returns the lock of a mark, which its process holds as long as it runs."""
    return ProcessLock(mark.with_suffix(".lock"))


def is_left(mark: Path) -> bool:
    """Whether the process of a mark has ended."""
    return not is_held(mark.with_suffix(".lock"))
