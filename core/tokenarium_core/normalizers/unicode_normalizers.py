"""Unicode's normal forms, NFC, NFD, NFKC and NFKD, as the reference has them: those of Unicode 9.

Python's `unicodedata` makes the forms, but only of characters that the reference knows: newer ones are left
alone, whatever Python's version knows of them. What Unicode 9 says of its characters never changes.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.normalizers.character_normalizers import character_set, code_points
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, ZEROS
from tokenarium_core.unicode.character_pages import PAGE, CharacterPages, characters_from
from tokenarium_core.unicode.hf_codepoints_data import NORMALIZED
from tokenarium_core.unicode.utf8 import character_sizes

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

FORMS: Final[list[Form]] = ["NFC", "NFD", "NFKC", "NFKD"]
"""The names of the normal forms."""

_LONG: Final = 32  # characters of a part that is not looked at more closely


@final
class UnicodeNormalizer(Normalizer):
    """Puts a text into one of the normal forms.

    The text is worked on in the smallest parts that no others touch: a character with the marks behind it, or
    one that is decomposed alone. It is parted further where both sides become the same by themselves: what a mark
    that changes its place becomes is aligned to all that it moved past, but not to the letter before.
    """

    def __init__(self, form: Form) -> None:
        super().__init__(form)
        self.form: Form = form

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text in the normal form; see `Normalizer.normalize`."""
        data = text.data[: text.size]
        if data.isascii():
            return text
        characters = data.decode()
        form = self.form
        if unicodedata.is_normalized(form, characters):  # then the older Unicode changes nothing
            return text
        writer: NormalizedWriter | None = None
        end = 0  # of what is behind us, in characters
        at: i64 = 0  # … in bytes
        copied: i64 = 0  # up to where the text was written
        for match in _pattern(form).finditer(characters):
            part = match.group()
            new = unicodedata.normalize(form, part)
            if new == part:
                continue
            first, last = match.span()
            start = at + len(characters[end:first].encode())
            at = start + len(part.encode())
            end = last
            if writer is None:
                writer = NormalizedWriter(text, f"The normalizer {self.name}")
            if copied < start:
                writer.copy(copied, start)
            for piece in _pieces(form, part):
                stop: i64 = start + len(piece.encode())
                changed = unicodedata.normalize(form, piece)
                if changed == piece:
                    writer.copy(start, stop)
                else:
                    writer.replace(start, stop, changed.encode())
                start = stop
            copied = at
        if writer is None:
            return text
        if copied < text.size:
            writer.copy(copied, text.size)
        return writer.finish()

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        if data.isascii():
            return data
        text = data[: len(data) - PADDING].decode()
        normal = unicodedata.normalize(self.form, text)
        if normal == text:
            return data
        changed = normal.encode() + ZEROS
        if _has_newer(data) or _has_newer(changed):
            changed = _pattern(self.form).sub(self._normal, text).encode() + ZEROS
        return changed

    def _normal(self, match: re.Match[str]) -> str:
        return unicodedata.normalize(self.form, match.group())


def _pieces(form: Form, part: str) -> list[str]:
    """Returns the least pieces of a part whose forms, one behind the other, are the form of all of it."""
    pieces: list[str] = []
    size = 1
    while size < len(part) <= _LONG:
        piece, rest = part[:size], part[size:]
        apart = unicodedata.normalize(form, piece) + unicodedata.normalize(form, rest)
        if apart == unicodedata.normalize(form, part):
            pieces.append(piece)
            part = rest
            size = 1
        else:
            size += 1
    return [*pieces, part]


@final
class _Newer(CharacterPages):
    """1 for the characters that Python puts into other forms, and the older Unicode does not know."""

    def __init__(self) -> None:
        self._known = frozenset(code_points(NORMALIZED))
        super().__init__()

    def page(self, first: i64) -> vec[i64]:
        """Returns 1 or 0 for some characters; see `CharacterPages.page`."""
        newer = vec[i64]([0] * PAGE)
        for index, character in enumerate(characters_from(first)):
            if unicodedata.decomposition(character) or unicodedata.combining(character):
                if ord(character) not in self._known:
                    newer[index] = 1
        return newer


_newer: list[_Newer] = []  # made when it is first needed


def _has_newer(data: bytes) -> bool:
    """Tells whether a padded text has a character that is newer than the Unicode of the reference, and not plain."""
    if not _newer:
        _newer.append(_Newer())
    newer = _newer[0]
    sizes = character_sizes
    size: i64 = len(data) - PADDING
    at: i64 = 0
    while at < size:
        byte: i64 = data[at]
        if byte >= 0x80 and newer.at(data, at) != 0:
            return True
        at += i64(sizes[byte])
    return False


_patterns: dict[str, re.Pattern[str]] = {}


def _pattern(form: Form) -> re.Pattern[str]:
    """Returns what finds the parts of a text that may not be in the form; made once.

    A part is a character that others may follow, and its followers, or one that is changed alone. Followers are
    those that are moved (marks) or taken in by what stands before them (in the composed forms).
    """
    found = _patterns.get(form)
    if found is not None:
        return found
    composed = form in ("NFC", "NFKC")
    known = code_points(NORMALIZED)
    seconds: set[str] = set()
    firsts: set[str] = set()
    if composed:
        for code in known:
            pair = unicodedata.normalize("NFD", chr(code))
            if len(pair) > 1 and unicodedata.normalize("NFC", pair) == chr(code):
                seconds.update(pair[1:])
                firsts.add(pair[0])
                firsts.add(chr(code))
                firsts.add(unicodedata.normalize("NFC", pair[:2]))
    followers: list[int] = []
    changed: list[int] = []
    for code in known:
        character = chr(code)
        normal = unicodedata.normalize(form, character)
        head = unicodedata.normalize("NFKD" if "K" in form else "NFD", character)[0]
        if unicodedata.combining(head) or head in seconds:
            followers.append(code)
        elif normal != character:
            changed.append(code)
    leaders = sorted({*changed, *[ord(first) for first in firsts]} - set(followers))
    # In the decomposed forms too: a mark behind é may have to stand before its accent.
    pattern = f"{character_set(leaders)}?{character_set(followers)}+|{character_set(changed)}"
    _patterns[form] = re.compile(pattern)
    return _patterns[form]
