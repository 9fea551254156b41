"""The pre-tokens of the cl100k and o200k families in 56 bytes at once, if these are ASCII or nearly so.

**Masks.** A block of text becomes a few numbers with a bit for each byte: the lowest bit is for the first
byte. One mask has the letters, another the whitespace, and so on, and a few operations on masks find
all pre-tokens of the block: ``letters & ~(letters << 1)`` are the first letters of all words.

**Planes.** To find the masks, the bits of the eight bytes in each of eight numbers change places with the
numbers, so that number ``b`` gets bit ``b`` of all bytes: its *plane*. Classes of characters are formulas of planes.

**Stand-ins.** Text of Western Europe has some characters beyond ASCII: letters of Latin-1, curly quotes, dashes. In the
planes, each byte of such a letter becomes an ``a`` or ``A``, each byte of such a sign a ``!``. Then the formulas of
ASCII hold for them, with one exception: a sign that begins a word may have three bytes.

**What is hard.** Some characters need more than their neighbours to be understood: all others beyond ASCII, an
apostrophe that may begin a contraction. They get a bit in the mask ``hard``, and cuts before the first such bit
are right. A scanner cuts there on its own and comes back to the block, whose later cuts are right again.
"""

from __future__ import annotations

from typing import Final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.unicode.codepoints import FLAGS, LETTER, NEWLINE, NUMBER, SPACE, UPPER
from tokenarium_core.unicode.utf8 import EACH_01

BLOCK: Final = 56  # bytes: seven numbers of eight, so that no mask becomes negative
BEHIND: Final = 0x0100000000000000  # the bit of the first byte after a block

DE_BRUIJN: Final = (
    0x03F79D71B4CB0A89  # times 1 << k: a different number in the highest six bits for each k
)


def bit_indices() -> bytes:
    """Returns ``k`` at the highest six bits of ``DE_BRUIJN << k``."""
    table = bytearray(64)
    for k in range(64):
        table[(DE_BRUIJN << k >> 58) & 63] = k
    return bytes(table)


BIT_INDICES: Final[bytes] = bit_indices()


def begin_table() -> bytes:
    """Returns 1 for each byte that may be one of the first two of a text that is worth a block, else 0.

    These are ASCII bytes, and the first and later bytes of characters with a stand-in.
    """
    return bytes(int(byte < 0xC0 or byte in (0xC3, 0xE2)) for byte in range(256))


MAY_BEGIN: Final[bytes] = begin_table()


def rule_table(lines: int, small: int, capital: int) -> bytes:
    """Returns the rule of a pre-token by its last byte; 128 more where the mask ``turned`` has a bit.

    ``lines`` is the rule of newlines, before those of whitespace; ``small`` that of a word by its last letter.
    """
    table = bytearray([3] * 256)  # signs, and with ``turned`` newlines that follow them
    for byte in range(128):
        if FLAGS[byte] & LETTER:
            table[byte] = capital if FLAGS[byte] & UPPER else small
        elif FLAGS[byte] & NUMBER:
            table[byte] = 2
        elif FLAGS[byte] & NEWLINE:
            table[byte] = lines
        elif FLAGS[byte] & SPACE:
            table[byte] = lines + 2
            table[byte + 128] = lines + 1
    return bytes(table)


def in_order(plane: i64) -> i64:
    """Returns the mask of a plane: bit ``8 * i + k`` of it belongs to byte ``8 * k + i``."""
    swap = (plane ^ (plane >> 7)) & 0x00AA00AA00AA00AA
    plane ^= swap ^ (swap << 7)
    swap = (plane ^ (plane >> 14)) & 0x0000CCCC0000CCCC
    plane ^= swap ^ (swap << 14)
    swap = (plane ^ (plane >> 28)) & 0x00000000F0F0F0F0
    return plane ^ swap ^ (swap << 28)


def runs_from(mask: i64, first: i64) -> i64:
    """Extends each bit of ``first``, which are bits of the mask, to the end of its run in the mask."""
    return mask & ~(mask + first)  # the carry clears a run


def byte_on(plane: i64) -> i64:
    """Returns a plane with the bit of each byte moved to the byte after it; the last byte's bit is dropped."""
    return (plane << 8) | ((plane >> 55) & 0xFE)


def byte_back(plane: i64) -> i64:
    """Returns a plane with the bit of each byte moved to the byte before it."""
    return (plane >> 8) | ((plane & 0xFE) << 55)


