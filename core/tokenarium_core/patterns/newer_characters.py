"""Characters that the `regex` module puts into another category than Oniguruma, since it knows a newer Unicode.

They are moved to planes of Unicode that have no characters, in texts and in the ranges of patterns alike. So no class has
them there, but a range that they stand in finds them. Code points of those planes make room for them: only a range that
ends among these is not exact.
"""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.unicode.codepoints import category_of
from tokenarium_core.unicode.codepoints_data import OTHER_IN_REGEX

SMALL_LETTER: Final = "\u0296"
"""What `regex` gets to see in place of the small letter before it, which it puts into another category."""

_WAY: Final = 0x40000
"""How far characters are moved: those of the planes 0 to 3 to 4 to 7, and what stands there once more."""


def as_seen(text: str) -> str:
    """Returns a text in which each character has the category in `regex` that it has in Oniguruma.

    It has as many characters, each of which depends on nothing but the one in its place.
    """
    beyond = "".join(_beyond.findall(text))
    if _newer_below.search(text) is None and _newer.search(beyond) is None:
        return text
    return _newer.sub(_moved, text)


def code_seen(code: int) -> int:
    """Returns the code point that a pattern names in place of this one."""
    return ord(as_seen(chr(code)))


def spans_seen(low: int, high: int) -> list[tuple[int, int]]:
    """Returns the spans of code points that a pattern names in place of the one from ``low`` to ``high``."""
    if not any(first <= high and low <= last for first, last in _SPANS):
        return [(low, high)]
    spans = [(low + _WAY, min(high, 2 * _WAY - 1) + _WAY)]
    if low < _WAY:
        spans.append((low, min(high, _WAY - 1)))
    if high >= 2 * _WAY:
        spans.append((2 * _WAY, high))
    return spans


def _moved(match: re.Match[str]) -> str:
    code = ord(match.group())
    return SMALL_LETTER if category_of(code) == "Ll" else chr(code + _WAY)


def _spans() -> list[tuple[int, int]]:
    spans = [(_WAY, 2 * _WAY - 1)]
    for span in OTHER_IN_REGEX.split():
        first, _, last = span.partition("=")[0].partition("-")
        spans.append((int(first, 16), int(last or first, 16)))
    return spans


_SPANS: Final = _spans()


def _class_of(most: int) -> re.Pattern[str]:
    """Returns a pattern for a character that is moved, of those in spans up to ``most``."""
    parts = [f"\\U{first:08X}-\\U{last:08X}" for first, last in _SPANS if last <= most]
    return re.compile("[" + "".join(parts) + "]")


# `re` finds a character of up to U+FFFF in a table, which takes a hundredth of the time that each span in turn takes. So
# the others are looked for among the few characters that are as far out.
_newer: Final = _class_of(0x10FFFF)
_newer_below: Final = _class_of(0xFFFF)
_beyond: Final = re.compile("[\U00010000-\U0010ffff]+")
