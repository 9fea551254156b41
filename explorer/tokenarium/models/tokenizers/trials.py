"""Notes on disk which tokenizers are being tried, so that the next start knows with which this one crashed."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from tokenarium.models.files import OWN_BYTES
from tokenarium.models.process_lock import ProcessLock
from tokenarium.models.run_marks import is_left, lock_of
from tokenarium_core.plain_files import read_text

_NOTE = "trial-*.txt"


class Trials:
    """The note of this window: the tokenizers that are opening, or have not yet encoded a text.

    The note is written before a tokenizer is opened, and removed when the window is closed: one that is left
    belongs to a window that crashed, and `left` returns what it tried. If a note cannot be written, the
    window works without one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._note = folder / f"trial-{os.getpid()}-{os.urandom(4).hex()}.txt"
        self._lock: ProcessLock | None = None  # held as long as this window runs, on all systems
        self._tried: dict[str, None] = {}

    def begin(self, key: str) -> None:
        """Notes that a tokenizer is tried."""
        if key not in self._tried:
            self._tried[key] = None
            self._write()

    def end(self, key: str) -> None:
        """Notes that it went well."""
        if key in self._tried:
            del self._tried[key]
            self._write()

    def close(self) -> None:
        """Removes the note, as when the window closes."""
        self._tried.clear()
        with suppress(OSError):
            self._note.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def left(self) -> dict[Path, list[str]]:
        """Returns the notes of windows that crashed, each with its keys."""
        sources: dict[Path, list[str]] = {}
        with suppress(OSError):
            for note in sorted(self._folder.glob(_NOTE)):
                if note != self._note and is_left(note):
                    with suppress(OSError, UnicodeDecodeError):
                        sources[note] = read_text(note, OWN_BYTES).split("\n")[:-1]
        return sources

    def _write(self) -> None:
        with suppress(OSError):
            if self._lock is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._lock = lock_of(self._note)
                self._lock.take()
            # Keys of files are paths: they may hold bytes that are not UTF-8.
            keys = "".join(f"{key}\n" for key in self._tried if "\n" not in key)
            with open(self._note, "wb") as file:
                file.write(keys.encode("utf-8", "backslashreplace"))
                file.flush()
                if keys:
                    os.fsync(file.fileno())
