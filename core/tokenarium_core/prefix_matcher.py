"""Finds the longest of many pieces that begins at a byte of a text, with a trie.

It matches SentencePiece's user-defined pieces and Hugging Face's added tokens before anything else reads a text. Most
texts contain few of them: a table of the first two bytes skips everything that cannot begin one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import append, extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import ArgumentError

_MULTIPLIER: Final = 0x1E3779B97F4A7C15
_ALL: Final = 1 << 40
_LONGEST_RUN: Final = 64
_FIRST_SIZE: Final = 64


@final
class PrefixMatcher:
    """Finds pieces: ``numbers[k]`` is the result of `match` and `find` for ``pieces[k]`` (0 or more).

    With the pieces ``a``, ``ab`` and ``abcd`` the text ``abcx`` begins with ``ab``. ``number`` and ``length``
    describe the last piece found; ``longest`` is the most bytes that a piece has, ``states`` counts the states of the
    trie: the first one, 0, and one for each distinct prefix of a piece.

    Of pieces that are prefixes of one another at most ``nested`` are tried, starting with the shortest:
    SentencePiece tries 64 (``PrefixMatcher::PrefixMatch`` in ``src/normalizer.cc``). If a piece occurs
    twice, its first number counts. Raises ArgumentError for an empty piece.
    """

    def __init__(self, pieces: Sequence[bytes], numbers: Sequence[int], nested: i64 = _ALL) -> None:
        self.number: i64 = -1
        self.length: i64 = 0
        self.longest: i64 = 0
        self.count: i64 = len(pieces)
        # 1 if a piece may begin with these two bytes; for one byte, with any second one.
        self.starts = vec[u8]([0] * 65536)
        self._nested: i64 = nested
        # A trie: the child of a node by a byte is in an open-addressing table, the key ``node << 8 | byte``.
        self._keys = vec[i64]([-1] * _FIRST_SIZE)
        self._children = vec[i32]([0] * _FIRST_SIZE)
        self._mask: i64 = _FIRST_SIZE - 1
        self._numbers = vec[i32]([-1] * _FIRST_SIZE)
        self.states: i64 = 1
        for index in range(len(pieces)):
            self._add(pieces[index], numbers[index])
        # Runs of one byte, such as indentation, are only counted: of n bytes, the first ``_run_lengths[row + n]`` are
        # the piece; ``row`` belongs to the byte, and is -1 if it begins other pieces too. The longest is at ``row``.
        self._run_rows = vec[i32]([-1] * 256)
        self._run_lengths = vec[i32]()
        self._run_numbers = vec[i32]()
        self._find_runs(pieces)

    def match(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns the number of the longest piece that begins at byte ``at`` and ends at or before ``stop``, or -1.

        Its bytes are counted in ``length``. ``data`` must have a byte after ``stop`` (be padded).
        """
        byte: i64 = data[at]
        second: i64 = data[at + 1]
        if self.starts[byte << 8 | second] == 0:
            return -1
        row = i64(self._run_rows[byte])
        if row >= 0:
            return self._match_run(data, at, stop, row)
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

    def _match_run(self, data: bytes, at: i64, stop: i64, row: i64) -> i64:
        """Does the same as `match` for a byte whose pieces are all runs."""
        top: i64 = i64(self._run_lengths[row])
        if top > stop - at:
            top = stop - at
        size: i64 = 1
        while size + 8 <= top and read_i64_le(data, at + size) == read_i64_le(data, at + size - 1):
            size += 8
        byte: i64 = data[at]
        while size < top:
            follower: i64 = data[at + size]
            if follower != byte:
                break
            size += 1
        length = i64(self._run_lengths[row + size])
        if length == 0:
            return -1
        self.length = length
        self.number = i64(self._run_numbers[row + size])
        return self.number

    def find(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns the first byte, starting at ``at``, where a piece begins, with `number` and `length` set; or
        ``stop``.

        ``data`` must have a byte after ``stop`` (be padded).
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

    def walk(self, data: bytes, at: i64, stop: i64) -> list[tuple[int, int, int]]:
        """Returns the walk of `match` through the trie: (byte, state, number) for each byte that it reads.

        The state is the one that the byte leads to, and the number that of the piece that ends there, or -1. A byte
        without an edge is the last one, with the state -1. The last number that is not -1 is what `match` returns.
        """
        steps: list[tuple[int, int, int]] = []
        left = self._nested
        node: i64 = 0
        while at < stop:
            byte: i64 = data[at]
            node = self.following(node, byte)
            if node < 0:
                steps.append((byte, -1, -1))
                break
            number: i64 = i64(self._numbers[node])
            steps.append((byte, node, number))
            at += 1
            if number >= 0:
                left -= 1
                if left == 0:
                    break
        return steps

    def following(self, state: i64, byte: i64) -> i64:
        """Returns the state that a byte leads to from a state, or -1."""
        key = state << 8 | byte
        slot = (key * _MULTIPLIER >> 32) & self._mask
        while self._keys[slot] != key:
            if self._keys[slot] < 0:
                return -1
            slot = (slot + 1) & self._mask
        return i64(self._children[slot])

    def number_at(self, state: i64) -> i64:
        """Returns the number of the piece that ends in a state, or -1."""
        return i64(self._numbers[state])

    def inner_pairs(self) -> vec[u8]:
        """Returns 1 at ``first << 8 | second`` where these bytes are adjacent in a piece."""
        pairs = vec[u8]([0] * 65536)
        behind = vec[u8]([0] * self.states)  # the byte that leads to each node
        for slot in range(self._mask + 1):
            if self._keys[slot] >= 0:
                behind[i64(self._children[slot])] = u8(self._keys[slot] & 255)
        for slot in range(self._mask + 1):
            key = self._keys[slot]
            if key >= 256:
                pairs[i64(behind[key >> 8]) << 8 | (key & 255)] = 1
        return pairs

    def _add(self, piece: bytes, number: i64) -> None:
        size: i64 = len(piece)
        if size == 0:
            raise ArgumentError("A piece to find in a text must have at least one byte.")
        if size > self.longest:
            self.longest = size
        first: i64 = piece[0]
        if size > 1:
            follower: i64 = piece[1]
            self.starts[first << 8 | follower] = 1
        else:
            for second in range(256):
                self.starts[first << 8 | second] = 1
        node: i64 = 0
        for at in range(size):
            byte: i64 = piece[at]
            node = self._child(node, byte)
        if i64(self._numbers[node]) < 0:
            self._numbers[node] = i32(number)

    def _child(self, node: i64, byte: i64) -> i64:
        """Returns the child of a node; creates it if necessary."""
        keys = self._keys
        mask = self._mask
        key = node << 8 | byte
        slot = (key * _MULTIPLIER >> 32) & mask
        while keys[slot] != key and keys[slot] >= 0:
            slot = (slot + 1) & mask
        if keys[slot] >= 0:
            return i64(self._children[slot])
        child = self.states
        keys[slot] = key
        self._children[slot] = i32(child)
        self.states = child + 1
        if self.states * 2 > mask:
            self._grow()
        return child

    def _grow(self) -> None:
        """Doubles the table. It grows with the states: the pieces together have more bytes, since many begin alike."""
        old = self._keys
        old_children = self._children
        size: i64 = len(old) * 2
        keys = vec[i64]([-1] * size)
        children = vec[i32]([0] * size)
        mask = size - 1
        for index in range(len(old)):
            key = old[index]
            if key >= 0:
                slot = (key * _MULTIPLIER >> 32) & mask
                while keys[slot] >= 0:
                    slot = (slot + 1) & mask
                keys[slot] = key
                children[slot] = old_children[index]
        self._keys = keys
        self._children = children
        self._mask = mask
        self._numbers = extend(self._numbers, vec[i32]([-1] * len(self._numbers)))

    def _find_runs(self, pieces: Sequence[bytes]) -> None:
        """Finds the bytes that begin only runs of themselves."""
        longest = vec[i64]([0] * 256)
        for piece in pieces:
            size: i64 = len(piece)
            first: i64 = piece[0]
            at: i64 = 1
            while at < size:
                byte: i64 = piece[at]
                if byte != first:
                    break
                at += 1
            if at < size or size > _LONGEST_RUN:
                longest[first] = _ALL
            elif size > longest[first]:
                longest[first] = size
        for first in range(256):
            if longest[first] > 0 and longest[first] < _ALL:
                self._add_runs(first, longest[first])

    def _add_runs(self, byte: i64, longest: i64) -> None:
        """Records which piece matches each run of a byte, up to the longest piece."""
        self._run_rows[byte] = i32(len(self._run_lengths))
        lengths = append(self._run_lengths, i32(longest))
        numbers = append(self._run_numbers, i32(-1))
        found: i64 = 0
        number: i64 = -1
        left = self._nested
        node: i64 = 0
        for size in range(1, longest + 1):
            node = self._child(node, byte)
            if i64(self._numbers[node]) >= 0 and left > 0:
                found = size
                number = i64(self._numbers[node])
                left -= 1
            lengths = append(lengths, i32(found))
            numbers = append(numbers, i32(number))
        self._run_lengths = lengths
        self._run_numbers = numbers
