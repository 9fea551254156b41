"""The merges that make a piece of BPE: its ancestry, down to bytes or characters, at one position of a text."""

from __future__ import annotations

from typing import Any, Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.arguments import id_of, whole_number
from tokenarium_core.errors import ArgumentError
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_symbols import shown
from tokenarium_core.models.bpe.merge_table import NO_MERGE, MergeTable
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.bpe.piece_merges import PieceSymbols
from tokenarium_core.models.bpe.sentencepiece_bpe import SentencePieceSymbols
from tokenarium_core.models.model import Model
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import MERGE, Trace
from tokenarium_core.unicode.utf8 import character_sizes
from tokenarium_core.vocabulary import Vocabulary

LONGEST_SPLIT: Final = 1024
"""The most bytes of a piece that is searched for splits into two; longer ones are found only in the list of merges."""


@final
class Merge:
    """One merge at one position of a text: bytes ``start`` to ``middle`` are ``left``, those to ``stop`` are ``right``.

    ``left`` and ``right`` are ids, or `trace.NO_PIECE` for a character that is not a piece itself; ``result`` is
    the resulting id. Of two merges, the one with the lower ``rank`` is made first. ``score`` is that of the
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
    """One way to make a piece: its merges, each after those that make its two sides; the last one makes the piece.

    If some part of it cannot be made, ``missing`` is its id, at bytes ``missing_start`` to ``missing_stop``,
    and the merges are only those above it; -1 if nothing is missing.
    """

    def __init__(self) -> None:
        self.merges: list[Merge] = []
        self.missing = -1
        self.missing_start = 0
        self.missing_stop = 0


@final
class MergePaths:
    """Finds the ways to make a piece of a BPE model; ArgumentError for other models."""

    def __init__(self, model: Model) -> None:
        self.vocabulary: Vocabulary = model.vocabulary
        self._model = model
        self._pieces: PieceSymbols | None = None
        self._on_bytes = False
        self._priorities = vec[i32]()
        # What is known of a piece: a way to a long piece needs the same short ones again and again.
        self._known_splits: dict[int, list[int]] = {}
        self._not_made: set[int] = set()  # by a run of their own bytes
        self._listed: dict[
            tuple[int, int], int
        ] = {}  # the rank that makes a symbol of a size, -1 for none
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
            raise ArgumentError("Only models of BPE have a list of merges.")

    def priority(self, rank: int) -> int:
        """Returns the sort key of a merge in the order in which merges are made; equal ones are made from the left."""
        if len(self._priorities) == 0:
            return rank
        return i64(self._priorities[rank])

    def paths(self, token: int | Any, start: int | Any) -> list[MergePath]:
        """Returns the ways to make a piece at byte ``start`` of a text; there is at least one.

        If merging the piece's own bytes makes it, there is one way, that of this run. Otherwise there is a way for each
        pair of pieces whose merge makes it.
        """
        token, start = id_of(token), whole_number(start)
        alone = self._path(token, start, -1)
        splits = self._splits(token)
        if alone.missing < 0 and (len(splits) < 2 or self._run(token, start)):
            return [alone]
        return [self._path(token, start, start + split) for split in splits] or [alone]

    def _path(self, token: int, start: int, split: int) -> MergePath:
        """Returns a way to make a piece. Its last merge joins the pair that meets at ``split``, unless that is -1."""
        path = MergePath()
        base: i64 = i64(self.vocabulary.offsets[token]) - start  # of the piece's own bytes
        stop: i64 = i64(self.vocabulary.offsets[token + 1]) - base
        waiting: list[tuple[int, int, int]] = [(start, stop, token)]
        while waiting:
            first, last, symbol = waiting.pop()
            if self._is_leaf(base + first, base + last):
                continue
            merges: list[Merge] = []
            if split < 0 and symbol not in self._not_made:
                merges = self._run(symbol, first)
                if not merges:
                    self._not_made.add(symbol)
            if merges:
                merges.reverse()
                path.merges += merges
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

    def _run(self, token: int, start: int) -> list[Merge]:
        """Returns the merges that make a piece from its own bytes; none if they do not."""
        vocabulary = self.vocabulary
        if token >= vocabulary.count:
            return []
        first: i64 = i64(vocabulary.offsets[token])
        last: i64 = i64(vocabulary.offsets[token + 1])
        trace = Trace()
        out = vec[i32]([0] * ((last - first) * self._model.ids_per_byte + 1))
        count = self._model.encode_traced(vocabulary.arena, first, last, out, 0, trace)
        if count != 1 or i64(out[0]) != token:
            return []
        shift = start - first
        merges: list[Merge] = []
        ends: dict[int, int] = {}  # where a merged symbol ends
        for event in range(len(trace)):
            if i64(trace.kinds[event]) != MERGE:
                continue
            at: i64 = i64(trace.positions[event])
            middle = ends.get(at, at + self._first_size(at))
            stop = ends.get(middle, middle + self._first_size(middle))
            ends[at] = stop
            merges.append(
                Merge(
                    at + shift,
                    middle + shift,
                    stop + shift,
                    i64(trace.lefts[event]),
                    i64(trace.rights[event]),
                    i64(trace.results[event]),
                    self.priority(i64(trace.ranks[event])),
                    trace.scores[event],
                )
            )
        return merges

    def _first_size(self, at: i64) -> int:
        """Returns how many bytes a symbol has before anything is merged."""
        byte: i64 = self.vocabulary.arena[at]
        return 1 if self._on_bytes else i64(character_sizes[byte])

    def _is_leaf(self, start: i64, stop: i64) -> bool:
        return stop - start <= self._first_size(start)

    def _maker(self, symbol: int, start: int, stop: int, base: i64, split: int) -> Merge | None:
        """Returns a merge that makes a symbol: of the pair that meets at ``split``, or the first merge."""
        if symbol >= self.vocabulary.count:
            return None
        if split < 0:
            splits = self._splits(symbol)
            if not splits:
                return self._listed_maker(symbol, start, stop)
            split = start + splits[0]
        left = self._find(base + start, base + split)
        right = self._find(base + split, base + stop)
        rank = self._table.find(left, right)
        return self._merge(start, split, stop, left, right, symbol, rank)

    def _splits(self, token: int) -> list[int]:
        """Returns the sizes at which a piece splits into two that merge into it, starting with that of the first merge.

        Pieces of more than `LONGEST_SPLIT` bytes are not searched.
        """
        known = self._known_splits.get(token)
        if known is None:
            known = self._find_splits(token)
            self._known_splits[token] = known
        return known

    def _find_splits(self, token: int) -> list[int]:
        vocabulary = self.vocabulary
        start: i64 = i64(vocabulary.offsets[token])
        stop: i64 = i64(vocabulary.offsets[token + 1])
        splits: list[tuple[int, int]] = []
        if stop - start > LONGEST_SPLIT:
            return []
        for middle in range(start + 1, stop):
            byte: i64 = vocabulary.arena[middle]
            if byte & 0xC0 == 0x80 and not self._on_bytes:
                continue
            left = self._find(start, middle)
            right = self._find(middle, stop) if left >= 0 else -1
            if right >= 0:
                rank = self._table.find(left, right)
                if rank != NO_MERGE and i64(self._table.results[rank]) == token:
                    splits.append((self.priority(rank), middle - start))
        splits.sort()
        return [split for _, split in splits]

    def _find(self, start: i64, stop: i64) -> i64:
        """Returns the symbol that is ``arena[start:stop]`` of the vocabulary, or -1."""
        if self._pieces is not None:
            return self._pieces.find(start, stop)
        return self.vocabulary.find_in(self.vocabulary.arena, start, stop)

    def _listed_maker(self, symbol: int, start: int, stop: int) -> Merge | None:
        """Returns the first merge of a list that makes a piece: its sides may have affixes, and can then be found only by id."""
        rank = self._listed.get((symbol, stop - start), -2)
        if rank == -2:
            rank = self._listed_rank(symbol, stop - start)
            self._listed[symbol, stop - start] = rank
        if rank < 0:
            return None
        offsets = self.vocabulary.offsets
        left: i64 = i64(self._table.lefts[rank])
        right: i64 = i64(self._table.rights[rank])
        middle: i64 = start + i64(offsets[left + 1]) - i64(offsets[left])
        return self._merge(start, middle, stop, left, right, symbol, rank)

    def _listed_rank(self, symbol: int, wanted: int) -> int:
        results = self._table.results
        offsets = self.vocabulary.offsets
        for rank in range(len(results)):
            if i64(results[rank]) != symbol:
                continue
            left: i64 = i64(self._table.lefts[rank])
            right: i64 = i64(self._table.rights[rank])
            size: i64 = i64(offsets[left + 1]) - i64(offsets[left])
            other: i64 = i64(offsets[right + 1]) - i64(offsets[right])
            if size + other == wanted:
                return rank
        return -1

    def _merge(
        self, start: int, middle: int, stop: int, left: int, right: int, result: int, rank: int
    ) -> Merge:
        scores = self.vocabulary.scores
        score = scores[result] if len(scores) else 0.0
        return Merge(start, middle, stop, left, right, result, self.priority(rank), score)


def merges(tokenizer: Tokenizer) -> list[tuple[int, int, int]]:
    """Returns the merges of a tokenizer as (left id, right id, id), in the order in which a text's merges are made.

    Several pairs may make one entry in SentencePiece models and in lists of merges; each is a row. If the file has ranks
    instead of a list of merges, as in tiktoken, these are the merges that make each entry from its bytes. `trace.NO_PIECE`,
    -2, is a character that is not an entry. ArgumentError for a model without merges.
    """
    model = tokenizer.model
    priorities = vec[i32]()
    if isinstance(model, BytePairEncoder):
        table = model.merges
    elif isinstance(model, CharacterBpe):
        table = model.merges.table
        priorities = model.merges.priorities
    elif isinstance(model, BoundlessBpe):
        raise ArgumentError(
            f"{tokenizer.name} has merges, deletions and supermerges in one order, not a list of merges: see"
            " `model.events` and `model.supermerges`."
        )
    elif isinstance(model, PickyBpe):
        raise ArgumentError(
            f"{tokenizer.name} has merges and removals in one order, not a list of merges: see `model.events`."
        )
    else:
        raise ArgumentError(f"{tokenizer.name} has no merges: only models of BPE have them.")
    count: i64 = len(model.vocabulary)
    ranks = [rank for rank in range(table.capacity) if i64(table.results[rank]) >= 0]
    if len(priorities):
        order = [(i64(priorities[rank]), rank) for rank in ranks]
        order.sort()
        ranks = [rank for _, rank in order]
    merges: list[tuple[int, int, int]] = []
    for rank in ranks:
        left: i64 = shown(i64(table.lefts[rank]), count)
        right: i64 = shown(i64(table.rights[rank]), count)
        merges.append((left, right, shown(i64(table.results[rank]), count)))
    return merges
