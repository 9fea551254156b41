"""The words that a model has seen, by their bytes: a table for each length, and the ids of each value.

The bytes of a word are its key, packed in integers: a word of up to 7 bytes is one integer, its length in the top byte;
one of up to 15 is two, one of up to 31 four. So two words are compared in as many steps, and a hit in the smallest
cache reads 16 bytes.

A byte-level BPE merges two words faster in parallel than one after another (see `WordMerger`). So there, a new word
gets a slot right away, with a marker for its future ids.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import check_rows, grown

MULTIPLIER_0: Final = 0x1E3779B97F4A7C15
MULTIPLIER_1: Final = 0x165667B19E3779F9
_MULTIPLIER_2: Final = 0x27D4EB2F165667C5
_MULTIPLIER_3: Final = 0x2545F4914F6CDD1D
HASH_SHIFT: Final = 40

TINY: Final = 7
SHORT: Final = 15
MEDIUM: Final = 31
"""The most bytes of a word in caches whose keys are one, two and four integers."""

_FIRST_SLOTS: Final = 16384
_MOST_SLOTS: Final = 1048576
_SLOTS_PER_WORD: Final = 4
_FEW_OF: Final = 8
"""A table is made larger at once if it has less than one in so many of the expected words."""

NUMBER_SHIFT: Final = 60
ID_BITS: Final = 20
ID_MASK: Final = 1048575

FEW: Final = 3
"""The number of ids that a value can contain. If there is room for this many, they can be written without a branch."""

_ONE: Final = 1152921504606846976  # 1 << NUMBER_SHIFT, which would be shifted in 32 bits
_FIRST_POOL: Final = 4096
_FIRST_MARK: Final = -2  # -1 means that a cache does not have the word


@final
class WordCache:
    """Values by word, for words of less than ``8 * width`` bytes; no value is -1.

    ``rows`` has a row for each word: ``width`` integers of key and its value, in the order in which the words
    occurred. Frequent words occur early, so their rows are close together and stay in the processor's cache.
    ``places`` is a table with open addressing, by the hash of the key: where the row of a word begins. A lookup in
    the wrong row costs more than an empty slot, so three out of four are empty. Row 0 is for words that are not
    cached: with the key 0, which no word has, and the value -1.

    Up to 262,144 words are cached. The lookup is also inlined in the loops of the models, where a call for each word
    would cost as much as the lookup itself.
    """

    def __init__(self, width: i64) -> None:
        self.width: i64 = width
        self.words: i64 = 0
        self.mask: i64 = _FIRST_SLOTS - 1
        self.places = vec[i32]([0] * _FIRST_SLOTS)
        self.rows = vec[i64]([0] * ((_FIRST_SLOTS // _SLOTS_PER_WORD + 1) * (width + 1)))
        self.rows[width] = -1

    def find(self, key_0: i64, key_1: i64, key_2: i64, key_3: i64) -> i64:
        """Returns the value of a word, -1 if it is not kept; keys beyond the width are 0."""
        places = self.places
        rows = self.rows
        width = self.width
        mask = self.mask
        slot = hash_of(key_0, key_1, key_2, key_3) & mask
        while True:
            at: i64 = i64(places[slot])
            if at == 0:
                return -1
            if (
                rows[at] == key_0
                and (width < 2 or rows[at + 1] == key_1)
                and (width < 4 or (rows[at + 2] == key_2 and rows[at + 3] == key_3))
            ):
                return rows[at + width]
            slot = (slot + 1) & mask

    def has_room(self, words: i64) -> bool:
        """Returns whether there is room for this many more words."""
        return (self.words + words) * _SLOTS_PER_WORD <= self.mask + 1

    def make_room(self, words: i64) -> bool:
        """Makes room for this many more words, whose rows then stay in place; false if there is no room."""
        while not self.has_room(words):
            if self.mask + 1 >= _MOST_SLOTS:
                return False
            self._resize((self.mask + 1) * 2)
        return True

    def expect(self, words: i64) -> None:
        """Makes room for this many words at once, as far as there may be, if few are kept yet.

        A table that doubles several times moves its words, and touches new memory, each time.
        """
        slots = self.mask + 1
        while slots < words * _SLOTS_PER_WORD and slots < _MOST_SLOTS:
            slots *= 2
        if self.words * _FEW_OF < words and slots > self.mask + 1:
            self._resize(slots)

    def claim(self, key_0: i64, key_1: i64, key_2: i64, key_3: i64) -> i64:
        """Gives a new word a row, for which there is room; returns the index of its value in ``rows``."""
        width = self.width
        self.words += 1
        at = self.words * (width + 1)
        rows = self.rows
        rows[at] = key_0
        if width > 1:
            rows[at + 1] = key_1
        if width > 2:
            rows[at + 2] = key_2
            rows[at + 3] = key_3
        places = self.places
        mask = self.mask
        slot = hash_of(key_0, key_1, key_2, key_3) & mask
        while i64(places[slot]) != 0:
            slot = (slot + 1) & mask
        places[slot] = i32(at)
        return at + width

    def _resize(self, slots: i64) -> None:
        """Creates a table of this many slots, a power of two."""
        width = self.width
        mask = slots - 1
        places = vec[i32]([0] * slots)
        old = self.rows
        rows = vec[i64]([0] * ((slots // _SLOTS_PER_WORD + 1) * (width + 1)))
        behind = (self.words + 1) * (width + 1)
        for index in range(behind):
            rows[index] = old[index]
        at = width + 1
        while at < behind:  # a range with such a step would make objects
            # With "else 0" on the same line the keys would be objects.
            key_1: i64 = 0
            key_2: i64 = 0
            key_3: i64 = 0
            if width > 1:
                key_1 = rows[at + 1]
            if width > 2:
                key_2 = rows[at + 2]
                key_3 = rows[at + 3]
            slot = hash_of(rows[at], key_1, key_2, key_3) & mask
            while i64(places[slot]) != 0:
                slot = (slot + 1) & mask
            places[slot] = i32(at)
            at += width + 1
        self.mask = mask
        self.places = places
        self.rows = rows


def hash_of(key_0: i64, key_1: i64, key_2: i64, key_3: i64) -> i64:
    """Returns the hash of a word's key; its low 24 bits are good, and are the same compiled or not."""
    return (
        key_0 * MULTIPLIER_0 ^ key_1 * MULTIPLIER_1 ^ key_2 * _MULTIPLIER_2 ^ key_3 * _MULTIPLIER_3
    ) >> HASH_SHIFT


