"""Opens a large text without blocking the window; the old text stays until the new one is complete."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tokenarium.models.text.editor_text import prepare_fit
from tokenarium.models.text.text_file import reading, refuse_many_lines, refuse_too_large
from tokenarium.models.text.text_map import TextMap
from tokenarium.widgets.text.text_blocks import prepare_blocks
from tokenarium_core.progress import Progress

LARGE = 2_000_000
"""The most bytes of a file, or characters of a text, that are loaded at once."""


class TextOpening:
    """Opens a file or a string: call `step` until ``text_map`` is complete.

    A step raises TextFileError, with a message for the user, if the file is not text. ``kept``: it was written next to
    a session, and may have half surrogate pairs. ``most``: bytes at the beginning of a file; 0 for all.
    """

    def __init__(self, source: Path | str, kept: bool = False, most: int = 0) -> None:
        self.text_map = TextMap("")
        self.read: TextMap | None = None
        """The text as soon as it is read, before its views are prepared: it can be encoded."""
        self._steps = self._take_in(source, kept, most)
        self._done = 0.0

    def step(self, budget_ms: float) -> Progress:
        """Works for about ``budget_ms`` milliseconds and returns the progress in thousandths."""
        end = time.perf_counter() + budget_ms / 1000
        finished = False
        while not finished:
            self._done = next(self._steps, 1.0)
            finished = self._done == 1
            if time.perf_counter() >= end:
                break
        return Progress("opening", round(1000 * self._done), 1000, finished)

    def _take_in(self, source: Path | str, kept: bool, most: int) -> Iterator[float]:
        """Works in small steps; yields the progress after each."""
        title, pieces = "The text", None
        if isinstance(source, Path):
            steps = reading(source, "surrogatepass" if kept else "strict", most, kept)
            title = source.name
            while True:
                try:
                    yield 0.3 * next(steps)
                except StopIteration as end:
                    text, pieces, count = end.value
                    break
        else:
            text = source
        yield 0.3
        refuse_too_large(title, len(text))  # before it is copied
        if pieces is None or kept:
            text_map = TextMap(text)
        else:
            text_map = TextMap.of_pieces(pieces, count)
        refuse_too_large(title, text_map.byte_count)
        self.read = text_map
        for done in text_map.prepare():
            yield 0.3 + 0.4 * done
        for done in prepare_blocks(text_map, partial(refuse_many_lines, title)):
            yield 0.7 + 0.2 * done
        for done in prepare_fit(text_map):
            yield 0.9 + 0.09 * done
        self.text_map = text_map


def is_large(source: Path | str, most: int = 0) -> bool:
    """Returns whether a file or a text has more than so many bytes; by default, than can be loaded at once."""
    most = most or LARGE
    if isinstance(source, str):
        return len(source) > most
    try:
        return source.stat().st_size > most
    except (OSError, ValueError):
        return False  # reading it will report the problem
