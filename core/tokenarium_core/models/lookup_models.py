"""The simplest models: each character, or each word, is looked up directly.

Sources: for `UnitModel`, ``src/char_model.cc``, ``src/word_model.cc`` and, for runs of unknown units,
``PopulateSentencePieceText`` in ``src/sentencepiece_processor.cc`` of google/sentencepiece; for `WordLevel`, Hugging
Face tokenizers, ``models/wordlevel/mod.rs`` (0.23).
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.model import Model, WordBatch
from tokenarium_core.models.piece_trie import START, PieceTrie
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.pretokenizers.pretokenizer import REMOVED
from tokenarium_core.trace import BYTE_FALLBACK, PIECE, UNKNOWN, Trace
from tokenarium_core.unicode.utf8 import character_sizes, code_point_at, width_of
from tokenarium_core.vocabulary import (
    BYTE,
    SPACE_MARK,
    UNUSED,
    USER_DEFINED,
    PieceArena,
    Vocabulary,
)

_BITE: Final = 65536  # bytes after which the caller may pause
_NESTED: Final = (
    64  # of user-defined pieces that are prefixes of one another, SentencePiece tries this many
)
_NOTHING: Final = -1
_SHOWN: Final = 40  # bytes of a word in a message


@final
class UnitModel(Model):
    """Looks up units: characters and user-defined pieces, or, with ``words``, whole words.

    A word begins with each space. ``unknown`` is the id of a unit that is not a piece; a run of them shares one. With
    ``byte_fallback`` their bytes have ids instead. ``matcher`` finds the user-defined pieces, with their sizes for
    numbers.
    """

    def __init__(
        self, vocabulary: Vocabulary, unknown: i64, words: bool, byte_fallback: bool
    ) -> None:
        super().__init__(vocabulary)
        self.unknown: i64 = unknown
        self.words = words
        self.byte_fallback = byte_fallback
        self._marked = vocabulary.spelling != SPACE_MARK
        self._byte_ids = vec[i32]([0] * 256)
        self._position: i64 = 0
        user_defined: list[bytes] = []
        for token in range(vocabulary.count):
            kind: i64 = i64(vocabulary.kinds[token])
            if kind == BYTE:
                byte: i64 = vocabulary.piece(token)[0]
                self._byte_ids[byte] = i32(token)
            elif kind == USER_DEFINED:
                user_defined.append(vocabulary.piece(token))
        self.matcher = PrefixMatcher(user_defined, [len(piece) for piece in user_defined], _NESTED)

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of words; see `Model.encode_words`. Stops within a word if it is long."""
        data = words.data
        position = words.start
        for word in range(words.first, words.stop):
            end: i64 = i64(words.ends[word])
            last = position + _BITE if end - position > _BITE else end
            count = self._walk(data, position, last, end, out, count, None, None)
            position = self._position
            if position < end:
                words.first = word
                words.start = position
                return count
        words.first = words.stop
        words.start = position
        return count

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events to the trace; returns the index after the last."""
        return self._walk(data, start, stop, stop, out, count, None, trace)

    def locate(
        self,
        data: bytes,
        start: i64,
        stop: i64,
        ids: vec[i32],
        first: i64,
        last: i64,
        spans: vec[i32],
    ) -> None:
        """Writes the places of the ids ``first`` to ``last - 1``; see `Model.locate`."""
        self._walk(data, start, stop, stop, ids, first, spans, None)

    def _walk(
        self,
        data: bytes,
        start: i64,
        last: i64,
        stop: i64,
        out: vec[i32],
        count: i64,
        spans: vec[i32] | None,
        trace: Trace | None,
    ) -> i64:
        """Writes the ids of the units that begin before ``last``, and of the run of unknown ones there.

        ``spans`` gets their places. Sets ``_position`` after them; returns the index after the last id.
        """
        at = start
        run: i64 = -1  # where a run of unknown units begins
        while at < stop and (at < last or run >= 0):
            end = self._unit_end(data, at, stop)
            token = self.vocabulary.find_in(data, at, end)
            if token >= 0 and i64(self.vocabulary.kinds[token]) == UNUSED:
                token = -1
            if token < 0 and not self.byte_fallback:
                if run < 0:
                    run = at
                at = end
                continue
            if run >= 0:
                self._put(UNKNOWN, run, at, self.unknown, out, count, spans, trace)
                count += 1
                run = -1
            if token < 0:
                for index in range(at, end):
                    byte: i64 = data[index]
                    token = i64(self._byte_ids[byte])
                    self._put(BYTE_FALLBACK, index, index + 1, token, out, count, spans, trace)
                    count += 1
            else:
                self._put(PIECE, at, end, token, out, count, spans, trace)
                count += 1
            at = end
        if run >= 0:
            self._put(UNKNOWN, run, at, self.unknown, out, count, spans, trace)
            count += 1
        self._position = at
        return count

    def _put(
        self,
        kind: i64,
        at: i64,
        end: i64,
        token: i64,
        out: vec[i32],
        count: i64,
        spans: vec[i32] | None,
        trace: Trace | None,
    ) -> None:
        out[count] = i32(token)
        if spans is not None:
            spans[count * 2] = i32(at)
            spans[count * 2 + 1] = i32(end)
        if trace is not None:
            scores = self.vocabulary.scores
            trace.add(kind, at, end, -1, token, -1, scores[token] if len(scores) else 0.0)

    def _unit_end(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns the byte after the unit that begins at byte ``at``."""
        byte: i64 = data[at]
        size: i64 = i64(character_sizes[byte])
        if not self.words:
            length = self.matcher.match(data, at, stop) if self.matcher.count else _NOTHING
            return at + (length if length > 0 else size)
        at += size
        while at < stop:
            byte = data[at]
            if self._marked:
                if byte == 0xE2 and data[at + 1] == 0x96 and data[at + 2] == 0x81:
                    break
            elif byte == 32:
                break
            at += i64(character_sizes[byte])
        return at


