"""The words that a byte-level BPE has seen: in caches, or still to be merged.

Two words are merged faster side by side than one behind the other (see `WordMerger`). So a word that the
caches do not know gets a place there at once, in which a mark stands for the ids to come.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.columns import check_rows
from tokenarium_core.models.word_cache import WordCache
from tokenarium_core.models.word_ids import WordIds

_FIRST_MARK: Final = -2  # -1 is what a cache says of a word that it does not have


@final
class SeenWords:
    """Values by word, which ``ids`` reads: words of up to 15 bytes in ``short``, others in ``medium``.

    Up to ``room`` of them may be *late*, waiting to be merged, by number and in the order of the text. Late word ``k``
    is the ``sizes[k]`` bytes from ``starts[k]`` on. Its value is the mark ``-2 - k`` until it is settled; other values are
    never below 0. ``places[k]`` is where its value belongs, in ``short.rows``, or ``~place`` in ``medium.rows``.
    """

    def __init__(self, room: i64) -> None:
        check_rows(room)
        self.short = WordCache(2)
        self.medium = WordCache(4)
        self.ids = WordIds()
        self.late: i64 = 0
        self.starts = vec[i64]([0] * room)
        self.sizes = vec[i64]([0] * room)
        self._places = vec[i64]([0] * room)
        self._values = vec[i64]([0] * room)

    def add(self, start: i64, size: i64, place: i64) -> i64:
        """Adds a late word; returns its mark."""
        number = self.late
        self.late = number + 1
        self.starts[number] = start
        self.sizes[number] = size
        self._places[number] = place
        return _FIRST_MARK - number

    def settle(self, number: i64, ids: vec[i64], count: i64) -> None:
        """Gives a late word its ids, ``ids[:count]``."""
        value = self.ids.value_of(ids, count)
        self._values[number] = value
        place = self._places[number]
        if place >= 0:
            self.short.rows[place] = value
        else:
            self.medium.rows[~place] = value

    def settled(self, mark: i64) -> i64:
        """Returns the value of the late word with this mark, which is settled."""
        return self._values[_FIRST_MARK - mark]
