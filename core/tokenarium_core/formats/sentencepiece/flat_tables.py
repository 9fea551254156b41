"""The tables of a FlatBuffer, read with every position checked.

Source: FlatBuffers' own description of its binary format: a table begins with the distance back to its vtable, which has
its size, the table's, and for each field the position in the table, or 0 for the default value.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from mypy_extensions import i64

from tokenarium_core.errors import FormatError

_WORD: Final = 4
_HALF: Final = 2
_LONG: Final = 8
_LEAST_TABLE: Final = 2 * _HALF  # the two sizes at the beginning of a vtable


@final
class FlatTable:
    """One table at ``at`` in ``data``; ``source`` names the file in errors, ``names`` the fields by number."""

    def __init__(self, data: bytes, at: i64, source: str, names: tuple[str, ...]) -> None:
        self.data = data
        self.source = source
        self.names = names
        self._at: i64 = at
        self._vtable: i64 = at - self._signed(at, _WORD, "its table")
        self._size: i64 = self._number(self._vtable, _HALF, "its table")
        if self._size < _LEAST_TABLE or self._size & 1:
            raise self._error(self._vtable, "its table", "has an impossible size")

    def has(self, field: i64) -> bool:
        """Returns whether a field has a value of its own."""
        return self._offset(field) != 0

    def number(self, field: i64, size: i64, default: i64) -> i64:
        """Returns a signed number of so many bytes; true is 1."""
        offset = self._offset(field)
        return self._signed(offset, size, self.names[field]) if offset else default

    def offset(self, field: i64) -> i64:
        """Returns a number of 8 bytes, 0 if there is none; one of 2**63 or more is negative."""
        offset = self._offset(field)
        if not offset:
            return 0
        if offset + _LONG > len(self.data):
            raise self._error(
                offset, self.names[field], f"lies outside its {len(self.data):,} bytes"
            )
        return read_i64_le(self.data, offset)

    def table(self, field: i64, names: tuple[str, ...]) -> FlatTable | None:
        """Returns the table that a field refers to; None if there is none."""
        offset = self._offset(field)
        if not offset:
            return None
        return FlatTable(self.data, self._target(offset, self.names[field]), self.source, names)

    def vector(self, field: i64, size: i64) -> tuple[i64, i64]:
        """Returns where the elements of a vector begin, of so many bytes each, and their number; (0, 0) if there is none."""
        offset = self._offset(field)
        if not offset:
            return 0, 0
        at = self._target(offset, self.names[field])
        return self._elements(at, size, self.names[field])

    def content(self, field: i64) -> bytes:
        """Returns a string, or a vector of bytes; empty if there is none."""
        start, count = self.vector(field, 1)
        return self.data[start : start + count]

    def string_at(self, offset: i64, name: str) -> bytes:
        """Returns the string that the element at ``offset`` of a vector refers to."""
        start, count = self._elements(self._target(offset, name), 1, name)
        return self.data[start : start + count]

    def table_at(self, offset: i64, name: str, names: tuple[str, ...]) -> FlatTable:
        """Returns the table that the element at ``offset`` of a vector refers to."""
        return FlatTable(self.data, self._target(offset, name), self.source, names)

    def _offset(self, field: i64) -> i64:
        """Returns the position of a field in the file; 0 if it has its default value."""
        entry: i64 = _LEAST_TABLE + field * _HALF
        if entry + _HALF > self._size:
            return 0
        inside = self._number(self._vtable + entry, _HALF, self.names[field])
        return self._at + inside if inside else 0

    def _target(self, offset: i64, name: str) -> i64:
        return offset + self._number(offset, _WORD, name)

    def _elements(self, at: i64, size: i64, name: str) -> tuple[i64, i64]:
        count = self._number(at, _WORD, name)
        left: i64 = len(self.data) - at - _WORD
        if count * size > left:
            raise self._error(at, name, f"has {count:,} elements where {left:,} bytes are left")
        return at + _WORD, count

    def _number(self, at: i64, size: i64, name: str) -> i64:
        """Returns an unsigned number, the least byte first."""
        if at < 0 or at + size > len(self.data):
            raise self._error(at, name, f"lies outside its {len(self.data):,} bytes")
        value: i64 = 0
        for index in range(size):
            byte: i64 = self.data[at + index]
            value |= byte << 8 * index
        return value

    def _signed(self, at: i64, size: i64, name: str) -> i64:
        value = self._number(at, size, name)
        sign: i64 = 1
        sign <<= 8 * size - 1
        return value - 2 * sign if value >= sign else value

    def _error(self, at: i64, name: str, what: str) -> FormatError:
        return FormatError(f"{self.source} is damaged or cut off: at byte {at:,}, {name} {what}.")
