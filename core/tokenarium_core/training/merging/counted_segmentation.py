"""The counted units of a corpus, its words or regions, each of which is encoded before it is laid out."""

from __future__ import annotations

from typing import Final

from librt.strings import BytesWriter
from mypy_extensions import i32, i64

from tokenarium_core.padded_text import ZEROS
from tokenarium_core.training.merging.segmentation import (
    BLOCK_BITS,
    FIRST_POSITION,
    NOTHING,
    POSITIONS,
    Segmentation,
    whole_blocks,
)
from tokenarium_core.training.word_counter import WordCounter

_FIRST_ROOM: Final = 1 << 16


class CountedSegmentation(Segmentation):
    """Base of the segmentations of counted units, the most frequent ones first: a position is a token of a unit.

    A subclass encodes a unit in `lay_out_unit`, and puts its tokens where `place_for` says. How many positions all of
    them take is not known before.
    """

    def __init__(self, counter: WordCounter, ids: i64, at_a_time: i64) -> None:
        super().__init__(ids)
        self._counter = counter
        self._order = counter.slots_by_count()
        self._at_a_time: i64 = at_a_time
        self._used: i64 = FIRST_POSITION
        self._weight: i64 = 0
        self.to_lay_out = len(self._order)
        self.make_room(_FIRST_ROOM)

    def lay_out(self) -> bool:
        """Encodes and lays out the next units."""
        counter = self._counter
        order = self._order
        first = self.laid_out
        stop = min(first + self._at_a_time, i64(len(order)))
        writer = BytesWriter()
        k = first
        while k < stop:
            counter.write_units(i64(order[k]), writer)
            k += 1
        writer.write(ZEROS)
        text = writer.getvalue()
        at: i64 = 0
        k = first
        while k < stop:
            slot = i64(order[k])
            size = counter.size_of(slot)
            self.lay_out_unit(text, at, size, counter.count_of(slot))
            at += (size + 7) >> 3 << 3
            k += 1
        self.laid_out = stop
        if stop < len(order):
            return False
        end = whole_blocks(self._used)
        if end > self.end:
            self.make_room(end)
        self._empty(end)
        self.end = end
        return True

    def lay_out_unit(self, text: bytes, at: i64, size: i64, count: i64) -> None:
        """Encodes ``text[at:at + size]`` (padded), and lays it out if it has a pair, as a unit that occurs so often."""
        raise NotImplementedError

    def place_for(self, tokens: i64, count: i64) -> i64:
        """Returns the position of the next unit, with room for so many tokens and the end of it."""
        if count != self._weight:
            self._weight = count
            begin = whole_blocks(self._used)
            self._empty(begin)
            self._used = begin
        first = self._used
        if first + tokens + 1 > self.end:
            room = whole_blocks(first + (first >> 1) + tokens + 1)
            most: i64 = POSITIONS
            needed = whole_blocks(first + tokens + 1)
            self.make_room(max(min(room, most >> BLOCK_BITS << BLOCK_BITS), needed))
        return first

    def end_unit(self, first: i64, end: i64, count: i64) -> None:
        """Notes that the tokens of a unit are at the positions ``first`` to ``end - 1``."""
        self.symbols[end] = i32(NOTHING)
        self._used = end + 1
        self.weigh(first, self._used, count)

    def _empty(self, stop: i64) -> None:
        """Empties the positions from those in use up to ``stop``: encoding a unit may have used them."""
        symbols = self.symbols
        at = self._used
        while at < min(stop, i64(len(symbols))):
            symbols[at] = i32(NOTHING)
            at += 1
