"""The ids of words that were seen, by the bytes of the word."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.word_cache import MEDIUM
from tokenarium_core.models.word_caches import WordCaches
from tokenarium_core.models.word_ids import WordIds


@final
class WordMemory(WordCaches):
    """Words whose values ``ids`` reads."""

    def __init__(self) -> None:
        super().__init__()
        self.ids = WordIds()
        self._room = vec[i64]([0] * (MEDIUM + 1))

    def keep(
        self, data: bytes, start: i64, stop: i64, ids: vec[i32], first: i64, last: i64
    ) -> None:
        """Keeps ``ids[first:last]`` for the word ``data[start:stop]`` (padded), unless it has more than `MEDIUM` bytes."""
        if stop - start > MEDIUM:
            return
        if not self.make_room(stop - start):
            self.ids = WordIds()
        room = self._room
        for index in range(last - first):
            room[index] = i64(ids[first + index])
        self.put(data, start, stop, self.ids.value_of(room, last - first))
