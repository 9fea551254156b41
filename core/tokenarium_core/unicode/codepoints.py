"""Classes of code points (letter, number, white space, …) and their scripts, as flat tables over all of Unicode.

The named patterns only ask whether a character is in ``\\p{L}``, ``\\p{N}``, ``\\s`` and the like. `FLAGS` has
one byte of such answers per code point, so that a scanner decides with one lookup. `CharacterPages` computes a number
for each character when it first occurs.
"""

from __future__ import annotations

from typing import Final

from librt.strings import read_i64_le
from librt.vecs import extend, vec
from mypy_extensions import i32, i64

from tokenarium_core.unicode.codepoints_data import CATEGORY_RUNS, WHITE_SPACE
from tokenarium_core.unicode.scripts_data import SCRIPT_NAMES, SCRIPT_RUNS
from tokenarium_core.unicode.utf8 import code_in

CODE_POINTS: Final = 0x110000

LETTER: Final = 1  # \p{L}
NUMBER: Final = 2  # \p{N}
SPACE: Final = 4  # \s
MARK: Final = 8  # \p{M}
UPPER: Final = 16  # [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], what may begin a cased word of o200k
LOWER: Final = 32  # [\p{Ll}\p{Lm}\p{Lo}\p{M}], what may end one
NEWLINE: Final = 64  # [\r\n]
PUNCTUATION: Final = 128  # \p{P}

CATEGORIES: Final[list[str]] = [
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "Mn",
    "Mc",
    "Me",
    "Nd",
    "Nl",
    "No",
    "Pc",
    "Pd",
    "Ps",
    "Pe",
    "Pi",
    "Pf",
    "Po",
    "Sm",
    "Sc",
    "Sk",
    "So",
    "Zs",
    "Zl",
    "Zp",
    "Cc",
    "Cf",
    "Cs",
    "Co",
    "Cn",
]
"""Unicode's general categories; `CATEGORY_TABLE` holds indices into this list."""


def flags_of(category: str) -> int:
    """Returns the flags that a general category stands for, e.g. LETTER | UPPER for "Lu"."""
    if category in ("Lu", "Lt"):
        return LETTER | UPPER
    if category == "Ll":
        return LETTER | LOWER
    if category in ("Lm", "Lo"):
        return LETTER | UPPER | LOWER
    if category[0] == "M":
        return MARK | UPPER | LOWER
    if category[0] == "N":
        return NUMBER
    if category[0] == "P":
        return PUNCTUATION
    return 0


def expand_runs(runs: str, names: list[str]) -> bytes:
    """Returns one byte per code point from run lengths: ``names.index`` of each run's name.

    >>> expand_runs("Lo2 Cc1", ["Cc", "Lo"])
    b'\\x01\\x01\\x00'
    """
    index = {name: bytes([i]) for i, name in enumerate(names)}
    spans: dict[str, bytes] = {}  # most runs occur many times: "Lu1"
    parts: list[bytes] = []
    for run in runs.split():
        span = spans.get(run)
        if span is None:
            name = run.rstrip("0123456789")
            span = index[name] * int(run[len(name) :])
            spans[run] = span
        parts.append(span)
    return b"".join(parts)


def spans_in(listed: str) -> list[tuple[int, int]]:
    """Returns the first and the last code point of each item of "0021 0024-002F …"."""
    spans: list[tuple[int, int]] = []
    for item in listed.split():
        first, _, last = item.partition("-")
        spans.append((int(first, 16), int(last or first, 16)))
    return spans


def fill(table: bytearray, listed: str, value: int) -> None:
    """Sets the number of all code points in spans such as "0021 0024-002F"."""
    for first, last in spans_in(listed):
        table[first : last + 1] = bytes([value]) * (last + 1 - first)


def flag_table() -> bytes:
    """Returns the flags of every code point."""
    categories = bytes([flags_of(category) for category in CATEGORIES])
    table = bytearray(CATEGORY_TABLE.translate(categories.ljust(256, b"\0")))
    for first, last in spans_in(WHITE_SPACE):
        for code_point in range(first, last + 1):
            table[code_point] |= SPACE
    table[0x0A] |= NEWLINE
    table[0x0D] |= NEWLINE
    return bytes(table)


CATEGORY_TABLE: Final[bytes] = expand_runs(CATEGORY_RUNS, CATEGORIES)
"""For every code point the index of its general category in `CATEGORIES`."""

FLAGS: Final[bytes] = flag_table()
"""For every code point the flags above, combined."""


def category_of(code_point: int) -> str:
    """Returns the general category of a code point, such as "Lu"; "Cn" if it is not assigned."""
    return CATEGORIES[CATEGORY_TABLE[code_point]]


PAGE: Final = 256
"""The characters of a page."""

_PAGES: Final = 0x110000 // PAGE


class CharacterPages:
    """Base of tables with a number for each character; ``of_ascii[code point]`` needs no call.

    Set what `page` needs in a subclass before this is initialized, since it makes the first page at once.
    """

    def __init__(self) -> None:
        self._places = vec[i32]([-1] * _PAGES)
        self._numbers = vec[i64]()
        self._learn(0)
        self.of_ascii = self._numbers

    def page(self, first: i64) -> vec[i64]:
        """Returns the numbers of the `PAGE` characters from a code point on."""
        raise NotImplementedError

    def at(self, data: bytes, at: i64) -> i64:
        """Returns the number of the character at byte ``at`` of padded UTF-8."""
        group = read_i64_le(data, at)
        code = group & 0xFF
        if code < 0x80:
            return self._numbers[code]
        code = code_in(group)
        place: i64 = i64(self._places[code >> 8])
        if place < 0:
            place = self._learn(code >> 8)
        return self._numbers[place + (code & 0xFF)]

    def _learn(self, number: i64) -> i64:
        """Makes a page; returns its place."""
        place: i64 = len(self._numbers)
        self._numbers = extend(self._numbers, self.page(number * PAGE))
        self._places[number] = i32(place)
        return place


def characters_from(first: i64) -> str:
    """Returns the `PAGE` characters from a code point on."""
    return "".join([chr(code) for code in range(first, first + PAGE)])


def read_names(lines: str) -> dict[str, str]:
    """Returns the names by ISO 15924 code, from lines such as "Latn Latin"."""
    names: dict[str, str] = {}
    for line in lines.strip().splitlines():
        code, _, name = line.partition(" ")
        names[code] = name
    return names


NAME_OF: Final[dict[str, str]] = read_names(SCRIPT_NAMES)

SCRIPTS: Final[list[str]] = list(NAME_OF)
"""ISO 15924 codes, sorted; `SCRIPT_TABLE` holds indices into this list."""

SCRIPT_TABLE: Final[bytes] = expand_runs(SCRIPT_RUNS, SCRIPTS)
"""For every code point the index of its script in `SCRIPTS`."""


def script_of(code_point: int) -> str:
    """Returns the ISO 15924 code of a code point's script: "Latn"; "Zyyy" is common to many, "Zinh" inherited.

    "Zzzz" is the script of code points that are not assigned.
    """
    return SCRIPTS[SCRIPT_TABLE[code_point]]


def script_name(code: str) -> str:
    """Returns the English name of a script, "Latin" for "Latn"; KeyError for a code unknown to Unicode."""
    return NAME_OF[code]
