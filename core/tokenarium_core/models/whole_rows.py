"""Splitting a text for a model that joins words: each slice ends where no token can continue."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.columns import grown
from tokenarium_core.models.model import Model
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer

_SLICE: Final = 2048


def cutter_for(model: Model, pre_tokenizer: PreTokenizer) -> PreTokenizer:
    """Returns the pre-tokenizer of one text for a model, in any number of slices; see `PreTokenizer.for_text`."""
    cutter = pre_tokenizer.for_text()
    return WholeRows(model, cutter) if model.joins else cutter


@final
class WholeRows(PreTokenizer):
    """The pre-tokens of a pre-tokenizer, in slices that end between two words that no token of a model joins.

    It splits ahead, and keeps the words after the last such position for the next slice.
    """

    def __init__(self, model: Model, cutter: PreTokenizer) -> None:
        super().__init__(cutter.name, cutter.pattern, cutter.rules, cutter.divides)
        self._model = model
        self._cutter = cutter
        self._data = b""
        self._start: i64 = 0  # of the first word that is kept
        self._stop: i64 = 0
        self._cut_to: i64 = 0
        self._first: i64 = 0  # of the words that are kept
        self._count: i64 = 0  # the end of them
        self._ends = vec[i32]([0] * _SLICE)
        self._rules = vec[u8]([0] * _SLICE)
        self._more = vec[i32]([0] * _SLICE)
        self._more_rules = vec[u8]([0] * _SLICE)

    def divide(self, data: bytes, stop: i64) -> i64:
        """Returns the last position where a text may be divided, see `PreTokenizer.divide`: no token crosses it."""
        position = self._cutter.divide(data, stop)
        while position > 0 and self._model.may_cross(data[position - 1], data[position]):
            position = self._cutter.divide(data, position)
        return position

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Writes the words up to a position that no token crosses; 0 if there is no such position among ``len(ends)``
        words: it then has to be called again with more room.

        See `PreTokenizer.cut`.
        """
        if data is not self._data or start != self._start or stop != self._stop:
            self._data = data
            self._start = start
            self._stop = stop
            self._cut_to = start
            self._first = 0
            self._count = 0
        room: i64 = len(ends)
        while self._count - self._first <= room and self._cut_to < stop:
            self._cut_more(data, stop)
        kept_count = self._count - self._first
        count = (
            kept_count
            if kept_count <= room and self._cut_to == stop
            else self._last_place(data, room)
        )
        for word in range(count):
            ends[word] = self._ends[self._first + word]
        if len(rules) > 0:
            for word in range(count):
                rules[word] = self._rules[self._first + word]
        self._first += count
        if count > 0:
            self._start = i64(ends[count - 1])
        if self._start == stop:
            self._data = b""
        return count

    def _cut_more(self, data: bytes, stop: i64) -> None:
        """Splits off the next words, and appends them to those that are kept."""
        kept_count = self._count - self._first
        for word in range(kept_count):
            self._ends[word] = self._ends[self._first + word]
            self._rules[word] = self._rules[self._first + word]
        self._first = 0
        more = self._cutter.cut(data, self._cut_to, stop, self._more, self._more_rules)
        if kept_count + more > len(self._ends):
            self._ends = grown(self._ends, kept_count, kept_count + more)
            larger = vec[u8]([0] * len(self._ends))
            for word in range(kept_count):
                larger[word] = self._rules[word]
            self._rules = larger
        for word in range(more):
            self._ends[kept_count + word] = self._more[word]
            self._rules[kept_count + word] = self._more_rules[word]
        self._count = kept_count + more
        self._cut_to = i64(self._more[more - 1])

    def _last_place(self, data: bytes, room: i64) -> i64:
        """Returns how many words, at most ``room``, there are before a position that no token crosses; 0 for none."""
        count = room
        while count > 0:
            at = self._first + count
            middle = i64(self._ends[at - 1])
            before = i64(self._ends[at - 2]) if count > 1 else self._start
            if not self._model.crosses(data, before, middle, i64(self._ends[at])):
                return count
            count -= 1
        return 0
