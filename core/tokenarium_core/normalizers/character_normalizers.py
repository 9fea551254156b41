"""Normalizers that look at characters: Lowercase, StripAccents, Nmt; Strip; and Unicode's normal forms.

Each follows its file in huggingface/tokenizers (``tokenizers/src/normalizers``), with the version of Unicode used
there. The normal forms are those of Unicode 9, computed by Python's `unicodedata`, but only for characters that the
reference knows. Newer ones are left unchanged, even if Python knows them. The forms of existing characters never
change.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Final, Literal, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.errors import RoomError
from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, ZEROS
from tokenarium_core.unicode.codepoints import PAGE, CharacterPages, characters_from, spans_in
from tokenarium_core.unicode.hf_codepoints_data import LOWER_CASES, MARKS, NORMALIZED
from tokenarium_core.unicode.utf8 import character_sizes, code_point_at, width_of

MOST_MARKS: Final = 1 << 20
"""The most marks after the first character of a text that are reordered: each takes about 150 bytes in the process."""

BLANKS: Final = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    [chr(code) for code in range(0x2000, 0x200B)]
)
"""Unicode's white space, which has fewer characters than Python's."""


def code_points(spans: str) -> list[int]:
    """Returns the code points of spans such as "0021 0024-002F"."""
    return [code for first, last in spans_in(spans) for code in range(first, last + 1)]


def character_set(codes: list[int]) -> str:
    """Returns a set of `re` that matches these code points, which ascend."""
    parts: list[str] = []
    index = 0
    while index < len(codes):
        first = index
        while index + 1 < len(codes) and codes[index + 1] == codes[index] + 1:
            index += 1
        parts.append(f"\\U{codes[first]:08X}-\\U{codes[index]:08X}")
        index += 1
    return "[" + "".join(parts) + "]"


@final
class _Touched(CharacterPages):
    """1 for the characters of a set."""

    def __init__(self, codes: AbstractSet[int]) -> None:
        self._codes = codes
        super().__init__()

    def page(self, first: i64) -> vec[i64]:
        """Returns 1 or 0 for some characters; see `CharacterPages.page`."""
        touched = vec[i64]([0] * PAGE)
        for index in range(PAGE):
            if first + index in self._codes:
                touched[index] = 1
        return touched


class CharacterNormalizer(Normalizer):
    """Base: replaces each character of a table by a string; an empty one removes it."""

    def __init__(self, name: str, table: dict[int, str]) -> None:
        super().__init__(name)
        self.table = table
        self._touched = _Touched(table.keys())
        single = bytearray(range(256))
        removed = bytearray()
        for code in range(0x80):
            if table.get(code):
                single[code] = ord(table[code])
            elif code in table:
                removed.append(code)
        self._bytes = bytes(single)
        self._removed = bytes(removed)

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text with its characters replaced; see `Normalizer.normalize`."""
        data = text.data
        size = text.size
        touched = self._touched
        of_ascii = touched.of_ascii
        sizes = character_sizes
        table = self.table
        writer: NormalizedWriter | None = None
        copied: i64 = 0  # how far the text was copied
        at: i64 = 0
        while at < size:
            byte: i64 = data[at]
            end = at + i64(sizes[byte])
            found = of_ascii[byte] if byte < 0x80 else touched.at(data, at)
            if found != 0:
                if writer is None:
                    writer = NormalizedWriter(text, f"The normalizer {self.name}")
                if copied < at:
                    writer.copy(copied, at)
                put = table[code_point_at(data, at)]
                if put:
                    writer.replace(at, end, put.encode())
                copied = end
            at = end
        if writer is None:
            return text
        if copied < size:
            writer.copy(copied, size)
        return writer.finish()

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        if data.isascii():  # also of zero bytes
            return data[: len(data) - PADDING].translate(self._bytes, self._removed) + ZEROS
        return super().normalize_plain(data)


def lower_cases() -> dict[int, str]:
    """Returns the lowercase of every character that has one, individually: Python treats Σ at the end of a word specially."""
    table: dict[int, str] = {}
    for start, stop in ((0, 0x3000), (0xA600, 0xAC00), (0xFF00, 0x10000), (0x10400, 0x1EA00)):
        for code in range(start, stop):
            lower = chr(code).lower()
            if lower != chr(code):
                table[code] = lower
    for pair in LOWER_CASES.split():
        upper, _, small = pair.partition("=")
        if upper == small:
            table.pop(int(upper, 16), None)
        else:
            table[int(upper, 16)] = chr(int(small, 16))
    return table


