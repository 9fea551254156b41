"""Leaves documents out of a corpus: those that were there before, the short and the long ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tokenarium.models.text.piece import counted
from tokenarium_core import TokenariumError

MOST_HASHES: Final = 3 << 24
"""Documents that are remembered: 50 million, in at most 1 GB (1.5 GB for a moment, as it grows)."""

_SLOT: Final = 16
_FREE: Final = bytes(_SLOT)
_FIRST: Final = 1 << 12  # slots


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents of a corpus are left out.

    ``min_characters`` and ``max_characters`` bound their length, 0: they do not. With ``unique``, of equal documents the
    first in the order of the sources is kept. A text file that is cut into several documents (see `LARGEST_DOCUMENT`)
    is long: only a ``max_characters`` below that size leaves it out, and ``unique`` compares the pieces.
    """

    unique: bool = False
    min_characters: int = 0
    max_characters: int = 0

    def check(self) -> None:
        """Raises TokenariumError if they leave out everything."""
        if self.min_characters < 0 or self.max_characters < 0:
            raise TokenariumError("A length cannot be below 0 characters.")
        if 0 < self.max_characters < self.min_characters:
            raise TokenariumError(
                f"No document has {self.min_characters:,} characters or more and also {self.max_characters:,} or fewer."
            )


ALL: Final = Filters()
"""Leave nothing out."""


def document_hash(text: str) -> bytes:
    """Returns the 16 bytes by which a document is compared with others, not all 0."""
    key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_SLOT).digest()
    return b"\1" * _SLOT if key == _FREE else key


class DocumentHashes:
    """The hashes of documents, 16 bytes each (BLAKE2b), in a table that doubles from 64 KB up to a bound.

    The table is at most three quarters full: 21 to 43 bytes a document. A document that is taken for another has a
    chance below one in 10^20 at fifty million. Once ``most`` are remembered, later ones are only looked up.
    """

    def __init__(self, most: int = MOST_HASHES) -> None:
        self._most = most
        self._slots = _FIRST
        self._table = bytearray(_FIRST * _SLOT)
        self.count = 0

    @property
    def full(self) -> bool:
        """Whether no more are remembered."""
        return self.count >= self._most

    def add(self, text: str) -> bool:
        """Remembers a document; returns whether it is new."""
        key = document_hash(text)
        place = self._find(self._table, self._slots, key)
        if self._table[place : place + _SLOT] == key:
            return False
        if not self.full:
            self._table[place : place + _SLOT] = key
            self.count += 1
            if 4 * self.count >= 3 * self._slots and not self.full:
                self._grow()
        return True

    def _grow(self) -> None:
        slots = 2 * self._slots
        table = bytearray(slots * _SLOT)
        for at in range(0, len(self._table), _SLOT):
            key = self._table[at : at + _SLOT]
            if key != _FREE:
                place = self._find(table, slots, key)
                table[place : place + _SLOT] = key
        self._slots, self._table = slots, table

    @staticmethod
    def _find(table: bytearray, slots: int, key: bytes | bytearray) -> int:
        """Returns where a key is, or the free slot where it belongs."""
        mask = slots - 1
        slot = int.from_bytes(key[:8], "little") & mask
        while True:
            found = table[slot * _SLOT : (slot + 1) * _SLOT]
            if found in (key, _FREE):
                return slot * _SLOT
            slot = (slot + 1) & mask


class Sieve:
    """Applies filters to the documents of one reading of a corpus, and counts what it leaves out."""

    def __init__(self, filters: Filters, largest: int) -> None:
        self._filters = filters
        self._largest = largest  # characters from which texts are cut
        self._hashes = DocumentHashes()
        self.repeated = self.short = self.long = 0

    def keeps(self, text: str, cut: bool = False) -> bool:
        """Returns whether a document is kept; ``cut``: it is one of several pieces of a text."""
        filters = self._filters
        if not cut and len(text) < filters.min_characters:
            self.short += 1
            return False
        most = filters.max_characters
        if most and (len(text) > most or (cut and most <= self._largest)):
            self.long += 1
            return False
        if filters.unique and not self._hashes.add(text):
            self.repeated += 1
            return False
        return True

    @property
    def notes(self) -> Iterator[str]:
        """Yields sentences on what was left out."""
        if self.repeated:
            yield f"{counted(self.repeated, 'document')} left out as duplicates of earlier ones."
        if self._hashes.full:
            yield f"Only the first {MOST_HASHES:,} different documents were remembered to find duplicates."
        if self.short:
            least = self._filters.min_characters
            yield f"{counted(self.short, 'document')} of fewer than {least:,} characters left out."
        if self.long:
            most = self._filters.max_characters
            yield f"{counted(self.long, 'document')} of more than {most:,} characters left out."
