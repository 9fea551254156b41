"""The normalizer Precompiled of a `tokenizer.json`: SentencePiece's rules, put to use grapheme by grapheme.

That is not what SentencePiece does. A grapheme of less than six bytes becomes, as a whole, what the *shortest* rule that
it begins with says; ``\\r\\n`` becomes one space so, and the accent of ``ﬁ́`` is lost. All others go character by character.

Source: huggingface/tokenizers, ``normalizers/precompiled.rs``, and the crate spm_precompiled.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final, final

import regex
from librt.vecs import vec
from mypy_extensions import i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.normalizers.charsmap import Charsmap
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.unicode.utf8 import width_of

_GRAPHEME: Final[Any] = regex.compile(r"\X")
_UNASSIGNED: Final = "\u0378"
_LATER: Final[Any] = regex.compile("[\u05c8\u05c9\u0b53\u0b54\u1ade\u1adf\u1aec-\u1af0]")
"""Marks that `regex` joins with what stands before them, and the Unicode of the reference does not know."""
_VIRAMA: Final[Any] = regex.compile(
    "[\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2\u1a60\u1b44\u1bab\ua9c0\uaaf6\U00010a3f\U00011133\U000113d0"
    "\U0001193e\U00011a47\U00011a99\U00011f42]"
)
"""Marks with which `regex` joins a consonant to any character, and Unicode only to another consonant.

A grapheme of two consonants is never short, so it does not matter that these are not joined either.
"""
_MARK: Final = "\u0300"  # which joins nothing with what follows
_SHORT: Final = 6  # bytes from which on a grapheme is taken apart
_RETURN: Final = 13


@final
class Precompiled(Normalizer):
    """The rules in ``encoded`` (base64), which ``source`` names in errors.

    Raises FormatError for what is not base64, or no whole set of rules.
    """

    def __init__(self, encoded: str, source: str) -> None:
        super().__init__("Precompiled")
        try:
            blob = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError) as error:
            raise FormatError(f"{source} is not base64: {error}.") from error
        self._rules = Charsmap(blob, source)
        self._firsts: vec[u8] = self._rules.first_bytes()
        # ASCII that has no rule alone, and is a grapheme where more of it follows.
        self._kept = vec[u8]([0] * 256)
        for byte in range(0x80):
            if byte != _RETURN and self._rules.match(bytes([byte]) + ZEROS, 0, 1) <= 0:
                self._kept[byte] = 1

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text after the rules, with its alignment; ``text`` itself where none applies."""
        data = text.data
        size = text.size
        firsts = self._firsts
        kept = self._kept
        at: i64 = 0
        while at < size:
            here: i64 = data[at]
            behind: i64 = data[at + 1]
            if i64(firsts[here]) != 0 and (i64(kept[here]) == 0 or behind >= 0x80):
                break
            at += 1
        if at == size:
            return text
        characters = data[:size].decode()
        seen = _VIRAMA.sub(_MARK, _LATER.sub(_UNASSIGNED, characters))
        writer = NormalizedWriter(text)
        place: i64 = 0  # in characters
        copied: i64 = 0
        at = 0
        while at < size:
            byte: i64 = data[at]
            following: i64 = data[at + 1]
            if byte < 0x80 and following < 0x80 and byte != _RETURN:
                if i64(firsts[byte]) != 0 and self._find(data, at, at + 1):
                    copied = self._replace(writer, copied, at, at + 1)
                at += 1
                place += 1
                continue
            last: i64 = _GRAPHEME.match(seen, place).end()
            stop: i64 = at + len(characters[place:last].encode())
            place = last
            if stop - at < _SHORT and self._find(data, at, stop):
                copied = self._replace(writer, copied, at, stop)
                at = stop
                continue
            while at < stop:
                end: i64 = at + width_of(data[at])
                if self._find(data, at, end):
                    copied = self._replace(writer, copied, at, end)
                at = end
        if copied == 0:
            return text
        if copied < size:
            writer.copy(copied, size)
        normalized = writer.finish()
        # The reference does not note what is taken out before all else.
        normalized.begin = text.begin
        return normalized

    def _find(self, data: bytes, start: i64, stop: i64) -> bool:
        """Finds the shortest rule that ``data[start:stop]`` begins with; false where there is none."""
        rules = self._rules
        end = start + 1
        while end <= stop:
            if rules.match(data, start, end) > 0:
                return True
            end += 1
        return False

    def _replace(self, writer: NormalizedWriter, copied: i64, start: i64, stop: i64) -> i64:
        """Writes what the rule that was found last puts in place of some bytes; returns their end."""
        if copied < start:
            writer.copy(copied, start)
        rules = self._rules
        writer.replace(start, stop, rules.replacements[rules.start : rules.stop])
        return stop
