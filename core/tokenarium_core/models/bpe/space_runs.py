"""Runs of spaces before a word, in models of BPE over characters that merge spaces with spaces last.

In the vocabularies of Llama and Mistral, pieces of only spaces were added after all others. So the last space of a
run merges with the word if it can, as if it were alone, and the rest of the run merges afterwards. So a run and what
follows it can be looked up separately: otherwise, each indentation would turn a word of code into a new word.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.models.bpe.character_merger import LINEAR, CharacterMerger
from tokenarium_core.models.bpe.merge_table import ID_MASK, CharacterMerges
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.vocabulary import Vocabulary

LONGEST: Final = LINEAR
"""The most spaces that count as a run."""

_SPACE: Final = 32
_BEGINS: Final = 1
_ALL: Final = 2


@final
class SpaceRuns:
    """The ids of runs of spaces: those of n are ``ids[offsets[n]:offsets[n + 1]]``; ``space`` is the id of one.

    ``cached``: the earlier output of `dump`.
    """

    def __init__(
        self, space: i64, merger: CharacterMerger, cached: CacheReader | None = None
    ) -> None:
        self.space: i64 = space
        if cached is not None:
            self.offsets = cached.i32s()
            self.ids = cached.i32s()
            return
        self.offsets = vec[i32]([0])
        self.ids = vec[i32]()
        for size in range(LONGEST + 1):
            count: i64 = 0
            if size > 0:
                count = merger.merge_plain(b" " * size + ZEROS, 0, size)
            for index in range(count):
                self.ids = append(self.ids, i32(merger.symbols[index]))
            self.offsets = append(self.offsets, i32(len(self.ids)))

    def dump(self, out: CacheWriter) -> None:
        """Writes the runs, for ``cached``."""
        out.i32s(self.offsets)
        out.i32s(self.ids)

    def write(self, size: i64, out: vec[i32], count: i64) -> i64:
        """Writes the ids of a run into ``out`` from index ``count`` on; returns the index after the last."""
        ids = self.ids
        for index in range(i64(self.offsets[size]), i64(self.offsets[size + 1])):
            out[count] = ids[index]
            count += 1
        return count

    def lengthen(self, size: i64, out: vec[i32], start: i64, word: i64, count: i64) -> i64:
        """Joins the last space of the run at index ``start`` to the word after it; returns the index after all.

        The run had ``size`` spaces, and the word's ids are ``out[word:count]``.
        """
        rest = out[word + 1 : count]
        at = self.write(size + 1, out, start)
        for token in rest:
            out[at] = token
            at += 1
        return at


def space_runs(
    vocabulary: Vocabulary, merges: CharacterMerges, merger: CharacterMerger
) -> SpaceRuns | None:
    """Returns the runs of a model for which all of this holds, else None.

    - No piece has two spaces and anything else: what merges with two spaces, or with a space and something that begins
      with one, is made of spaces.
    - Those merges come after all others.
    """
    if len(merger.plain) == 0 or merger.plain[_SPACE] >= vocabulary.count:
        return None
    space = merger.plain[_SPACE]
    blank = _blank_pieces(vocabulary)
    first_of_blanks: i64 = 1 << 40
    last_of_others: i64 = -1
    table = merges.table
    for entry in table.entries:
        if entry == table.no_entry:
            continue
        left = entry >> 42
        right = entry >> 21 & ID_MASK
        from_blank = left < vocabulary.count and i64(blank[left]) == _ALL
        to_blank = right < vocabulary.count and i64(blank[right]) == _ALL
        rank = entry & ID_MASK
        if rank >= merges.first_tied:
            rank = i64(merges.priorities[rank])
        if from_blank and to_blank:
            if rank < first_of_blanks:
                first_of_blanks = rank
            continue
        if (from_blank and left != space) or (to_blank and right != space):
            return None
        if from_blank and right < vocabulary.count and i64(blank[right]) == _BEGINS:
            return None
        if rank > last_of_others:
            last_of_others = rank
    if first_of_blanks == 1 << 40 or last_of_others >= first_of_blanks:
        return None
    return SpaceRuns(space, merger)


def _blank_pieces(vocabulary: Vocabulary) -> vec[u8]:
    """Returns for each piece whether it begins with a space, or consists of spaces only."""
    arena = vocabulary.arena
    offsets = vocabulary.offsets
    found = vec[u8]([0] * vocabulary.count)
    for token in range(vocabulary.count):
        start: i64 = i64(offsets[token])
        stop: i64 = i64(offsets[token + 1])
        at = start
        while at < stop:
            byte: i64 = arena[at]
            if byte != _SPACE:
                break
            at += 1
        if at > start:
            found[token] = _ALL if at == stop else _BEGINS
    return found
