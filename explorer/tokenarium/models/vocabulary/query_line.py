"""The line that a vocabulary is filtered by: its terms in words, the line with one more or less, what it may go on with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES
from tokenarium.models.text.piece import score_text
from tokenarium.models.vocabulary.vocabulary_columns import FLAGS, VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_query import KEYS, Interval, Term, words, written
from tokenarium_core.vocabulary import KINDS, NORMAL

SINGLE = ("script", "type", "with", "finding")
"""The keys of which a line has one term at a time."""

LONGEST_CHIP = 40
"""Characters of a term that a chip shows."""

LISTED = ("script", "type", "flag")
WRITTEN = ("text", "like", "re", "bytes", "id", "rank", "chars")
"""The keys whose values a menu lists, and those after which one writes."""

LENGTHS = (("one byte", "len:1"), ("2 to 4 bytes", "len:2-4"), ("5 to 8 bytes", "len:5-8"))


def chip(term: Term) -> tuple[str, str]:
    """Returns what is on the chip of a term, and what it says."""
    key = KEYS[term.key]
    sign = "not " if term.negated else ""
    written = term.written
    shown = written if len(written) <= LONGEST_CHIP else written[: LONGEST_CHIP - 1] + "…"
    about = (
        f"An entry of which it does not hold that it {key.about}"
        if term.negated
        else f"An entry that {key.about}"
    )
    if term.key == "text":
        return f"{sign}“{shown}”", about
    return f"{sign}{term.key} {shown}", about


def without(line: str, term: Term) -> str:
    """Returns a line with one of its terms taken out."""
    return " ".join((line[: term.start] + line[term.end :]).split(" ")).strip()


def with_term(line: str, terms: Sequence[Term], text: str) -> str:
    """Returns a line with a term more; it takes the place of one of the same key, where there can be one alone."""
    key = text.removeprefix("!").partition(":")[0]
    same = next((term for term in terms if term.key == key), None)
    if same is not None and key in SINGLE:
        line = line[: same.start] + line[same.end :]
    return f"{line.strip()} {text}".strip()


def hint(terms: Sequence[Term], columns: VocabularyColumns) -> str:
    """Returns what may be the reason that no entry of a vocabulary satisfies these terms."""
    for term in terms:
        if term.key == "rank" and not term.negated and isinstance(term.value, tuple):
            reason = _why_no_value(term.value, columns)
            if reason:
                return reason
        if "·" in term.written and term.key in ("text", "like", "re"):
            return '“·” only stands for a space in the table. Write the space itself, in quotes: " the".'
        for sign in "▁Ġ":  # one that stands for a space in this vocabulary is one in the value
            if (
                isinstance(term.value, bytes)
                and term.key != "bytes"
                and sign.encode() in term.value
            ):
                return f'{sign} is no space in this vocabulary. Write the space itself, in quotes: " the".'
    for term in terms:
        if term.key == "text" and not term.negated and term.written.lower() != term.written.upper():
            return f"Capitals count. They do not in like:{term.written}"
    return "Take a filter out with the ✕ on its chip."


def _why_no_value(wanted: Sequence[Interval], columns: VocabularyColumns) -> str:
    """Returns why none of the entries that texts become has such a rank or score; nothing where some have."""
    values = columns.values[(columns.kinds == NORMAL) & ~columns.unranked]
    if not len(values):
        return "The entries of this vocabulary have neither ranks nor scores."
    low, high = float(values.min()), float(values.max())
    if any(first <= high and last >= low for first, last in wanted):
        return ""
    kind = "scores" if columns.has_scores else "ranks"
    return f"The {kind} of this vocabulary go from {score_text(low)} to {score_text(high)}."


@dataclass(frozen=True, slots=True)
class QueryChoice:
    """A term that may be in the line, with what it says and how many entries satisfy it (-1: unknown)."""

    text: str
    about: str
    count: int = -1


@dataclass(frozen=True, slots=True)
class Completion:
    """The choices for the word at ``start`` to ``end`` of a line, which each of them replaces."""

    start: int
    end: int
    choices: tuple[QueryChoice, ...]


def values_of(columns: VocabularyColumns, key: str) -> list[QueryChoice]:
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
            QueryChoice(written(key, name), FLAGS[name][1], int(count))
            for name, count in zip(names, counts.tolist(), strict=True)
        ]
    else:
        return []
    order = [place for place in np.argsort(-counts, kind="stable").tolist() if counts[place]]
    return [
        QueryChoice(
            written(key, names[place].lower().replace(" ", "-")), names[place], int(counts[place])
        )
        for place in order
    ]


def sections(columns: VocabularyColumns) -> list[tuple[str, list[QueryChoice]]]:
    """Returns what a menu offers, by its headings."""
    return [
        *((KEYS[key].title, values_of(columns, key)) for key in LISTED),
        (KEYS["len"].title, [QueryChoice(text, about) for about, text in LENGTHS]),
        *((f"{KEYS[key].title} …", [QueryChoice(f"{key}:", "")]) for key in WRITTEN),
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
            QueryChoice(sign + choice.text, choice.about, choice.count)
            for choice in values_of(columns, word.key)
            if typed in choice.text.partition(":")[2].strip('"')
            and choice.text != line[word.start : word.end]
        ]
    else:
        typed = line[word.start : word.end].removeprefix("!")
        choices = [
            QueryChoice(f"{sign}{key.name}:", f"an entry that {key.about}")
            for key in KEYS.values()
            if typed and key.name.startswith(typed.lower())
        ]
    return Completion(word.start, word.end, tuple(choices)) if choices else None
