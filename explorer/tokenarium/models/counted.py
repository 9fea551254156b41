"""Names and sentences of which there may be any number: some are shown, the others are counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MOST_NAMES: Final = 5
MOST_SENTENCES: Final = 8
LONGEST_NAME: Final = 40
LONGEST_SENTENCE: Final = 400


def quoted(name: str) -> str:
    """Returns a name in quotation marks, shortened if it is long, with unprintable characters escaped.

    >>> quoted("a\\u202eb")
    '“a\\\\u202eb”'
    """
    shown = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return f"“{printable(shown)}”"


def printable(text: str) -> str:
    """Returns a text in which marks that turn the direction, controls and half surrogate pairs are written out."""
    return "".join(
        character if character.isprintable() else f"\\u{ord(character):04x}" for character in text
    )


def cleaned(name: str) -> str:
    """Returns a name in one line, without blanks around it, and without what cannot be seen.

    >>> cleaned(" a\\t\\u202eb ")
    'a b'
    """
    return "".join(sign for sign in " ".join(name.split()) if sign.isprintable())


def listed(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Returns the first of some names in quotation marks, and how many more there are.

    >>> listed(["a", "b", "c"]), listed("abcdefgh", 2)
    ('“a”, “b” and “c”', '“a”, “b” and 6 more')
    """
    shown = [quoted(name) for name in names[:most]]
    more = len(names) - len(shown)
    if not more and len(shown) > 1:
        return f"{', '.join(shown[:-1])} and {shown[-1]}"
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def some_sentences(sentences: Sequence[str], most: int = MOST_SENTENCES) -> str:
    """Returns the first of some sentences, each cut where it is long, and how many more there are.

    >>> some_sentences([f"{number}." for number in range(12)], 2)
    '0. 1. (And 10 more.)'
    """
    shown = [
        sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[: LONGEST_SENTENCE - 1]}…"
        for sentence in sentences[:most]
    ]
    more = len(sentences) - len(shown)
    return " ".join([*shown, *([f"(And {more:,} more.)"] if more else [])])
