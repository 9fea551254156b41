"""Words whose end is a symbol of its own, as in the codes 0.1 of subword-nmt.

A word begins as its characters and ``</w>``. The end merges like any other symbol; one that is left over when nothing
merges any more is not written: it only says that the symbol before it is the last one of the word.

Source: ``encode`` in subword-nmt's ``apply_bpe.py``, for ``version == (0, 1)``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.character_symbols import CharacterSymbols, CharacterTable
from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.trace import MERGE, SYMBOL, Trace
from tokenarium_core.trace import UNKNOWN as UNKNOWN_EVENT
from tokenarium_core.unicode.utf8 import character_sizes, code_point_at
from tokenarium_core.vocabulary import Vocabulary

_SPACE: Final = 0x20
_LINE_FEED: Final = 0x0A
_RETURN: Final = 0x0D


@final
class WordEnds(Normalizer):
    """Writes a character, ``end``, after each word; words are separated by spaces and the ends of lines.

    Where the text itself has that character, ``instead`` is written, which is unknown to the model as well.
    """

    def __init__(self, end: str, instead: str) -> None:
        super().__init__("ends of words")
        self._end = end.encode()
        self._instead = instead.encode()

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the words of the text with their ends."""
        writer = NormalizedWriter(text, "The words with their ends")
        data = text.data
        size = text.size
        end = self._end
        at: i64 = 0
        while at < size:
            begin = at
            while at < size and _separates(data, at):
                at += 1
            writer.copy(begin, at)
            begin = at
            while at < size and not _separates(data, at):
                byte: i64 = data[at]
                length: i64 = i64(character_sizes[byte])
                if data[at : at + length] == end:
                    writer.copy(begin, at)
                    writer.replace(at, at + length, self._instead)
                    begin = at + length
                at += length
            writer.copy(begin, at)
            if at > 0 and not _separates(data, at - 1):
                writer.replace(at, at, end)
        return writer.finish()


def _separates(data: bytes, at: i64) -> bool:
    byte: i64 = data[at]
    return byte == _SPACE or byte == _LINE_FEED or byte == _RETURN


@final
class EndedSymbols(CharacterSymbols):
    """The characters of a word and its end, written as the character of `WordEnds`.

    ``symbols`` are the ids of characters, ``unknown`` is that of all others, and ``end`` that of the end. ``finals``
    gives, by its id, what a symbol becomes in front of an end that is left over.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        symbols: dict[str, int],
        unknown: i64,
        end: i64,
        finals: vec[i32],
    ) -> None:
        super().__init__(vocabulary)
        self._table = CharacterTable(unknown)
        for character, symbol in symbols.items():
            self._table.set(ord(character), symbol)
        self._unknown: i64 = unknown
        self._end: i64 = end
        self._finals = finals

    def known(self, data: bytes, at: i64, stop: i64) -> bool:
        """Returns true: unknown tokens are never joined."""
        return True

    def joins(self, ids: vec[i32], index: i64) -> bool:
        """Returns false: unknown tokens are never joined."""
        return False

    def misfits(self, ids: vec[i32], first: i64, last: i64) -> bool:
        """Returns true: the last piece has a written end, which the text lacks."""
        return True

    def split(self, data: bytes, start: i64, stop: i64, whole: bool, trace: Trace | None) -> i64:
        """Creates one symbol for each character, the end among them."""
        self.reserve(stop - start)
        table = self._table
        count: i64 = 0
        at = start
        while at < stop:
            byte: i64 = data[at]
            size: i64 = i64(character_sizes[byte])
            symbol = table.get(code_point_at(data, at))
            self.symbols[count] = symbol
            self.starts[count] = i32(at)
            self.stops[count] = i32(at + size)
            count += 1
            if trace is not None:
                kind: i64 = SYMBOL
                if symbol == self._unknown:
                    kind = UNKNOWN_EVENT
                trace.add(kind, at, at + size, -1, symbol, -1)
            at += size
        return count

    def write(
        self,
        data: bytes,
        symbols: vec[i64],
        starts: vec[i32],
        stops: vec[i32],
        left: i64,
        seen: dict[int, tuple[int, int]],
        after_unknown: bool,
        out: vec[i32],
        count: i64,
        spans: vec[i32],
        trace: Trace | None,
    ) -> i64:
        """Writes the symbols, which are ids; an end that is left over makes the last one final."""
        located = len(spans) > 0
        last = left
        if left > 1 and symbols[left - 1] == self._end:
            last -= 1
        for index in range(last):
            symbol = symbols[index]
            stop: i64 = i64(stops[index])
            if index + 1 < left and index == last - 1:
                final_symbol: i64 = i64(self._finals[symbol])
                if trace is not None:
                    trace.add(MERGE, i64(starts[index]), symbol, self._end, final_symbol, -1)
                symbol = final_symbol
                stop = i64(stops[left - 1])
            out[count] = i32(symbol)
            if located:
                spans[2 * count] = starts[index]
                spans[2 * count + 1] = i32(stop)
            count += 1
        return count
