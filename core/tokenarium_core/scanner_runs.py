"""Where runs of letters, blanks and other characters end: what all scanners are made of.

Each function begins at byte ``at`` of padded UTF-8, which is the start of a character, and its answer
never depends on what stands at or behind ``stop``.
"""

from __future__ import annotations

from typing import Final

from librt.strings import read_i64_le
from mypy_extensions import i64

from tokenarium_core.codepoints import FLAGS, LETTER

# The same byte in all eight places of a word, for arithmetic on eight characters at once.
EACH_01: Final = 0x0101010101010101
EACH_20: Final = 0x2020202020202020
TO_LETTER: Final = 0x1F1F1F1F1F1F1F1F  # added to a byte of 7 bits, sets bit 7 from "a" on
TO_BRACE: Final = 0x0505050505050505  # the same from "{" on, which follows "z"
PLACES: Final = 0x0001020304050607  # times a one in place k: k in the top byte


def code_point_at(data: bytes, at: i64) -> i64:
    """Returns the code point of the character at byte ``at``."""
    lead: i64 = data[at]
    if lead < 0x80:
        return lead
    second: i64 = data[at + 1]
    if lead < 0xE0:
        return ((lead & 31) << 6) | (second & 63)
    third: i64 = data[at + 2]
    if lead < 0xF0:
        return ((lead & 15) << 12) | ((second & 63) << 6) | (third & 63)
    fourth: i64 = data[at + 3]
    return ((lead & 7) << 18) | ((second & 63) << 12) | ((third & 63) << 6) | (fourth & 63)


def width_of(lead: i64) -> i64:
    """Returns how many bytes a character takes that begins with this byte: 1 to 4."""
    if lead < 0x80:
        return 1
    if lead < 0xE0:
        return 2
    if lead < 0xF0:
        return 3
    return 4


def letters_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns where the run of letters (``\\p{L}*``) ends: eight ASCII letters in a step."""
    flags = FLAGS
    while at < stop:
        eight: i64 = read_i64_le(data, at)
        seven_bits: i64 = (eight | EACH_20) & (EACH_01 * 0x7F)
        # Bit 0 of each place: no ASCII letter here. The lowest such place ends the run.
        others: i64 = ((~(seven_bits + TO_LETTER) | (seven_bits + TO_BRACE) | eight) >> 7) & EACH_01
        if others == 0:
            at += 8
            continue
        at += (((others & -others) * PLACES) >> 56) & 7
        if at >= stop:
            return stop
        lead: i64 = data[at]
        if lead < 0x80:
            return at
        while lead >= 0x80:
            second: i64 = data[at + 1]
            if lead < 0xE0:
                if flags[((lead & 31) << 6) | (second & 63)] & LETTER == 0:
                    return at
                at += 2
            elif lead < 0xF0:
                third: i64 = data[at + 2]
                if flags[((lead & 15) << 12) | ((second & 63) << 6) | (third & 63)] & LETTER == 0:
                    return at
                at += 3
            else:
                if flags[code_point_at(data, at)] & LETTER == 0:
                    return at
                at += 4
            if at >= stop:
                return stop
            lead = data[at]
    return stop


def with_any(data: bytes, at: i64, stop: i64, wanted: i64) -> i64:
    """Returns where the run of characters ends that have one of the ``wanted`` flags."""
    flags = FLAGS
    while at < stop:
        found: i64 = flags[code_point_at(data, at)]
        if found & wanted == 0:
            return at
        at += width_of(data[at])
    return stop


def without(data: bytes, at: i64, stop: i64, unwanted: i64) -> i64:
    """Returns where the run of characters ends that have none of the ``unwanted`` flags."""
    flags = FLAGS
    while at < stop:
        found: i64 = flags[code_point_at(data, at)]
        if found & unwanted != 0:
            return at
        at += width_of(data[at])
    return stop


def last_start(data: bytes, at: i64) -> i64:
    """Returns where the character begins that ends before byte ``at``."""
    at -= 1
    while data[at] & 0xC0 == 0x80:
        at -= 1
    return at


def newline_end(data: bytes, start: i64, end: i64) -> i64:
    """Returns the end of the last ``[\\r\\n]`` in ``data[start:end]``; ``start`` if there is none."""
    while end > start:
        byte: i64 = data[end - 1]
        if byte in (0x0A, 0x0D):
            return end
        end -= 1
    return start


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
