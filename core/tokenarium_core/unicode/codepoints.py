"""Classes of code points (letter, number, white space, …), as flat tables over all of Unicode.

The named patterns only ask whether a character is in ``\\p{L}``, ``\\p{N}``, ``\\s`` and the like. `FLAGS` has
one byte of such answers per code point, so that a scanner decides with one look-up.
"""

from __future__ import annotations

from typing import Final

from tokenarium_core.unicode.codepoints_data import CATEGORY_RUNS, WHITE_SPACE

CODE_POINTS: Final = 0x110000

LETTER: Final = 1  # \p{L}
NUMBER: Final = 2  # \p{N}
SPACE: Final = 4  # \s
MARK: Final = 8  # \p{M}
UPPER: Final = 16  # [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], what may begin a cased word of o200k
LOWER: Final = 32  # [\p{Ll}\p{Lm}\p{Lo}\p{M}], what may end one
NEWLINE: Final = 64  # [\r\n]
PUNCTUATION: Final = 128  # \p{P}

CATEGORIES: Final = [
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
    """Returns one byte per code point out of run lengths: ``names.index`` of each run's name.

    >>> expand_runs("Lo2 Cc1", ["Cc", "Lo"])
    b'\\x01\\x01\\x00'
    """
    index = {name: bytes([i]) for i, name in enumerate(names)}
    spans: dict[str, bytes] = {}  # most runs come many times: "Lu1"
    parts: list[bytes] = []
    for run in runs.split():
        span = spans.get(run)
        if span is None:
            name = run.rstrip("0123456789")
            span = index[name] * int(run[len(name) :])
            spans[run] = span
        parts.append(span)
    return b"".join(parts)


def flag_table() -> bytes:
    """Returns the flags of every code point."""
    categories = bytes([flags_of(category) for category in CATEGORIES])
    table = bytearray(CATEGORY_TABLE.translate(categories.ljust(256, b"\0")))
    for span in WHITE_SPACE.split():
        first, _, last = span.partition("-")
        for code_point in range(int(first, 16), int(last or first, 16) + 1):
            table[code_point] |= SPACE
    table[0x0A] |= NEWLINE
    table[0x0D] |= NEWLINE
    return bytes(table)


CATEGORY_TABLE: Final[bytes] = expand_runs(CATEGORY_RUNS, CATEGORIES)
"""For every code point the index of its general category in `CATEGORIES`."""

FLAGS: Final[bytes] = flag_table()
"""For every code point the flags above, added up."""


def category_of(code_point: int) -> str:
    """Returns the general category of a code point, such as "Lu"; "Cn" if it is not assigned."""
    return CATEGORIES[CATEGORY_TABLE[code_point]]
