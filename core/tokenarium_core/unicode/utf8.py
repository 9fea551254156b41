"""Reading UTF-8: the length of characters, their code points, and whether bytes are valid."""

from __future__ import annotations

from typing import Final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i64, u8

EACH_01: Final = 0x0101010101010101
"""A one in each of eight bytes."""


def character_at(data: bytes, at: i64, stop: i64) -> i64:
    """Returns how many bytes the character at byte ``at`` has; 0 where ``data[at:stop]`` is not UTF-8.

    UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
    """
    first: i64 = data[at]
    if first < 0x80:
        return 1
    size: i64 = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if first < 0xC2 or first > 0xF4 or at + size > stop:
        return 0
    for index in range(at + 1, at + size):
        byte: i64 = data[index]
        if byte & 0xC0 != 0x80:
            return 0
    second: i64 = data[at + 1]
    if (
        (first == 0xE0 and second < 0xA0)
        or (first == 0xED and second > 0x9F)
        or (first == 0xF0 and second < 0x90)
        or (first == 0xF4 and second > 0x8F)
    ):
        return 0
    return size


def is_text(data: bytes, start: i64, stop: i64) -> bool:
    """Returns whether bytes are whole characters, so that a text can hold them."""
    at = start
    while at < stop:
        size = character_at(data, at, stop)
        if size == 0:
            return False
        at += size
    return True


def code_point_at(data: bytes, at: i64) -> i64:
    """Returns the code point of the character at byte ``at``."""
    four: i64 = read_i64_le(data, at)
    lead = four & 0xFF
    if lead < 0x80:
        return lead
    if lead < 0xE0:
        return ((lead & 31) << 6) | ((four >> 8) & 63)
    if lead < 0xF0:
        return ((lead & 15) << 12) | ((four >> 2) & 0xFC0) | ((four >> 16) & 63)
    return (
        ((lead & 7) << 18) | ((four << 4) & 0x3F000) | ((four >> 10) & 0xFC0) | ((four >> 24) & 63)
    )


def start_before(data: bytes, at: i64) -> i64:
    """Returns the start of the character that ends before byte ``at``."""
    at -= 1
    while data[at] & 0xC0 == 0x80:
        at -= 1
    return at


def width_of(lead: i64) -> i64:
    """Returns the number of bytes of a character that begins with this byte: 1 to 4."""
    if lead < 0x80:
        return 1
    if lead < 0xE0:
        return 2
    if lead < 0xF0:
        return 3
    return 4


def _sizes() -> vec[u8]:
    sizes = vec[u8]([1] * 256)
    for byte in range(0xC0, 256):
        sizes[byte] = u8(width_of(byte))
    return sizes


character_sizes: Final[vec[u8]] = _sizes()
"""The number of bytes of a character, by its first byte; 1 for a byte that begins none."""


def code_in(group: i64) -> i64:
    """Returns the code point of a character of more than one byte, from eight bytes of UTF-8 that begin with it.

    They are an integer, as `read_i64_le` reads them, so that a loop reads the text once for each character.
    """
    first = group & 0xFF
    second = group >> 8 & 63
    if first < 0xE0:
        return (first & 31) << 6 | second
    third = group >> 16 & 63
    if first < 0xF0:
        return (first & 15) << 12 | second << 6 | third
    return (first & 7) << 18 | second << 12 | third << 6 | (group >> 24 & 63)
