"""The longest of many pieces that begins at a byte of a text, found by a trie.

User-defined pieces of SentencePiece and added tokens of Hugging Face are found so, before anything else looks
at a text. Most texts hold few of them: a table by the first two bytes skips what cannot begin one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

_MULTIPLIER: Final = 0x1E3779B97F4A7C15
_ALL: Final = 1 << 40


@final
class PrefixMatcher:
    """Finds pieces: ``numbers[k]`` is what `match` and `find` tell of ``pieces[k]`` (0 or more).

    With the pieces ``a``, ``ab`` and ``abcd`` the text ``abcx`` begins with ``ab``. ``number`` and ``length``
    describe the last piece found; ``longest`` is the most bytes that a piece has.

    Of pieces that are all prefixes of one another no more than ``nested`` are tried, from the shortest on:
    SentencePiece tries 64 (``PrefixMatcher::PrefixMatch`` in ``src/normalizer.cc``). Where a piece is listed
    twice, its first number holds. Raises ValueError for an empty piece.
    """

    def __init__(self, pieces: Sequence[bytes], numbers: Sequence[int], nested: i64 = _ALL) -> None:
        self.number: i64 = -1
        self.length: i64 = 0
        self.longest: i64 = 0
        self.count: i64 = len(pieces)
        # 1 where a piece may begin with these two bytes; that of one byte, with any second one.
        self.starts = vec[u8]([0] * 65536)
        self._nested: i64 = nested
        total: i64 = 1
        for piece in pieces:
            total += len(piece)
        size: i64 = 64
        while size < total * 2:
            size *= 2
        # A trie: the child of a node by a byte is in an open-addressing table, the key ``node << 8 | byte``.
        self._keys = vec[i64]([-1] * size)
        self._children = vec[i32]([0] * size)
        self._mask: i64 = size - 1
        self._numbers = vec[i32]([-1] * total)
        self._nodes: i64 = 1
        for index in range(len(pieces)):
            self._add(pieces[index], numbers[index])

    def match(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns the number of the longest piece that begins at byte ``at`` and ends by ``stop``, or -1.

        Its bytes are counted in ``length``. ``data`` must go on for a byte behind ``stop`` (be padded).
        """
        byte: i64 = data[at]
        second: i64 = data[at + 1]
        if self.starts[byte << 8 | second] == 0:
            return -1
        keys = self._keys
        children = self._children
        numbers = self._numbers
        mask = self._mask
        left = self._nested
        found: i64 = -1
        start = at
        node: i64 = 0
        while at < stop:
            byte = data[at]
            key = node << 8 | byte
            slot = (key * _MULTIPLIER >> 32) & mask
            while keys[slot] != key:
                if keys[slot] < 0:
                    return found
                slot = (slot + 1) & mask
            node = i64(children[slot])
            at += 1
            number: i64 = i64(numbers[node])
            if number >= 0:
                found = number
                self.number = number
                self.length = at - start
                left -= 1
                if left == 0:
                    break
        return found

    def find(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns the first byte from ``at`` on where a piece begins (then `number`, `length` tell of it), or ``stop``.

        ``data`` must go on for a byte behind ``stop`` (be padded).
        """
        starts = self.starts
        byte: i64 = data[at]
        while at < stop:
            second: i64 = data[at + 1]
            if starts[byte << 8 | second] != 0 and self.match(data, at, stop) >= 0:
                return at
            byte = second
            at += 1
        return stop

    def _add(self, piece: bytes, number: i64) -> None:
        size: i64 = len(piece)
        if size == 0:
            raise ValueError("A piece to be found in a text has at least one byte.")
        if size > self.longest:
            self.longest = size
        first: i64 = piece[0]
        if size > 1:
            follower: i64 = piece[1]
            self.starts[first << 8 | follower] = 1
        else:
            for second in range(256):
                self.starts[first << 8 | second] = 1
        keys = self._keys
        mask = self._mask
        node: i64 = 0
        for at in range(size):
            byte: i64 = piece[at]
            key = node << 8 | byte
            slot = (key * _MULTIPLIER >> 32) & mask
            while keys[slot] != key and keys[slot] >= 0:
                slot = (slot + 1) & mask
            if keys[slot] < 0:
                keys[slot] = key
                self._children[slot] = i32(self._nodes)
                self._nodes += 1
            node = i64(self._children[slot])
        if i64(self._numbers[node]) < 0:
            self._numbers[node] = i32(number)
