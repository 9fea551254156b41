"""Where a text may be split without changing its tokens in BPE over characters.

Two neighbouring characters end up in one token only if some merge joins them: its left symbol ends with the first one,
its right symbol begins with the second. If there is none, both sides merge as if the other did not exist. User-defined
pieces stand for themselves, so the text is also split before and after them.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.models.boundary_filter import (
    BUCKET_MULTIPLIER,
    BUCKET_SHIFT,
    LEADS,
    SIX_BYTES,
    THREE_BYTES,
    BoundaryFilter,
)
from tokenarium_core.models.bpe.merge_table import ID_MASK, MergeTable
from tokenarium_core.models.bpe.space_runs import LONGEST
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.unicode.utf8 import EACH_01, character_sizes
from tokenarium_core.vocabulary import Vocabulary

_MOST_BUCKETS: Final = 1 << 23

_JOINED: Final = 1
_STARTS: Final = 2
_LOOK: Final = 4
_RUN: Final = 8
_MORE: Final = 2

SPACES: Final = -2
"""What replaces a piece if a part is the beginning of a run of spaces: see `SpaceRuns`."""

_SPACE: Final = 32


@final
class CharacterCut:
    """The pairs of characters that some merge joins.

    By the first bytes of two neighbours, ``_first[right << 8 | left]`` (two bytes of a text as they are read) says
    whether they are joined (if both are ASCII, exactly), whether a user-defined piece may start at the left one, and
    whether a look into a `BoundaryFilter` is needed. The filter's own `cut` does not know user-defined pieces and runs
    of spaces, which have to be found too.

    ``codes`` are the code points of the symbols from ``vocabulary.count`` on (see `PieceSymbols`). ``cached``: the
    earlier output of `dump`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        table: MergeTable,
        codes: list[int],
        matcher: PrefixMatcher,
        cached: CacheReader | None = None,
    ) -> None:
        self.matcher = matcher
        self._inner = vec[u8]()  # the pairs of bytes in user-defined pieces, once they are needed
        self._sizes = character_sizes
        self._masks = vec[i64]([0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF])
        if cached is not None:
            self._first = cached.u8s()
            self._parted = cached.u8s()
            self._boundaries = BoundaryFilter(cached=cached)
            return
        self._first = vec[u8]([0] * 65536)
        firsts = vec[i64]([0] * (vocabulary.count + len(codes)))
        lasts = vec[i64]([0] * (vocabulary.count + len(codes)))
        self._find_ends(vocabulary, codes, firsts, lasts)
        first = self._first
        for left in range(0x80, 256):
            for right in range(256):
                first[right << 8 | left] = _LOOK
        size: i64 = 1 << 16
        while size < table.pairs * 16 and size < _MOST_BUCKETS:
            size *= 2
        self._boundaries = BoundaryFilter(size)
        for entry in table.entries:
            if entry == table.no_entry:
                continue
            before = lasts[entry >> 42]
            after = firsts[entry >> 21 & ID_MASK]
            if before < 0x80:
                first[(after & 0xFF) << 8 | before] = _JOINED if after < 0x80 else _LOOK
                if after < 0x80:
                    continue
            self._boundaries.join(before, after)
        for pair in range(65536):
            if matcher.starts[pair]:
                first[(pair & 0xFF) << 8 | pair >> 8] |= _STARTS
        # Of two ASCII characters: 1 if they are parted, 0 if they are joined, `_MORE` if there is more to check.
        self._parted = vec[u8]([u8(_MORE if flags > _JOINED else 1 - flags) for flags in first])

    def dump(self, out: CacheWriter) -> None:
        """Writes the tables, for ``cached``."""
        out.u8s(self._first)
        out.u8s(self._parted)
        self._boundaries.dump(out)

    @property
    def joins_spaces(self) -> bool:
        """Whether spaces merge with one another, and adjacent spaces begin no user-defined pieces."""
        return i64(self._first[_SPACE << 8 | _SPACE]) == _JOINED

    def take_runs(self) -> None:
        """Makes each run of spaces at the beginning of a part a separate part, except for its last space."""
        self._first[_SPACE << 8 | _SPACE] = _JOINED | _RUN
        self._parted[_SPACE << 8 | _SPACE] = _MORE

    def _find_ends(
        self, vocabulary: Vocabulary, codes: list[int], firsts: vec[i64], lasts: vec[i64]
    ) -> None:
        """Records the first and the last character of each symbol, as the bytes of its UTF-8."""
        arena = vocabulary.arena
        offsets = vocabulary.offsets
        sizes = self._sizes
        masks = self._masks
        for token in range(vocabulary.count):
            start: i64 = i64(offsets[token])
            stop: i64 = i64(offsets[token + 1])
            if start == stop:
                continue
            byte: i64 = arena[start]
            firsts[token] = read_i64_le(arena, start) & masks[i64(sizes[byte])]
            at = stop - 1
            byte = arena[at]
            while byte >> 6 == 2 and at > start:
                at -= 1
                byte = arena[at]
            lasts[token] = read_i64_le(arena, at) & masks[i64(sizes[byte])]
        for index in range(1, len(codes)):
            coded = int.from_bytes(chr(codes[index]).encode(), "little")
            firsts[vocabulary.count + index] = coded
            lasts[vocabulary.count + index] = coded

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], pieces: vec[i32]) -> i64:
        """Splits ``data[start:stop]`` wherever that is safe; returns the number of parts.

        Part ``k`` ends before byte ``ends[k]``; ``pieces[k]`` is its id where it is a user-defined piece, else -1 (or
        `SPACES`, see `take_runs`, and then it is never the last). At most ``len(ends) - 1`` are written, which must be
        8 or more: when the last one does not end at ``stop``, call again from there.
        """
        first = self._first
        parted = self._parted
        joined = self._boundaries.joined
        mask = self._boundaries.mask
        sizes = self._sizes
        masks = self._masks
        matcher = self.matcher
        room: i64 = len(ends) - 8
        count: i64 = 0
        at = start
        while at < stop and count < room:
            group = read_i64_le(data, at)
            if (group >> 7) & EACH_01 == 0:  # seven pairs of ASCII
                before = count
                seen: i64 = 0
                place = at + 1
                last = at + 8 if at + 8 < stop else stop
                while place < last:
                    kind: i64 = i64(parted[group & 0xFFFF])
                    seen |= kind
                    ends[count] = i32(place)
                    pieces[count] = -1
                    count += kind & 1
                    group >>= 8
                    place += 1
                if seen < _MORE:
                    at = place - 1
                    if at + 1 < stop:
                        continue
                    group = read_i64_le(data, at)
                else:  # up to the first pair that needs more checks
                    count = before
                    group = read_i64_le(data, at)
                    kind = i64(parted[group & 0xFFFF])
                    while kind < _MORE:
                        at += 1
                        ends[count] = i32(at)
                        pieces[count] = -1
                        count += kind
                        group >>= 8
                        kind = i64(parted[group & 0xFFFF])
            flags: i64 = i64(first[group & 0xFFFF])
            if flags & (_RUN | _STARTS) != 0:
                begin = start
                if count > 0:
                    begin = i64(ends[count - 1])
                if flags & _RUN != 0:
                    size = self._run_of_spaces(data, at, stop)
                    if at == begin and size <= LONGEST and at + size < stop:
                        if count + 1 >= room:
                            break  # the word after it must have its place too
                        at += size - 1
                        ends[count] = i32(at)
                        pieces[count] = SPACES
                        count += 1
                    else:
                        at += size - 1
                        if at + 1 == stop:
                            at = stop
                    continue
                piece = matcher.match(data, at, stop)
                if piece >= 0:
                    if at > begin:
                        ends[count] = i32(at)
                        pieces[count] = -1
                        count += 1
                    at += matcher.length
                    ends[count] = i32(at)
                    pieces[count] = i32(piece)
                    count += 1
                    continue
            # Every character's end is written, and stays if it is safe: a branch could not be predicted.
            pieces[count] = -1
            if flags & _LOOK != 0:
                pair = group & SIX_BYTES
                if group & LEADS == THREE_BYTES:
                    at += 3
                else:
                    size = i64(sizes[group & 0xFF])
                    at += size
                    right = read_i64_le(data, at)
                    pair = (group & masks[size]) ^ (right & masks[i64(sizes[right & 0xFF])]) << 24
                bucket = pair * BUCKET_MULTIPLIER >> BUCKET_SHIFT & mask
                ends[count] = i32(at)
                count += ~(i64(joined[bucket >> 3]) >> (bucket & 7)) & 1
            else:
                at += 1
                ends[count] = i32(at)
                count += ~flags & _JOINED
        if at >= stop and (count == 0 or i64(ends[count - 1]) < stop):
            ends[count] = i32(stop)
            pieces[count] = -1
            count += 1
        return count

    def _run_of_spaces(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the number of spaces at byte ``start``."""
        at = start + 1
        while at + 8 <= stop and read_i64_le(data, at) == read_i64_le(data, at - 1):
            at += 8
        while at < stop:
            byte: i64 = data[at]
            if byte != _SPACE:
                break
            at += 1
        return at - start

    def divide(self, data: bytes, stop: i64) -> i64:
        """Returns the last position before byte ``stop`` that divides a text, or 0 if there is none.

        The text before and after it may be split, and searched for user-defined pieces, separately.
        """
        if len(self._inner) == 0:
            self._inner = self.matcher.inner_pairs()
        inner = self._inner
        at = stop - 1
        while at > 0:
            byte: i64 = data[at]
            before: i64 = data[at - 1]
            if (
                byte >> 6 != 2
                and i64(inner[before << 8 | byte]) == 0
                and not self._are_joined(data, at)
            ):
                return at
            at -= 1
        return 0

    def _are_joined(self, data: bytes, at: i64) -> bool:
        """Returns whether the character that begins at a byte may be joined to the one before."""
        start = at - 1
        byte: i64 = data[start]
        while byte >> 6 == 2 and start > 0:
            start -= 1
            byte = data[start]
        follower: i64 = data[at]
        flags: i64 = i64(self._first[follower << 8 | byte])
        if flags & _LOOK == 0:
            return flags & _JOINED != 0
        left = read_i64_le(data, start) & self._masks[at - start]
        right = read_i64_le(data, at) & self._masks[i64(self._sizes[follower])]
        return self._boundaries.may_join(left, right, 0, 0)
