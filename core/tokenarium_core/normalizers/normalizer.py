"""The base of normalizers, which change a text before it is split, and sequences of them.

Here are also those that insert strings, Replace, Prepend and ByteLevel, and their space form.

Each follows its file in huggingface/tokenizers (``tokenizers/src/normalizers``).
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.normalized_text import (
    NormalizedText,
    NormalizedWriter,
    check_room,
    room_for,
    untracked,
)
from tokenarium_core.padded_text import PADDING, ZEROS, padded
from tokenarium_core.patterns.found_pattern import FoundPattern, FoundString
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.unicode.utf8 import width_of


class Normalizer:
    """Base of all normalizers: a name, and the text in its normalized form.

    ``name`` is the field's ("NFKC", "Lowercase", "Precompiled"), and may name the settings.

    ``local``: each character becomes one character, regardless of its neighbours, except possibly at the ends
    of a text. A text can then be normalized in parts.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.local = False

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the normalized text with its alignment; ``text`` itself if nothing changes."""
        raise NotImplementedError

    def normalize_text(self, text: str) -> bytes:
        """Returns the normalized form of a text, padded, without alignment, for `encode_ids`."""
        return self.normalize_plain(padded(text))

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the normalized form of a padded text, padded, without alignment.

        Returns the bytes of `normalize`; override it if there is a faster way.
        """
        normalized = self.normalize(untracked(data, len(data) - PADDING))
        return normalized.data

    def normalize_part(self, data: bytes, first: bool, last: bool) -> bytes:
        """Returns the normalized form of a part of a text, both padded, where the normalizer is ``local``.

        ``first`` and ``last`` say whether it is the first part and the last one. No part may be empty.
        """
        raise NotImplementedError


_MARK: Final = "▁".encode()


@final
class NormalizerSequence(Normalizer):
    """Normalizers one after another."""

    def __init__(self, normalizers: list[Normalizer]) -> None:
        super().__init__(" → ".join([normalizer.name for normalizer in normalizers]) or "none")
        self.normalizers = normalizers

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text after all of them."""
        for normalizer in self.normalizers:
            text = normalizer.normalize(text)
        return text

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        room = room_for(len(data) - PADDING)
        for normalizer in self.normalizers:
            if isinstance(normalizer, Replace):
                data = normalizer.replace_within(data, room)
            else:
                data = normalizer.normalize_plain(data)
                check_room(f"The normalizer {normalizer.name}", len(data) - PADDING, room)
        return data


@final
class Replace(Normalizer):
    """Replaces the matches of a pattern (`FoundString` or `FoundRegex`) with the literal ``content``, without groups.

    A regular expression may raise PatternError if it takes too long.
    """

    def __init__(self, pattern: FoundPattern, content: str) -> None:
        super().__init__("Replace")
        self.pattern = pattern
        self.content = content
        self._content = content.encode("utf-8", "replace")
        self._string = b""
        if isinstance(pattern, FoundString):
            self._string = pattern.content

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text with the replacements."""
        if text.size == 0 or (self._string and text.data.find(self._string, 0, text.size) < 0):
            return text
        matches = self.pattern.regions(text.data, 0, text.size)
        writer = NormalizedWriter(text, "The normalizer Replace")
        start: i64 = 0
        for index in range(matches.count):
            stop: i64 = i64(matches.stops[index])
            if i64(matches.found[index]):
                writer.replace_behind(start, stop, self._content)
            else:
                writer.copy(start, stop)
            start = stop
        return writer.finish()

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        return self.replace_within(data, room_for(len(data) - PADDING))

    def replace_within(self, data: bytes, room: i64) -> bytes:
        """Returns the bytes of `normalize`; RoomError if there would be more than ``room``, before they are created."""
        size: i64 = len(data) - PADDING
        if self._string:
            if data.find(self._string, 0, size) < 0:
                return data
            gain: i64 = len(self._content) - len(self._string)
            if gain > 0:
                count: i64 = data.count(self._string, 0, size)
                check_room("The normalizer Replace", size + count * gain, room)
            return data[:size].replace(self._string, self._content) + ZEROS
        text = untracked(data, size)
        text.room = room
        return self.normalize(text).data


@final
class Prepend(Normalizer):
    """Adds a string before each text that is not empty."""

    def __init__(self, prepend: str) -> None:
        super().__init__("Prepend")
        self.prepend = prepend
        self._content = prepend.encode("utf-8", "replace")

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text with the string before it.

        The reference takes the text for the very beginning if it is empty.
        """
        if text.size == 0:
            return text
        if not self._content:
            if text.leads:
                text.opening = max(text.opening, width_of(text.data[0]))
            return text
        writer = NormalizedWriter(text, "The normalizer Prepend")
        writer.replace(0, 0, self._content)
        writer.copy(0, text.size)
        return writer.finish()

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        size: i64 = len(data) - PADDING
        if size == 0:
            return data
        check_room("The normalizer Prepend", size + len(self._content), room_for(size))
        return self._content + data


@final
class SpaceMark(Normalizer):
    """The space form of Replace " " by "▁" (see `vocabulary`): a literal ``▁`` becomes a space, spaces stay."""

    def __init__(self) -> None:
        super().__init__("Replace")

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text in space form."""
        data = text.data
        at: i64 = data.find(_MARK, 0, text.size)
        if at < 0:
            return text
        writer = NormalizedWriter(text)
        start: i64 = 0
        while at >= 0:
            writer.copy(start, at)
            start = at + len(_MARK)
            writer.replace(at, start, b" ")
            at = data.find(_MARK, start, text.size)
        writer.copy(start, text.size)
        return writer.finish()

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        return data.replace(_MARK, b" ")


@final
class ByteLevelNormalizer(Normalizer):
    """Spells each byte with a character of GPT-2's alphabet.

    Omit it if nothing after it reads characters: byte-level vocabularies contain the bytes themselves.
    """

    def __init__(self) -> None:
        super().__init__("ByteLevel")
        self._characters = [character.encode() for character in byte_alphabet.CHARACTERS]

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text in the alphabet; each character is aligned to its byte."""
        if text.size == 0:
            return text
        writer = NormalizedWriter(text, "The normalizer ByteLevel")
        for at in range(text.size):
            writer.replace(at, at + 1, self._characters[i64(text.data[at])])
        return writer.finish()

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        return byte_alphabet.to_text(data[: len(data) - PADDING]).encode() + ZEROS
