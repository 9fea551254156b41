"""Splitters that only spell: words in GPT-2's alphabet, a character for each byte, and in bytes again."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.normalized_text import NormalizedWriter
from tokenarium_core.pretokenizers.hf_splitters import WordSplitter
from tokenarium_core.pretokenizers.splitter import SplitText
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.unicode.utf8 import code_point_at, width_of

_FIRST: Final = 0x21  # of those bytes that are themselves in the alphabet, and ASCII
_LAST: Final = 0x7E


@final
class AlphabetSplitter(WordSplitter):
    """Writes words in GPT-2's alphabet, for what looks for characters there."""

    def __init__(self) -> None:
        super().__init__("bytes in GPT-2's alphabet", ["word"])
        self._characters = [character.encode() for character in byte_alphabet.CHARACTERS]

    def split_words(self, words: SplitText, base: i64, first: bool) -> SplitText:
        """Returns the same words in that alphabet."""
        text = words.text
        data = text.data
        writer = NormalizedWriter(text, "The pre-tokenizer ByteLevel")
        ends = vec[i32]([0] * len(words.ends))
        gained: i64 = 0  # what is written is longer by so much
        at: i64 = 0
        copied: i64 = 0
        for word in range(len(ends)):
            stop: i64 = i64(words.ends[word])
            while at < stop:
                byte: i64 = data[at]
                if byte < _FIRST or byte > _LAST:
                    if copied < at:
                        writer.copy(copied, at)
                    character = self._characters[byte]
                    writer.replace(at, at + 1, character)
                    copied = at + 1
                    gained += len(character) - 1
                at += 1
            ends[word] = i32(at + gained)
        if copied < text.size:
            writer.copy(copied, text.size)
        spelled = writer.finish()
        spelled.opening = text.opening_of_bytes()
        return SplitText(spelled, ends, words.rules)


@final
class BytesSplitter(WordSplitter):
    """Writes words that are in GPT-2's alphabet as the bytes that they spell."""

    def __init__(self) -> None:
        super().__init__("bytes", ["word"])
        self._bytes = {
            ord(character): bytes([byte]) for byte, character in enumerate(byte_alphabet.CHARACTERS)
        }

    def split_words(self, words: SplitText, base: i64, first: bool) -> SplitText:
        """Returns the same words in bytes."""
        text = words.text
        data = text.data
        writer = NormalizedWriter(text)
        ends = vec[i32]([0] * len(words.ends))
        lost: i64 = 0  # what is written is shorter by so much
        at: i64 = 0
        copied: i64 = 0
        for word in range(len(ends)):
            stop: i64 = i64(words.ends[word])
            while at < stop:
                byte: i64 = data[at]
                if byte < 0x80:
                    at += 1
                    continue
                if copied < at:
                    writer.copy(copied, at)
                end = at + width_of(byte)
                writer.replace(at, end, self._bytes[code_point_at(data, at)])
                lost += end - at - 1
                at = end
                copied = end
            ends[word] = i32(at - lost)
        if copied < text.size:
            writer.copy(copied, text.size)
        return SplitText(writer.finish(), ends, words.rules)
