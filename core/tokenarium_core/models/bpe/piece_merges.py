"""Finding the merges of a vocabulary that has only scores, as SentencePiece's BPE models do.

Any two neighbours whose joined characters are a piece may merge, the one with the highest score first. In a trained
vocabulary only one merge makes each piece: that of the two symbols that remain when its own characters are merged
using the pieces of higher scores. So one pass in the order of the scores finds all merges that can ever happen. If a
piece is not reached like this, or shares its score, every way to split it in two is a merge.
"""

from __future__ import annotations

from math import copysign
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.character_merger import CharacterMerger
from tokenarium_core.models.bpe.character_symbols import CharacterTable
from tokenarium_core.models.bpe.merge_table import NO_MERGE, CharacterMerges, MergeTable
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.unicode.utf8 import character_sizes, code_point_at, is_text
from tokenarium_core.vocabulary import MAX_IDS, NORMAL, UNUSED, USER_DEFINED, Vocabulary

_BELOW_ZERO: Final = -5e-324
"""Between zero and all other negative scores, which are 32-bit floats."""


@final
class PieceSymbols:
    """The symbols of the characters of a vocabulary: ids, or numbers from its ``count`` on if they are not pieces.

    - ``alone`` (the count itself): a character that is in no piece, or is user-defined, and never merges;
    - above it: one that is inside pieces but not a piece, or one that must not be used.
      ``codes[symbol - alone]`` is its code point.

    ``longer`` are the pieces of at least two characters, which are made by merges: only for finding these. ``cached``:
    the earlier output of `dump`, without them.
    """

    def __init__(self, vocabulary: Vocabulary, cached: CacheReader | None = None) -> None:
        self.vocabulary = vocabulary
        self.alone: i64 = vocabulary.count
        self.table = CharacterTable(self.alone)
        self.codes: list[int] = [0]
        self.longer = vec[i32]()
        if cached is None:
            self._number()
        else:
            self.table.load(cached)
            self.codes = [cached.number() for _ in range(cached.number())]

    def dump(self, out: CacheWriter) -> None:
        """Writes the symbols, without the vocabulary."""
        self.table.dump(out)
        out.number(len(self.codes))
        for code in self.codes:
            out.number(code)

    def _number(self) -> None:
        vocabulary = self.vocabulary
        arena = vocabulary.arena
        offsets = vocabulary.offsets
        sizes = character_sizes
        longer = vec[i32]([0] * vocabulary.count)
        count: i64 = 0
        own = CharacterTable(0)  # 1 if a character has an entry, even one that text cannot become
        for token in range(vocabulary.count):
            kind: i64 = i64(vocabulary.kinds[token])
            start: i64 = i64(offsets[token])
            stop: i64 = i64(offsets[token + 1])
            if start == stop or not is_text(arena, start, stop):
                continue
            first: i64 = arena[start]
            whole = start + i64(sizes[first]) == stop
            if kind == NORMAL or kind == UNUSED:
                if not whole:
                    longer[count] = i32(token)
                    count += 1
                elif kind == NORMAL:
                    code = code_point_at(arena, start)
                    self.table.set(code, token)
                    own.set(code, 1)
            elif whole and kind == USER_DEFINED:
                own.set(code_point_at(arena, start), 1)
        self.longer = longer[:count]
        for index in range(count):
            token = i64(self.longer[index])
            at: i64 = i64(offsets[token])
            stop = i64(offsets[token + 1])
            while at < stop:
                first = arena[at]
                code = code_point_at(arena, at)
                if own.get(code) == 0:
                    own.set(code, 1)
                    self.table.set(code, self.alone + len(self.codes))
                    self.codes.append(code)
                at += i64(sizes[first])
        if self.alone + len(self.codes) > MAX_IDS:
            raise FormatError(
                f"The {vocabulary.count:,} pieces and {len(self.codes):,} more characters in them are more than"
                f" the {MAX_IDS:,} symbols that this program holds."
            )

    def find(self, start: i64, stop: i64) -> i64:
        """Returns the symbol that is ``arena[start:stop]`` of the vocabulary and may merge, or -1."""
        vocabulary = self.vocabulary
        arena = vocabulary.arena
        first: i64 = arena[start]
        if start + i64(character_sizes[first]) == stop:
            symbol = self.table.get(code_point_at(arena, start))
            return -1 if symbol == self.alone else symbol
        token = vocabulary.find_in(arena, start, stop)
        if token < 0:
            return -1
        kind: i64 = i64(vocabulary.kinds[token])
        return token if kind == NORMAL or kind == UNUSED else -1


