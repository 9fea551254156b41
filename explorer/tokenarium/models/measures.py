"""Counts that stand over each tokenizer: how many tokens, how long they are, what they cut apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokenarium.models.text_map import IntArray, TextMap


@dataclass(frozen=True, slots=True)
class Measures:
    """Counts over the part of a text that is cut so far: parts, bytes, characters."""

    parts: int
    bytes: int
    characters: int

    @property
    def bytes_per_part(self) -> float | None:
        """Bytes of UTF-8 a part; none without parts."""
        return self.bytes / self.parts if self.parts else None

    @property
    def characters_per_part(self) -> float | None:
        """Code points a part; none without parts."""
        return self.characters / self.parts if self.parts else None


def measure(text_map: TextMap, ends: IntArray) -> Measures:
    """Returns the counts of parts with these end offsets."""
    covered = int(ends[-1]) if len(ends) else 0
    return Measures(len(ends), covered, int(text_map.byte_to_char(covered)))


def cuts_inside(
    text_map: TextMap, ends: IntArray, grapheme_edges: npt.NDArray[np.bool_] | None
) -> tuple[int, int]:
    """Returns how many parts end inside a character, and how many more inside a grapheme.

    ``grapheme_edges`` tells of each byte offset whether a grapheme ends there; without it (they are
    still being looked for) the second number is 0.
    """
    if text_map.is_ascii and grapheme_edges is None:
        return 0, 0
    inside = text_map.inside_character(ends)
    characters = int(np.count_nonzero(inside))
    if grapheme_edges is None:
        return characters, 0
    return characters, int(np.count_nonzero(~grapheme_edges[ends] & ~inside))
