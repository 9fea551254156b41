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

from tokenarium_core.characters import character_sizes
from tokenarium_core.scanner_runs import EACH_01

_BUCKETS: Final = 1 << 21
_MULTIPLIER: Final = 0x1E3779B97F4A7C15


@final
class UnigramCut:
    """The pairs of characters that some piece joins.

    Pairs of ASCII characters have a table, with a 1 where a cut is possible: ``left | right << 8``, as they are read
    from a text. Others share bits by a hash of the two: a collision hides a possible cut, and never makes a wrong one.
    """

    def __init__(self) -> None:
        self._ascii = vec[u8]([1] * 65536)
        self._joined = vec[u8]([0] * (_BUCKETS // 8))
        self._bits = vec[u8]([1, 2, 4, 8, 16, 32, 64, 128])
        self._masks = vec[i64](
            [0xFF] * 256
        )  # what to keep of bytes that are read, by the first one
        for byte in range(0xC0, 256):
            self._masks[byte] = (1 << (8 * int(character_sizes[byte]))) - 1

    def add(self, data: bytes, start: i64, stop: i64) -> None:
        """Notes each pair of neighbouring characters of the piece ``data[start:stop]`` (padded)."""
        sizes = character_sizes
        masks = self._masks
        left: i64 = 0
        at = start
        while at < stop:
            byte: i64 = data[at]
            size: i64 = i64(sizes[byte])
            right = read_i64_le(data, at) & masks[byte]
            if at > start:
                if left < 0x80 and right < 0x80:
                    self._ascii[left | right << 8] = 0
                else:
                    bucket = ((left << 28) ^ right) * _MULTIPLIER >> 40 & (_BUCKETS - 1)
                    self._joined[bucket >> 3] |= self._bits[bucket & 7]
            left = right
            at += size

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32]) -> i64:
        """Cuts ``data[start:stop]`` wherever that is safe, and returns how many parts were written.

        Part k ends before byte ``ends[k]``. At most ``len(ends)`` are written: when the last one does not end
        at ``stop``, call again from there.
        """
        pairs = self._ascii
        joined = self._joined
        sizes = character_sizes
        masks = self._masks
        room: i64 = len(ends) - 1
        count: i64 = 0
        byte: i64 = data[start]
        left = read_i64_le(data, start) & masks[byte]
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
                if left < 0x80:
                    group = read_i64_le(data, at - 1)
                    if (group >> 7) & EACH_01 == 0:
                        last = at + 7 if at + 7 < pause else pause
                        while at < last:
                            ends[count] = i32(at)
                            count += i64(pairs[group & 0xFFFF])
                            group >>= 8
                            at += 1
                        left = group & 0xFF
                        continue
                group = read_i64_le(data, at)
                byte = group & 0xFF
                right = group & masks[byte]
                ends[count] = i32(at)
                if left < 0x80 and right < 0x80:
                    count += i64(pairs[left | right << 8])
                else:
                    bucket = ((left << 28) ^ right) * _MULTIPLIER >> 40 & (_BUCKETS - 1)
                    count += ~(i64(joined[bucket >> 3]) >> (bucket & 7)) & 1
                left = right
                at += i64(sizes[byte])
        ends[count] = i32(stop)
        return count + 1
