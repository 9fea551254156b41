"""The folder through which a window and its processes share long texts and their tokens."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from tokenarium.models.files import sweep

MEMORY: Final = Path("/dev/shm")
"""A folder that Linux keeps in memory."""

ROOM_IN_MEMORY: Final = 2_000_000_000
"""Bytes that have to be free there; else the folder for temporary files is used, whose files are mapped as well."""

LEFT: Final = re.compile(r"tokenarium-text-(\d+)-\w+")
"""Folders that are left by a window that was killed, with the id of its process."""


def new_text_folder() -> Path:
    """Returns a new folder: in memory, if there is enough of it. Those that killed windows have left are removed."""
    place = MEMORY if _has_room(MEMORY) else Path(tempfile.gettempdir())
    _sweep({place, Path(tempfile.gettempdir()), MEMORY})
    return Path(tempfile.mkdtemp(prefix=f"tokenarium-text-{os.getpid()}-", dir=place))


def _sweep(places: set[Path]) -> None:
    """Removes what windows have left that were killed."""
    for place in places:
        if sys.platform == "win32":
            sweep(place, LEFT)
            continue
        with suppress(OSError):
            for entry in os.scandir(place):
                match = LEFT.fullmatch(entry.name)
                if match and not _runs(int(match[1])):
                    shutil.rmtree(entry.path, ignore_errors=True)


def _runs(process: int) -> bool:
    """Whether a process runs, on systems with signals."""
    try:
        os.kill(process, 0)
    except OSError as error:
        return error.errno != errno.ESRCH
    return True


def _has_room(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free > ROOM_IN_MEMORY
    except OSError:
        return False
