"""Stages that split a text with an older Unicode version: newer characters are unassigned.

A newer character is not a letter, mark, number, punctuation or whitespace in such a pattern. The inner stage gets a
text with a different character of the same number of bytes in its place, which no Unicode version assigns, so that
all positions stay the same. A range of a pattern that contains one contains the other: see `OlderUnicode`.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.hf_splitters import SplitterSequence, WordSplitter
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer, Splitter, SplitText
from tokenarium_core.pretokenizers.spelling_splitters import AlphabetSplitter
from tokenarium_core.unicode.codepoints import CODE_POINTS, fill, spans_in
from tokenarium_core.unicode.utf8 import code_point_at

# What stands for a newer character. Of the ranges in llama.cpp's patterns, one from U+0800 to U+4E00 and one from U+8C48
# to U+FAFF have such characters.
_BELOW_IDEOGRAPHS: Final = "\u2fe0".encode()
_IDEOGRAPHS: Final = 0x4E00
_BEHIND_IDEOGRAPHS: Final = "\uabff".encode()
_OF_FOUR_BYTES: Final = "\U0001fffe".encode()
_FOUR_BYTES: Final = 0x10000


@final
class OlderUnicode:
    """The characters that are ``newer``, as spans such as "0897 1B4E-1B4F"; none has less than three bytes."""

    def __init__(self, newer: str) -> None:
        table = bytearray(CODE_POINTS)
        fill(table, newer, 1)
        self._newer = bytes(table)
        self._begins: list[bytes] = []  # what each begins with: few texts have any of it
        for first, last in spans_in(newer):
            assert first >= 0x800
            for point in (first, last):
                begin = chr(point).encode()[: 1 if point >= _FOUR_BYTES else 2]
                if begin not in self._begins:
                    self._begins.append(begin)

    def seen(self, data: bytes) -> bytes:
        """Returns a padded text with the newer characters replaced; ``data`` itself if there are none."""
        if data.isascii():
            return data
        newer = self._newer
        positions: list[int] = []
        for begin in self._begins:
            if data.find(begin[:1]) < 0:  # far faster to find than two bytes
                continue
            position = data.find(begin)
            while position >= 0:
                if newer[code_point_at(data, position)]:
                    positions.append(position)
                position = data.find(begin, position + 1)
        if not positions:
            return data
        positions.sort()
        parts: list[bytes] = []
        copied = 0
        for position in positions:
            parts.append(data[copied:position])
            stand_in = _stand_in(code_point_at(data, position))
            parts.append(stand_in)
            copied = position + len(stand_in)
        parts.append(data[copied:])
        return b"".join(parts)


def _stand_in(point: i64) -> bytes:
    if point >= _FOUR_BYTES:
        return _OF_FOUR_BYTES
    return _BELOW_IDEOGRAPHS if point < _IDEOGRAPHS else _BEHIND_IDEOGRAPHS


@final
class OlderPreTokenizer(PreTokenizer):
    """A pre-tokenizer in an older Unicode."""

    def __init__(self, inner: PreTokenizer, older: OlderUnicode) -> None:
        super().__init__(inner.name, inner.pattern, inner.rules, inner.divides)
        self.names_on_demand = inner.names_on_demand
        self.inner = inner
        self.older = older
        self._last = (b"", b"")  # a text with newer characters, and how it is seen

    def for_text(self) -> PreTokenizer:
        """Returns a pre-tokenizer for one text; see `PreTokenizer.for_text`."""
        return OlderPreTokenizer(self.inner.for_text(), self.older)

    def divide(self, data: bytes, stop: i64) -> i64:
        """Returns a place that is a cut whatever follows; see `PreTokenizer.divide`."""
        return self.inner.divide(self.older.seen(data), stop)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        text, seen = self._last
        if text is not data:
            seen = self.older.seen(data)
            self._last = (data, seen)
        count = self.inner.cut(seen, start, stop, ends, rules)
        if count == 0 or i64(ends[count - 1]) == stop:
            self._last = (b"", b"")  # no text is held longer than it is cut
        return count


@final
class OlderSplitter(WordSplitter):
    """A splitter in an older Unicode, one that neither drops nor adds characters."""

    def __init__(self, inner: WordSplitter, older: OlderUnicode) -> None:
        super().__init__(inner.name, inner.rules, inner.reads_origin)
        self.inner = inner
        self.older = older

    def split_words(self, words: SplitText, base: i64, first: bool) -> SplitText:
        """Returns words split further; see `WordSplitter.split_words`."""
        text = words.text
        data = text.data
        text.data = self.older.seen(data)
        try:
            split = self.inner.split_words(words, base, first)
        finally:
            text.data = data
        assert split.text.size == text.size
        return SplitText(text, split.ends, split.rules)


def older_splitter(splitter: Splitter, older: OlderUnicode) -> Splitter:
    """Returns a splitter of patterns in an older Unicode; the spelling in GPT-2's alphabet behind them is as it was."""
    assert isinstance(splitter, WordSplitter)
    if isinstance(splitter, SplitterSequence) and isinstance(
        splitter.splitters[-1], AlphabetSplitter
    ):
        patterns = SplitterSequence(splitter.splitters[:-1])
        return SplitterSequence([OlderSplitter(patterns, older), splitter.splitters[-1]])
    return OlderSplitter(splitter, older)
