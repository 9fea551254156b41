"""The words of a corpus as a tokenizer's model receives them, for training or counting with that tokenizer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import ArgumentError
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import (
    SentencePieceSettings,
    read_settings,
)
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.normalizers.character_normalizers import UnicodeNormalizer
from tokenarium_core.normalizers.charsmap import Charsmap
from tokenarium_core.normalizers.sentencepiece_normalizer import SentencePieceNormalizer
from tokenarium_core.padded_text import PADDING, ZEROS, padded
from tokenarium_core.pretokenizers.pretokenizer import REMOVED, PreTokenizer
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.pretokenizers.tiktoken_pattern import is_other_to_regex
from tokenarium_core.sections import Preparation
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.counting import ByteCounting, Counting
from tokenarium_core.training.sentencepiece.sentencepiece_corpus import SentencePieceCorpus
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining
from tokenarium_core.training.trainer import CountSource
from tokenarium_core.training.word_counter import WordCounter
from tokenarium_core.training.word_counts import BYTE_LEVEL, SENTENCEPIECE, WordCounts
from tokenarium_core.vocabulary import BYTE, CONTROL, UNKNOWN, USER_DEFINED

TRAINER: Final = "trainer_spec"
NORMALIZER: Final = "normalizer_spec"
"""The settings of SentencePiece in `Tokenizer.stored`."""

Paths = Sequence[str | os.PathLike[str]]

_LINE_LIMIT: Final = 4192  # what SentencePiece writes where nobody chose a limit
_LARGEST_SAMPLE: Final = 10_000_000  # lines, which are held in memory
_CUTS: Final = 4096


@final
class SectionCounting(Counting):
    """Counts the words of texts after all stages before the model, between added tokens."""

    def __init__(
        self, words: WordCounter, tokenizer: Tokenizer, texts: Iterable[str], files: Paths
    ) -> None:
        special = list(tokenizer.special_tokens)
        super().__init__(words, CorpusReader(texts, files, symbols=special))
        self._preparation = Preparation(
            tokenizer.added_tokens,
            tokenizer.normalizer,
            tokenizer.splitter,
            tokenizer.pre_tokenizer,
        )
        self._none: frozenset[str] = frozenset()
        self._regions: list[tuple[int, int, int]] = []
        self._next: i64 = 0
        self._data = ZEROS
        self._at: i64 = 0
        self._stop: i64 = 0

    def advance(self) -> bool:
        """Counts some words of a region; then goes to the next one, or reads on."""
        if self._at < self._stop:
            self._at = self.words.add_block(self._data, self._at, self._stop, self._stop)
            return True
        if self._next < len(self._regions):
            start, stop, token = self._regions[self._next]
            self._next += 1
            if token < 0:
                self._at = start
                self._stop = stop
            return True
        reader = self.reader
        if reader.start == reader.limit:
            return reader.read()
        size = reader.limit - reader.start
        data = reader.data[reader.start : reader.limit] + ZEROS
        reader.start = reader.limit
        sections = self._preparation.sections(data, int(size), self._none)
        self.words.pre_tokenizer = sections.pre_tokenizer
        self._data = sections.text.data
        self._regions = sections.regions
        self._next = 0
        self._at = self._stop = 0
        return True


def plain_counting(
    tokenizer: Tokenizer, words: WordCounter, texts: Iterable[str], files: Paths
) -> Counting:
    """Returns the counting of a tokenizer's words, as in `BpeTrainer` if it has the same stages."""
    plain = tokenizer.splitter is None
    for token in tokenizer.added_tokens.tokens:
        if not token.special or token.lstrip or token.rstrip or token.single_word:
            plain = False
    if plain:
        words.pre_tokenizer = tokenizer.pre_tokenizer
        special = list(tokenizer.special_tokens)
        return ByteCounting(words, texts, files, special, tokenizer.normalizer)
    return SectionCounting(words, tokenizer, texts, files)


