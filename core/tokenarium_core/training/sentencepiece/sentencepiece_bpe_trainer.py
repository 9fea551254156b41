"""Trains BPE over characters, as SentencePiece does: with its rules for pieces, and its order of equally frequent ones.

Source: ``src/bpe_model_trainer.cc`` in google/sentencepiece (0.2.3).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.merge_trainer import PairTrainer
from tokenarium_core.training.merging.bpe_merger import BpeMerger
from tokenarium_core.training.merging.character_words import CharacterWords
from tokenarium_core.training.merging.merger import RIGHT, MergeColumns, Merger, MergeRules
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.merging.segmentation import WordSegmentation
from tokenarium_core.training.sentencepiece.piece_rules import SPACE, PieceRules
from tokenarium_core.training.sentencepiece.sentencepiece_corpus import SentencePieceCorpus, as_mark
from tokenarium_core.training.sentencepiece.sentencepiece_training import (
    BPE,
    SENTENCEPIECE_OPTIONS,
    SentencePieceTraining,
)
from tokenarium_core.training.trainer import CountSource, Option
from tokenarium_core.training.word_counter import WordCounter

OPTIONS: Final[list[Option]] = [
    *SENTENCEPIECE_OPTIONS,
    Option(
        "min_frequency",
        1,
        "How often a pair has to be in the corpus to be merged; SentencePiece does not ask.",
        least=1,
    ),
]
"""The options of BPE over characters."""

_MARK: Final = "▁"
_HEAD_BITS: Final = 52  # of the first characters of a piece, after its length in an order


@final
class SentencePieceBpeTrainer(PairTrainer):
    """A training of BPE over characters that is stepped through: ``step`` until it says "finished".

    The words of a corpus (see `SentencePieceCorpus`) begin as the characters of its alphabet. Each merge takes the pair
    that occurs most often and makes a new piece that the rules of the training allow; see `PieceMergeRules` for equally
    frequent ones. Ids: the symbols, then the merges, whose score is minus their number, then the characters, the most
    frequent first, with the scores that follow.

    Merges nest, as in `BpeTrainer`. SentencePiece also merges pairs that occur once, so ``min_frequency`` is 1 by
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
        self._free_ids: list[int] = []  # those that no symbol has, once they are asked for

    @property
    def usable(self) -> bool:
        """From the first merge on: before it, the alphabet is not known."""
        return self._merger is not None

    @property
    def report(self) -> str:
        """What was left out of the corpus, and whether there are fewer pieces than requested; empty if neither."""
        return f"{self._corpus.left_out} {super().report}".strip()

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
        """The symbols, the merges made so far and the characters."""
        return len(self.training.symbols) + self.merges.made + len(self._characters)

    def new_piece(self, number: int) -> bytes:
        """Returns the bytes that merge ``number`` makes, with a space for each ``▁``."""
        rules = self._rules
        if rules is None or not 0 <= number < self.merges.made:
            raise IndexError(f"There is no merge {number}: {self.merges.made} were made so far.")
        return rules.pieces[len(self._characters) + number].replace("▁", " ").encode()

    @property
    def first_symbols(self) -> int:
        """How many characters the alphabet has."""
        return len(self._characters)

    def symbol(self, number: int) -> bytes:
        """Returns the bytes of a symbol, with a space for ``▁``: the characters by code point, then the merges."""
        if self._rules is None:
            raise IndexError(f"There is no symbol number {number} yet.")
        return self._rules.pieces[number].replace(_MARK, " ").encode()

    def symbol_id(self, number: int) -> int:
        """Returns the id of a symbol: merges come first, then the characters by falling count."""
        characters = len(self._characters)
        place = number - characters
        if place < 0:
            code = ord(self.symbol(number).decode())
            place = self.merges.made + self._characters.index(code)
        if not self._free_ids:
            taken = set(self.training.symbol_ids)
            self._free_ids = [token for token in range(self.vocab_size) if token not in taken]
        return self._free_ids[place]

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the tokenizer of the merges that were made so far, as opened from a ``.model`` file."""
        return self.tokenizer_after(self.merges.made, name)

    def tokenizer_after(self, step: int, name: str) -> Tokenizer:
        """Returns the tokenizer of the first ``step`` merges."""
        pieces, scores = self.pieces()
        made = self.merges.made
        pieces = pieces[:step] + pieces[made:]
        return self.training.tokenizer(BPE, pieces, scores[: len(pieces)], name)

    def model_file(self) -> bytes:
        """Returns the content of the ``.model`` file of the merges that were made so far."""
        pieces, scores = self.pieces()
        return self.training.model_file(BPE, pieces, scores)

    def pieces(self) -> tuple[list[bytes], list[float]]:
        """Returns the pieces after the symbols, with a space for each ``▁``, and their scores."""
        self.check_usable()
        pieces = [self.new_piece(number) for number in range(self.merges.made)]
        pieces += [chr(code).encode() for code in self._characters]
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
        characters = [code for code, _ in corpus.alphabet()]
        self.training.check_size(self.vocab_size, len(characters))
        alphabet = sorted(characters, key=as_mark)
        rules = PieceMergeRules(self.training.rules, alphabet)
        words = CharacterWords(corpus.counter, alphabet, corpus.character_count)
        self._characters = characters
        self._numbers = {code: symbol for symbol, code in enumerate(alphabet)}
        self._rules = rules
        self.merges = MergeColumns(self.vocab_size - len(self.training.symbols) - len(characters))
        end: i64 = self.merges.merge_count
        first: i64 = len(alphabet)
        return BpeMerger(
            WordSegmentation(words, first + end),
            self.merges,
            end,
            self.min_frequency,
            rules,
            first,
            record=self._record,
        )


@final
class PieceMergeRules(MergeRules):
    """Of pairs that are equally frequent the shorter piece comes first, then the smaller one by its code points.

    The first symbols are the characters of an alphabet, sorted by code point, ``▁`` among them. An order is a length in
    characters, and as many of the first characters as fit into one integer. Two pairs that make the same piece are one
    to SentencePiece only when it encodes: the second is never merged.

    ``pieces`` are all symbols by id, with ``▁``.
    """

    def __init__(self, rules: PieceRules, alphabet: list[int]) -> None:
        self._rules = rules
        self._bits: i64 = max(len(alphabet) - 1, 1).bit_length()
        self._fitting: i64 = _HEAD_BITS // self._bits
        self.pieces: list[str] = []
        self._known: set[str] = set()
        self._lengths = vec[i32]()
        self._heads = vec[i64]()
        self._free = vec[i32]()
        top = self._bits * (self._fitting - 1)
        for symbol, code in enumerate(alphabet):
            self.pieces.append(_MARK if code == SPACE else chr(code))
            self._lengths = append(self._lengths, 1)
            self._heads = append(self._heads, i64(symbol) << top)
            self._free = append(self._free, 1 if rules.is_free(code) else 0)

    def allow(self, left: i64, right: i64) -> bool:
        """Returns whether the piece of two is allowed, and new."""
        if i64(self._lengths[left]) + i64(self._lengths[right]) > self._rules.max_length:
            return False
        piece = self.pieces[left] + self.pieces[right]
        if piece in self._known:
            return False
        if self._free[left] != 0 or self._free[right] != 0:
            return self._rules.allows(piece.replace(_MARK, " "))
        return True

    def add(self, left: i64, right: i64) -> None:
        """Notes the piece of the next id."""
        piece = self.pieces[left] + self.pieces[right]
        self.pieces.append(piece)
        self._known.add(piece)
        self._heads = append(self._heads, self._head(left, right))
        self._lengths = append(self._lengths, i32(len(piece)))
        self._free = append(self._free, self._free[left] | self._free[right])

    def order(self, pair: i64) -> i64:
        """Returns the length and the first characters of the piece of a pair, as one integer."""
        left = pair >> 32
        right = pair & RIGHT
        length = i64(self._lengths[left]) + i64(self._lengths[right])
        return length << _HEAD_BITS | self._head(left, right)

    def precedes(self, pair: i64, other: i64) -> bool:
        """Compares whole pieces; where even they are the same, the smaller pair comes first."""
        piece = self.pieces[pair >> 32] + self.pieces[pair & RIGHT]
        second = self.pieces[other >> 32] + self.pieces[other & RIGHT]
        return pair < other if piece == second else piece < second

    def _head(self, left: i64, right: i64) -> i64:
        """Returns the first characters of the piece of two, the very first as the highest bits."""
        length = i64(self._lengths[left])
        if length >= self._fitting:
            return self._heads[left]
        return self._heads[left] | self._heads[right] >> self._bits * length
