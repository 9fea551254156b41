"""Packed columns that grow."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import ArgumentError

MOST_ROWS: Final = 1 << 31
"""No column has more rows: places in it are 32-bit numbers."""


def check_rows(count: i64) -> None:
    """Raises ArgumentError for a number of rows that no column can have: memory is asked for unchecked otherwise."""
    if count < 0 or count > MOST_ROWS:
        raise ArgumentError(f"A column has 0 to {MOST_ROWS:,} rows, not {count:,}.")


def grown(old: vec[i32], used: i64, needed: i64) -> vec[i32]:
    """Returns a larger array that begins with ``old[:used]`` and has room for ``needed``."""
    room: i64 = len(old) * 2
    larger = vec[i32]([0] * (needed if needed > room else room))
    for index in range(used):
        larger[index] = old[index]
    return larger


def doubled(old: vec[i32]) -> vec[i32]:
    """Returns an array twice as long that begins with all of ``old``."""
    return grown(old, len(old), 0)