def key_masks() -> vec[i64]:
    """Returns masks by length: ``masks[24 + n]`` keeps n of the eight bytes read, none if n is below 0, all if above 8.

    Integer j of the key of a word with ``size`` bytes keeps ``masks[24 + size - 8 * j]``.
    """
    masks = vec[i64]([0] * 56)
    mask: i64 = 0
    for size in range(32):
        masks[24 + size] = mask if size < 8 else -1
        mask = mask * 256 + 255 if size < 7 else mask
    return masks


def find_medium(cache: WordCache, masks: vec[i64], data: bytes, start: i64, stop: i64) -> i64:
    """Returns the value of a word of 16 to 31 bytes (padded) in a cache of width 4; -1 if it is not kept."""
    size = stop - start
    key_2 = read_i64_le(data, start + 16) & masks[8 + size]
    key_3 = (read_i64_le(data, start + 24) & masks[size]) | size << 56
    return cache.find(read_i64_le(data, start), read_i64_le(data, start + 8), key_2, key_3)


def claim_medium(cache: WordCache, masks: vec[i64], data: bytes, start: i64, stop: i64) -> i64:
    """Gives such a new word a row; see `WordCache.claim`."""
    size = stop - start
    key_2 = read_i64_le(data, start + 16) & masks[8 + size]
    key_3 = (read_i64_le(data, start + 24) & masks[size]) | size << 56
    return cache.claim(read_i64_le(data, start), read_i64_le(data, start + 8), key_2, key_3)


