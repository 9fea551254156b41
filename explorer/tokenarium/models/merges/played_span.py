"""Which part of a text is played: what is selected, or the longest word near its beginning."""

from __future__ import annotations

from typing import Final
from unicodedata import category

import regex

from tokenarium.models.text.piece import counted, readable
from tokenarium.models.text.text_map import TextMap

LONGEST = 1000
"""The most bytes that are played: a long sentence."""

UNSELECTED = 160
"""Bytes in which the longest word is played if nothing is selected: about the first sentence."""

LONGEST_WORD = 24
"""The most characters of a word: a line without spaces is longer."""

_BOUNDARY: Final = regex.compile(r"(?V1w)\b")
"""The boundaries of words as UAX #29 defines them."""


def played_span(text: TextMap, selection: tuple[int, int] | None) -> tuple[int, int]:
    """Returns the bytes of a text that are played: the selection, or the longest word at the beginning."""
    if selection is not None:
        start, end = selection
        return text.characters(start, min(end, start + LONGEST))
    words = words_of(text.utf8_of(0, UNSELECTED), LONGEST_WORD)
    longest = max(words, key=lambda word: word[1] - word[0], default=(0, 0))
    return text.characters(*longest)


def words_of(utf8: bytes, longest: int) -> list[tuple[int, int]]:
    """Returns the bytes of the words of a text: letters and digits, with the spaces before them left out.

    >>> words_of("An old-time café".encode(), 9)
    [(0, 2), (3, 6), (7, 11), (12, 17)]
    """
    words: list[str] = []  # all of the text in parts
    for word in _BOUNDARY.split(utf8.decode("utf-8", "ignore")):
        # If there are no spaces between words, each character is its own word.
        joined = words and _is_word(words[-1]) and _is_word(word)
        if joined and not (words[-1].isascii() or word.isascii()):
            words[-1] += word
        else:
            words.append(word)
    result, byte = [], 0
    for word in words:
        if _is_word(word):
            result.append((byte, byte + len(word[:longest].encode())))
        byte += len(word.encode())
    return result


def _is_word(text: str) -> bool:
    return any(c.isalnum() for c in text) or not (text.isascii() or text.isspace())


def span_sentence(text: TextMap, start: int, end: int, selection: tuple[int, int] | None) -> str:
    """Returns which part of a text is played, in words."""
    whole = text.utf8_of(start, end).decode("utf-8", "replace")
    joined = " ".join(whole.split())
    shown = "".join(readable(c.encode()) if category(c) == "Cc" else c for c in joined)
    if selection is None:
        description = "the longest word here; select another one in the text"
    elif selection[1] - start > LONGEST:
        description = f"the first {LONGEST:,} bytes of the selection"
    else:
        description = "selected in the text"
    return f"“{shown}”, {description} · {counted(len(whole), 'character')}"
