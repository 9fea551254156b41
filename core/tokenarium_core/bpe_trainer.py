"""Trains byte-level BPE: which pairs of tokens to merge, most frequent first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.bpe_merger import BYTES, BpeMerger
from tokenarium_core.corpus_reader import CorpusReader
from tokenarium_core.errors import TokenariumError
from tokenarium_core.merged_tokenizer import tokenizer_of_merges
from tokenarium_core.pretokenizer import PreTokenizer
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trainer import Trainer
from tokenarium_core.training_option import MIN_FREQUENCY, PATTERN, SPECIAL_TOKENS
from tokenarium_core.word_counter import WordCounter

OPTIONS: Final = [PATTERN, MIN_FREQUENCY, SPECIAL_TOKENS]
"""What can be chosen for BPE."""


@final
class BpeTrainer(Trainer):
    """A training of byte-level BPE that is stepped through: ``step`` until it says "finished".

    Byte-pair encoding (Sennrich, Haddow, Birch 2016, https://aclanthology.org/P16-1162) over the
    pre-tokens of a corpus: a merge never crosses a cut. Token ids: 0 to 255 are the bytes, 256 + k
    is merge ``k``, the special tokens come last.

    Each merge takes the pair that stands most often in the corpus, overlapping places counted each
    ("aaa" has two "aa"); of equal counts the one with the smallest ids, the left one first. Hence
    the result hangs on the corpus alone, not on the order of its texts.

    ``corpus`` gives texts, each a document of its own; ``files`` are UTF-8 texts, read in pieces. A
    pair that stands fewer than ``min_frequency`` times is not merged. The default of 2 is that of
    ByteLevelBPETokenizer.train in Hugging Face's tokenizers; BpeTrainer there has 0.

    Merges nest, so one training answers for all smaller vocabularies: the first ``n`` merges are
    the training for ``n`` merges, and ``token_counts[n - 1]`` is how many tokens the corpus takes
    with them. All columns may be read at any time, and hold what was made so far.
    """

    def __init__(
        self,
        pre_tokenizer: PreTokenizer,
        vocab_size: int,
        corpus: Iterable[str] = (),
        files: Sequence[str | os.PathLike[str]] = (),
        min_frequency: int = 2,
        special_tokens: Sequence[str] = (),
    ) -> None:
        super().__init__("bpe", vocab_size)
        self.pre_tokenizer = pre_tokenizer
        self.min_frequency = max(min_frequency, 1)
        self.special_tokens = list(special_tokens)
        if len(set(self.special_tokens)) < len(self.special_tokens):
            raise TokenariumError("A special token is named twice: name each of them once.")
        smallest = BYTES + len(self.special_tokens)
        if vocab_size < smallest:
            raise TokenariumError(
                f"A vocabulary of {vocab_size:,} is too small: the 256 bytes and the special tokens"
                f" take {smallest:,}. Ask for at least that many."
            )
        self._counter = WordCounter(pre_tokenizer)
        self._reader: CorpusReader | None = CorpusReader(corpus, files)
        self._merger: BpeMerger | None = None

    @property
    def merges_wanted(self) -> int:
        """How many merges make up the vocabulary that was asked for."""
        return self.vocab_size - BYTES - len(self.special_tokens)

    @property
    def merges_made(self) -> int:
        """How many merges there are by now; fewer than wanted at the end if the pairs ran out."""
        return 0 if self._merger is None else self._merger.made

    @property
    def left(self) -> vec[i32]:
        """The id of each merge's left token."""
        return vec[i32]() if self._merger is None else self._merger.lefts[: self._merger.made]

    @property
    def right(self) -> vec[i32]:
        """The id of each merge's right token."""
        return vec[i32]() if self._merger is None else self._merger.rights[: self._merger.made]

    @property
    def pair_counts(self) -> vec[i64]:
        """How often each merge's pair stood in the corpus when it was made."""
        return (
            vec[i64]() if self._merger is None else self._merger.merge_counts[: self._merger.made]
        )

    @property
    def token_counts(self) -> vec[i64]:
        """How many tokens the corpus takes after each merge."""
        return (
            vec[i64]() if self._merger is None else self._merger.token_counts[: self._merger.made]
        )

    @property
    def piece_count(self) -> int:
        """The bytes, the merges made so far and the special tokens."""
        return BYTES + self.merges_made + len(self.special_tokens)

    @property
    def byte_count(self) -> int:
        """How many bytes of the corpus were counted: its tokens before the first merge."""
        return self._counter.byte_count

    @property
    def pre_token_count(self) -> int:
        """How many pre-tokens were counted."""
        return self._counter.total

    @property
    def distinct_count(self) -> int:
        """How many different pre-tokens were counted."""
        return self._counter.distinct

    @property
    def report(self) -> str:
        """One sentence on how the training ended, empty when it gave what was asked for."""
        merger = self._merger
        if merger is None or not merger.done or merger.made == merger.wanted:
            return ""
        return (
            f"The corpus gave {merger.made:,} of {merger.wanted:,} merges: no other pair stands in"
            f" it {self.min_frequency:,} times or more."
        )

    @property
    def progress(self) -> Progress:
        """The phase "counting" in bytes of files and characters of texts, then "merging" in merges."""
        if self._merger is not None:
            return Progress("merging", self._merger.made, self._merger.wanted, self._merger.done)
        assert self._reader is not None
        return Progress("counting", self._reader.done, self._reader.total, False)

    @property
    def usable(self) -> bool:
        """Always: before the first merge there are the bytes."""
        return True

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the tokenizer of the merges that were made so far."""
        return tokenizer_of_merges(
            name, self.pre_tokenizer, self.left, self.right, self.special_tokens
        )

    def _advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        if self._merger is not None:
            self._merger.advance()
            return not self._merger.done
        reader = self._reader
        assert reader is not None
        start = reader.start
        reader.start = self._counter.add_block(reader.data, start, reader.stop, reader.limit)
        if reader.start == start and not reader.read():
            self._reader = None
            self._merger = BpeMerger(self._counter, self.merges_wanted, self.min_frequency)
        return True
