"""Merges across the words of a text: of neighbouring places that have each become a single token."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.apart_merger import ApartMerger
from tokenarium_core.training.merging.bpe_merger import HIGHEST, MERGING
from tokenarium_core.training.merging.merger import RIGHT, MergeColumns, MergeRules
from tokenarium_core.training.merging.segmentation import (
    BLOCK_BITS,
    NOTHING,
    Segmentation,
    whole_blocks,
)

BOUNDARY: Final = -1  # in a sequence of words: a text ends


@final
class WordPlaces(Segmentation):
    """The texts of a corpus, a position for each word, which is `NOTHING` until the word is a single token.

    ``blocks`` hold the numbers of the words in their order, with `BOUNDARY` after each text. They are released when all
    is laid out: then word ``n`` is at ``places[firsts[n]:firsts[n + 1]]``. ``tokens`` counts from 0 down.
    """

    def __init__(self, blocks: list[vec[i32]], words: i64, ids: i64) -> None:
        super().__init__(ids)
        self.places = vec[i32]()
        self.firsts = vec[i32]([0] * (words + 2))
        self._blocks = blocks
        self._next: i64 = 0
        self._listing = False
        self._at: i64 = 1 << BLOCK_BITS  # an empty block, so that ``symbols[p - 1]`` always exists
        size: i64 = 1 << BLOCK_BITS
        for block in blocks:
            size += len(block)
        self.to_lay_out = 2 * len(blocks)
        self.make_room(whole_blocks(size + 1))
        self.weigh(0, self.end, 1)

    def lay_out(self) -> bool:
        """Counts the words of a block, or lists their places."""
        firsts = self.firsts
        block = self._blocks[self._next] if self._next < len(self._blocks) else vec[i32]()
        size: i64 = len(block)
        k: i64 = 0
        if self._listing:
            places = self.places
            while k < size:
                word = i64(block[k])
                if word >= 0:
                    place = firsts[word + 1]
                    places[i64(place)] = i32(self._at + k)
                    firsts[word + 1] = place + 1
                k += 1
            self._at += size
        else:
            while k < size:
                firsts[i64(block[k]) + 2] += 1  # of a boundary: nobody asks
                k += 1
        self._next += 1
        self.laid_out += 1
        if self._next < len(self._blocks):
            return False
        self._next = 0
        if self._listing:
            self._blocks.clear()
            return True
        self._listing = True
        firsts[0] = firsts[1] = 0
        k = 2
        while k < len(firsts):
            firsts[k] += firsts[k - 1]
            k += 1
        self.places = vec[i32]([0] * i64(firsts[len(firsts) - 1]))
        return False


@final
class PlaceMerger(ApartMerger):
    """An `ApartMerger` over `WordPlaces`, whose words take part from their `unlock` on."""

    def __init__(
        self, places: WordPlaces, merges: MergeColumns, min_frequency: i64, rules: MergeRules
    ) -> None:
        super().__init__(places, merges, merges.merge_count, min_frequency, rules)
        self._text = places
        self._unlocked = False
        self._closes = False

    def lower(self, ceiling: i64) -> None:
        """Lowers the threshold, see `ApartMerger.lower`; with no word unlocked there is nothing to count."""
        if self._unlocked:
            super().lower(ceiling)
        else:
            self._threshold = max(ceiling, self.min_frequency)

    def _survey(self) -> None:
        """Starts to search the pairs to watch: at the beginning there are none."""
        if self._unlocked:
            super()._survey()
        else:
            self._stage = MERGING

    def make(self, row: i64) -> None:
        """Merges the pair of a row; a token that is twice another one joins with nothing any more."""
        pair = self.pair(row)
        if pair >> 32 != pair & RIGHT:
            super().make(row)
            return
        threshold = self._threshold
        self._threshold = HIGHEST  # so that no pair with the new token is watched
        self._closes = True
        super().make(row)
        self._closes = False
        self._threshold = threshold

    def _joined(self, left: i64, right: i64, token: i64, start: i64) -> None:
        """Closes the places of a token that joins with nothing; see `ApartMerger._joined`."""
        super()._joined(left, right, token, start)
        if self._closes:
            symbols = self.words.symbols
            size = i64(self.words.sizes[token])
            k: i64 = 0
            while k < self._neighbours.places:
                at = i64(self._index.positions[start + k])
                end = at + size
                while at < end:
                    symbols[at] = i32(NOTHING)
                    at += 1
                k += 1

    def unlock(self, word: i64, token: i64) -> None:
        """Makes a token of a word wherever it is, and counts the pairs with it."""
        text = self._text
        symbols = text.symbols
        places = text.places
        start = i64(text.firsts[word])
        count = i64(text.firsts[word + 1]) - start
        self._unlocked = True
        k: i64 = 0
        while k < count:
            symbols[i64(places[start + k])] = i32(token)
            k += 1
        near = self._neighbours
        self._find_neighbours(places, start, count, token)
        near.add_up(text.weights, places, start)
        if near.settle(self._index, self._queue, None, self._threshold, NOTHING, NOTHING, token):
            near.list_places(self._index.positions, places, start, text.sizes, 0)
        near.forget()

    def _find_neighbours(self, places: vec[i32], start: i64, count: i64, token: i64) -> None:
        """Notes the tokens before and after some places of a token; in a run of it, only before."""
        symbols = self.words.symbols
        near = self._neighbours
        near.hold(count)
        not_won: i64 = 0
        run: i64 = 1
        k: i64 = 0
        while k < count:
            at = i64(places[start + k])
            earlier = i64(symbols[at - 1])
            later = i64(symbols[at + 1])
            if earlier == token:
                run += 1
                not_won += run & 1
            else:
                run = 1
            if later == token:
                later = NOTHING
            near.add(earlier, later)
            k += 1
        near.before.kept = 0
        near.behind.kept = 0
        near.not_won = not_won
