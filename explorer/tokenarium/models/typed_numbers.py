"""Numbers as users type them: 4,096, 120M, or a share such as 2%."""

from __future__ import annotations

import re

from tokenarium_core import TokenariumError

MOST = 1e13

MOST_ENTRIES = 2_000_000
"""The largest vocabulary that can be trained: some times the largest in use."""

_FACTORS = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9}


def parsed_part(text: str, whole: int) -> int:
    """Returns a number that is typed as for `parsed_count`, or as a share of ``whole``; TokenariumError for anything else.

    >>> parsed_part("2%", 120_000_000), parsed_part("64k", 8_000)
    (2400000, 64000)
    """
    plain = text.strip()
    if not plain.endswith("%"):
        return parsed_count(text)
    try:
        share = float(plain.removesuffix("%")) / 100
    except ValueError:
        raise TokenariumError(f"“{text}” is not a share: type 2% or 0.5%.") from None
    if not 0 < share <= 1 or share * whole < 1:
        raise TokenariumError(
            f"“{text}” of {whole:,} is not possible: type a share that gives at least 1, and at most 100%."
        )
    return round(share * whole)


def parsed_count(text: str) -> int:
    """Returns a number that is typed as 4096, 4,096, 1.5B, 120M or 64k; TokenariumError for anything else."""
    plain = text.replace(",", "").replace(" ", "").strip().lower()
    unit = plain[-1:] if plain[-1:] in ("k", "m", "b", "g") else ""
    try:
        number = float(plain.removesuffix(unit)) * _FACTORS[unit]
    except ValueError:
        raise TokenariumError(f"“{text}” is not a number: type 4,096 or 120M.") from None
    if not 1 <= number <= MOST:
        raise TokenariumError(f"“{text}” must be at least 1 and at most ten trillion.")
    return int(number)


def parsed_size(text: str) -> int:
    """Returns a typed vocabulary size, with or without commas; TokenariumError for anything else."""
    size = parsed_whole(text, "The size must be a whole number of entries, such as 8,192.")
    if size > MOST_ENTRIES:
        raise TokenariumError(f"{size:,} entries are too many: ask for {MOST_ENTRIES:,} at most.")
    return size


def parsed_whole(text: str, refusal: str) -> int:
    """Returns a typed whole number; TokenariumError with ``refusal`` for anything else. One of many digits is cut."""
    plain = re.sub("[,_ ]", "", text).strip()
    if not plain.isascii() or not plain.isdigit():
        raise TokenariumError(refusal)
    return int(plain.lstrip("0")[:12] or "0")