def class_masks(data: bytes, at: i64) -> tuple[i64, i64, i64, i64, i64]:
    """Returns the masks of the bytes from ``at`` on: three that make a class together, and two more.

    The classes are 1 for a letter, 2 a whitespace character, 3 hard, 4 an apostrophe, 5 a digit, 6 a newline, 7 a tab,
    and 0 for all other signs. The fourth mask has the lower-case letters, the fifth the places where signs of three
    bytes begin; a character that continues after the block is hard.
    """
    ones: i64 = EACH_01
    p0: i64 = read_i64_le(data, at)
    p1: i64 = read_i64_le(data, at + 8)
    p2: i64 = read_i64_le(data, at + 16)
    p3: i64 = read_i64_le(data, at + 24)
    p4: i64 = read_i64_le(data, at + 32)
    p5: i64 = read_i64_le(data, at + 40)
    p6: i64 = read_i64_le(data, at + 48)
    p7: i64 = 0
    # Each step swaps a bit of a plane's number with the same bit of the place inside a byte.
    swapped: i64 = 0x0F0F0F0F0F0F0F0F
    swap = ((p0 >> 4) ^ p4) & swapped
    p0 ^= swap << 4
    p4 ^= swap
    swap = ((p1 >> 4) ^ p5) & swapped
    p1 ^= swap << 4
    p5 ^= swap
    swap = ((p2 >> 4) ^ p6) & swapped
    p2 ^= swap << 4
    p6 ^= swap
    swap = ((p3 >> 4) ^ p7) & swapped
    p3 ^= swap << 4
    p7 ^= swap
    swapped = 0x3333333333333333
    swap = ((p0 >> 2) ^ p2) & swapped
    p0 ^= swap << 2
    p2 ^= swap
    swap = ((p1 >> 2) ^ p3) & swapped
    p1 ^= swap << 2
    p3 ^= swap
    swap = ((p4 >> 2) ^ p6) & swapped
    p4 ^= swap << 2
    p6 ^= swap
    swap = ((p5 >> 2) ^ p7) & swapped
    p5 ^= swap << 2
    p7 ^= swap
    swapped = ones * 0x55
    swap = ((p0 >> 1) ^ p1) & swapped
    p0 ^= swap << 1
    p1 ^= swap
    swap = ((p2 >> 1) ^ p3) & swapped
    p2 ^= swap << 1
    p3 ^= swap
    swap = ((p4 >> 1) ^ p5) & swapped
    p4 ^= swap << 1
    p5 ^= swap
    swap = ((p6 >> 1) ^ p7) & swapped
    p6 ^= swap << 1
    p7 ^= swap

    block = ones * 0x7F
    signs: i64 = 0
    leads = p7 & p6 & p1 & (p0 ^ p5) & ~(p4 | p3 | p2)  # 0xC3 and 0xE2
    if leads:
        # U+00C0 to U+00FF are 0xC3 and 0x80 to 0xBF, of which 0x97 and 0xB7 are signs and 0x9F is lower case.
        full = p4 & p2 & p1 & p0
        second = byte_on(leads & p0) & ~(full & ~p3) & block
        small = second & (p5 | full)
        letters = second | byte_back(second)
        # U+2010 to U+2027 are 0xE2, 0x80 and 0x90 to 0xA7.
        second = byte_on(leads & p5) & ~(p5 | p4 | p3 | p2 | p1 | p0) & block
        third = byte_on(second) & (p4 ^ p5) & ~(p5 & p3) & block
        second = byte_back(third)
        signs = byte_back(second)
        marks = signs | second | third
        others = ~(letters | marks)
        p7 &= others
        p6 = (p6 & others) | letters
        p5 |= small | byte_back(small) | marks
        p4 &= others
        p3 &= others
        p2 &= others
        p1 &= others
        p0 |= letters | marks
        signs = in_order(signs)

    some = p0 | p1 | p2 | p3 | p4
    letter = p6 & some & ~(p4 & p3 & (p2 | (p1 & p0)))  # 1 to 26 after 0x40 or 0x60
    digit = p5 & p4 & ~(p6 | (p3 & (p2 | p1)))  # 0x30 to 0x39
    blank = p5 & ~(p6 | some)  # 0x20
    newline = p3 & (p1 ^ p2) & (p1 ^ p0) & ~(p6 | p5 | p4)  # 0x0A and 0x0D
    apostrophe = p5 & p2 & p1 & p0 & ~(p6 | p4 | p3)  # 0x27
    tab = p3 & p0 & ~(p6 | p5 | p4 | p2 | p1)  # 0x09
    hard = p7 | ~(p6 | p5 | newline | tab)  # beyond ASCII; other controls
    return (
        in_order((letter | digit | tab | hard) & block),
        in_order((blank | newline | tab | hard) & block),
        in_order((apostrophe | digit | newline | tab) & ~hard & block),
        in_order(p5 & block),
        signs,
    )


