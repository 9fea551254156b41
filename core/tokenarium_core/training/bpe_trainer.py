"""Trains byte-level BPE: merges the most frequent pair of tokens, again and again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.errors import TokenariumError
from tokenarium_core.normalizers.character_normalizers import UnicodeNormalizer
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.counting import Counting
from tokenarium_core.training.file_words import FileWords
from tokenarium_core.training.merge_trainer import MergeTrainer
from tokenarium_core.training.merging.bpe_merger import BpeMerger
from tokenarium_core.training.merging.byte_rules import ByteRules
from tokenarium_core.training.merging.merger import Merger
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.merging.recount_merger import RecountMerger
from tokenarium_core.training.merging.segmentation import (
    CountedWords,
    TextSegmentation,
    WordSegmentation,
)
from tokenarium_core.training.trainer import (
    INPUT_FORMAT,
    MIN_FREQUENCY,
    PATTERN,
    SPECIAL_TOKENS,
    CountSource,
    Option,
)
from tokenarium_core.training.word_counter import SlotWords, WordCounter

INCREMENTAL: Final = "incremental"
WORDS: Final = "words"
NAIVE: Final = "naive"

STRATEGY: Final = Option(
    "strategy",
    INCREMENTAL,
    "How the next merge is found: by what the last one changed, or, to see what that saves, by counting all pairs"
    " again, over the different words or over the whole text. The merges are the same.",
    choices=[INCREMENTAL, WORDS, NAIVE],
)
NORMALIZATION: Final = Option(
    "normalization",
    "identity",
    "What is done to characters first, in training and by the tokenizer that comes out: nfc and nfkc are Unicode's"
    " normal forms; identity leaves characters as they are.",
    choices=["identity", "nfc", "nfkc"],
)
SMALLEST_IDS: Final = "smallest ids"
FIRST_SEEN: Final = "first seen"
TOKENIZERS: Final = "tokenizers"

TIE_BREAK: Final = Option(
    "tie_break",
    SMALLEST_IDS,
    "Which of several equally frequent pairs is merged: the one with the smallest ids, the first one in the text, as"
    " short programs in textbooks do, or the one that Hugging Face's tokenizers merges, whose ids of bytes are in"
    " the order of their characters. The second needs the strategy naive.",
    choices=[SMALLEST_IDS, FIRST_SEEN, TOKENIZERS],
)
MAX_TOKEN_LENGTH: Final = Option(
    "max_token_length",
    0,
    "How many bytes a token may have at most; 0 is any number.",
    least=0,
)
OPTIONS: Final[list[Option]] = [
    PATTERN,
    NORMALIZATION,
    MIN_FREQUENCY,
    SPECIAL_TOKENS,
    STRATEGY,
    TIE_BREAK,
    MAX_TOKEN_LENGTH,
    INPUT_FORMAT,
]
"""The options of BPE."""


def normalizer_of(normalization: str) -> Normalizer | None:
    """Returns the normalizer for a value of `NORMALIZATION`, None for identity.

    Raises TokenariumError for other values.
    """
    form = NORMALIZATION.checked(normalization)
    if form == "identity":
        return None
    return UnicodeNormalizer("NFC" if form == "nfc" else "NFKC")


class BpeTrainer(MergeTrainer):
    """A training of byte-level BPE, run in steps: call ``step`` until it reports "finished".

    Byte-pair encoding (Sennrich, Haddow, Birch 2016, https://aclanthology.org/P16-1162) over the
    pre-tokens of a corpus: a merge never crosses a split. See `Merger` for which pair is next. The result depends only
    on the corpus, not on the order of its texts.

    ``corpus`` yields texts, each a separate document; ``files`` are UTF-8 texts, read in pieces. A pair that occurs
    fewer than ``min_frequency`` times is not merged. The default of 2 is that of ByteLevelBPETokenizer.train in Hugging
    Face's tokenizers; BpeTrainer there has 0.

    ``strategy`` is `INCREMENTAL` for real work. For teaching, `NAIVE` keeps the whole text and recounts all its
    pairs for each merge, and `WORDS` does so over the distinct pre-tokens with their counts. All three make the same
    merges; ``visited`` measures their cost. A ``record`` is filled with the pairs that were nearly merged.

    ``tie_break``: which of equally frequent pairs is merged. `FIRST_SEEN` gives the merges of programs that use
    ``max(counts, key=counts.get)`` over the current counts of the text; it raises TokenariumError unless the
    strategy is `NAIVE`, since only that one keeps the text. `TOKENIZERS` gives the merges of BpeTrainer in Hugging
    Face's tokenizers (0.23) with the alphabet of ByteLevel.

    ``max_token_length``: how many bytes a token may have at most; 0 for any number. The option of that name in
    tokenizers 0.23 is one more: its 17 gives tokens of up to 16 bytes, and its 0 to 3 all give tokens of up to 2.
    """

    def __init__(
        self,
        pre_tokenizer: PreTokenizer,
        vocab_size: int,
        corpus: Iterable[str] = (),
        files: Sequence[str | os.PathLike[str]] = (),
        min_frequency: int = 2,
        special_tokens: Sequence[str] = (),
        strategy: str = INCREMENTAL,
        record: PairRecord | None = None,
        normalization: str = "identity",
        tie_break: str = SMALLEST_IDS,
        max_token_length: int = 0,
    ) -> None:
        super().__init__("bpe", pre_tokenizer, vocab_size, min_frequency, list(special_tokens))
        self.strategy = STRATEGY.checked(strategy)
        self.tie_break = TIE_BREAK.checked(tie_break)
        MAX_TOKEN_LENGTH.checked(max_token_length)
        self.max_token_length = max_token_length
        if tie_break == FIRST_SEEN and strategy != NAIVE:
            raise TokenariumError(
                f"Ties are broken by the first occurrence only with the strategy {NAIVE!r}, which keeps the text:"
                f" choose it, or the tie break {SMALLEST_IDS!r} or {TOKENIZERS!r}."
            )
        self._record = record
        self.normalizer = normalizer_of(normalization)
        counter = WordCounter(pre_tokenizer)
        reader = CorpusReader(
            corpus, files, symbols=self.special_tokens, normalizer=self.normalizer
        )
        self._text = TextSegmentation(vocab_size) if strategy == NAIVE else None
        if self._text is None:
            self._counting = Counting(counter, reader)
        else:
            self._counting = TextCounting(counter, reader, self._text)
        self._reader = reader

    def begin_with(self, source: CountSource) -> None:
        """Trains on counts; TokenariumError with the strategy `NAIVE`, which needs the text."""
        if self._text is not None:
            raise TokenariumError(
                f"The strategy {NAIVE!r} counts pairs over the whole text, and so does a tie break by the first"
                f" occurrence: counts have no text. Choose the strategy {INCREMENTAL!r} or {WORDS!r}, or train on the"
                " corpus."
            )
        super().begin_with(source)

    def _word_table(self) -> WordCounter:
        return self._counting.words

    def _take(self, words: WordCounter, source: CountSource) -> None:
        self._counting.words = words

    def _reads_file(self) -> bool:
        return True

    def _counted_words(self) -> CountedWords:
        """Returns the words that were counted, wherever they are."""
        file = self._file
        return SlotWords(self._counting.words) if file is None else FileWords(file)

    def _count(self) -> bool:
        """Counts some words, or reads on where none is left; returns whether there may be more."""
        return self._counting.advance()

    def _make_merger(self) -> Merger:
        """Returns the merger for the words that were counted."""
        ids: i64 = self.vocab_size
        end = self.merges.merge_count
        rules: ByteRules | None = None
        if self.tie_break == TOKENIZERS or self.max_token_length > 0:
            rules = ByteRules(self.max_token_length, self.tie_break == TOKENIZERS)
        if self.strategy == INCREMENTAL:
            return BpeMerger(
                WordSegmentation(self._counted_words(), ids, self._record is None),
                self.merges,
                end,
                self.min_frequency,
                rules,
                record=self._record,
            )
        text = self._text
        words = WordSegmentation(self._counted_words(), ids) if text is None else text
        first_seen = self.tie_break == FIRST_SEEN
        return RecountMerger(
            words, self.merges, end, self.min_frequency, self._record, first_seen, rules
        )

    def ran_out(self) -> str:
        """Returns the sentence for a training with fewer merges than requested."""
        said = super().ran_out()
        longest = self.max_token_length
        return f"{said[:-1]} and makes at most {longest:,} bytes." if longest else said


@final
class TextCounting(Counting):
    """Counts the words of a corpus, and keeps the whole text."""

    def __init__(self, words: WordCounter, reader: CorpusReader, text: TextSegmentation) -> None:
        super().__init__(words, reader)
        self._text = text

    def advance(self) -> bool:
        """Counts some words and keeps them; reads on where none is left."""
        reader = self.reader
        start = reader.start
        reader.start = self.words.add_block(reader.data, start, reader.stop, reader.limit)
        self._text.add(reader.data, start, reader.start, self.words.ends)
        return reader.start != start or reader.read()
