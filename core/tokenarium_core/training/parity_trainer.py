"""Trains parity-aware BPE: each merge is for the language whose text needs the most tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import ArgumentError
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.progress import Progress
from tokenarium_core.training.bpe_trainer import NORMALIZATION, normalizer_of
from tokenarium_core.training.counting import ByteCounting, Counting
from tokenarium_core.training.merge_trainer import MergeTrainer
from tokenarium_core.training.merging.merger import Merger
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.parity.language_corpus import LanguageCorpus, ratios_by_language
from tokenarium_core.training.parity.language_segmentation import LanguageSegmentation
from tokenarium_core.training.parity.length_history import LengthHistory
from tokenarium_core.training.parity.parity_choice import ParityChoice
from tokenarium_core.training.parity.parity_merger import ParityMerger
from tokenarium_core.training.trainer import (
    MIN_FREQUENCY,
    PATTERN,
    SPECIAL_TOKENS,
    CountSource,
    Option,
)
from tokenarium_core.training.word_counter import PreTokenCounts, WordCounter

BASE: Final = "base"
WINDOW: Final = "window"

VARIANT: Final = Option(
    "variant",
    BASE,
    "How the language of a merge is chosen: base takes the one with the most tokens; window skips a language that"
    " had too many of the last merges.",
    choices=[BASE, WINDOW],
)
WINDOW_SIZE: Final = Option(
    "window_size",
    100,
    "With the variant window: how many of the last merges are looked at.",
    least=1,
    most=1_000_000,
)
ALPHA: Final = Option(
    "alpha",
    2.0,
    "With the variant window: how many times its equal share of those merges a language may have.",
    least=1e-6,
    most=1e6,
)
GLOBAL_MERGES: Final = Option(
    "global_merges",
    0,
    "How many merges come first that are of the most frequent pair in all languages together, as in BPE.",
    least=0,
)
RATIOS: Final = Option(
    "ratios",
    list[str](),
    "Without a dev set: how much each language is to be compressed, compared with the others, such as de=1.2.",
)
OPTIONS: Final[list[Option]] = [
    PATTERN,
    NORMALIZATION,
    MIN_FREQUENCY,
    SPECIAL_TOKENS,
    VARIANT,
    WINDOW_SIZE,
    ALPHA,
    GLOBAL_MERGES,
    RATIOS,
]
"""The options of parity-aware BPE."""


@final
class ParityTrainer(MergeTrainer):
    """A training of parity-aware BPE, run in steps: call ``step`` until it reports "finished".

    Parity-Aware Byte-Pair Encoding (Foroutan, Meister and others 2025, https://arxiv.org/abs/2508.04796): each merge
    joins the most frequent pair of the language that needs the most tokens, and is made in all languages. The number of
    tokens of a language is measured on its ``dev`` texts, which have the same content in all languages; without them on
    its corpus. The merges are those of ParityBpeTrainer in Hugging Face's tokenizers 0.23.3.

    With the ``variant`` `WINDOW`, no language gets many more of the last ``window_size`` merges than ``alpha`` times
    its share; see `ParityChoice`. The first ``global_merges`` merges join the pairs that are most frequent in
    all languages together. ``ratios``, as ``name=number``, replace a dev set: the language with the lowest
    compression rate of its corpus, divided by its ratio, gets the merge. See `StringOrder` for equally frequent pairs.

    Rows of ``pair_counts`` are the counts in the language that the merge was for; ``token_counts`` are of all
    languages.
    """

    def __init__(
        self,
        pre_tokenizer: PreTokenizer,
        vocab_size: int,
        corpus: LanguageCorpus,
        min_frequency: int = 2,
        special_tokens: Sequence[str] = (),
        variant: str = BASE,
        window_size: int = 100,
        alpha: float = 2.0,
        global_merges: int = 0,
        ratios: Sequence[str] = (),
        normalization: str = "identity",
        record: PairRecord | None = None,
    ) -> None:
        super().__init__(
            "parity-bpe", pre_tokenizer, vocab_size, min_frequency, list(special_tokens)
        )
        self.languages: list[str] = corpus.names
        """The names of the languages, in the order of their numbers."""
        self._window: int = window_size if VARIANT.checked(variant) == WINDOW else 0
        self._alpha = alpha
        self._global_merges = global_merges
        self._ratios = ratios_by_language(ratios, corpus.names)
        if corpus.dev and self._ratios:
            raise ArgumentError(
                "A dev set and ratios both say which language gets the next merge: give one of them."
            )
        self.normalizer = normalizer_of(normalization)
        self._record = record
        self._sources: list[CountSource] = []  # that take the place of the languages' texts
        files = [*corpus.files, *([] for _ in corpus.dev)]
        self._parts: list[Counting] = [
            ByteCounting(
                WordCounter(pre_tokenizer), texts, paths, self.special_tokens, self.normalizer
            )
            for texts, paths in zip([*corpus.texts, *corpus.dev], files, strict=True)
        ]
        self._part: int = 0  # that is being counted
        self._parity: ParityMerger | None = None
        self._history = LengthHistory(len(corpus.names), self.merge_count)

    def begin_with_languages(self, sources: list[CountSource]) -> None:
        """Trains on counted words, one source per language, instead of their texts and files."""
        self._sources = sources

    @property
    def has_dev(self) -> bool:
        """Whether the languages are measured on a dev set, not on the training texts."""
        return len(self._parts) > len(self.languages)

    @property
    def byte_count(self) -> int:
        """How many bytes of the corpora were counted: their tokens before the first merge."""
        return sum(int(counter.byte_count) for counter in self._trained())

    @property
    def pre_token_count(self) -> int:
        """How many pre-tokens were counted."""
        return sum(int(counter.total) for counter in self._trained())

    @property
    def distinct_count(self) -> int:
        """How many distinct pre-tokens were counted, those of each language apart."""
        return sum(int(counter.distinct) for counter in self._trained())

    @property
    def pre_tokens(self) -> PreTokenCounts:
        """The distinct pre-tokens of all languages, with how often each occurs: made at each call."""
        together = WordCounter(self.pre_tokenizer)
        for counter in self._trained():
            together.add_all(counter)
        return together.listed()

    @property
    def merge_languages(self) -> vec[i32]:
        """The number of the language that each merge was for; -1 for the global ones."""
        if self._parity is None:
            return vec[i32]()
        return self._parity.languages[: self.merges.made]

    @property
    def history(self) -> LengthHistory:
        """The number of tokens of each language over the training, on its dev texts or else its corpus."""
        return self._history

    @property
    def forced_choices(self) -> int:
        """How often the window excluded every language, see `ParityChoice`."""
        return 0 if self._parity is None else self._parity.forced_choices

    def lengths_now(self) -> list[int]:
        """Returns how many tokens each language has now, on its dev texts or else its corpus; none before merging."""
        return [] if self._parity is None else self._parity.lengths_now()

    def ran_out(self) -> str:
        """Returns the sentence for a training with fewer merges than requested."""
        return (
            f"The corpus gave {self.merges_made:,} of {self.merge_count:,} merges: no other pair occurs in any"
            f" language {self.min_frequency:,} times or more."
        )

    def _reading(self) -> Progress | None:
        """Returns the progress until the words of all languages are counted."""
        if self._merger is not None:
            return None
        readers = [part.reader for part in self._parts[len(self._sources) :]]
        sources = self._sources
        done = sum(source.done for source in sources) + sum(reader.done for reader in readers)
        total = sum(source.total for source in sources) + sum(reader.total for reader in readers)
        return Progress("counting", done, total, False)

    def _trained(self) -> list[WordCounter]:
        return [part.words for part in self._parts[: len(self.languages)]]

    def _count(self) -> bool:
        """Counts some words of a part, or reads its counts; returns whether there may be more."""
        part = self._part
        if part < len(self._sources):
            source = self._sources[part]
            if source.advance():
                return True
            words = source.words
            assert words is not None
            self._parts[part].words = words
        elif self._parts[part].advance():
            return True
        self._part += 1
        return self._part < len(self._parts)

    def _make_merger(self) -> Merger:
        """Returns the merger for the words that were counted."""
        languages: i64 = len(self.languages)
        counters = [part.words for part in self._parts]
        words = LanguageSegmentation(counters, languages, self.vocab_size)
        measured: i64 = languages if self.has_dev else 0
        choice = ParityChoice(
            words.lengths[measured : measured + languages], self._ratios, self._window, self._alpha
        )
        merger = ParityMerger(
            words,
            self.merges,
            self.min_frequency,
            self._global_merges,
            choice,
            measured,
            self._record,
        )
        self._parity = merger
        self._history = merger.history
        return merger
