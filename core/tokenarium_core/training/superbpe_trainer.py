"""Trains SuperBPE: first merges within words, then merges across them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i64, u8

from tokenarium_core.errors import TokenariumError
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.merge_trainer import (
    MergeTrainer,
    merges_of_tokenizer,
)
from tokenarium_core.training.merging.bpe_merger import BpeMerger
from tokenarium_core.training.merging.merger import BYTES, Merger, MergeRules
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.merging.region_segmentation import RegionSegmentation
from tokenarium_core.training.merging.segmentation import Segmentation, WordSegmentation
from tokenarium_core.training.merging.token_segmentation import TokenSegmentation, WordSequence
from tokenarium_core.training.trainer import (
    INPUT_FORMAT,
    MIN_FREQUENCY,
    PATTERN,
    SPECIAL_TOKENS,
    CountSource,
    Option,
)
from tokenarium_core.training.word_counter import PreTokenCounts, SlotWords, WordCounter
from tokenarium_core.unicode.codepoints import FLAGS, LETTER, MARK, NUMBER, SPACE

OPTIONS: Final[list[Option]] = [
    PATTERN,
    Option(
        "superword_pattern",
        "superbpe",
        "How a text is split in the second stage, and by the tokenizer that comes out: a name, or a regular"
        " expression. What it does not split may become one entry.",
    ),
    Option(
        "transition",
        0,
        "The size of the vocabulary at which the second stage begins; 0 is nine tenths of the whole.",
        least=0,
    ),
    Option("max_words", 4, "The most words in an entry; 0: no limit.", least=0),
    Option(
        "across_punctuation",
        True,
        "Whether the second stage may join punctuation with words, as in “, and”.",
    ),
    Option("across_lines", False, "Whether the second stage may continue after a line break."),
    Option(
        "kept_apart",
        "",
        "Characters whose entries the second stage leaves as they are: with “:” a prompt can end in one.",
    ),
    Option(
        "sample",
        100_000_000,
        "The most words whose order is kept for the second stage, at eight or nine bytes each; of a longer corpus it"
        " uses only one stretch in two, or in four, and so on.",
        least=1,
    ),
    Option(
        "base",
        "",
        "A finished BPE tokenizer to continue from, by its name or its file: the first stage is then left out.",
    ),
    MIN_FREQUENCY,
    SPECIAL_TOKENS,
    INPUT_FORMAT,
]
"""The options of SuperBPE."""

STARTS_BLANK: Final = 1
ENDS_BLANK: Final = 2
LINE_BREAK: Final = 4
PUNCTUATION: Final = 8
LETTERS: Final = 16
APART: Final = 32
BLANKS: Final = b"\t\n\x0b\x0c\r "


@final
class SuperBpeTrainer(MergeTrainer):
    """A training of SuperBPE, run in steps: call ``step`` until it reports "finished".

    Liu et al. 2025, "SuperBPE: Space Travel for Language Models" (https://arxiv.org/abs/2503.13423): up to a
    vocabulary of ``transition`` tokens it is BPE over the words of ``pre_tokenizer``. From then on
    ``superword_pre_tokenizer`` splits the text. It does not split at whitespace, so that pieces of several words
    ("superwords") can form.

    As in the published trainer (do_train_extend in alisawuffles/tokenizers-superbpe), the second stage first makes
    the merges of the first one, in order, over its own regions of text, regardless of the first stage's pre-tokens.
    So the tokenizer is one BPE with all merges by rank and the pre-tokens of the second stage, and tokenizes
    the corpus exactly as counted here. From the transition on, ``token_counts`` are of those regions; the last one
    before is of the words.

    See `SuperwordRules` for what the second stage may not join. The corpus is read once, and stored as the sequence
    of its words, then as its tokens: four bytes for each. Beyond ``sample`` words the second stage uses an even
    sample of regions, each of which is weighted accordingly, so that memory stays bounded; counts are then estimates.

    ``base`` is a finished byte-level BPE whose merges replace the first stage: as many as ``transition`` has room for,
    or all if that is 0. Its ids become 0 to 255 for the bytes, 256 + k for its merge ``k``.

    ``record`` is filled with the pairs that were nearly merged, in both stages; not in merges of a ``base``.
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
        record: PairRecord | None = None,
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
        self._reader = CorpusReader(corpus, files, symbols=self.special_tokens)
        self._sequence = WordSequence(pre_tokenizer, superword_pre_tokenizer, sample)
        self._sample: i64 = sample
        self._counted_regions: WordCounter | None = None  # where the corpus was counted before
        self._resumed = base is not None
        self._record = record
        self._stage: i64 = 0
        self._regions = PreTokenCounts(b"", vec[i64](), vec[i64]())
        self.transition: int = max(transition or vocab_size * 9 // 10, before)
        """The size of the vocabulary at which the second stage begins; smaller if the pairs ran out."""
        if base is not None:
            self._inherit(base, transition)

    def _inherit(self, base: Tokenizer, transition: int) -> None:
        """Uses the merges of a tokenizer."""
        merges = merges_of_tokenizer(base)
        before = BYTES + len(self.special_tokens)
        if transition:
            merges = merges[: transition - before]
        if len(merges) > self.merges.merge_count:
            raise TokenariumError(
                f"{base.name} has {len(merges):,} merges, more than a vocabulary of {self.vocab_size:,}"
                " has room for. Ask for a larger one, or begin the second stage earlier."
            )
        for left, right in merges:
            self.merges.add(left, right, 0, 0)
        self.inherited = self.merges.made
        self.transition = before + len(merges)

    @property
    def regions(self) -> PreTokenCounts:
        """The distinct regions of the second stage, if a record has a ledger; otherwise none."""
        return self._regions

    @property
    def report(self) -> str:
        """One sentence on how the training ended, empty if it gave what was requested."""
        if not self._finished:
            return ""
        said = self.ran_out() if self.merges_made < self.merge_count else ""
        if self._sequence.step > 1:
            said += f" The second stage used one of {self._sequence.step} stretches of text."
        return said.strip()

    @property
    def _finished(self) -> bool:
        return self._stage == 2 and self._merger is not None and self._merger.done

    @property
    def progress(self) -> Progress:
        """The phase, in its own units.

        "counting" in bytes of files and characters of texts, "merging" in merges, "cutting again" in
        words, "merging words" in merges from the transition on.
        """
        reading = self._reading()
        if reading is not None:
            return reading
        merger = self._merger
        assert merger is not None
        first = self.transition - BYTES - len(self.special_tokens)
        if self._stage == 1:
            return Progress("merging", self.merges_made, first, False)
        words = merger.words
        if words.laid_out < words.to_lay_out:
            return Progress("cutting again", words.laid_out, words.to_lay_out, False)
        count = self.merge_count - first
        return Progress("merging words", self.merges_made - first, count, merger.done)

    def cutter_after(self, merges: int) -> PreTokenizer:
        """Returns the pre-tokenizer for a number of merges: up to the transition that of the first stage."""
        if BYTES + merges + len(self.special_tokens) > self.transition:
            return self.superword_pre_tokenizer
        return self.pre_tokenizer

    def _word_table(self) -> WordCounter:
        return self._sequence.words

    def _take(self, words: WordCounter, source: CountSource) -> None:
        regions = source.regions
        assert regions is not None
        needed = (
            words.total + regions.total
        )  # entries of a sequence at most: words are also cut by regions
        if needed > self._sample:
            raise TokenariumError(
                f"The counts have {words.total:,} words, and from {self._sample:,} on the second stage takes a sample"
                f" of the text by positions, which counts do not have: set sample = {needed:,} or more."
            )
        self._sequence.words = words
        self._counted_regions = regions

    def _advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        if not super()._advance() and self._stage == 1:
            self._merger = self._begin_second()
        return not self._finished

    def _count(self) -> bool:
        """Counts some words, or reads on where none is left; returns whether there may be more."""
        reader = self._reader
        assert reader is not None
        sequence = self._sequence
        if sequence.add_block(reader.data, reader.stop, reader.limit):
            return True
        start = sequence.needed_from()
        reader.start = start
        if not reader.read():
            return False
        sequence.move(start)
        return True

    def _make_merger(self) -> Merger:
        """Returns what merges within words; after a ``base``, across them."""
        if self._resumed:
            return self._begin_second()
        end: i64 = self.transition - BYTES - len(self.special_tokens)
        self._stage = 1
        words = WordSegmentation(SlotWords(self._sequence.words), BYTES + end, self._record is None)
        return BpeMerger(words, self.merges, end, self.min_frequency, record=self._record)

    def _begin_second(self) -> Merger:
        """Returns what merges across words."""
        self._stage = 2
        self._merger = None
        if self._record is not None and self._record.ledger is not None:
            counted = self._counted_regions
            self._regions = (
                self._sequence.counted_regions() if counted is None else counted
            ).listed()
        self.transition = BYTES + self.merges_made + len(self.special_tokens)
        model = self.tokenizer("").model
        assert isinstance(model, BytePairEncoder)
        for token in range(BYTES + self.merges_made):
            self._rules.learn(self.piece(token))
        ids: i64 = BYTES + self.merges.merge_count
        words: Segmentation
        if self._counted_regions is None:
            words = TokenSegmentation(self._sequence, model, ids)
        else:
            words = RegionSegmentation(self._counted_regions, model, ids)
        return BpeMerger(
            words,
            self.merges,
            self.merges.merge_count,
            self.min_frequency,
            self._rules,
            record=self._record,
        )


@final
class SuperwordRules(MergeRules):
    """The facts about each piece, by id, and the pairs that may not be joined.

    - ``max_words``: a piece may contain at most this many words (0: any number).
      Words are whatever is between ASCII whitespace.
    - ``punctuation``: whether a piece may combine punctuation with letters or digits.
    - ``lines``: whether a line break may be followed by anything but whitespace.
    - ``apart``: characters whose pieces are never joined.

    Pieces of the first stage are not checked: the rules apply only to joined ones.
    """

    def __init__(self, max_words: int, punctuation: bool, lines: bool, apart: str) -> None:
        self._max_words: i64 = max_words
        self._punctuation = punctuation
        self._lines = lines
        self._apart = frozenset(apart)
        self._words = vec[i64]()
        self._traits = vec[u8]()

    def learn(self, piece: bytes) -> None:
        """Records the piece of the next id."""
        self._words = append(self._words, len(piece.split()))
        self._traits = append(self._traits, u8(self._traits_of(piece)))

    def _traits_of(self, piece: bytes) -> i64:
        traits: i64 = 0
        if piece[:1] in BLANKS:
            traits |= STARTS_BLANK
        if piece[-1:] in BLANKS:
            traits |= ENDS_BLANK
        if b"\n" in piece or b"\r" in piece:
            traits |= LINE_BREAK
        for character in piece.decode("utf-8", "ignore"):
            flags: i64 = FLAGS[ord(character)]
            if flags & (LETTER | NUMBER):
                traits |= LETTERS
            elif flags & (SPACE | MARK) == 0:
                traits |= PUNCTUATION
            if character in self._apart:
                traits |= APART
        return traits

    def allow(self, left: i64, right: i64) -> bool:
        """Returns whether two pieces may be joined."""
        one = i64(self._traits[left])
        other = i64(self._traits[right])
        both = one | other
        if both & APART:
            return False
        if not self._punctuation and both & PUNCTUATION and both & LETTERS:
            return False
        if not self._lines and one & LINE_BREAK and self._words[right] > 0:
            return False
        return self._max_words == 0 or self._joined_words(left, right) <= self._max_words

    def add(self, left: i64, right: i64) -> None:
        """Records the piece of the next id, which is joined of two."""
        one = i64(self._traits[left])
        other = i64(self._traits[right])
        within = LINE_BREAK | PUNCTUATION | LETTERS | APART
        traits = (one & STARTS_BLANK) | (other & ENDS_BLANK) | ((one | other) & within)
        self._words = append(self._words, self._joined_words(left, right))
        self._traits = append(self._traits, u8(traits))

    def _joined_words(self, left: i64, right: i64) -> i64:
        """Returns how many words a joined piece has: one fewer if a word continues."""
        words = self._words[left] + self._words[right]
        if (
            i64(self._traits[left]) & ENDS_BLANK == 0
            and i64(self._traits[right]) & STARTS_BLANK == 0
        ):
            words -= 1
        return words
