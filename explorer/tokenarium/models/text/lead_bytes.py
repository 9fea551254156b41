"""The ranges of bytes that UTF-8 tells apart: what a byte at the beginning of a character says of its length."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeadBytes:
    """The bytes from ``first`` to ``last``: their ``bits``, with x for any bit, and what they are in UTF-8.

    ``size``: the bytes of a character that begins with one of them; 0 if none does. ``low`` and ``high`` are the first
    and the last of these characters.
    """

    first: int
    last: int
    bits: str
    size: int
    meaning: str
    low: int = 0
    high: int = 0
    example: str = ""

    @property
    def name(self) -> str:
        """The range in hexadecimal."""
        return f"{self.first:02X}–{self.last:02X}"


_BEGINS = "begins a character of {} bytes"
_NEVER = "never in UTF-8"

LEAD_BYTES = (
    LeadBytes(0x00, 0x7F, "0xxxxxxx", 1, "a character by itself", 0x00, 0x7F, "a"),
    LeadBytes(0x80, 0xBF, "10xxxxxx", 0, "continues a character"),
    LeadBytes(0xC0, 0xC1, "1100000x", 0, _NEVER),
    LeadBytes(0xC2, 0xDF, "110xxxxx", 2, _BEGINS.format(2), 0x80, 0x7FF, "é"),
    LeadBytes(0xE0, 0xEF, "1110xxxx", 3, _BEGINS.format(3), 0x800, 0xFFFF, "한"),
    LeadBytes(0xF0, 0xF4, "11110xxx", 4, _BEGINS.format(4), 0x10000, 0x10FFFF, "👋"),
    LeadBytes(0xF5, 0xFF, "1111xxxx", 0, _NEVER),
)
"""All 256 bytes, in ranges. Source: the Unicode Standard, tables 3-6 and 3-7."""

WHY = {
    0xC0: "A character of two bytes with them would be one of the first 128, which have one byte.",
    0xF5: "A character with them would be beyond U+10FFFF, the last of Unicode.",
}
"""Why no text in UTF-8 has the bytes of a range, by its first byte."""


def lead_of(byte: int) -> LeadBytes:
    """Returns the range of a byte.

    >>> lead_of(0xE2).size
    3
    """
    return next(one for one in LEAD_BYTES if byte <= one.last)
