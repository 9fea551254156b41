"""The counted words of several languages, and of their dev sets, with the number of tokens of each."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.training.merging.segmentation import (
    FIRST_POSITION,
    Segmentation,
    WordLayout,
)
from tokenarium_core.training.word_counter import SlotWords, WordCounter


@final
class LanguageSegmentation(Segmentation):
    """Parts of one array, each with the counted words of one corpus, so that a merge finds its positions in all of
    them.

    First come the parts for training, ``trained`` of them, then the parts that are only
    measured. Part ``k`` is at the positions ``starts[k]`` to ``starts[k + 1] - 1``, in whole blocks. ``lengths[k]`` is
    how many tokens its corpus has now. ``tokens`` is the sum over the parts for training.
    """

    def __init__(self, counters: list[WordCounter], trained: i64, ids: i64) -> None:
        super().__init__(ids)
        parts: i64 = len(counters)
        self.trained: i64 = trained
        self.starts = vec[i64]([FIRST_POSITION] * (parts + 1))
        self.lengths = vec[i64]([0] * parts)
        self._layouts = [WordLayout(SlotWords(counter)) for counter in counters]
        self._part: i64 = 0
        self._words_before: i64 = 0  # of the parts that are laid out
        used: i64 = FIRST_POSITION
        k: i64 = 0
        while k < parts:
            self.lengths[k] = counters[k].byte_count
            if k < trained:
                self.tokens += self.lengths[k]
            layout = self._layouts[k]
            self.to_lay_out += layout.word_count
            used = layout.measure(used)
            k += 1
            self.starts[k] = used
        self.make_room(used)

    def lay_out(self) -> bool:
        """Lays out the next words."""
        layout = self._layouts[self._part]
        layout.write(self)
        self.laid_out = self._words_before + layout.written
        if not layout.finished:
            return False
        self._words_before += layout.word_count
        self._part += 1
        if self._part == len(self._layouts):
            self._layouts = []
            return True
        return False
