"""WordPiece: the longest piece that begins a word, then the longest that continues it, and so on.

A word that cannot be covered this way, or is too long, is one unknown token.

Sources: Hugging Face tokenizers, ``models/wordpiece/mod.rs`` (0.23), after ``WordpieceTokenizer`` in the
``tokenization.py`` of Google's BERT.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.model import Model, WordBatch
from tokenarium_core.models.piece_trie import INSIDE, START, PieceTrie
from tokenarium_core.models.word_cache import (
    FEW,
    HASH_SHIFT,
    ID_BITS,
    ID_MASK,
    MULTIPLIER_0,
    NUMBER_SHIFT,
    TINY,
    WordMemory,
    key_masks,
)
from tokenarium_core.pretokenizers.pretokenizer import REMOVED
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.trace import PIECE, TRY, UNKNOWN, Trace
from tokenarium_core.vocabulary import CONTINUING, NORMAL, Vocabulary, dump_vocabulary

MAX_INPUT_CHARS: Final = 100
"""BERT's own limit, in characters: longer words are unknown."""

_SHOWN: Final = 40  # bytes of a word in a message


@final
class WordPiece(Model):
    """The model of a WordPiece tokenizer.

    ``unknown`` is the id for words that cannot be covered, -1 if the vocabulary has none (such a word then raises
    FormatError, as it is an error in the reference); ``max_input_chars`` the limit in characters; ``left_out`` and
    ``mark`` as in `PieceTrie`, which ``trie`` is. ``cached``: the earlier output of `dump`, after the vocabulary. If there is an entry that consists of only the marker, it begins
    the words that no other entry begins.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown: i64,
        max_input_chars: i64 = MAX_INPUT_CHARS,
        left_out: frozenset[int] = frozenset(),
        mark: bytes = b"",
        cached: CacheReader | None = None,
    ) -> None:
        super().__init__(vocabulary)
        self.unknown: i64 = unknown
        self.max_input_chars: i64 = max_input_chars
        self.trie = PieceTrie(vocabulary, left_out, mark, cached=cached)
        self._mark: i64 = len(mark)
        if self.trie.marked >= 0:
            self.ids_per_byte = 2  # of a word of one byte
        self._memory = WordMemory()
        self._masks = key_masks()

    def dump(self, out: CacheWriter) -> None:
        """Writes the vocabulary and the trie."""
        dump_vocabulary(self.vocabulary, out, searched=False)
        self.trie.dump(out)

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of some words; see `Model.encode_words`."""
        data = words.data
        ends = words.ends
        rules = words.rules
        stop = words.stop
        masks = self._masks
        memory = self._memory
        rows = memory.tiny.rows
        places = memory.tiny.places
        mask: i64 = memory.tiny.mask
        position = words.start
        word = words.first
        last: i64 = i64(ends[stop - 1]) - FEW
        while word < stop:
            end: i64 = i64(ends[word])
            if i64(rules[word]) == REMOVED:
                position = end
                word += 1
                continue
            size = end - position
            value: i64 = -1
            if size <= TINY:
                key = (read_i64_le(data, position) & masks[24 + size]) | size << 56
                slot = key * MULTIPLIER_0 >> HASH_SHIFT & mask
                at: i64 = i64(places[slot])
                while rows[at] != key and at != 0:
                    slot = (slot + 1) & mask
                    at = i64(places[slot])
                value = rows[at + 1]
            else:
                value = memory.find(data, position, end)
            number = value >> NUMBER_SHIFT
            if number > 0 and position <= last:  # there is room for a few, however many there are
                out[count] = i32(value & ID_MASK)
                out[count + 1] = i32(value >> ID_BITS & ID_MASK)
                out[count + 2] = i32(value >> (2 * ID_BITS) & ID_MASK)
                count += number
            elif value >= 0:
                count = memory.ids.write(value, out, count)
            else:
                after = self._encode_word(data, position, end, out, count)
                memory.keep(data, position, end, out, count, after)
                count = after
                rows = memory.tiny.rows
                places = memory.tiny.places
                mask = memory.tiny.mask
            position = end
            word += 1
        words.first = word
        words.start = position
        return count

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events; see `Model.encode_traced`.

        It tries each end of a piece in turn, as in the paper, and shows that. Encoding finds the longest piece in one
        walk of the trie (`PieceTrie.longest`), which tries no ends.

        Ends beyond the longest piece are not tried.
        """
        trie = self.trie
        if self._too_long(data, start, stop):
            return self._trace_unknown(data, start, stop, out, count, trace)
        begin = start
        first = count
        root: i64 = START
        while begin < stop:
            end = stop
            if end - begin > trie.longest_piece:
                end = begin + trie.longest_piece
                while i64(data[end]) & 0xC0 == 0x80:
                    end -= 1
            token: i64 = -1
            while end > begin:
                token = trie.find(data, begin, end, root)
                trace.add(TRY, begin, end, -1, token, -1)
                if token >= 0:
                    break
                end -= 1
                while i64(data[end]) & 0xC0 == 0x80:
                    end -= 1
            if token < 0 and root == START:
                token = trie.marked  # it has no bytes here
            if token < 0:
                return self._trace_unknown(data, start, stop, out, first, trace)
            trace.add(PIECE, begin, end, -1, token, -1)
            out[count] = i32(token)
            count += 1
            begin = end
            root = INSIDE
        return count

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
        """Writes the places of the ids of one word; see `Model.locate`."""
        if last - first == 1:  # the whole word, known or not
            spans[first * 2] = i32(start)
            spans[first * 2 + 1] = i32(stop)
            return
        super().locate(data, start, stop, ids, first, last, spans)
        vocabulary = self.vocabulary
        if self._mark > 0:
            self._locate_marked(start, ids, first, last, spans)
        elif first < last and i64(vocabulary.kinds[i64(ids[first])]) == CONTINUING:
            affix: i64 = len(vocabulary.affix.encode())  # here it is in the text itself
            spans[first * 2 + 1] += i32(affix)
            for index in range(first + 1, last):
                spans[index * 2] += i32(affix)
                spans[index * 2 + 1] += i32(affix)

    def _locate_marked(
        self, start: i64, ids: vec[i32], first: i64, last: i64, spans: vec[i32]
    ) -> None:
        """Writes the places of the ids of one word with a mark before it, which has no bytes in the text."""
        vocabulary = self.vocabulary
        at = start - self._mark
        for index in range(first, last):
            token: i64 = i64(ids[index])
            size: i64 = i64(vocabulary.offsets[token + 1]) - i64(vocabulary.offsets[token])
            if i64(vocabulary.kinds[token]) == NORMAL:
                size += self._mark
            spans[index * 2] = i32(max(at, start))
            at += size
            spans[index * 2 + 1] = i32(at)

    def _trace_unknown(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        token = self._unknown_of(data, start, stop)
        trace.add(UNKNOWN, start, stop, -1, token, -1)
        out[count] = i32(token)
        return count + 1

    def _encode_word(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Encodes one word without the cache."""
        if self._too_long(data, start, stop):
            out[count] = i32(self._unknown_of(data, start, stop))
            return count + 1
        trie = self.trie
        first = count
        at = start
        root: i64 = START
        while at < stop:
            token = trie.longest(data, at, stop, root)
            if token >= 0:
                at = trie.stop
            elif root == START and trie.marked >= 0:
                token = trie.marked
            else:
                out[first] = i32(self._unknown_of(data, start, stop))
                return first + 1
            out[count] = i32(token)
            count += 1
            root = INSIDE
        return count

    def _too_long(self, data: bytes, start: i64, stop: i64) -> bool:
        """Returns whether a word has too many characters."""
        most = self.max_input_chars
        if stop - start <= most:
            return False
        characters: i64 = 0
        for at in range(start, stop):
            byte: i64 = data[at]
            if byte & 0xC0 != 0x80:
                characters += 1
                if characters > most:
                    return True
        return False

    def _unknown_of(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id of the unknown token for a word; FormatError if there is none."""
        if self.unknown < 0:
            shown = data[start : min(stop, start + _SHOWN)].decode("utf-8", "replace")
            raise FormatError(
                f"The word {shown!r} at byte {start} cannot be made of the entries of this vocabulary, which"
                " has no unknown token to stand for it. Give it one, such as [UNK]."
            )
        return self.unknown
