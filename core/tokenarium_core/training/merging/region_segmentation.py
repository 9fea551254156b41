"""The counted regions of a corpus, as tokenized by an encoder."""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.training.merging.segmentation import (
    BLOCK_BITS,
    NOTHING,
    POSITIONS,
    Segmentation,
    whole_blocks,
)
from tokenarium_core.training.merging.token_segmentation import WordEncoder
from tokenarium_core.training.word_counter import WordCounter

_REGIONS_AT_A_TIME: Final = 256
_FIRST_ROOM: Final = 1 << 16


@final
class RegionSegmentation(Segmentation):
    """The distinct regions of a counter, each with its count: a position is one of their tokens.

    The tokens are those that `TokenSegmentation` finds for the text itself.
    """

    def __init__(self, regions: WordCounter, model: BytePairEncoder, ids: i64) -> None:
        super().__init__(ids)
        self._regions = regions
        self._order = regions.slots_by_count()
        self._encoder = WordEncoder(model)
        self._used: i64 = (
            1 << BLOCK_BITS
        )  # an empty block, so that ``symbols[p - 1]`` always exists
        self._weight: i64 = 0
        self.to_lay_out = len(self._order)
        self.make_room(_FIRST_ROOM)

    def lay_out(self) -> bool:
        """Encodes and lays out the next regions, the most frequent ones first."""
        regions = self._regions
        order = self._order
        first = self.laid_out
        stop = min(first + _REGIONS_AT_A_TIME, i64(len(order)))
        writer = BytesWriter()
        k = first
        while k < stop:
            regions.write_units(i64(order[k]), writer)
            k += 1
        writer.write(ZEROS)
        text = writer.getvalue()
        at: i64 = 0
        k = first
        while k < stop:
            slot = i64(order[k])
            size = regions.size_of(slot)
            self._add(text, at, size, regions.count_of(slot))
            at += (size + 7) >> 3 << 3
            k += 1
        self.laid_out = stop
        if stop < len(order):
            return False
        end = whole_blocks(self._used)
        if end > self.end:
            self.make_room(end)
        self._fill(end)
        self.end = end
        return True

    def _add(self, text: bytes, at: i64, size: i64, count: i64) -> None:
        """Lays out one region; a region of a single token is skipped, as it has no pair."""
        if count != self._weight:
            self._weight = count
            begin = whole_blocks(self._used)
            self._fill(begin)
            self._used = begin
        first = self._used
        if first + size + 1 > self.end:
            room = whole_blocks(first + (first >> 1) + size + 1)
            most: i64 = POSITIONS
            needed = whole_blocks(first + size + 1)
            self.make_room(max(min(room, most >> BLOCK_BITS << BLOCK_BITS), needed))
        symbols = self.symbols
        end = self._encoder.encode(text, at, at + size, symbols, first)
        self.tokens += (end - first) * count
        if end - first > 1:
            symbols[end] = i32(NOTHING)
            self._used = end + 1
            self.weigh(first, self._used, count)

    def _fill(self, stop: i64) -> None:
        """Empties the positions up to ``stop``: the encoder may have used them."""
        symbols = self.symbols
        at = self._used
        while at < min(stop, i64(len(symbols))):
            symbols[at] = i32(NOTHING)
            at += 1