@final
class Lowercase(CharacterNormalizer):
    """Lowercases each character individually."""

    def __init__(self) -> None:
        super().__init__("Lowercase", lower_cases())


@final
class StripAccents(CharacterNormalizer):
    """Removes the marks of Unicode 8; letters with a built-in accent stay, unless NFD ran before."""

    def __init__(self) -> None:
        super().__init__("StripAccents", dict.fromkeys(code_points(MARKS), ""))


_REMOVED_BY_NMT: Final = "0001-0008 000B 000E-001F 007F 008F 009F"
_SPACES_OF_NMT: Final = "0009-000A 000C-000D 1680 200B-200F 2028-2029 2581 FEFF FFFD"


@final
class Nmt(CharacterNormalizer):
    """Removes control characters, and turns whitespace and zero-width characters into spaces."""

    def __init__(self) -> None:
        table = dict.fromkeys(code_points(_REMOVED_BY_NMT), "")
        table.update(dict.fromkeys(code_points(_SPACES_OF_NMT), " "))
        super().__init__("Nmt", table)


@final
class Strip(Normalizer):
    """Removes the whitespace before a text (``left``) and after it (``right``)."""

    def __init__(self, left: bool = True, right: bool = True) -> None:
        super().__init__("Strip" if left and right else "Strip left" if left else "Strip right")
        self.left = left
        self.right = right

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text without them."""
        start, stop = self._inner(text.data, text.size)
        if start == 0 and stop == text.size:
            return text
        writer = NormalizedWriter(text)
        writer.copy(start, stop)
        return writer.finish()

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        size: i64 = len(data) - PADDING
        start, stop = self._inner(data, size)
        return data if start == 0 and stop == size else data[start:stop] + ZEROS

    def _inner(self, data: bytes, size: i64) -> tuple[i64, i64]:
        start: i64 = 0
        stop = size
        if size == 0:
            return start, stop
        first: i64 = data[0]
        last: i64 = data[size - 1]
        if self.left and not 0x20 < first < 0x80:
            text = data[:size].decode()
            start = size - len(text.lstrip(BLANKS).encode())
        if self.right and start < size and not 0x20 < last < 0x80:
            text = data[start:size].decode()
            stop = start + len(text.rstrip(BLANKS).encode())
        return start, stop


Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

FORMS: Final[list[Form]] = ["NFC", "NFD", "NFKC", "NFKD"]
"""The names of the normal forms."""

_LONG: Final = 32  # characters of a part that is not divided further


@final
class UnicodeNormalizer(Normalizer):
    """Puts a text into one of the normal forms.

    The text is processed in the smallest independent parts: a character with the marks after it, or one that
    is decomposed alone. A part is divided further if both sides have the same form on their own: the result
    of a mark that moves is aligned to everything that it moved past, but not to the letter before.
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
        end = 0  # of what is after us, in characters
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
        normalized = writer.finish()
        if text.opening > 0:
            normalized.opening = _opening_of(form, text)
        return normalized

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
    """Returns the smallest pieces of a part whose forms together are the form of the part."""
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
    """1 for the characters that Python changes into other forms, and that the older Unicode does not know."""

    def __init__(self) -> None:
        super().__init__()

    def page(self, first: i64) -> vec[i64]:
        """Returns 1 or 0 for some characters; see `CharacterPages.page`."""
        newer = vec[i64]([0] * PAGE)
        for index, character in enumerate(characters_from(first)):
            if unicodedata.decomposition(character) or unicodedata.combining(character):
                if character not in _known():
                    newer[index] = 1
        return newer


_newer: list[_Newer] = []  # made at the first use


def _has_newer(data: bytes) -> bool:
    """Returns whether a padded text has a changing character that is newer than the Unicode of the reference."""
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


def _opening_of(form: Form, text: NormalizedText) -> i64:
    """Returns the ``opening`` of a text's normal form."""
    data = text.data
    size = text.size
    reach = text.opening
    stop = reach
    while stop < size and chr(code_point_at(data, stop)) in followers(form):
        stop += width_of(data[stop])
    opening: i64 = 0
    first = len(data[:reach].decode())
    for character in opening_characters(form, data[:stop].decode(), first):
        opening += len(character.encode())
    return opening


def too_many_marks() -> RoomError:
    """Returns the error for marks in a row whose order takes too much room."""
    return RoomError(
        f"More than {MOST_MARKS:,} marks follow the first character of a part of the text: ordering them needs too"
        " much memory. Remove some."
    )


