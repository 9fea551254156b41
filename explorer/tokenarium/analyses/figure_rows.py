"""The table of the figures of tokenizers for texts, as ``tokenarium compare`` and notebooks write it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import tokenarium_core as tc
from tokenarium.analyses.table import COUNT, Table, TableColumn, printed_column
from tokenarium.models.compare.metrics import METRIC_OF, METRICS, Figures, figures_of, is_flattered
from tokenarium.models.compare.tally import Tally
from tokenarium.models.compare.words import NO_WORDS
from tokenarium.models.text.lost_text import LOST_TEXT, SIGN, is_doubtful
from tokenarium.models.text.piece import percent


class FigureRow(NamedTuple):
    """The figures of a tokenizer for a text, whose name is empty if it is the only text."""

    name: str
    tokenizer: tc.Tokenizer
    called: str
    figures: Figures
    found: Tally

    @classmethod
    def of(cls, name: str, tokenizer: tc.Tokenizer, called: str, found: Tally) -> FigureRow:
        """Returns the row of what was counted; ``called`` is the name of the tokenizer."""
        return cls(name, tokenizer, called, figures_of(found), found)

    @property
    def values(self) -> dict[str, str | float | None]:
        """The row as JSON has it."""
        figures, found = self.figures, self.found
        row: dict[str, str | float | None] = {
            **({"file": self.name} if self.name else {}),
            "tokenizer": self.called,
            "vocabulary": len(self.tokenizer.vocabulary),
            "bytes": found.byte_count,
            "characters": found.characters,
            "words": found.word_count,
            "tokens": found.tokens,
            "bytes_per_token": figures.value("bytes_per_token"),
            "characters_per_token": figures.value("characters_per_token"),
            "entries_used": int(np.count_nonzero(found.uses)),
            "unknown_text": figures.unknown_share,
            "lost_text": figures.lost_share,
            "round_trip": not found.changed,
        }
        says = figures.words_say
        rest = {
            metric.id: figures.value(metric.id) if says or not metric.of_words else None
            for metric in METRICS
        }
        return rest | row


def figure_table(rows: Sequence[FigureRow], heading: str = "file") -> Table[FigureRow]:
    """Returns the table; ``heading`` is the head of the names of texts, if they have any."""
    named = any(row.name for row in rows)
    first = rows[0].found

    def shown(head: str, metric: str, digits: int) -> TableColumn[FigureRow]:
        return printed_column(head, lambda row: shown_figure(row.figures, metric, digits), str)

    columns: list[TableColumn[FigureRow]] = [
        printed_column(heading if named else None, lambda row: row.name),
        printed_column("tokenizer", lambda row: row.called),
        printed_column("bytes" if named else None, lambda row: row.found.byte_count, COUNT),
        shown("tokens", "tokens", 0),
        shown("bytes\n/token", "bytes_per_token", 3),
        shown("chars\n/token", "characters_per_token", 3),
        shown("fertility\nin context", "fertility", 3),
        shown("fertility\nalone", "fertility_alone", 3),
        shown("median\nalone", "alone_median", 0),
        shown("95 of 100\nalone", "alone_95", 0),
        shown("alone in\none token", "alone_whole", 1),
        printed_column("round\ntrip", lambda row: "no" if row.found.changed else "yes"),
        printed_column("lost\ntext", lambda row: row.figures.lost_share, percent),
        printed_column("entries\nused", lambda row: np.count_nonzero(row.found.uses), COUNT),
        printed_column("entries", lambda row: len(row.tokenizer.vocabulary), COUNT),
    ]
    title = "" if named else f"{first.byte_count:,} bytes, {first.characters:,} characters"
    return Table(columns, rows, title=title, keys=1 + named)


def figure_notes(rows: Sequence[FigureRow]) -> list[str]:
    """Returns sentences on the signs in the table."""
    notes = []
    if any(is_doubtful(row.figures.lost_share) for row in rows):
        notes.append(LOST_TEXT)
    if not all(row.figures.words_say for row in rows):
        notes.append(f"– {NO_WORDS}")
    return notes


def shown_figure(figures: Figures, metric: str, digits: int) -> str:
    """Returns a figure for the table: a dash if it has no meaning, a sign if lost text flatters it."""
    value = figures.value(metric)
    if value is None or (METRIC_OF[metric].of_words and not figures.words_say):
        return "–"
    sign = f"{SIGN} " if is_flattered(METRIC_OF[metric], figures) else ""
    return f"{sign}{value:,.{digits}f}{'%' * (METRIC_OF[metric].unit == '%')}"
