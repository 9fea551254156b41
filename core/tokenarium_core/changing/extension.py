"""The base of trainings that continue from a tokenizer."""

from __future__ import annotations

from tokenarium_core.changing.extended_files import NewEntry
from tokenarium_core.changing.extension_words import ExtensionCorpus, MarkedCorpus
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.trainer import CountSource, Trainer
from tokenarium_core.training.word_counter import WordCounter


class ExtensionTrainer(Trainer):
    """Base of trainings that continue from a tokenizer: call ``step`` until it reports "finished", then read the
    `tokenizer`.

    It may be stopped at any time: `tokenizer` then has the entries found so far.
    """

    def __init__(
        self, algorithm: str, old: Tokenizer, vocab_size: int, corpus: ExtensionCorpus
    ) -> None:
        super().__init__(algorithm, vocab_size)
        self.old = old
        self.escaped = isinstance(corpus, MarkedCorpus)
        """Whether the words have a space for each ``▁`` in the tokenizer's file."""
        self._corpus = corpus

    @property
    def tokens_before(self) -> int:
        """How many tokens the corpus has by the old tokenizer; 0 until it was encoded."""
        raise NotImplementedError

    @property
    def entries(self) -> list[NewEntry]:
        """The entries found so far, in the order in which they are added: made at each call."""
        raise NotImplementedError

    def _word_table(self) -> WordCounter:
        return self._corpus.words

    def _take(self, words: WordCounter, source: CountSource) -> None:
        self._corpus.take(words, source)

    def _counting(self) -> Progress:
        done, total = self._corpus.read
        return Progress("counting", done, total, False)

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the old tokenizer with the entries found so far."""
        return self.tokenizer_of(self.entries, name)

    def tokenizer_after(self, step: int, name: str) -> Tokenizer:
        """Returns the old tokenizer with the first ``step`` entries."""
        return self.tokenizer_of(self.entries[:step], name)

    def tokenizer_of(self, entries: list[NewEntry], name: str) -> Tokenizer:
        """Returns the old tokenizer with some of the first entries."""
        raise NotImplementedError
