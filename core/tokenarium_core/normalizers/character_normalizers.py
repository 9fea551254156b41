"""Normalizers that put something for single characters: Lowercase, StripAccents, Nmt; and Strip.

Each follows its file in huggingface/tokenizers (``tokenizers/src/normalizers``), with the Unicode that it has there.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, ZEROS
from tokenarium_core.unicode.character_pages import PAGE, CharacterPages
from tokenarium_core.unicode.hf_codepoints_data import LOWER_CASES, MARKS
from tokenarium_core.unicode.utf8 import character_sizes, code_point_at

BLANKS: Final = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    [chr(code) for code in range(0x2000, 0x200B)]
)
"""Unicode's white space, which has fewer characters than Python's."""


def code_points(spans: str) -> list[int]:
    """Returns the code points of spans such as "0021 0024-002F"."""
    codes: list[int] = []
    for span in spans.split():
        first, _, last = span.partition("-")
        codes += range(int(first, 16), int(last or first, 16) + 1)
    return codes


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
    """Base: puts a string for each character of a table; an empty one removes it."""

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
        """Returns the text with what takes the place of its characters; see `Normalizer.normalize`."""
        data = text.data
        size = text.size
        touched = self._touched
        of_ascii = touched.of_ascii
        sizes = character_sizes
        table = self.table
        writer: NormalizedWriter | None = None
        copied: i64 = 0  # up to where the text was taken over
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
        if data.isascii():  # zero bytes included
            return data[: len(data) - PADDING].translate(self._bytes, self._removed) + ZEROS
        return super().normalize_plain(data)


def lower_cases() -> dict[int, str]:
    """Returns the lower case of every character that has one, alone: no look at a word's end, as for Σ in Python."""
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
    """Puts each character in lower case, on its own."""

    def __init__(self) -> None:
        super().__init__("Lowercase", lower_cases())


@final
class StripAccents(CharacterNormalizer):
    """Removes the marks of Unicode 8; letters with an accent of their own stay, unless NFD came before."""

    def __init__(self) -> None:
        super().__init__("StripAccents", dict.fromkeys(code_points(MARKS), ""))


_REMOVED_BY_NMT: Final = "0001-0008 000B 000E-001F 007F 008F 009F"
_SPACES_OF_NMT: Final = "0009-000A 000C-000D 1680 200B-200F 2028-2029 2581 FEFF FFFD"


@final
class Nmt(CharacterNormalizer):
    """Removes control characters, and makes spaces of blanks and of what has no width."""

    def __init__(self) -> None:
        table = dict.fromkeys(code_points(_REMOVED_BY_NMT), "")
        table.update(dict.fromkeys(code_points(_SPACES_OF_NMT), " "))
        super().__init__("Nmt", table)


@final
class Strip(Normalizer):
    """Removes the blanks before a text (``left``) and behind it (``right``)."""

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