@final
class WordLevel(Model):
    """The model of a tokenizer with one id per word.

    ``unknown`` is the id of words that are not in the vocabulary, -1 if there is none (such a word
    then raises FormatError, as it is an error in the reference); ``left_out`` as in `PieceTrie`. ``code_points``: each
    character is a word, whose id is its code point, so that none is looked up.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown: i64,
        left_out: frozenset[int] = frozenset(),
        code_points: bool = False,
    ) -> None:
        super().__init__(vocabulary)
        self.unknown: i64 = unknown
        self.code_points = code_points
        entries = Vocabulary(PieceArena(0)) if code_points else vocabulary
        self._trie = PieceTrie(entries, left_out, whole=True)

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of some words; see `Model.encode_words`."""
        data = words.data
        position = words.start
        for word in range(words.first, words.stop):
            end: i64 = i64(words.ends[word])
            if i64(words.rules[word]) != REMOVED:
                token = self._token_of(data, position, end)
                if token < 0:
                    token = self._unknown_of(data, position, end)
                out[count] = i32(token)
                count += 1
            position = end
        words.first = words.stop
        words.start = position
        return count

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the id of one word and adds its event to the trace; returns the index after it."""
        token = self._token_of(data, start, stop)
        kind: i64 = PIECE
        if token < 0:
            token = self._unknown_of(data, start, stop)
            kind = UNKNOWN
        trace.add(kind, start, stop, -1, token, -1)
        out[count] = i32(token)
        return count + 1

    def locate(
        self,
        data: bytes,
        start: i64,
        stop: i64,
        ids: vec[i32],
        first: i64,
        last: i64,
        spans: vec[i32],
    ) -> None:
        """Writes the place of the id of one word; see `Model.locate`."""
        spans[first * 2] = i32(start)
        spans[first * 2 + 1] = i32(stop)

    def _token_of(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id of a word, or -1."""
        if not self.code_points:
            return self._trie.find(data, start, stop, START)
        return code_point_at(data, start) if width_of(data[start]) == stop - start else -1

    def _unknown_of(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id of the unknown token for a word; FormatError if there is none."""
        if self.unknown < 0:
            shown = data[start : min(stop, start + _SHOWN)].decode("utf-8", "replace")
            raise FormatError(
                f"The word {shown!r} at byte {start} is not in this vocabulary, which has no unknown token"
                " to stand for it. Give it one, such as [UNK]."
            )
        return self.unknown
