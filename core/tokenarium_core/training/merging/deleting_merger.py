"""Merges within words, after which a token may be deleted: it is taken apart into its bytes everywhere."""

from __future__ import annotations

from typing import final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.training.merging.apart_merger import ApartMerger
from tokenarium_core.training.merging.merger import RIGHT, MergeColumns, MergeRules
from tokenarium_core.training.merging.pair_index import COUNT, PAIR, SIZE, START, STRIDE
from tokenarium_core.training.merging.segmentation import BLOCK_BITS, WordSegmentation


@final
class DeletingMerger(ApartMerger):
    """An `ApartMerger` over words that knows how often each token occurs, and can delete one.

    A position is a byte, so that a token can be taken apart where it is. Only there counts grow. A pair that is not
    watched may reach the threshold by that: it is noted with a bound of its count, and all of these are counted when
    the best pair that is watched has no more.

    ``whole``: whether the last merge left a word as one token. ``keeps_places``: whether tokens will be deleted at all.
    """

    def __init__(
        self,
        words: WordSegmentation,
        merges: MergeColumns,
        min_frequency: i64,
        rules: MergeRules,
        keeps_places: bool,
    ) -> None:
        super().__init__(words, merges, merges.merge_count, min_frequency, rules)
        self.whole = False
        self._occurrences = vec[i64]([0] * len(words.sizes))
        self._counted = False
        self._keeps_places = keeps_places
        self._places = vec[i32]()  # of each token at its birth, those of one after those of another
        self._first_places = vec[i32]([0] * (len(words.sizes) + 1))
        self._changes: dict[int, int] = {}
        self._new_places: dict[int, list[int]] = {}
        self._bounds: dict[int, int] = {}
        self._highest_bound: i64 = 0

    def occurrences(self, token: i64) -> i64:
        """Returns how often a token occurs in the words now; of bytes, those that are words are left out."""
        return self._occurrences[token]

    def best_row(self) -> i64:
        """Returns the row of the pair that is merged next; see `ApartMerger.best_row`."""
        row = super().best_row()
        if len(self._bounds) > 0 and self.count(row) <= self._highest_bound:
            self._count_bounded()
            row = super().best_row()
        return row

    def _survey(self) -> None:
        """Starts to search the pairs to watch; all are counted then."""
        if not self._counted:
            self._counted = True
            self._count_bytes()
        self._bounds.clear()
        self._highest_bound = 0
        super()._survey()

    def _count_bytes(self) -> None:
        symbols = self.words.symbols
        weights = self.words.weights
        at: i64 = 0
        while at < self.words.end:
            symbol = i64(symbols[at])
            if symbol >= 0:
                self._occurrences[symbol] += weights[at >> BLOCK_BITS]
            at += 1

    def _joined(self, left: i64, right: i64, token: i64, start: i64) -> None:
        """Counts the tokens, and notes the places of the new one; see `ApartMerger._joined`."""
        super()._joined(left, right, token, start)
        positions = self._index.positions
        weights = self.words.weights
        near = self._neighbours
        lefts_of = near.before.tokens
        rights_of = near.behind.tokens
        keeps = self._keeps_places
        count: i64 = 0
        self.whole = False
        self._first_places[token] = i32(len(self._places))
        k: i64 = 0
        while k < near.places:
            at = positions[start + k]
            count += weights[i64(at) >> BLOCK_BITS]
            if lefts_of[k] < 0 and rights_of[k] < 0:
                self.whole = True
            if keeps:
                self._places = append(self._places, at)
            k += 1
        self._occurrences[left] -= count
        self._occurrences[right] -= count
        self._occurrences[token] += count
        self._first_places[token + 1] = i32(len(self._places))

    def delete(self, token: i64, piece: bytes) -> None:
        """Takes a token apart into its bytes, wherever it is."""
        words = self.words
        symbols = words.symbols
        size = i64(len(piece))
        first = i64(self._first_places[token])
        while first < i64(self._first_places[token + 1]):
            at = i64(self._places[first])
            first += 1
            if i64(symbols[at]) != token:
                continue
            weight = words.weights[at >> BLOCK_BITS]
            begin = self._run_before(at)
            end = self._run_behind(at + size)
            self._tally(begin, end, -weight)
            k: i64 = 0
            while k < size:
                byte: i64 = piece[k]
                symbols[at + k] = i32(byte)
                self._occurrences[byte] += weight
                k += 1
            self._tally(begin, end, weight)
            self._occurrences[token] -= weight
            words.tokens += (size - 1) * weight
        self._apply_changes()

    def _run_before(self, at: i64) -> i64:
        """Returns where the run of equal tokens begins that ends before ``at``; ``at`` if there is none."""
        symbols = self.words.symbols
        before = i64(symbols[at - 1])
        if before < 0:
            return at
        while i64(symbols[at - 1]) == before:
            at -= i64(self.words.sizes[before])
        return at

    def _run_behind(self, at: i64) -> i64:
        """Returns where the run of equal tokens ends that begins at ``at``; ``at`` if there is none."""
        symbols = self.words.symbols
        behind = i64(symbols[at])
        if behind < 0:
            return at
        while i64(symbols[at]) == behind:
            at += i64(self.words.sizes[behind])
        return at

    def _tally(self, begin: i64, end: i64, weight: i64) -> None:
        """Adds the pairs between two places to the changes, with a weight; notes where they are if it is above 0."""
        symbols = self.words.symbols
        sizes = self.words.sizes
        changes = self._changes
        at = begin
        left = i64(symbols[at])
        paired = False
        while True:
            behind = at + i64(sizes[left])
            if behind >= end:
                return
            right = i64(symbols[behind])
            pair = left << 32 | right
            if weight > 0:
                self._new_places.setdefault(pair, []).append(at)
            if left == right and paired:
                paired = False
            else:
                changes[pair] = changes.get(pair, 0) + weight
                paired = left == right
            at = behind
            left = right

    def _apply_changes(self) -> None:
        """Changes the counts of pairs, notes the new places of those that grew, and pushes them again."""
        index = self._index
        threshold = self._threshold
        for pair, change in self._changes.items():
            packed: i64 = pair
            row = index.find(packed)
            if row >= 0:
                index.rows[row + COUNT] += change
            places = self._new_places.get(pair)
            if places is None or not self.rules.allow(packed >> 32, packed & RIGHT):
                continue
            if row >= 0:
                index.list_again(row, sorted({*places, *self._listed(row)}))
                if change > 0 and index.rows[row + COUNT] >= threshold:
                    self._heap.push(index.rows[row + COUNT], packed, row)
            elif change > 0:
                self._note_bound(packed, change)
        self._changes.clear()
        self._new_places.clear()

    def _note_bound(self, pair: i64, change: i64) -> None:
        """Notes a pair that is not watched and became more frequent; no pair is more frequent than its tokens."""
        bound = change + self._bounds.get(pair, self._threshold - 1)
        most = min(self._occurrences[pair >> 32], self._occurrences[pair & RIGHT])
        if most < self._threshold:
            self._bounds.pop(pair, None)
            return
        self._bounds[pair] = bound
        self._highest_bound = max(self._highest_bound, bound)

    def _listed(self, row: i64) -> list[int]:
        """Returns the places in the list of a row where its pair still is."""
        index = self._index
        symbols = self.words.symbols
        pair = index.rows[row + PAIR]
        left = pair >> 32
        right = pair & RIGHT
        size = i64(self.words.sizes[left])
        places: list[int] = []
        k = index.rows[row + START]
        end = k + index.rows[row + SIZE]
        while k < end:
            at = i64(index.positions[k])
            if i64(symbols[at]) == left and i64(symbols[at + size]) == right:
                places.append(at)
            k += 1
        return places

    def _count_bounded(self) -> None:
        """Counts the pairs that have only a bound, and watches those that reach the threshold."""
        words = self.words
        symbols = words.symbols
        sizes = words.sizes
        begins = vec[u8]([0] * len(sizes))
        counts: dict[int, int] = {}
        places: dict[int, list[int]] = {}
        for pair in self._bounds:
            begins[i64(pair) >> 32] = 1
            counts[pair] = 0
            places[pair] = []
        paired = False
        at: i64 = 0
        while at < words.end:
            left = i64(symbols[at])
            if left < 0:
                at += 1
                paired = False
                continue
            behind = at + i64(sizes[left])
            if begins[left]:
                right = i64(symbols[behind])
                if right >= 0:
                    packed = left << 32 | right
                    if packed in counts:
                        places[packed].append(at)
                        if left != right or not paired:
                            counts[packed] += words.weights[at >> BLOCK_BITS]
                            paired = left == right
                        else:
                            paired = False
                    else:
                        paired = False
            else:
                paired = False
            at = behind
        self.visited += words.end
        for pair, count in counts.items():
            if count >= self._threshold:
                index = self._index
                listed = places[pair]
                start = index.add(pair, count, len(listed))
                for k in range(len(listed)):
                    index.positions[start + k] = i32(listed[k])
                self._heap.push(count, pair, index.end - STRIDE)
        self._bounds.clear()
        self._highest_bound = 0
