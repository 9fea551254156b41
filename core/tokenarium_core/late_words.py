"""Words that a text brings for the first time: merged together, a little later than they are come by.

Two words are merged faster side by side than one behind the other (see `WordMerger`). So a word that the
cache does not know gets a place there at once, in which a mark stands for the ids to come.
"""

from __future__ import annotations

from typing import Final, cast, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.word_cache import WordCache, write_value

_FIRST_MARK: Final = -2  # -1 is what a cache says of a word that it does not have


@final
class LateWords:
    """Up to ``room`` words by number, in the order of the text.

    Word ``k`` is the ``sizes[k]`` bytes from ``starts[k]`` on; there is nothing to be merged where its size is 0. Its
    mark is ``-2 - k``, since values are never below 0.
    """

    def __init__(self, room: i64) -> None:
        self.count: i64 = 0
        self.starts = vec[i64]([0] * room)
        self.sizes = vec[i64]([0] * room)
        self._values = vec[i64]([0] * room)
        self._places = vec[i64]([0] * room)
        self._caches: list[WordCache | None] = [None] * room

    def add(self, start: i64, size: i64, cache: WordCache, place: i64) -> None:
        """Adds a word whose value belongs into ``cache.slots[place]``, and puts its mark there."""
        mark = self.add_settled(0, cache)
        number = _FIRST_MARK - mark
        self.starts[number] = start
        self.sizes[number] = size
        self._places[number] = place
        cache.slots[place] = mark

    def add_settled(self, value: i64, cache: WordCache) -> i64:
        """Adds a word whose value is known, with the cache that it is from; returns its mark."""
        number = self.count
        self.count = number + 1
        self.sizes[number] = 0
        self._values[number] = value
        self._caches[number] = cache
        return _FIRST_MARK - number

    def settle(self, number: i64, ids: vec[i64], count: i64) -> None:
        """Gives a word its ids, ``ids[:count]``."""
        cache = cast(WordCache, self._caches[number])
        value = cache.value_of(ids, count)
        self._values[number] = value
        cache.slots[self._places[number]] = value

    def write(self, mark: i64, out: vec[i32], count: i64) -> i64:
        """Writes the ids of the settled word with this mark into ``out``; returns the index behind the last."""
        number = _FIRST_MARK - mark
        pool = cast(WordCache, self._caches[number]).pool
        return write_value(self._values[number], pool, out, count)
