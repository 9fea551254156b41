"""The ways in which the algorithms count a corpus: one for each family of algorithms."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import final

from mypy_extensions import i64

from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, ZEROS
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.row_reader import RowReader
from tokenarium_core.training.sentencepiece.sentencepiece_corpus import SentencePieceCorpus
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining
from tokenarium_core.training.word_counter import WordCounter


class Counting:
    """Base: counts a corpus into a table, ``advance`` by ``advance``, until it returns False.

    ``too_long`` and ``reserved`` are lines that SentencePiece leaves out, see `SentencePieceCorpus`.
    """

    def __init__(self, words: WordCounter, reader: CorpusReader) -> None:
        self.words = words
        self.reader = reader

    @property
    def too_long(self) -> int:
        """How many lines were skipped because of their length."""
        return 0

    @property
    def reserved(self) -> int:
        """How many lines were skipped because of the reserved character."""
        return 0

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        reader = self.reader
        start = reader.start
        reader.start = self.words.add_block(reader.data, start, reader.stop, reader.limit)
        return reader.start != start or reader.read()


@final
class ByteCounting(Counting):
    """Counts the pre-tokens of texts between the special tokens, as `BpeTrainer` does."""

    def __init__(
        self,
        words: WordCounter,
        texts: Iterable[str],
        files: Sequence[str | os.PathLike[str]],
        special_tokens: Sequence[str],
        normalizer: Normalizer | None,
    ) -> None:
        reader = CorpusReader(texts, files, symbols=special_tokens, normalizer=normalizer)
        super().__init__(words, reader)


@final
class SuperwordCounting(Counting):
    """Counts the pre-tokens of the first stage of SuperBPE, and the regions of the second."""

    def __init__(
        self,
        words: WordCounter,
        regions: WordCounter,
        texts: Iterable[str],
        files: Sequence[str | os.PathLike[str]],
        special_tokens: Sequence[str],
    ) -> None:
        super().__init__(words, CorpusReader(texts, files, symbols=special_tokens))
        self._regions = regions
        self._word_at: i64 = 0
        self._region_at: i64 = 0

    def advance(self) -> bool:
        """Counts some words, and the regions up to that point."""
        reader = self.reader
        data = reader.data
        word_at = self.words.add_block(data, self._word_at, reader.stop, reader.limit)
        region_at = self._regions.add_block(data, self._region_at, reader.stop, reader.limit)
        if word_at != self._word_at or region_at != self._region_at:
            self._word_at = word_at
            self._region_at = region_at
            return True
        start = min(word_at, region_at)
        reader.start = start
        if not reader.read():
            return False
        self._word_at -= start
        self._region_at -= start
        return True


@final
class WordPieceCounting(Counting):
    """Counts the words of lines normalized as in BERT, as `WordPieceTrainer` does."""

    def __init__(
        self,
        words: WordCounter,
        texts: Iterable[str],
        files: Sequence[str | os.PathLike[str]],
        lowercase: bool,
        special_tokens: Sequence[str],
    ) -> None:
        super().__init__(words, CorpusReader(texts, files, symbols=special_tokens))
        self._normalizer = BertNormalizer(lowercase=lowercase)
        self._block = ZEROS
        self._at: i64 = 0
        self._stop: i64 = 0

    def advance(self) -> bool:
        """Counts some words of the lines; then takes the next lines."""
        if self._at < self._stop:
            self._at = self.words.add_block(self._block, self._at, self._stop, self._stop)
            return True
        reader = self.reader
        end = reader.lines_end()
        if end == reader.start:
            return reader.read()
        self._block = self._normalizer.normalize_plain(reader.data[reader.start : end] + ZEROS)
        reader.start = end
        self._at = 0
        self._stop = len(self._block) - PADDING
        return True


@final
class SentencePieceCounting(Counting):
    """Counts the words of lines as SentencePiece prepares and splits them."""

    def __init__(
        self,
        words: WordCounter,
        texts: Iterable[str],
        files: Sequence[str | os.PathLike[str]],
        training: SentencePieceTraining,
    ) -> None:
        corpus = SentencePieceCorpus(training, texts, files)
        words.pre_tokenizer = corpus.counter.pre_tokenizer
        corpus.counter = words
        self._corpus = corpus
        super().__init__(words, corpus.reader)

    @property
    def too_long(self) -> int:
        """How many lines were skipped because of their length."""
        return self._corpus.too_long

    @property
    def reserved(self) -> int:
        """How many lines were skipped because of the reserved character."""
        return self._corpus.reserved

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        return self._corpus.advance()


@final
class TableCounting(Counting):
    """Counts the texts of rows with another counting, each as often as its row says."""

    def __init__(self, counting: Counting, rows: RowReader) -> None:
        super().__init__(counting.words, counting.reader)
        self._counting = counting
        self._rows = rows

    @property
    def too_long(self) -> int:
        """How many rows were skipped because of their length."""
        return self._counting.too_long

    @property
    def reserved(self) -> int:
        """How many rows were skipped because of the reserved character."""
        return self._counting.reserved

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        left = self._counting.advance()
        self.reader.done = self._rows.done
        self.reader.total = self._rows.total
        return left
