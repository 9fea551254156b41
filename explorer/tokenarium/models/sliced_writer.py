"""Writes the rows of a table to a file, in slices, completely or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tokenarium_core.progress import Progress
from tokenarium_core.whole_files import WholeFile

TURN = 64
"""Rows that are written at once."""


class SlicedWriter:
    """Writes ``head``, the text of ``count`` rows and ``foot``; ``rows`` returns those from a number up to another."""

    def __init__(
        self, path: Path, count: int, rows: Callable[[int, int], str], head: str, foot: str = ""
    ) -> None:
        self._path = path
        self._count = count
        self._rows = rows
        self._foot = foot
        self._at = 0
        self._file = WholeFile(path)
        self._write(head)

    def step(self, budget_ms: float) -> Progress:
        """Writes some more rows; if that fails, the file is removed and TokenariumError is raised."""
        until = time.perf_counter() + budget_ms / 1000
        while self._at < self._count and time.perf_counter() < until:
            stop = min(self._at + TURN, self._count)
            self._write(self._rows(self._at, stop))
            self._at = stop
        finished = self._at == self._count
        if finished:
            self._write(self._foot)
            self._file.finish()
        return Progress(f"Writing {self._path.name}", self._at, self._count, finished)

    def drop(self) -> None:
        """Cancels the export and removes the file."""
        self._file.drop()

    def _write(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "surrogatepass"))
