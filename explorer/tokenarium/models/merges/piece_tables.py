"""What the steps of a Unigram training did, as tables: its words, its pieces at each step, and what the step changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from librt.vecs import vec
from mypy_extensions import i32

from tokenarium.models.merges.training_tables import (
    LONGEST,
    Ints,
    PreTokenTable,
    StepTables,
    StoryTable,
    ordered,
    typed,
)
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.piece import readable
from tokenarium_core import Tokenizer
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.trace import Trace
from tokenarium_core.training import NO_LOSS, Trainer, UnigramRecord

FloatArray = npt.NDArray[np.float64]
COUNTED: Mapping[str, str] = {"EM": "Expected", "pruning": "Used"}
"""What the counts of a step are; other kinds have none."""


@dataclass(frozen=True, slots=True)
class StepPieces:
    """The pieces of a step of Unigram, those that it removed first: the closest call of each kind comes first.

    ``counts`` are expected or used, ``losses`` estimated, NaN if the step works none out. ``least`` is how often an EM expects
    what stays, ``is_sparse``: of sparse pruning, ``by_score``: pruned by the scores alone.
    """

    texts: Sequence[str]
    numbers: Ints
    kept: npt.NDArray[np.bool_]
    scores: FloatArray
    counts: FloatArray
    losses: FloatArray
    kind: str = "seed"
    least: float = 0.0
    is_sparse: bool = False
    by_score: bool = False

    def __len__(self) -> int:
        return len(self.numbers)

    def text(self, row: int) -> str:
        """Returns a piece as the user reads it."""
        return readable(self.texts[int(self.numbers[row])].encode())

    def fate(self, row: int) -> str:
        """Returns what became of a piece, and why."""
        is_kept = bool(self.kept[row])
        if self.kind == "EM":
            return "stays" if is_kept else f"removed: expected less than {self.least:.3g} times"
        if self.kind == "pruning" and self.by_score:
            if is_kept:
                is_character = len(self.texts[int(self.numbers[row])]) == 1
                return "stays: a character" if is_character else "stays"
            return "removed: a lower score"
        if self.kind == "pruning":
            if not is_kept:
                if self.counts[row] == 0:
                    return "removed: in no best cut"
                if np.isnan(self.losses[row]):
                    return "removed: its parts are better"
                return "removed: the smallest loss"
            return "stays: a character" if np.isnan(self.losses[row]) else "stays"
        if self.is_sparse and not is_kept:
            return "removed: beyond the size or better split"
        return "stays" if is_kept else "removed: beyond the size"


def step_pieces(record: UnigramRecord, position: int, by_score: bool = False) -> StepPieces:
    """Returns the pieces of a step."""
    step = record.steps[position]
    kept_mask = array_of(step.kept).astype(bool)
    scores, counts = array_of(step.scores), array_of(step.counts)
    losses = np.array(array_of(step.losses), dtype=np.float64)
    call = counts if step.kind == "EM" else losses if step.kind == "pruning" else scores
    if by_score and step.kind == "pruning":
        call = scores
    nearness = np.where(kept_mask, call, -call)
    if step.kind in ("seed", "selection"):
        nearness = -scores
    order = np.lexsort((nearness, kept_mask))
    losses[losses == NO_LOSS] = np.nan
    return StepPieces(
        record.texts,
        array_of(step.numbers).astype(np.int64)[order],
        kept_mask[order],
        scores[order],
        counts[order],
        losses[order],
        step.kind,
        step.least,
        record.is_sparse,
        by_score,
    )


class PieceTables(StepTables):
    """The three tables of a Unigram training: its words, its pieces, and what a step changed of their scores.

    ``pieces`` gives those of a step, ``tokenizer_after`` the tokenizer of a step.
    """

    def __init__(
        self,
        trainer: Trainer,
        record: UnigramRecord,
        pieces: Callable[[int], StepPieces],
        tokenizer_after: Callable[[int], Tokenizer],
    ) -> None:
        super().__init__()
        self._pieces = pieces
        self.record = record
        self.shown = pieces(0)
        self.before: FloatArray = np.full(len(record.texts), np.nan)
        """The score of each piece after the step before, NaN if it did not exist."""
        order = sorted(range(len(record.texts)), key=record.texts.__getitem__)
        self.text_places: Ints = np.empty(len(order), dtype=np.int64)
        self.text_places[order] = np.arange(len(order))
        self.words = BestCutTable(self, trainer, tokenizer_after)
        self.piece_table = FatesTable(self)
        self.changes = ScoreChangeTable(self)
        self.tables = (self.words, self.piece_table, self.changes)

    def go_to(self, step: int) -> None:
        step = max(0, min(step, len(self.record.steps) - 1))
        if step == self._step:
            return
        super().go_to(step)
        self.shown = self._pieces(step)
        self.before = np.full(len(self.record.texts), np.nan)
        if step:
            last = self.record.steps[step - 1]
            kept_mask = array_of(last.kept).astype(bool)
            self.before[array_of(last.numbers)[kept_mask]] = array_of(last.scores)[kept_mask]

    def matching(self, query: str) -> npt.NDArray[np.bool_]:
        """Returns which rows of the step have a text in their pieces."""
        text = typed(query).decode("utf-8", "replace")
        texts = self.record.texts
        return np.array([text in texts[n] for n in self.shown.numbers.tolist()], dtype=np.bool_)


class BestCutTable(PreTokenTable):
    """The different words of the corpus, with their best cut by the pieces that a step left."""

    name = "Words"
    about = "The distinct words of the corpus, with their counts and their best segmentation after this step"
    titles = ("Word", "Count", "Bytes", "Tokens now", "Best cut now")
    keys = ("word", "count", "bytes", "tokens", "cut", "ids")

    def __init__(
        self, tables: StepTables, trainer: Trainer, tokenizer_after: Callable[[int], Tokenizer]
    ) -> None:
        super().__init__(tables, trainer)
        self._tokenizer_after = tokenizer_after

    def tokens(self, item: int) -> list[int]:
        piece = self.piece(item)
        if len(piece) > LONGEST:
            return []
        out = vec[i32]([0] * (len(piece) + 1))
        model = self._tokenizer_after(self._tables.step).model
        count = model.encode_traced(piece + ZEROS, 0, len(piece), out, 0, Trace())
        return [int(out[n]) for n in range(count)]

    def text(self, symbol: int) -> str:
        return readable(self._tokenizer_after(self._tables.step).vocabulary.piece(symbol))

    def id(self, symbol: int) -> str:
        return str(symbol)

    def sentence(self, shown: int) -> str:
        return super().sentence(shown).replace("pre-tokens", "words")


class FatesTable(StoryTable):
    """The pieces that there were before a step, with what the step worked out for each and what became of it."""

    name = "Pieces"
    about = "All pieces of this step: their scores, counts and losses, and which are removed"
    titles = ("Piece", "Score", "Count", "Loss", "What happened to it")
    keys = ("piece", "score", "count", "loss", "kept", "fate")
    terms: ClassVar[Mapping[int, str]] = {0: "piece", 3: "loss"}
    tips: ClassVar[Mapping[int, str]] = {
        1: "The natural logarithm of the probability of the piece: after the step, or before it if it is removed",
        2: "How often EM expects the piece in the corpus, or how often the best cuts of all words use it",
    }
    numbers = (1, 2, 3)
    widths = (26, 12, 16, 14, 34)
    sorted_by = (4, True)  # the removed ones first, the closest call before the others

    def __init__(self, tables: PieceTables) -> None:
        self._tables = tables

    def rows(self, column: int, descending: bool, query: str) -> Ints:
        pieces = self._tables.shown
        items: Ints = np.arange(len(pieces))
        if query:
            items = items[self._tables.matching(query)]
        if column == 0:
            return items[
                ordered(self._tables.text_places[pieces.numbers[items]], items, descending)
            ]
        key = (pieces.scores, pieces.counts, pieces.losses, (~pieces.kept).astype(np.float64))[
            column - 1
        ][items]
        known = items[~np.isnan(key)]
        order = known[ordered(key[~np.isnan(key)], known, descending)]
        return np.append(order, items[np.isnan(key)])  # those that have none last, either way

    def cell(self, item: int, column: int) -> str:
        pieces = self._tables.shown
        if column == 0:
            return pieces.text(item)
        if column == 4:
            return pieces.fate(item)
        value = float((pieces.scores, pieces.counts, pieces.losses)[column - 1][item])
        if np.isnan(value) or (column == 2 and pieces.kind not in COUNTED):
            return ""
        return f"{value:.3g}" if column == 3 else f"{value:,.2f}"

    def values(self, item: int) -> list[str | int]:
        pieces = self._tables.shown
        count = repr(float(pieces.counts[item])) if pieces.kind in COUNTED else ""
        loss = "" if np.isnan(pieces.losses[item]) else repr(float(pieces.losses[item]))
        score = repr(float(pieces.scores[item]))
        is_kept = int(pieces.kept[item])
        return [pieces.text(item), score, count, loss, is_kept, pieces.fate(item)]

    def lacks(self, item: int) -> bool:
        return not self._tables.shown.kept[item]

    def sentence(self, shown: int) -> str:
        pieces = self._tables.shown
        removed = len(pieces) - int(np.count_nonzero(pieces.kept))
        of = f"{shown:,} of {len(pieces):,}" if shown < len(pieces) else f"{len(pieces):,}"
        counted = COUNTED.get(pieces.kind, "")
        said = f"{of} pieces, {removed:,} of them removed" if removed else f"{of} pieces"
        return f"{said}; the count is how often each is {counted.lower()}" if counted else said


class ScoreChangeTable(StoryTable):
    """The pieces whose score a step changed, and those that it removed."""

    name = "Changes"
    about = "Each piece whose score this step changed, and those that it removed"
    titles = ("Piece", "Before", "After", "Change", "What happened to it")
    keys = ("piece", "before", "after", "change", "fate")
    terms: ClassVar[Mapping[int, str]] = {0: "piece"}
    numbers = (1, 2, 3)
    widths = (26, 13, 13, 13, 34)
    sorted_by = (3, False)

    def __init__(self, tables: PieceTables) -> None:
        self._tables = tables

    def _figures(self) -> tuple[FloatArray, FloatArray]:
        """Returns the score of each row before the step, and after it; NaN if there is none."""
        pieces = self._tables.shown
        return self._tables.before[pieces.numbers], np.where(pieces.kept, pieces.scores, np.nan)

    def rows(self, column: int, descending: bool, query: str) -> Ints:
        if self._tables.step == 0:
            return np.zeros(0, dtype=np.int64)
        pieces = self._tables.shown
        before, after = self._figures()
        # A removed piece keeps its score; NaN is unequal to all.
        items = np.flatnonzero(~((before == after) | (np.isnan(before) & np.isnan(after))))
        if query:
            items = items[self._tables.matching(query)[items]]
        if column == 0:
            return items[
                ordered(self._tables.text_places[pieces.numbers[items]], items, descending)
            ]
        fate = (~pieces.kept).astype(np.float64)
        key = (before, after, after - before, fate)[column - 1][items]
        known = items[~np.isnan(key)]
        order = known[ordered(key[~np.isnan(key)], known, descending)]
        return np.append(order, items[np.isnan(key)])

    def cell(self, item: int, column: int) -> str:
        pieces = self._tables.shown
        if column in (0, 4):
            return pieces.text(item) if column == 0 else pieces.fate(item)
        value = self._value(item, column)
        if np.isnan(value):
            return ""
        return f"{value:+.3f}".replace("-", "−") if column == 3 else f"{value:.3f}"

    def _value(self, item: int, column: int) -> float:
        pieces = self._tables.shown
        before = float(self._tables.before[pieces.numbers[item]])
        after = float(pieces.scores[item]) if pieces.kept[item] else float("nan")
        return (before, after, after - before)[column - 1]

    def values(self, item: int) -> list[str | int]:
        values = [self._value(item, column) for column in (1, 2, 3)]
        cells = ["" if np.isnan(value) else repr(value) for value in values]
        return [self._tables.shown.text(item), *cells, self._tables.shown.fate(item)]

    def lacks(self, item: int) -> bool:
        return not self._value(item, 3) > 0

    def sentence(self, shown: int) -> str:
        if self._tables.step == 0:
            return "This is the seed: step forward to see what EM and pruning change"
        pieces = self._tables.shown
        before, after = self._figures()
        removed = int(np.count_nonzero(~pieces.kept))
        more, less = int(np.count_nonzero(after > before)), int(np.count_nonzero(after < before))
        return f"{more:,} pieces score higher, {less:,} lower; {removed:,} are removed"
