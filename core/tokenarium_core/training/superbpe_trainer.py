"""Trains SuperBPE: first merges within words, then merges that go across them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.errors import TokenariumError
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.merge_trainer import MergeTrainer
from tokenarium_core.training.merged_tokenizer import merges_of_tokenizer, tokenizer_of_merges
from tokenarium_core.training.merging.bpe_merger import BpeMerger
from tokenarium_core.training.merging.merger import BYTES
from tokenarium_core.training.merging.segmentation import WordSegmentation
from tokenarium_core.training.merging.superword_rules import SuperwordRules
from tokenarium_core.training.merging.token_segmentation import TokenSegmentation
from tokenarium_core.training.merging.word_sequence import WordSequence
from tokenarium_core.training.training_option import MIN_FREQUENCY, PATTERN, SPECIAL_TOKENS, Option

OPTIONS: Final = [
    PATTERN,
    Option(
        "superword_pattern",
        "superbpe",
        "How a text is cut in the second stage, and by the tokenizer that comes out: a name, or a regular"
        " expression. What it does not cut may become one entry.",
    ),
    Option(
        "transition",
        0,
        "The size of the vocabulary at which the second stage begins; 0 is nine tenths of the whole.",
        least=0,
    ),
    Option(
        "max_words", 4, "The most words that an entry may hold; 0 for as many as it likes.", least=0
    ),
    Option(
        "across_punctuation",
        True,
        "Whether the second stage may join punctuation with words, as in “, and”.",
    ),
    Option("across_lines", False, "Whether the second stage may go on behind a line break."),
    Option(
        "kept_apart",
        "",
        "Characters whose entries the second stage leaves as they are: with “:” a prompt can end in one.",
    ),
    Option(
        "sample",
        100_000_000,
        "The most words whose order is kept for the second stage, at eight or nine bytes each; of a longer"
        " corpus it looks at one stretch in two only, or in four, and so on.",
        least=1,
    ),
    Option(
        "base",
        "",
        "A finished BPE to go on from, by its name or its file: then the first stage is left out.",
    ),
    MIN_FREQUENCY,
    SPECIAL_TOKENS,
]
"""What can be chosen for SuperBPE."""


@final
class SuperBpeTrainer(MergeTrainer):
    """A training of SuperBPE that is stepped through: ``step`` until it says "finished".

    Liu et al. 2025, "SuperBPE: Space Travel for Language Models" (https://arxiv.org/abs/2503.13423):
    up to a vocabulary of ``transition`` tokens it is BPE over the words that ``pre_tokenizer`` cuts.
    From there on the text is cut by ``superword_pre_tokenizer``, which leaves blanks alone, so that
    pieces of several words ("superwords") come about.

    As in the published trainer (do_train_extend in alisawuffles/tokenizers-superbpe), the second stage
    begins with the merges of the first made in their order over its own stretches of text, whatever the
    first stage's cuts were. So the tokenizer is one BPE with all merges by their ranks and the cuts of
    the second stage, and gives the corpus exactly the tokens that were counted here. From the
    transition on, ``token_counts`` are of those stretches; the last one before is of the words.

    What the second stage may not join, see `SuperwordRules`. The corpus is read once, and kept as its
    different words and the order in which they stand, then as its tokens: four bytes for each. Beyond
    ``sample`` words the second stage looks at an even sample of stretches, each of which counts as
    often as its share, so that memory stays bounded; counts are estimates then.

    ``base`` is a finished byte-level BPE whose merges stand in for the first stage; as many as
    ``transition`` has room for, all where that is 0. Its ids become 0 to 255 for the bytes, 256 + k
    for its merge ``k``.
    """

    def __init__(
        self,
        pre_tokenizer: PreTokenizer,
        superword_pre_tokenizer: PreTokenizer,
        vocab_size: int,
        corpus: Iterable[str] = (),
        files: Sequence[str | os.PathLike[str]] = (),
        min_frequency: int = 2,
        special_tokens: Sequence[str] = (),
        transition: int = 0,
        max_words: int = 4,
        across_punctuation: bool = True,
        across_lines: bool = False,
        kept_apart: str = "",
        sample: int = 100_000_000,
        base: Tokenizer | None = None,
    ) -> None:
        super().__init__("superbpe", pre_tokenizer, vocab_size, min_frequency, list(special_tokens))
        self.superword_pre_tokenizer = superword_pre_tokenizer
        before = BYTES + len(self.special_tokens)
        if transition and not before <= transition <= vocab_size:
            raise TokenariumError(
                f"The second stage cannot begin at a vocabulary of {transition:,}: that has to be"
                f" between {before:,}, the bytes and the special tokens, and {vocab_size:,}."
            )
        self._rules = SuperwordRules(max_words, across_punctuation, across_lines, kept_apart)
        self._reader: CorpusReader | None = CorpusReader(corpus, files, symbols=self.special_tokens)
        self._sequence = WordSequence(pre_tokenizer, superword_pre_tokenizer, sample)
        self._resumed = base is not None
        self._merger: BpeMerger | None = None
        self._stage: i64 = 0
        self.transition: int = max(transition or vocab_size * 9 // 10, before)
        """The size of the vocabulary at which the second stage begins; smaller if the pairs ran out."""
        if base is not None:
            self._inherit(base, transition)

    def _inherit(self, base: Tokenizer, transition: int) -> None:
        """Takes over the merges of a tokenizer."""
        found = merges_of_tokenizer(base)
        before = BYTES + len(self.special_tokens)
        if transition:
            found = found[: transition - before]
        if len(found) > self.merges.room:
            raise TokenariumError(
                f"{base.name} has {len(found):,} merges, more than a vocabulary of {self.vocab_size:,}"
                " has room for. Ask for a larger one, or begin the second stage earlier."
            )
        for left, right in found:
            self.merges.add(left, right, 0, 0)
        self.inherited = self.merges.made
        self.transition = before + len(found)

    @property
    def byte_count(self) -> int:
        """How many bytes of the corpus were counted."""
        return self._sequence.words.byte_count

    @property
    def pre_token_count(self) -> int:
        """How many words were counted."""
        return self._sequence.words.total

    @property
    def distinct_count(self) -> int:
        """How many different words were counted."""
        return self._sequence.words.distinct

    @property
    def report(self) -> str:
        """One sentence on how the training ended, empty when it gave what was asked for."""
        if not self._finished:
            return ""
        said = self.ran_out() if self.merges_made < self.merges_wanted else ""
        if self._sequence.step > 1:
            said += f" The second stage looked at one of {self._sequence.step} stretches of text."
        return said.strip()

    @property
    def _finished(self) -> bool:
        return self._stage == 2 and self._merger is not None and self._merger.done

    @property
    def progress(self) -> Progress:
        """The phase, in its own units.

        "counting" in bytes of files and characters of texts, "merging" in merges, "cutting anew" in
        words, "merging words" in merges from the transition on.
        """
        merger = self._merger
        if merger is None:
            assert self._reader is not None
            return Progress("counting", self._reader.done, self._reader.total, False)
        first = self.transition - BYTES - len(self.special_tokens)
        if self._stage == 1:
            return Progress("merging", self.merges_made, first, False)
        words = merger.words
        if words.laid_out < words.to_lay_out:
            return Progress("cutting anew", words.laid_out, words.to_lay_out, False)
        wanted = self.merges_wanted - first
        return Progress("merging words", self.merges_made - first, wanted, merger.done)

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the tokenizer of the merges that were made so far: a plain BPE before the transition."""
        pre_tokenizer = self.pre_tokenizer
        if BYTES + self.merges_made + len(self.special_tokens) > self.transition:
            pre_tokenizer = self.superword_pre_tokenizer
        return tokenizer_of_merges(name, pre_tokenizer, self.left, self.right, self.special_tokens)

    def _advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        merger = self._merger
        if merger is None:
            self._count()
        elif not merger.done:
            merger.advance()
        elif self._stage == 1:
            self._begin_second()
        return not self._finished

    def _count(self) -> None:
        """Counts some words; reads on where there is none left."""
        reader = self._reader
        assert reader is not None
        sequence = self._sequence
        if sequence.add_block(reader.data, reader.stop, reader.limit):
            return
        start = sequence.needed_from()
        reader.start = start
        if reader.read():
            sequence.move(start)
        else:
            self._reader = None
            if self._resumed:
                self._begin_second()
            else:
                self._begin_first()

    def _begin_first(self) -> None:
        """Begins to merge within words."""
        end: i64 = self.transition - BYTES - len(self.special_tokens)
        self._stage = 1
        words = WordSegmentation(self._sequence.words, BYTES + end)
        self._merger = BpeMerger(words, self.merges, end, self.min_frequency)

    def _begin_second(self) -> None:
        """Begins to merge across words."""
        self._stage = 2
        self._merger = None
        self.transition = BYTES + self.merges_made + len(self.special_tokens)
        model = self.tokenizer("").model
        assert isinstance(model, BytePairEncoder)
        for token in range(BYTES + self.merges_made):
            self._rules.learn(self.piece(token))
        words = TokenSegmentation(self._sequence, model, BYTES + self.merges.room)
        self._merger = BpeMerger(
            words, self.merges, self.merges.room, self.min_frequency, self._rules
        )
