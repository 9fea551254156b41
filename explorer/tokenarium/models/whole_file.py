"""Files that are there when they are whole, or not at all: written under another name, and then moved."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from tokenarium_core.errors import TokenariumError

Made = TypeVar("Made")


class WholeFile:
    """A text file that is being written; TokenariumError where that fails, and then nothing is left of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open = False
        number, self._part = self._try(
            lambda: tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        )
        self._file = os.fdopen(number, "w", encoding="utf-8", errors="surrogatepass", newline="")
        self._open = True

    def write(self, text: str) -> None:
        """Appends some text."""
        self._try(lambda: self._file.write(text))

    def finish(self) -> None:
        """Gives the file its name, in place of one that has it."""
        self._try(self._file.close)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(self._part, 0o666 & ~mask)
        self._try(lambda: os.replace(self._part, self.path))

    def drop(self) -> None:
        """Gives the file up."""
        if self._open:
            with suppress(OSError):
                self._file.close()
            with suppress(OSError):
                os.unlink(self._part)

    def _try(self, act: Callable[[], Made]) -> Made:
        try:
            return act()
        except OSError as error:
            self.drop()
            raise TokenariumError(
                f"{self.path} cannot be written: {error.strerror or error}. Choose another folder or name."
            ) from None


def chosen_path(name: str, suffix: str, *others: str) -> Path:
    """Returns what was chosen in a dialog for files, which leaves the ending away that nobody typed.

    ``suffix`` is of the kind that was asked for; ``others`` may be typed instead.

    >>> chosen_path("gpt-4.1 and others", ".csv").name, chosen_path("a.SVG", ".png", ".svg").name
    ('gpt-4.1 and others.csv', 'a.SVG')
    """
    return Path(name if name.lower().endswith((suffix, *others)) else name + suffix)


def write_whole(path: Path, text: str) -> None:
    """Writes a text file; TokenariumError where that fails, and then the file is as it was."""
    file = WholeFile(path)
    file.write(text)
    file.finish()
