"""Encoding a text in steps, so that a window stays responsive, and the result.

An `Encoding` has the ids, the bytes that each stands for, and the cuts before them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from time import perf_counter
from typing import Any, Final, final

from librt.vecs import append, extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.columns import Int32s, Int64s
from tokenarium_core.errors import ArgumentError
from tokenarium_core.guard import TURNS
from tokenarium_core.models.model import Model, PendingWord, WordBatch
from tokenarium_core.models.whole_rows import cutter_for
from tokenarium_core.normalized_text import NormalizedText
from tokenarium_core.pretokenizers.pretokenizer import REMOVED, REMOVED_RULE, PreTokens
from tokenarium_core.progress import Progress
from tokenarium_core.sections import Sections
from tokenarium_core.trace import PRE_TOKEN, SPECIAL, Trace
from tokenarium_core.vocabulary import Vocabulary

ADDED_RULE: Final = "added token"
"""The name of the rule by which an added token is a pre-token of its own."""

SPECIAL_RULE: Final = "special token"
"""The same of one that is special."""

_SHOWN: Final = 8  # tokens that `repr` shows

_SLICE: Final = 1024  # words between two looks at the clock
_MERGES: Final = 20000  # merges in a long word between two looks at the clock
_MUCH: Final = 1 << 20  # ids of one turn that a long word alone has
_KNOWN: Final = 1 << 21  # bytes after which the room that the rest of a text needs is estimated
_LONG: Final = 1 << 23  # bytes of a text for which that is worth it


@final
class Encoding:
    """The ids of a text and their places, as packed columns (numpy sees them without a copy).

    ``list(encoding)`` is the list of its ids, ``len(encoding)`` how many there are. `tokens`, `offsets` and `word_ids`
    are lists as in the library tokenizers, made when they are asked for.

    ``ids``: one int32 a token. ``spans``: two int32 a token, its first byte in the UTF-8 of the original
    text and the byte after its last. ``pre_tokens``: the cuts that were made first, with the rule of
    each, in the normalized text ``text``; ``places``: two int32 a token, where it is there. Where no
    normalizer changed anything, ``places`` are the ``spans``. `pre_token_spans` are the cuts in the original text.
    ``before`` and ``after`` are how many ids at the beginning and the end a template put around the text.

    Spans never go back, and they are those of tiktoken (``decode_with_offsets``), tokenizers (``offsets``) and
    sentencepiece (``begin``, ``end``), with these exceptions, where bytes say more:

    - A token that is a part of a character has its own bytes. The others widen the span to the whole character, as
      `offsets` does; sentencepiece leaves bytes of byte fallback empty except for the last, and tokenizers' Unigram
      gives each all unknown characters around it.
    - What was put in has no place: the span is empty for a space before the text, and for the ids of a template.
      tokenizers names the character after it, and the beginning of the text for a template. A space after the text
      is at its end, in sentencepiece before spaces that were removed there.
    - What was taken away belongs to no token; sentencepiece counts it to the one before.
    - A character that became several is in the span of each of them; sentencepiece gives it to the last.
    - Characters that together became others are in the span, all of them: ``e`` and its accent by NFC, a match of
      Replace. tokenizers has the first of them, or the last. Where Precompiled takes characters away, and where
      BPE leaves unknown ones out, its offsets slip.
    - White space belongs to the token that contains it, whatever ``trim_offsets`` says.
    - An added token that strips white space ends where the next one begins; in tokenizers they overlap.
    """

    def __init__(
        self,
        ids: Int32s,
        spans: Int32s,
        pre_tokens: PreTokens,
        text: NormalizedText,
        places: Int32s,
        cut_spans: Int32s,
        original: bytes,
        vocabulary: Vocabulary,
        before: i64 = 0,
        after: i64 = 0,
    ) -> None:
        """``original``: the padded bytes of the text that the spans count; ``vocabulary`` spells the tokens."""
        self.ids = ids
        self.spans = spans
        self.pre_tokens = pre_tokens
        self.text = text
        self.places = places
        self.original = original
        self.vocabulary = vocabulary
        self.before: i64 = before
        self.after: i64 = after
        self._cut_spans = cut_spans

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Encoding, (
            self.ids,
            self.spans,
            self.pre_tokens,
            self.text,
            self.places,
            self._cut_spans,
            self.original,
            self.vocabulary,
            self.before,
            self.after,
        )

    def __repr__(self) -> str:
        count: i64 = len(self.ids)
        shown: i64 = _SHOWN
        tokens = [repr(self.vocabulary.token(i64(self.ids[k]))) for k in range(min(count, shown))]
        if count > shown:
            tokens.append("…")
        return (
            f"<Encoding of {count:,} tokens: {' '.join(tokens)}>"
            if count
            else "<Encoding of no tokens>"
        )

    def _repr_html_(self) -> str:
        """The first tokens with their ids, as a notebook shows them; see `html_view`, which imports this module."""
        return str(import_module("tokenarium_core.html_view").encoding_html(self))

    def __iter__(self) -> Iterator[int]:
        return iter([i64(token) for token in self.ids])

    @property
    def tokens(self) -> list[str]:
        """The tokens as `Tokenizer.id_to_token` writes them: "Ġlow" for the bytes " low" in a byte-level vocabulary.

        Each use makes the list.
        """
        vocabulary = self.vocabulary
        return [vocabulary.token(i64(token)) for token in self.ids]

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """The first character of each token in the original text, and the character after its last.

        ``text[start:stop]`` are whole characters, also where a token is only a part of one, as in tokenizers: several
        tokens may have the same offsets. In all else they are the ``spans``, in characters instead of bytes. Half a
        surrogate pair is a character; a whole one in two characters counts as one. Each use makes the list.

        Raises ArgumentError for bytes that are not UTF-8.
        """
        data = self.original
        spans = self.spans
        count: i64 = len(self.ids)
        if data.isascii():
            return [(i64(spans[k * 2]), i64(spans[k * 2 + 1])) for k in range(count)]
        try:
            data.decode()
        except UnicodeDecodeError:
            raise ArgumentError(
                "These tokens are from bytes that are not UTF-8, so they have no positions in characters: use their"
                " spans, in bytes."
            ) from None
        offsets: list[tuple[int, int]] = []
        at: i64 = 0  # a byte, and the characters that begin before it
        characters: i64 = 0
        for token in range(count):
            start: i64 = i64(spans[token * 2])
            stop: i64 = i64(spans[token * 2 + 1])
            characters += _begun(data, at, start)
            inside: i64 = data[start]
            first = characters
            if inside & 0xC0 == 0x80:  # padding follows the text, so there is such a byte
                first -= 1
            characters += _begun(data, start, stop)
            offsets.append((first, characters if stop > start else first))
            at = stop
        return offsets

    @property
    def word_ids(self) -> list[int | None]:
        """Which pre-token each token is in, from 0 on, as in tokenizers; None for the ids of a template.

        A token of several pre-tokens, in models that join them, has the first one. Pre-tokens that were removed, as
        white space in BERT, do not count. Each use makes the list.
        """
        ends = self.pre_tokens.ends
        rules = self.pre_tokens.rules
        removed = self.pre_tokens.removed
        places = self.places
        before = self.before
        count: i64 = len(self.ids)
        last = count - self.after
        numbers: list[int | None] = []
        cuts: i64 = len(ends)
        at: i64 = 0  # a pre-token, and how many were removed up to it
        gone: i64 = 0
        for token in range(count):
            if token < before or token >= last or cuts == 0:
                numbers.append(None)
                continue
            place: i64 = i64(places[token * 2])
            while at + 1 < cuts and i64(ends[at]) <= place:
                if i64(rules[at]) == removed:
                    gone += 1
                at += 1
            numbers.append(at - gone)
        return numbers

    @property
    def pre_token_spans(self) -> Int32s:
        """Two int32 a pre-token: its first byte in the original text, and the byte after its last.

        They follow the rules for ``spans``: what was put in alone has an empty span, and what was removed belongs to
        none, so that there may be text between two of them. Of a text that was not changed they are made at each call.
        """
        ends = self.pre_tokens.ends
        count: i64 = len(ends)
        if len(self._cut_spans) or count == 0:
            return self._cut_spans
        spans = vec[i32]([0] * (count * 2))
        start: i32 = 0
        for word in range(count):
            spans[word * 2] = start
            start = ends[word]
            spans[word * 2 + 1] = start
        return spans

    def __len__(self) -> int:
        return len(self.ids)

    def with_ends(self, ends: Template) -> Encoding:
        """Returns the same with the ids of a template around it, whose spans are empty; see `Tokenizer.ends`."""
        text = self.text
        size: i64 = text.size
        ids = ends.around(self.ids)
        put: i64 = len(ids) - len(self.ids)
        before: i64 = len(ends.before)
        none: i64 = 0
        places = extend(vec[i32]([0] * (before * 2)), self.places)
        places = extend(places, vec[i32]([i32(size)] * ((put - before) * 2)))
        aligned = text.aligned or text.origin > none
        return Encoding(
            ids,
            original_spans(text, places, len(ids)) if aligned else places,
            self.pre_tokens,
            text,
            places,
            self._cut_spans,
            self.original,
            self.vocabulary,
            self.before + before,
            self.after + put - before,
        )

    def span(self, index: i64) -> tuple[int, int]:
        """Returns the first byte of a token and the byte after its last."""
        return i64(self.spans[index * 2]), i64(self.spans[index * 2 + 1])


@final
class Template:
    """The ids before and after a single text, and how the file writes the rule down.

    ``once``: nothing is put after a text that ends with the first id of ``after`` already, as ByT5's class does it.
    """

    def __init__(self, name: str, before: list[int], after: list[int]) -> None:
        self.name = name
        self.before = before
        self.after = after
        self.once = False

    def around(self, ids: Int32s) -> Int32s:
        """Returns these ids with those before and after them."""
        count: i64 = len(ids)
        whole = extend(vec[i32]([i32(i64(token)) for token in self.before]), ids)
        after = self.after
        if self.once and after and count > 0 and i64(ids[count - 1]) == i64(after[0]):
            return whole
        return extend(whole, vec[i32]([i32(i64(token)) for token in after]))


@final
class EncodedTexts:
    """The ``ids`` of texts one after the other, how many each has in ``lengths``, and the ``bytes`` of all as UTF-8."""

    def __init__(self, ids: Int32s, lengths: Int64s, bytes: int) -> None:
        self.ids = ids
        self.lengths = lengths
        self.bytes = bytes

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return EncodedTexts, (self.ids, self.lengths, self.bytes)


@final
class EncodeJob:
    """One text that is being encoded: call `step` until it says that it is finished."""

    def __init__(
        self,
        sections: Sections,
        model: Model,
        template: Template | None,
        trace: Trace | None,
        original: bytes,
    ) -> None:
        """``original``: the padded bytes of the text."""
        self._sections = sections
        self._pre_tokenizer = cutter_for(model, sections.pre_tokenizer)
        self._model = model
        self._template = template
        self._original = original
        self._data = sections.text.data
        self._size: i64 = sections.text.size
        self._regions = sections.regions
        self._trace = trace
        self._region: i64 = 0
        self._position: i64 = 0
        # If everything before an added token was removed, the text begins there.
        self._aligned = sections.text.aligned or sections.text.origin > 0
        self._ids = vec[i32]()
        self._places = vec[i32]()
        self._spans = vec[i32]()
        self._ends = vec[i32]()
        self._rules = vec[u8]()
        self._cut_spans = vec[i32]()  # of the pre-tokens, if they differ in the original
        self._names = [*self._pre_tokenizer.rules, ADDED_RULE, SPECIAL_RULE, REMOVED_RULE]
        self._special_ids = sections.added_tokens.special_ids
        # What one turn makes, before it joins the columns above.
        self._count: i64 = 0
        self._turn_ids = vec[i32]()
        self._turn_places = vec[i32]()
        self._words = WordBatch(vec[i32]([0] * _SLICE), vec[u8]([0] * _SLICE))
        self._words.data = sections.text.data
        self._word_count: i64 = 0  # how many are cut
        self._slice_room: i64 = 0
        self._pending: PendingWord | None = None
        self._reserves = self._size >= _LONG
        self._giant = False  # whether a word of the slice is longer than the model takes at once
        self._stuck = False  # whether the model found no place to stop at in the next word

    def refuse_longer(self, size: int) -> None:
        """Lets `step` raise RoomError where more than ``size`` bytes in a row have to be merged as a whole.

        With no safe place to cut between them, these take up to 50 bytes of memory for each. No limit by default.
        """
        self._words.most_whole = size

    def step(self, budget_ms: float) -> Progress:
        """Encodes for about ``budget_ms`` milliseconds (at least one slice) and reports the bytes done.

        Raises PatternError if a pattern of the user leaves characters out or takes too long.
        """
        stop = perf_counter() + budget_ms / 1000
        while not self.finished:
            TURNS.enter()
            try:
                self._advance()
            finally:
                TURNS.leave()
            if perf_counter() >= stop:
                break
        return Progress("encoding", self._position, self._size, self.finished)

    def whole(self) -> Encoding:
        """Takes all steps that are left, and returns `encoding`."""
        while not self.finished:
            self.step(1e9)
        return self.encoding

    @property
    def finished(self) -> bool:
        """Whether the whole text is encoded."""
        return self._region == len(self._regions)

    @property
    def encoding(self) -> Encoding:
        """The tokens so far: of the whole text once the job is finished, else of its beginning.

        Nothing is copied: existing rows never change, and the job only writes after them.
        """
        encoding = Encoding(
            self._ids,
            self._spans if self._aligned else self._places,
            PreTokens(self._ends, self._rules, self._names),
            self._sections.text,
            self._places,
            self._cut_spans,
            self._original,
            self._model.vocabulary,
        )
        return encoding if self._template is None else encoding.with_ends(self._template)

    def _advance(self) -> None:
        """Takes one turn: an added token, some words, or some merges of a long word."""
        model = self._model
        trace = self._trace
        pending = self._pending
        if pending is not None:
            if pending.step(_MERGES, None):
                self._pending = None
                self._make_room((pending.stop - pending.start) * model.ids_per_byte)
                self._count = pending.write(self._turn_ids, 0)
                self._locate(pending.start, pending.stop, 0)
                self._position = pending.stop
                if self._position == i64(self._words.ends[self._words.first]):
                    self._words.first += 1
                self._close_turn()
            return
        start, stop, token = self._regions[self._region]
        if token >= 0:
            self._make_room(1)
            self._turn_ids[0] = i32(token)
            self._turn_places[0] = i32(start)
            self._turn_places[1] = i32(stop)
            self._count = 1
            self._ends = append(self._ends, i32(stop))
            rule: i64 = len(self._names) - (2 if token in self._special_ids else 3)
            self._rules = append(self._rules, u8(rule))
            self._note_cuts(start, 1)
            if trace is not None:
                trace.add(SPECIAL, start, stop, -1, token, -1)
            self._position = stop
            self._close_turn()
            return
        if self._words.first == self._word_count:
            self._cut_slice(stop)
        if self._giant and trace is None:
            self._make_room(self._word_room())
            self._encode_words(self._words.first + 1)
            self._close_turn()
            return
        self._make_room(self._slice_room)
        if trace is not None:
            self._encode_traced(trace)
        elif model.adds_up:
            self._encode_words(self._word_count)
        else:
            word = self._words.first
            while word < self._word_count:
                self._encode_words(word + 1)
                if self._words.first == word:  # the model pauses
                    break
                word += 1
        self._close_turn()

    def _encode_words(self, stop: i64) -> None:
        """Encodes the words of the slice before ``stop``, or as many bytes of them as the model takes at once."""
        model = self._model
        start = self._position
        words = self._words
        first = words.first
        before = self._count
        rule: i64 = i64(words.rules[first])
        words.start = start
        words.stop = stop
        self._count = model.encode_words(words, self._turn_ids, before)
        pending = model.take_pending()
        self._pending = pending
        self._position = words.start if pending is None else pending.start
        if pending is None and self._position == start and words.first == first:
            # It found no place to stop at, so next time it takes the whole word.
            self._stuck = True
        else:
            self._stuck = False
        if rule != REMOVED:
            self._locate(start, self._position, before)

    def _locate(self, start: i64, stop: i64, before: i64) -> None:
        """Notes the places of this turn's ids from index ``before`` on, which came from ``data[start:stop]``."""
        self._model.locate(
            self._data, start, stop, self._turn_ids, before, self._count, self._turn_places
        )

    def _cut_slice(self, stop: i64) -> None:
        """Cuts the next words and returns how much room their ids need."""
        ends = self._words.ends
        rules = self._words.rules
        words = self._pre_tokenizer.cut(self._data, self._position, stop, ends, rules)
        while words == 0:  # a row of words is longer
            ends = vec[i32]([0] * (2 * len(ends)))
            rules = vec[u8]([0] * len(ends))
            self._words.ends = ends
            self._words.rules = rules
            words = self._pre_tokenizer.cut(self._data, self._position, stop, ends, rules)
        self._word_count = words
        self._words.first = 0
        room = self._whole_room()
        self._giant = room > self._model.room and self._trace is None
        self._slice_room = room
        self._ends = extend(self._ends, ends[:words])
        named = rules[:words]
        removed = u8(len(self._names) - 1)
        for word in range(words):
            if i64(named[word]) == REMOVED:
                named[word] = removed
        self._rules = extend(self._rules, named)
        self._note_cuts(self._position, words)

    def _note_cuts(self, start: i64, count: i64) -> None:
        """Notes the places of the last ``count`` pre-tokens in the original; the first begins at byte ``start``."""
        if not self._aligned:
            return
        places = vec[i32]([0] * (count * 2))
        first: i64 = len(self._ends) - count
        for word in range(count):
            stop: i64 = i64(self._ends[first + word])
            places[word * 2] = i32(start)
            places[word * 2 + 1] = i32(stop)
            start = stop
        self._cut_spans = extend(
            self._cut_spans, original_spans(self._sections.text, places, count)
        )

    def _word_room(self) -> i64:
        """Returns how many ids the next call for the next word alone may give."""
        end: i64 = i64(self._words.ends[self._words.first])
        room = (end - self._position) * self._model.ids_per_byte
        return room if self._stuck else min(room, self._model.room)

    def _whole_room(self) -> i64:
        """Returns how many ids the rest of the slice can become."""
        end: i64 = i64(self._words.ends[self._word_count - 1])
        return (end - self._position) * self._model.ids_per_byte

    def _encode_traced(self, trace: Trace) -> None:
        if self._model.joins:
            self._encode_row_traced(trace)
        while self._words.first < self._word_count:
            start = self._position
            end: i64 = i64(self._words.ends[self._words.first])
            rule: i64 = i64(self._words.rules[self._words.first])
            if rule != REMOVED:
                before = self._count
                trace.add(PRE_TOKEN, start, end, rule, -1, -1)
                self._count = self._model.encode_traced(
                    self._data, start, end, self._turn_ids, before, trace
                )
                self._locate(start, end, before)
            self._position = end
            self._words.first += 1

    def _encode_row_traced(self, trace: Trace) -> None:
        """Encodes the words of the slice together."""
        words = self._words
        words.start = self._position
        words.stop = self._word_count
        before = self._count
        self._count = self._model.encode_row_traced(words, self._turn_ids, before, trace)
        self._locate(self._position, words.start, before)
        self._position = words.start

    def _close_turn(self) -> None:
        """Appends the result of the turn, and continues with the next region if this one ends."""
        count = self._count
        if count > 0:
            places = self._turn_places[: count * 2]
            self._ids = extend(self._ids, self._turn_ids[:count])
            self._places = extend(self._places, places)
            if self._aligned:
                self._spans = extend(
                    self._spans, original_spans(self._sections.text, places, count)
                )
            self._count = 0
            if self._reserves and self._position >= _KNOWN:
                self._reserve()
        if self._pending is None and self._position == self._regions[self._region][1]:
            self._region += 1

    def _reserve(self) -> None:
        """Makes room for the columns of the whole text, and some more.

        Else they would grow by being copied to a larger place, and in a long text that takes some frames.
        """
        self._reserves = False
        size: i64 = self._size
        done: i64 = self._position
        ids: i64 = len(self._ids) * size // done * 5 // 4
        words: i64 = len(self._ends) * size // done * 5 // 4
        none: list[
            int
        ] = []  # given a list, the room is not filled with zeros, which would take frames too
        self._ids = extend(vec[i32](none, capacity=ids), self._ids)
        self._places = extend(vec[i32](none, capacity=ids * 2), self._places)
        self._ends = extend(vec[i32](none, capacity=words), self._ends)
        self._rules = extend(vec[u8](none, capacity=words), self._rules)
        if self._aligned:
            self._spans = extend(vec[i32](none, capacity=ids * 2), self._spans)
            self._cut_spans = extend(vec[i32](none, capacity=words * 2), self._cut_spans)

    def _make_room(self, ids: i64) -> None:
        """Makes room for the ids of a turn, and for their columns."""
        if ids > len(self._turn_ids):
            if ids < _MUCH:
                ids *= 2
            self._turn_ids = vec[i32]([0] * ids)
            self._turn_places = vec[i32]([0] * (ids * 2))


def original_spans(text: NormalizedText, places: vec[i32], count: i64) -> vec[i32]:
    """Returns the spans in the original text of ``count`` tokens with these places in the normalized one."""
    spans = vec[i32]([0] * (count * 2))
    for index in range(count):
        start: i64 = i64(places[index * 2])
        stop: i64 = i64(places[index * 2 + 1])
        first = text.start_of(start)
        last = text.stop_of(stop)
        spans[index * 2] = i32(first)
        spans[index * 2 + 1] = i32(last if last > first and stop > start else first)
    return spans


def _begun(data: bytes, start: i64, stop: i64) -> i64:
    """Returns how many characters begin in ``data[start:stop]``; less than none if ``stop`` is before ``start``."""
    found: i64 = 0
    at = min(start, stop)
    end = max(start, stop)
    while at < end:
        byte: i64 = data[at]
        if byte & 0xC0 != 0x80:
            found += 1
        at += 1
    return found if start <= stop else -found
