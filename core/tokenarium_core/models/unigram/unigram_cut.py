"""Where a text may be cut without changing its best path: between characters that no piece holds side by side.

An edge of the lattice joins two neighbouring characters only if some piece contains them next to each
other. Where none does, every path passes between them, so that the best path through the whole is the
best path to that place and the best one from there on.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.models.unigram.unigram_trie import ASCII, OTHERS, UnigramTrie
from tokenarium_core.unicode.utf8 import EACH_01, character_sizes, code_in

_LINES: Final = 1 << 12
_LINE_BITS: Final = 9
_LINE_MASK: Final = (1 << _LINE_BITS) - 1
_MULTIPLIER: Final = 0x1E3779B97F4A7C15


@final
class UnigramCut:
    """The pairs of characters that some piece joins.

    Pairs of ASCII characters have a table, with a 1 where a cut is possible: ``left | right << 8``, as they are read
    from a text. Others, by the symbols that the trie has for them, share bits: a collision hides a possible cut, and
    never makes a wrong one. What may follow a character lies in few lines of the processor's cache, since frequent
    characters have low symbols.
    """

    def __init__(self, trie: UnigramTrie) -> None:
        self._trie = trie
        self._ascii = vec[u8]([1] * 65536)
        self._joined = vec[u8]([0] * (_LINES << _LINE_BITS >> 3))
        self._bits = vec[u8]([1, 2, 4, 8, 16, 32, 64, 128])

    def add(self, data: bytes, start: i64, stop: i64) -> None:
        """Notes each pair of neighbouring characters of the piece ``data[start:stop]`` (padded)."""
        symbols = vec[i32]([0] * (stop - start + 1))
        count = self._trie.read(data, start, stop, symbols)
        for index in range(1, count):
            left: i64 = i64(symbols[index - 1])
            right: i64 = i64(symbols[index])
            if left < OTHERS and right < OTHERS:
                self._ascii[left - ASCII | right - ASCII << 8] = 0
            else:
                bit = _bit_of(left, right)
                self._joined[bit >> 3] |= self._bits[bit & 7]

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32]) -> i64:
        """Cuts ``data[start:stop]`` wherever that is safe, and returns how many parts were written.

        Part k ends before byte ``ends[k]``. At most ``len(ends)`` are written: when the last one does not end
        at ``stop``, call again from there.
        """
        pairs = self._ascii
        joined = self._joined
        pages = self._trie.characters.pages
        symbols = self._trie.characters.symbols
        sizes = character_sizes
        room: i64 = len(ends) - 1
        count: i64 = 0
        left = self._trie.symbol(data, start)
        byte: i64 = data[start]
        at = start + i64(sizes[byte])
        while at < stop:
            # As far as there is room for a cut at each byte: so each is written, and only the count tells
            # whether it stays. A branch that is taken at the end of each word would cost more.
            pause = at + room - count
            if pause <= at:
                return count
            if pause > stop:
                pause = stop
            while at < pause:
                if left < OTHERS:
                    group = read_i64_le(data, at - 1)
                    if (group >> 7) & EACH_01 == 0:
                        last = at + 7 if at + 7 < pause else pause
                        while at < last:
                            ends[count] = i32(at)
                            count += i64(pairs[group & 0xFFFF])
                            group >>= 8
                            at += 1
                        left = ASCII + (group & 0xFF)
                        continue
                group = read_i64_le(data, at)
                byte = group & 0xFF
                ends[count] = i32(at)
                right = ASCII + byte
                if byte >= 0x80:
                    code = code_in(group)
                    right = i64(symbols[i64(pages[code >> 8]) << 8 | (code & 255)])
                if byte < 0x80 and ASCII <= left < OTHERS:
                    count += i64(pairs[left - ASCII | byte << 8])
                else:
                    bit = _bit_of(left, right)
                    count += ~(i64(joined[bit >> 3]) >> (bit & 7)) & 1
                left = right
                at += i64(sizes[byte])
        ends[count] = i32(stop)
        return count + 1


def _bit_of(left: i64, right: i64) -> i64:
    """Returns the number of the bit that a pair of symbols has."""
    line = (left << 12 ^ right >> _LINE_BITS) * _MULTIPLIER >> 40 & (_LINES - 1)
    return line << _LINE_BITS | (right & _LINE_MASK)
