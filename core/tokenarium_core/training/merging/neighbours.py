"""The places that a merge joins, the tokens before and after them, and what that changes of the pairs with these."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import doubled
from tokenarium_core.training.merging.pair_index import COUNT, STRIDE, PairIndex, touched
from tokenarium_core.training.merging.pair_ledger import PairLedger
from tokenarium_core.training.merging.pair_queue import PairQueue
from tokenarium_core.training.merging.segmentation import BLOCK_BITS, NOTHING, Segmentation

WARM: Final = 128  # positions that are fetched into the cache at a time
_LEFT: Final = 1 << 32  # times the left token of a pair


@final
class Side:
    """The neighbours of some places on one side: the tokens before them, or those after them.

    Of each token that is a neighbour, by id, ``sums[2 * id]`` is the weight of its places and ``sums[2 * id + 1]`` their
    number, which then becomes where the list of its new pair goes, -1 for none. The first ``distinct`` of ``seen`` are
    these tokens. ``tokens`` are the neighbours of each place, in the order of the places; below 0 if there is none.

    ``kept`` is the weight of the places where a pair of equal tokens is not lost, see `ApartMerger`.
    """

    def __init__(self, ids: i64, behind: bool) -> None:
        self.sums = vec[i64]([0] * (2 * ids))
        self.seen = vec[i32]([0] * ids)
        self.distinct: i64 = 0
        self.tokens = vec[i32]()
        self.kept: i64 = 0
        self._theirs: i64 = 1 if behind else _LEFT
        self._ours: i64 = _LEFT if behind else 1

    def pair(self, neighbour: i64, token: i64) -> i64:
        """Returns the pair that a token at a place is in with its neighbour here."""
        return neighbour * self._theirs + token * self._ours

    def add_up(self, count: i64, weights: vec[i64], places: vec[i32], start: i64) -> None:
        """Adds the first ``count`` neighbours to the sums, that of ``places[start]`` and so on."""
        sums = self.sums
        seen = self.seen
        tokens = self.tokens
        distinct = self.distinct
        k: i64 = 0
        while k < count:
            token = i64(tokens[k])
            if token >= 0:
                if sums[2 * token + 1] == 0:
                    seen[distinct] = i32(token)
                    distinct += 1
                sums[2 * token] += weights[i64(places[start + k]) >> BLOCK_BITS]
                sums[2 * token + 1] += 1
            k += 1
        self.distinct = distinct

    def settle(
        self,
        index: PairIndex,
        queue: PairQueue,
        ledger: PairLedger | None,
        threshold: i64,
        part: i64,
        token: i64,
        less_of: i64,
        less: i64,
    ) -> bool:
        """Moves the counts of the pairs with a part of a token to those with the token; see `Neighbours.settle`.

        The pair of the token with the neighbour ``less_of`` has that much ``less``.
        """
        sums = self.sums
        seen = self.seen
        distinct = self.distinct
        theirs = self._theirs
        old = part * self._ours
        new = token * self._ours
        watched = False
        k: i64 = 0
        while k < distinct:
            other = i64(seen[k])
            k += 1
            weight = sums[2 * other]
            if other != token:
                row = index.find(other * theirs + old)
                if row >= 0:
                    index.rows[row + COUNT] -= weight
                    if other == part:
                        index.rows[row + COUNT] += self.kept
                if ledger is not None:
                    ledger.change(other * theirs + old, -weight)
            if other == less_of:
                weight -= less
            pair = other * theirs + new
            if ledger is not None:
                ledger.change(pair, weight)
            if weight >= threshold:
                sums[2 * other + 1] = index.add(pair, weight, sums[2 * other + 1])
                queue.push(weight, pair, index.end - STRIDE)
                watched = True
            else:
                sums[2 * other + 1] = -1
        return watched

    def hand_places_to(self, whole: Side) -> None:
        """Moves the numbers of places to the sums of ``whole``, which is to have the lists of the new pairs."""
        sums = self.sums
        others = whole.sums
        whole.tokens = self.tokens
        k: i64 = 0
        while k < self.distinct:
            cell = 2 * i64(self.seen[k]) + 1
            if others[cell] == 0:
                whole.seen[whole.distinct] = self.seen[k]
                whole.distinct += 1
            others[cell] += sums[cell]
            sums[cell] = 0
            k += 1

    def mark_watched(self, whole: Side) -> None:
        """Sets the weights in ``whole`` to 1 of those neighbours whose new pairs are watched here."""
        k: i64 = 0
        while k < self.distinct:
            cell = 2 * i64(self.seen[k])
            if self.sums[cell + 1] >= 0:
                whole.sums[cell] = 1
            k += 1

    def list_watched(self, index: PairIndex, token: i64) -> bool:
        """Makes room for the places of the new pairs whose neighbours are marked; returns whether there are any."""
        sums = self.sums
        listed = False
        k: i64 = 0
        while k < self.distinct:
            other = i64(self.seen[k])
            size = sums[2 * other + 1]
            sums[2 * other + 1] = -1
            if sums[2 * other]:
                sums[2 * other + 1] = index.add(self.pair(other, token), 0, size)
                listed = True
            k += 1
        return listed

    def forget(self) -> None:
        """Sets the sums back to zero."""
        sums = self.sums
        seen = self.seen
        distinct = self.distinct
        k: i64 = 0
        while k < distinct:
            token = i64(seen[k])
            sums[2 * token] = 0
            sums[2 * token + 1] = 0
            k += 1
        self.distinct = 0


@final
class Neighbours:
    """What is added up of the neighbours of the first ``places`` places, while these are changed.

    ``not_won`` is the weight of the places where no pair of a new token with itself is won, see `ApartMerger`.
    """

    def __init__(self, ids: i64) -> None:
        self.before = Side(ids, False)
        self.behind = Side(ids, True)
        self.places: i64 = 0
        self.not_won: i64 = 0
        self._touched: i64 = 0

    def hold(self, places: i64) -> None:
        """Makes room for the neighbours of this many places, and forgets those of earlier ones."""
        self.places = 0
        if places > len(self.before.tokens):
            self.clear()  # first, so that old and new arrays are not there at once
            self.before.tokens = vec[i32]([0] * (places + (places >> 3)))
            self.behind.tokens = vec[i32]([0] * (places + (places >> 3)))

    def clear(self) -> None:
        """Releases the memory for the neighbours of each place."""
        self.before.tokens = vec[i32]()
        self.behind.tokens = vec[i32]()

    def add(self, earlier: i64, later: i64) -> None:
        """Notes the neighbours of the next place."""
        place = self.places
        if place == len(self.before.tokens):
            self.before.tokens = doubled(self.before.tokens)
            self.behind.tokens = doubled(self.behind.tokens)
        self.before.tokens[place] = i32(earlier)
        self.behind.tokens[place] = i32(later)
        self.places = place + 1

    def add_up(self, weights: vec[i64], places: vec[i32], start: i64) -> None:
        """Adds the neighbours of all places to the sums; place ``k`` is at ``places[start + k]``."""
        self.before.add_up(self.places, weights, places, start)
        self.behind.add_up(self.places, weights, places, start)

    def join(
        self,
        words: Segmentation,
        positions: vec[i32],
        first: i64,
        start: i64,
        stop: i64,
        left: i64,
        right: i64,
        token: i64,
    ) -> i64:
        """Joins the two tokens at the positions listed from ``start`` to ``stop``, left to right; returns their weight.

        Notes and adds up their neighbours. The list is overwritten, from ``first`` on, with the positions of all places.
        """
        symbols = words.symbols
        weights = words.weights
        lefts_of = self.before.tokens
        rights_of = self.behind.tokens
        before = self.before.sums
        behind = self.behind.sums
        seen_before = self.before.seen
        seen_behind = self.behind.seen
        distinct_before = self.before.distinct
        distinct_behind = self.behind.distinct
        left_size = i64(words.sizes[left])
        pair_size = i64(words.sizes[token])
        merged = self.places
        removed: i64 = 0
        k = start
        warm = start
        while k < stop:
            if k == warm:
                warm = min(k + WARM, stop)
                self._touched = touched(symbols, positions, k, warm)
            at = i64(positions[k])
            k += 1
            if symbols[at] != left or symbols[at + left_size] != right:
                continue
            end = at + pair_size
            weight = weights[at >> BLOCK_BITS]
            removed += weight
            earlier = i64(symbols[at - 1])
            later = i64(symbols[end])
            symbols[at + left_size] = NOTHING
            symbols[at] = i32(token)
            symbols[end - 1] = i32(token)
            positions[first + merged] = i32(at)
            lefts_of[merged] = i32(earlier)
            rights_of[merged] = i32(later)
            merged += 1
            # As `add_up` does: a second walk over the places would take a tenth longer.
            if earlier >= 0:
                if before[2 * earlier + 1] == 0:
                    seen_before[distinct_before] = i32(earlier)
                    distinct_before += 1
                before[2 * earlier] += weight
                before[2 * earlier + 1] += 1
            if later >= 0:
                if behind[2 * later + 1] == 0:
                    seen_behind[distinct_behind] = i32(later)
                    distinct_behind += 1
                behind[2 * later] += weight
                behind[2 * later + 1] += 1
        self.before.distinct = distinct_before
        self.behind.distinct = distinct_behind
        self.places = merged
        return removed

    def settle(
        self,
        index: PairIndex,
        queue: PairQueue,
        ledger: PairLedger | None,
        threshold: i64,
        left: i64,
        right: i64,
        token: i64,
    ) -> bool:
        """Moves the counts of the neighbouring pairs to the new ones; returns whether any is watched.

        A place "earlier, left, right" loses the pair (earlier, left) and gains (earlier, token); the same holds after
        it. In a row of merges, as in "abab", the second finds the new token before it: the pair (token, left) there,
        which the first made, is gone again. A pair is watched that reaches ``threshold``: it gets a row, and its list
        room. A token that no merge made, with `NOTHING` for both, loses no pairs. A ``ledger`` gets the changes of all
        pairs, but that of the two.
        """
        again = self.before.sums[2 * token]  # weight of "token, left" that became "token, token"
        watched = self.before.settle(
            index, queue, ledger, threshold, left, token, token, self.not_won
        )
        return (
            self.behind.settle(index, queue, ledger, threshold, right, token, left, again)
            or watched
        )

    def list_places(
        self, lists: vec[i32], places: vec[i32], start: i64, sizes: vec[i32], offset: i64
    ) -> None:
        """Writes the places of the new pairs into their lists; place ``k`` is at ``places[start + k]``.

        A pair with a token before a place begins at that token, ``sizes`` says how far before; one with a token after it
        begins ``offset`` after the place.
        """
        before = self.before.sums
        behind = self.behind.sums
        lefts = self.before.tokens
        rights = self.behind.tokens
        k: i64 = 0
        while k < self.places:
            at = i64(places[start + k])
            earlier = i64(lefts[k])
            if earlier >= 0:
                to = before[2 * earlier + 1]
                if to >= 0:
                    lists[to] = i32(at - i64(sizes[earlier]))
                    before[2 * earlier + 1] = to + 1
            later = i64(rights[k])
            if later >= 0:
                to = behind[2 * later + 1]
                if to >= 0:
                    lists[to] = i32(at + offset)
                    behind[2 * later + 1] = to + 1
            k += 1

    def hand_places_to(self, whole: Neighbours) -> None:
        """Moves the numbers of places to ``whole``; see `Side.hand_places_to`."""
        self.before.hand_places_to(whole.before)
        self.behind.hand_places_to(whole.behind)
        whole.places = self.places

    def forget(self) -> None:
        """Sets the sums back to zero; the neighbours of each place stay."""
        self.before.forget()
        self.behind.forget()
