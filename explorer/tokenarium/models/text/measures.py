"""Counts that stand over each tokenizer: how many tokens, and how long they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokenarium.models.text.text_map import IntArray, TextMap


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


def measure(text_map: TextMap, ends: IntArray, removed: IntArray | None = None) -> Measures:
    """Returns the counts of parts with these end offsets; those with the spans ``removed`` (n × 2) do not count."""
    covered = int(ends[-1]) if len(ends) else 0
    characters = int(text_map.byte_to_char(covered))
    if removed is None:
        return Measures(len(ends), covered, characters)
    return Measures(
        len(ends) - len(removed),
        covered - int(np.diff(removed).sum()),
        characters - int(np.diff(text_map.byte_to_char(removed)).sum()),
    )
