"""Finding the merges of a vocabulary that has ranks alone, as tiktoken's files do.

There a piece's id is its rank, and any two neighbours whose bytes together are a piece may merge. In
a trained vocabulary each piece is made by exactly one merge: the one that is left when its own bytes are
merged by the pieces of lower rank. So one pass in the order of the ranks finds all merges.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.models.bpe.word_merger import WordMerger, byte_ids
from tokenarium_core.vocabulary import NORMAL, Vocabulary

_MOST_WORK: Final = 1 << 32
"""Bytes that are looked at for the merges of ranks: a vocabulary of 200,000 entries needs 100 million."""


def encoder_of_ranks(vocabulary: Vocabulary) -> BytePairEncoder:
    """Returns the encoder of a vocabulary whose ids are ranks.

    Raises FormatError where one of the 256 bytes has no piece.
    """
    ids = byte_ids(vocabulary)
    table = MergeTable(vocabulary.count)
    merger = WordMerger(ids, table)
    arena = vocabulary.arena
    offsets = vocabulary.offsets
    kinds = vocabulary.kinds
    reached = True
    for token in range(vocabulary.count):
        start: i64 = i64(offsets[token])
        stop: i64 = i64(offsets[token + 1])
        if stop - start < 2 or i64(kinds[token]) != NORMAL:
            continue
        if merger.merge(arena, start, stop, None) != 2:
            reached = False
            break
        left, right = merger.symbols[0], merger.symbols[1]
        table.set(token, left, right, token)
        merger.byte_pairs.learn(left, right, token, token)
    if reached:
        merger.byte_pairs.learned()
        return BytePairEncoder(vocabulary, merger, whole_pieces=False)
    return _encoder_of_all_splits(vocabulary)


def _encoder_of_all_splits(vocabulary: Vocabulary) -> BytePairEncoder:
    """Returns an encoder in which every two pieces that make a third one merge, as tiktoken has it.

    Needed only for vocabularies that no training gave: with a piece that lower ranks do not lead to, the
    merges depend on the text around.
    """
    table = MergeTable(vocabulary.count)
    arena = vocabulary.arena
    offsets = vocabulary.offsets
    kinds = vocabulary.kinds
    longest: i64 = 0
    for token in range(vocabulary.count):
        longest = max(longest, i64(offsets[token + 1]) - i64(offsets[token]))
    sizes = vec[u8]([0] * (longest + 1))  # 1 for those that some piece has
    for token in range(vocabulary.count):
        sizes[i64(offsets[token + 1]) - i64(offsets[token])] = 1
    work: i64 = 0  # bytes that were looked at
    for token in range(vocabulary.count):
        start: i64 = i64(offsets[token])
        stop: i64 = i64(offsets[token + 1])
        if i64(kinds[token]) != NORMAL:
            continue
        for middle in range(start + 1, stop):
            if i64(sizes[middle - start]) == 0 or i64(sizes[stop - middle]) == 0:
                continue
            work += stop - start
            if work > _MOST_WORK:
                raise FormatError(
                    f"The entry {token} has {stop - start:,} bytes, and there are many as long: no such vocabulary was"
                    " ever trained, and to find its merges would take minutes."
                )
            left = vocabulary.find_in(arena, start, middle)
            if left >= 0:
                right = vocabulary.find_in(arena, middle, stop)
                if right >= 0:
                    table.set(token, left, right, token)
    return BytePairEncoder(vocabulary, WordMerger(byte_ids(vocabulary), table), whole_pieces=True)


def encoder_of_merges(vocabulary: Vocabulary, merges: MergeTable) -> BytePairEncoder:
    """Returns the encoder of a vocabulary whose merges are known.

    Raises FormatError where one of the 256 bytes has no piece.
    """
    return BytePairEncoder(vocabulary, WordMerger(byte_ids(vocabulary), merges), whole_pieces=False)
