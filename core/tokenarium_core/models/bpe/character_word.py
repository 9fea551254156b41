"""A stretch of text too long to be merged at once, in BPE over characters."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.character_symbols import CharacterSymbols
from tokenarium_core.models.bpe.symbol_heap import SymbolHeap
from tokenarium_core.models.model import PendingWord
from tokenarium_core.trace import Trace


@final
class CharacterWord(PendingWord):
    """The symbols of ``data[start:stop]``, on their way to ids.

    ``after_unknown``: the id before them in this word is the unknown one, into which the first may fall.
    """

    def __init__(
        self,
        data: bytes,
        start: i64,
        stop: i64,
        heap: SymbolHeap,
        source: CharacterSymbols,
        after_unknown: bool,
    ) -> None:
        super().__init__(start, stop)
        self._data = data
        self._heap = heap
        self._source = source
        self._after_unknown = after_unknown

    def step(self, budget: i64, trace: Trace | None) -> bool:
        """Makes up to ``budget`` merges; true when all are made."""
        return self._heap.step(budget, self._source.vocabulary, trace)

    def write(self, out: vec[i32], count: i64) -> i64:
        """Writes the ids into ``out`` from index ``count`` on; returns the index behind the last."""
        heap = self._heap
        left = heap.gather()
        return self._source.write(
            self._data,
            heap.symbols,
            heap.starts,
            heap.stops,
            left,
            heap.seen,
            self._after_unknown,
            out,
            count,
            vec[i32](),
            None,
        )
