"""The symbol that each character starts as in BPE over characters, by code point."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter

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

    def dump(self, out: CacheWriter) -> None:
        """Writes the table."""
        out.i32s(self.pages)
        out.i32s(self.symbols)
        out.number(self._used)

    def load(self, cached: CacheReader) -> None:
        """Reads what `dump` wrote."""
        self.pages = cached.i32s()
        self.symbols = cached.i32s()
        self._used = cached.number()
