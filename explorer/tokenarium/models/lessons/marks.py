"""What a step of a lesson may highlight: a range of the text, a token, or a part of the window by its name."""

from __future__ import annotations

from typing import Final, NamedTuple

PARTS: Final = {
    "text": "the text with its tokens",
    "counts": "the cards with the counts, above the text",
    "strip": "the strip of a tokenizer of the lesson, as “strip 2”",
    "inspector": "the inspector of the selection",
    "library": "the list of tokenizers",
    "pages": "the row with the pages and switches of the workspace",
    "rail": "the workspaces at the left",
    "top bar": "the line of the text, and the buttons beside it",
    "stage": "what a page shows: tiles, a lattice, a grid, a chart or a table",
    "sentence": "the sentence that says what a step does",
    "player": "the buttons of the player",
    "queue": "the list beside the tiles: the pairs that wait",
}
"""The named parts of the window, with what they are."""

NUMBERED: Final = ("strip", "token")
"""What is followed by a number from 1 on."""


class Mark(NamedTuple):
    """Something to highlight: ``part`` is "range", with its ``text``, "token", with its ``number``, or a named part."""

    part: str
    text: str = ""
    number: int = 0


def mark_of(written: str) -> Mark:
    """Returns what a lesson's file names; ValueError, with a sentence, if it names nothing.

    >>> mark_of("strip 2"), mark_of("range: an Egg").text, mark_of("token 3").number
    (Mark(part='strip', text='', number=2), 'an Egg', 3)
    """
    name, is_range, text = written.partition(": ")
    if is_range and name == "range" and text:
        return Mark("range", text)
    name, _, number = written.rpartition(" ")
    if name in NUMBERED and len(number) < 7 and number.isdecimal() and int(number) > 0:
        return Mark(name, number=int(number))
    if written in PARTS and written not in NUMBERED:
        return Mark(written)
    known = ", ".join("strip 2" if name == "strip" else name for name in PARTS)
    raise ValueError(
        f"“{written[:40]}” cannot be marked. There are “range: ” with a part of the text, “token 3”, and {known}."
    )
