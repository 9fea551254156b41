"""What a half-written query may go on with: keys, and the values that a vocabulary has for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES
from tokenarium.models.vocabulary.vocabulary_columns import FLAGS, VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_query import KEYS, words, written
from tokenarium_core.vocabulary import KINDS

LISTED = ("script", "type", "flag")
WRITTEN = ("text", "like", "re", "bytes", "id", "rank", "chars")
"""The keys whose values a menu lists, and those after which one writes."""

LENGTHS = (("one byte", "len:1"), ("2 to 4 bytes", "len:2-4"), ("5 to 8 bytes", "len:5-8"))


@dataclass(frozen=True, slots=True)
class Choice:
    """A term that may stand in the line, with what it says and how many entries satisfy it (-1: unknown)."""

    text: str
    about: str
    count: int = -1


@dataclass(frozen=True, slots=True)
class Completion:
    """The choices for the word at ``start`` to ``end`` of a line, which each of them replaces."""

    start: int
    end: int
    choices: tuple[Choice, ...]


def values_of(columns: VocabularyColumns, key: str) -> list[Choice]:
    """Returns the values that a vocabulary has for a key, the most frequent first."""
    if key in ("script", "with"):
        counts = np.bincount(columns.scripts, minlength=256)
        names: list[str] = list(CLASS_NAMES)
    elif key == "type":
        counts = np.bincount(columns.kinds, minlength=len(KINDS))
        names = KINDS
    elif key == "flag":
        names = list(FLAGS)
        counts = np.array([np.count_nonzero(columns.flags & np.uint8(FLAGS[n][0])) for n in names])
        return [
            Choice(written(key, name), FLAGS[name][1], int(count))
            for name, count in zip(names, counts.tolist(), strict=True)
        ]
    else:
        return []
    order = [place for place in np.argsort(-counts, kind="stable").tolist() if counts[place]]
    return [
        Choice(
            written(key, names[place].lower().replace(" ", "-")), names[place], int(counts[place])
        )
        for place in order
    ]


def sections(columns: VocabularyColumns) -> list[tuple[str, list[Choice]]]:
    """Returns what a menu offers, by its headings."""
    return [
        *((KEYS[key].title, values_of(columns, key)) for key in LISTED),
        (KEYS["len"].title, [Choice(text, about) for about, text in LENGTHS]),
        *((f"{KEYS[key].title} …", [Choice(f"{key}:", "")]) for key in WRITTEN),
    ]


def complete(line: str, cursor: int, columns: VocabularyColumns) -> Completion | None:
    """Returns what the word before the cursor may become; None where there is nothing to offer."""
    word = next((word for word in words(line) if word.start < cursor <= word.end), None)
    if word is None:
        return None
    sign = "!" if word.negated else ""
    if word.key:
        typed = word.value.lower()
        choices = [
            Choice(sign + choice.text, choice.about, choice.count)
            for choice in values_of(columns, word.key)
            if typed in choice.text.partition(":")[2].strip('"')
            and choice.text != line[word.start : word.end]
        ]
    else:
        typed = line[word.start : word.end].removeprefix("!")
        choices = [
            Choice(f"{sign}{key.name}:", f"an entry that {key.about}")
            for key in KEYS.values()
            if typed and key.name.startswith(typed.lower())
        ]
    return Completion(word.start, word.end, tuple(choices)) if choices else None
