"""The line that a vocabulary is filtered by: what its terms are called, and how it reads with one more or less."""

from __future__ import annotations

from collections.abc import Sequence

from tokenarium.models.text.piece import score_text
from tokenarium.models.vocabulary.vocabulary_columns import VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_query import KEYS, Interval, Term
from tokenarium_core.vocabulary import NORMAL

SINGLE = ("script", "type", "with", "finding")
"""The keys of which a line has one term at a time."""

LONGEST_CHIP = 40
"""Characters of a term that a chip shows."""


def chip(term: Term) -> tuple[str, str]:
    """Returns what stands on the chip of a term, and what it says."""
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
    """Returns a line with a term more; it stands in place of one of the same key, where there can be one alone."""
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
