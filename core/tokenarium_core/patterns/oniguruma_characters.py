"""What characters mean in Oniguruma, in the syntax of the `regex` module.

These are escapes, classes and properties, other cases of a character, and characters of another version of Unicode.

Source: Oniguruma 6.9 (kkos/oniguruma), with its own syntax: ``doc/RE`` and ``doc/SYNTAX.md``; for cases
``unravel_case_fold_string`` in ``src/regcomp.c`` and ``i_apply_case_fold`` in ``src/regparse.c``, the table being made
of its answers.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, final

from tokenarium_core.patterns.regex_engine import compile_source
from tokenarium_core.patterns.rust_classes import rust_unicode
from tokenarium_core.patterns.syntax_tree import (
    CHOICE,
    GROUP,
    LINE_BREAK,
    SEQUENCE,
    PatternNode,
    joined,
    single,
)
from tokenarium_core.unicode.code_sets import Spans
from tokenarium_core.unicode.codepoints import category_of, spans_in
from tokenarium_core.unicode.codepoints_data import OTHER_IN_REGEX
from tokenarium_core.unicode.hf_codepoints_data import CASES, OTHER_PROPERTIES, SPELLED

WORD: Final = r"[[\w--[\u200C\u200D]]||[\xB2\xB3\xB9\xBC-\xBE]]"
"""A word character: those of Unicode without the two joiners, with Latin-1's superscripts and fractions."""

WORD_IN_SET: Final = r"[\w--[\u200C\u200D]]"
"""A word character in a set: there the superscripts and fractions are not included."""

NOT_WORD: Final = "[^" + WORD[1:]
EDGE: Final = f"(?:(?<={WORD})(?!{WORD})|(?<!{WORD})(?={WORD}))"
NO_EDGE: Final = f"(?:(?<={WORD})(?={WORD})|(?<!{WORD})(?!{WORD}))"

# Escapes for one character, inside a set and outside.
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
    "R": LINE_BREAK,
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
"""The beginning of a part of a set that has all but some characters."""
OTHER_ESCAPES: Final = "wWbBhHZNO"
OTHER_CLASSES: Final = ("word", "punct", "alnum", "graph", "print", "blank", "cntrl")
"""Names that the `regex` module also has, but may read differently."""


def literal(code: int) -> str:
    """Returns a code point written so that it has no other meaning, inside a set or outside."""
    character = chr(code)
    if character.isascii() and (character.isalnum() or character in " '\"/,;:_"):
        return character
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def inverse(text: str) -> str:
    """Returns the complement of a set of ``regex``, ``[…]``.

    An inverted set of that module matches everything if one of its parts, or two together, cover everything.
    """
    if any(sign in text for sign in OTHER_THAN):
        return f"[[\\s\\S]--{text}]"
    return "[^" + text[1:]


def property_set(name: str) -> str:
    """Returns a Unicode property in the syntax of `regex`; empty if Oniguruma does not know it."""
    plain = re.sub(r"[ _-]", "", name).lower()
    if plain == "punct":  # symbols are in [:punct:] alone
        return r"\p{P}"
    if plain in POSIX:
        return POSIX[plain]
    if plain in ("any", "assigned"):
        return r"[\s\S]" if plain == "any" else r"\P{Cn}"
    if plain.startswith("is") or plain == "innoblock":
        return ""
    if plain in OTHER_PROPERTIES.split():
        return _set_seen(rust_unicode().property(plain))
    if plain.startswith("in") and plain not in rust_unicode().scripts:
        return _block(plain)
    return f"\\p{{{plain}}}"


def _set_seen(spans: Spans) -> str:
    """Returns a set of code points, for a text that `as_seen` returns."""
    parts = [
        f"{literal(low)}-{literal(high)}"
        for first, last in spans
        for low, high in spans_seen(first, last)
    ]
    return f"[{''.join(parts)}]"


