"""In which order the merges of a vocabulary make its pieces: what its first N merges are.

A vocabulary is its *base*, the entries that no merge makes (bytes, characters, special tokens …), and one piece for
each merge. Merges that make a piece which is there already (two ways to one piece) make no new size.
"""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import NotAvailable
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_merges import CharacterMerges
from tokenarium_core.models.bpe.merge_table import NO_MERGE, MergeTable
from tokenarium_core.models.bpe.sentencepiece_symbols import SentencePieceSymbols
from tokenarium_core.models.model import Model
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece


@final
class MergeLevels:
    """How many merges a vocabulary needs to have for each of its merges to be among them.

    ``of_rank[rank]`` is that number for the merge of a rank, from 1 on; ``of_piece[id]`` is it for the first merge
    that makes a piece, and 0 for entries of the base. Pieces of one score come together (which of them is merged
    first depends on the text): all have the number of the last. ``pieces[n - 1]`` is what merge n makes, ``lefts``
    and ``rights`` what it joins; a symbol that is no piece has an id beyond the vocabulary.
    """

    def __init__(
        self, count: i64, table: MergeTable, priorities: vec[i32], first_tied: i64
    ) -> None:
        ranks: i64 = len(table.results)
        self.of_rank = vec[i32]([0] * ranks)
        self.of_piece = vec[i32]([0] * count)
        pieces = vec[i32]([0] * ranks)
        lefts = vec[i32]([0] * ranks)
        rights = vec[i32]([0] * ranks)
        made: i64 = 0
        for rank in range(ranks):
            piece: i64 = i64(table.results[rank])
            if piece < 0:
                continue
            if i64(self.of_piece[piece]) == 0:
                pieces[made] = i32(piece)
                lefts[made] = table.lefts[rank]
                rights[made] = table.rights[rank]
                made += 1
                self.of_piece[piece] = i32(made)
            self.of_rank[rank] = i32(made)
        self.pieces = pieces[:made]
        self.lefts = lefts[:made]
        self.rights = rights[:made]
        self.base: i64 = count - made
        if len(priorities):
            self._join_equals(table, priorities, first_tied)

    def __len__(self) -> int:
        """How many merges there are."""
        return len(self.pieces)

    def _join_equals(self, table: MergeTable, priorities: vec[i32], first_tied: i64) -> None:
        level: i64 = 0
        priority: i64 = -1
        rank: i64 = len(self.of_rank) - 1
        while rank >= first_tied:
            if i64(table.results[rank]) >= 0:
                if i64(priorities[rank]) != priority:
                    priority = i64(priorities[rank])
                    level = i64(self.of_rank[rank])
                self.of_rank[rank] = i32(level)
                if i64(self.of_piece[i64(table.results[rank])]) < level:
                    self.of_piece[i64(table.results[rank])] = i32(level)
            rank -= 1


def merge_levels(model: Model) -> MergeLevels:
    """Returns the order of the merges of a model; NotAvailable, with the reason, where it has none."""
    nothing = vec[i32]()
    if isinstance(model, BytePairEncoder):
        return MergeLevels(model.vocabulary.count, model.merges, nothing, NO_MERGE)
    if isinstance(model, CharacterBpe):
        merges: CharacterMerges = model.merges
        source = model.source
        if len(merges.splits):
            raise NotAvailable(
                "Some entries of this vocabulary are marked as unused, and taken apart again after the last merge."
                " Such a text has no cuts by the first merges."
            )
        if isinstance(source, SentencePieceSymbols):
            if len(source.byte_ids) == 0 and len(source.pieces.codes) > 1:
                raise NotAvailable(
                    "Some entries of this vocabulary have characters that are no entries themselves, and it has no"
                    " bytes to fall back on. Such a text has no cuts by the first merges."
                )
        return MergeLevels(
            model.vocabulary.count, merges.table, merges.priorities, merges.first_tied
        )
    if isinstance(model, Unigram):
        raise NotAvailable(
            "Unigram does not merge. It was made by leaving entries out of a larger vocabulary, and at each size all"
            " scores were others: the first N of its entries are not the vocabulary of that size."
        )
    if isinstance(model, WordPiece):
        raise NotAvailable(
            "WordPiece does not merge when it encodes, it takes the longest entry that fits; and its file does not tell"
            " in which order its entries were made."
        )
    raise NotAvailable("This model looks up whole words or characters: it does not merge.")
