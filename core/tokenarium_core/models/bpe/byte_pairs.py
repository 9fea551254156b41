"""Facts about two neighbouring bytes: the rank of their merge, and whether that merge must wait for its turn.

BPE makes the merge with the lowest rank in a word first. But if no merge that could consume one of two symbols has a
rank as low as theirs, theirs may be made right away: it comes before all of these, and its result merges later. For two
bytes, this depends only on their neighbours, and about half of all merges in a text are of this kind.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import grown
from tokenarium_core.models.bpe.merge_table import NO_MERGE, MergeTable
from tokenarium_core.tokenizer_cache import CacheReader

NEVER: Final = 2097151
"""The rank if there is no merge: above all ranks, and the largest value of 21 bits."""

BEFORE: Final = 42
AFTER: Final = 21

# What `learn` knows of a symbol, from bit 16 on; below are its first byte and, from bit 8 on, its last one.
_MADE: Final = 65536  # some merge makes it, or it is a byte
_USED: Final = 131072  # some merge takes it
_BYTE: Final = 262144


@final
class BytePairs:
    """Three ranks of 21 bits, or `NEVER`, in ``entries[left << 8 | right]``:

    - in the lowest bits that of the merge of the two bytes;
    - from bit `AFTER` on the lowest one of all merges of ``left`` with whatever begins with ``right``;
    - from bit `BEFORE` on the lowest one of all merges of whatever ends with ``left`` with ``right``.

    So in ``a b c d`` the merge of ``b c`` may be made right away if its rank is below `BEFORE` of ``a b`` and below
    `AFTER` of ``c d``.

    This holds if each merge has a higher rank than those that make its two symbols, as after any training. For
    other tables the last two ranks are 0, so that every merge waits for its turn. ``cached``: where they were written.
    """

    def __init__(
        self, byte_ids: vec[i64], merges: MergeTable, cached: CacheReader | None = None
    ) -> None:
        self._in_order = True
        if cached is not None:
            self.entries = cached.i64s()
            self._symbols = vec[i32]()
            return
        none: i64 = NEVER
        none = none << BEFORE | none << AFTER | none
        self.entries = vec[i64]([none] * 65536)
        ids: i64 = 0
        for byte in range(256):
            ids = byte_ids[byte] + 1 if byte_ids[byte] >= ids else ids
        self._symbols = vec[i32]([0] * ids)
        for byte in range(256):
            self._symbols[byte_ids[byte]] = i32(byte | byte << 8 | _MADE | _USED | _BYTE)
        if merges.pairs > 0:
            self._learn_all(byte_ids, merges)

    def _learn_all(self, byte_ids: vec[i64], merges: MergeTable) -> None:
        pairs: i64 = 0
        for rank in range(len(merges)):
            if i64(merges.results[rank]) >= 0:
                self.learn(
                    i64(merges.lefts[rank]),
                    i64(merges.rights[rank]),
                    i64(merges.results[rank]),
                    rank,
                )
                pairs += 1
        if pairs != merges.pairs:  # some merges share a rank
            self._wait()
            for left in range(256):
                for right in range(256):
                    rank = merges.find(byte_ids[left], byte_ids[right])
                    if rank != NO_MERGE:
                        self.entries[left << 8 | right] = rank
        self.learned()

    def learn(self, left: i64, right: i64, result: i64, rank: i64) -> None:
        """Adds a merge of a table; those of lower ranks come first."""
        most = left if left > right else right
        most = result if result > most else most
        if most >= len(self._symbols):
            self._symbols = grown(self._symbols, len(self._symbols), most + 1)
        symbols = self._symbols
        before: i64 = i64(symbols[left])
        after: i64 = i64(symbols[right])
        made: i64 = i64(symbols[result])
        ends: i64 = (before & 0xFF) | (after & 0xFF00)
        if self._in_order and (
            before & after & _MADE == 0
            or made & _USED != 0
            or (made & _MADE != 0 and made & 0xFFFF != ends)
        ):
            self._wait()
        symbols[left] = i32(before | _USED)
        symbols[right] = i32(after | _USED)
        symbols[result] = i32(ends | _MADE | (made & _USED))
        entries = self.entries
        place: i64 = (before & 0xFF00) | (after & 0xFF)
        if before & after & _BYTE:
            entries[place] -= NEVER - rank
        if not self._in_order:
            return
        if before & _BYTE and (entries[place] >> AFTER) & NEVER == NEVER:
            entries[place] -= (NEVER - rank) << AFTER
        if after & _BYTE and entries[place] >> BEFORE == NEVER:
            entries[place] -= (NEVER - rank) << BEFORE

    def learned(self) -> None:
        """Finishes adding, and releases what only that needs."""
        self._symbols = vec[i32]()

    def _wait(self) -> None:
        """Makes every merge wait for its turn."""
        self._in_order = False
        for index in range(65536):
            self.entries[index] &= NEVER
