"""Finds the graphemes of a text in slices: what readers see as one character, such as 👩‍🚀."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice

import numpy as np

from tokenarium.models.text.grapheme_edges import GraphemeEdges
from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium.models.text.text_map import STRETCH, TextMap
from tokenarium_core.progress import Progress

_PIECE = 16_384
"""Characters that are read at once, and then up to the end of the line."""

_LONGEST_PIECE = 65_536
"""Characters: a longer line is taken in several pieces."""

_STRIDE = 512
"""Boundaries between two looks at the clock."""


class GraphemeJob:
    """Finds the grapheme edges of a text: call `step` until it is finished, then read `edges`."""

    def __init__(self, text_map: TextMap) -> None:
        self._text = text_map
        self._character = 0
        self._byte = 0
        self._finder: Iterator[int] | None = None
        self._piece = TextMap("")
        self._longest = _LONGEST_PIECE
        self._found: list[int] = []
        self.edges = GraphemeEdges(text_map.byte_count)

    @property
    def finished(self) -> bool:
        """Whether all graphemes are found."""
        return self._finder is None and self._character == self._text.char_count

    def step(self, budget_ms: float) -> Progress:
        """Works for about ``budget_ms`` milliseconds and reports the characters done."""
        deadline = time.perf_counter() + budget_ms / 1000
        while not self.finished and time.perf_counter() < deadline:
            if self._text.is_ascii:
                self._take_ascii()
                continue
            if self._finder is None:
                self._begin_piece()
            self._walk()
        size = self._text.char_count
        return Progress("finding graphemes", self._character, size, self.finished)

    def _take_ascii(self) -> None:
        """Takes some bytes of ASCII, in which only a carriage return and its line feed are one grapheme."""
        first, last = self._character, min(self._character + STRETCH, self._text.byte_count)
        data = self._text.data[first : last + 1]
        if last == self._text.byte_count:
            data = np.append(data, np.uint8(0))
        self.edges.mark(np.flatnonzero((data[:-1] != 13) | (data[1:] != 10)) + (first + 1))
        self._character = last

    def _begin_piece(self) -> None:
        """Takes the text up to the next line feed, where a grapheme always ends, or a part of a long line."""
        text = self._text.part(self._character, self._character + self._longest)
        self._piece = TextMap(text[: text.find("\n", _PIECE) + 1 or len(text)])
        self._finder = grapheme_ends(self._piece.text)
        self._found = []

    def _walk(self) -> None:
        finder, before = self._finder, len(self._found)
        assert finder is not None
        self._found += islice(finder, _STRIDE)
        if len(self._found) - before < _STRIDE:
            self._end_piece()

    def _end_piece(self) -> None:
        """Notes the edges, and continues at the last one that is certain whatever follows."""
        found_edges, piece = self._found, self._piece
        self._finder = None
        last = self._character + piece.char_count == self._text.char_count
        if not last and not piece.text.endswith("\n"):
            found_edges.pop()  # the end of the piece, where a grapheme may go on
            if not found_edges:  # one grapheme longer than the piece
                self._longest *= 2
                return
        self._longest = _LONGEST_PIECE
        edges = piece.char_to_byte(found_edges)
        self.edges.mark(edges + np.int32(self._byte))
        self._byte += int(edges[-1])
        self._character += found_edges[-1]
