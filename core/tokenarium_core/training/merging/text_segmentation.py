"""The whole text of a corpus, pre-token after pre-token, as the naive way of training has it."""

from __future__ import annotations

from typing import final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.segmentation import (
    BLOCK_BITS,
    NOTHING,
    Segmentation,
    whole_blocks,
)


@final
class TextSegmentation(Segmentation):
    """Every pre-token of a text as often as it stands there, as single bytes.

    It takes four bytes of memory for each byte of the text.
    """

    def __init__(self, ids: i64) -> None:
        super().__init__(ids)
        self.symbols = vec[i32]([NOTHING] * (1 << BLOCK_BITS))

    def add(self, data: bytes, start: i64, stop: i64, ends: vec[i32]) -> None:
        """Adds the pre-tokens of ``data[start:stop]``, which end before the bytes ``ends``."""
        symbols = self.symbols
        word: i64 = 0
        at = start
        while at < stop:
            byte: i64 = data[at]
            symbols = append(symbols, i32(byte))
            at += 1
            if at == i64(ends[word]):
                symbols = append(symbols, i32(NOTHING))
                word += 1
        self.symbols = symbols
        self.tokens += stop - start

    def lay_out(self) -> bool:
        """Gives each pre-token the weight 1."""
        self.make_room(whole_blocks(len(self.symbols)))
        self.weigh(0, self.end, 1)
        return True
