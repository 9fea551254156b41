"""SentencePiece's compiled normalisation rules: what a text begins with, and what takes its place.

The blob is the size of a trie in bytes (32 bits, little-endian), the trie as a double array of 32-bit units,
and the replacements, each ended by NUL. A unit holds the label of the edge that leads to it (its low 8
bits), whether a rule ends there (bit 8), and how far its children are (bits 10 to 30, times 256 if bit 9 is
set); or, where bit 31 is set, the place of a replacement.

Sources: ``src/normalizer.cc`` in google/sentencepiece, ``darts.h`` in s-yata/darts-clone.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i32_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.utf8 import character_at

_MOST_RULES: Final = (
    32  # of those that begin alike, SentencePiece looks at so many, the shortest first
)
_LONGEST: Final = 1024  # bytes of a rule, or of a replacement
_BLOCK: Final = 1024  # bytes that a trie is made of

_NEW: Final = 0
_OPEN: Final = 1
_DONE: Final = 2


@final
class Charsmap:
    """The rules of one model; ``source`` names it in errors.

    Raises FormatError for a blob that is cut off, that leads out of itself or around in a circle, and whose
    replacements are not UTF-8: whatever it holds, `match` stays within the blob and the text.
    """

    def __init__(self, blob: bytes, source: str) -> None:
        self.source = source
        self.start: i64 = 0
        self.stop: i64 = 0
        if len(blob) < 4:
            raise self._error("is cut off: it does not even tell its size")
        size: i64 = i64(read_i32_le(blob, 0)) & 0xFFFFFFFF
        if size >= len(blob) - 4:
            raise self._error(
                f"is cut off: its trie has {size:,} bytes, and {len(blob) - 4:,} are there"
            )
        if size < _BLOCK or size % _BLOCK:
            raise self._error(f"has a trie of {size:,} bytes, which is no multiple of {_BLOCK:,}")
        self.replacements = blob[4 + size :]
        if self.replacements[len(self.replacements) - 1] != 0:
            raise self._error("is cut off inside of its last replacement")
        count: i64 = size >> 2
        units = vec[i32]([0] * count)
        for index in range(count):
            units[index] = read_i32_le(blob, 4 + index * 4)
        self._units = units
        self._root: i64 = 0
        self._check_units()
        self._check_rules()
        self._characters = self._first_characters()

    def match(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns the size of the longest rule that ``data[at:stop]`` begins with, 0 where there is none.

        Its replacement is then ``replacements[start:stop]``, of the attributes of these names.
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

    def skip_others(self, data: bytes, at: i64, stop: i64, marks: bool) -> i64:
        """Returns where the next character of ``data[at:stop]`` begins with which a rule begins, or one that is
        ASCII or of four bytes; with ``marks``, also a ``▁``."""
        characters = self._characters
        while at < stop:
            byte: i64 = data[at]
            if byte < 0xC0 or byte >= 0xF0:
                break
            second: i64 = data[at + 1]
            if byte < 0xE0:
                if (characters[byte & 31] >> (second & 63)) & 1 != 0 and self.match(
                    data, at, stop
                ) > 0:
                    break
                at += 2
                continue
            third: i64 = data[at + 2]
            leads = characters[32 + ((byte & 15) << 6 | second & 63)] >> (third & 63) & 1
            if leads != 0 and self.match(data, at, stop) > 0:
                break
            if marks and byte == 0xE2 and second == 0x96 and third == 0x81:
                break
            at += 3
        return at

    def first_bytes(self) -> vec[u8]:
        """Returns, for each byte: 0 where no rule begins with it; 1 where one does, but neither is the byte
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

    def _first_characters(self) -> vec[i64]:
        """Returns for each character of two or three bytes whether a rule may begin with it: a bit of an integer.

        The integer is the one at ``32 + (its bits above the last six)`` for three bytes, and without the 32 for two;
        the last six bits are the number of the bit.
        """
        bits = vec[i64]([0] * 64)
        bit: i64 = 1
        for index in range(63):
            bits[index] = bit
            if index < 62:
                bit += bit
        bits[63] = -bits[62] - bits[62]  # the sign
        found = vec[i64]([0] * 1056)
        for first in range(0xC0, 0xF0):
            for second in range(0x80, 0xC0):
                if first < 0xE0:
                    if self._leads(first, second, 0):
                        found[first & 31] |= bits[second & 63]
                    continue
                if self._leads(first, second, 0):
                    for third in range(0x80, 0xC0):
                        if self._leads(first, second, third):
                            found[32 + ((first & 15) << 6 | second & 63)] |= bits[third & 63]
        return found

    def _leads(self, first: i64, second: i64, third: i64) -> bool:
        """Tells whether a rule begins with these bytes (0: no third one), or is the beginning of them."""
        units = self._units
        node = self._root
        byte = first
        for step in range(3 if third else 2):
            if step > 0:
                byte = second if step == 1 else third
            node ^= byte
            unit: i64 = i64(units[node])
            if unit & 0x800000FF != byte:
                return False
            if unit & 256:
                return True
            node ^= (unit >> 10 & 0x1FFFFF) << ((unit & 512) >> 6)
        return True

    def swapped_bytes(self) -> vec[u8]:
        """Returns what takes the place of an ASCII byte, whatever ASCII follows: one ASCII byte; else 0."""
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
        """Checks that no unit leads out of the trie or the replacements, as Darts' ``validate`` does."""
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
        """Follows all rules from the root, children first: no circles, none too long, replacements in UTF-8."""
        units = self._units
        count: i64 = len(units)
        # The edges that leave a node, by node: the unit that it leads to tells both.
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
