"""Counts the distinct pre-tokens of a corpus, which is all that training needs of it.

Only distinct pre-tokens are kept, so a corpus of gigabytes takes tens of megabytes.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter, read_i64_le, write_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import TokenariumError
from tokenarium_core.padded_text import PADDING, ZEROS, padded
from tokenarium_core.pretokenizers.pretokenizer import REMOVED, PreTokenizer
from tokenarium_core.training.merging.segmentation import CountedWords
from tokenarium_core.unicode.utf8 import EACH_01

BLOCK: Final = 4096  # pre-tokens cut at a time; some tenths of a millisecond
SHORT: Final = 7  # bytes of the longest word that fits into a key next to its length
MULTIPLIER: Final = 0x2545F4914F6CDD1D  # of Vigna's xorshift*: odd, and its bits well spread
HASH_MASK: Final = 0x3FFFFFFFFFFFFFFF  # compiled integers wrap, interpreted ones have to be cut
PLACE_BITS: Final = 40
PLACE_MASK: Final = 0xFFFFFFFFFF
COUNT_BITS: Final = 36  # of a count; a word's number is above it
COUNT_MASK: Final = 0xFFFFFFFFF
MOST_SLOTS: Final = 1 << 27  # numbers that fit above a count
MERGED: Final = 1 << 14  # words of another table that are copied at a time
COMMON: Final = 65536  # counts below are sorted by counting, the few above by comparing


@final
class PreTokenCounts:
    """The different pre-tokens of a corpus, the most frequent first: their bytes one after the other in ``data``.

    Pre-token ``n`` ends before byte ``ends[n]`` and occurs ``counts[n]`` times.
    """

    def __init__(self, data: bytes, ends: vec[i64], counts: vec[i64]) -> None:
        self.data = data
        self.ends = ends
        self.counts = counts

    def __len__(self) -> int:
        return len(self.ends)

    def piece(self, number: int) -> bytes:
        """Returns the bytes of a pre-token; IndexError if there is none of this number."""
        if not 0 <= number < len(self.ends):
            raise IndexError(
                f"There is no pre-token {number}: the corpus has {len(self.ends):,} different ones."
            )
        start: i64 = self.ends[number - 1] if number > 0 else 0
        stop: i64 = self.ends[number]
        return self.data[start:stop]


@final
class WordCounter(CountedWords):
    """A table of the distinct pre-tokens ("words") of a corpus and how often each was seen.

    The table is open addressing in one packed array: slot ``k`` holds a key in ``table[2 * k]``
    (0: empty), in ``table[2 * k + 1]`` a count and, above it, the word's number: words are numbered as
    they come. A word of up to 7 bytes *is* its key: its bytes
    in little-endian order, its length in the top byte. A longer word is in an arena of 8-byte
    units (its length, then its bytes, filled up with zeros); its key is negative and holds 22 bits
    of its hash next to the place in the arena, so that unequal words are seldom compared there.
    """

    def __init__(self, pre_tokenizer: PreTokenizer) -> None:
        self.pre_tokenizer = pre_tokenizer
        self.distinct: i64 = 0  # words in the table
        self.total: i64 = 0  # words counted
        self.byte_count: i64 = 0  # bytes of all words counted
        self._found: i64 = 0  # the slot of the word that `count` found
        self._slots: i64 = 4096  # a power of two
        self._table = vec[i64]([0] * 8192)
        self._arena = vec[i64]([0] * 4096)
        self._arena_used: i64 = 0
        self._masks = vec[i64]([(1 << 8 * n) - 1 for n in range(SHORT + 1)])
        self.ends = vec[i32]([0] * BLOCK)  # of the words that were counted last
        self.numbers = vec[i32]([0] * BLOCK)  # … and which words they were
        self._rules = vec[u8]([0] * BLOCK)

    def add(self, text: str) -> None:
        """Counts the words of a whole text."""
        data = padded(text)
        stop: i64 = len(data) - PADDING
        start: i64 = 0
        while start < stop:
            start = self.add_block(data, start, stop, stop)

    def add_block(self, data: bytes, start: i64, stop: i64, limit: i64) -> i64:
        """Counts up to `BLOCK` words of ``data[start:stop]`` and returns the end of the last one.

        ``data`` is padded UTF-8 and ``start`` a cut (see `PreTokenizer.cut`). Words that end after
        ``limit`` are left for later, because the text goes on after ``stop`` and may change them:
        ``start`` is returned if no word ends before. Text that the pre-tokenizer removes is not counted.
        """
        ends = self.ends
        numbers = self.numbers
        rules = self._rules
        masks = self._masks
        table = self._table
        slot_mask = self._slots - 1
        count: i64 = self.pre_tokenizer.cut(data, start, stop, ends, rules)
        begin = start
        removed: i64 = 0
        removed_bytes: i64 = 0
        k: i64 = 0
        while k < count:
            end = i64(ends[k])
            if end > limit:
                break
            size = end - begin
            if i64(rules[k]) == REMOVED:
                removed += 1
                removed_bytes += size
            elif size <= SHORT:
                key = (read_i64_le(data, begin) & masks[size]) | (size << 56)
                slot = ((key ^ (key >> 29)) * MULTIPLIER >> 32) & slot_mask
                found = table[2 * slot]
                while found != key and found != 0:
                    slot = (slot + 1) & slot_mask
                    found = table[2 * slot]
                value = table[2 * slot + 1] + 1
                if found == 0:
                    value += self.distinct << COUNT_BITS
                table[2 * slot + 1] = value
                numbers[k] = i32(value >> COUNT_BITS)
                if found == 0:
                    table[2 * slot] = key
                    self._grow()
                    table = self._table
                    slot_mask = self._slots - 1
            else:
                numbers[k] = i32(self._count_long(data, begin, end, 1))
                table = self._table
                slot_mask = self._slots - 1
            begin = end
            k += 1
        self.total += k - removed
        self.byte_count += begin - start - removed_bytes
        return begin

    def clear(self) -> None:
        """Forgets all words; the next ones are numbered from 0 again."""
        self.distinct = 0
        self.total = 0
        self.byte_count = 0
        self._slots = 4096
        self._table = vec[i64]([0] * 8192)
        self._arena = vec[i64]([0] * 4096)
        self._arena_used = 0

    @property
    def memory(self) -> int:
        """How many bytes the table and the arena take; three times the table while it is doubled."""
        return int(16 * self._slots + 8 * i64(len(self._arena)))

    def copied(self) -> WordCounter:
        """Returns a counter of the same words, which goes on separately."""
        other = WordCounter(self.pre_tokenizer)
        other.distinct = self.distinct
        other.total = self.total
        other.byte_count = self.byte_count
        other._slots = self._slots
        other._table = self._table[:]
        other._arena = self._arena[:]
        other._arena_used = self._arena_used
        return other

    def add_counted(self, data: bytes, begin: i64, end: i64, count: i64) -> None:
        """Counts a word, ``data[begin:end]`` of padded bytes, ``count`` times more.

        Raises TokenariumError where a count becomes too large for the table.
        """
        self.count(data, begin, end, 0)
        slot = self._found
        value = self._table[2 * slot + 1]
        if (value & COUNT_MASK) + count > COUNT_MASK:
            raise TokenariumError(
                f"{data[begin:end]!r} occurs more than {COUNT_MASK:,} times, the most that training can hold:"
                " count a part of the corpus."
            )
        self._table[2 * slot + 1] = value + count
        self.total += count
        self.byte_count += count * (end - begin)

    def add_all(self, other: WordCounter) -> None:
        """Counts all words of another counter as often as it did."""
        slots = other._slots
        first: i64 = 0
        while first < slots:
            self._add_slots(other, first, min(first + MERGED, slots))
            first += MERGED

    def _add_slots(self, other: WordCounter, first: i64, stop: i64) -> None:
        writer = BytesWriter()
        slot = first
        while slot < stop:
            if other._table[2 * slot] != 0:
                other.write_units(slot, writer)
            slot += 1
        writer.write(ZEROS)
        data = writer.getvalue()
        at: i64 = 0
        slot = first
        while slot < stop:
            if other._table[2 * slot] != 0:
                size = other.size_of(slot)
                self.add_counted(data, at, at + size, other.count_of(slot))
                at += (size + 7) >> 3 << 3
            slot += 1

    def count(self, data: bytes, begin: i64, end: i64, times: i64 = 1) -> i64:
        """Counts one word, ``data[begin:end]``, some times; returns its number."""
        size = end - begin
        if size > SHORT:
            return self._count_long(data, begin, end, times)
        key = (read_i64_le(data, begin) & self._masks[size]) | (size << 56)
        slot_mask = self._slots - 1
        slot = self._hash(key) & slot_mask
        table = self._table
        while table[2 * slot] != key and table[2 * slot] != 0:
            slot = (slot + 1) & slot_mask
        value = table[2 * slot + 1] + times
        self._found = slot
        if table[2 * slot] == 0:
            value += self.distinct << COUNT_BITS
            table[2 * slot] = key
            table[2 * slot + 1] = value
            self._grow()
        else:
            table[2 * slot + 1] = value
        return value >> COUNT_BITS

    def _count_long(self, data: bytes, begin: i64, end: i64, times: i64) -> i64:
        """Counts one word of more than `SHORT` bytes, some times; returns its number."""
        table = self._table
        slot_mask = self._slots - 1
        size = end - begin
        digest = size
        at = begin
        while at + 8 <= end:
            digest = ((digest ^ read_i64_le(data, at)) * MULTIPLIER) & HASH_MASK
            digest ^= digest >> 29
            at += 8
        tail = read_i64_le(data, at) & self._masks[end - at]
        digest = ((digest ^ tail) * MULTIPLIER) & HASH_MASK
        digest ^= digest >> 31
        tag = digest >> PLACE_BITS
        slot = digest & slot_mask
        while True:
            key = table[2 * slot]
            if key == 0:
                break
            if key < 0 and (-1 - key) >> PLACE_BITS == tag:
                if self._is_word((-1 - key) & PLACE_MASK, data, begin, end):
                    value = table[2 * slot + 1] + times
                    table[2 * slot + 1] = value
                    self._found = slot
                    return value >> COUNT_BITS
            slot = (slot + 1) & slot_mask
        self._found = slot
        table[2 * slot] = -1 - ((tag << PLACE_BITS) | self._store(data, begin, end))
        number = self.distinct
        table[2 * slot + 1] = number << COUNT_BITS | times
        self._grow()
        return number

    def _is_word(self, place: i64, data: bytes, begin: i64, end: i64) -> bool:
        """Returns whether the word in the arena at ``place`` is ``data[begin:end]``."""
        arena = self._arena
        if arena[place] != end - begin:
            return False
        at = begin
        while at + 8 <= end:
            place += 1
            if arena[place] != read_i64_le(data, at):
                return False
            at += 8
        return at == end or arena[place + 1] == read_i64_le(data, at) & self._masks[end - at]

    def _store(self, data: bytes, begin: i64, end: i64) -> i64:
        """Writes a word into the arena and returns its place."""
        place = self._arena_used
        used = place + 1 + ((end - begin + 7) >> 3)
        if used > len(self._arena):
            self._arena = _copy(self._arena, place, used + (used >> 1))
        arena = self._arena
        arena[place] = end - begin
        unit = place + 1
        at = begin
        while at + 8 <= end:
            arena[unit] = read_i64_le(data, at)
            unit += 1
            at += 8
        if at < end:
            arena[unit] = read_i64_le(data, at) & self._masks[end - at]
        self._arena_used = used
        return place

    def _hash(self, key: i64) -> i64:
        """Returns the hash of the word of a key: the same number by which counting found it."""
        if key > 0:
            return (key ^ (key >> 29)) * MULTIPLIER >> 32
        arena = self._arena
        place = (-1 - key) & PLACE_MASK
        size = arena[place]
        digest = size
        unit: i64 = 0
        while unit < size >> 3:
            digest = ((digest ^ arena[place + 1 + unit]) * MULTIPLIER) & HASH_MASK
            digest ^= digest >> 29
            unit += 1
        tail: i64 = 0
        if size & 7 != 0:
            tail = arena[place + 1 + unit]
        digest = ((digest ^ tail) * MULTIPLIER) & HASH_MASK
        return digest ^ (digest >> 31)

    def _grow(self) -> None:
        """Notes a new word; doubles the table when it is filled to five eighths.

        Raises TokenariumError where `MOST_SLOTS` are too few.
        """
        self.distinct += 1
        if self.distinct * 8 < self._slots * 5:
            return
        if self._slots >= MOST_SLOTS:
            raise TokenariumError(
                f"The corpus has more than {self.distinct:,} different words: count it in parts, or with a pattern"
                " that cuts finer."
            )
        old = self._table
        slots = self._slots
        table = vec[i64]([0] * (4 * slots))
        slot_mask = 2 * slots - 1
        moved: i64 = 0
        k: i64 = 0
        while k < slots:
            key = old[2 * k]
            if key != 0:
                slot = self._hash(key) & slot_mask
                while table[2 * slot] != 0:
                    slot = (slot + 1) & slot_mask
                if k == self._found:
                    moved = slot
                table[2 * slot] = key
                table[2 * slot + 1] = old[2 * k + 1]
            k += 1
        self._table = table
        self._slots = 2 * slots
        self._found = moved

    def symbol_count(self) -> i64:
        """Returns how many bytes were counted."""
        return self.byte_count

    def slots_by_count(self) -> vec[i32]:
        """Returns the slots of all words, the most frequent word first."""
        table = self._table
        slots = self._slots
        starts = vec[i64]([0] * (COMMON + 1))
        rare: list[tuple[int, int]] = []
        k: i64 = 0
        while k < slots:
            count = table[2 * k + 1] & COUNT_MASK
            if count >= COMMON:
                rare.append((-count, k))
            elif count > 0:
                starts[count] += 1
            k += 1
        rare.sort()
        order = vec[i32]([0] * self.distinct)
        place: i64 = 0
        for _, slot in rare:
            order[place] = i32(slot)
            place += 1
        count = COMMON - 1
        while count > 0:
            size = starts[count]
            starts[count] = place
            place += size
            count -= 1
        k = 0
        while k < slots:
            count = table[2 * k + 1] & COUNT_MASK
            if 0 < count < COMMON:
                order[starts[count]] = i32(k)
                starts[count] += 1
            k += 1
        return order

    def slots_by_number(self) -> vec[i32]:
        """Returns the slots of all words, in the order in which they came."""
        table = self._table
        order = vec[i32]([0] * self.distinct)
        for k in range(self._slots):
            if table[2 * k] != 0:
                order[table[2 * k + 1] >> COUNT_BITS] = i32(k)
        return order

    def slots_by_bytes(self) -> vec[i32]:
        """Returns the slots of all words, sorted by their bytes."""
        order = vec[i32]([0] * self.distinct)
        count: i64 = 0
        k: i64 = 0
        while k < self._slots:
            if self._table[2 * k] != 0:
                order[count] = i32(k)
                count += 1
            k += 1
        ranks = vec[i64]([0] * count)
        k = 0
        while k < count:
            ranks[k] = self._rank(i64(order[k]))
            k += 1
        # Runs that are sorted already, of one word each at first, are merged in pairs.
        other = vec[i32]([0] * count)
        other_ranks = vec[i64]([0] * count)
        width: i64 = 1
        while width < count:
            start: i64 = 0
            while start < count:
                middle = min(start + width, count)
                stop = min(middle + width, count)
                left = start
                right = middle
                at = start
                while at < stop:
                    if right >= stop:
                        takes_left = True
                    elif left >= middle:
                        takes_left = False
                    elif ranks[left] != ranks[right]:
                        takes_left = ranks[left] < ranks[right]
                    else:
                        takes_left = self._precedes(i64(order[left]), i64(order[right]))
                    if takes_left:
                        other[at] = order[left]
                        other_ranks[at] = ranks[left]
                        left += 1
                    else:
                        other[at] = order[right]
                        other_ranks[at] = ranks[right]
                        right += 1
                    at += 1
                start = stop
            swapped = order
            order = other
            other = swapped
            swapped_ranks = ranks
            ranks = other_ranks
            other_ranks = swapped_ranks
            width *= 2
        return order

    def _rank(self, slot: i64) -> i64:
        """Returns the first 7 bytes of a word as a number, and below them its size, at most 8.

        Equal numbers of different words mean that both have 8 bytes or more.
        """
        bits = self._table[2 * slot]
        size = bits >> 56
        if bits < 0:
            place = (-1 - bits) & PLACE_MASK
            size = 8
            bits = self._arena[place + 1]
        number: i64 = 0
        k: i64 = 0
        while k < SHORT:
            number = number << 8 | (bits & 0xFF)
            bits >>= 8
            k += 1
        return number << 4 | size

    def _precedes(self, slot: i64, other: i64) -> bool:
        """Compares two words of 8 bytes or more by their bytes."""
        arena = self._arena
        left = (-1 - self._table[2 * slot]) & PLACE_MASK
        right = (-1 - self._table[2 * other]) & PLACE_MASK
        units = (min(arena[left], arena[right]) + 7) >> 3
        unit: i64 = 1
        while unit <= units:
            one = arena[left + unit]
            two = arena[right + unit]
            if one != two:
                while one & 0xFF == two & 0xFF:
                    one >>= 8
                    two >>= 8
                return one & 0xFF < two & 0xFF
            unit += 1
        return arena[left] < arena[right]

    def count_of(self, slot: i64) -> i64:
        """Returns how often the word in a slot was counted."""
        return self._table[2 * slot + 1] & COUNT_MASK

    def size_of(self, slot: i64) -> i64:
        """Returns the length of the word in a slot, in bytes."""
        key = self._table[2 * slot]
        return key >> 56 if key > 0 else self._arena[(-1 - key) & PLACE_MASK]

    def characters_of(self, slot: i64) -> i64:
        """Returns the length of the word in a slot, in characters."""
        key = self._table[2 * slot]
        if key > 0:
            return (key >> 56) - _continuations(key & self._masks[SHORT])
        arena = self._arena
        place = (-1 - key) & PLACE_MASK
        size = arena[place]
        characters = size
        for unit in range(place + 1, place + 1 + ((size + 7) >> 3)):
            characters -= _continuations(arena[unit])
        return characters

    def write(self, slot: i64, symbols: vec[i32], at: i64) -> i64:
        """Writes the bytes of the word in a slot to ``symbols[at:]`` and returns its length."""
        key = self._table[2 * slot]
        arena = self._arena
        bits = key
        unit: i64 = 0
        size = key >> 56
        if key < 0:
            unit = (-1 - key) & PLACE_MASK
            size = arena[unit]
        k: i64 = 0
        while k < size:
            if key < 0 and k & 7 == 0:
                unit += 1
                bits = arena[unit]
            symbols[at + k] = i32(bits & 0xFF)
            bits >>= 8
            k += 1
        return size

    def write_units(self, slot: i64, writer: BytesWriter) -> i64:
        """Writes the bytes of the word in a slot, filled up to eights with zeros; returns its length."""
        key = self._table[2 * slot]
        if key > 0:
            write_i64_le(writer, key & self._masks[SHORT])
            return key >> 56
        arena = self._arena
        place = (-1 - key) & PLACE_MASK
        size = arena[place]
        unit: i64 = 0
        while unit < (size + 7) >> 3:
            write_i64_le(writer, arena[place + 1 + unit])
            unit += 1
        return size

    def listed(self) -> PreTokenCounts:
        """Returns the words and their counts in packed columns, the most frequent word first."""
        order = self.slots_by_count()
        ends = vec[i64]([0] * self.distinct)
        counts = vec[i64]([0] * self.distinct)
        writer = BytesWriter()
        symbols = vec[i32]([0] * 64)
        end: i64 = 0
        for place in range(self.distinct):
            slot = i64(order[place])
            size = self.size_of(slot)
            if size > len(symbols):
                symbols = vec[i32]([0] * (2 * size))
            self.write(slot, symbols, 0)
            for at in range(size):
                writer.append(u8(symbols[at]))
            end += size
            ends[place] = end
            counts[place] = self.count_of(slot)
        return PreTokenCounts(writer.getvalue(), ends, counts)

    def counts(self) -> dict[bytes, int]:
        """Returns the words and their counts as a dictionary, for inspection: it takes much memory."""
        words: dict[bytes, int] = {}
        for found in self.slots_by_count():
            slot = i64(found)
            symbols = vec[i32]([0] * self.size_of(slot))
            self.write(slot, symbols, 0)
            words[bytes(list(symbols))] = self.count_of(slot)
        return words


def _continuations(eight: i64) -> i64:
    """Returns how many of eight bytes continue a character of UTF-8: they have the highest bit, and not the next."""
    found = (eight >> 7) & ~(eight >> 6) & EACH_01
    return (found * EACH_01 >> 56) & 0xFF


def _copy(values: vec[i64], used: i64, size: i64) -> vec[i64]:
    """Returns an array of ``size`` that begins with ``values[:used]``, the rest zeros."""
    larger = vec[i64]([0] * size)
    k: i64 = 0
    while k < used:
        larger[k] = values[k]
        k += 1
    return larger
