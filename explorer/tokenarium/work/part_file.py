"""The bytes of a download that has not ended: in a file beside the target, kept to go on from later."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import time
from pathlib import Path

from tokenarium_core.whole_files import PART_NAME, part_path

ABANDONED_S = 600
"""A part that nobody has written to for so long belongs to nobody: its download would have timed out."""


class PartFile:
    """What has come of a file, hashed as it comes; the target changes only by `finish`.

    Between two attempts the bytes lie under ``<target>.part``. Who opens them takes them to a name of
    its own, which succeeds for one only: two windows never write into the same file. All methods may
    raise OSError.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._kept = target.with_name(target.name + ".part")
        self._file: int | None = None
        self._name = ""
        self._hash = hashlib.sha256()
        self.size = 0

    def open(self) -> None:
        """Takes up what was kept, or begins with nothing."""
        self._target.parent.mkdir(parents=True, exist_ok=True)
        self._name = str(part_path(self._target))
        for kept in [self._kept, *self._abandoned()]:
            with contextlib.suppress(OSError):
                os.replace(kept, self._name)
                break
        own = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        self._file = os.open(self._name, own, 0o666)
        while data := os.read(self._file, 1 << 20):
            self._hash.update(data)
            self.size += len(data)

    def restart(self) -> None:
        """Throws away what has come, to begin anew."""
        assert self._file is not None
        os.lseek(self._file, 0, os.SEEK_SET)
        os.truncate(self._file, 0)
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        """Puts bytes behind those that have come."""
        assert self._file is not None
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        self._hash.update(data)
        self.size += len(data)

    @property
    def sha256(self) -> str:
        """The hash of what has come, in hexadecimal digits."""
        return self._hash.hexdigest()

    def finish(self) -> None:
        """Gives the file its name; OSError, and the part is still there, where that cannot be done."""
        self._close()
        os.replace(self._name, self._target)

    def keep(self) -> None:
        """Leaves what has come for a later attempt; nothing is left where nothing has come."""
        self._close()
        with contextlib.suppress(OSError):
            if self.size:
                os.replace(self._name, self._kept)
            else:
                os.remove(self._name)

    def throw_away(self) -> None:
        """Leaves nothing behind."""
        self._close()
        with contextlib.suppress(OSError):
            os.remove(self._name)

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _abandoned(self) -> list[Path]:
        """Returns parts of attempts that did not come to their end, as when the computer went off."""
        found = []
        for path in self._target.parent.glob(f".{glob.escape(self._target.name)}.*.part"):
            with contextlib.suppress(OSError):
                if (
                    PART_NAME.fullmatch(path.name)
                    and time.time() - path.stat().st_mtime > ABANDONED_S
                ):
                    found.append(path)
        return found
