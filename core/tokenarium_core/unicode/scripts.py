"""The script that each code point belongs to: Latin, Hiragana, Common, …"""

from __future__ import annotations

from typing import Final

from tokenarium_core.unicode.codepoints import expand_runs
from tokenarium_core.unicode.scripts_data import SCRIPT_NAMES, SCRIPT_RUNS


def read_names(lines: str) -> dict[str, str]:
    """Returns the names by ISO 15924 code, out of lines such as "Latn Latin"."""
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