def opening_characters(form: Form, text: str, count: int) -> list[str]:
    """Returns which characters of a text's normal form begin where its first ``count`` ones do.

    The reference counts along: each character replaces an old one, or one and those after it that
    were combined with it, or is inserted after it. So a mark that moves replaces another.
    Raises RoomError for more than `MOST_MARKS` characters behind these.
    """
    if len(text) > count + MOST_MARKS:
        raise too_many_marks()
    opening: list[str] = []
    at = 0
    for character, change in changes_of(form, text):
        if (at if change <= 0 else at - 1) >= count:
            break
        opening.append(character)
        at += 1 - change
    return opening


@cache
def _known() -> frozenset[str]:
    return frozenset([chr(code) for code in code_points(NORMALIZED)])


def changes_of(form: Form, text: str) -> list[tuple[str, int]]:
    """Returns the characters of a normal form as the reference counts them, with how many more there are by each.

    That is 1 for one that is put in, 0 for one in place of another, -2 for one in place of three.

    Source: ``src/decompose.rs`` and ``src/recompose.rs`` of the crate unicode-normalization-alignments 0.1.12.
    """
    known = _known()
    parted: Form = "NFKD" if "K" in form else "NFD"
    changes: list[tuple[str, int]] = []
    marks: list[tuple[int, str, int]] = []
    for character in text:
        first = 0
        for one in unicodedata.normalize(parted, character) if character in known else character:
            order = unicodedata.combining(one) if one in known else 0
            if order == 0:
                changes += [mark[1:] for mark in sorted(marks, key=_order)]
                marks = []
                changes.append((one, first))
            else:
                marks.append((order, one, first))
            first = 1
    changes += [mark[1:] for mark in sorted(marks, key=_order)]
    return changes if parted == form else _combined(changes)


def _order(mark: tuple[int, str, int]) -> int:
    return mark[0]


def _combined(parts: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Returns the parts of characters recomposed; see `changes_of`."""
    known = _known()
    changes: list[tuple[str, int]] = []
    base = ("", 0)
    waiting: list[tuple[str, int]] = []  # marks behind the base that are not combined with it
    last = 0  # the order of the last one
    for one, change in parts:
        order = unicodedata.combining(one) if one in known else 0
        if not base[0]:
            if order:
                changes.append((one, change))
            else:
                base = (one, change)
            continue
        if not waiting or last < order:
            both = unicodedata.normalize("NFC", base[0] + one)
            if len(both) == 1 and both in known:
                base = (both, base[1] + change - 1)
                continue
        if order:
            waiting.append((one, change))
            last = order
        else:
            changes += [base, *waiting]
            base = (one, change)
            waiting = []
    return [*changes, base, *waiting] if base[0] else changes


@cache
def followers(form: Form) -> frozenset[str]:
    """Returns the characters that are moved, or combined with what is before them."""
    seconds = _seconds(form)[0]
    normal: Form = "NFKD" if "K" in form else "NFD"
    heads = [
        (composed, unicodedata.normalize(normal, composed)[0]) for composed in sorted(_known())
    ]
    return frozenset(
        [composed for composed, head in heads if unicodedata.combining(head) or head in seconds]
    )


@cache
def _seconds(form: Form) -> tuple[set[str], set[str]]:
    """Returns the characters that are combined with what is before them, and those that are before them."""
    seconds: set[str] = set()
    firsts: set[str] = set()
    if form in ("NFC", "NFKC"):
        for composed in sorted(_known()):
            pair = unicodedata.normalize("NFD", composed)
            if len(pair) > 1 and unicodedata.normalize("NFC", pair) == composed:
                seconds.update(pair[1:])
                firsts.update((pair[0], composed, unicodedata.normalize("NFC", pair[:2])))
    return seconds, firsts


@cache
def _pattern(form: Form) -> re.Pattern[str]:
    """Returns the pattern that finds the parts of a text that may not be in the form; created once.

    A part is a character that others may follow, and its followers, or one that is changed alone. Followers are
    characters that are moved (marks) or combined with what is before them (in the composed forms).
    """
    moved = followers(form)
    changed = [
        composed
        for composed in sorted(_known() - moved)
        if unicodedata.normalize(form, composed) != composed
    ]
    leaders = sorted({*changed, *_seconds(form)[1]} - moved)
    # In the decomposed forms too: a mark after é may have to move before its accent.
    pattern = f"{_set_of(leaders)}?{_set_of(sorted(moved))}+|{_set_of(changed)}"
    return re.compile(pattern)


def _set_of(characters: list[str]) -> str:
    return character_set([ord(character) for character in characters])
