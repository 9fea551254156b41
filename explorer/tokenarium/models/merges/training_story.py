"""A finished training, played step by step without training again: merges, or the rounds of Unigram."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.merges.piece_tables import PieceTables, StepPieces, step_pieces
from tokenarium.models.merges.size_cuts import SizeCuts, size_cuts
from tokenarium.models.merges.training_tables import StepTables, StoryTables, shown_id
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.lost_text import TextLoss, text_loss
from tokenarium.models.text.piece import readable
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium_core.explaining.vocabulary_entries import words_in
from tokenarium_core.progress import Progress
from tokenarium_core.training import (
    EMPTY,
    FIRST_SEEN,
    TOKENIZERS,
    PairRecord,
    Trainer,
    UnigramRecord,
)
from tokenarium_core.training.superbpe_trainer import SuperBpeTrainer

KEPT = 48
"""Steps whose tokenizers and cuts are kept, where each step has a tokenizer of its own."""

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairBar:
    """A pair that could be merged: its two symbols, their texts, and how often they are neighbours.

    ``merged``: it was merged; ``tied``: another pair is as good. ``words``: how many words the two hold together; with
    more than one they make a superword. ``score`` is what decided, the count by default, and ``figure`` how that was
    worked out, where it is not the count.
    """

    pair: tuple[int, int]
    left: str
    right: str
    count: int
    merged: bool
    tied: bool
    words: int = 0
    score: float = 0.0
    figure: str = ""

    @property
    def superword(self) -> bool:
        """Whether the two make one piece of several words."""
        return self.words > 1

    @property
    def value(self) -> float:
        """What the length of the bar shows."""
        return self.score if self.figure else float(self.count)


@dataclass(frozen=True, slots=True)
class StepCurve:
    """A value after each step; NaN if there is none. ``base`` is the lowest value of its axis, None: its own least."""

    title: str
    values: FloatArray
    base: float | None = None
    about: str = ""


class TrainingStory:
    """Base of the stories: the steps of a training, from 0 to ``len``, and a text as it is cut after each.

    ``heads`` are the columns of the list of steps, of which ``numbers`` are numbers; `cell` gives the rows, the first
    one being step `first_row`. ``transition`` is the last step before the second stage of SuperBPE, else None.
    """

    algorithm = ""
    unit = "Steps"
    heads: tuple[str, ...] = ()
    terms: ClassVar[dict[int, str]] = {}
    numbers: frozenset[int] = frozenset()
    first_row = 1
    transition: int | None = None
    tables: StepTables | None = None  # where all pairs were noted

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.algorithm = trainer.algorithm
        self.tokenizer = trainer.tokenizer("trained")
        self.report = trainer.report
        self.byte_count = int(trainer.byte_count)
        self._text = ""
        self._cuts: dict[int, TextParts] = {}
        self._tokenizers: dict[int, tc.Tokenizer] = {}

    def __len__(self) -> int:
        raise NotImplementedError

    def curves(self) -> list[StepCurve]:
        """Returns the curves over the steps."""
        raise NotImplementedError

    def sentence(self, position: int, rivals: bool = True) -> str:
        """Returns what a step did; ``rivals``: and what came next to it."""
        raise NotImplementedError

    def measure(self, position: int) -> str:
        """Returns the figures after a step."""
        raise NotImplementedError

    def cell(self, row: int, column: int) -> str:
        """Returns a cell of the list of steps."""
        raise NotImplementedError

    def plain_cell(self, row: int, column: int) -> str:
        """Returns a cell for a file: a number without separators."""
        cell = self.cell(row, column)
        return cell.replace(",", "") if column in self.numbers else cell

    def note(self, row: int) -> str:
        """Returns a sentence on the piece in a row, "" where there is nothing to say."""
        return ""

    def name_of(self, position: int) -> str:
        """Returns a few words on a step, or "" if its number says enough."""
        return ""

    def bars(self, position: int) -> list[PairBar]:
        """Returns the best pairs when merge ``position`` was chosen; none if nothing merges."""
        return []

    def lines(self) -> list[list[str]]:
        """Returns the list of steps with its head, numbers as programs read them."""
        count = len(self) + 1 - self.first_row
        columns = range(len(self.heads))
        rows = [[self.plain_cell(row, column) for column in columns] for row in range(count)]
        return [list(self.heads), *rows]

    # The text.

    def set_text(self, text: str) -> None:
        """Sets the text to cut."""
        # Half of a surrogate pair has no bytes; the tokenizer reads it as U+FFFD.
        self._text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self._cuts = {}

    def twin(self) -> Self:
        """Returns the same story, for another text."""
        return copy.copy(self)

    def cut(self, position: int) -> TextParts:
        """Returns the text as it is cut by the tokenizer that the training had after a step."""
        if not self._text:
            return TextParts.empty()
        if position not in self._cuts:
            encoding = self.tokenizer_after(position).encode(self._text)
            spans = np.array(array_of(encoding.spans)).reshape(-1, 2)
            _make_room(self._cuts)
            self._cuts[position] = TextParts.of_tokens(np.array(array_of(encoding.ids)), spans)
        return self._cuts[position]

    def losing(self, position: int) -> TextLoss | None:
        """Returns how the tokens of `cut` lose the text; None without one."""
        return text_loss(self._cutter(position)) if self._text else None

    def _cutter(self, position: int) -> tc.Tokenizer:
        """Returns the tokenizer whose ids the tokens of `cut` have."""
        return self.tokenizer_after(position)

    @property
    def tokenizers(self) -> int:
        """How many tokenizers are worth making before the first step is shown: those that take long."""
        return 0

    def tokenizer_after(self, position: int) -> tc.Tokenizer:
        """Returns the tokenizer that the training had after a step."""
        if position not in self._tokenizers:
            _make_room(self._tokenizers)
            self._tokenizers[position] = self.trainer.tokenizer_after(position, "trained")
        return self._tokenizers[position]


class MergeStory(TrainingStory):
    """The merges of a training with the best pairs at each: BPE, SuperBPE, SentencePiece's BPE, WordPiece.

    A step is a merge. A text is cut by the tokenizer of so many merges; where those nest, that is known of all sizes
    at once.
    """

    unit = "Merges"
    terms: ClassVar = {0: "merge", 1: "id", 2: "symbol", 3: "symbol", 4: "piece"}

    def __init__(self, trainer: Trainer, record: PairRecord) -> None:
        super().__init__(trainer)
        self.lefts = array_of(trainer.left).astype(np.int64)
        self.rights = array_of(trainer.right).astype(np.int64)
        self.counts = array_of(trainer.pair_counts).astype(np.int64)
        first = int(record.first_tokens)
        self.tokens: npt.NDArray[np.int64] = np.concatenate(
            ([self.byte_count if first < 0 else first], array_of(trainer.token_counts))
        )
        self.symbols = int(trainer.first_symbols)
        self._pieces = [trainer.symbol(number) for number in range(self.symbols + len(self))]
        width = record.width
        self._pairs = array_of(record.pairs).reshape(-1, width)
        self._bar_counts = array_of(record.counts).reshape(-1, width)
        self._scores = array_of(record.scores).reshape(-1, width)
        self._parts = np.stack([array_of(record.left_counts), array_of(record.right_counts)])
        self._ties = array_of(record.ties)
        self._tie_break = str(getattr(trainer, "tie_break", ""))
        self._scoring = str(getattr(trainer, "scoring", "frequency"))
        if isinstance(trainer, SuperBpeTrainer):
            self.transition = min(int(trainer.transition) - self.symbols, len(self))
        more = {"sentencepiece-bpe": ("Score",)}.get(self.algorithm, ())
        if self._scoring != "frequency":
            more = ("Score",)
        self.heads = ("Merge", "Ids", "Left", "Right", "Piece", "Places", *more)
        self.numbers = frozenset(range(5, len(self.heads))) | {0}
        self._stages: tuple[tuple[SizeCuts, int], ...] = ()
        if record.ledger is not None:
            scoring = "" if self._scoring == "frequency" else self._scoring
            self.tables = StoryTables(
                trainer, record.ledger, self._pieces, record.first_seen, scoring
            )

    def __len__(self) -> int:
        return len(self.lefts)

    def text(self, symbol: int) -> str:
        """Returns a symbol as the user reads it."""
        return readable(self._pieces[symbol])

    def made(self, row: int) -> int:
        """Returns the symbol that the merge in a row makes."""
        return self.symbols + row

    # The merges.

    def bars(self, position: int) -> list[PairBar]:
        """Returns the best pairs when merge ``position`` was chosen; at 0, before the first one is."""
        if not len(self):
            return []
        row = max(position, 1) - 1
        bars = []
        width = self._pairs.shape[1]
        for index, pair in enumerate(self._pairs[row].tolist()):
            if pair == EMPTY:
                break
            left, right = pair >> 32, pair & 0xFFFFFFFF
            count, score = int(self._bar_counts[row, index]), float(self._scores[row, index])
            bars.append(
                PairBar(
                    (left, right),
                    self.text(left),
                    self.text(right),
                    count,
                    index == 0 and position > 0,
                    bool(self._ties[row] > 1 and score == self._scores[row, 0]),
                    words_in(self._pieces[left] + self._pieces[right]),
                    score,
                    self._figure(count, score, *self._parts[:, row * width + index].tolist()),
                )
            )
        return bars

    def _figure(self, count: int, score: float, left: int, right: int) -> str:
        """Returns how a score was worked out; "" where it is the count."""
        if self._scoring == "ratio":
            return f"{count:,} ÷ ({left:,} × {right:,}) = {score:.3g}"
        if self._scoring == "likelihood":
            return f"{score:.3g}, {count:,} places"
        return ""

    def sentence(self, position: int, rivals: bool = True) -> str:
        """Returns what merge ``position`` did, and which pair came next to it, unless ``rivals`` are left out."""
        bars = self.bars(position)
        if not bars:
            return "No pair occurs in the corpus often enough to be merged."
        first = bars[0]
        pair = f"{_quoted(first.left)} and {_quoted(first.right)}"
        if position == 0:
            each = "byte" if self.algorithm in ("bpe", "superbpe") else "character"
            what = "most frequent" if not first.figure else "best"
            return f"Each {each} is a token. The {what} neighbours are {pair}: {_said_of(first)}."
        symbol = self.made(position - 1)
        several = ", a superword" if self.is_superword(symbol) else ""
        begins = ""
        if self.transition is not None and position == self.transition + 1:
            begins = "The second stage begins, across words. "
        whole = _quoted(self.text(symbol))
        sentence = (
            f"{begins}Merge {position:,} joins {pair} into {whole}{several}: {_said_of(first)}"
        )
        if not rivals:
            return f"{sentence}."
        tied = int(self._ties[position - 1]) - 1
        if tied:
            verb = "score" if first.figure else "occur"
            others = f"one other pair {verb}s" if tied == 1 else f"{tied:,} other pairs {verb}"
            return f"{sentence}; {others} as {self._tie_rule(bool(first.figure))}."
        if len(bars) > 1:
            second = bars[1]
            following = f"{_quoted(second.left)} and {_quoted(second.right)}"
            with_what = second.figure or f"{second.count:,}"
            return f"{sentence}; next {following} with {with_what}."
        return f"{sentence}. There is no other pair."

    def _tie_rule(self, scored: bool) -> str:
        much = "much" if scored else "often"
        if self._tie_break == FIRST_SEEN:
            return f"{much}, and the one that comes first in the text goes first"
        if self._tie_break == TOKENIZERS:
            return f"{much}, and the one with the smallest ids in tokenizers goes first"
        if self.algorithm == "sentencepiece-bpe":
            return f"{much}, and the shorter piece goes first"
        return f"{much}, and the smallest ids go first"

    @property
    def ratios(self) -> FloatArray:
        """Bytes per token of the corpus after each number of merges."""
        return self.byte_count / np.maximum(self.tokens, 1)

    def curves(self) -> list[StepCurve]:
        about = "Here: the bytes of the corpus ÷ its tokens after that many merges."
        return [StepCurve("Bytes per token", self.ratios, 1.0, about)]

    def measure(self, position: int) -> str:
        """Returns the tokens of the corpus before the first merge and after this one, and bytes per token."""
        before, after = int(self.tokens[0]), int(self.tokens[position])
        tokens = f"{before:,} → {after:,} tokens" if position else f"{before:,} tokens"
        return f"{tokens} · {self.ratios[position]:.2f} bytes per token"

    def ids(self, row: int) -> str:
        """Returns the merge in a row by ids, as `(101, 32) → 256`."""
        left, right, made = (
            shown_id(self.trainer.symbol_id(symbol))
            for symbol in (int(self.lefts[row]), int(self.rights[row]), self.made(row))
        )
        return f"({left}, {right}) → {made}"

    def cell(self, row: int, column: int) -> str:
        if column == 0:
            return f"{row + 1:,}"
        if column == 1:
            return self.ids(row)
        if column < 5:
            symbols = (int(self.lefts[row]), int(self.rights[row]), self.made(row))
            return self.text(symbols[column - 2])
        if column == 5:
            return f"{int(self.counts[row]):,}"
        if self.algorithm == "sentencepiece-bpe":
            return f"−{row}" if row else "0"
        return f"{float(self._scores[row, 0]):.3g}"

    def plain_cell(self, row: int, column: int) -> str:
        if column < 6:
            return super().plain_cell(row, column)
        if self.algorithm == "sentencepiece-bpe":
            return str(-row)
        return repr(float(self._scores[row, 0]))

    def is_superword(self, symbol: int) -> bool:
        """Returns whether a symbol holds several words, as patterns that seldom cut allow."""
        return words_in(self._pieces[symbol]) > 1

    def note(self, row: int) -> str:
        made = self.made(row)
        return f"{self.text(made)}, a superword" if self.is_superword(made) else ""

    # The text.

    def set_text(self, text: str) -> None:
        super().set_text(text)
        self._stages = ()
        if self.algorithm == "wordpiece" or not self._text:
            return  # it takes the longest entry first, whatever was merged
        ends = [len(self)]
        if self.transition is not None and self.transition < len(self):
            ends = [self.transition, len(self)]
        cuts = (size_cuts(self.tokenizer_after(end), self._text) for end in ends)
        self._stages = tuple(zip(cuts, ends, strict=True))

    def cut(self, position: int) -> TextParts:
        for cuts, end in self._stages:
            if position <= end:
                several = superword_ids(self.tokenizer_after(end))
                return cuts.parts(position, 0, len(self._text.encode()), several)
        return super().cut(position)

    def _cutter(self, position: int) -> tc.Tokenizer:
        end = next((end for _, end in self._stages if position <= end), position)
        return self.tokenizer_after(end)


class UnigramStory(TrainingStory):
    """The steps of Unigram: the seed, the rounds of EM and pruning, and the selection at the end."""

    heads = ("Step", "What", "Before", "Removed", "Left", "Loss", "Tokens")
    terms: ClassVar = {1: "EM round", 3: "pruning", 4: "piece", 5: "loss"}
    numbers = frozenset({0, 2, 3, 4, 5, 6})
    first_row = 0

    def __init__(self, trainer: Trainer, record: UnigramRecord) -> None:
        super().__init__(trainer)
        self.record = record
        self._by_score = bool(getattr(trainer, "initial_vocab_factor", 0))
        self.left = np.array([step.left for step in record.steps], dtype=np.float64)
        self.losses = np.array(
            [-step.log_likelihood if step.kind == "EM" else np.nan for step in record.steps]
        )
        self.tables = PieceTables(trainer, record, self.pieces, self.tokenizer_after)

    def __len__(self) -> int:
        return len(self.record.steps) - 1

    @property
    def tokenizers(self) -> int:
        return min(len(self) + 1, KEPT)

    def name_of(self, position: int) -> str:
        """Returns the name of a step, such as "EM 2.1"."""
        step = self.record.steps[position]
        if step.kind == "EM":
            same = [
                one
                for one in self.record.steps[:position]
                if (one.kind, one.round) == ("EM", step.round)
            ]
            return f"EM {step.round}.{len(same) + 1}"
        return f"Pruning {step.round}" if step.kind == "pruning" else step.kind.capitalize()

    def curves(self) -> list[StepCurve]:
        loss = "The mean of −log P of a word, in nats, before EM changed the scores: what EM minimizes."
        return [
            StepCurve("Pieces left", self.left, 0.0, "How many pieces are left after each step."),
            StepCurve("Loss, nats per word", self.losses, None, loss),
        ]

    def sentence(self, position: int, rivals: bool = True) -> str:
        step = self.record.steps[position]
        gone_count = step.before - step.left
        removed = "one piece is" if gone_count == 1 else f"{gone_count:,} pieces are"
        left = f"{step.left:,} are left"
        name = self.name_of(position)
        if step.kind == "seed":
            return (
                f"The seed: {step.before:,} pieces, the characters and the texts that occur often."
            )
        if step.kind == "EM":
            said = f"{name}: the loss was {-step.log_likelihood:.3f} nats per word"
            expected = "it is" if gone_count == 1 else "they are"
            why = f"as {expected} expected less than {step.least:.3g} times"
        elif step.kind == "pruning":
            said = f"{name}: the corpus needs {step.tokens:,} tokens"
            why = "whose scores are the lowest" if self._by_score else "whose loss is the smallest"
        else:
            said = f"{name}: all characters and the best other pieces"
            why = "beyond the size or better split" if self.record.is_sparse else "beyond the size"
        return (
            f"{said}; {removed} removed, {why}; {left}."
            if gone_count
            else f"{said}; nothing is removed, {left}."
        )

    def measure(self, position: int) -> str:
        """Returns how many pieces are left, and the newest loss and bytes per token."""
        losses = self.losses[: position + 1]
        known = losses[~np.isnan(losses)]
        tokens = [step.tokens for step in self.record.steps[: position + 1] if step.tokens]
        parts = [f"{int(self.left[position]):,} pieces"]
        if len(known):
            parts.append(f"loss {known[-1]:.3f}")
        if tokens:
            parts.append(f"{self.byte_count / tokens[-1]:.2f} bytes per token")
        return " · ".join(parts)

    def cell(self, row: int, column: int) -> str:
        step = self.record.steps[row]
        if column < 2:
            return self.name_of(row) if column else f"{row}"
        if column < 5:
            return f"{(step.before, step.before - step.left, step.left)[column - 2]:,}"
        if column == 5:
            return f"{-step.log_likelihood:.3f}" if step.kind == "EM" else ""
        return f"{step.tokens:,}" if step.tokens else ""

    def pieces(self, position: int) -> StepPieces:
        """Returns the pieces of a step."""
        return step_pieces(self.record, position, self._by_score)


class StoryJob:
    """A training and its ``story``: `step` until it is finished.

    Where each step has a tokenizer of its own, those are made too, one a call, so that every step is shown at once.
    """

    def __init__(self, trainer: Trainer, record: PairRecord | UnigramRecord) -> None:
        self._trainer = trainer
        self._record = record
        self._made = 0
        self._preparing: Iterator[None] = iter(())
        self.story: TrainingStory | None = None

    def step(self, budget_ms: float) -> Progress:
        """Works for about ``budget_ms`` milliseconds, or makes one tokenizer."""
        story = self.story
        if story is None:
            progress = self._trainer.step(budget_ms)
            if not progress.finished:
                return progress
            story = self.story = story_of(self._trainer, self._record)
            if story.tables is not None:
                self._preparing = story.tables.preparing()
        elif self._made < story.tokenizers:
            story.tokenizer_after(self._made)
            self._made += 1
        elif next(self._preparing, self) is self:
            return Progress("preparing", self._made, story.tokenizers, True)
        return Progress("preparing", self._made, story.tokenizers, False)


def story_of(trainer: Trainer, record: PairRecord | UnigramRecord) -> TrainingStory:
    """Returns the story of a finished training with the record that it filled."""
    if isinstance(record, UnigramRecord):
        return UnigramStory(trainer, record)
    return MergeStory(trainer, record)


def _make_room(kept: dict[int, Any]) -> None:
    """Forgets the oldest of too many."""
    if len(kept) >= KEPT:
        del kept[next(iter(kept))]


def _quoted(text: str) -> str:
    return f"“{isolated(text)}”"


def _said_of(bar: PairBar) -> str:
    if bar.figure:
        return bar.figure
    return "once" if bar.count == 1 else f"{bar.count:,} places"
