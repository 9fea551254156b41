"""Trains BPE over characters, as SentencePiece does: with its rules for pieces, and its order of equally frequent ones.

Source: ``src/bpe_model_trainer.cc`` in google/sentencepiece (0.2.3).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.errors import IdError
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.merge_trainer import PairTrainer
from tokenarium_core.training.merging.bpe_merger import BpeMerger
from tokenarium_core.training.merging.character_words import CharacterWords
from tokenarium_core.training.merging.merger import MergeColumns, Merger
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.merging.segmentation import WordSegmentation
from tokenarium_core.training.sentencepiece.character_budget import best_cut
from tokenarium_core.training.sentencepiece.piece_merge_rules import PieceMergeRules
from tokenarium_core.training.sentencepiece.piece_rules import SPACE, as_mark
from tokenarium_core.training.sentencepiece.sentencepiece_corpus import SentencePieceCorpus
from tokenarium_core.training.sentencepiece.sentencepiece_training import (
    AUTO_COVERAGE,
    BPE,
    SENTENCEPIECE_OPTIONS,
    SentencePieceTraining,
)
from tokenarium_core.training.trainer import CountSource, Option
from tokenarium_core.training.word_counter import WordCounter

OPTIONS: Final[list[Option]] = [
    *SENTENCEPIECE_OPTIONS,
    AUTO_COVERAGE,
    Option(
        "min_frequency",
        1,
        "How often a pair has to be in the corpus to be merged; SentencePiece itself has no such limit.",
        least=1,
    ),
]
"""The options of BPE over characters."""

_MARK: Final = "▁"


@final
class SentencePieceBpeTrainer(PairTrainer):
    """A training of BPE over characters that is stepped through: ``step`` until it says "finished".

    The words of a corpus (see `SentencePieceCorpus`) begin as the characters of its alphabet. Each merge takes the pair
    that occurs most often and makes a new piece that the rules of the training allow; see `PieceMergeRules` for equally
    frequent ones. Ids: the symbols, then the merges, whose score is minus their number, then the characters, the most
    frequent first, with the scores that follow.

    With ``auto_character_coverage`` there may be as many merges as entries; at the end `best_cut` chooses how many of
    them become entries, and which characters, so these merges do not nest.

    Merges nest otherwise, as in `BpeTrainer`. SentencePiece also merges pairs that occur once, so ``min_frequency`` is 1 by
    default. A ``record`` is filled with the pairs that were nearly merged.
    """

    def __init__(
        self,
        training: SentencePieceTraining,
        vocab_size: int,
        corpus: Iterable[str] = (),
        files: Sequence[str | os.PathLike[str]] = (),
        min_frequency: int = 1,
        record: PairRecord | None = None,
    ) -> None:
        super().__init__("sentencepiece-bpe", vocab_size, min_frequency)
        training.check_size(vocab_size)
        self.training = training
        self._corpus = SentencePieceCorpus(training, corpus, files)
        self._reader = self._corpus.reader
        self._characters: list[int] = []  # by falling count
        self._numbers: dict[int, int] = {}  # symbols by code point
        self._rules: PieceMergeRules | None = None
        self._record = record
        self._counts: dict[int, int] = {}  # of all characters, if they are chosen at the end
        self._ids: dict[bytes, int] = {}  # of the pieces that have one
        self._ids_after: int = -1  # the merges with which these were asked for

    @property
    def usable(self) -> bool:
        """From the first merge on: before it, the alphabet is not known."""
        return self._merger is not None

    @property
    def report(self) -> str:
        """What was left out of the corpus, and whether there are fewer pieces than requested; empty if neither."""
        said = super().report
        if self._counts and not said and self.progress.finished:
            entries = self.vocab_size - len(self.training.symbols)
            piece_count = len(self.pieces()[0])
            if piece_count < entries:
                said = f"Only {piece_count:,} of {entries:,} entries are worth it: no other saves a token."
        return f"{self._corpus.left_out} {said}".strip()

    def ran_out(self) -> str:
        """Returns the sentence for a training with fewer merges than requested."""
        return (
            f"The corpus gave {self.merges_made:,} of {self.merge_count:,} merges: no other pair that"
            f" may be an entry occurs in it {self.min_frequency:,} times or more."
        )

    def word_symbols(self, word: bytes) -> list[int]:
        """Returns the characters of a word by their places in the alphabet, -1 for others."""
        return [self._numbers.get(ord(character), -1) for character in word.decode()]

    @property
    def piece_count(self) -> int:
        """The symbols, the merges made so far and the characters; these only if they all are entries."""
        count = len(self.training.symbols) + self.merges.made
        return count if self._counts else count + len(self._characters)

    def new_piece(self, number: int) -> bytes:
        """Returns the bytes that merge ``number`` makes, with a space for each ``▁``."""
        rules = self._rules
        if rules is None or not 0 <= number < self.merges.made:
            raise IdError(f"There is no merge {number}: {self.merges.made} were made so far.")
        return rules.pieces[len(self._characters) + number].replace("▁", " ").encode()

    @property
    def first_symbols(self) -> int:
        """How many characters the alphabet has."""
        return len(self._characters)

    def symbol(self, number: int) -> bytes:
        """Returns the bytes of a symbol, with a space for ``▁``: the characters by code point, then the merges."""
        if self._rules is None:
            raise IdError(f"There is no symbol number {number} yet.")
        return self._rules.pieces[number].replace(_MARK, " ").encode()

    def symbol_id(self, number: int) -> int:
        """Returns the id of a symbol, -1 if it is not chosen: merges come first, then the characters."""
        if self._ids_after != self.merges.made:
            self._ids_after = self.merges.made
            taken = set(self.training.symbol_ids)
            free = [token for token in range(self.vocab_size) if token not in taken]
            pieces = self.pieces()[0]
            self._ids = dict(zip(pieces, free, strict=False))
        return self._ids.get(self.symbol(number), -1)

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the tokenizer of the merges that were made so far, as opened from a ``.model`` file."""
        return self.tokenizer_after(self.merges.made, name)

    def tokenizer_after(self, step: int, name: str) -> Tokenizer:
        """Returns the tokenizer of the first ``step`` merges."""
        pieces, scores = self._pieces_after(step)
        return self.training.tokenizer(BPE, pieces, scores, name)

    def model_file(self) -> bytes:
        """Returns the content of the ``.model`` file of the merges that were made so far."""
        pieces, scores = self.pieces()
        return self.training.model_file(BPE, pieces, scores)

    def pieces(self) -> tuple[list[bytes], list[float]]:
        """Returns the pieces after the symbols, with a space for each ``▁``, and their scores."""
        return self._pieces_after(self.merges.made)

    def _pieces_after(self, step: int) -> tuple[list[bytes], list[float]]:
        """Returns the pieces of the first ``step`` merges, and their scores."""
        self.check_usable()
        pieces = [self.new_piece(number) for number in range(step)]
        characters = self._characters
        if self._counts:
            merge_count, codes = best_cut(
                [piece.decode().replace(" ", _MARK) for piece in pieces],
                [int(count) for count in self.merges.pair_counts[:step]],
                self._counts,
                self.vocab_size - len(self.training.symbols),
            )
            del pieces[merge_count:]
            characters = [SPACE if code == ord(_MARK) else code for code in codes]
        pieces += [chr(code).encode() for code in characters]
        return pieces, [-float(number) for number in range(len(pieces))]

    def _word_table(self) -> WordCounter:
        return self._corpus.counter

    def _take(self, words: WordCounter, source: CountSource) -> None:
        self._corpus.take(words, source)

    def _count(self) -> bool:
        """Counts some words, or reads on where none is left; returns whether there may be more."""
        return self._corpus.advance()

    def _make_merger(self) -> Merger:
        """Chooses the alphabet, and returns what merges; TokenariumError if it does not fit into the vocabulary."""
        corpus = self._corpus
        counts = dict(corpus.alphabet())
        characters = list(counts)
        entries = self.vocab_size - len(self.training.symbols)
        if self.training.auto_character_coverage:
            self._counts = {as_mark(code): count for code, count in counts.items()}
        else:
            self.training.check_size(self.vocab_size, len(characters))
            entries -= len(characters)
        alphabet = sorted(characters, key=as_mark)
        symbols = [_MARK if code == SPACE else chr(code) for code in alphabet]
        rules = PieceMergeRules(self.training.rules, symbols, set())
        words = CharacterWords(corpus.counter, alphabet, corpus.character_count)
        self._characters = characters
        self._numbers = {code: symbol for symbol, code in enumerate(alphabet)}
        self._rules = rules
        self.merges = MergeColumns(entries)
        end: i64 = self.merges.merge_count
        first: i64 = len(alphabet)
        return BpeMerger(
            WordSegmentation(words, first + end, self._record is None),
            self.merges,
            end,
            self.min_frequency,
            rules,
            first,
            record=self._record,
        )
