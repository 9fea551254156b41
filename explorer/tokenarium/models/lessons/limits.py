"""How large a lesson may be: its files come from anywhere, so each bound is checked before the work begins."""

from __future__ import annotations

from typing import Final

MOST_BYTES: Final = 256 << 10
"""Bytes of a lesson's file."""

MOST_LINES: Final = 4_000
MOST_STEPS: Final = 100
MOST_HEAD: Final = 16_000
"""Characters of the head."""

MOST_BLOCK: Final = 64_000
"""Characters of one block of a step."""

MOST_DEPTH: Final = 16
"""Lists and tables of TOML inside each other, and parts of a name with dots."""

MOST_PROSE: Final = 20_000
"""Characters of the prose of a step, and of any other text in Markdown, with the values in it."""

MOST_PROSE_LINES: Final = 1_000
"""Lines of such a text."""

MOST_NESTED: Final = 8
"""Lists and quotations that begin in one line of it."""

MOST_TITLE: Final = 200
"""Characters of a title, and of each other line in the head."""

MOST_LISTED: Final = 100
"""Entries of each list of a head, a scene or a question, and lines of a block ``asked``."""

MOST_TOKENIZERS: Final = 16
MOST_MINUTES: Final = 1_000
MOST_CHOICES: Final = 12
MOST_PARTS: Final = 100
"""Parts that a question has put in order or cut."""

MOST_NUMBER: Final = 10**15
"""The largest number in a head or a block, and the largest of an expression, below and above 0."""

MOST_EXPRESSIONS: Final = 100
"""Expressions of a step."""

MOST_LESSONS: Final = 500
"""Lessons in the user's folder."""

MOST_PICTURE_BYTES: Final = 1 << 20
MOST_PICTURE_PIXELS: Final = 4_000_000
MOST_PICTURES: Final = 4
"""Pictures in one text."""

MOST_CHARACTERS: Final = 20_000
"""The longest text, and the longest list, that an expression may contain or make."""

MOST_WRITTEN: Final = 2_000
"""Characters of an expression besides the texts in it."""

MOST_NODES: Final = 200
"""Parts of an expression."""

MOST_LEARNED: Final = 1_000
"""Merges that are learned from a text."""

MOST_SPELLED: Final = 256
"""Characters for which ways to spell them are counted."""

MOST_WORD: Final = 1_000
"""Characters of a word that an expression makes one token: the time grows with their square."""

MOST_STEP_COST: Final = 4_000_000
"""What the expressions of a step may cost: about a microsecond each on a common computer."""

MOST_LESSON_COST: Final = 20_000_000
"""What all of a lesson may cost where it is checked, or made a handout."""

MOST_EMOJI: Final = 2_000
"""Emoji of a handout as PDF: each is a picture there, of about 2 KB."""


def limits() -> list[tuple[str, str]]:
    """Returns what is limited, and how; for the documentation."""
    return [
        (
            "a lesson's file",
            f"{MOST_BYTES >> 10} KB and {MOST_LINES:,} lines; a file, not a device or a pipe",
        ),
        ("steps", f"{MOST_STEPS}"),
        ("the head", f"{MOST_HEAD:,} characters; each line in it {MOST_TITLE}"),
        ("a block", f"{MOST_BLOCK:,} characters"),
        ("nested lists and tables of TOML", f"{MOST_DEPTH}"),
        ("entries of a list, lines of `asked`", f"{MOST_LISTED}"),
        ("`tokenizers`, and keys of each", f"{MOST_TOKENIZERS}"),
        ("`choices`", f"{MOST_CHOICES}"),
        ("parts that are put in order or cut", f"{MOST_PARTS}"),
        ("numbers", f"{MOST_NUMBER:,}"),
        (
            "the prose of a step, and any other text in Markdown",
            f"{MOST_PROSE:,} characters, {MOST_PROSE_LINES:,} lines",
        ),
        (
            "pictures",
            f"PNG and JPEG next to the lesson or in folders there; {MOST_PICTURE_BYTES >> 20} MB,"
            f" {MOST_PICTURE_PIXELS:,} pixels, {MOST_PICTURES} in a text",
        ),
        ("expressions of a step", f"{MOST_EXPRESSIONS}"),
        (
            "an expression",
            f"{MOST_WRITTEN:,} characters besides the texts in it, {MOST_NODES} parts",
        ),
        (
            "a text or a list that an expression contains or makes",
            f"{MOST_CHARACTERS:,} characters or elements",
        ),
        ("merges that are learned", f"{MOST_LEARNED:,}"),
        ("characters whose spellings are counted", f"{MOST_SPELLED}"),
        ("characters of a word that becomes one token", f"{MOST_WORD:,}"),
        (
            "what the expressions of a step cost",
            f"{MOST_STEP_COST // 1_000_000} seconds, as estimated before each is computed",
        ),
        ("emoji of a handout as PDF, where each is a picture", f"{MOST_EMOJI:,}"),
        ("lessons in your folder", f"{MOST_LESSONS}"),
    ]
