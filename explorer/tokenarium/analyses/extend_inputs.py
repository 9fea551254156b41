"""What to add to a tokenizer, for the page and the command."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tokenarium.analyses.field import Count, Flag, Line, Number

EXTEND_FIELDS: Final = (
    Count(
        "add",
        "The most entries to add, such as 1,000, or a share of the current entries, such as 2%.",
        "Entries to add",
        "The most entries to add",
        "extend_count",
        kept_if_usual=False,
        default=100,
        low=1,
        high=100_000,
        metavar="ENTRIES",
        short="-n",
        usual="1000",
    ),
    Line(
        "words",
        "A text file with a word on each line, with its space in front if it has one: each becomes one token.",
        "Words that become one token",
        "Words that become one token each, separated by commas or line ends, or @ and the path of a file that has one on"
        " each line; the texts then only show what changes",
        "extend_words",
        kept_if_usual=False,
        hint="or words, such as Tokenarium",
        kind=Path,
        metavar="FILE",
    ),
    Number(
        "min_frequency",
        "A pair that occurs fewer times is not merged; 0 means the number of the tokenizer's own trainer: 2, and 1 in"
        " SentencePiece.",
        bounds=(0, None),
    ),
    Flag(
        "resume",
        "Place the entries where a single training would have put them: what comes after the merges gets higher ids.",
    ),
)
