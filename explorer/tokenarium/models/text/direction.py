"""The direction of a paragraph, even if nothing in it says so."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenarium.models.text.text_map import TextMap

_STRONG = {"L": False, "R": True, "AL": True}
_FIRST_BYTES = [*range(0xD6, 0xE0), 0xE0, 0xEF, 0xF0]
"""From Hebrew to N'Ko, and those that share their planes with others."""

RIGHT_TO_LEFT_ISOLATE, END_OF_ISOLATE = "\u2067", "\u2069"


def may_read_right_to_left(text: TextMap) -> bool:
    """Returns whether a text has bytes that begin right-to-left letters (or others of their planes)."""
    return bool(text.occurring[_FIRST_BYTES].any())


def reads_right_to_left(paragraphs: Iterable[str]) -> bool:
    """Returns whether the first paragraph that has a letter with a direction reads right to left.

    The direction of a paragraph is that of its first such letter (Unicode UAX #9, P2). An empty one
    has none; given with its predecessors, nearest first, it follows them.

    >>> reads_right_to_left(["\\n", "\u05d0\u05d1 ab"])
    True
    """
    for paragraph in paragraphs:
        for character in paragraph:
            direction = _STRONG.get(unicodedata.bidirectional(character))
            if direction is not None:
                return direction
    return False


def in_its_direction(shown: str, piece: bytes) -> str:
    """Returns the text of a piece so that a line of a list shows it in the piece's direction.

    Signs have no direction, so the one for a leading space would be at the wrong end of an Arabic
    word: in an isolate (Unicode UAX #9, 2.4) they follow the word.
    """
    if piece.isascii() or not reads_right_to_left([piece.decode(errors="ignore")]):
        return shown
    return f"{RIGHT_TO_LEFT_ISOLATE}{shown}{END_OF_ISOLATE}"


def with_its_signs(text: str) -> str:
    """Returns a text whose signs (as for a leading space) stay at their ends where it reads right to left.

    It uses marks: unlike an isolate, they do not affect what follows where the text is cut short.
    """
    return f"\u200f{text}\u200f" if reads_right_to_left([text]) else text


def isolated(text: str) -> str:
    """Returns a text in an isolate: an Arabic piece must not change the direction of the text around it."""
    turns = any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text)
    return f"\u2068{text}\u2069" if turns else text
