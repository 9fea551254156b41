"""Pre-tokenizers that change the spelling of words.

Metaspace and ByteLevel add a space before a word, others write bytes in GPT-2's alphabet, or convert them back.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.columns import doubled
from tokenarium_core.errors import FormatError
from tokenarium_core.normalized_text import NormalizedWriter
from tokenarium_core.pretokenizers.hf_splitters import WordSplitter
from tokenarium_core.pretokenizers.pretokenizer import SplitText
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.unicode.utf8 import code_point_at, width_of

PREPEND_SCHEMES: Final = ["always", "first", "never"]
"""Before which words Metaspace puts a mark: each, the one at the start of the text, none."""

MARK: Final = "▁"

_SPACE: Final = b" "
_ROOM: Final = 1024
_WORDS: Final = 32  # bytes of a line, for which there is room at once


@final
class Metaspace(WordSplitter):
    """Replaces each space with a marker, adds one before the text, and splits before each marker.

    In ``space_form`` (see `vocabulary`) the mark is a space, and a literal mark of the text becomes one too.
    FormatError for a mark that is not one character, or an unknown scheme.

    Source: ``pre_tokenizers/metaspace.rs`` of huggingface/tokenizers.
    """

    def __init__(
        self,
        replacement: str = MARK,
        prepend_scheme: str = "always",
        split: bool = True,
        space_form: bool = True,
    ) -> None:
        if len(replacement) != 1:
            raise FormatError(
                f"The replacement of Metaspace must be one character, not {replacement!r}."
            )
        if prepend_scheme not in PREPEND_SCHEMES:
            raise FormatError(
                f"The prepend_scheme {prepend_scheme!r} of Metaspace is not one of {', '.join(PREPEND_SCHEMES)}."
            )
        super().__init__(
            "Metaspace", ["space and word" if split else "whole"], prepend_scheme == "first"
        )
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme
        self.cuts = split
        spelled = replacement.encode("utf-8", "replace")
        self._mark = _SPACE if space_form else spelled
        self._other = spelled if space_form else _SPACE  # the byte that becomes a mark

    def split_words(self, words: SplitText, base: i64, first: bool) -> SplitText:
        """Returns words with their marks."""
        text = words.text
        data = text.data
        mark = self._mark
        other = self._other
        width: i64 = len(mark)
        writer = NormalizedWriter(text, "The pre-tokenizer Metaspace")
        changed = False
        ends = vec[i32]([0] * (len(words.ends) + _WORDS))
        count: i64 = 0
        size: i64 = 0  # of what was written
        start: i64 = 0
        copied: i64 = 0  # how far the text was copied
        following: i64 = data.find(other, 0, text.size)
        marked = self._next_mark(data, 0, text.size)
        for word in range(len(words.ends)):
            stop: i64 = i64(words.ends[word])
            begin = size
            starts_marked = marked == start or following == start
            if not starts_marked and (
                self.prepend_scheme == "always"
                or (self.prepend_scheme == "first" and start < text.opening)
            ):
                if copied < start:
                    writer.copy(copied, start)
                    copied = start
                writer.replace(start, start, mark)
                size += width
                changed = True
            at = start
            while at < stop:
                if following < 0 or following > stop:
                    place: i64 = stop
                else:
                    place = following
                while marked < place:  # a mark that is there already
                    end = size + marked - at
                    if self.cuts and end > begin:
                        if count == len(ends):
                            ends = doubled(ends)
                        ends[count] = i32(end)
                        count += 1
                        begin = end
                    marked = self._next_mark(data, marked + width, text.size)
                size += place - at
                at = place
                if place < stop:
                    if self.cuts and size > begin:
                        if count == len(ends):
                            ends = doubled(ends)
                        ends[count] = i32(size)
                        count += 1
                        begin = size
                    if copied < place:
                        writer.copy(copied, place)
                    writer.replace(place, place + len(other), mark)
                    changed = True
                    size += width
                    at = place + len(other)
                    copied = at
                    following = data.find(other, at, text.size)
            if count == len(ends):
                ends = doubled(ends)
            ends[count] = i32(size)
            count += 1
            start = stop
        if changed:
            if copied < text.size:
                writer.copy(copied, text.size)
            text = writer.finish()
        return SplitText(text, ends[:count], vec[u8]([u8(base)] * count))

    def _next_mark(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns the next mark; ``stop`` if there is none."""
        mark = self._mark
        if len(mark) > 1:
            found: i64 = data.find(mark, at, stop)
            return found if found >= 0 else stop
        first: i64 = mark[0]
        while at < stop:
            byte: i64 = data[at]
            if byte == first:
                break
            at += 1
        return at


