"""Whether a text is code, which is best read in a font of fixed width."""

from __future__ import annotations

from collections import Counter

from tokenarium.models.text.text_map import TextMap

LOOKED_AT = 20_000
"""Characters at the beginning of a text that decide."""

SIGNS = frozenset("{}[]()<>=;_\\|$@*&+")
"""Characters that are frequent in code of most languages, and rare in prose."""

ENDS = ("{", "}", "(", ")", "[", "]", ";", ":", ",", ">", "\\")
"""What a line of code often ends with."""

PASTED = 40
"""Characters that are not typed at once."""

_END = PASTED // 2 - 1
LEAST = 20
"""Characters that are not spaces: fewer say too little."""

_JSON = ('{"', "[{", '["', "[[")
_INDENTS = ("  ", "\t")

MANY_SIGNS = 0.10
"""The share of signs among characters other than spaces from which any text is code, such as a line of JSON."""

SOME_SIGNS = 0.03
BUILT_LINES = 0.5
MOST_WORDS = 0.8
"""With fewer signs: the share of lines that are indented or end as code does, and of words that have only letters.

Prose with lists and links has signs and indents too, but nearly all of it is words.
"""


def is_code(text: str) -> bool:
    """Returns whether the beginning of a text looks like code: by its brackets, its indents and the ends of its lines."""
    beginning = text[:LOOKED_AT]
    seen = signs = 0
    for character, count in Counter(beginning).items():
        if not character.isspace():
            seen += count
            signs += count if character in SIGNS else 0
    stripped = text.strip() if len(text) <= LOOKED_AT else ""
    if stripped[:2] in _JSON and stripped[-1:] in "]}":
        return True
    if seen < LEAST or signs >= MANY_SIGNS * seen:
        return seen >= LEAST
    lines = [line for line in beginning.splitlines() if line.strip()]
    built = sum(line.startswith(_INDENTS) or line.rstrip().endswith(ENDS) for line in lines)
    if len(lines) < 2 or signs < SOME_SIGNS * seen or built < BUILT_LINES * len(lines):
        return False
    words = beginning.split()
    return sum(word.strip(".,;:").isalpha() for word in words) < MOST_WORDS * len(words)


def is_pasted(before: TextMap, after: TextMap) -> bool:
    """Returns whether an edit replaced the text, as pasting does, and did not only type in it."""
    counts = before.char_count, after.char_count
    if counts[1] - counts[0] > max(PASTED, counts[0]):
        return True
    if min(counts) < PASTED or before.part(0, _END) == after.part(0, _END):
        return False
    ends = [text.part(text.char_count - _END, text.char_count) for text in (before, after)]
    return ends[0] != ends[1]
