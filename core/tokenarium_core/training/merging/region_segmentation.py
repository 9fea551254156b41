"""The counted regions of a corpus, as an encoder cuts each of them."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.training.merging.counted_segmentation import CountedSegmentation
from tokenarium_core.training.merging.token_segmentation import WordEncoder
from tokenarium_core.training.word_counter import WordCounter

_REGIONS_AT_A_TIME: Final = 256


@final
class RegionSegmentation(CountedSegmentation):
    """The different regions of a counter, each with its count: a position is one of their tokens.

    The tokens are those that `TokenSegmentation` finds for the text itself.
    """

    def __init__(self, regions: WordCounter, model: BytePairEncoder, ids: i64) -> None:
        super().__init__(regions, ids, _REGIONS_AT_A_TIME)
        self._encoder = WordEncoder(model)

    def lay_out_unit(self, text: bytes, at: i64, size: i64, count: i64) -> None:
        """Lays out one region; one of a single token is left out, as it has no pair."""
        first = self.place_for(size, count)
        end = self._encoder.encode(text, at, at + size, self.symbols, first)
        self.tokens += (end - first) * count
        if end - first > 1:
            self.end_unit(first, end, count)
