"""Trains WordPiece with BERT's stages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.added_tokens import EMPTY_TOKEN
from tokenarium_core.details import Source
from tokenarium_core.errors import IdError, TokenariumError
from tokenarium_core.formats.vocab_txt_format import (
    AFFIX,
    FIRST_PIECE,
    LAST_PIECE,
    SPECIAL,
    UNKNOWN_PIECE,
    bert_details,
    bert_tokenizer,
)
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.counting import WordPieceCounting
from tokenarium_core.training.merge_trainer import PairTrainer
from tokenarium_core.training.merging.bpe_merger import BpeMerger
from tokenarium_core.training.merging.character_words import (
    WordPieceWords,
    characters_behind,
    count_characters,
)
from tokenarium_core.training.merging.likelihood_queue import LikelihoodQueue
from tokenarium_core.training.merging.merger import MergeColumns, Merger, MergeRules
from tokenarium_core.training.merging.pair_queue import PairQueue
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.merging.segmentation import WordSegmentation
from tokenarium_core.training.trainer import INPUT_FORMAT, MIN_FREQUENCY, CountSource, Option
from tokenarium_core.training.word_counter import WordCounter

FREQUENCY: Final = "frequency"
LIKELIHOOD: Final = "likelihood"
RATIO: Final = "ratio"
SCORING: Final = Option(
    "scoring",
    FREQUENCY,
    "Which pair is merged next: the most frequent one, as in Hugging Face's tokenizers; the one that makes the"
    " corpus likeliest, as the algorithm was published; or the pair with the highest ratio of its own count to those"
    " of its two parts, which merges rare ones first.",
    choices=[FREQUENCY, LIKELIHOOD, RATIO],
)
OPTIONS: Final[list[Option]] = [
    SCORING,
    Option("lowercase", True, "Whether texts are lower-cased, and their accents removed."),
    Option(
        "limit_alphabet",
        1000,
        "How many characters become entries; a word with a rarer one is unknown.",
        least=1,
    ),
    MIN_FREQUENCY,
    Option(
        "special_tokens",
        SPECIAL,
        "Tokens that no text becomes by itself: they have the first ids, in this order, and the corpus is split at"
        " them.",
    ),
    Option(
        "unk_token",
        UNKNOWN_PIECE,
        "Which of the special tokens stands for a word that the entries do not make.",
    ),
    Option(
        "cls_token",
        FIRST_PIECE,
        "Which of the special tokens is put before a text, if there is also the one after it.",
    ),
    Option(
        "sep_token",
        LAST_PIECE,
        "Which of the special tokens is put after a text, if there is also the one before it.",
    ),
    INPUT_FORMAT,
]
"""The options of WordPiece."""


@final
class WordPieceTrainer(PairTrainer):
    """A training of WordPiece, run in steps: call ``step`` until it reports "finished".

    Words are split as in BERT. A word starts as its characters, all but the first with ``##``; each merge takes the
    pair that ``scoring`` prefers, of equal ones the one with the smallest ids, and makes a new piece: the most
    frequent pair, or the one that `LikelihoodQueue` chooses. Ids: the special tokens, the characters by code point,
    the continuing characters likewise, then the merges. Source: ``models/wordpiece/trainer.rs`` and
    ``models/bpe/trainer.rs`` of Hugging Face tokenizers (0.23), which also merges a second pair that makes the same
    piece, and whose order of equally frequent pairs depends on a hash.

    A ``record`` is filled with the pairs that were nearly merged, and their scores.

    ``special_tokens`` have the first ids, in order. ``unk_token`` must be one of them. ``cls_token`` and
    ``sep_token`` are added around a text if both are among them.
    """

    def __init__(
        self,
        vocab_size: int,
        corpus: Iterable[str] = (),
        files: Sequence[str | os.PathLike[str]] = (),
        lowercase: bool = True,
        limit_alphabet: int = 1000,
        min_frequency: int = 2,
        scoring: str = FREQUENCY,
        record: PairRecord | None = None,
        special_tokens: Sequence[str] = SPECIAL,
        unk_token: str = UNKNOWN_PIECE,
        cls_token: str = FIRST_PIECE,
        sep_token: str = LAST_PIECE,
    ) -> None:
        super().__init__("wordpiece", vocab_size, min_frequency)
        self.special_tokens = list(special_tokens)
        self.unk_token = unk_token
        self.cls_token = cls_token
        self.sep_token = sep_token
        self._check_special()
        self.scoring = SCORING.checked(scoring)
        self.lowercase = lowercase
        self.limit_alphabet = limit_alphabet
        self._check_size(len(self.special_tokens) + 1, "the special tokens and a character")
        self._counting = WordPieceCounting(
            WordCounter(BertPreTokenizer()), corpus, files, lowercase, self.special_tokens
        )
        self._reader = self._counting.reader
        self._symbols: int = 0  # before the first merge
        self._rules: ContinuingRules | None = None
        self._record = record
        self._first_numbers: dict[str, int] = {}
        self._later_numbers: dict[str, int] = {}

    @property
    def usable(self) -> bool:
        """From the first merge on: before it, the alphabet is not known."""
        return self._merger is not None

    def ran_out(self) -> str:
        """Returns the sentence for a training with fewer merges than requested."""
        said = super().ran_out()
        return f"{said[:-1]} and gains anything." if self.scoring == LIKELIHOOD else said

    def word_symbols(self, word: bytes) -> list[int]:
        """Returns the characters of a word; those outside the alphabet are skipped, as in the training."""
        symbols: list[int] = []
        table = self._first_numbers
        for character in word.decode():
            if character in table:
                symbols.append(table[character])
            table = self._later_numbers
        return symbols

    @property
    def piece_count(self) -> int:
        """The special tokens, the characters and the merges made so far."""
        return len(self.special_tokens) + self._symbols + self.merges.made

    def new_piece(self, number: int) -> bytes:
        """Returns the bytes of the piece that merge ``number`` makes, with ``##`` if it continues a word."""
        rules = self._rules
        if rules is None or not 0 <= number < self.merges.made:
            raise IdError(f"There is no merge {number}: {self.merges.made} were made so far.")
        return rules.pieces[self._symbols + number].encode()

    @property
    def first_symbols(self) -> int:
        """How many characters there are, those inside words counted twice."""
        return self._symbols

    def symbol(self, number: int) -> bytes:
        """Returns the piece of a symbol: characters, continuing characters with their ``##``, then the merges."""
        if self._rules is None:
            raise IdError(f"There is no symbol number {number} yet.")
        return self._rules.pieces[number].encode()

    def symbol_id(self, number: int) -> int:
        """Returns the id of a symbol: they follow the special tokens in their order."""
        return len(self.special_tokens) + number

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the tokenizer of the merges that were made so far, with BERT's stages."""
        return self.tokenizer_after(self.merges.made, name)

    def tokenizer_after(self, step: int, name: str) -> Tokenizer:
        """Returns the tokenizer of the first ``step`` merges."""
        special = {token: index for index, token in enumerate(self.special_tokens)}
        tokenizer = bert_tokenizer(
            name,
            self._pieces_after(step),
            special,
            self.lowercase,
            self.unk_token,
            self.cls_token,
            self.sep_token,
        )
        tokenizer.details = bert_details(
            "assumed", self.lowercase, "as requested", self.special_tokens
        )
        tokenizer.source = Source("trained", "")
        return tokenizer

    def vocab_txt(self) -> bytes:
        """Returns the content of the ``vocab.txt`` of the merges that were made so far."""
        pieces = self._pieces_after(self.merges.made)
        return "".join([f"{piece}\n" for piece in pieces]).encode()

    def _pieces_after(self, merges: int) -> list[str]:
        self.check_usable()
        rules = self._rules
        assert rules is not None
        return self.special_tokens + rules.pieces[: self._symbols + merges]

    def _word_table(self) -> WordCounter:
        return self._counting.words

    def _take(self, words: WordCounter, source: CountSource) -> None:
        self._counting.words = words

    def _count(self) -> bool:
        """Counts some words, or reads on where none is left; returns whether there may be more."""
        return self._counting.advance()

    def _make_merger(self) -> Merger:
        """Chooses the alphabet, and returns what merges; TokenariumError if it does not fit into the vocabulary."""
        counter = self._counting.words
        counts = count_characters(counter)
        if not counts:
            raise TokenariumError("The corpus has no text to train on: choose another.")
        ranked = sorted(counts, key=lambda code: (-counts[code], code))
        characters = sorted(ranked[: self.limit_alphabet])
        continuing = sorted(characters_behind(counter).intersection(characters))
        self._symbols = len(characters) + len(continuing)
        self._first_numbers = {chr(code): index for index, code in enumerate(characters)}
        first_later = len(characters)
        self._later_numbers = {chr(code): first_later + n for n, code in enumerate(continuing)}
        self._check_size(
            len(self.special_tokens) + self._symbols,
            f"the special tokens and {self._symbols:,} characters, those inside words counted twice,",
        )
        for token in self.special_tokens:
            if token in self._first_numbers:
                raise TokenariumError(
                    f"The special token {token!r} is also a character of the normalized corpus: choose another."
                )
        self._rules = ContinuingRules(characters, continuing, AFFIX, self.special_tokens)
        words = WordPieceWords(counter, characters, continuing)
        self.merges = MergeColumns(self.vocab_size - len(self.special_tokens) - self._symbols)
        end: i64 = self.merges.merge_count
        first: i64 = self._symbols
        queue: PairQueue | None = None
        if self.scoring != FREQUENCY:
            queue = LikelihoodQueue(
                words.counts(first + end), words.symbol_count(), self.scoring == RATIO
            )
        return BpeMerger(
            WordSegmentation(words, first + end, queue is None and self._record is None),
            self.merges,
            end,
            self.min_frequency,
            self._rules,
            first,
            queue,
            self._record,
        )

    def _check_special(self) -> None:
        """Raises TokenariumError for invalid special tokens."""
        special = self.special_tokens
        if "" in special:
            raise TokenariumError(EMPTY_TOKEN)
        if len(set(special)) < len(special):
            raise TokenariumError("A special token is named twice: name each of them once.")
        for token in special:
            if token.startswith(AFFIX):
                raise TokenariumError(
                    f"The special token {token!r} begins with {AFFIX}, as entries do that continue a word: choose another."
                )
        if self.unk_token not in special:
            raise TokenariumError(
                f"The special tokens have no {self.unk_token!r}, the token for words that the entries do not make: add"
                " it, or say by unk_token which of them it is."
            )
        for name, token, usual in (
            ("cls_token", self.cls_token, FIRST_PIECE),
            ("sep_token", self.sep_token, LAST_PIECE),
        ):
            if token not in ("", usual) and token not in special:
                raise TokenariumError(
                    f"{name} = {token!r} is not one of the special tokens: add it to them, or leave {name} empty."
                )

    def _check_size(self, needed: int, what: str) -> None:
        """Raises TokenariumError if the vocabulary is too small."""
        if self.vocab_size < needed:
            raise TokenariumError(
                f"A vocabulary of {self.vocab_size:,} is too small: {what} need {needed:,}. Ask for at least that"
                " many, or lower limit_alphabet."
            )


@final
class ContinuingRules(MergeRules):
    """Joins the beginning of a word, or a part that continues it, with a part that continues it.

    ``pieces`` are all symbols by id, those that continue a word with ``affix``. If two pairs make the
    same piece, only the first is merged, and no pair that makes one of the ``special`` tokens.
    """

    def __init__(
        self, characters: list[int], continuing: list[int], affix: str, special: list[str]
    ) -> None:
        self._affix: i64 = len(affix)
        self.pieces = [chr(code) for code in characters]
        self.pieces += [affix + chr(code) for code in continuing]
        self._known: set[str] = set(special)

    def allow(self, left: i64, right: i64) -> bool:
        """Returns whether the joined piece is new."""
        return self._joined(left, right) not in self._known

    def add(self, left: i64, right: i64) -> None:
        """Records the piece of the next id."""
        piece = self._joined(left, right)
        self.pieces.append(piece)
        self._known.add(piece)

    def _joined(self, left: i64, right: i64) -> str:
        return self.pieces[left] + self.pieces[right][self._affix :]