def block_cuts(data: bytes, at: i64, digits: i64, cased: bool) -> tuple[i64, i64, i64]:
    """Returns the masks ``(cuts, hard, turned)`` of the 56 bytes from ``at`` on; cuts are the beginnings of pre-tokens.

    Bits of ``cuts`` before the first one of ``hard`` are first bytes of pre-tokens; there is always one of
    ``hard``, if only that after the block. ``turned`` is for `write_cuts`. At most ``digits`` (1 or 3) go
    together. ``cased`` is for o200k: words know upper and lower case, and slashes may follow newlines.
    """
    one, two, four, five, long = class_masks(data, at)
    letters = one & ~(two | four)
    numbers = one & four & ~two
    blanks = two & ~(one | four)
    newlines = two & four & ~one
    signs = ~(one | two) & (BEHIND - 1)
    tabs = one & two & four
    hard = (one & two & ~four) | BEHIND
    gaps = blanks | tabs
    # An apostrophe after a sign or a space belongs to it. Otherwise it may begin a contraction.
    hard |= four & signs & ~((signs | blanks) << 1) & ((letters | hard) >> 1)
    # After a character that may be a digit, it is not known which digits go together.
    hard |= runs_from(numbers, numbers & (hard << 1))

    taken = runs_from(newlines, newlines & (signs << 1))  # newlines of the signs before them
    lines = newlines & ~taken
    spaces = gaps | lines
    opening = signs & ~((signs | blanks) << 1)
    joined = (opening | ((opening & long) << 2)) & (letters >> 1)  # a single sign begins a word
    cuts = (
        (letters & ~((letters | gaps | joined) << 1))
        | opening
        | (spaces & ~(spaces << 1))
        | (gaps & ~((gaps | newlines | hard) >> 1))  # the last space belongs to what follows
    )
    # White space after a newline are a pre-token of their own, unless another newline follows them.
    indents = gaps & (lines << 1)
    if (gaps + indents) & ~gaps & (newlines | hard):
        hard |= indents
    else:
        cuts |= indents
    if digits == 1:
        cuts |= numbers
    else:
        fourth = numbers & (numbers << 1) & (numbers << 2) & (numbers << 3)
        first = numbers & ~(numbers << 1)
        cuts |= first
        first = (first << 3) & fourth
        while first:
            cuts |= first
            first = (first << 3) & fourth
    if cased:
        cuts |= letters & ~five & ((letters & five) << 1)
        # Slashes after newlines may belong to signs before these, even to signs beyond ASCII.
        after = runs_from(newlines, newlines & ((signs | hard) << 1)) << 1
        hard |= runs_from(signs, signs & after)
    return cuts, hard, taken | (gaps & (gaps >> 1))


def stand_in(before: i64, last: i64) -> i64:
    """Returns the ASCII character whose rule is that of a pre-token with these last two bytes."""
    if before != 0xC3:
        return 0x21
    return 0x61 if last & 0x20 or last == 0x9F else 0x41


def write_cuts(
    data: bytes,
    block: i64,
    cuts: i64,
    turned: i64,
    table: bytes,
    ends: vec[i32],
    rules: vec[u8],
    count: i64,
) -> i64:
    """Writes pre-tokens of the block at byte ``block``, after ``count`` others; returns their new number.

    Each ends before a bit of ``cuts``, and has a rule from ``table``, see `rule_table`, which is written if ``rules``
    has any room.
    """
    bit_index = BIT_INDICES
    room: i64 = len(ends)
    if len(rules) == 0:
        while cuts and count < room:
            end_mark = cuts & -cuts
            cuts ^= end_mark
            ends[count] = i32(block + bit_index[((end_mark * DE_BRUIJN) >> 58) & 63])
            count += 1
        return count
    while cuts and count < room:
        end_mark = cuts & -cuts
        cuts ^= end_mark
        bit: i64 = bit_index[((end_mark * DE_BRUIJN) >> 58) & 63]
        end = block + bit
        ends[count] = i32(end)
        last: i64 = data[end - 1]
        if last >= 0x80:
            last = stand_in(data[end - 2], last)
        rules[count] = table[last | (((turned >> (bit - 1)) & 1) << 7)]
        count += 1
    return count