@cache
def _block(plain: str) -> str:
    """Returns a block: the same code points in every Unicode that has it, also those that are not assigned."""
    compiled: Any = compile_source(f"(?V1)\\p{{{plain}}}+")
    everything = "".join([chr(code) for code in range(0x110000) if code not in _SURROGATES])
    match = compiled.search(everything, concurrent=False)
    if match is None:
        return ""
    text: str = match.group()
    return _set_seen([(ord(text[0]), ord(text[-1]))])


# The `regex` module knows a newer Unicode than Oniguruma. Characters with a different category there are moved to
# planes of Unicode that have no characters, in texts and in the ranges of patterns. So no class has them there, but a
# range that has them finds them. Code points of those planes are moved to make room: only a range that ends among these
# is not exact.

SMALL_LETTER: Final = "\u0296"
"""What `regex` reads instead of the small letter before it, which it puts into another category."""

_WAY: Final = 0x40000
"""How far characters are moved: those of the planes 0 to 3 to 4 to 7, and those of these planes once more."""


def as_seen(text: str) -> str:
    """Returns a text in which each character has the category in `regex` that it has in Oniguruma.

    It has as many characters, and each depends only on the one in its place.
    """
    beyond = "".join(_beyond.findall(text))
    if _newer_below.search(text) is None and _newer.search(beyond) is None:
        return text
    return _newer.sub(_moved, text)


def code_seen(code: int) -> int:
    """Returns the code point that a pattern names instead of this one."""
    return ord(as_seen(chr(code)))


def spans_seen(low: int, high: int) -> list[tuple[int, int]]:
    """Returns the spans of code points that a pattern names instead of the one from ``low`` to ``high``."""
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


_SPANS: Final = [
    (_WAY, 2 * _WAY - 1),
    *[spans_in(one.partition("=")[0])[0] for one in OTHER_IN_REGEX.split()],
]


def _class_of(most: int) -> re.Pattern[str]:
    """Returns a pattern for a character that is moved, of those in spans up to ``most``."""
    parts = [f"\\U{first:08X}-\\U{last:08X}" for first, last in _SPANS if last <= most]
    return re.compile("[" + "".join(parts) + "]")


# `re` finds a character of up to U+FFFF in a table, a hundred times faster than by trying each span. So the others are
# searched among the few characters that are moved as far.
_newer: Final = _class_of(0x10FFFF)
_newer_below: Final = _class_of(0xFFFF)
_beyond: Final = re.compile("[\U00010000-\U0010ffff]+")

# Characters equal some others in another case, and some equal several: ``ß`` equals ``ss``. In a pattern the longest
# such sequence counts, from left to right, and only if its letters are side by side: so ``(?i:sss)`` finds ``ßs``, not
# ``sß``. A set matches such a sequence too, after all else; an inverted set does not, and neither do classes that are
# not sets, such as ``\p{Lu}``, for which case always matters.

_CASED: Final = 0x20000  # the planes with characters that have case
_SURROGATES: Final = range(0xD800, 0xE000)
LONGEST: Final = 3
"""The most characters of a sequence that equals a single one."""


