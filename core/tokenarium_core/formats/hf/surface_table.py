"""The entries of a vocabulary as spelled in their file, found by their bytes or by the joined bytes of two.

A merge names two entries and implies a third, their concatenation. The hash of a concatenation follows from the hashes
of both parts, so the third one is found without a copy.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.merge_table import ID_MASK
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.vocabulary import same_bytes

_BASE: Final = 0x1E3779B97F4A7C15
_MIXER: Final = 0x165667B19E3779F9
_MASK62: Final = 4611686018427387903
_POWERS: Final = 256


@final
class SurfaceTable:
    """Entries by number, in the order in which they were added.

    The bytes of entry ``k`` are ``arena[offsets[k]:offsets[k + 1]]``; ``arena`` exists after `close`.

    A hash is a polynomial in the bytes, so that ``hash(ab) = hash(a) * base ** len(b) + hash(b)``. A slot is a hash
    whose 21 lowest bits are replaced by the number.
    """

    def __init__(self) -> None:
        self.writer = BytesWriter()
        self.arena = b""
        self.count: i64 = 0
        self.offsets = vec[i32]([0] * 1024)
        self.hashes = vec[i64]([0] * 1024)
        self._slots = vec[i64]([-1] * 2048)
        self._mask: i64 = 2047
        self._powers = _first_powers()

    def add(self) -> None:
        """Ends the entry whose bytes were appended to ``writer``; it is not found before `close`."""
        count = self.count
        if count + 1 == len(self.offsets):
            self._grow()
        self.count = count + 1
        self.offsets[count + 1] = i32(len(self.writer))

    def close(self) -> i64:
        """Makes all entries searchable; returns the number of the first that occurs twice, or -1."""
        self.writer.write(ZEROS)
        arena = self.writer.getvalue()
        self.arena = arena
        count = self.count
        size: i64 = 2048
        while size < count * 2:
            size *= 2
        slots = vec[i64]([-1] * size)
        self._slots = slots
        self._mask = size - 1
        offsets = self.offsets
        hashes = self.hashes
        for number in range(count):
            start: i64 = i64(offsets[number])
            stop: i64 = i64(offsets[number + 1])
            value = hash_of(arena, start, stop)
            hashes[number] = value
            if self.find(arena, start, stop, value) >= 0:
                return number
            at = self._place(value)
            while slots[at] >= 0:
                at = (at + 1) & self._mask
            slots[at] = value & ~ID_MASK | number
        return -1

    def find(self, data: bytes, start: i64, stop: i64, value: i64) -> i64:
        """Returns the number of the entry ``data[start:stop]`` with this hash, or -1; ``data`` is padded."""
        slots = self._slots
        mask = self._mask
        offsets = self.offsets
        size = stop - start
        key = value >> 21
        at = self._place(value)
        while True:
            entry = slots[at]
            if entry < 0:
                return -1
            if entry >> 21 == key:
                number = entry & ID_MASK
                begin: i64 = i64(offsets[number])
                if i64(offsets[number + 1]) - begin == size and same_bytes(
                    self.arena, begin, data, start, size
                ):
                    return number
            at = (at + 1) & mask

    def find_text(self, text: str) -> int:
        """Returns the number of the entry with this text, or -1."""
        data = text.encode()
        return self.find(data + ZEROS, 0, len(data), hash_of(data, 0, len(data)))

    def find_joined(self, left: i64, right: i64, skipped: i64) -> i64:
        """Returns the number of the entry that is the concatenation of two, or -1.

        The first ``skipped`` bytes of the right one, a prefix that is not repeated inside a word, are left out.
        """
        arena = self.arena
        offsets = self.offsets
        left_start: i64 = i64(offsets[left])
        left_size: i64 = i64(offsets[left + 1]) - left_start
        right_start: i64 = i64(offsets[right]) + skipped
        right_size: i64 = i64(offsets[right + 1]) - right_start
        if right_size < 0:
            return -1
        value = self.hashes[right]
        if skipped > 0:
            value = hash_of(arena, right_start, right_start + right_size)
        value = (self.hashes[left] * self._power(right_size) + value) & _MASK62
        slots = self._slots
        mask = self._mask
        key = value >> 21
        at = self._place(value)
        while True:
            entry = slots[at]
            if entry < 0:
                return -1
            if entry >> 21 == key:
                number = entry & ID_MASK
                begin: i64 = i64(offsets[number])
                if (
                    i64(offsets[number + 1]) - begin == left_size + right_size
                    and same_bytes(arena, begin, arena, left_start, left_size)
                    and same_bytes(arena, begin + left_size, arena, right_start, right_size)
                ):
                    return number
            at = (at + 1) & mask

    def text(self, number: i64) -> str:
        """Returns the text of an entry."""
        return self.arena[i64(self.offsets[number]) : i64(self.offsets[number + 1])].decode()

    def _place(self, value: i64) -> i64:
        return ((value * _MIXER & _MASK62) >> 30) & self._mask

    def _power(self, exponent: i64) -> i64:
        """Returns the base to the power of ``exponent``."""
        if exponent < _POWERS:
            return self._powers[exponent]
        result: i64 = 1
        square: i64 = _BASE
        while exponent > 0:
            if exponent & 1:
                result = result * square & _MASK62
            square = square * square & _MASK62
            exponent >>= 1
        return result

    def _grow(self) -> None:
        room = len(self.offsets) * 2
        offsets = vec[i32]([0] * room)
        for index in range(self.count + 1):
            offsets[index] = self.offsets[index]
        self.offsets = offsets
        self.hashes = vec[i64]([0] * room)


def hash_of(data: bytes, start: i64, stop: i64) -> i64:
    """Returns the hash of ``data[start:stop]``, 62 bits."""
    value: i64 = 0
    for at in range(start, stop):
        byte: i64 = data[at]
        value = (value * _BASE + byte + 1) & _MASK62
    return value


def _first_powers() -> vec[i64]:
    powers = vec[i64]([1] * _POWERS)
    for exponent in range(1, _POWERS):
        powers[exponent] = powers[exponent - 1] * _BASE & _MASK62
    return powers