def words_of_text(tokenizer: Tokenizer, text: str) -> list[bytes]:
    """Returns the words of a text after all stages before the model; none for added tokens."""
    data = padded(text)
    preparation = Preparation(
        tokenizer.added_tokens,
        tokenizer.normalizer,
        tokenizer.splitter,
        tokenizer.pre_tokenizer,
    )
    sections = preparation.sections(data, len(data) - PADDING, frozenset())
    cutter: PreTokenizer = sections.pre_tokenizer
    ends = vec[i32]([0] * _CUTS)
    rules = vec[u8]([0] * _CUTS)
    words: list[bytes] = []
    for start, stop, token in sections.regions:
        at: i64 = start
        while token < 0 and at < stop:
            count: i64 = cutter.cut(sections.text.data, at, stop, ends, rules)
            for k in range(count):
                end = i64(ends[k])
                if i64(rules[k]) != REMOVED:
                    words.append(sections.text.data[at:end])
                at = end
    return words


# SentencePiece.


def settings_of(tokenizer: Tokenizer) -> tuple[SentencePieceSettings, SentencePieceSettings]:
    """Returns the settings of the trainer and of the normalizer that a model's file has."""
    stored = tokenizer.stored
    return (
        read_settings(TRAINER, stored[TRAINER], tokenizer.name),
        read_settings(NORMALIZER, stored.get(NORMALIZER, b""), tokenizer.name),
    )


def training_of(tokenizer: Tokenizer) -> SentencePieceTraining:
    """Returns the options with which SentencePiece prepares and splits a corpus for a model, from its file.

    If the file has no limit for the length of lines, none is skipped. Raises ArgumentError for a model that does
    not write spaces as ``▁``, or splits at a delimiter.
    """
    trainer, rules = settings_of(tokenizer)
    if not rules.escape_whitespaces:
        raise ArgumentError(
            f"{tokenizer.name} cannot be extended: it does not write spaces as ▁, so its words have no beginning."
        )
    if trainer.pretokenization_delimiter:
        raise ArgumentError(
            f"{tokenizer.name} cannot be extended from a corpus: it was trained on text that has"
            f" {trainer.pretokenization_delimiter!r} between its words. Extend it with a list of words."
        )
    lines: int = trainer.max_sentence_length
    sample: int = trainer.input_sentence_size
    training = SentencePieceTraining(
        character_coverage=min(max(trainer.character_coverage, 0.98), 1.0),
        normalization="identity",
        add_dummy_prefix=rules.add_dummy_prefix,
        remove_extra_whitespaces=rules.remove_extra_whitespaces,
        treat_whitespace_as_suffix=trainer.treat_whitespace_as_suffix,
        split_by_unicode_script=trainer.split_by_unicode_script,
        split_by_number=trainer.split_by_number,
        split_by_whitespace=trainer.split_by_whitespace,
        split_digits=trainer.split_digits,
        allow_whitespace_only_pieces=trainer.allow_whitespace_only_pieces,
        max_sentencepiece_length=min(max(trainer.max_sentencepiece_length, 1), 512),
        max_sentence_length=0 if lines == _LINE_LIMIT else max(lines, 0),
        input_sentence_size=sample if 0 < sample <= _LARGEST_SAMPLE else 0,
        shuffle_input_sentence=trainer.shuffle_input_sentence,
    )
    blob: bytes = rules.precompiled_charsmap
    training.normalizer = SentencePieceNormalizer(
        rules.name or "SentencePiece",
        Charsmap(blob, tokenizer.name) if blob else None,
        rules.add_dummy_prefix,
        rules.remove_extra_whitespaces,
        True,
        trainer.treat_whitespace_as_suffix,
        [],
    )
    vocabulary = tokenizer.vocabulary
    training.symbols = [
        vocabulary.surface(id)
        for id in range(len(vocabulary))
        if i64(vocabulary.kinds[id]) in (UNKNOWN, CONTROL, USER_DEFINED, BYTE)
    ]
    training.required_codes = set()
    return training


# Counts that were made before.


def check_counts(tokenizer: Tokenizer, counts: WordCounts) -> None:
    """Raises ArgumentError unless a corpus was counted with the tokenizer's own pre-tokens."""
    if isinstance(tokenizer.model, BytePairEncoder):
        _check_byte_counts(tokenizer, counts)
        return
    if counts.family != SENTENCEPIECE:
        raise ArgumentError(
            f"The counts are of {counts.family} words, and {tokenizer.name} needs {SENTENCEPIECE} words: count the"
            " corpus again with --algorithm unigram."
        )
    trainer, rules = settings_of(tokenizer)
    options: dict[str, object] = {
        "normalization": rules.name,
        "add_dummy_prefix": rules.add_dummy_prefix,
        "remove_extra_whitespaces": rules.remove_extra_whitespaces,
        "treat_whitespace_as_suffix": trainer.treat_whitespace_as_suffix,
        "split_by_unicode_script": trainer.split_by_unicode_script,
        "split_by_number": trainer.split_by_number,
        "split_by_whitespace": trainer.split_by_whitespace,
        "split_digits": trainer.split_digits,
        "allow_whitespace_only_pieces": trainer.allow_whitespace_only_pieces,
    }
    for name, value in options.items():
        if counts.options[name] != value:
            raise _other_counts(tokenizer, name, counts.options[name], value)


