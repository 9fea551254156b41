"""Where runs of letters, whitespace and other characters end: the parts of all scanners.

Each function begins at byte ``at`` of padded UTF-8, the start of a character. Its answer never depends on bytes from
``stop`` on.

**Eight letters in a step.** Scanners read eight bytes as one number, the first as its lowest byte:

    folded = eight | EACH_20            # "A" to "Z" become "a" to "z"
    folded + TO_LETTER                  # bit 7 of a byte is set from "a" on …
    folded + TO_BRACE                   # … and here from "{" on, which follows "z"
    others = ((~… | … | eight) >> 7) & EACH_01    # a one in each byte that is not an ASCII letter
    end_mark = others & -others         # the first of them: 1 << 8 * k, or 0 for eight letters
    ((end_mark * PLACES) >> 56) & 7     # k, how many letters there are

A byte of 0x80 or more may carry into the bytes above it, but it ends the letters itself.
"""

from __future__ import annotations

from typing import Final

from librt.strings import read_i64_le
from mypy_extensions import i64

from tokenarium_core.unicode.codepoints import FLAGS, LETTER, LOWER, NEWLINE, NUMBER, SPACE
from tokenarium_core.unicode.utf8 import EACH_01, code_point_at, width_of

EACH_20: Final = 0x2020202020202020
TO_LETTER: Final = 0x1F1F1F1F1F1F1F1F  # the distance from "a" to 0x80
TO_BRACE: Final = 0x0505050505050505  # the distance from "{" to 0x80
PLACES: Final = 0x0001020304050607  # times 1 << 8 * k: k in the highest byte


def word_starts() -> bytes:
    """Returns for each first byte how far after it a word of ASCII letters may begin.

    0 for a letter, 1 for a sign that may begin a word in the cl100k family, 2 where more must be known:
    a digit, a newline, an apostrophe (of a contraction), a character beyond ASCII.
    """
    starts = bytearray(b"\x02" * 256)
    for byte in range(0x80):
        if FLAGS[byte] & LETTER:
            starts[byte] = 0
        elif FLAGS[byte] & (NUMBER | NEWLINE) == 0 and byte != 0x27:
            starts[byte] = 1
    return bytes(starts)


WORD_STARTS: Final[bytes] = word_starts()


def letters_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns where the run of letters (``\\p{L}*``) ends."""
    flags = FLAGS
    while at < stop:
        eight: i64 = read_i64_le(data, at)
        if eight & 0x80 == 0:
            folded = eight | EACH_20
            others = ((~(folded + TO_LETTER) | (folded + TO_BRACE) | eight) >> 7) & EACH_01
            if others == 0:
                at += 8
                continue
            end_mark = others & -others
            at += ((end_mark * PLACES) >> 56) & 7
            if (eight >> 7) & end_mark == 0:
                break
        elif eight & 0xF0 == 0xE0:
            if (
                flags[((eight & 15) << 12) | ((eight >> 2) & 0xFC0) | ((eight >> 16) & 63)] & LETTER
                == 0
            ):
                break
            at += 3
        elif flags[code_point_at(data, at)] & LETTER == 0:
            break
        else:
            at += width_of(eight & 0xFF)
    return min(at, stop)


def smalls_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns where the run of ``[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*`` ends: lower-case letters and such without case."""
    flags = FLAGS
    while at < stop:
        eight: i64 = read_i64_le(data, at)
        if eight & 0x80 == 0:
            others = ((~(eight + TO_LETTER) | (eight + TO_BRACE) | eight) >> 7) & EACH_01
            if others == 0:
                at += 8
                continue
            end_mark = others & -others
            at += ((end_mark * PLACES) >> 56) & 7
            if (eight >> 7) & end_mark == 0:
                break
        elif flags[code_point_at(data, at)] & LOWER == 0:
            break
        else:
            at += width_of(eight & 0xFF)
    return min(at, stop)


def with_any(data: bytes, at: i64, stop: i64, wanted: i64) -> i64:
    """Returns the end of a run of characters with one of the ``wanted`` flags."""
    flags = FLAGS
    while at < stop:
        lead: i64 = data[at]
        if lead < 0x80:
            if flags[lead] & wanted == 0:
                break
            at += 1
        elif flags[code_point_at(data, at)] & wanted == 0:
            break
        else:
            at += width_of(lead)
    return at


def without(data: bytes, at: i64, stop: i64, unwanted: i64) -> i64:
    """Returns the end of a run of characters without any of the ``unwanted`` flags."""
    flags = FLAGS
    while at < stop:
        lead: i64 = data[at]
        if lead < 0x80:
            if flags[lead] & unwanted != 0:
                break
            at += 1
        elif flags[code_point_at(data, at)] & unwanted != 0:
            break
        else:
            at += width_of(lead)
    return at


def blanks_end(data: bytes, at: i64, stop: i64, end_first: bool) -> tuple[i64, i64]:
    """Returns the end of the first pre-token in a run of whitespace, and which rule makes it.

    The rules are 0 for ``\\s*[\\r\\n]+``, 1 for ``\\s+(?!\\S)`` and 2 for ``\\s+``. With ``end_first`` there is
    one before them, -1 for ``\\s++$``: whitespace up to the end of the text stays together.
    """
    flags = FLAGS
    newline: i64 = 0  # the end of the last one
    last: i64 = at  # the start of the last space
    end: i64 = at
    while end < stop:
        eight: i64 = read_i64_le(data, end)
        lead = eight & 0xFF
        if eight == EACH_20 and end + 8 <= stop:
            last = end + 7
            end += 8
        elif lead < 0x80:
            found: i64 = flags[lead]
            if found & SPACE == 0:
                break
            last = end
            end += 1
            if found & NEWLINE:
                newline = end
        elif flags[code_point_at(data, end)] & SPACE == 0:
            break
        else:
            last = end
            end += width_of(lead)
    if end_first and end == stop:
        return end, -1
    if newline > 0:
        return newline, 0
    if end == stop:
        return end, 1
    if last > at:
        return last, 1
    return end, 2


def contraction_end(data: bytes, at: i64, stop: i64, case_bit: i64) -> i64:
    """Returns the end of ``'(?:[sdmt]|ll|ve|re)`` at ``at``; ``at`` itself if there is none.

    ``case_bit`` is 0x20 to ignore case, else 0. Where case is ignored, "s" also stands for the long s
    (U+017F), as in every Unicode regex engine.
    """
    if at + 1 >= stop or data[at] != 0x27:
        return at
    first: i64 = data[at + 1] | case_bit
    if first in (0x73, 0x74, 0x6D, 0x64):  # s t m d
        return at + 2
    if at + 2 >= stop:
        return at
    second: i64 = data[at + 2] | case_bit
    if first in (0x72, 0x76) and second == 0x65:  # re ve
        return at + 3
    if first == 0x6C and second == 0x6C:  # ll
        return at + 3
    if case_bit and data[at + 1] == 0xC5 and data[at + 2] == 0xBF:  # U+017F
        return at + 3
    return at
