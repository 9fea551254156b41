"""WordLevel: a word is an entry of the vocabulary, or it is unknown.

Source: Hugging Face tokenizers, ``models/wordlevel/mod.rs`` (0.23).
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.models.model import Model
from tokenarium_core.models.piece_trie import START, PieceTrie
from tokenarium_core.pretokenizers.pretokenizer import REMOVED
from tokenarium_core.trace import PIECE, UNKNOWN, Trace
from tokenarium_core.vocabulary import Vocabulary

_SHOWN: Final = 40  # bytes of a word in a message


@final
class WordLevel(Model):
    """The model of a tokenizer with one id a word.

    ``unknown`` is the id of words that are not in the vocabulary, -1 where there is none (such a word
    then raises FormatError, as it is an error in the reference); ``left_out`` as in `PieceTrie`.
    """

    def __init__(
        self, vocabulary: Vocabulary, unknown: i64, left_out: frozenset[int] = frozenset()
    ) -> None:
        super().__init__(vocabulary)
        self.unknown: i64 = unknown
        self._trie = PieceTrie(vocabulary, left_out)

    def encode_words(
        self,
        data: bytes,
        start: i64,
        ends: vec[i32],
        rules: vec[u8],
        first: i64,
        stop: i64,
        out: vec[i32],
        count: i64,
    ) -> i64:
        """Writes the ids of some words; see `Model.encode_words`."""
        trie = self._trie
        position = start
        for word in range(first, stop):
            end: i64 = i64(ends[word])
            if i64(rules[word]) != REMOVED:
                token = trie.find(data, position, end, START)
                if token < 0:
                    token = self._unknown_of(data, position, end)
                out[count] = i32(token)
                count += 1
            position = end
        self.word = stop
        self.position = position
        return count

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the id of one word and adds its event to the trace; returns the index behind it."""
        token = self._trie.find(data, start, stop, START)
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
        """Writes where the id of one word stands; see `Model.locate`."""
        spans[first * 2] = i32(start)
        spans[first * 2 + 1] = i32(stop)

    def _unknown_of(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id of the unknown token, which a word needs; FormatError where there is none."""
        if self.unknown < 0:
            shown = data[start : min(stop, start + _SHOWN)].decode("utf-8", "replace")
            raise FormatError(
                f"The word {shown!r} at byte {start} is not in this vocabulary, which has no unknown token"
                " to stand for it. Give it one, such as [UNK]."
            )
        return self.unknown
