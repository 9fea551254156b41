"""What the ids stand for: all pieces in one arena of bytes, found by id or by their bytes.

262,144 pieces are three packed columns here, not 262,144 Python objects.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter, read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.merge_table import MAX_IDS
from tokenarium_core.pretokenizer import PADDING

NORMAL: Final = 0
UNKNOWN: Final = 1
CONTROL: Final = 2
USER_DEFINED: Final = 3
UNUSED: Final = 4
BYTE: Final = 5

KINDS: Final = ["normal", "unknown", "control", "user-defined", "unused", "byte"]
"""The names of the kinds of a piece, by number."""

_MULTIPLIER: Final = 0x1E3779B97F4A7C15
_MASK62: Final = 4611686018427387903


@final
class PieceArena:
    """Pieces on their way into a `Vocabulary`: appended in the order of their ids."""

    def __init__(self, capacity: i64) -> None:
        self.writer = BytesWriter()
        self.offsets = vec[i32]([0] * (capacity + 1))
        self.kinds = vec[u8]([NORMAL] * capacity)
        self.count: i64 = 0

    def add(self, piece: bytes, kind: i64) -> None:
        """Appends the piece of the next id."""
        self.writer.write(piece)
        self.close(kind)

    def close(self, kind: i64) -> None:
        """Ends a piece whose bytes were written to ``writer`` one by one."""
        self.kinds[self.count] = u8(kind)
        self.count += 1
        self.offsets[self.count] = i32(len(self.writer))


@final
class Vocabulary:
    """The pieces of a tokenizer by id, with their kinds; an id without a piece is *unused* and empty.

    ``arena[offsets[id]:offsets[id + 1]]`` are the bytes of a piece, ``kinds[id]`` its kind.
    Only normal and byte pieces can be found by their bytes: control pieces never come out of text.
    Raises FormatError where two such pieces have the same bytes.
    """

    def __init__(self, pieces: PieceArena) -> None:
        count = pieces.count
        if count > MAX_IDS:
            raise FormatError(
                f"A vocabulary of {count:,} entries is larger than the {MAX_IDS:,} that this program holds."
            )
        pieces.writer.write(b"\0" * PADDING)
        self.arena = pieces.writer.getvalue()
        self.count: i64 = count
        self.offsets = pieces.offsets[: count + 1]
        self.kinds = pieces.kinds[:count]
        size: i64 = 1024
        while size < count * 2:
            size *= 2
        self._slots = vec[i32]([-1] * size)
        self._mask: i64 = size - 1
        self._index()

    def __len__(self) -> int:
        return self.count

    def piece(self, token: i64) -> bytes:
        """Returns the bytes of an id; IndexError where there is no such id."""
        if token < 0 or token >= self.count:
            raise IndexError(
                f"There is no id {token}: this vocabulary has the ids 0 to {self.count - 1}."
            )
        return self.arena[self.offsets[token] : self.offsets[token + 1]]

    def kind(self, token: i64) -> str:
        """Returns the kind of an id as a word: one of `KINDS`."""
        return KINDS[self.kinds[token]]

    def find(self, piece: bytes) -> int:
        """Returns the id of the piece with these bytes, -1 where there is none."""
        return self.find_in(piece + b"\0" * PADDING, 0, len(piece))

    def find_in(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id of the piece that is ``data[start:stop]`` (padded), -1 where there is none."""
        slots = self._slots
        mask = self._mask
        arena = self.arena
        offsets = self.offsets
        size = stop - start
        at: i64 = hash_bytes(data, start, stop) & mask
        while True:
            token: i64 = i64(slots[at])
            if token < 0:
                return -1
            begin: i64 = i64(offsets[token])
            if i64(offsets[token + 1]) - begin == size and same_bytes(
                arena, begin, data, start, size
            ):
                return token
            at = (at + 1) & mask

    def _index(self) -> None:
        slots = self._slots
        mask = self._mask
        arena = self.arena
        offsets = self.offsets
        kinds = self.kinds
        for token in range(self.count):
            kind: i64 = i64(kinds[token])
            if kind != NORMAL and kind != BYTE:
                continue
            begin: i64 = i64(offsets[token])
            end: i64 = i64(offsets[token + 1])
            at: i64 = hash_bytes(arena, begin, end) & mask
            while True:
                other: i64 = i64(slots[at])
                if other < 0:
                    break
                start: i64 = i64(offsets[other])
                size: i64 = i64(offsets[other + 1]) - start
                if size == end - begin and same_bytes(arena, start, arena, begin, size):
                    raise FormatError(
                        f"The ids {other} and {token} have the same bytes, {arena[begin:end]!r}:"
                        " each piece may stand in a vocabulary once."
                    )
                at = (at + 1) & mask
            slots[at] = i32(token)


def hash_bytes(data: bytes, start: i64, stop: i64) -> i64:
    """Returns a hash (31 bits) of ``data[start:stop]``; up to eight bytes behind it are read, not used."""
    value: i64 = stop - start
    at = start
    while at + 8 <= stop:
        value = ((value ^ read_i64_le(data, at)) * _MULTIPLIER) & _MASK62
        value ^= value >> 31
        at += 8
    if at < stop:
        value = ((value ^ (read_i64_le(data, at) & low_bytes[stop - at])) * _MULTIPLIER) & _MASK62
        value ^= value >> 31
    return value >> 20 & 0x7FFFFFFF


def same_bytes(left: bytes, at: i64, right: bytes, start: i64, size: i64) -> bool:
    """Tells whether ``size`` bytes are the same in both; both must be padded."""
    while size >= 8:
        if read_i64_le(left, at) != read_i64_le(right, start):
            return False
        at += 8
        start += 8
        size -= 8
    return size == 0 or (read_i64_le(left, at) ^ read_i64_le(right, start)) & low_bytes[size] == 0


def _low_bytes() -> vec[i64]:
    masks = vec[i64]([0] * 9)
    mask: i64 = 0
    for size in range(1, 9):
        mask = mask * 256 + 255 if size < 8 else -1
        masks[size] = mask
    return masks


low_bytes: Final[vec[i64]] = _low_bytes()
"""``low_bytes[n]`` keeps the first n of eight bytes read as a little-endian integer."""
