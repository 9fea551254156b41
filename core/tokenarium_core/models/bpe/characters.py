"""The symbol that each character starts as in BPE over characters, by code point."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.frozen import FrozenReader, FrozenWriter

_PAGES: Final = (
    8192  # of 256 code points each: more than four bytes of UTF-8, even malformed ones, can name
)


@final
class CharacterTable:
    """A symbol, or ``default``, by code point: pages of 256, of which only those in use take room."""

    def __init__(self, default: i64) -> None:
        self.default: i64 = default
        self.pages = vec[i32]([0] * _PAGES)
        self.symbols = vec[i32]([i32(default)] * 256)  # page 0 is that of all which are not in use
        self._used: i64 = 1

    def get(self, code: i64) -> i64:
        """Returns the symbol of a character."""
        page: i64 = i64(self.pages[code >> 8])
        return i64(self.symbols[page << 8 | (code & 255)])

    def set(self, code: i64, symbol: i64) -> None:
        """Gives a character its symbol."""
        page: i64 = i64(self.pages[code >> 8])
        if page == 0:
            page = self._used
            self._used += 1
            self.pages[code >> 8] = i32(page)
            old = self.symbols
            if page << 8 >= len(old):
                self.symbols = vec[i32]([i32(self.default)] * (len(old) * 2))
                for index in range(len(old)):
                    self.symbols[index] = old[index]
        self.symbols[page << 8 | (code & 255)] = i32(symbol)

    def freeze(self, out: FrozenWriter) -> None:
        """Writes the table."""
        out.i32s(self.pages)
        out.i32s(self.symbols)
        out.number(self._used)

    def thaw(self, frozen: FrozenReader) -> None:
        """Reads what `freeze` wrote."""
        self.pages = frozen.i32s()
        self.symbols = frozen.i32s()
        self._used = frozen.number()


def _sizes() -> vec[u8]:
    sizes = vec[u8]([1] * 256)
    for byte in range(0xC0, 256):
        sizes[byte] = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
    return sizes


character_sizes: Final[vec[u8]] = _sizes()
"""How many bytes a character takes, by its first one; 1 for a byte that begins none."""


def code_at(data: bytes, at: i64) -> i64:
    """Returns the code point of the character that begins at a byte of UTF-8."""
    first: i64 = data[at]
    if first < 0x80:
        return first
    second: i64 = data[at + 1]
    if first < 0xE0:
        return (first & 31) << 6 | (second & 63)
    third: i64 = data[at + 2]
    if first < 0xF0:
        return (first & 15) << 12 | (second & 63) << 6 | (third & 63)
    fourth: i64 = data[at + 3]
    return (first & 7) << 18 | (second & 63) << 12 | (third & 63) << 6 | (fourth & 63)


def code_in(group: i64) -> i64:
    """Returns the code point of a character of more than one byte, from eight bytes of UTF-8 that begin with it.

    They are an integer, as ``read_i64_le`` reads them: so a loop looks at the text once for each character.
    """
    first = group & 0xFF
    second = group >> 8 & 63
    if first < 0xE0:
        return (first & 31) << 6 | second
    third = group >> 16 & 63
    if first < 0xF0:
        return (first & 15) << 12 | second << 6 | third
    return (first & 7) << 18 | second << 12 | third << 6 | (group >> 24 & 63)


def is_text(data: bytes, start: i64, stop: i64) -> bool:
    """Tells whether bytes are whole characters, each in its shortest form: whether a text can hold them."""
    at = start
    while at < stop:
        first: i64 = data[at]
        if first < 0x80:
            at += 1
            continue
        if first < 0xC2 or first > 0xF4:
            return False
        size: i64 = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        if at + size > stop:
            return False
        for place in range(at + 1, at + size):
            byte: i64 = data[place]
            if byte >> 6 != 2:
                return False
        code = code_at(data, at)
        if (size == 3 and code < 0x800) or (size == 4 and code < 0x10000):
            return False
        at += size
    return True
