"""Finds the graphemes of a text in slices: what a reader takes for one character, such as 👩‍🚀."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QTextBoundaryFinder

from tokenarium.models.qt_text import into_qt
from tokenarium.models.text_map import TextMap
from tokenarium_core.progress import Progress

_PIECE = 16_384
"""Characters that are looked through at a time, and then up to the end of the line."""

_STRIDE = 512
"""Boundaries between two looks at the clock."""


class GraphemeJob:
    """A text on its way to its grapheme edges: call `step` until it is finished, then read `edges`.

    ``edges[b]`` tells whether a grapheme begins or ends at byte ``b``; one more than there are bytes.
    """

    def __init__(self, text_map: TextMap) -> None:
        self._text = text_map.text
        self._character = 0
        self._byte = 0
        self._finder: QTextBoundaryFinder | None = None
        self._piece = TextMap("")
        self._found: list[int] = []
        self.edges: npt.NDArray[np.bool_] = np.zeros(text_map.byte_count + 1, dtype=np.bool_)
        self.edges[0] = True
        if text_map.is_ascii:
            # Of ASCII only a carriage return and its line feed are one grapheme.
            data = text_map.bytes
            self.edges[:] = True
            self.edges[1:-1] = ~((data[:-1] == 13) & (data[1:] == 10))
            self._character = len(self._text)

    @property
    def finished(self) -> bool:
        """Whether all graphemes are found."""
        return self._finder is None and self._character == len(self._text)

    def step(self, budget_ms: float) -> Progress:
        """Goes on for about ``budget_ms`` milliseconds and reports the characters done."""
        deadline = time.perf_counter() + budget_ms / 1000
        while not self.finished and time.perf_counter() < deadline:
            if self._finder is None:
                self._begin_piece()
            self._walk()
        return Progress("finding graphemes", self._character, len(self._text), self.finished)

    def _begin_piece(self) -> None:
        """Takes what follows up to a line feed: there a grapheme always ends."""
        end = self._text.find("\n", self._character + _PIECE) + 1 or len(self._text)
        self._piece = TextMap(self._text[self._character : end])
        kind = QTextBoundaryFinder.BoundaryType.Grapheme
        self._finder = QTextBoundaryFinder(kind, into_qt(self._piece.text))
        self._found = []
        self._character = end

    def _walk(self) -> None:
        finder, found = self._finder, self._found
        assert finder is not None
        for _ in range(_STRIDE):
            position = finder.toNextBoundary()
            if position < 0:
                self.edges[self._byte + self._piece.utf16_to_byte(found)] = True
                self._byte += self._piece.byte_count
                self._finder = None
                return
            found.append(position)
