"""How often texts use each entry of a tokenizer, from their distinct words: each is encoded once.

A word is a pre-token, or if a whole text is one pre-token, a part of it that no entry joins to its
neighbours. So the tokens of a word without some entries do not depend on the neighbouring words.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from io import TextIOWrapper
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.changing.recutting import recutter
from tokenarium_core.errors import ArgumentError, FormatError, NotAvailable, UnsupportedError
from tokenarium_core.guard import TURNS
from tokenarium_core.models.boundary_filter import SPARE, BoundaryFilter, boundaries_of
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_cut import SPACES, CharacterCut
from tokenarium_core.models.bpe.character_symbols import CharacterSymbols
from tokenarium_core.models.bpe.merge_heap import SymbolHeap
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import UnigramScores
from tokenarium_core.padded_text import PADDING, ZEROS, padded
from tokenarium_core.plain_files import open_file
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.pretokenizers.pretokenizer import REMOVED
from tokenarium_core.pretokenizers.tiktoken_pattern import is_other_to_regex
from tokenarium_core.sections import Sections
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import MERGE, Trace
from tokenarium_core.training.word_counter import PreTokenCounts, WordCounter
from tokenarium_core.training.word_counts import WordCounts
from tokenarium_core.unicode.utf8 import character_sizes

_SLICE: Final = 2048
_SHORT: Final = 64  # bytes of a word that is not cut further
_LONGEST: Final = 1024
"""The size in bytes beyond which a word is processed in parts: a text without any split would be encoded again for each entry."""

_BLOCK: Final = 1 << 20  # characters of a file that are one text
_ALL: Final = 1 << 40


@final
class TokenUsage:
    """The distinct words of texts as a tokenizer splits them, with their counts and their tokens.

    ``texts`` and ``characters`` were read, in which special tokens are plain text; ``tokens`` is the number of their
    tokens. If a word has more than 1,024 bytes without a safe boundary, it is processed in parts, and some tokens can
    differ there.

    Raises UnsupportedError, with the reason, for a tokenizer whose words cannot be encoded without some entries: see
    `prune`.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.texts = 0
        self.characters = 0
        self.fixed: dict[int, int] = {}  # ids that come from no word, as added tokens do
        self._recutter = recutter(tokenizer)
        self._words = WordCounter(BertPreTokenizer())  # which only counts here
        self._listed: PreTokenCounts | None = None
        self._uses = vec[i64]()
        self._made = vec[i64]()
        self._tokens: i64 = -1
        self._ends = vec[i32]([0] * (_SLICE + SPARE))
        self._pieces = vec[i32]([-1] * (_SLICE + SPARE))
        self._cut: CharacterCut | None = None
        self._source: CharacterSymbols | None = None
        self._scores: UnigramScores | None = None
        self._boundaries: BoundaryFilter | None = None
        model = tokenizer.model
        if isinstance(model, BytePairEncoder):
            self._boundaries = boundaries_of(model.vocabulary, model.merges)
        elif isinstance(model, CharacterBpe):
            self._cut = model.cut
            self._source = model.source
        elif isinstance(model, Unigram):
            self._scores = model.scores
            boundaries = BoundaryFilter()
            model.scores.fill(boundaries)
            self._boundaries = boundaries

    def __len__(self) -> int:
        """How many distinct words there are."""
        return int(self._words.distinct)

    def __repr__(self) -> str:
        return f"<TokenUsage of {self.tokenizer.name}: {len(self):,} different words>"

    def add(self, texts: Iterable[str] = (), files: Sequence[str | os.PathLike[str]] = ()) -> None:
        """Reads texts, each a separate document, and UTF-8 files, split into texts of about a megabyte at line endings.

        Raises FormatError for a file that is not UTF-8, NotAvailable for one that cannot be read, PatternError for a
        pattern that fails on a text.
        """
        for text in texts:
            self._add_text(text)
        for file in files:
            for block in _blocks(os.fspath(file)):
                self._add_text(block)

    def add_counts(self, counts: WordCounts) -> None:
        """Uses the words of a corpus that `count` counted for byte-level BPE with this tokenizer's own pattern.

        Raises ArgumentError, with the reason, where the counted words are not those of this tokenizer.
        """
        tokenizer = self.tokenizer
        why = ""
        if not isinstance(tokenizer.model, BytePairEncoder) or tokenizer.splitter is not None:
            why = f"{tokenizer.name} is not byte-level BPE with one pattern"
        elif "pattern" not in counts.options:
            why = f"they are counts of {counts.family} words"
        elif counts.options["pattern"] not in (
            tokenizer.pre_tokenizer.name,
            tokenizer.pre_tokenizer.pattern,
        ):
            why = f"they were counted with the pattern {counts.options['pattern']!r}"
        elif is_other_to_regex(tokenizer.pre_tokenizer):
            why = f"the pattern of {tokenizer.name} matches differently in the program that counted them"
        elif (tokenizer.normalizer is not None) != (
            counts.options.get("normalization", "identity") != "identity"
        ):
            why = "one of the two normalizes the text, and the other does not"
        if why:
            raise ArgumentError(
                f"These counts do not have the words of {tokenizer.name}: {why}. Give the texts themselves."
            )
        listed = counts.listed()
        data = listed.data + ZEROS
        start: i64 = 0
        for number in range(len(listed)):
            stop: i64 = listed.ends[number]
            self._add_parts(data, start, stop, listed.counts[number])
            start = stop
        self.texts += counts.texts
        self.characters += counts.byte_count
        self._forget()

    @property
    def tokens(self) -> int:
        """How many tokens the texts have."""
        self._encode()
        return int(self._tokens)

    @property
    def uses(self) -> list[int]:
        """How many of the tokens have each id."""
        self._encode()
        return [int(uses) for uses in self._uses]

    def made(self) -> list[int]:
        """Returns how often a merge makes each id while the texts are encoded, including intermediate steps.

        A word that is encoded without merging is merged here too. UnsupportedError for a model that does not merge.
        """
        if len(self._made) == 0:
            self._merge_all()
        return [int(count) for count in self._made]

    def words(self) -> PreTokenCounts:
        """Returns the distinct words in packed columns, the most frequent first."""
        listed = self._listed
        if listed is None:
            listed = self._words.listed()
            self._listed = listed
        return listed

    # Reading.

    def _forget(self) -> None:
        self._listed = None
        self._tokens = -1
        self._made = vec[i64]()

    def _add_text(self, text: str) -> None:
        tokenizer = self.tokenizer
        self._forget()
        self.texts += 1
        self.characters += len(text)
        data = padded(text)
        TURNS.enter()
        try:
            sections = tokenizer._preparation.sections(data, len(data) - PADDING, frozenset())
            for start, stop, token in sections.regions:
                if token >= 0:
                    self.fixed[token] = self.fixed.get(token, 0) + 1
                else:
                    self._add_region(sections, start, stop)
        finally:
            TURNS.leave()

    def _add_region(self, sections: Sections, at: i64, stop: i64) -> None:
        """Counts the words between two added tokens."""
        data = sections.text.data
        cutter = sections.pre_tokenizer.for_text()
        ends = vec[i32]([0] * _SLICE)
        rules = vec[u8]([0] * _SLICE)
        while at < stop:
            found = cutter.cut(data, at, stop, ends, rules)
            for word in range(found):
                end: i64 = i64(ends[word])
                if i64(rules[word]) != REMOVED and end > at:
                    self._add_word(data, at, end)
                at = end

    def _add_word(self, data: bytes, start: i64, stop: i64) -> None:
        """Counts a word, in the parts that no entry joins."""
        cut = self._cut
        if cut is not None:
            self._add_cut(cut, data, start, stop)
        elif self._boundaries is not None and stop - start > _SHORT:
            self._add_bounded(self._boundaries, data, start, stop)
        else:
            self._add_parts(data, start, stop, 1)

    def _add_cut(self, cut: CharacterCut, data: bytes, start: i64, stop: i64) -> None:
        ends = self._ends
        pieces = self._pieces
        source = self._source
        at = start
        begin = start  # of what is not counted yet
        while at < stop:
            parts = cut.cut(data, at, stop, ends, pieces)
            for part in range(parts):
                piece: i64 = i64(pieces[part])
                end: i64 = i64(ends[part])
                if piece >= 0:
                    if begin < at:
                        self._add_parts(data, begin, at, 1)
                    self.fixed[piece] = self.fixed.get(piece, 0) + 1
                    begin = end
                elif piece != SPACES and (
                    source is None or end == stop or source.known(data, end, stop)
                ):
                    # Spaces go with the word after them; unknown characters side by side are one token.
                    self._add_parts(data, begin, end, 1)
                    begin = end
                at = end
        if begin < stop:
            self._add_parts(data, begin, stop, 1)

    def _add_bounded(self, boundaries: BoundaryFilter, data: bytes, start: i64, stop: i64) -> None:
        ends = self._ends
        at = start
        begin = start
        while at < stop:
            parts = boundaries.cut(data, at, stop, ends)
            for part in range(parts):
                end: i64 = i64(ends[part])
                if end == stop or self._known(data, end):
                    self._add_parts(data, begin, end, 1)
                    begin = end
                at = end

    def _known(self, data: bytes, at: i64) -> bool:
        """Returns whether the character at a byte is an entry of Unigram."""
        scores = self._scores
        byte: i64 = data[at]
        return scores is None or scores.find(data, at, at + i64(character_sizes[byte])) >= 0

    def _add_parts(self, data: bytes, start: i64, stop: i64, times: i64) -> None:
        words = self._words
        while stop - start > _LONGEST:
            end = start + _LONGEST
            byte: i64 = data[end]
            while byte & 0xC0 == 0x80 and end > start + 1:
                end -= 1
                byte = data[end]
            words.count(data, start, end, times)
            start = end
        if start < stop:
            words.count(data, start, stop, times)

    # What the words become.

    def _encode(self) -> None:
        if self._tokens >= 0:
            return
        uses = vec[i64]([0] * len(self.tokenizer.vocabulary))
        tokens: i64 = 0
        for id, times in self.fixed.items():
            uses[id] += times
            tokens += times
        words = self.words()
        data = words.data + ZEROS
        cutter = self._recutter
        start: i64 = 0
        TURNS.enter()
        try:
            for number in range(len(words)):
                stop: i64 = words.ends[number]
                count: i64 = words.counts[number]
                found = cutter.cut(data, start, stop)
                out = cutter.out
                for index in range(found):
                    token: i64 = i64(out[index])
                    uses[token] += count
                tokens += found * count
                start = stop
        finally:
            TURNS.leave()
        self._uses = uses
        self._tokens = tokens

    def _merge_all(self) -> None:
        tokenizer = self.tokenizer
        model = tokenizer.model
        if not isinstance(model, (BytePairEncoder, CharacterBpe)):
            raise UnsupportedError(
                f"{tokenizer.name} does not merge: only entries of BPE are steps to others."
            )
        made = vec[i64]([0] * len(tokenizer.vocabulary))
        words = self.words()
        data = words.data + ZEROS
        start: i64 = 0
        TURNS.enter()
        try:
            for number in range(len(words)):
                stop: i64 = words.ends[number]
                trace = Trace()
                if isinstance(model, BytePairEncoder):
                    model.merger.merge(data, start, stop, trace)
                elif isinstance(model, CharacterBpe):
                    source = model.source
                    left = source.split(data, start, stop, model.cut is None, None)
                    heap = SymbolHeap(
                        source.symbols, source.starts, source.stops, left, model.merges
                    )
                    heap.step(_ALL, tokenizer.vocabulary, trace)
                count: i64 = words.counts[number]
                for event in range(len(trace)):
                    if i64(trace.kinds[event]) == MERGE:
                        result: i64 = i64(trace.results[event])
                        if 0 <= result < len(made):
                            made[result] += count
                start = stop
        finally:
            TURNS.leave()
        self._made = made


def usage_of(
    tokenizer: Tokenizer,
    texts: Iterable[str] = (),
    files: Sequence[str | os.PathLike[str]] = (),
) -> TokenUsage:
    """Returns how often texts, each a separate document, and UTF-8 files use each entry; see `TokenUsage`."""
    usage = TokenUsage(tokenizer)
    usage.add(texts, files)
    return usage


def _blocks(path: str) -> Iterator[str]:
    """Yields a file in texts of about a megabyte, each up to the end of a line."""
    try:
        with TextIOWrapper(open_file(path), "utf-8", newline="") as file:
            lines: list[str] = []
            size = 0
            for line in file:
                lines.append(line)
                size += len(line)
                if size >= _BLOCK:
                    yield "".join(lines)
                    lines = []
                    size = 0
            if lines:
                yield "".join(lines)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path} is not UTF-8: {error.reason} at byte {error.start} of a part of it."
        ) from error
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror or error}.") from error
