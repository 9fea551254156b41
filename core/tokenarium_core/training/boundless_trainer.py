"""Trains BoundlessBPE: merges within pre-tokens, deletions, and merges of whole pre-tokens with their neighbours."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Final, final

from librt.vecs import extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import TokenariumError
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.merge_events import MergeEvents
from tokenarium_core.models.bpe.supermerges import Supermerges
from tokenarium_core.patterns.regex_engine import compile_source
from tokenarium_core.pretokenizers.pattern import bounded_alternatives
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.counting import Counting
from tokenarium_core.training.merge_trainer import (
    MergeTrainer,
    trained_tokenizer,
    vocabulary_of,
)
from tokenarium_core.training.merging.boundless_merger import BoundlessMerger
from tokenarium_core.training.merging.merger import BYTES, Merger
from tokenarium_core.training.merging.place_merger import BOUNDARY
from tokenarium_core.training.trainer import SPECIAL_TOKENS, CountSource, Option
from tokenarium_core.training.word_counter import WordCounter

JOINING: Final = r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$"
"""The pre-tokens that may join, as in the published code: letters, whitespace, underscores and apostrophes."""

OPTIONS: Final[list[Option]] = [
    Option(
        "pattern",
        "o200k",
        "How a text is split into pre-tokens: a name, or a regular expression.",
    ),
    Option(
        "joining",
        JOINING,
        "A regular expression, searched at the beginning of a pre-token: pre-tokens that match may become one entry"
        " with their neighbours.",
    ),
    Option(
        "threshold",
        0.9,
        "The share of a token's occurrences that one merge has to use up for the token to be deleted; above 1, no"
        " token is deleted.",
        least=0.5,
    ),
    Option(
        "min_frequency",
        2,
        "How often a pair, in pre-tokens or of pre-tokens, has to be in the corpus to be merged.",
        least=1,
    ),
    SPECIAL_TOKENS,
]
"""The options of BoundlessBPE."""

_BLOCK: Final = 1 << 15


@final
class BoundlessTrainer(MergeTrainer):
    """A training of BoundlessBPE, run in steps: call ``step`` until it reports "finished".

    Schmidt, Reddy, Tanner and Pinter 2025, "Boundless Byte Pair Encoding: Breaking the Pre-tokenization Barrier"
    (https://arxiv.org/abs/2504.00178), as their code trains (kensho-technologies/boundlessbpe, commit 9c7ef2e,
    ``boundlessbpetrain.py``, with ``blowup``):

    - A merge joins a pair within pre-tokens. A pre-token that one merge leaves as a single token may join from then on,
      if ``joining`` matches it; one with a single byte never may. A *supermerge* joins two neighbours in a text that may
      join; what comes out may join too, unless both were the same token. Nothing joins across two texts, files or a
      special token.
    - The next merge is the pair that occurs most often. A pair in a run of one token is counted without overlap ("aaa"
      has one "aa"). Of a merge and a supermerge that occur equally often, the supermerge is made; otherwise, of
      equal pairs, the one whose left token comes first by its bytes, then the right one. A pair whose entry already
      exists is never merged.
    - After a merge within pre-tokens, its left token and then its right one is deleted if the merge used at least
      the share ``threshold`` of its previous occurrences: it is split into its bytes everywhere in the pre-tokens. Single
      bytes are never deleted. After a supermerge nothing is.
    - A deleted token keeps its entry and its id, and is not rebuilt. A pre-token that joined as this token continues to
      join here, though an encoder takes it apart from then on; supermerges that are learned from it are never used.

    The published code states these as they are, except for three things where it has no steady rule, and where this is
    the rule: a token that is both sides of a merge is deleted once, not twice; a supermerge of a token with itself does
    not open its product to others, not even where a text consists of that product alone; and a pre-token with the bytes
    of a supermerge's product remains as it is.

    ``token_counts`` are the tokens of all pre-tokens, less the places that supermerges joined.

    The corpus is read once, and kept as the sequence of its pre-tokens: some twelve bytes for each of them.
    """

    def __init__(
        self,
        pre_tokenizer: PreTokenizer,
        vocab_size: int,
        corpus: Iterable[str] = (),
        files: Sequence[str | os.PathLike[str]] = (),
        joining: str = JOINING,
        threshold: float = 0.9,
        min_frequency: int = 2,
        special_tokens: Sequence[str] = (),
    ) -> None:
        super().__init__(
            "boundless-bpe", pre_tokenizer, vocab_size, min_frequency, list(special_tokens)
        )
        self.joining = joining
        self.threshold = threshold
        bounded_alternatives(joining)
        self._joining: Any = compile_source(joining)
        reader = CorpusReader(corpus, files, symbols=self.special_tokens)
        self._counting = OrderedCounting(WordCounter(pre_tokenizer), reader)
        self._reader = reader
        self._learned: BoundlessMerger | None = None

    @property
    def crosses(self) -> vec[u8]:
        """For each merge, 1 if it is a supermerge."""
        return vec[u8]() if self._learned is None else self._learned.crosses[: self.merges.made]

    @property
    def deleted(self) -> vec[i32]:
        """The deleted tokens, by id, in order of deletion."""
        return vec[i32]() if self._learned is None else self._learned.deleted

    @property
    def deleted_after(self) -> vec[i32]:
        """For each of them, the number of the merge after which it was deleted."""
        return vec[i32]() if self._learned is None else self._learned.deleted_after

    def begin_with(self, source: CountSource) -> None:
        """Raises TokenariumError: counts do not preserve the order of the words, which supermerges need."""
        raise TokenariumError(
            "BoundlessBPE joins neighbouring words, and counts do not have the order of the words: train on the corpus."
        )

    def tokenizer_after(self, step: int, name: str) -> Tokenizer:
        """Returns the tokenizer of the first ``step`` merges, and of the deletions up to that point."""
        events = MergeEvents(to_bytes=True)
        supermerges = Supermerges()
        numbers = list(range(BYTES))  # of the tokens by id, -1 for products of supermerges
        deletion: i64 = 0
        crosses = self.crosses
        deleted = self.deleted
        deleted_after = self.deleted_after
        for k in range(step):
            left: i64 = i64(self.merges.lefts[k])
            right: i64 = i64(self.merges.rights[k])
            if crosses[k]:
                numbers.append(-1)
                supermerges.add(left, right, BYTES + k, len(events))
            else:
                numbers.append(events.merge(numbers[left], numbers[right]))
            while deletion < len(deleted) and i64(deleted_after[deletion]) == k:
                events.remove(numbers[i64(deleted[deletion])])
                deletion += 1
        pieces = [self.piece(token) for token in range(BYTES + step)]
        model = BoundlessBpe(vocabulary_of(pieces, self.special_tokens), events, supermerges)
        return trained_tokenizer(name, model, self.pre_tokenizer, self.special_tokens, None)

    def _word_table(self) -> WordCounter:
        return self._counting.words

    def _count(self) -> bool:
        """Counts some words and records their order, or reads on; returns whether there may be more."""
        return self._counting.advance()

    def _make_merger(self) -> Merger:
        """Returns what merges the words that were counted."""
        merger = BoundlessMerger(
            self._counting.words,
            self._counting.blocks,
            self.merges,
            self.min_frequency,
            self.threshold,
            self._joining,
        )
        self._learned = merger
        return merger


@final
class OrderedCounting(Counting):
    """Counts the words of a corpus, and stores their order: ``blocks`` are their numbers, see `WordPlaces`."""

    def __init__(self, words: WordCounter, reader: CorpusReader) -> None:
        super().__init__(words, reader)
        self.blocks: list[vec[i32]] = []
        self._block = vec[i32]()

    def advance(self) -> bool:
        """Counts some words and records their order; reads on where none is left."""
        reader = self.reader
        words = self.words
        start = reader.start
        before = words.total
        reader.start = words.add_block(reader.data, start, reader.stop, reader.limit)
        if reader.start != start:
            self._note(words.numbers[: words.total - before])
            return True
        if reader.limit == reader.stop:
            self._note(vec[i32]([BOUNDARY]))
        if reader.read():
            return True
        self.blocks.append(self._block)
        self._block = vec[i32]()
        return False

    def _note(self, numbers: vec[i32]) -> None:
        """Adds words to the sequence, or a boundary."""
        self._block = numbers if len(self._block) == 0 else extend(self._block, numbers)
        if len(self._block) >= _BLOCK:
            self.blocks.append(self._block)
            self._block = vec[i32]()
