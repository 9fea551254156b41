"""Counts the distinct pre-tokens of a corpus, which is all that training needs.

Only distinct pre-tokens are kept, so a corpus of gigabytes takes tens of megabytes.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter, read_i64_le, write_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import IdError, TokenariumError
from tokenarium_core.padded_text import PADDING, ZEROS, padded
from tokenarium_core.pretokenizers.pretokenizer import REMOVED, PreTokenizer
from tokenarium_core.training.merging.segmentation import CountedWords
from tokenarium_core.unicode.utf8 import EACH_01

BLOCK: Final = 4096  # pre-tokens cut at a time; some tenths of a millisecond
LONG: Final = 16  # bytes of the shortest word that does not fit into two numbers next to its length
MULTIPLIER: Final = 0x2545F4914F6CDD1D  # of Vigna's xorshift*: odd, and its bits well spread
SECOND: Final = (
    0x1E3779B97F4A7C15  # odd too, from the golden ratio: for the second number of a word
)
HASH_MASK: Final = 0x3FFFFFFFFFFFFFFF  # compiled integers wrap, interpreted ones have to be cut
SIZE_BITS: Final = 56  # of a word's second number, below its length
REST_MASK: Final = 0xFFFFFFFFFFFFFF
COUNT_BITS: Final = 36  # of a count; a word's number is above it
COUNT_MASK: Final = 0xFFFFFFFFF
MOST_SLOTS: Final = 1 << 27  # numbers that fit above a count
MOST_BYTES: Final = 1 << 24  # of a word: a training takes some 30 bytes of memory for each
FIRST_SLOTS: Final = 4096
FILLED: Final = 13  # sixteenths of the slots that may have a word
MERGED: Final = 1 << 14  # words of another table that are copied at a time
COMPARED: Final = (
    64  # bytes of a word that are sorted as numbers; words with longer equal beginnings are few
)
COMMON: Final = 65536  # counts below are sorted by counting, the few above by comparing


@final
class PreTokenCounts:
    """The distinct pre-tokens of a corpus, the most frequent first: their bytes one after another in ``data``.

    Pre-token ``n`` ends before byte ``ends[n]`` and occurs ``counts[n]`` times.
    """

    def __init__(self, data: bytes, ends: vec[i64], counts: vec[i64]) -> None:
        self.data = data
        self.ends = ends
        self.counts = counts

    def __len__(self) -> int:
        return len(self.ends)

    def piece(self, number: int) -> bytes:
        """Returns the bytes of a pre-token; IndexError for an invalid number."""
        if not 0 <= number < len(self.ends):
            raise IdError(
                f"There is no pre-token {number}: the corpus has {len(self.ends):,} different ones."
            )
        start: i64 = self.ends[number - 1] if number > 0 else 0
        stop: i64 = self.ends[number]
        return self.data[start:stop]


@final
class WordCounter:
    """A table of the distinct pre-tokens ("words") of a corpus and how often each was seen.

    A word of up to 15 bytes is two numbers: its first eight bytes and the others, both little-endian and padded with
    zeros, with the length in the top byte of the second. For a longer word they are its hash and, below `LONG` in the
    top byte, its index in an arena of 8-byte units, which contains the length, then its bytes, padded with zeros.

    The table is open addressing in one packed array: slot ``k`` holds the two numbers in ``table[3 * k]`` and
    ``table[3 * k + 1]`` (0: empty), in ``table[3 * k + 2]`` a count and, above it, the word's number: words are
    numbered as they come.

    A word that is where its hash says, as most are, is found in one place of memory, without loop.
    """

    def __init__(self, pre_tokenizer: PreTokenizer) -> None:
        self.pre_tokenizer = pre_tokenizer
        self.distinct: i64 = 0  # words in the table
        self.total: i64 = 0  # words counted
        self.byte_count: i64 = 0  # bytes of all words counted
        self.weight: i64 = 0  # how often the text occurs that `add_block` is given; 0: once
        self._found: i64 = 0  # the slot of the word that was counted last
        self._slots: i64 = FIRST_SLOTS  # a power of two
        self._table = vec[i64]([0] * (3 * FIRST_SLOTS))
        self._arena = vec[i64]([0] * FIRST_SLOTS)
        self._arena_used: i64 = 0
        # By the length of a word, at most `LONG`: which bits of its first eight bytes are its own; then, which of the
        # next eight.
        own = [(1 << 8 * n) - 1 for n in range(8)]
        self._masks = vec[i64](own + [-1] * 8 + [0] + [0] * 8 + own + [0])
        self.ends = vec[i32]([0] * BLOCK)  # of the words that were counted last
        self.numbers = vec[i32]([0] * BLOCK)  # … and which words they were
        self._rules = vec[u8]([0] * BLOCK)
        self._no_rules = vec[u8]()

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
        ``limit`` are left for later, because the text continues after ``stop`` and may change them:
        ``start`` is returned if no word ends before. Text that the pre-tokenizer removes is not counted.

        With a ``weight``, each word is counted that many times; TokenariumError if a count becomes too large for the
        table. Without a weight this is not checked, as no text is long enough.
        """
        if self.weight != 0:
            return self._add_weighted(data, start, stop, limit)
        cutter = self.pre_tokenizer
        ends = self.ends
        numbers = self.numbers
        rules = self._no_rules if cutter.names_on_demand else self._rules
        masks = self._masks
        table = self._table
        slot_mask = self._slots - 1
        count: i64 = cutter.cut(data, start, stop, ends, rules)
        while count > 0 and i64(ends[count - 1]) > limit:
            count -= 1
        ruled = len(rules) > 0
        begin = start
        removed: i64 = 0
        removed_bytes: i64 = 0
        k: i64 = 0
        while k < count:
            end = i64(ends[k])
            size = end - begin
            if ruled and i64(rules[k]) == REMOVED:
                removed += 1
                removed_bytes += size
            elif size < LONG:
                low = read_i64_le(data, begin) & masks[size]
                rest = read_i64_le(data, begin + 8) & masks[size + LONG + 1]
                high = rest | (size << SIZE_BITS)
                digest = (low ^ (high * SECOND)) & HASH_MASK
                digest = ((digest ^ (digest >> 29)) * MULTIPLIER) & HASH_MASK
                at = 3 * ((digest ^ (digest >> 31)) & slot_mask)
                entry = table[at + 1]
                if (entry ^ high) | (table[at] ^ low) == 0:
                    value = table[at + 2] + 1
                    table[at + 2] = value
                    numbers[k] = i32(value >> COUNT_BITS)
                else:
                    digest ^= digest >> 31
                    numbers[k] = i32(self._count(data, begin, end, digest, 1))
                    table = self._table
                    slot_mask = self._slots - 1
            else:
                digest = self._long_digest(data, begin, end)
                numbers[k] = i32(self._count(data, begin, end, digest, 1))
                table = self._table
                slot_mask = self._slots - 1
            begin = end
            k += 1
        self.total += count - removed
        self.byte_count += begin - start - removed_bytes
        return begin

    def _add_weighted(self, data: bytes, start: i64, stop: i64, limit: i64) -> i64:
        """Does what `add_block` does, with a ``weight``."""
        cutter = self.pre_tokenizer
        rules = self._no_rules if cutter.names_on_demand else self._rules
        count: i64 = cutter.cut(data, start, stop, self.ends, rules)
        begin = start
        k: i64 = 0
        while k < count:
            end = i64(self.ends[k])
            if end > limit:
                break
            if len(rules) == 0 or i64(rules[k]) != REMOVED:
                self.add_counted(data, begin, end, self.weight)
            begin = end
            k += 1
        return begin

    def clear(self) -> None:
        """Removes all words; the next ones are numbered from 0 again."""
        self.distinct = 0
        self.total = 0
        self.byte_count = 0
        self._slots = FIRST_SLOTS
        self._table = vec[i64]([0] * (3 * FIRST_SLOTS))
        self._arena = vec[i64]([0] * FIRST_SLOTS)
        self._arena_used = 0

    @property
    def memory(self) -> int:
        """How many bytes the tables take; while the largest is being doubled, it takes three times its size."""
        return int(24 * self._slots + 8 * i64(len(self._arena)))

    @property
    def full(self) -> bool:
        """Whether the table will soon be doubled: it is within a sixteenth of its limit."""
        return bool(self.distinct * 256 > self._slots * FILLED * 15)

    def copied(self) -> WordCounter:
        """Returns an independent copy of the counter."""
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

        Raises TokenariumError if a count becomes too large for the table.
        """
        self.count(data, begin, end, 0)
        self._add_to(self._found, count)
        self.total += count
        self.byte_count += count * (end - begin)

    def _add_to(self, slot: i64, count: i64) -> None:
        """Adds to the count of the word in a slot; TokenariumError if it becomes too large."""
        table = self._table
        value = table[3 * slot + 2]
        if (value & COUNT_MASK) + count > COUNT_MASK:
            writer = BytesWriter()
            size = self.write_units(slot, writer)
            raise TokenariumError(
                f"{writer.getvalue()[:size]!r} occurs more than {COUNT_MASK:,} times, the most that training can hold:"
                " count a part of the corpus."
            )
        table[3 * slot + 2] = value + count

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
            if other._table[3 * slot + 1] != 0:
                other.write_units(slot, writer)
            slot += 1
        writer.write(ZEROS)
        data = writer.getvalue()
        at: i64 = 0
        slot = first
        while slot < stop:
            if other._table[3 * slot + 1] != 0:
                size = other.size_of(slot)
                self.add_counted(data, at, at + size, other.count_of(slot))
                at += (size + 7) >> 3 << 3
            slot += 1

    def count(self, data: bytes, begin: i64, end: i64, times: i64 = 1) -> i64:
        """Counts one word, ``data[begin:end]`` of padded bytes, a number of times; returns its number."""
        return self._count(data, begin, end, self._digest(data, begin, end), times)

    def _digest(self, data: bytes, begin: i64, end: i64) -> i64:
        """Returns the hash of a word."""
        size = end - begin
        if size >= LONG:
            return self._long_digest(data, begin, end)
        low = read_i64_le(data, begin) & self._masks[size]
        high = (read_i64_le(data, begin + 8) & self._masks[size + LONG + 1]) | (size << SIZE_BITS)
        digest = (low ^ (high * SECOND)) & HASH_MASK
        digest = ((digest ^ (digest >> 29)) * MULTIPLIER) & HASH_MASK
        return digest ^ (digest >> 31)

    def _long_digest(self, data: bytes, begin: i64, end: i64) -> i64:
        """Returns the hash of a word of `LONG` bytes or more."""
        digest = end - begin
        at = begin
        while at + 8 <= end:
            digest = ((digest ^ read_i64_le(data, at)) * MULTIPLIER) & HASH_MASK
            digest ^= digest >> 29
            at += 8
        tail = read_i64_le(data, at) & self._masks[end - at]
        digest = ((digest ^ tail) * MULTIPLIER) & HASH_MASK
        return digest ^ (digest >> 31)

    def _count(self, data: bytes, begin: i64, end: i64, digest: i64, times: i64) -> i64:
        """Counts one word with a known hash in the table; returns its number."""
        table = self._table
        slot_mask = self._slots - 1
        slot = digest & slot_mask
        size = end - begin
        low = digest
        high: i64 = 0
        if size < LONG:
            low = read_i64_le(data, begin) & self._masks[size]
            rest = read_i64_le(data, begin + 8) & self._masks[size + LONG + 1]
            high = rest | (size << SIZE_BITS)
            entry = table[3 * slot + 1]
            while (entry != high or table[3 * slot] != low) and entry != 0:
                slot = (slot + 1) & slot_mask
                entry = table[3 * slot + 1]
        else:
            entry = table[3 * slot + 1]
            while entry != 0:
                if table[3 * slot] == low and entry >> SIZE_BITS == LONG:
                    if self._is_word(entry & REST_MASK, data, begin, end):
                        break
                slot = (slot + 1) & slot_mask
                entry = table[3 * slot + 1]
        self._found = slot
        value = table[3 * slot + 2] + times
        if entry != 0:
            table[3 * slot + 2] = value
            return value >> COUNT_BITS
        number = self.distinct
        if size >= LONG:
            high = self._store(data, begin, end) | LONG << SIZE_BITS
        table[3 * slot] = low
        table[3 * slot + 1] = high
        table[3 * slot + 2] = value | number << COUNT_BITS
        self._grow()
        return number

    def _is_word(self, offset: i64, data: bytes, begin: i64, end: i64) -> bool:
        """Returns whether the word in the arena at ``offset`` is ``data[begin:end]``."""
        arena = self._arena
        if arena[offset] != end - begin:
            return False
        at = begin
        while at + 8 <= end:
            offset += 1
            if arena[offset] != read_i64_le(data, at):
                return False
            at += 8
        return at == end or arena[offset + 1] == read_i64_le(data, at) & self._masks[end - at]

    def _store(self, data: bytes, begin: i64, end: i64) -> i64:
        """Writes a word into the arena and returns its place; TokenariumError if it has more than `MOST_BYTES`."""
        if end - begin > MOST_BYTES:
            raise TokenariumError(
                f"The corpus has a pre-token of {end - begin:,} bytes, and at most {MOST_BYTES:,} are allowed: choose"
                " a pattern that splits it, or break the lines of the corpus."
            )
        offset = self._arena_used
        used = offset + 1 + ((end - begin + 7) >> 3)
        if used > len(self._arena):
            self._arena = _copy(self._arena, offset, used + (used >> 1))
        arena = self._arena
        arena[offset] = end - begin
        unit = offset + 1
        at = begin
        while at + 8 <= end:
            arena[unit] = read_i64_le(data, at)
            unit += 1
            at += 8
        if at < end:
            arena[unit] = read_i64_le(data, at) & self._masks[end - at]
        self._arena_used = used
        return offset

    def _grow(self) -> None:
        """Records a new word; doubles the table when it is full, see `FILLED`.

        Raises TokenariumError if `MOST_SLOTS` are too few.
        """
        self.distinct += 1
        if self.distinct * 16 < self._slots * FILLED:
            return
        if self._slots >= MOST_SLOTS:
            raise TokenariumError(
                f"The corpus has more than {self.distinct:,} different words: count it in parts, or with a pattern"
                " that splits more finely."
            )
        old = self._table
        slots = self._slots
        table = vec[i64]([0] * (6 * slots))
        slot_mask = 2 * slots - 1
        moved: i64 = 0
        k: i64 = 0
        while k < slots:
            low = old[3 * k]
            high = old[3 * k + 1]
            if high != 0:
                digest = low
                if high >> SIZE_BITS < LONG:
                    digest = (low ^ (high * SECOND)) & HASH_MASK
                    digest = ((digest ^ (digest >> 29)) * MULTIPLIER) & HASH_MASK
                    digest ^= digest >> 31
                slot = digest & slot_mask
                while table[3 * slot + 1] != 0:
                    slot = (slot + 1) & slot_mask
                if k == self._found:
                    moved = slot
                table[3 * slot] = low
                table[3 * slot + 1] = high
                table[3 * slot + 2] = old[3 * k + 2]
            k += 1
        self._table = table
        self._slots = 2 * slots
        self._found = moved

    def next_slot(self, slot: i64) -> i64:
        """Returns the next slot after ``slot`` that has a word, or -1; -1 is before the first."""
        table = self._table
        slot += 1
        while slot < self._slots:
            if table[3 * slot + 1] != 0:
                return slot
            slot += 1
        return -1

    def slots_by_count(self) -> vec[i32]:
        """Returns the slots of all words, the most frequent word first."""
        table = self._table
        slots = self._slots
        starts = vec[i64]([0] * (COMMON + 1))
        rare: list[tuple[int, int]] = []
        k: i64 = 0
        while k < slots:
            count = table[3 * k + 2] & COUNT_MASK
            if count >= COMMON:
                rare.append((-count, k))
            elif count > 0:
                starts[count] += 1
            k += 1
        rare.sort()
        order = vec[i32]([0] * self.distinct)
        index: i64 = 0
        for _, slot in rare:
            order[index] = i32(slot)
            index += 1
        count = COMMON - 1
        while count > 0:
            size = starts[count]
            starts[count] = index
            index += size
            count -= 1
        k = 0
        while k < slots:
            count = table[3 * k + 2] & COUNT_MASK
            if 0 < count < COMMON:
                order[starts[count]] = i32(k)
                starts[count] += 1
            k += 1
        return order

    def slots_by_number(self) -> vec[i32]:
        """Returns the slots of all words, in the order of their first occurrence."""
        table = self._table
        order = vec[i32]([0] * self.distinct)
        for k in range(self._slots):
            if table[3 * k + 1] != 0:
                order[table[3 * k + 2] >> COUNT_BITS] = i32(k)
        return order

    def slots_by_bytes(self) -> vec[i32]:
        """Returns the slots of all words, sorted by their bytes."""
        order = vec[i32]([0] * self.distinct)
        count: i64 = 0
        k: i64 = 0
        while k < self._slots:
            if self._table[3 * k + 1] != 0:
                order[count] = i32(k)
                count += 1
            k += 1
        self._sort(
            order, vec[i32]([0] * count), vec[i64]([0] * count), vec[i64]([0] * count), 0, count, 0
        )
        return order

    def _sort(
        self,
        order: vec[i32],
        other: vec[i32],
        keys: vec[i64],
        other_keys: vec[i64],
        first: i64,
        last: i64,
        at: i64,
    ) -> None:
        """Sorts ``order[first:last]``, slots of words that are equal before byte ``at``, by what follows.

        Eight bytes of all words are compared first, without accessing the table; then equal ones by the next
        eight, up to `COMPARED`, since accessing the table mostly waits for memory. The other arrays are scratch space.
        """
        k = first
        while k < last:
            keys[k] = self._key(i64(order[k]), at)
            k += 1
        # Runs that are sorted already, of one word each at first, are merged in pairs.
        source = order
        target = other
        source_keys = keys
        target_keys = other_keys
        turned = False
        width: i64 = 1
        while width < last - first:
            start = first
            while start < last:
                middle = min(start + width, last)
                stop = min(middle + width, last)
                left = start
                right = middle
                k = start
                while k < stop:
                    if right >= stop:
                        takes_left = True
                    elif left >= middle:
                        takes_left = False
                    elif source_keys[left] != source_keys[right] or at < COMPARED:
                        takes_left = source_keys[left] <= source_keys[right]
                    else:
                        takes_left = not self._precedes(i64(source[right]), i64(source[left]))
                    if takes_left:
                        target[k] = source[left]
                        target_keys[k] = source_keys[left]
                        left += 1
                    else:
                        target[k] = source[right]
                        target_keys[k] = source_keys[right]
                        right += 1
                    k += 1
                start = stop
            swapped = source
            source = target
            target = swapped
            swapped_keys = source_keys
            source_keys = target_keys
            target_keys = swapped_keys
            turned = not turned
            width *= 2
        if turned:  # the sorted ones are in the other arrays
            k = first
            while k < last:
                order[k] = other[k]
                keys[k] = other_keys[k]
                k += 1
        if at == COMPARED:
            return
        start = first
        while start < last:
            stop = start + 1
            while stop < last and keys[stop] == keys[start]:
                stop += 1
            if stop - start > 1:
                self._sort(order, other, keys, other_keys, start, stop, at + 8)
            start = stop

    def _key(self, slot: i64, at: i64) -> i64:
        """Returns eight bytes of a word starting at byte ``at``, as a number that sorts as they do.

        Zeros after its end.
        """
        bits: i64 = 0
        if at < self.size_of(slot):
            bits = self._eight(slot, at)
        number = (bits & 0xFF) - 0x80
        k: i64 = 1
        while k < 8:
            bits >>= 8
            number = number << 8 | (bits & 0xFF)
            k += 1
        return number

    def _eight(self, slot: i64, at: i64) -> i64:
        """Returns eight bytes of the word in a slot, starting at byte ``at``, a multiple of 8; zeros after its end."""
        high = self._table[3 * slot + 1]
        if high >> SIZE_BITS == LONG:
            return self._arena[(high & REST_MASK) + 1 + (at >> 3)]
        if at == 0:
            return self._table[3 * slot]
        return high & REST_MASK

    def _precedes(self, slot: i64, other: i64) -> bool:
        """Compares two words by their bytes."""
        size = self.size_of(slot)
        length = self.size_of(other)
        at: i64 = 0
        while at < size and at < length:
            one = self._eight(slot, at)
            two = self._eight(other, at)
            if one != two:
                while one & 0xFF == two & 0xFF:
                    one >>= 8
                    two >>= 8
                return one & 0xFF < two & 0xFF
            at += 8
        return size < length

    def count_of(self, slot: i64) -> i64:
        """Returns how often the word in a slot was counted."""
        return self._table[3 * slot + 2] & COUNT_MASK

    def size_of(self, slot: i64) -> i64:
        """Returns the length of the word in a slot, in bytes."""
        high = self._table[3 * slot + 1]
        size = high >> SIZE_BITS
        return size if size < LONG else self._arena[high & REST_MASK]

    def characters_of(self, slot: i64) -> i64:
        """Returns the length of the word in a slot, in characters."""
        size = self.size_of(slot)
        characters = size
        at: i64 = 0
        while at < size:
            characters -= _continuations(self._eight(slot, at))
            at += 8
        return characters

    def write(self, slot: i64, symbols: vec[i32], at: i64) -> i64:
        """Writes the bytes of the word in a slot to ``symbols[at:]`` and returns its length."""
        size = self.size_of(slot)
        bits: i64 = 0
        k: i64 = 0
        while k < size:
            if k & 7 == 0:
                bits = self._eight(slot, k)
            symbols[at + k] = i32(bits & 0xFF)
            bits >>= 8
            k += 1
        return size

    def write_units(self, slot: i64, writer: BytesWriter) -> i64:
        """Writes the bytes of the word in a slot, zero-padded to a multiple of eight; returns its length."""
        size = self.size_of(slot)
        at: i64 = 0
        while at < size:
            write_i64_le(writer, self._eight(slot, at))
            at += 8
        return size

    def listed(self) -> PreTokenCounts:
        """Returns the words and their counts in packed columns, the most frequent word first."""
        order = self.slots_by_count()
        ends = vec[i64]([0] * self.distinct)
        counts = vec[i64]([0] * self.distinct)
        writer = BytesWriter()
        symbols = vec[i32]([0] * 64)
        end: i64 = 0
        for index in range(self.distinct):
            slot = i64(order[index])
            size = self.size_of(slot)
            if size > len(symbols):
                symbols = vec[i32]([0] * (2 * size))
            self.write(slot, symbols, 0)
            for at in range(size):
                writer.append(u8(symbols[at]))
            end += size
            ends[index] = end
            counts[index] = self.count_of(slot)
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


class SlotWords(CountedWords):
    """The words of a counter in the order of their slots; a symbol is a byte."""

    def __init__(self, counter: WordCounter) -> None:
        self._counter = counter
        self._slot: i64 = -1

    def symbol_count(self) -> i64:
        """Returns how many bytes were counted."""
        return self._counter.byte_count

    def word_count(self) -> i64:
        """Returns how many distinct words there are."""
        return self._counter.distinct

    def rewind(self) -> None:
        """Moves before the first word."""
        self._slot = -1

    def next_word(self) -> i64:
        """Moves to the next word; returns how often it was counted, 0 after the last word."""
        slot = self._counter.next_slot(self._slot)
        if slot < 0:
            return 0
        self._slot = slot
        return self._counter.count_of(slot)

    def word_size(self) -> i64:
        """Returns the length of the word in bytes."""
        return self._counter.size_of(self._slot)

    def write_word(self, symbols: vec[i32], at: i64) -> i64:
        """Writes the bytes of the word to ``symbols[at:]`` and returns its length."""
        return self._counter.write(self._slot, symbols, at)


def _continuations(eight: i64) -> i64:
    """Returns how many of eight bytes are UTF-8 continuation bytes: with the highest bit set, and not the next."""
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