class WordCaches:
    """Base of the caches of words: one for each length, with words of up to `MEDIUM` bytes.

    They are bounded: when one is full, all are cleared, and frequent words return soon. ``moved`` changes
    whenever words have moved: earlier lookups are then invalid.

    The lookup in ``tiny``, and in some places that in ``short``, is also written out in the loops of the models: a
    call for each word would cost as much as the lookup.
    """

    def __init__(self) -> None:
        self.tiny = WordCache(1)
        self.short = WordCache(2)
        self.medium = WordCache(4)
        self.masks = key_masks()
        self.moved: i64 = 0

    def find(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the value of the word ``data[start:stop]`` (padded), -1 if it is not kept."""
        masks = self.masks
        size = stop - start
        key_0 = read_i64_le(data, start)
        if size <= TINY:
            return self.tiny.find((key_0 & masks[24 + size]) | size << 56, 0, 0, 0)
        key_1 = read_i64_le(data, start + 8)
        if size <= SHORT:
            return self.short.find(key_0, (key_1 & masks[16 + size]) | size << 56, 0, 0)
        if size > MEDIUM:
            return -1
        return find_medium(self.medium, masks, data, start, stop)

    def make_room(self, size: i64) -> bool:
        """Makes room for a word of ``size`` bytes; false if everything had to be cleared for it."""
        cache = self.tiny if size <= TINY else self.short if size <= SHORT else self.medium
        slots = cache.mask
        there_is = cache.make_room(1)
        if not there_is:
            self.tiny = WordCache(1)
            self.short = WordCache(2)
            self.medium = WordCache(4)
        if not there_is or cache.mask != slots:
            self.moved += 1
        return there_is

    def put(self, data: bytes, start: i64, stop: i64, value: i64) -> None:
        """Stores a value for the new word ``data[start:stop]`` (padded), for which there is room."""
        masks = self.masks
        size = stop - start
        key_0 = read_i64_le(data, start)
        if size <= TINY:
            key_0 = (key_0 & masks[24 + size]) | size << 56
            self.tiny.rows[self.tiny.claim(key_0, 0, 0, 0)] = value
            return
        key_1 = read_i64_le(data, start + 8)
        if size <= SHORT:
            key_1 = (key_1 & masks[16 + size]) | size << 56
            self.short.rows[self.short.claim(key_0, key_1, 0, 0)] = value
            return
        self.medium.rows[claim_medium(self.medium, masks, data, start, stop)] = value


@final
class WordIds:
    """Values for ids, and ids for values, which are never below 0.

    A value holds up to three ids of `ID_BITS`, the first one lowest, with their number above `NUMBER_SHIFT`. More ids,
    or greater ones, are in a pool; the value is then ``place << 8 | count``.
    """

    def __init__(self) -> None:
        self._pool = vec[i32]([0] * _FIRST_POOL)
        self._pooled: i64 = 0

    def value_of(self, ids: vec[i64], count: i64) -> i64:
        """Returns a value that stands for ``ids[:count]``, of which there are 1 to 255."""
        if count <= FEW:
            packed: i64 = 0
            bits: i64 = 0
            for index in range(count - 1, -1, -1):
                packed = packed << ID_BITS | ids[index]
                bits |= ids[index]
            if bits <= ID_MASK:
                return packed | count << NUMBER_SHIFT
        offset = self._pooled
        if offset + count > len(self._pool):
            self._pool = grown(self._pool, offset, offset + count)
        pool = self._pool
        for index in range(count):
            pool[offset + index] = i32(ids[index])
        self._pooled = offset + count
        return offset << 8 | count

    def value_of_one(self, token: i64) -> i64:
        """Returns a value that stands for one id."""
        return token | _ONE if token <= ID_MASK else self.value_of(vec[i64]([token]), 1)

    def write(self, value: i64, out: vec[i32], count: i64) -> i64:
        """Writes the ids that a value stands for into ``out``; returns the index after the last."""
        number = value >> NUMBER_SHIFT
        if number > 0:
            behind = count + number
            while count < behind:  # a loop with an unused variable would make objects
                out[count] = i32(value & ID_MASK)
                value = value >> ID_BITS
                count += 1
            return count
        offset = value >> 8
        pool = self._pool
        for index in range(offset, offset + (value & 0xFF)):
            out[count] = pool[index]
            count += 1
        return count


@final
class WordMemory(WordCaches):
    """Words whose values ``ids`` reads."""

    def __init__(self) -> None:
        super().__init__()
        self.ids = WordIds()
        self._room = vec[i64]([0] * (MEDIUM + 1))

    def keep(
        self, data: bytes, start: i64, stop: i64, ids: vec[i32], first: i64, last: i64
    ) -> None:
        """Keeps ``ids[first:last]`` for the word ``data[start:stop]`` (padded), if it has up to `MEDIUM` bytes."""
        if stop - start > MEDIUM:
            return
        if not self.make_room(stop - start):
            self.ids = WordIds()
        room = self._room
        for index in range(last - first):
            room[index] = i64(ids[first + index])
        self.put(data, start, stop, self.ids.value_of(room, last - first))


@final
class SeenWords:
    """Values by word, for ``ids``: words of up to 15 bytes in ``short``, others in ``medium``.

    Up to ``room`` of them may be *late*, waiting to be merged, by number and in the order of the text. Late word ``k``
    is the ``sizes[k]`` bytes from ``starts[k]`` on. Its value is the mark ``-2 - k`` until it is settled; other values
    are never below 0. ``rows[k]`` is the row of its value in ``short.rows``, or ``~row`` in ``medium.rows``.
    """

    def __init__(self, room: i64) -> None:
        check_rows(room)
        self.short = WordCache(2)
        self.medium = WordCache(4)
        self.ids = WordIds()
        self.late: i64 = 0
        self.starts = vec[i64]([0] * room)
        self.sizes = vec[i64]([0] * room)
        self._rows = vec[i64]([0] * room)
        self._values = vec[i64]([0] * room)

    def add(self, start: i64, size: i64, row: i64) -> i64:
        """Adds a late word; returns its mark."""
        number = self.late
        self.late = number + 1
        self.starts[number] = start
        self.sizes[number] = size
        self._rows[number] = row
        return _FIRST_MARK - number

    def settle(self, number: i64, ids: vec[i64], count: i64) -> None:
        """Gives a late word its ids, ``ids[:count]``."""
        value = self.ids.value_of(ids, count)
        self._values[number] = value
        row = self._rows[number]
        if row >= 0:
            self.short.rows[row] = value
        else:
            self.medium.rows[~row] = value

    def settled(self, mark: i64) -> i64:
        """Returns the value of the late word with this marker, which is settled."""
        return self._values[_FIRST_MARK - mark]