@final
class CaseFolds:
    """``others[c]`` are all characters that equal ``c``, if there are several; ``spelled[c]`` is the sequence that
    ``c`` equals, and ``single[sequence]`` are the characters that a sequence equals. Sequences consist of the first of
    the characters that are equal.
    """

    def __init__(self) -> None:
        self.others: dict[str, str] = {}
        self.spelled: dict[str, str] = {}
        self.single: dict[str, str] = {}
        for token in CASES.split():
            span, _, shift = token.partition("=")
            for start, end in spans_in(span):
                for code in range(start, end + 1):
                    first = chr(code - int(shift, 16))
                    self.others[first] = self.others.get(first, first) + chr(code)
        for same in list(self.others.values()):
            for character in same:
                self.others[character] = same
        for line in SPELLED.split("\n"):
            code_of_one, _, several = line.partition("=")
            if several:
                sequence = self.firsts("".join([chr(int(code, 16)) for code in several.split()]))
                character = chr(int(code_of_one, 16))
                self.spelled[character] = sequence
                self.single[sequence] = self.single.get(sequence, "") + character
        # All characters that matter for a set.
        self.everything = "".join(
            dict.fromkeys([*self.others, *self.spelled, *"".join(self.single)])
        )

    def firsts(self, text: str) -> str:
        """Returns the first of the characters that equal each one of a text."""
        return "".join([self.others.get(character, character)[0] for character in text])

    def chunks(self, text: str) -> list[str]:
        """Returns a text cut into characters, and into sequences that equal one."""
        firsts = self.firsts(text)
        chunks: list[str] = []
        at = 0
        while at < len(text):
            size = LONGEST
            while size > 1 and (at + size > len(text) or firsts[at : at + size] not in self.single):
                size -= 1
            chunks.append(text[at : at + size])
            at += size
        return chunks

    def chunk(self, chunk: str) -> PatternNode:
        """Returns a pattern for one of the `chunks` in any case."""
        several = self.spelled.get(chunk, self.firsts(chunk) if len(chunk) > 1 else "")
        if not several:
            return self.character(chunk)
        return self._or_apart(_set_of(self.single[several]), [several])

    def character(self, character: str) -> PatternNode:
        """Returns a pattern for a character and those that equal it, without the sequences."""
        return single(_set_of(self.others.get(character, character)))

    def _or_apart(self, text: str, sequences: list[str]) -> PatternNode:
        """Returns a set, or sequences of characters in any case."""
        ways = [
            joined(SEQUENCE, [self.character(character) for character in several])
            for several in sequences
        ]
        return PatternNode(GROUP, "(?:", [joined(CHOICE, [single(text), *ways])])

    def full_set(self, text: str) -> str:
        """Returns a set, given as `regex` writes it, with the characters that equal its own."""
        members = _members(text, self.everything)
        more = [
            _one(character)
            for character in self.others
            if character not in members and not members.isdisjoint(self.others[character])
        ]
        return f"[{text}{''.join(more)}]" if more else text

    def set_or_text(self, text: str, repeated: bool) -> PatternNode:
        """Returns a pattern for the set and its sequences; ``repeated``: ``*`` or ``+`` follows.

        Then sequences whose characters are all in the set are left out: they find nothing more.
        """
        text = self.full_set(text)
        members = _members(text, self.everything)
        sequences: list[str] = []
        for character, sequence in self.spelled.items():
            if character in members and sequence not in sequences:
                letters = "".join([self.others.get(letter, letter) for letter in sequence])
                if not (repeated and members.issuperset(letters)):
                    sequences.append(sequence)
        sequences.sort(key=len)
        return self._or_apart(text, sequences) if sequences else single(text)

    def other(self, cased: dict[str, str]) -> str:
        """Returns the first class or character that the regex module, by itself, reads differently in any case.

        ``cased`` has them as they are in a pattern, and as they are written here; the result is empty if all are alike.
        """
        if not cased:
            return ""
        found: Any = compile_source(r"(?V1)[\p{Cased}\p{CWCF}\p{CWCM}]+")
        planes = "".join([chr(code) for code in range(_CASED) if code not in _SURROGATES])
        everything = "".join(found.findall(planes, concurrent=False))
        for source, written in cased.items():
            here = _members(written, everything)
            if written.startswith("(?:") or here != _members(source, everything, "(?i)"):
                return f"{source} in any case"
        return ""


def _members(text: str, everything: str, flags: str = "(?V1)") -> set[str]:
    """Returns which of some characters a set has."""
    compiled: Any = compile_source(flags + text)
    members: set[str] = set()
    for match in compiled.finditer(as_seen(everything), concurrent=False):
        members.add(everything[match.start()])
    return members


@cache
def case_folds() -> CaseFolds:
    """Returns the table, made at the first use."""
    return CaseFolds()


def _set_of(characters: str) -> str:
    """Returns a pattern for one of some characters."""
    written = "".join([_one(character) for character in characters])
    return written if len(characters) == 1 else f"[{written}]"


def _one(character: str) -> str:
    return literal(code_seen(ord(character)))