def merges_of_pieces(symbols: PieceSymbols) -> CharacterMerges:
    """Returns the merges of a vocabulary with scores, whose normal and unused pieces can be found by their bytes."""
    vocabulary = symbols.vocabulary
    scores = _comparable(vocabulary.scores)
    pieces = symbols.longer
    count: i64 = len(pieces)
    sorted_already = True
    for index in range(1, count):
        if scores[i64(pieces[index])] > scores[i64(pieces[index - 1])]:
            sorted_already = False
            break
    if not sorted_already:
        pieces = _by_score(scores, pieces)
    # The ids are the best numbers for the merges if they are in the order of the scores.
    capacity = vocabulary.count if sorted_already else count
    first_tied: i64 = NO_MERGE
    for index in range(1, count):
        if scores[i64(pieces[index])] == scores[i64(pieces[index - 1])]:
            first_tied = i64(pieces[index - 1]) if sorted_already else index - 1
            break
    tied = first_tied != NO_MERGE
    priorities = vec[i32]([0] * capacity) if tied else vec[i32]()
    merges = CharacterMerges(MergeTable(capacity), priorities, first_tied)
    finder = _MergeFinder(symbols, merges)
    first: i64 = 0  # the number of the first merge with this score
    for index in range(count):
        token: i64 = i64(pieces[index])
        score = scores[token]
        equal = index + 1 < count and scores[i64(pieces[index + 1])] == score
        number = token if sorted_already else index
        if index > 0 and scores[i64(pieces[index - 1])] == score:
            equal = True
        else:
            first = number
        if tied:
            priorities[number] = i32(first)
        finder.add(token, number, equal)
    return merges


def _comparable(scores: vec[float]) -> vec[float]:
    """Returns the scores as SentencePiece compares them: a negative zero is below a positive one."""
    for index in range(len(scores)):
        if scores[index] == 0.0 and copysign(1.0, scores[index]) < 0.0:
            return vec[float](
                [
                    _BELOW_ZERO if score == 0.0 and copysign(1.0, score) < 0.0 else score
                    for score in scores
                ]
            )
    return scores


def _by_score(scores: vec[float], pieces: vec[i32]) -> vec[i32]:
    falling: list[float] = [-scores[i64(piece)] for piece in pieces]
    order = sorted(range(len(pieces)), key=falling.__getitem__)
    ordered = vec[i32]([0] * len(pieces))
    for at, index in enumerate(order):
        ordered[at] = pieces[index]
    return ordered


@final
class _MergeFinder:
    """Adds the merges of the pieces in order, from the highest score on."""

    def __init__(self, symbols: PieceSymbols, merges: CharacterMerges) -> None:
        self._symbols = symbols
        self._merges = merges
        self._merger = CharacterMerger(symbols.vocabulary, merges, vec[i64]())
        self._parts = vec[i64]([0] * 64)
        self._starts = vec[i32]([0] * 64)
        self._stops = vec[i32]([0] * 64)

    def add(self, token: i64, number: i64, equal: bool) -> None:
        """Adds the merge of a piece, or all; ``equal`` says that other pieces have the same score."""
        symbols = self._symbols
        vocabulary = symbols.vocabulary
        start: i64 = i64(vocabulary.offsets[token])
        stop: i64 = i64(vocabulary.offsets[token + 1])
        if stop - start > len(self._parts):
            self._parts = vec[i64]([0] * (stop - start))
            self._starts = vec[i32]([0] * (stop - start))
            self._stops = vec[i32]([0] * (stop - start))
        parts = self._parts
        starts = self._starts
        stops = self._stops
        arena = vocabulary.arena
        table = symbols.table
        alone = symbols.alone
        sizes = character_sizes
        count: i64 = 0
        at = start
        while at < stop:
            byte: i64 = arena[at]
            symbol = table.get(code_point_at(arena, at))
            if symbol == alone:
                return  # it holds a user-defined character, which never merges
            parts[count] = symbol
            starts[count] = i32(at)
            at += i64(sizes[byte])
            stops[count] = i32(at)
            count += 1
        merges = self._merges
        unused = i64(vocabulary.kinds[token]) == UNUSED
        if not equal:
            left = count
            if count > 2:
                left = self._merger.merge(parts, starts, stops, count)
            if left == 2:
                merges.table.set(number, parts[0], parts[1], token)
                if unused:
                    merges.splits[token] = (parts[0], parts[1])
                return
        at = start
        byte = arena[at]
        at += i64(sizes[byte])
        while at < stop:
            first = symbols.find(start, at)
            if first >= 0:
                second = symbols.find(at, stop)
                if second >= 0:
                    merges.table.set(number, first, second, token)
                    if unused:
                        if token in merges.splits:
                            merges.ambiguous = True
                        merges.splits[token] = (first, second)
            byte = arena[at]
            at += i64(sizes[byte])
