"""By which script a piece is counted: that of its characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tokenarium_core.unicode.codepoints import script_name, script_of

MIXED = "mixed"
COMMON = "common"
BYTES = "bytes"
"""Classes of pieces that belong to no one script: of several, of signs that all use, of no whole characters."""


def script_of_piece(piece: bytes) -> str:
    """Returns the English name of a piece's script, or one of the other classes.

    Characters that scripts have in common, or that take the script of what stands before them, do not count beside others.
    """
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        return BYTES
    found = {script_of(ord(character)) for character in text} - {"Zyyy", "Zinh"}
    if not found:
        return COMMON
    return script_name(found.pop()) if len(found) == 1 else MIXED


def scripts_of_pieces(pieces: Iterable[bytes]) -> dict[str, int]:
    """Returns how many pieces each script has, the largest first."""
    return dict(Counter(map(script_of_piece, pieces)).most_common())
