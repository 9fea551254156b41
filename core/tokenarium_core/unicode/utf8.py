"""UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing beyond U+10FFFF."""

from __future__ import annotations

from mypy_extensions import i64


def character_at(data: bytes, at: i64, stop: i64) -> i64:
    """Returns how many bytes the character at byte ``at`` has; 0 where ``data[at:stop]`` is not UTF-8."""
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
