"""SentencePiece's compiled normalization rules: the texts that they match, and the replacements.

The blob has the size of a trie in bytes (32 bits, little-endian), the trie as a double array of 32-bit units,
and the replacements, each ended by NUL. A unit holds the label of the edge that leads to it (its low 8
bits), whether a rule ends there (bit 8), and how far its children are (bits 10 to 30, times 256 if bit 9 is
set); or, where bit 31 is set, the place of a replacement.

Sources: ``src/normalizer.cc`` in google/sentencepiece, ``darts.h`` in s-yata/darts-clone.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i32_le, read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.unicode.utf8 import character_at

_MOST_RULES: Final = 32  # SentencePiece tries this many with the same beginning, the shortest first
_LONGEST: Final = 1024  # bytes of a rule, or of a replacement
_BLOCK: Final = 1024  # the most bytes of a trie
_MARK: Final = 0x8196E2  # the bytes of ``▁``, the first one lowest

_NEW: Final = 0
_OPEN: Final = 1
_DONE: Final = 2


@final
class Charsmap:
    """The rules of one model, which ``source`` names in errors.

    Raises FormatError for a blob that is truncated, that has links out of range or in a circle, or whose replacements
    are not UTF-8. So whatever it contains, `match` stays within the blob and the text.
    """

    def __init__(self, blob: bytes, source: str) -> None:
        self.source = source
        self.start: i64 = 0
        self.stop: i64 = 0
        if len(blob) < 4:
            raise self._error("is cut off: it does not even contain its size")
        size: i64 = i64(read_i32_le(blob, 0)) & 0xFFFFFFFF
        if size >= len(blob) - 4:
            raise self._error(
                f"is cut off: its trie has {size:,} bytes, and {len(blob) - 4:,} are there"
            )
        if size < _BLOCK or size % _BLOCK:
            raise self._error(
                f"has a trie of {size:,} bytes, which is not a multiple of {_BLOCK:,}"
            )
        self.replacements = blob[4 + size :]
        if self.replacements[len(self.replacements) - 1] != 0:
            raise self._error("is cut off inside its last replacement")
        count: i64 = size >> 2
        units = vec[i32]([0] * count)
        for index in range(count):
            units[index] = read_i32_le(blob, 4 + index * 4)
        self._units = units
        self._root: i64 = 0
        self._check_units()
        self._check_rules()
        self._halts = self._halting_characters()

    def match(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns the size of the longest rule that is a prefix of ``data[at:stop]``, 0 if there is none.

        Its replacement is then ``replacements[start:stop]``, of these attributes.
        """
        units = self._units
        node = self._root
        longest: i64 = 0
        value: i64 = 0
        found: i64 = 0
        first = at
        while at < stop:
            byte: i64 = data[at]
            node ^= byte
            unit: i64 = i64(units[node])
            if unit & 0x800000FF != byte:
                break
            at += 1
            node ^= (unit >> 10 & 0x1FFFFF) << ((unit & 512) >> 6)
            if unit & 256:
                longest = at - first
                value = i64(units[node]) & 0x7FFFFFFF
                found += 1
                if found == _MOST_RULES:
                    break
        if longest > 0:
            replacements = self.replacements
            end = value
            while replacements[end] != 0:
                end += 1
            self.start = value
            self.stop = end
        return longest

    def begins_with(self, data: bytes, at: i64, stop: i64) -> bool:
        """Returns whether a rule begins with ``data[at:stop]``."""
        node = self._root
        while at < stop:
            byte: i64 = data[at]
            node = self._behind(node, byte)
            if node < 0:
                return False
            at += 1
        return True

    def skip_others(self, data: bytes, at: i64, stop: i64, marks: bool) -> i64:
        """Returns where the next character of ``data[at:stop]`` (padded) begins with which a rule begins, or one that
        is ASCII or of four bytes; with ``marks``, also a ``▁``."""
        halts = self._halts
        before: i64 = -1
        while at < stop:
            group = read_i64_le(data, at)
            byte = group & 0xFF
            if byte < 0xC0 or byte >= 0xF0:
                break
            size: i64 = 2
            halt = halts[byte & 31] >> (group >> 8 & 63)
            if byte >= 0xE0:
                size = 3
                halt = halts[32 + ((byte & 15) << 6 | group >> 8 & 63)] >> (group >> 16 & 63)
            if halt & 1 != 0:
                if before >= 0 and self.match(data, before, stop) > 0:
                    return before
                if self.match(data, at, stop) > 0 or (marks and group & 0xFFFFFF == _MARK):
                    break
            before = at
            at += size
        return at

    def first_bytes(self) -> vec[u8]:
        """Returns, for each byte: 0 if no rule begins with it; 1 if one does, but neither is the byte
        a rule, nor is it followed by ASCII in one; 2 for all others."""
        units = self._units
        kinds = vec[u8]([0] * 256)
        for byte in range(256):
            node = self._root ^ byte
            unit: i64 = i64(units[node])
            if unit & 0x800000FF != byte:
                continue
            kinds[byte] = 1
            if unit & 256:
                kinds[byte] = 2
            node ^= (unit >> 10 & 0x1FFFFF) << ((unit & 512) >> 6)
            for second in range(128):
                if i64(units[node ^ second]) & 0x800000FF == second:
                    kinds[byte] = 2
        return kinds

    def _halting_characters(self) -> vec[i64]:
        """Returns the characters of two or three bytes at which `skip_others` has to look for rules: a bit for each.

        A rule is one of these characters, or begins with it and continues with ASCII or with four bytes; or the
        character is the second one of a rule. (Nearly all rules of two characters are for marks after a letter; the
        letters are frequent, the marks are not.) The ``▁`` is included too.

        A bit's integer is the one at ``32 + (its bits above the last six)`` for three bytes, and without the 32 for
        two; the last six bits are the number of the bit.
        """
        bits = _single_bits()
        halts = vec[i64]([0] * (32 + 1024))
        for first in range(0xC0, 0xF0):
            one = self._behind(self._root, first)
            if one < 0:
                continue
            for second in range(0x80, 0xC0):
                # A rule that ends inside a character begins with all of that beginning.
                two = one if self._ends(one) else self._behind(one, second)
                if two < 0:
                    continue
                if first < 0xE0:
                    if self._halts_behind(two, halts, bits):
                        halts[first & 31] |= bits[second & 63]
                    continue
                for third in range(0x80, 0xC0):
                    three = two if self._ends(two) else self._behind(two, third)
                    if three >= 0 and self._halts_behind(three, halts, bits):
                        halts[32 + ((first & 15) << 6 | second & 63)] |= bits[third & 63]
        halts[32 + (0x2 << 6 | 0x16)] |= bits[1]  # ▁
        return halts

    def _halts_behind(self, node: i64, halts: vec[i64], bits: vec[i64]) -> bool:
        """Returns whether a character is noted itself, with a node at its end; else notes its followers."""
        if self._ends(node):
            return True
        for first in range(256):
            one = self._behind(node, first)
            if one < 0:
                continue
            if first < 0xC0 or first >= 0xF0 or self._ends(one):
                return True
            for second in range(0x80, 0xC0):
                two = self._behind(one, second)
                if two < 0:
                    continue
                if first < 0xE0:
                    halts[first & 31] |= bits[second & 63]
                    continue
                if self._ends(two):
                    return True
                for third in range(0x80, 0xC0):
                    if self._behind(two, third) >= 0:
                        halts[32 + ((first & 15) << 6 | second & 63)] |= bits[third & 63]
        return False

    def _behind(self, node: i64, byte: i64) -> i64:
        """Returns the node after an edge of a node, -1 if there is none."""
        unit: i64 = i64(self._units[node ^ byte])
        if unit & 0x800000FF != byte:
            return -1
        return node ^ byte ^ (unit >> 10 & 0x1FFFFF) << ((unit & 512) >> 6)

    def _ends(self, node: i64) -> bool:
        """Returns whether a rule ends at a node."""
        return i64(self._units[node]) & 0x80000000 != 0

    def swapped_bytes(self) -> vec[u8]:
        """Returns the replacement of an ASCII byte, for any ASCII after it: one ASCII byte; else 0."""
        swapped = vec[u8]([0] * 128)
        units = self._units
        for byte in range(128):
            node = self._root ^ byte
            unit: i64 = i64(units[node])
            if unit & 0x800000FF != byte or unit & 256 == 0:
                continue
            node ^= (unit >> 10 & 0x1FFFFF) << ((unit & 512) >> 6)
            alone = True
            for second in range(128):
                if i64(units[node ^ second]) & 0x800000FF == second:
                    alone = False
            start = i64(units[node]) & 0x7FFFFFFF
            first: i64 = self.replacements[start]
            if alone and 0 < first < 128 and self.replacements[start + 1] == 0:
                swapped[byte] = u8(first)
        return swapped

    def _check_units(self) -> None:
        """Checks that no unit points outside the trie or the replacements, as Darts' ``validate`` does."""
        units = self._units
        count: i64 = len(units)
        size: i64 = len(self.replacements)
        for index in range(count):
            unit: i64 = i64(units[index])
            if unit & 0x80000000:
                if unit & 0x7FFFFFFF >= size:
                    raise self._error(
                        f"has a replacement out of range in unit {index:,} of its trie"
                    )
                continue
            node = index ^ (unit >> 10 & 0x1FFFFF) << ((unit & 512) >> 6)
            if node | 255 >= count:
                raise self._error(f"leads out of its trie in unit {index:,}")
            if unit & 256 and i64(units[node]) & 0x80000000 == 0:
                raise self._error(f"has a rule without a replacement in unit {index:,} of its trie")
        root: i64 = i64(units[0])
        self._root = (root >> 10 & 0x1FFFFF) << ((root & 512) >> 6)
        if root & 0x800001FF or self._root == 0:
            raise self._error("has a trie whose first unit is not its root")

    def _check_rules(self) -> None:
        """Follows all rules from the root, children first, and checks them: no circles, none too long, all UTF-8."""
        units = self._units
        count: i64 = len(units)
        # The edges that leave a node, by node: the unit at their end has both.
        heads = vec[i32]([-1] * count)
        nexts = vec[i32]([-1] * count)
        for index in range(count):
            unit: i64 = i64(units[index])
            if unit & 0x80000000 == 0 and index > 0:
                node = index ^ (unit & 255)
                nexts[index] = heads[node]
                heads[node] = i32(index)
        states = vec[u8]([_NEW] * count)
        depths = vec[i32]([0] * count)  # bytes of the longest rule below a node
        lengths = vec[i32]([-1] * len(self.replacements))
        path = vec[i32]([0] * (_LONGEST + 1))
        path[0] = i32(self._root)
        size: i64 = 1
        while size > 0:
            node = i64(path[size - 1])
            states[node] = _OPEN
            edge: i64 = i64(heads[node])
            if edge < 0:
                states[node] = _DONE
                size -= 1
                if size > 0:
                    parent: i64 = i64(path[size - 1])
                    if depths[parent] <= depths[node]:
                        depths[parent] = depths[node] + 1
                continue
            heads[node] = nexts[edge]
            unit = i64(units[edge])
            child = edge ^ (unit >> 10 & 0x1FFFFF) << ((unit & 512) >> 6)
            if unit & 256:
                self._check_replacement(i64(units[child]) & 0x7FFFFFFF, lengths)
            if states[child] == _OPEN:
                raise self._error(f"has a rule that runs in a circle, at unit {edge:,} of its trie")
            if size + i64(depths[child]) >= _LONGEST:
                raise self._error(f"has a rule of more than {_LONGEST:,} bytes")
            if states[child] == _DONE:
                if depths[node] <= depths[child]:
                    depths[node] = depths[child] + 1
            else:
                path[size] = i32(child)
                size += 1

    def _check_replacement(self, start: i64, lengths: vec[i32]) -> None:
        replacements = self.replacements
        at = start
        length: i64 = i64(lengths[at])
        while length < 0:
            if replacements[at] == 0:
                length = 0
                break
            size = character_at(replacements, at, len(replacements))
            if size == 0:
                raise self._error(f"has a replacement that is not UTF-8, at byte {at:,} of them")
            at += size
            length = i64(lengths[at])
        length += at - start
        lengths[start] = i32(length)
        if length > _LONGEST:
            raise self._error(f"has a replacement of more than {_LONGEST:,} bytes")

    def _error(self, what: str) -> FormatError:
        return FormatError(f"The field 'precompiled_charsmap' of {self.source} {what}.")


def _single_bits() -> vec[i64]:
    """Returns the 64 integers with one bit."""
    bits = vec[i64]([0] * 64)
    bit: i64 = 1
    for index in range(63):
        bits[index] = bit
        if index < 62:
            bit += bit
    bits[63] = -bits[62] - bits[62]  # the sign
    return bits
