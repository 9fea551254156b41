"""Sentences with pieces of a vocabulary in them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chip:
    """A piece within a sentence: its text as a person reads it, and its id (-1: it has none)."""

    text: str
    id: int = -1


Sentence = tuple[str | Chip, ...]
"""Words and pieces, one behind the other."""


def plain(sentence: Sentence) -> str:
    """Returns a sentence with its pieces in quotation marks."""
    return "".join(part if isinstance(part, str) else f"“{part.text}”" for part in sentence)