def _check_byte_counts(tokenizer: Tokenizer, counts: WordCounts) -> None:
    if counts.family != BYTE_LEVEL:
        raise ArgumentError(
            f"The counts are of {counts.family} words, and {tokenizer.name} needs {BYTE_LEVEL} words: count the"
            " corpus again with --algorithm bpe."
        )
    if tokenizer.splitter is not None:
        raise ArgumentError(
            f"{tokenizer.name} does more than split a text by one pattern, so words counted beforehand are not its"
            " own: give the corpus itself."
        )
    pattern = str(counts.options["pattern"])
    if cutting(pattern).pattern != tokenizer.pre_tokenizer.pattern:
        raise _other_counts(tokenizer, "pattern", pattern, tokenizer.pre_tokenizer.name)
    if is_other_to_regex(tokenizer.pre_tokenizer):
        raise ArgumentError(
            f"The pattern of {tokenizer.name} matches differently in the program that counts words: give the corpus"
            " itself."
        )
    form = "identity"
    normalizer = tokenizer.normalizer
    if isinstance(normalizer, UnicodeNormalizer):
        form = normalizer.name.lower()
    elif normalizer is not None:
        form = normalizer.name
    if counts.options["normalization"] != form:
        raise _other_counts(tokenizer, "normalization", counts.options["normalization"], form)


def _other_counts(tokenizer: Tokenizer, name: str, value: object, wanted: object) -> ArgumentError:
    return ArgumentError(
        f"The words were counted with {name} = {value!r}, and {tokenizer.name} has {wanted!r}: count the corpus again"
        " with it, or give the corpus itself."
    )


class ExtensionCorpus:
    """Base of the two ways to count a corpus for a tokenizer; `advance` until it returns False."""

    def __init__(self) -> None:
        self.words = WordCounter(PreTokenizer("", "", []))

    @property
    def left_out(self) -> str:
        """One message for each reason why lines were skipped, empty if none were."""
        return ""

    @property
    def read(self) -> tuple[int, int]:
        """How many bytes of files and characters of texts were read, and of how many; 0 where that is not known."""
        raise NotImplementedError

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        raise NotImplementedError

    def take(self, words: WordCounter, source: CountSource) -> None:
        """Uses counted words as those of this corpus."""
        raise NotImplementedError


@final
class PlainCorpus(ExtensionCorpus):
    """The words of a tokenizer that splits its text, as in `plain_counting`."""

    def __init__(self, tokenizer: Tokenizer, texts: Iterable[str], files: Paths) -> None:
        super().__init__()
        self.words = WordCounter(tokenizer.pre_tokenizer)
        self._counting = plain_counting(tokenizer, self.words, texts, files)

    @property
    def read(self) -> tuple[int, int]:
        """How much was read, and of how much."""
        return self._counting.reader.done, self._counting.reader.total

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        return self._counting.advance()

    def take(self, words: WordCounter, source: CountSource) -> None:
        """Uses counted words as those of this corpus."""
        self.words = words


@final
class MarkedCorpus(ExtensionCorpus):
    """The words of a SentencePiece model, split where no learned piece can cross."""

    def __init__(self, tokenizer: Tokenizer, texts: Iterable[str], files: Paths) -> None:
        super().__init__()
        self.training = training_of(tokenizer)
        self.lines = SentencePieceCorpus(self.training, texts, files)
        self.words = self.lines.counter

    @property
    def left_out(self) -> str:
        """One message for each reason why lines were skipped, empty if none were."""
        return self.lines.left_out

    @property
    def read(self) -> tuple[int, int]:
        """How much was read, and of how much."""
        return self.lines.reader.done, self.lines.reader.total

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        return self.lines.advance()

    def take(self, words: WordCounter, source: CountSource) -> None:
        """Uses counted words as those of this corpus."""
        self.lines.take(words, source)
        self.words = words
