"""Encoding a text in steps, so that a window stays alive while it happens."""

from __future__ import annotations

from time import perf_counter
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.byte_pair_encoder import BytePairEncoder
from tokenarium_core.encoding import Encoding
from tokenarium_core.long_word import LongWord
from tokenarium_core.pretokenizer import PreTokenizer
from tokenarium_core.pretokens import PreTokens
from tokenarium_core.progress import Progress
from tokenarium_core.trace import PRE_TOKEN, SPECIAL, Trace

SPECIAL_RULE: Final = "special token"
"""The name of the rule by which a special token is a pre-token of its own."""

_SLICE: Final = 1024  # words between two looks at the clock
_MERGES: Final = 20000  # merges in a long word between two looks at the clock


@final
class EncodeJob:
    """One text on its way through the stages: call `step` until it says that it is finished.

    ``regions`` are the parts of the text as (start, stop, id), with the id -1 for what is not a special
    token; ``data`` is padded.
    """

    def __init__(
        self,
        pre_tokenizer: PreTokenizer,
        encoder: BytePairEncoder,
        data: bytes,
        size: i64,
        regions: list[tuple[int, int, int]],
        trace: Trace | None,
    ) -> None:
        self._pre_tokenizer = pre_tokenizer
        self._encoder = encoder
        self._data = data
        self._size: i64 = size
        self._regions = regions
        self._trace = trace
        self._region: i64 = 0
        self._position: i64 = 0
        self._ids = vec[i32]([0] * (size // 4 + 16))
        self._count: i64 = 0
        self._ends = vec[i32]([0] * (size // 4 + 16))
        self._rules = vec[u8]([0] * (size // 4 + 16))
        self._words: i64 = 0
        self._slice_ends = vec[i32]([0] * _SLICE)
        self._slice_rules = vec[u8]([0] * _SLICE)
        self._slice_words: i64 = 0
        self._slice_word: i64 = 0
        self._long_word: LongWord | None = None

    def step(self, budget_ms: float) -> Progress:
        """Encodes for about ``budget_ms`` milliseconds (at least one slice) and reports the bytes done.

        Raises PatternError where a pattern of the user leaves characters out or takes too long.
        """
        stop = perf_counter() + budget_ms / 1000
        while not self.finished:
            self._advance()
            if perf_counter() >= stop:
                break
        return Progress("encoding", self._position, self._size, self.finished)

    @property
    def finished(self) -> bool:
        """Whether the whole text is encoded."""
        return self._region == len(self._regions)

    @property
    def encoding(self) -> Encoding:
        """The tokens so far: of the whole text once the job is finished, else of its beginning."""
        count = self._count
        spans = vec[i32]([0] * (count * 2))
        offsets = self._encoder.vocabulary.offsets
        ids = self._ids
        at: i32 = 0
        for index in range(count):
            token: i64 = i64(ids[index])
            spans[index * 2] = at
            at += offsets[token + 1] - offsets[token]
            spans[index * 2 + 1] = at
        names = [*self._pre_tokenizer.rules, SPECIAL_RULE]
        pre_tokens = PreTokens(self._ends[: self._words], self._rules[: self._words], names)
        return Encoding(ids[:count], spans, pre_tokens)

    def _advance(self) -> None:
        """Takes one slice: a special token, some words, or some merges of a long word."""
        encoder = self._encoder
        trace = self._trace
        long_word = self._long_word
        if long_word is not None:
            if long_word.step(_MERGES, None):
                self._long_word = None
                self._count = long_word.write(self._ids, self._count)
                self._position = long_word.stop
                if self._position == i64(self._slice_ends[self._slice_word]):
                    self._slice_word += 1
                self._close_slice()
            return
        start, stop, token = self._regions[self._region]
        if token >= 0:
            self._reserve(1, 1)
            self._ids[self._count] = i32(token)
            self._count += 1
            self._keep_word(stop, len(self._pre_tokenizer.rules))
            if trace is not None:
                trace.add(SPECIAL, start, stop, -1, token, -1)
            self._position = stop
            self._region += 1
            return
        if self._slice_word == self._slice_words:
            self._cut_slice(stop)
        if trace is None:
            self._count = encoder.encode_words(
                self._data,
                self._position,
                self._slice_ends,
                self._slice_word,
                self._slice_words,
                self._ids,
                self._count,
            )
            self._slice_word = encoder.word
            self._position = encoder.position
            self._long_word = encoder.take_long_word()
        else:
            self._encode_traced(trace)
        if self._long_word is None:
            self._close_slice()

    def _cut_slice(self, stop: i64) -> None:
        """Cuts the next words and makes room for as many ids as they have bytes."""
        ends = self._slice_ends
        words = self._pre_tokenizer.cut(self._data, self._position, stop, ends, self._slice_rules)
        self._slice_words = words
        self._slice_word = 0
        self._reserve(i64(ends[words - 1]) - self._position, words)
        for word in range(words):
            self._keep_word(i64(ends[word]), i64(self._slice_rules[word]))

    def _encode_traced(self, trace: Trace) -> None:
        while self._slice_word < self._slice_words:
            end: i64 = i64(self._slice_ends[self._slice_word])
            rule: i64 = i64(self._slice_rules[self._slice_word])
            trace.add(PRE_TOKEN, self._position, end, rule, -1, -1)
            self._count = self._encoder.encode_traced(
                self._data, self._position, end, self._ids, self._count, trace
            )
            self._position = end
            self._slice_word += 1

    def _close_slice(self) -> None:
        if self._position == self._regions[self._region][1]:
            self._region += 1

    def _keep_word(self, end: i64, rule: i64) -> None:
        self._ends[self._words] = i32(end)
        self._rules[self._words] = u8(rule)
        self._words += 1

    def _reserve(self, ids: i64, words: i64) -> None:
        if self._count + ids > len(self._ids):
            self._ids = grown(self._ids, self._count, self._count + ids)
        if self._words + words > len(self._ends):
            self._ends = grown(self._ends, self._words, self._words + words)
            rules = vec[u8]([0] * len(self._ends))
            for word in range(self._words):
                rules[word] = self._rules[word]
            self._rules = rules


def grown(old: vec[i32], used: i64, needed: i64) -> vec[i32]:
    """Returns a larger array that begins with ``old[:used]`` and has room for ``needed``."""
    room: i64 = len(old) * 2
    larger = vec[i32]([0] * (needed if needed > room else room))
    for index in range(used):
        larger[index] = old[index]
    return larger
