"""Which two neighbours merge, into what, and which merge comes first.

A merge has a *rank*: its position in the order of training. Encoding asks one question over and over: does this pair of
ids merge, and with which rank?
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.columns import check_rows
from tokenarium_core.errors import FormatError
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter

NO_MERGE: Final = 2097152
"""The rank of a pair that does not merge: above all ranks."""

ID_MASK: Final = 2097151
NO_SYMBOL: Final = 2097151
"""An id that never merges: before the first symbol of a word, and after the last."""

ANY_SHIFT: Final = 1 << 40  # no merge yet
NO_SHIFT: Final = 1 << 41
MULTIPLIER: Final = 0x1E3779B97F4A7C15  # odd, and below 2**62: a larger literal would be boxed
OTHER_MULTIPLIER: Final = 0x165667B19E3779F9
BUCKET_SHIFT: Final = 36
_MOST_MOVES: Final = 500  # entries moved for a new one, before the table is made larger
_MOST_ROOM: Final = 16  # times as many entries as pairs, before a file is considered hostile


def _no_entry() -> int:
    """Returns the value of an empty entry: the pair of two `NO_SYMBOL`, which is never looked up.

    As a constant it would be an object, since it needs more than 62 bits.
    """
    return (1 << 63) - 1


@final
class MergeTable:
    """Merges by pair and by rank, for ids below `MAX_IDS`.

    ``shift`` is the difference between a rank and its result, the same for all ranks in nearly all vocabularies
    (`NO_SHIFT` in others): then encoding does not need ``results``. So it reads ``known_results``, which may be empty
    in that case: a table from the cache makes the columns ``lefts``, ``rights`` and ``results`` at the first use.

    An entry is ``left << 42 | right << 21 | rank``. It is in one of two buckets, by two hashes of the pair. A bucket
    has room for two; an entry without room there moves another one to its other bucket (Pagh and Rodler 2004,
    "Cuckoo hashing"). So four entries decide, without a branch, whether a pair merges: an entry xor
    ``left << 42 | right << 21`` is the rank for the right pair, and above all ranks for others. Entry 0 stays empty:
    arrays begin 8 bytes after a multiple of 16, so no bucket crosses two lines of memory.

    The table of a large vocabulary does not fit into the processor's cache, and many pairs have no merge. So there are
    four bits for each entry, by the hash of a pair: if its bit is 0, `find` need not read the table.
    """

    def __init__(self, capacity: i64) -> None:
        check_rows(capacity)
        size: i64 = 1024
        while size * 4 < capacity * 5:
            size *= 2
        self.no_entry: i64 = _no_entry()
        self.entries = vec[i64]([self.no_entry] * (size + 1))
        self.mask: i64 = size // 2 - 1  # of the number of a bucket
        self._powers = vec[u8]([1, 2, 4, 8, 16, 32, 64, 128])
        self._bits = vec[u8]([0] * (size // 2))
        self._lefts = vec[i32]([0] * capacity)
        self._rights = vec[i32]([0] * capacity)
        self.known_results = vec[i32]([-1] * capacity)
        self._has_columns = True  # otherwise they follow from the entries and the exceptions
        self._exceptions = vec[
            i32
        ]()  # a rank, and its left id, right id and result, after one another
        self.capacity: i64 = capacity
        self.pairs: i64 = 0
        self.shift: i64 = ANY_SHIFT

    def __len__(self) -> int:
        return self.capacity

    @property
    def lefts(self) -> vec[i32]:
        """The left ids by rank; 0 where there is no merge."""
        if not self._has_columns:
            self._make_columns()
        return self._lefts

    @property
    def rights(self) -> vec[i32]:
        """The right ids by rank; 0 where there is no merge."""
        if not self._has_columns:
            self._make_columns()
        return self._rights

    @property
    def results(self) -> vec[i32]:
        """The ids that merges make, by rank; -1 where there is no merge."""
        if not self._has_columns:
            self._make_columns()
        return self.known_results

    def _make_columns(self) -> None:
        """Makes the columns from the entries."""
        capacity = self.capacity
        lefts = vec[i32]([0] * capacity)
        rights = vec[i32]([0] * capacity)
        results = vec[i32]([-1] * capacity)
        known: i64 = len(self.known_results)
        shift = self.shift
        no_entry = self.no_entry
        for entry in self.entries:
            if entry != no_entry:
                rank = entry & ID_MASK
                lefts[rank] = i32(entry >> 42)
                rights[rank] = i32(entry >> 21 & ID_MASK)
                results[rank] = i32(rank + shift) if known == 0 else self.known_results[rank]
        exceptions = self._exceptions
        for place in range(len(exceptions) // 4):
            rank = i64(exceptions[4 * place])
            lefts[rank] = exceptions[4 * place + 1]
            rights[rank] = exceptions[4 * place + 2]
            results[rank] = exceptions[4 * place + 3]
        self._lefts = lefts
        self._rights = rights
        self.known_results = results
        self._exceptions = vec[i32]()
        self._has_columns = True

    def _found_exceptions(self) -> vec[i32]:
        """Returns the rows of the columns that the entries do not give: where merges share a rank, or were only noted."""
        made = MergeTable(0)
        made.entries = self.entries
        made.capacity = self.capacity
        made.shift = self.shift
        if self.shift == NO_SHIFT:
            made.known_results = self.known_results
        made._make_columns()
        exceptions = vec[i32]()
        for rank in range(self.capacity):
            if (
                made._lefts[rank] != self._lefts[rank]
                or made._rights[rank] != self._rights[rank]
                or made.known_results[rank] != self.known_results[rank]
            ):
                exceptions = append(exceptions, i32(rank))
                exceptions = append(exceptions, self._lefts[rank])
                exceptions = append(exceptions, self._rights[rank])
                exceptions = append(exceptions, self.known_results[rank])
        return exceptions

    def set(self, rank: i64, left: i64, right: i64, result: i64) -> bool:
        """Sets the merge of a pair; false if the pair already had one (the first stays).

        Several pairs may share a rank when they make the same piece (see `BytePairEncoder`); the
        columns then keep the first. Raises FormatError for pairs that were chosen to collide.
        """
        if self.find(left, right) != NO_MERGE:
            return False
        self.pairs += 1
        if self.pairs * 5 > len(self.entries) * 4:
            self._grow()
        pair: i64 = left << 21 | right
        rest = self._place(pair << 21 | rank)
        while rest != self.no_entry:
            self._grow()
            rest = self._place(rest)
        self._note(pair)
        shift = result - rank
        if self.shift == ANY_SHIFT:
            self.shift = shift
        elif self.shift != shift:
            self.shift = NO_SHIFT
        if self.results[rank] < 0:
            self.note(rank, left, right, result)
        return True

    def note(self, rank: i64, left: i64, right: i64, result: i64) -> None:
        """Writes a merge only to the columns, so that `find` does not return it."""
        if not self._has_columns:
            self._make_columns()
        self._lefts[rank] = i32(left)
        self._rights[rank] = i32(right)
        self.known_results[rank] = i32(result)

    def widen(self, capacity: i64) -> None:
        """Makes room for ranks below ``capacity``."""
        if capacity <= self.capacity:
            return
        more = vec[i32]([0] * (capacity - self.capacity))
        if self._has_columns:
            self._lefts = extend(self._lefts, more)
            self._rights = extend(self._rights, more)
        if len(self.known_results) > 0 or self._has_columns:
            more = vec[i32]([-1] * (capacity - self.capacity))
            self.known_results = extend(self.known_results, more)
        self.capacity = capacity

    def cut(self, capacity: i64) -> None:
        """Releases the room for ranks from ``capacity`` on, none of which has a merge."""
        self._lefts = self.lefts[:capacity]
        self._rights = self.rights[:capacity]
        self.known_results = self.results[:capacity]
        self.capacity = capacity

    def find(self, left: i64, right: i64) -> i64:
        """Returns the rank of a pair's merge, or `NO_MERGE`, also for an id below 0, which is not a piece."""
        pair: i64 = left << 21 | right
        if pair < 0:
            return NO_MERGE
        mask = self.mask
        bucket: i64 = pair * MULTIPLIER >> BUCKET_SHIFT
        if (i64(self._bits[bucket >> 3 & mask]) >> (bucket & 7)) & 1 == 0:
            return NO_MERGE
        entries = self.entries
        tag = pair << 21
        at = (bucket & mask) << 1 | 1
        rank = entries[at] ^ tag
        if rank < NO_MERGE:
            return rank
        rank = entries[at + 1] ^ tag
        if rank < NO_MERGE:
            return rank
        at = (pair * OTHER_MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
        rank = entries[at] ^ tag
        if rank < NO_MERGE:
            return rank
        rank = entries[at + 1] ^ tag
        return rank if rank < NO_MERGE else NO_MERGE

    def _place(self, entry: i64) -> i64:
        """Inserts an entry into the table; returns the one that finally has no room, or ``no_entry``."""
        entries = self.entries
        mask = self.mask
        no_entry = self.no_entry
        origin: i64 = -1  # the bucket that the current entry had to leave
        for move in range(_MOST_MOVES):
            pair: i64 = entry >> 21
            first: i64 = (pair * MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
            second: i64 = (pair * OTHER_MULTIPLIER >> BUCKET_SHIFT & mask) << 1 | 1
            at: i64 = first
            if entries[at] != no_entry:
                at = first + 1
                if entries[at] != no_entry:
                    at = second
                    if entries[at] != no_entry:
                        at = second + 1
            if entries[at] == no_entry:
                entries[at] = entry
                return no_entry
            origin = second if origin == first else first
            at = origin + (move >> 1 & 1)
            moved = entries[at]
            entries[at] = entry
            entry = moved
        return entry

    def _grow(self) -> None:
        old = self.entries
        size: i64 = len(old) - 1
        no_entry = self.no_entry
        complete = False
        while not complete:
            size *= 2
            if size > self.pairs * _MOST_ROOM + 2048:
                raise FormatError(
                    f"Too many of the {self.pairs:,} merges collide in a hash table: no training gives such pairs of"
                    " ids."
                )
            self.entries = vec[i64]([no_entry] * (size + 1))
            self.mask = size // 2 - 1
            complete = True
            for entry in old:
                if entry != no_entry and self._place(entry) != no_entry:
                    complete = False
                    break
        self._note_all()

    def take(self, entries: vec[i64]) -> None:
        """Replaces the table of entries."""
        self.entries = entries
        self.mask = len(entries) // 2 - 1
        self._note_all()

    def copy(self) -> MergeTable:
        """Returns a table whose entries may be replaced; its columns are the same."""
        copy = MergeTable(0)
        copy.take(self.entries[:])
        copy._lefts = self.lefts
        copy._rights = self.rights
        copy.known_results = self.results
        copy.capacity = self.capacity
        copy.pairs = self.pairs
        copy.shift = self.shift
        return copy

    def dump(self, out: CacheWriter) -> None:
        """Writes the table, for `load`."""
        out.i64s(self.entries)
        out.u8s(self._bits)
        out.number(self.capacity)
        out.number(self.pairs)
        out.number(self.shift)
        if self._has_columns:
            self._exceptions = self._found_exceptions()
        out.i32s(self._exceptions)
        if self.shift == NO_SHIFT:
            out.i32s(self.known_results)
        if self._has_columns:
            self._exceptions = vec[i32]()

    def load(self, cached: CacheReader) -> None:
        """Reads what `dump` wrote."""
        self.entries = cached.i64s()
        self.mask = len(self.entries) // 2 - 1
        self._bits = cached.u8s()
        self.capacity = cached.number()
        self.pairs = cached.number()
        self.shift = cached.number()
        self._has_columns = False
        self._exceptions = cached.i32s()
        if self.shift == NO_SHIFT:
            self.known_results = cached.i32s()

    def _note_all(self) -> None:
        self._bits = vec[u8]([0] * (len(self.entries) // 2))
        for entry in self.entries:
            if entry != self.no_entry:
                self._note(entry >> 21)

    def _note(self, pair: i64) -> None:
        bucket = pair * MULTIPLIER >> BUCKET_SHIFT
        self._bits[bucket >> 3 & self.mask] |= self._powers[bucket & 7]


def load_merges(cached: CacheReader) -> MergeTable:
    """Returns the table that `MergeTable.dump` wrote."""
    table = MergeTable(0)
    table.load(cached)
    return table


@final
class CharacterMerges:
    """Merges by pair, in the order in which they are made: among neighbours, the first merge wins.

    ``table`` numbers the merges in that order. If several pieces have the same score, ``priorities`` gives
    each merge the number of the first one with that score, so that the leftmost in the text comes first; it
    is empty if no two are equal. From ``first_tied`` on it may differ from the number itself.

    ``splits`` says for each piece that is never used into which two symbols it is split; ``ambiguous``
    is true if more than one pair makes such a piece. It is then split into the pair that was seen last in the text.
    """

    def __init__(self, table: MergeTable, priorities: vec[i32], first_tied: i64) -> None:
        self.table = table
        self.priorities = priorities
        self.first_tied: i64 = first_tied
        self.splits: dict[int, tuple[int, int]] = {}
        self.ambiguous = False

    def priority(self, left: i64, right: i64) -> i64:
        """Returns the position of a pair's merge in the order of all merges, `NO_MERGE` if it has none."""
        rank = self.table.find(left, right)
        if rank < self.first_tied or rank == NO_MERGE:
            return rank
        return i64(self.priorities[rank])


def merges_of_list(lefts: vec[i32], rights: vec[i32], results: vec[i32]) -> CharacterMerges:
    """Returns merges listed by rank in a file, in columns of ids.

    A pair listed twice has its last rank, as in Hugging Face tokenizers.
    """
    table = MergeTable(len(lefts))
    rank: i64 = len(lefts) - 1
    while rank >= 0:
        table.set(rank, i64(lefts[rank]), i64(rights[rank]), i64(results[rank]))
        rank -= 1
    return CharacterMerges(table, vec[i32](), NO_MERGE)
