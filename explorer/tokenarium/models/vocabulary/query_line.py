"""The line that filters a vocabulary: its terms in words, added or removed, and completions."""

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
"""The keys that a line has at most once."""

LONGEST_CHIP = 40
"""Characters of a term that a chip shows."""

LISTED = ("script", "type", "flag")
WRITTEN = ("text", "like", "re", "bytes", "id", "rank", "chars")
"""The keys whose values a menu lists, and those whose values are typed."""

LENGTHS = (("one byte", "len:1"), ("2 to 4 bytes", "len:2-4"), ("5 to 8 bytes", "len:5-8"))


def chip(term: Term) -> tuple[str, str]:
    """Returns the text and the tooltip of a term's chip."""
    key = KEYS[term.key]
    sign = "not " if term.negated else ""
    written = term.written
    shown = written if len(written) <= LONGEST_CHIP else written[: LONGEST_CHIP - 1] + "…"
    about = (
        f"An entry for which this is false: it {key.about}"
        if term.negated
        else f"An entry that {key.about}"
    )
    if term.key == "text":
        return f"{sign}“{shown}”", about
    return f"{sign}{term.key} {shown}", about


def without(line: str, term: Term) -> str:
    """Returns a line without one of its terms."""
    return " ".join((line[: term.start] + line[term.end :]).split(" ")).strip()


def with_term(line: str, terms: Sequence[Term], text: str) -> str:
    """Returns a line with one more term, which replaces one of the same key if there can be only one."""
    key = text.removeprefix("!").partition(":")[0]
    same = next((term for term in terms if term.key == key), None)
    if same is not None and key in SINGLE:
        line = line[: same.start] + line[same.end :]
    return f"{line.strip()} {text}".strip()


def hint(terms: Sequence[Term], columns: VocabularyColumns) -> str:
    """Returns a possible reason that no entry of a vocabulary satisfies these terms."""
    for term in terms:
        if term.key == "rank" and not term.negated and isinstance(term.value, tuple):
            reason = _why_no_value(term.value, columns)
            if reason:
                return reason
        for sign in "▁Ġ":  # where it stands for a space, it does so in the value too
            if (
                isinstance(term.value, bytes)
                and term.key != "bytes"
                and sign.encode() in term.value
            ):
                return f'{sign} is not a space in this vocabulary. Write the space itself, in quotes: " the".'
    for term in terms:
        if term.key == "text" and not term.negated and term.written.lower() != term.written.upper():
            return f"Case matters. To find both cases, write like:{term.written}"
    return "Remove a filter with the ✕ on its chip."


def _why_no_value(wanted: Sequence[Interval], columns: VocabularyColumns) -> str:
    """Returns why no entry has such a rank or score; empty if some have."""
    values = columns.values[(columns.kinds == NORMAL) & ~columns.unranked]
    if not len(values):
        return "The entries of this vocabulary have neither ranks nor scores."
    low, high = float(values.min()), float(values.max())
    if any(first <= high and last >= low for first, last in wanted):
        return ""
    kind = "scores" if columns.has_scores else "ranks"
    return f"The {kind} of this vocabulary range from {score_text(low)} to {score_text(high)}."


@dataclass(frozen=True, slots=True)
class QueryChoice:
    """A term to choose, with its meaning and how many entries satisfy it (-1: unknown)."""

    text: str
    about: str
    count: int = -1


@dataclass(frozen=True, slots=True)
class Completion:
    """The choices for the word at ``start`` to ``end`` of a line, which the chosen one replaces."""

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
    order = [index for index in np.argsort(-counts, kind="stable").tolist() if counts[index]]
    return [
        QueryChoice(
            written(key, names[index].lower().replace(" ", "-")), names[index], int(counts[index])
        )
        for index in order
    ]


def sections(columns: VocabularyColumns) -> list[tuple[str, list[QueryChoice]]]:
    """Returns the choices of a menu by heading."""
    return [
        *((KEYS[key].title, values_of(columns, key)) for key in LISTED),
        (KEYS["len"].title, [QueryChoice(text, about) for about, text in LENGTHS]),
        *((f"{KEYS[key].title} …", [QueryChoice(f"{key}:", "")]) for key in WRITTEN),
    ]


def complete(line: str, cursor: int, columns: VocabularyColumns) -> Completion | None:
    """Returns the completions of the word before the cursor, or None."""
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
