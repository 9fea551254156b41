"""How much of a text a page shows: browsers take seconds to lay out a page of many elements, and more for a long line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Final

from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.text_runs import RunLine, text_lines

MOST_BYTES: Final = 1 << 18
"""Bytes of a text, at most."""

MOST_ELEMENTS: Final = 150_000
"""Elements of a text in a page, at most: about two seconds."""

MOST_IN_LINE: Final = 20_000
"""Elements of a line, at most: a browser lays out a line as a whole, even the part that is not seen."""

MOST_IN_GRAPHEME: Final = 1_000
"""Bytes of a grapheme, at most: a browser needs minutes for a hundred thousand combining marks on one letter."""

OF_LINE, OF_ROW = 4, 10
"""What each line counts for, and each row in it, beside its pieces: its marker alone is as long as ten of them."""


def beginning(text: str, most: int = MOST_BYTES) -> str:
    """Returns the beginning of a text of at most so many bytes, which ends with a grapheme.

    >>> beginning("ab\\N{WAVING HAND SIGN}\\N{EMOJI MODIFIER FITZPATRICK TYPE-4}", 9)
    'ab'
    """
    last = size = 0
    for end in grapheme_ends(text[: most + 1]):  # a character has a byte or more
        size += len(text[last:end].encode("utf-8", "surrogatepass"))
        if size > most:
            break
        last = end
    return text[:last]


def fitting_end(text: TextMap, rows: int, cuts: Callable[[RunLine], Iterable[float]]) -> int:
    """Returns the byte up to which a page has room for a text with some rows: its end, or where a piece ends.

    ``cuts`` are where the pieces of a line end.
    """
    left = MOST_ELEMENTS
    for line in text_lines(text):
        left -= OF_LINE + OF_ROW * rows
        room = max(min(left, MOST_IN_LINE) // (rows + 1), 0)
        ends = sorted(cut for cut in {*cuts(line), float(line.end)} if cut > line.start)
        large = next(
            (one for one in pairwise(line.edges or ()) if one[1] - one[0] > MOST_IN_GRAPHEME), None
        )
        if len(ends) > room or left < 0 or large is not None:
            end = int(ends[min(room, len(ends)) - 1]) if room and ends else line.start
            return end if large is None else min(end, _inside(text, large[0] + MOST_IN_GRAPHEME))
        left -= (rows + 1) * len(ends)
    return text.byte_count


def _inside(text: TextMap, place: int) -> int:
    """Returns where the character at a byte begins."""
    while text.data[place] & 0xC0 == 0x80:
        place -= 1
    return place


def part_sentence(shown: TextMap, whole: TextMap) -> str:
    """Returns which part of a text a page shows; empty if all of it."""
    if shown.byte_count >= whole.byte_count:
        return ""
    return (
        f"These are the first {shown.byte_count:,} of {whole.byte_count:,} bytes of the text, and the counts are those of"
        " this part: a page of more would be slow."
    )
