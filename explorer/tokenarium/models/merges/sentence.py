"""Sentences with pieces of a vocabulary in them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SentenceToken:
    """A piece within a sentence: its text as a person reads it, and its id (-1: it has none).

    ``superword``: it holds several words.
    """

    text: str
    id: int = -1
    superword: bool = False


Sentence = tuple[str | SentenceToken, ...]
"""Words and pieces, one behind the other."""


def plain(sentence: Sentence) -> str:
    """Returns a sentence with its pieces in quotation marks."""
    return "".join(part if isinstance(part, str) else _quoted(part) for part in sentence)


def _quoted(chip: SentenceToken) -> str:
    return f"“{chip.text}” (a superword)" if chip.superword else f"“{chip.text}”"
