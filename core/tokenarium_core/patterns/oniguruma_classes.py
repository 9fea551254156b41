"""What Oniguruma's escapes, classes and properties stand for, as the `regex` module writes it.

The two differ in what a word character is, in what ``\\h`` says, and in the classes of POSIX.

Source: Oniguruma's ``doc/RE`` and ``doc/SYNTAX.md`` (kkos/oniguruma 6.9), with its own syntax.
"""

from __future__ import annotations

import re
from typing import Final

WORD: Final = r"[[\w--[\u200C\u200D]]||[\xB2\xB3\xB9\xBC-\xBE]]"
"""A word character: those of Unicode without the two joiners, with Latin-1's superscripts and fractions."""

WORD_IN_SET: Final = r"[\w--[\u200C\u200D]]"
"""A word character in a set: there the superscripts and fractions are none."""

NOT_WORD: Final = "[^" + WORD[1:]
EDGE: Final = f"(?:(?<={WORD})(?!{WORD})|(?<!{WORD})(?={WORD}))"
NO_EDGE: Final = f"(?:(?<={WORD})(?={WORD})|(?<!{WORD})(?!{WORD}))"

# What stands for one character, in a set and outside of one.
CLASSES: Final[dict[str, str]] = {
    "w": WORD,
    "W": NOT_WORD,
    "d": r"\p{Nd}",
    "D": r"\P{Nd}",
    "s": r"\s",
    "S": r"\S",
    "h": "[0-9A-Fa-f]",
    "H": "[^0-9A-Fa-f]",
}
CONTROLS: Final[dict[str, int]] = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "a": 7, "e": 27}
PLACES: Final[dict[str, str]] = {
    "b": EDGE,
    "B": NO_EDGE,
    "A": r"\A",
    "z": r"\Z",
    "Z": r"(?=\n?\Z)",
    "K": r"\K",
}
KINDS: Final[dict[str, str]] = {
    "R": r"(?>\r\n|[\n-\r\x85\u2028\u2029])",
    "N": r"[^\n]",
    "O": r"(?s:.)",
}
POSIX: Final[dict[str, str]] = {
    "alnum": r"[\p{Alphabetic}\p{Nd}]",
    "alpha": r"\p{Alphabetic}",
    "ascii": r"[\x00-\x7F]",
    "blank": r"[\p{Zs}\t]",
    "cntrl": r"\p{Cc}",
    "digit": r"\p{Nd}",
    "graph": r"[[:graph:]]",
    "lower": r"\p{Lowercase}",
    "print": r"[[:print:]]",
    "punct": r"[\p{P}\p{S}]",
    "space": r"\s",
    "upper": r"\p{Uppercase}",
    "word": WORD_IN_SET,
    "xdigit": "[0-9A-Fa-f]",
}


OTHER_THAN: Final = ("\\S", "\\D", "\\P", "[^", "--")
"""How a part of a set begins that has all but some characters."""
OTHER_ESCAPES: Final = "wWbBhHZNO"
OTHER_CLASSES: Final = ("word", "punct", "alnum", "graph", "print", "blank", "cntrl")
"""What the `regex` module has under the same name, and takes for something else, or may."""


def literal(code: int) -> str:
    """Returns a code point written so that it has no other meaning, in a set or outside of one."""
    character = chr(code)
    if character.isascii() and (character.isalnum() or character in " '\"/,;:_"):
        return character
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def inverse(text: str) -> str:
    """Returns all but what a set of ``regex`` has, ``[…]``.

    An inverted set of that module has everything where two of its parts, or one, have everything together.
    """
    if any(sign in text for sign in OTHER_THAN):
        return f"[[\\s\\S]--{text}]"
    return "[^" + text[1:]


def property_set(name: str) -> str:
    """Returns a Unicode property as `regex` writes it; empty for one that Oniguruma does not know so."""
    plain = re.sub(r"[ _-]", "", name).lower()
    if plain == "punct":  # symbols are in [:punct:] alone
        return r"\p{P}"
    if plain in POSIX:
        return POSIX[plain]
    if plain in ("any", "assigned"):
        return r"[\s\S]" if plain == "any" else r"\P{Cn}"
    if plain.startswith("is"):
        return ""
    return f"\\p{{{plain}}}"
