"""Words that a text brings for the first time: merged together, a little later than they are come by.

Two words are merged faster side by side than one behind the other (see `WordMerger`). So a word that the
caches do not know gets a place there at once, in which a mark stands for the ids to come.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.word_cache import WordCache, write_value

_FIRST_MARK: Final = -2  # -1 is what a cache says of a word that it does not have


@final
class LateWords:
    """Up to ``room`` words by number, in the order of the text.

    Word ``k`` is the ``sizes[k]`` bytes from ``starts[k]`` on; there is nothing to be merged where its size is 0. Its
    mark is ``-2 - k``, since values are never below 0. A word belongs to the cache ``short`` or ``medium``: its place is
    that of its value in ``short.slots``, or ``~place`` in ``medium.slots``.
    """

    def __init__(self, room: i64, short: WordCache, medium: WordCache) -> None:
        self.count: i64 = 0
        self.starts = vec[i64]([0] * room)
        self.sizes = vec[i64]([0] * room)
        self._values = vec[i64]([0] * room)
        self._places = vec[i64]([0] * room)
        self._short = short
        self._medium = medium

    def add(self, start: i64, size: i64, place: i64, value: i64) -> i64:
        """Adds a word, with its value where ``size`` is 0; returns its mark."""
        number = self.count
        self.count = number + 1
        self.starts[number] = start
        self.sizes[number] = size
        self._values[number] = value
        self._places[number] = place
        return _FIRST_MARK - number

    def settle(self, number: i64, ids: vec[i64], count: i64) -> None:
        """Gives a word its ids, ``ids[:count]``."""
        place = self._places[number]
        if place >= 0:
            value = self._short.value_of(ids, count)
            self._short.slots[place] = value
        else:
            value = self._medium.value_of(ids, count)
            self._medium.slots[~place] = value
        self._values[number] = value

    def write(self, mark: i64, out: vec[i32], count: i64) -> i64:
        """Writes the ids of the word with this mark, which is settled, into ``out``; returns the index behind the last."""
        number = _FIRST_MARK - mark
        cache = self._short if self._places[number] >= 0 else self._medium
        return write_value(self._values[number], cache.pool, out, count)
