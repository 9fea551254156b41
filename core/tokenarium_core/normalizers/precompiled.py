"""The normalizer Precompiled of a `tokenizer.json`: SentencePiece's rules, applied grapheme by grapheme.

SentencePiece does it differently. Here a grapheme of less than six bytes becomes, as a whole, the replacement of the
*shortest* rule that it begins with: ``\\r\\n`` becomes one space, and the accent of ``ﬁ́`` is lost. All others are
replaced character by character.

Source: huggingface/tokenizers, ``normalizers/precompiled.rs``, and the crate spm_precompiled.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final, final

import regex
from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.normalizers.charsmap import Charsmap
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.unicode.codepoints import PAGE, CharacterPages, characters_from
from tokenarium_core.unicode.utf8 import character_sizes

PARTED: Final = 1
"""Between two such characters a grapheme always ends."""
CHANGED: Final = 2
"""The character begins with a rule."""
BEGINS: Final = 4
"""A rule begins with the character, or the character with a rule."""

_PARTED: Final[Any] = regex.compile(r"[\p{GCB=Other}\p{GCB=Control}\n\p{GCB=LV}\p{GCB=LVT}]+")


@final
class GraphemeKinds(CharacterPages):
    """The bits of characters for some rules."""

    def __init__(self, rules: Charsmap) -> None:
        self._rules = rules
        super().__init__()

    def page(self, first: i64) -> vec[i64]:
        """Returns the bits of some characters; see `CharacterPages.page`."""
        rules = self._rules
        kinds = vec[i64]([0] * PAGE)
        characters = characters_from(first)
        for match in _PARTED.finditer(characters, concurrent=False):
            for index in range(match.start(), match.end()):
                kinds[index] = PARTED
        for index in range(PAGE):
            spelled = characters[index].encode("utf-8", "replace")
            size: i64 = len(spelled)
            data = spelled + ZEROS
            if rules.match(data, 0, size) > 0:
                kinds[index] |= CHANGED | BEGINS
            elif rules.begins_with(data, 0, size):
                kinds[index] |= BEGINS
        return kinds


_GRAPHEME: Final[Any] = regex.compile(r"\X")
_UNASSIGNED: Final = "\u0378"
_LATER: Final[Any] = regex.compile("[\u05c8\u05c9\u0b53\u0b54\u1ade\u1adf\u1aec-\u1af0]")
"""Marks that `regex` joins with the character before them, and that the Unicode of the reference does not know."""
_VIRAMA: Final[Any] = regex.compile(
    "[\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2\u1a60\u1b44\u1bab\ua9c0\uaaf6\U00010a3f\U00011133\U000113d0"
    "\U0001193e\U00011a47\U00011a99\U00011f42]"
)
"""Marks with which `regex` joins a consonant to any character, but Unicode only to another consonant.

A grapheme of two consonants is never short, so the difference does not matter.
"""
_MARK: Final = "\u0300"  # it joins nothing with what follows
_SHORT: Final = 6  # bytes from which a grapheme is replaced character by character


@final
class Precompiled(Normalizer):
    """The rules in ``encoded`` (base64), which ``source`` names in errors.

    Raises FormatError if this is not base64, or not a whole set of rules.
    """

    def __init__(self, encoded: str, source: str) -> None:
        super().__init__("Precompiled")
        try:
            blob = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError) as error:
            raise FormatError(f"{source} is not base64: {error}.") from error
        self._rules = Charsmap(blob, source)
        self._kinds = GraphemeKinds(self._rules)

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text after the rules, with its alignment; ``text`` itself if none applies.

        The text is cut where a grapheme surely ends. Nearly all parts are one character, and few of the others begin
        like a rule: only these are treated as graphemes.
        """
        data = text.data
        size = text.size
        kinds = self._kinds
        of_ascii = kinds.of_ascii
        sizes = character_sizes
        writer = NormalizedWriter(text, "The normalizer Precompiled")
        copied: i64 = 0
        begin: i64 = 0
        at: i64 = 0
        before: i64 = 0  # the bits of the last character
        found: i64 = 0  # the bits of all characters of the part
        asked: i64 = CHANGED  # the bits for which a part needs a closer look
        while at < size:
            byte: i64 = data[at]
            kind = of_ascii[byte] if byte < 0x80 else kinds.at(data, at)
            if kind & before & PARTED != 0:
                if found & asked != 0:
                    copied = self._change(writer, copied, data, begin, at)
                begin = at
                found = 0
                asked = CHANGED
            elif at > begin:
                asked = BEGINS
            found |= kind
            before = kind
            at += i64(sizes[byte])
        if found & asked != 0:
            copied = self._change(writer, copied, data, begin, size)
        if copied == 0:
            return text
        if copied < size:
            writer.copy(copied, size)
        return writer.finish()

    def _change(
        self,
        writer: NormalizedWriter,
        copied: i64,
        data: bytes,
        begin: i64,
        stop: i64,
    ) -> i64:
        """Applies the rules to a part; returns how far the text is written."""
        byte: i64 = data[begin]
        if begin + i64(character_sizes[byte]) == stop:
            if self._find(data, begin, stop):
                copied = self._replace(writer, copied, begin, stop)
            return copied
        if not self._may_change(data, begin, stop):
            return copied
        seen = _LATER.sub(_UNASSIGNED, data[begin:stop].decode(), concurrent=False)
        seen = _VIRAMA.sub(_MARK, seen, concurrent=False)
        at = begin
        place: i64 = 0  # in characters
        while at < stop:
            last: i64 = _GRAPHEME.match(seen, place, concurrent=False).end()
            end = at
            while place < last:
                byte = data[end]
                end += i64(character_sizes[byte])
                place += 1
            if end - at < _SHORT and self._find(data, at, end):
                copied = self._replace(writer, copied, at, end)
                at = end
            while at < end:
                byte = data[at]
                behind = at + i64(character_sizes[byte])
                if self._find(data, at, behind):
                    copied = self._replace(writer, copied, at, behind)
                at = behind
        return copied

    def _may_change(self, data: bytes, at: i64, stop: i64) -> bool:
        """Returns whether any character in some bytes, with those after it, begins with a rule."""
        rules = self._rules
        while at < stop:
            if rules.match(data, at, stop) > 0:
                return True
            byte: i64 = data[at]
            at += i64(character_sizes[byte])
        return False

    def _find(self, data: bytes, start: i64, stop: i64) -> bool:
        """Finds the shortest rule that ``data[start:stop]`` begins with; false if there is none."""
        rules = self._rules
        end = start + 1
        while end <= stop:
            if rules.match(data, start, end) > 0:
                return True
            end += 1
        return False

    def _replace(self, writer: NormalizedWriter, copied: i64, start: i64, stop: i64) -> i64:
        """Writes the replacement of the rule found last for some bytes; returns their end."""
        if copied < start:
            writer.copy(copied, start)
        rules = self._rules
        writer.replace_each(start, stop, rules.replacements[rules.start : rules.stop])
        return stop
