"""The tokens before and after the positions that a merge changes, and where the new pairs are listed."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64


@final
class Neighbours:
    """Sums over the neighbours of some positions, while these are changed.

    For each token before a position, by id, ``before[2 * id]`` is its total weight and ``before[2 * id + 1]`` the
    number of such positions, which is later replaced by the start of the list for its new pair, -1 for none. The
    first ``distinct_before`` elements of ``seen_before`` are these tokens. ``behind`` and the related columns hold
    the same for the tokens after a position. ``lefts`` and ``rights`` are the neighbours of each position, in order.
    """

    def __init__(self, ids: i64) -> None:
        self.before = vec[i64]([0] * (2 * ids))
        self.behind = vec[i64]([0] * (2 * ids))
        self.seen_before = vec[i32]([0] * ids)
        self.seen_behind = vec[i32]([0] * ids)
        self.distinct_before: i64 = 0
        self.distinct_behind: i64 = 0
        self.lefts = vec[i32]()
        self.rights = vec[i32]()

    def hold(self, places: i64) -> None:
        """Makes room for the neighbours of this many positions; earlier ones are discarded."""
        if places > len(self.lefts):
            self.lefts = vec[i32]([0] * (places + (places >> 1)))
            self.rights = vec[i32]([0] * (places + (places >> 1)))

    def list_places(
        self,
        lists: vec[i32],
        places: vec[i32],
        start: i64,
        count: i64,
        sizes: vec[i32],
        offset: i64,
    ) -> None:
        """Writes the positions of the new pairs into their lists, for ``count`` positions starting at
        ``places[start]``.

        A pair with a token before a position begins at that token, ``sizes`` says how far before; one with a token
        after it begins ``offset`` after the position.
        """
        before = self.before
        behind = self.behind
        lefts = self.lefts
        rights = self.rights
        k: i64 = 0
        while k < count:
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

    def forget(self) -> None:
        """Resets the sums to zero; the neighbours of each position remain."""
        _clear(self.before, self.seen_before, self.distinct_before)
        _clear(self.behind, self.seen_behind, self.distinct_behind)
        self.distinct_before = 0
        self.distinct_behind = 0


def _clear(sums: vec[i64], seen: vec[i32], distinct: i64) -> None:
    """Sets both numbers of the first ``distinct`` tokens of ``seen`` to zero."""
    k: i64 = 0
    while k < distinct:
        token = i64(seen[k])
        sums[2 * token] = 0
        sums[2 * token + 1] = 0
        k += 1
