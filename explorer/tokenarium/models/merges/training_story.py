"""A finished training, played merge by merge without training again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokenarium.models.merges.training_tables import StoryTables
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import readable
from tokenarium.models.text.segmentation import TextSpans
from tokenarium.models.text.superword_ids import superword_ids, superword_note
from tokenarium_core import Trace, words_in
from tokenarium_core import trace as kinds
from tokenarium_core.training import EMPTY, BpeTrainer, PairRecord

BYTES = 256
_NEVER = 1 << 30
"""The merge number of a cut that no merge removes."""


@dataclass(frozen=True, slots=True)
class PairBar:
    """A pair that could be merged: its two ids, their texts, and how often they are neighbours.

    ``merged``: it was merged; ``tied``: another pair is as frequent. ``words``: how many words the two
    hold together; with more than one they make a superword.
    """

    pair: tuple[int, int]
    left: str
    right: str
    count: int
    merged: bool
    tied: bool
    words: int = 0

    @property
    def superword(self) -> bool:
        """Whether the two make one piece of several words."""
        return self.words > 1


class TrainingStory:
    """The merges of a finished training with the pairs at each, and a text as they cut it.

    ``position`` is always a number of merges made, from 0 to ``len``; the last of them is described.
    """

    def __init__(self, trainer: BpeTrainer, record: PairRecord) -> None:
        self.tokenizer = trainer.tokenizer("trained")
        self.report = trainer.report
        self.byte_count = int(trainer.byte_count)
        self.lefts = array_of(trainer.left).astype(np.int64)
        self.rights = array_of(trainer.right).astype(np.int64)
        self.counts = array_of(trainer.pair_counts).astype(np.int64)
        tokens = array_of(trainer.token_counts)
        self.tokens: npt.NDArray[np.int64] = np.concatenate(([self.byte_count], tokens))
        self._pieces = [trainer.piece(token) for token in range(BYTES + len(self))]
        self._sizes = np.array([len(piece) for piece in self._pieces], dtype=np.int64)
        width = record.width
        self._pairs = array_of(record.pairs).reshape(-1, width)
        self._bar_counts = array_of(record.counts).reshape(-1, width)
        self._ties = array_of(record.ties)
        self.tables: StoryTables | None = None  # where all pairs were noted
        if record.ledger is not None:
            self.tables = StoryTables(
                record.ledger,
                trainer.pre_tokens,
                self._pieces,
                self.tokenizer.model,
                self.lefts << 32 | self.rights,
                BYTES,
                record.first_seen,
            )
        self._data = b""
        self._gone: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.lefts)

    def text(self, token: int) -> str:
        """Returns a token as the user reads it."""
        return readable(self._pieces[token])

    # The merges.

    def bars(self, position: int) -> list[PairBar]:
        """Returns the most frequent pairs when merge ``position`` was chosen; at 0, before the first one is."""
        if not len(self):
            return []
        row = max(position, 1) - 1
        return [
            PairBar(
                (int(pair) >> 32, int(pair) & 0xFFFFFFFF),
                self.text(int(pair) >> 32),
                self.text(int(pair) & 0xFFFFFFFF),
                int(count),
                place == 0 and position > 0,
                bool(self._ties[row] > 1 and count == self.counts[row]),
                words_in(self._pieces[int(pair) >> 32] + self._pieces[int(pair) & 0xFFFFFFFF]),
            )
            for place, (pair, count) in enumerate(
                zip(self._pairs[row], self._bar_counts[row], strict=True)
            )
            if pair != EMPTY
        ]

    def sentence(self, position: int, rivals: bool = True) -> str:
        """Returns what merge ``position`` did, and which pair came next to it, unless ``rivals`` are left out."""
        bars = self.bars(position)
        if not bars:
            return "No pair occurs in the corpus often enough to be merged."
        first = bars[0]
        pair = f"{_quoted(first.left)} and {_quoted(first.right)}"
        if position == 0:
            return f"Each byte is a token. The most frequent neighbours are {pair}: {_times(first.count)}."
        whole = _quoted(self.text(BYTES + position - 1))
        several = ", a superword" if self.is_superword(BYTES + position - 1) else ""
        sentence = f"Merge {position:,} joins {pair} into {whole}{several}: {_times(first.count)}"
        if not rivals:
            return f"{sentence}."
        tied = int(self._ties[position - 1]) - 1
        if tied:
            others = "one other pair occurs" if tied == 1 else f"{tied:,} other pairs occur"
            return f"{sentence}; {others} as often, and the smallest ids go first."
        if len(bars) > 1:
            second = bars[1]
            following = f"{_quoted(second.left)} and {_quoted(second.right)}"
            return f"{sentence}; next {following} with {second.count:,}."
        return f"{sentence}. There is no other pair."

    @property
    def ratios(self) -> npt.NDArray[np.float64]:
        """Bytes per token of the corpus after each number of merges."""
        return self.byte_count / np.maximum(self.tokens, 1)

    # The text.

    def set_text(self, text: str) -> None:
        """Sets the text to cut, and finds what each merge does to it."""
        trace = Trace()
        self.tokenizer.encode(text, trace=trace)
        # Half of a surrogate pair has no bytes; the tokenizer reads it as U+FFFD.
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self._data = whole.encode()
        merges = array_of(trace.kinds) == kinds.MERGE
        starts = array_of(trace.positions)[merges]
        lefts = array_of(trace.lefts)[merges]
        # In the order of training, a merge can only follow those that made its parts. So a cut between two
        # bytes is there until the merge that closes it, however the rest of the word goes.
        self._gone = np.full(len(self._data), _NEVER, dtype=np.int64)
        self._gone[starts + self._sizes[lefts]] = array_of(trace.ranks)[merges]

    def cut(self, position: int) -> TextSpans:
        """Returns the text as the first ``position`` merges cut it."""
        if not self._data:
            return TextSpans.empty()
        starts = np.flatnonzero(self._gone >= position)
        ends = np.append(starts[1:], len(self._data))
        # A token is what its last merge made; a byte is itself.
        closed = np.where(self._gone < position, self._gone, -1)
        last = np.maximum.reduceat(closed, starts)
        bytes_there = np.frombuffer(self._data, dtype=np.uint8)[starts]
        ids = np.where(last < 0, bytes_there, BYTES + last).astype(np.int32)
        spans = np.stack([starts, ends], axis=1)
        return TextSpans.of_tokens(ids, spans, (), superword_ids(self.tokenizer))

    def is_superword(self, token: int) -> bool:
        """Returns whether a token holds several words, as patterns that seldom cut allow."""
        return bool(superword_note(self.tokenizer.vocabulary, token))


def _quoted(text: str) -> str:
    return f"“{isolated(text)}”"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} places"
