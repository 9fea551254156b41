"""Sets of tokenizers that users save by name, and their lines in the settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tokenarium.models.counted import cleaned

MOST_SETS: Final = 100
MOST_MEMBERS: Final = 200
LONGEST_SET_NAME: Final = 60
"""The most sets, the most tokenizers of a set, and the most characters of its name."""


def set_name(typed: str) -> str:
    """Returns the name of a set as it is kept; empty for what can be none.

    >>> set_name("  for\\tcode "), set_name("\\u202e")
    ('for code', '')
    """
    return cleaned(typed)[:LONGEST_SET_NAME].strip()


def set_lines(sets: Mapping[str, Iterable[str]]) -> list[str]:
    """Returns a line for each set, for the settings: its name and the keys of its tokenizers, as JSON."""
    import json  # only where there are sets

    # With escapes: the paths of files may hold half surrogate pairs, which Qt does not keep.
    return [json.dumps([name, *keys]) for name, keys in sets.items()]


def kept_sets(lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Returns the sets in the lines of `set_lines`; what is wrong is left out, and no more than `MOST_SETS` are read."""
    sets: dict[str, tuple[str, ...]] = {}
    for line in lines:
        found = _kept_set(line)
        if found is not None and len(sets) < MOST_SETS:
            sets.setdefault(*found)
    return sets


def _kept_set(line: str) -> tuple[str, tuple[str, ...]] | None:
    import json

    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return None
    name, keys = (values[0], tuple(dict.fromkeys(values[1:]))) if values else ("", ())
    fits = name and name == set_name(name) and 0 < len(keys) <= MOST_MEMBERS and all(keys)
    return (name, keys) if fits else None
