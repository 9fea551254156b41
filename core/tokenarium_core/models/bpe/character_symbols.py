"""The initial symbols of a text in BPE over characters, and the ids of the remaining ones."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.trace import NO_PIECE, UNMERGE, Trace
from tokenarium_core.vocabulary import Vocabulary

_PAGES: Final = (
    8192  # of 256 code points each: more than four bytes of UTF-8, even malformed ones, can encode
)


@final
class CharacterTable:
    """A symbol, or ``default``, by code point: pages of 256, of which only those in use are allocated."""

    def __init__(self, default: i64) -> None:
        self.default: i64 = default
        self.pages = vec[i32]([0] * _PAGES)
        self.symbols = vec[i32]([i32(default)] * 256)  # page 0 serves all pages that are not in use
        self._used: i64 = 1

    def get(self, code: i64) -> i64:
        """Returns the symbol of a character."""
        page: i64 = i64(self.pages[code >> 8])
        return i64(self.symbols[page << 8 | (code & 255)])

    def set(self, code: i64, symbol: i64) -> None:
        """Sets the symbol of a character."""
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


def shown(symbol: i64, count: i64) -> i64:
    """Returns the id of a symbol in a trace: `NO_PIECE` beyond the ``count`` ids of a vocabulary."""
    return symbol if symbol < count else NO_PIECE


class CharacterSymbols:
    """Base of both kinds: `split` a region into symbols, let them be merged, and `write` the ids.

    ``symbols[k]`` begins at byte ``starts[k]`` of the text and ends before ``stops[k]``. The arrays may be merged
    in place until the next `split`; `release` hands them over to an owner that needs them longer.

    ``plain`` are the symbols of ASCII, by byte, if every region that is not a whole word is split into these, and the
    symbols left after merging are the ids, unless they are not ids at all. Otherwise it is empty.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.symbols = vec[i64]([0] * 64)
        self.starts = vec[i32]([0] * 64)
        self.stops = vec[i32]([0] * 64)
        self.plain = vec[i64]()
        self.nothing_seen: dict[int, tuple[int, int]] = {}

    def reserve(self, size: i64) -> None:
        """Makes room for the symbols of a region of ``size`` bytes."""
        if size > len(self.symbols):
            self.symbols = vec[i64]([0] * size)
            self.starts = vec[i32]([0] * size)
            self.stops = vec[i32]([0] * size)

    def release(self) -> None:
        """Hands the arrays over to their new owner."""
        self.symbols = vec[i64]([0] * 64)
        self.starts = vec[i32]([0] * 64)
        self.stops = vec[i32]([0] * 64)

    def adds_up(self) -> bool:
        """Returns whether the pieces of a word's ids always make up the whole word (see `Model`)."""
        return False

    def known(self, data: bytes, at: i64, stop: i64) -> bool:
        """Returns whether no unknown token can begin at byte ``at`` of a text up to ``stop``."""
        raise NotImplementedError

    def joins(self, ids: vec[i32], index: i64) -> bool:
        """Returns whether the id before ``index`` is an unknown token that more unknown characters join."""
        raise NotImplementedError

    def misfits(self, ids: vec[i32], first: i64, last: i64) -> bool:
        """Returns whether some of these ids may stand for bytes other than those of their pieces."""
        raise NotImplementedError

    def find_whole(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id that a whole word becomes without merging, -1 if it has to be merged."""
        return -1

    def split(self, data: bytes, start: i64, stop: i64, whole: bool, trace: Trace | None) -> i64:
        """Creates the symbols of ``data[start:stop]`` and returns their number.

        ``whole``: the region is a whole word, in which user-defined pieces must still be matched.
        """
        raise NotImplementedError

    def parts_of(
        self,
        symbol: i64,
        start: i64,
        stop: i64,
        splits: dict[int, tuple[int, int]],
        seen: dict[int, tuple[int, int]],
        trace: Trace | None,
    ) -> list[tuple[int, int, int]]:
        """Returns the symbols into which a symbol is split, from left to right, with places; or the symbol itself.

        ``splits`` as in `CharacterMerges`; a pair in ``seen`` comes before it.
        """
        parts: list[tuple[int, int, int]] = []
        waiting: list[tuple[int, int, int]] = [(symbol, start, stop)]
        while waiting:
            part, first, last = waiting.pop()
            if part not in splits:
                parts.append((part, first, last))
                continue
            pair = splits[part]
            if part in seen:
                pair = seen[part]
            middle = first + self.size_of(pair[0])
            if trace is not None:
                ids = self.vocabulary.count
                trace.add(UNMERGE, first, shown(pair[0], ids), shown(pair[1], ids), part, middle)
            waiting.append((pair[1], middle, last))
            waiting.append((pair[0], first, middle))
        return parts

    def size_of(self, symbol: i64) -> i64:
        """Returns how many bytes of text a symbol has that merges."""
        offsets = self.vocabulary.offsets
        return i64(offsets[symbol + 1]) - i64(offsets[symbol])

    def write(
        self,
        data: bytes,
        symbols: vec[i64],
        starts: vec[i32],
        stops: vec[i32],
        left: i64,
        seen: dict[int, tuple[int, int]],
        after_unknown: bool,
        out: vec[i32],
        count: i64,
        spans: vec[i32],
        trace: Trace | None,
    ) -> i64:
        """Writes the ids of ``left`` merged symbols into ``out`` from index ``count`` on; returns the index after.

        ``seen`` as in `SymbolHeap`. ``after_unknown``: the id before them in this word is the unknown one.
        ``spans``, unless it is empty, gets the first byte of id k and the byte after it at 2k and 2k + 1.
        """
        raise NotImplementedError
