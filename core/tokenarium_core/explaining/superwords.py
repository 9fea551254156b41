"""Superwords: the pieces that hold more than one word, as SuperBPE learns them.

A word is what stands between blanks of ASCII, so ``b" of the"`` has two of them and is a superword,
``b" the"``, ``b",\\n"`` and ``b"    "`` are none. That is told by a piece's bytes alone, and so of any
tokenizer, whoever trained it.
"""

from __future__ import annotations

from mypy_extensions import i64

from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import NORMAL, Vocabulary


def words_in(piece: bytes) -> int:
    """Returns how many words, or parts of words, a piece holds: 3 for ``b"e of the"``."""
    return len(piece.split())


def superwords(tokenizer: Tokenizer) -> list[int]:
    """Returns the ids of all superwords of a tokenizer, in rising order."""
    vocabulary = tokenizer.vocabulary
    return [token for token in range(vocabulary.count) if is_superword(vocabulary, token)]


def is_superword(vocabulary: Vocabulary, token: i64) -> bool:
    """Tells whether a piece is a superword: a normal piece that holds a blank between two words.

    IdError for an id that there is not.
    """
    vocabulary.check(token)
    if i64(vocabulary.kinds[token]) != NORMAL:
        return False
    arena = vocabulary.arena
    at: i64 = i64(vocabulary.offsets[token])
    stop: i64 = i64(vocabulary.offsets[token + 1])
    words: i64 = 0
    within = False
    while at < stop and words < 2:
        byte: i64 = arena[at]
        blank = byte == 0x20 or 9 <= byte <= 13
        if not blank and not within:
            words += 1
        within = not blank
        at += 1
    return words == 2
