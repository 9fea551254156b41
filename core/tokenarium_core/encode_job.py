"""Encoding a text in steps, so that a window stays alive while it happens."""

from __future__ import annotations

from time import perf_counter
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.columns import grown
from tokenarium_core.encoding import Encoding
from tokenarium_core.model import Model, PendingWord
from tokenarium_core.pretokenizer import REMOVED
from tokenarium_core.pretokens import PreTokens
from tokenarium_core.progress import Progress
from tokenarium_core.sections import Sections
from tokenarium_core.template import Template
from tokenarium_core.trace import PRE_TOKEN, SPECIAL, Trace

SPECIAL_RULE: Final = "special token"
"""The name of the rule by which an added token is a pre-token of its own."""

REMOVED_RULE: Final = "removed"
"""The name of the rule of what stands between words and gets no ids."""

_SLICE: Final = 1024  # words between two looks at the clock
_MERGES: Final = 20000  # merges in a long word between two looks at the clock


@final
class EncodeJob:
    """One text on its way through the model: call `step` until it says that it is finished."""

    def __init__(
        self, sections: Sections, model: Model, template: Template | None, trace: Trace | None
    ) -> None:
        self._sections = sections
        self._pre_tokenizer = sections.pre_tokenizer
        self._model = model
        self._template = template
        self._data = sections.text.data
        size = sections.text.size
        self._size: i64 = size
        self._regions = sections.regions
        self._trace = trace
        self._region: i64 = 0
        self._position: i64 = 0
        self._ids = vec[i32]([0] * (size // 4 + 16))
        self._places = vec[i32]([0] * (size // 2 + 32))
        self._count: i64 = 0
        self._ends = vec[i32]([0] * (size // 4 + 16))
        self._rules = vec[u8]([0] * (size // 4 + 16))
        self._words: i64 = 0
        self._slice_ends = vec[i32]([0] * _SLICE)
        self._slice_rules = vec[u8]([0] * _SLICE)
        self._slice_words: i64 = 0
        self._slice_word: i64 = 0
        self._pending: PendingWord | None = None

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
        names = [*self._pre_tokenizer.rules, SPECIAL_RULE, REMOVED_RULE]
        rules = self._rules[: self._words]
        for word in range(self._words):
            if i64(rules[word]) == REMOVED:
                rules[word] = u8(len(names) - 1)
        pre_tokens = PreTokens(self._ends[: self._words], rules, names)
        text = self._sections.text
        ids = self._ids[: self._count]
        places = self._places[: self._count * 2]
        if self._template is not None:
            ids, places = _wrapped(ids, places, self._template, self._size)
        if not text.aligned:
            return Encoding(ids, places, pre_tokens, text, places)
        spans = vec[i32]([0] * len(places))
        for index in range(len(ids)):
            start: i64 = i64(places[index * 2])
            stop: i64 = i64(places[index * 2 + 1])
            first = text.start_of(start)
            last = text.stop_of(stop)
            spans[index * 2] = i32(first)
            spans[index * 2 + 1] = i32(last if last > first and stop > start else first)
        return Encoding(ids, spans, pre_tokens, text, places)

    def _advance(self) -> None:
        """Takes one slice: an added token, some words, or some merges of a long word."""
        model = self._model
        trace = self._trace
        pending = self._pending
        if pending is not None:
            if pending.step(_MERGES, None):
                self._pending = None
                before = self._count
                self._count = pending.write(self._ids, before)
                self._locate(pending.start, pending.stop, before)
                self._position = pending.stop
                if self._position == i64(self._slice_ends[self._slice_word]):
                    self._slice_word += 1
                self._close_slice()
            return
        start, stop, token = self._regions[self._region]
        if token >= 0:
            self._reserve(1, 1)
            self._ids[self._count] = i32(token)
            self._places[self._count * 2] = i32(start)
            self._places[self._count * 2 + 1] = i32(stop)
            self._count += 1
            self._keep_word(stop, len(self._pre_tokenizer.rules))
            if trace is not None:
                trace.add(SPECIAL, start, stop, -1, token, -1)
            self._position = stop
            self._region += 1
            return
        if self._slice_word == self._slice_words:
            self._cut_slice(stop)
        if trace is not None:
            self._encode_traced(trace)
        elif model.adds_up:
            self._encode_words(self._slice_words)
        else:
            word = self._slice_word
            while word < self._slice_words:
                self._encode_words(word + 1)
                if self._slice_word == word:  # the model takes a rest
                    break
                word += 1
        if self._pending is None:
            self._close_slice()

    def _encode_words(self, stop: i64) -> None:
        """Encodes the words of the slice before ``stop``, or as many bytes of them as the model takes at once."""
        model = self._model
        start = self._position
        before = self._count
        rule: i64 = i64(self._slice_rules[self._slice_word])
        self._count = model.encode_words(
            self._data,
            start,
            self._slice_ends,
            self._slice_rules,
            self._slice_word,
            stop,
            self._ids,
            before,
        )
        self._slice_word = model.word
        pending = model.take_pending()
        self._pending = pending
        self._position = model.position if pending is None else pending.start
        if rule != REMOVED:
            self._locate(start, self._position, before)

    def _locate(self, start: i64, stop: i64, before: i64) -> None:
        """Notes where the ids from index ``before`` on stand, which came of ``data[start:stop]``."""
        self._model.locate(self._data, start, stop, self._ids, before, self._count, self._places)

    def _cut_slice(self, stop: i64) -> None:
        """Cuts the next words and makes room for as many ids as they have bytes."""
        ends = self._slice_ends
        words = self._pre_tokenizer.cut(self._data, self._position, stop, ends, self._slice_rules)
        self._slice_words = words
        self._slice_word = 0
        size: i64 = i64(ends[words - 1]) - self._position
        self._reserve(size * self._model.ids_per_byte, words)
        for word in range(words):
            self._keep_word(i64(ends[word]), i64(self._slice_rules[word]))

    def _encode_traced(self, trace: Trace) -> None:
        while self._slice_word < self._slice_words:
            start = self._position
            end: i64 = i64(self._slice_ends[self._slice_word])
            rule: i64 = i64(self._slice_rules[self._slice_word])
            if rule != REMOVED:
                before = self._count
                trace.add(PRE_TOKEN, start, end, rule, -1, -1)
                self._count = self._model.encode_traced(
                    self._data, start, end, self._ids, before, trace
                )
                self._locate(start, end, before)
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
        if len(self._places) < len(self._ids) * 2:
            self._places = grown(self._places, self._count * 2, len(self._ids) * 2)
        if self._words + words > len(self._ends):
            self._ends = grown(self._ends, self._words, self._words + words)
            rules = vec[u8]([0] * len(self._ends))
            for word in range(self._words):
                rules[word] = self._rules[word]
            self._rules = rules


def _wrapped(
    ids: vec[i32], places: vec[i32], template: Template, size: i64
) -> tuple[vec[i32], vec[i32]]:
    """Returns ids and places with those of a template before and after them, which stand nowhere."""
    count: i64 = len(ids)
    before: i64 = len(template.before)
    after: i64 = len(template.after)
    all_ids = vec[i32]([0] * (before + count + after))
    all_places = vec[i32]([0] * ((before + count + after) * 2))
    for index in range(before):
        all_ids[index] = i32(i64(template.before[index]))
    for index in range(count):
        all_ids[before + index] = ids[index]
        all_places[(before + index) * 2] = places[index * 2]
        all_places[(before + index) * 2 + 1] = places[index * 2 + 1]
    for index in range(after):
        at = before + count + index
        all_ids[at] = i32(i64(template.after[index]))
        all_places[at * 2] = i32(size)
        all_places[at * 2 + 1] = i32(size)
    return all_ids, all_places