@final
class ByteLevel(WordSplitter):
    """Adds a space before each word that has none (``add_prefix_space``), and splits as GPT-2 does (``use_regex``).

    The text keeps its bytes: the reference's alphabet is only the spelling of the pieces.
    """

    def __init__(self, add_prefix_space: bool = True, use_regex: bool = True) -> None:
        self._scanner = pre_tokenizer("gpt2")
        super().__init__("ByteLevel", list(self._scanner.rules) if use_regex else ["whole"])
        self.add_prefix_space = add_prefix_space
        self.use_regex = use_regex

    def split_words(self, words: SplitText, base: i64, first: bool) -> SplitText:
        """Returns words with a space before them, cut again."""
        if self.add_prefix_space:
            words = with_spaces(words)
        if not self.use_regex:
            return words
        data = words.text.data
        ends = vec[i32]()
        rules = vec[u8]()
        room_ends = vec[i32]([0] * _ROOM)
        room_rules = vec[u8]([0] * _ROOM)
        start: i64 = 0
        for word in range(len(words.ends)):
            stop: i64 = i64(words.ends[word])
            while start < stop:
                count = self._scanner.cut(data, start, stop, room_ends, room_rules)
                for index in range(count):
                    ends = append(ends, room_ends[index])
                    rules = append(rules, u8(base + i64(room_rules[index])))
                start = i64(room_ends[count - 1])
        return SplitText(words.text, ends, rules)


def with_spaces(words: SplitText) -> SplitText:
    """Returns words that all begin with a space."""
    text = words.text
    writer = NormalizedWriter(text, "The pre-tokenizer ByteLevel")
    ends = vec[i32]([0] * len(words.ends))
    added: i64 = 0
    start: i64 = 0
    copied: i64 = 0
    for word in range(len(ends)):
        if i64(text.data[start]) != 0x20:
            if copied < start:
                writer.copy(copied, start)
                copied = start
            writer.replace(start, start, _SPACE)
            added += 1
        start = i64(words.ends[word])
        ends[word] = i32(start + added)
    if added == 0:
        return words
    writer.copy(copied, text.size)
    return SplitText(writer.finish(), ends, words.rules)


_FIRST: Final = 0x21  # of the ASCII bytes that are themselves in the alphabet
_LAST: Final = 0x7E


@final
class AlphabetSplitter(WordSplitter):
    """Writes words in GPT-2's alphabet, for stages that search characters there."""

    def __init__(self) -> None:
        super().__init__("bytes in GPT-2's alphabet", ["word"])
        self._characters = [character.encode() for character in byte_alphabet.CHARACTERS]

    def split_words(self, words: SplitText, base: i64, first: bool) -> SplitText:
        """Returns the same words in that alphabet."""
        text = words.text
        data = text.data
        writer = NormalizedWriter(text, "The pre-tokenizer ByteLevel")
        ends = vec[i32]([0] * len(words.ends))
        gained: i64 = 0  # how much longer the written text is
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
        return SplitText(writer.finish(), ends, words.rules)


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
        lost: i64 = 0  # how much shorter the written text is
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
