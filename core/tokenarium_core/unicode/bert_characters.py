"""What BERT's normalizer makes of each character, as flat tables for one choice of its options.

Each of its steps works on single characters, so all steps together have one result per character. There is one
exception: decomposing puts combining marks in their canonical order, see `BertCharacterTable.run`.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.unicode.bert_data import (
    ACCENTS,
    BLANKS,
    COMBINING,
    IDEOGRAPHS,
    LOWERED,
    REMOVED,
    STRIPPED,
)
from tokenarium_core.unicode.codepoints import CODE_POINTS, fill, spans_in
from tokenarium_core.unicode.utf8 import code_point_at, width_of

KEEP: Final = 0  # as it is
DROP: Final = 1  # removed before anything else is done
BLANK: Final = 2  # a space instead
IDEOGRAPH: Final = 3  # as it is, between two spaces
CHANGE: Final = 4  # other characters instead: `BertCharacterTable.values`
SYLLABLE: Final = 5  # Hangul, which is decomposed into its letters
ACCENT: Final = 6  # removed, once the marks are in order
MARK: Final = (
    7  # a combining mark that stays, or a character that becomes many bytes: `run` of the table
)

_MOST_PACKED: Final = 7  # bytes


@final
class BertCharacterTable:
    """The class of each code point (above), and what the characters of class CHANGE become.

    The new bytes of code point c are in ``values[pages[c >> 8] << 8 | c & 255]``, the first in the lowest
    byte, their count in the highest.
    """

    def __init__(
        self, clean_text: bool, handle_chinese_chars: bool, strip_accents: bool, lowercase: bool
    ) -> None:
        self._lowered = mapping(LOWERED) if lowercase else {}
        self._stripped = mapping(STRIPPED) if strip_accents else {}
        self._combining = combining_classes() if strip_accents else {}
        self.pages = vec[i32]([-1] * (CODE_POINTS >> 8))
        self.values = vec[i64]()
        classes = bytearray(CODE_POINTS)
        fill(classes, IDEOGRAPHS if handle_chinese_chars else "", IDEOGRAPH)
        if strip_accents:
            classes[0xAC00:0xD7A4] = bytes([SYLLABLE]) * 11172
            fill(classes, ACCENTS, ACCENT)
            for point in self._combining:
                if classes[point] != ACCENT:
                    classes[point] = MARK
        for point in self._stripped.keys() | self._lowered.keys():
            content = self.result(point)
            last = ord(self._stripped.get(point, "\0")[-1])
            if classes[point] == IDEOGRAPH:
                content = b" " + content + b" "
            if len(content) > _MOST_PACKED or last in self._combining:
                classes[point] = MARK
            else:
                classes[point] = CHANGE
                self._put(point, content)
        if clean_text:
            fill(classes, REMOVED, DROP)
            fill(classes, BLANKS, BLANK)
        self.classes: bytes = bytes(classes)
        self.ascii: bytes = self._ascii_table()

    def result(self, point: int) -> bytes:
        """Returns what decomposing, stripping and lower-casing make of one character."""
        lowered = self._lowered
        stripped = self._stripped.get(point)
        if stripped is None:
            stripped = chr(point)
        return "".join([lowered.get(ord(character), character) for character in stripped]).encode()

    def lowered(self, character: str) -> bytes:
        """Returns the result for a character that needs no decomposition: nothing for an accent."""
        if self.classes[ord(character)] == ACCENT:
            return b""
        return self._lowered.get(ord(character), character).encode()

    def value(self, point: int) -> bytes:
        """Returns the new bytes of a character of class CHANGE."""
        page: i64 = i64(self.pages[point >> 8])
        value: i64 = self.values[page << 8 | (point & 255)]
        return bytes([value >> 8 * index & 255 for index in range(value >> 56)])

    def run(self, data: bytes, at: i64, stop: i64) -> tuple[i64, bytes]:
        """Returns the end of the characters that are decomposed together, starting at a MARK, and their new bytes.

        After each base, marks with a combining class are in the order of their classes.
        """
        classes = self.classes
        combining = self._combining
        base = ""
        marks: list[tuple[int, int]] = []
        first = True
        while at < stop:
            point: int = code_point_at(data, at)
            kind = classes[point]
            if kind == MARK:
                for character in self._stripped.get(point, chr(point)):
                    order = combining.get(ord(character), 0)
                    if order > 0:
                        marks.append((order, ord(character)))
                    elif first:
                        base += character
                    else:
                        return at, self._ordered(base, marks)
            elif kind == ACCENT:
                if point not in combining:
                    break
            elif kind != DROP:
                break
            first = False
            at += width_of(data[at])
        return at, self._ordered(base, marks)

    def _ordered(self, base: str, marks: list[tuple[int, int]]) -> bytes:
        """Returns the bytes of a base and its marks; equal classes stay in their order."""
        orders = sorted({order for order, _ in marks})
        text = base + "".join(
            [chr(point) for wanted in orders for order, point in marks if order == wanted]
        )
        lowered = self._lowered
        return "".join([lowered.get(ord(character), character) for character in text]).encode()

    def _put(self, point: int, content: bytes) -> None:
        page: i64 = i64(self.pages[point >> 8])
        if page < 0:
            page = len(self.values) >> 8
            self.pages[point >> 8] = i32(page)
            larger = vec[i64]([0] * ((page + 1) << 8))
            for index in range(page << 8):
                larger[index] = self.values[index]
            self.values = larger
        self.values[page << 8 | (point & 255)] = i64(
            int.from_bytes(content, "little") | len(content) << 56
        )

    def _ascii_table(self) -> bytes:
        """Returns the ASCII table for `bytes.translate`; dropped characters, and all other bytes, stay."""
        table = bytearray(range(256))
        for point in range(128):
            if self.classes[point] == BLANK:
                table[point] = 0x20
            elif self.classes[point] == CHANGE:
                table[point] = self.value(point)[0]
        return bytes(table)


def table_of(classes: bytearray, changes: dict[int, str]) -> BertCharacterTable:
    """Returns a table with different classes, of KEEP, DROP, BLANK and IDEOGRAPH, and what characters become.

    Raises ValueError if a character becomes more than seven bytes.
    """
    table = BertCharacterTable(False, False, False, False)
    for point, becomes in changes.items():
        content = becomes.encode()
        if len(content) > _MOST_PACKED:
            raise ValueError(f"U+{point:04X} becomes {becomes!r}, which is too long")
        classes[point] = CHANGE
        table._put(point, content)
    table.classes = bytes(classes)
    table.ascii = table._ascii_table()
    return table


def mapping(listed: str) -> dict[int, str]:
    """Returns the characters of "00C0=41 0130=69.307 …" by code point."""
    replacements: dict[int, str] = {}
    for item in listed.split():
        point, _, becomes = item.partition("=")
        replacements[int(point, 16)] = "".join([chr(int(code, 16)) for code in becomes.split(".")])
    return replacements


def combining_classes() -> dict[int, int]:
    """Returns the canonical combining class of each character that has one."""
    classes: dict[int, int] = {}
    for item in COMBINING.split():
        place, _, order = item.partition("=")
        for first, last in spans_in(place):
            for point in range(first, last + 1):
                classes[point] = int(order)
    return classes
