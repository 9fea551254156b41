"""The tokens of a word without some of a tokenizer's entries, as if they were not in the file.

The models themselves run, on a copy of their lookup tables, from which entries are removed one by one.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import UnsupportedError
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_merger import CharacterMerger
from tokenarium_core.models.bpe.merge_table import (
    BUCKET_SHIFT,
    ID_MASK,
    MULTIPLIER,
    NO_MERGE,
    OTHER_MULTIPLIER,
    CharacterMerges,
    MergeTable,
)
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.longest_match import LongestMatch
from tokenarium_core.models.lowest_cost import LowestCost
from tokenarium_core.models.named_pieces import BY_NAME, NamedPieces
from tokenarium_core.models.piece_trie import INSIDE, START
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.tokenizer import Tokenizer

_NEVER: Final = -1e30
"""The score of a removed entry: there is always another path, through single characters or unknown ones."""


class Recutter:
    """Base: `take` removes entries, and `cut` tokenizes words with the rest; the ids are in ``out``.

    ``gone[id]`` is 1 for a removed entry.
    """

    def __init__(self, count: i64) -> None:
        self.out = vec[i32]([0] * 256)
        self.gone = vec[u8]([0] * count)

    def take(self, token: i64) -> None:
        """Removes an entry; in a model that merges, it must not be part of another one."""
        self.gone[token] = 1

    def cut(self, data: bytes, start: i64, stop: i64) -> i64:
        """Writes the ids of the word ``data[start:stop]`` (padded) into ``out``; returns how many there are."""
        raise NotImplementedError

    def _reserve(self, size: i64) -> None:
        if size > len(self.out):
            self.out = vec[i32]([0] * (size * 2))


@final
class MergeParts:
    """Which merges make an entry, and how many merges each entry is a part of (``users``).

    The pairs that make ``id`` are ``lefts[k]`` and ``rights[k]`` for k from ``firsts[id]`` up to ``firsts[id + 1]``;
    an id at or above the size of the vocabulary is a character that is not an entry. ``last_rank[id]`` is the rank of
    the last of these merges, -1 for an entry that no merge makes.
    """

    def __init__(self, count: i64, table: MergeTable) -> None:
        self.users = vec[i32]([0] * count)
        self.firsts = vec[i32]([0] * (count + 1))
        self.last_rank = vec[i32]([-1] * count)
        total: i64 = 0
        for entry in table.entries:
            if entry != table.no_entry:
                result: i64 = i64(table.results[entry & ID_MASK])
                if 0 <= result < count:
                    self.firsts[result + 1] += 1
                    total += 1
        for id in range(count):
            self.firsts[id + 1] += self.firsts[id]
        self.lefts = vec[i32]([0] * total)
        self.rights = vec[i32]([0] * total)
        filled = vec[i32]([0] * count)
        for entry in table.entries:
            if entry == table.no_entry:
                continue
            rank: i64 = entry & ID_MASK
            left: i64 = entry >> 42
            right: i64 = entry >> 21 & ID_MASK
            result = i64(table.results[rank])
            if result < 0 or result >= count:
                continue
            at: i64 = i64(self.firsts[result]) + i64(filled[result])
            filled[result] += 1
            self.lefts[at] = i32(left)
            self.rights[at] = i32(right)
            if left < count:
                self.users[left] += 1
            if right < count:
                self.users[right] += 1
            if rank > i64(self.last_rank[result]):
                self.last_rank[result] = i32(rank)


@final
class _Bytes(Recutter):
    """Byte-level BPE."""

    def __init__(self, model: BytePairEncoder, parts: MergeParts) -> None:
        super().__init__(model.vocabulary.count)
        self._vocabulary = model.vocabulary
        self._byte_ids = model.merger.byte_ids
        self._whole = model.whole_pieces
        self._parts = parts
        self._table = model.merges.copy()
        merges = CharacterMerges(self._table, vec[i32](), NO_MERGE)
        self._merger = CharacterMerger(model.vocabulary, merges, vec[i64]())
        self._symbols = vec[i64]([0] * 64)
        self._starts = vec[i32]([0] * 64)
        self._stops = vec[i32]([0] * 64)

    def take(self, token: i64) -> None:
        self.gone[token] = 1
        _forget(self._table, self._parts, token)

    def cut(self, data: bytes, start: i64, stop: i64) -> i64:
        size = stop - start
        self._reserve(size)
        if self._whole:
            token = self._vocabulary.find_in(data, start, stop)
            if token >= 0 and i64(self.gone[token]) == 0:
                self.out[0] = i32(token)
                return 1
        if size > len(self._symbols):
            self._symbols = vec[i64]([0] * (size * 2))
            self._starts = vec[i32]([0] * (size * 2))
            self._stops = vec[i32]([0] * (size * 2))
        symbols = self._symbols
        byte_ids = self._byte_ids
        for index in range(size):
            byte: i64 = data[start + index]
            symbols[index] = byte_ids[byte]
        left = self._merger.merge(symbols, self._starts, self._stops, size)
        out = self.out
        for index in range(left):
            out[index] = i32(symbols[index])
        return left


@final
class _Characters(Recutter):
    """BPE over characters."""

    def __init__(self, model: CharacterBpe, parts: MergeParts) -> None:
        super().__init__(model.vocabulary.count)
        self._source = model.source
        self._whole = model.cut is None
        self._room: i64 = model.ids_per_byte
        self._parts = parts
        self._table = model.merges.table.copy()
        merges = CharacterMerges(self._table, model.merges.priorities, model.merges.first_tied)
        self._merger = CharacterMerger(model.vocabulary, merges, vec[i64]())
        self._nothing = vec[i32]()

    def take(self, token: i64) -> None:
        self.gone[token] = 1
        _forget(self._table, self._parts, token)

    def cut(self, data: bytes, start: i64, stop: i64) -> i64:
        self._reserve((stop - start) * self._room + 1)
        source = self._source
        if self._whole:
            token = source.find_whole(data, start, stop)
            if token >= 0 and i64(self.gone[token]) == 0:
                self.out[0] = i32(token)
                return 1
        left = source.split(data, start, stop, self._whole, None)
        if left == 0:
            return 0
        symbols = source.symbols
        starts = source.starts
        stops = source.stops
        left = self._merger.merge(symbols, starts, stops, left)
        return source.write(
            data,
            symbols,
            starts,
            stops,
            left,
            source.nothing_seen,
            False,
            self.out,
            0,
            self._nothing,
            None,
        )


@final
class _Paths(Recutter):
    """Unigram: a separate model, so that its scores can be changed."""

    def __init__(self, model: Unigram) -> None:
        super().__init__(model.vocabulary.count)
        self._model = Unigram(model.vocabulary, model.unknown_id, model.byte_fallback, model.rules)
        self._search = self._model.parts.new_search()
        self._room: i64 = 3  # a space may become the three bytes of its mark

    def take(self, token: i64) -> None:
        self.gone[token] = 1
        self._model.scores.values[token] = _NEVER

    def cut(self, data: bytes, start: i64, stop: i64) -> i64:
        self._reserve((stop - start) * self._room + 1)
        model = self._model
        model.start_notes()
        model.parts.start_anew(0)
        search = self._search
        search.begin(data, start, stop, 0.0, True)
        search.advance(stop - start, None)
        count = model.parts.write_path(search, data, start, self.out, 0, None)
        return model.finish_word(data, stop, self.out, count, None)


@final
class _Longest(Recutter):
    """WordPiece."""

    def __init__(self, model: WordPiece) -> None:
        super().__init__(model.vocabulary.count)
        self._trie = model.trie
        self._unknown: i64 = model.unknown
        self._most: i64 = model.max_input_chars

    def cut(self, data: bytes, start: i64, stop: i64) -> i64:
        self._reserve(stop - start + 1)
        out = self.out
        trie = self._trie
        gone = self.gone
        characters: i64 = 0
        for at in range(start, stop):
            byte: i64 = data[at]
            if byte & 0xC0 != 0x80:
                characters += 1
        begin = start
        count: i64 = 0
        root: i64 = START
        while begin < stop and characters <= self._most:
            token = trie.longest(data, begin, stop, root)
            end: i64 = trie.stop
            while token >= 0 and i64(gone[token]) == 1:
                token = -1
                while token < 0 and end > begin + 1:
                    end -= 1
                    byte = data[end]
                    if byte & 0xC0 != 0x80:
                        token = trie.find(data, begin, end, root)
            if token < 0:
                break
            out[count] = i32(token)
            count += 1
            begin = end
            root = INSIDE
        if begin < stop:
            if self._unknown < 0:
                return 0
            out[0] = i32(self._unknown)
            return 1
        return count


def merge_parts(tokenizer: Tokenizer) -> MergeParts:
    """Returns the merges of a tokenizer by their results; none for a model without merges."""
    model = tokenizer.model
    table = MergeTable(0)
    if isinstance(model, BytePairEncoder):
        table = model.merges
    elif isinstance(model, CharacterBpe):
        table = model.merges.table
    return MergeParts(model.vocabulary.count, table)


def recutter(tokenizer: Tokenizer, parts: MergeParts | None = None) -> Recutter:
    """Returns the tokenization of words without some entries.

    UnsupportedError, with the reason, for models that cannot be pruned.
    """
    model = tokenizer.model
    if parts is None:
        parts = merge_parts(tokenizer)
    if isinstance(model, BytePairEncoder):
        return _Bytes(model, parts)
    if isinstance(model, CharacterBpe):
        if model.merges.splits:
            raise UnsupportedError(
                f"{tokenizer.name} cannot be pruned: some of its entries are marked as unused, and split again after"
                " the last merge, so that none of their parts is unused."
            )
        return _Characters(model, parts)
    if isinstance(model, Unigram):
        return _Paths(model)
    if isinstance(model, WordPiece):
        return _Longest(model)
    if isinstance(model, BoundlessBpe):
        raise UnsupportedError(
            f"{tokenizer.name} cannot be pruned: without an entry the later merges, deletions and supermerges of its"
            " training would meet different tokens."
        )
    if isinstance(model, PickyBpe):
        raise UnsupportedError(
            f"{tokenizer.name} cannot be pruned: PickyBPE has removed what is only a step to other entries, and"
            " without an entry the later merges and removals of its training would meet different tokens."
        )
    if isinstance(model, LongestMatch):
        raise UnsupportedError(
            f"{tokenizer.name} cannot be pruned: it matches the longest entry at each position, so without an entry"
            " everything after it may be split differently."
        )
    if isinstance(model, LowestCost):
        raise UnsupportedError(
            f"{tokenizer.name} cannot be pruned: it takes the entries of the lowest sum of costs, so without an entry all"
            " around it may be split differently."
        )
    if isinstance(model, NamedPieces):
        raise UnsupportedError(f"{tokenizer.name} cannot be pruned: {BY_NAME}.")
    raise UnsupportedError(
        f"{tokenizer.name} cannot be pruned: it looks up whole words or characters, and a removed one would become"
        " the unknown token."
    )


def _forget(table: MergeTable, parts: MergeParts, token: i64) -> None:
    """Removes all merges that make an entry from a table; the emptied slots do not end a search."""
    entries = table.entries
    mask = table.mask
    for index in range(i64(parts.firsts[token]), i64(parts.firsts[token + 1])):
        pair: i64 = i64(parts.lefts[index]) << 21 | i64(parts.rights[index])
        tag = pair << 21
        for bucket in range(2):
            at: i64 = (pair * MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
            if bucket == 1:
                at = (pair * OTHER_MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
            for slot in range(at, at + 2):
                rank = entries[slot] ^ tag
                if 0 <= rank < NO_MERGE:
                    entries[slot] = table.no_entry
