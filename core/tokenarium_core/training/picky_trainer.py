"""Trains PickyBPE: byte-level BPE that removes tokens that are little more than parts of others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import IdError
from tokenarium_core.models.bpe.merge_events import BYTES, MergeEvents
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.bpe_trainer import NORMALIZATION, BpeTrainer
from tokenarium_core.training.merge_trainer import trained_tokenizer, vocabulary_of
from tokenarium_core.training.merging.merger import Merger
from tokenarium_core.training.merging.picky_merger import PickyMerger
from tokenarium_core.training.merging.segmentation import WordSegmentation
from tokenarium_core.training.trainer import (
    INPUT_FORMAT,
    MIN_FREQUENCY,
    PATTERN,
    SPECIAL_TOKENS,
    Option,
)

THRESHOLD: Final = Option(
    "threshold",
    0.9,
    "A part of a merge is removed if more than this share of its occurrences went into the merge. With 1 nothing is"
    " removed, and the tokenizer is BPE.",
    least=0.0,
    most=1.0,
)
OPTIONS: Final[list[Option]] = [
    PATTERN,
    NORMALIZATION,
    THRESHOLD,
    MIN_FREQUENCY,
    SPECIAL_TOKENS,
    INPUT_FORMAT,
]
"""The options of PickyBPE."""

_NAMED: Final = 4
"""The most removed tokens that the report names."""


@final
class PickyBpeTrainer(BpeTrainer):
    """A training of PickyBPE, run in steps: call ``step`` until it reports "finished".

    See `PickyMerger` for what is merged and removed. The ids are 0 to 255 for the bytes, then the other entries in the
    order in which they were first made, and the special tokens come last. ``events`` are all merges and removals.

    Unlike in BPE, the vocabularies of such a training do not nest: there are no ``left`` and ``right``. But
    ``token_counts`` are still those of a training for each smaller size, which would have ended there.
    """

    def __init__(
        self,
        pre_tokenizer: PreTokenizer,
        vocab_size: int,
        corpus: Iterable[str] = (),
        files: Sequence[str | os.PathLike[str]] = (),
        min_frequency: int = 2,
        special_tokens: Sequence[str] = (),
        normalization: str = "identity",
        threshold: float = 0.9,
    ) -> None:
        super().__init__(
            pre_tokenizer,
            vocab_size,
            corpus,
            files,
            min_frequency,
            special_tokens,
            normalization=normalization,
        )
        self.algorithm = "picky-bpe"
        self.threshold = threshold
        self._picky: PickyMerger | None = None
        self._listed: list[int] = []
        self._listed_after = -1

    @property
    def events(self) -> MergeEvents:
        """All merges and removals so far."""
        return MergeEvents() if self._picky is None else self._picky.events

    @property
    def merges_made(self) -> int:
        """How many entries there are besides the bytes and the special tokens."""
        return 0 if self._picky is None else self._picky.entries

    @property
    def left(self) -> vec[i32]:
        """Empty: the merges alone do not determine the tokens of a text."""
        return vec[i32]()

    @property
    def right(self) -> vec[i32]:
        """Empty, like `left`."""
        return vec[i32]()

    @property
    def pair_counts(self) -> vec[i64]:
        """For each number of entries, how often the pair of the merge that first reached it occurred in the corpus."""
        picky = self._picky
        return vec[i64]() if picky is None else picky.pair_counts[1 : picky.entries + 1]

    @property
    def token_counts(self) -> vec[i64]:
        """How many tokens the corpus had when each number of entries was first reached."""
        picky = self._picky
        return vec[i64]() if picky is None else picky.token_counts[1 : picky.entries + 1]

    @property
    def first_symbols(self) -> int:
        """0: the merges alone are not meaningful."""
        return 0

    def piece(self, token: int) -> bytes:
        """Returns the bytes of an entry by its id."""
        events = self.events
        if self._listed_after != len(events):
            self._listed = events.entries()
            self._listed_after = len(events)
        return events.pieces[self._listed[token]]

    def new_piece(self, number: int) -> bytes:
        """Returns the bytes of an entry other than the single bytes, by the order in which it was first made."""
        if not 0 <= number < self.merges_made:
            raise IdError(f"There is no entry number {number}: the training has not made it.")
        return self.piece(BYTES + number)

    @property
    def report(self) -> str:
        """One sentence on how the training ended, with how many tokens were removed."""
        if self._picky is None or not self._picky.done:
            return ""
        said = super().report
        return f"{said} {_removals(self.events)}".strip()

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the tokenizer of what was learned so far."""
        return tokenizer_of_events(
            name, self.pre_tokenizer, self.events, self.special_tokens, self.normalizer
        )

    def ran_out(self) -> str:
        """Returns the sentence for a training with fewer entries than requested."""
        return (
            f"The corpus gave {self.merges_made:,} of {self.merge_count:,} entries: no other pair"
            f" occurs in it {self.min_frequency:,} times or more."
        )

    def _make_merger(self) -> Merger:
        words = WordSegmentation(self._counted_words(), BYTES)
        self._picky = PickyMerger(
            words, self.merges, self.merges.merge_count, self.min_frequency, self.threshold
        )
        return self._picky


def _removals(events: MergeEvents) -> str:
    """Returns a message about the tokens that were removed and not made again; empty if there are none."""
    count = int(events.removed)
    if count == 0:
        return ""
    named: list[str] = []
    for token, piece in enumerate(events.pieces):
        if not events.present[token] and len(named) < _NAMED:
            try:
                named.append(f"“{piece.decode()}”")
            except UnicodeDecodeError:  # a part of a character
                continue
    tokens = "1 token was" if count == 1 else f"{count:,} tokens were"
    such = ":" if len(named) == count else ", such as"
    return f"{tokens} removed{such} {', '.join(named)}." if named else f"{tokens} removed."


def tokenizer_of_events(
    name: str,
    pre_tokenizer: PreTokenizer,
    events: MergeEvents,
    special: list[str],
    normalizer: Normalizer | None = None,
) -> Tokenizer:
    """Returns a tokenizer whose ids are the entries of `MergeEvents`, then the special tokens."""
    pieces = [events.pieces[token] for token in events.entries()]
    model = PickyBpe(vocabulary_of(pieces, special), events)
    return trained_tokenizer(name, model, pre_tokenizer, special, normalizer)
