"""The merges that a piece of BPE is made by: its ancestry, down to bytes or characters, at the place where it is wanted."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.byte_pair_encoder import BytePairEncoder
from tokenarium_core.character_bpe import CharacterBpe
from tokenarium_core.merge_table import NO_MERGE, MergeTable
from tokenarium_core.model import Model
from tokenarium_core.piece_merges import PieceSymbols
from tokenarium_core.safe_cut import character_size
from tokenarium_core.sentencepiece_symbols import SentencePieceSymbols
from tokenarium_core.symbol_heap import shown
from tokenarium_core.vocabulary import Vocabulary


@final
class Merge:
    """One merge at one place of a text: bytes ``start`` to ``middle`` are ``left``, those to ``stop`` are ``right``.

    ``left`` and ``right`` are ids, or `trace.NO_PIECE` for a character that is no piece itself; ``result`` is the id
    that comes out. Of two merges, the one with the lower ``rank`` is made first. ``score`` is that of the
    result, 0 in vocabularies without scores.
    """

    def __init__(
        self,
        start: int,
        middle: int,
        stop: int,
        left: int,
        right: int,
        result: int,
        rank: int,
        score: float,
    ) -> None:
        self.start = start
        self.middle = middle
        self.stop = stop
        self.left = left
        self.right = right
        self.result = result
        self.rank = rank
        self.score = score

    def __repr__(self) -> str:
        return f"<Merge {self.start} to {self.stop}: {self.left} + {self.right} = {self.result}, rank {self.rank}>"


@final
class MergePath:
    """One way to make a piece: its merges, each behind those that make its two sides; the last one makes the piece.

    Where some part of it cannot be made, ``missing`` is its id, at bytes ``missing_start`` to ``missing_stop``,
    and the merges are only those above it; -1 where nothing is missing.
    """

    def __init__(self) -> None:
        self.merges: list[Merge] = []
        self.missing = -1
        self.missing_start = 0
        self.missing_stop = 0


@final
class MergePaths:
    """Finds the ways to make a piece of a BPE model; ValueError for other models."""

    def __init__(self, model: Model) -> None:
        self.vocabulary: Vocabulary = model.vocabulary
        self._pieces: PieceSymbols | None = None
        self._on_bytes = False
        self._priorities = vec[i32]()
        self._table = MergeTable(0)
        if isinstance(model, BytePairEncoder):
            self._table = model.merges
            self._on_bytes = True
        elif isinstance(model, CharacterBpe):
            self._table = model.merges.table
            self._priorities = model.merges.priorities
            source = model.source
            if isinstance(source, SentencePieceSymbols):
                self._pieces = source.pieces
        else:
            raise ValueError("Only models of BPE have merges.")
        self._first = vec[i32]()  # the first rank that makes an id
        if self._pieces is None:
            self._first = self._first_ranks()

    def priority(self, rank: int) -> int:
        """Returns the place of a merge in the order in which merges are made; equal ones are made from the left."""
        if len(self._priorities) == 0:
            return rank
        return i64(self._priorities[rank])

    def paths(self, token: int, start: int) -> list[MergePath]:
        """Returns the ways to make a piece that is wanted from byte ``start`` of a text on; there is at least one.

        Mostly there is one way only. Where several pairs of pieces make it, there is a way for each of them.
        """
        size = self.vocabulary.offsets[token + 1] - self.vocabulary.offsets[token]
        if self._pieces is None:
            return [self._path(token, start, start + size, -1)]
        splits = self._splits(token)
        if len(splits) < 2:
            return [self._path(token, start, start + size, -1)]
        return [self._path(token, start, start + size, start + split) for split in splits]

    def _path(self, token: int, start: int, stop: int, split: int) -> MergePath:
        path = MergePath()
        base: i64 = i64(self.vocabulary.offsets[token]) - start  # of the piece's own bytes
        waiting: list[tuple[int, int, int]] = [(start, stop, token)]
        while waiting:
            first, last, symbol = waiting.pop()
            if self._is_leaf(base + first, base + last):
                continue
            merge = self._maker(symbol, first, last, base, split)
            split = -1
            if merge is None:
                path.missing = symbol
                path.missing_start = first
                path.missing_stop = last
                break
            path.merges.append(merge)
            waiting.append((first, merge.middle, merge.left))
            waiting.append((merge.middle, last, merge.right))
        path.merges.reverse()
        count = self.vocabulary.count
        for merge in path.merges:
            merge.left = shown(merge.left, count)
            merge.right = shown(merge.right, count)
        return path

    def _is_leaf(self, start: i64, stop: i64) -> bool:
        if self._on_bytes:
            return stop - start == 1
        byte: i64 = self.vocabulary.arena[start]
        return stop - start <= character_size(byte)

    def _maker(self, symbol: int, start: int, stop: int, base: i64, split: int) -> Merge | None:
        """Returns the first merge that makes a symbol; that of the pair that meets at ``split`` unless it is -1."""
        pieces = self._pieces
        if pieces is None:
            return self._listed_maker(symbol, start, stop)
        if symbol >= self.vocabulary.count:
            return None
        if split < 0:
            splits = self._splits(symbol)
            if not splits:
                return None
            split = start + splits[0]
        left = pieces.find(base + start, base + split)
        right = pieces.find(base + split, base + stop)
        rank = self._table.find(left, right)
        return self._merge(start, split, stop, left, right, symbol, rank)

    def _splits(self, token: int) -> list[int]:
        """Returns after how many bytes a piece may be cut in two whose merge makes it."""
        pieces = self._pieces
        assert pieces is not None
        vocabulary = self.vocabulary
        start: i64 = i64(vocabulary.offsets[token])
        stop: i64 = i64(vocabulary.offsets[token + 1])
        found: list[int] = []
        for middle in range(start + 1, stop):
            byte: i64 = vocabulary.arena[middle]
            if byte & 0xC0 == 0x80:
                continue
            left = pieces.find(start, middle)
            right = pieces.find(middle, stop) if left >= 0 else -1
            if right >= 0:
                rank = self._table.find(left, right)
                if rank != NO_MERGE and i64(self._table.results[rank]) == token:
                    found.append(middle - start)
        return found

    def _listed_maker(self, symbol: int, start: int, stop: int) -> Merge | None:
        rank: i64 = i64(self._first[symbol])
        if rank < 0:
            return None
        left: i64 = i64(self._table.lefts[rank])
        right: i64 = i64(self._table.rights[rank])
        offsets = self.vocabulary.offsets
        size: i64 = i64(offsets[left + 1]) - i64(offsets[left])
        other: i64 = i64(offsets[right + 1]) - i64(offsets[right])
        if start + size + other != stop:
            return None  # a merge of pieces that are not the text of what they make
        return self._merge(start, start + size, stop, left, right, symbol, rank)

    def _merge(
        self, start: int, middle: int, stop: int, left: int, right: int, result: int, rank: int
    ) -> Merge:
        scores = self.vocabulary.scores
        score = scores[result] if len(scores) else 0.0
        return Merge(start, middle, stop, left, right, result, self.priority(rank), score)

    def _first_ranks(self) -> vec[i32]:
        first = vec[i32]([-1] * self.vocabulary.count)
        results = self._table.results
        rank: i64 = len(results) - 1
        while rank >= 0:
            result: i64 = i64(results[rank])
            if result >= 0:
                first[result] = i32(rank)
            rank -= 1
        return first
