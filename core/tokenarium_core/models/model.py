"""The stage that turns pre-tokens into ids: the base of BPE, Unigram, WordPiece and WordLevel."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import RoomError
from tokenarium_core.trace import Trace
from tokenarium_core.vocabulary import Vocabulary

UNLIMITED: Final = 1 << 40

_BYTES_FOR_EACH: Final = (
    50  # of memory for each byte of a region that is merged as a whole, at most
)


@final
class WordBatch:
    """Words of a text for a model: those from ``first`` to ``stop - 1``.

    Word ``first``, or the rest of it, begins at byte ``start`` of ``data`` (padded); word k ends before byte
    ``ends[k]``, and ``rules[k]`` is the rule that made it, both as written by `PreTokenizer.cut`.
    """

    def __init__(self, ends: vec[i32], rules: vec[u8]) -> None:
        self.data = b""
        self.start: i64 = 0
        self.ends = ends
        self.rules = rules
        self.first: i64 = 0
        self.stop: i64 = 0
        self.most_whole: i64 = UNLIMITED
        """The longest region, in bytes, that may become a `PendingWord`: see `check_whole`."""


def check_whole(size: i64, most: i64) -> None:
    """Raises RoomError if a region of ``size`` bytes is too long to be encoded as a whole: call it before that."""
    if size > most:
        raise RoomError(
            f"The text has {size:,} bytes in a row that this tokenizer can only merge as a whole, with no safe place"
            f" to split between them. That would need about {_BYTES_FOR_EACH * size // 1_000_000:,} MB; at most"
            f" {most:,} bytes are allowed. Split the text."
        )


class PendingWord:
    """Base of a region too long to be encoded at once: call `step` until it is done, then `write` its ids.

    The region is ``data[start:stop]``.
    """

    def __init__(self, start: i64, stop: i64) -> None:
        self.start: i64 = start
        self.stop: i64 = stop

    def step(self, budget: i64, trace: Trace | None) -> bool:
        """Makes up to about ``budget`` merges (or steps of that size); true when all are made."""
        raise NotImplementedError

    def write(self, out: vec[i32], count: i64) -> i64:
        """Writes the ids into ``out`` from index ``count`` on; returns the index after the last."""
        raise NotImplementedError


class Model:
    """Base of all models.

    ``room``: a call for one word needs room for at most this many ids in ``out``, even for a long word. If the model
    finds no position to stop at, it stops where it began, and needs one id per byte.

    ``ids_per_byte``: the most ids that one byte of a text can become: 1, except for a space that falls back to the
    three bytes of ``▁``.

    ``short``: `encode_short` takes words of up to this many bytes; 0 if it cannot.

    ``adds_up``: whether the pieces of a word's ids always make up the whole word and words are never removed,
    so that ids of many words can be located at once.

    ``divides``: a long word may be encoded in parts, whose ends come from `divide`.

    ``reads_rules``: whether the rules of the words matter; otherwise they may be missing.

    ``joins``: whether a token may consist of several words. The words of a call then have to be complete rows, see
    `whole_rows`, and they are traced together, by `encode_row_traced`.
    """

    def __init__(
        self, vocabulary: Vocabulary, adds_up: bool = False, room: i64 = UNLIMITED
    ) -> None:
        self.vocabulary = vocabulary
        self.room: i64 = room
        self.adds_up = adds_up
        self.ids_per_byte: i64 = 1
        self.divides = False
        self.reads_rules = True
        self.short: i64 = 0
        self.joins = False

    def expect(self, size: i64) -> None:
        """Prepares for a text of about ``size`` bytes; does nothing here, makes room in the caches of some models."""

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of words into ``out`` from index ``count`` on; returns the index after the last id.

        ``words.first`` and ``words.start`` are then where it stopped: after the last word (``first`` is ``stop``), or
        earlier, at a position in word ``first`` from which the caller calls again. A region in `take_pending` ends
        there, and has to be stepped and written first. Words with the rule `pretokenizer.REMOVED` give no ids. ``out``
        must have room for ``ids_per_byte`` ids per byte, or for ``room`` ids of a single word.
        """
        raise NotImplementedError

    def divide(self, data: bytes, stop: i64) -> i64:
        """Returns the last position before byte ``stop`` where a word may be divided, or 0 if there is none.

        ``data`` is the word (or what follows such a position in it), up to ``stop`` at least.
        """
        return 0

    def encode_short(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Does what `encode_words` does for one word, ``data[start:stop]``, without stopping.

        Returns the index after the last id.
        """
        raise NotImplementedError

    def take_pending(self) -> PendingWord | None:
        """Returns the region at which `encode_words` stopped, once; None if there is none."""
        return None

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events to the trace; returns the index after the last.

        It uses no caches: this is the algorithm itself, in the code that encodes words not found in a cache. If a model
        has faster code for that, in which tracing would cost time, its method says so. For every model,
        ``tests/parity/test_trace_law.py`` encodes random texts both ways.
        """
        raise NotImplementedError

    def encode_row_traced(self, words: WordBatch, out: vec[i32], count: i64, trace: Trace) -> i64:
        """Does what `encode_words` does, and adds all events, if the model ``joins`` words.

        This includes those of pre-tokens, with one pre-token for all words that become one token.
        """
        raise NotImplementedError

    def crosses(self, data: bytes, start: i64, middle: i64, stop: i64) -> bool:
        """Returns whether a token may cross the boundary at byte ``middle``, between two words of ``data`` (padded)."""
        return False

    def may_cross(self, before: i64, behind: i64) -> bool:
        """Returns whether a token may contain a boundary between two such bytes."""
        return False

    def merge_rank(self, left: i64, right: i64) -> i64:
        """Returns the rank of the merge of two neighbouring ids, the lowest is made first; -1 if there is none."""
        return -1

    def merged(self, left: i64, right: i64) -> i64:
        """Returns the id that two neighbouring ids merge into; -1 if they have no merge."""
        return -1

    def byte_symbols(self) -> list[int]:
        """Returns the ids of the 256 bytes if words start as bytes, as in byte-level BPE; otherwise empty."""
        return []

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
        """Writes the positions of the ids ``first`` to ``last - 1``, which came from the word ``data[start:stop]``.

        ``spans[2 * k]`` and ``spans[2 * k + 1]`` get the first byte of id k and the byte after it. Here each id
        has the length of its piece, which a model with unknown tokens must correct.
        """
        offsets = self.vocabulary.offsets
        at: i64 = start
        for index in range(first, last):
            token: i64 = i64(ids[index])
            spans[index * 2] = i32(at)
            at += i64(offsets[token + 1]) - i64(offsets[token])
            spans[index * 2 + 1] = i32(at)
