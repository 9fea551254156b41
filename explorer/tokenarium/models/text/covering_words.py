"""The covering of a prompt in sentences and texts for users."""

from __future__ import annotations

from tokenarium.models.text.covering import Covering
from tokenarium.models.text.direction import in_its_direction
from tokenarium.models.text.piece import readable
from tokenarium.models.text.ways_words import big_number

SHOWN = 12
"""Characters of what is before a last token that are written."""


def end_of_prompt(data: bytes) -> str:
    """Returns the end of what is before a last token, from a character on, with single bytes after it."""
    text = data.decode("utf-8", "ignore")
    shown = "…" * (len(text) > SHOWN) + readable(text[-SHOWN:].encode())
    rest = data[len(text.encode()) :]
    return in_its_direction(shown, text.encode()) + readable(rest)


def covering_sentence(covering: Covering) -> str:
    """Returns how many sequences cover the prompt."""
    count, canonical = covering.sequences, covering.canonical
    if count == 0:
        return "No sequence of ids covers the prompt."
    covers = "sequence of ids covers" if count == 1 else "sequences of ids cover"
    return f"{big_number(count)} {covers} the prompt; {canonical:,} of them {'is' if canonical == 1 else 'are'} canonical."  # fmt: skip
