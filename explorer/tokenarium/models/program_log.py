"""The log: a file for each process, limited in size, with what the program did and what went wrong, and no texts.

It is opened by the first line that is written. A second file, beside it, is for `faulthandler`, which writes there
where the process ends in compiled code.
"""

from __future__ import annotations

import faulthandler
import os
import re
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from tokenarium.models.fault_notes import without_home
from tokenarium.models.files import log_folder
from tokenarium_core.plain_files import open_file

if TYPE_CHECKING:  # it takes 10 ms, which the start does without
    import logging
    from collections.abc import Callable

DEBUG, INFO, WARNING, ERROR = 10, 20, 30, 40
"""The levels of a line, as `logging` has them."""

LARGEST: Final = 256 << 10
"""Bytes of a file; the one before it is kept too."""

KEPT: Final = 10
"""Processes whose logs are kept, beside those of the last hour."""

KEPT_S: Final = 30 * 24 * 60 * 60
"""Seconds after which the log of a process is removed."""

LONGEST: Final = 20_000
"""Characters of one line and what belongs to it."""

_FORMAT = "%(asctime)s.%(msecs)03d %(levelname)-7s %(message)s"
_NAME = re.compile(r"tokenarium-\d{8}-\d{6}-\d+\.(log(\.1)?|fault)")
_UNPRINTABLE = re.compile(r"[^\n\t\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]")


@lru_cache(maxsize=1)
def stem() -> str:
    """Returns the name of this process's log without its suffix: the time of its start, and its id."""
    return f"tokenarium-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"


def log_path() -> Path:
    """Returns the path of this process's log, whether or not it is written already."""
    return log_folder() / f"{stem()}.log"


_state = {"begun": False}


def begin_log(line: Callable[[], str]) -> None:
    """Begins the log of a window with a line, if it has not begun; until then, only errors are written."""
    if not _state["begun"]:
        _state["begun"] = True
        log(line())


def log(message: str, level: int = INFO) -> None:
    """Writes a line; further lines of ``message`` are indented. Nothing happens where it cannot be written."""
    if level < ERROR and not _state["begun"]:
        return
    with suppress(Exception):
        safe = _UNPRINTABLE.sub("�", without_home(message[:LONGEST]))
        _logger().log(level, "%s", safe.rstrip("\n").replace("\n", "\n    "))


@lru_cache(maxsize=1)
def _logger() -> logging.Logger:
    """Returns the logger, its file opened."""
    import logging
    from logging.handlers import RotatingFileHandler

    logger = logging.getLogger("tokenarium")
    logger.propagate = False
    logger.setLevel(DEBUG)
    try:
        path = log_path()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler: logging.Handler = RotatingFileHandler(
            path, maxBytes=LARGEST, backupCount=1, encoding="utf-8", errors="replace"
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter(_FORMAT, "%Y-%m-%d %H:%M:%S"))
    handler.handleError = _ignore  # type: ignore[method-assign]  # a full disk: there is no place to say so
    logger.addHandler(handler)
    return logger


def _ignore(record: logging.LogRecord) -> None:
    """Does nothing."""


def log_files() -> list[Path]:
    """Returns the logs of all processes that are kept, the newest first."""
    with suppress(OSError):
        logs = [
            path
            for path in log_folder().iterdir()
            if _NAME.fullmatch(path.name) and path.suffix == ".log"
        ]
        return sorted(logs, key=lambda path: path.name, reverse=True)
    return []


def tail_of(path: Path, most: int = LARGEST) -> str:
    """Returns the end of a log, from a whole line on; an empty text if it cannot be read."""
    parts: list[bytes] = []
    for one in (path, path.with_name(f"{path.name}.1")):
        room = most - sum(map(len, parts))
        if room <= 0:
            break
        with suppress(OSError), open_file(one) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - room))
            data = file.read(room)
            parts.append(data if size <= room else data.partition(b"\n")[2])
    return b"".join(reversed(parts)).decode("utf-8", "replace")


def sweep_logs() -> None:
    """Removes the logs of all but the last processes; of one that wrote in the last hour, nothing."""
    now = time.time()
    with suppress(OSError):
        logs = sorted(
            (path for path in log_folder().iterdir() if _NAME.fullmatch(path.name)),
            key=lambda path: path.name,
            reverse=True,
        )
        stems = list(dict.fromkeys(path.name.partition(".")[0] for path in logs))
        for path in logs:
            own = path.name.partition(".")[0]
            with suppress(OSError):
                age = now - path.stat().st_mtime
                if own != stem() and (age > KEPT_S or (stems.index(own) >= KEPT and age > 60 * 60)):
                    path.unlink()


# Where a process ends in compiled code.

_fault_file: list[TextIO] = []


def fault_path(log_name: str = "") -> Path:
    """Returns the path of what `faulthandler` writes, for this process or for one by the name of its log."""
    return log_folder() / f"{log_name or stem()}.fault"


def watch_faults() -> None:
    """Has a traceback of all threads written to a file if this process ends in compiled code."""
    with suppress(OSError, ValueError, RuntimeError):
        path = fault_path()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = path.open("w", encoding="utf-8")
        _fault_file.append(file)  # it must stay open
        faulthandler.enable(file, all_threads=True)


def end_watch() -> None:
    """Ends that, and removes the file if nothing is in it."""
    if not _fault_file:
        return
    file = _fault_file.pop()
    with suppress(OSError, ValueError):
        faulthandler.disable()
        file.close()
        path = Path(file.name)
        if path.stat().st_size == 0:
            path.unlink()
