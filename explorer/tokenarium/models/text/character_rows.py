"""Rows over the bytes of a text other than tokens: graphemes, characters, bytes, and the normalized text."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import pairwise

import tokenarium_core as tc
from tokenarium.models.text.alignment import Alignment
from tokenarium.models.text.byte_cells import Cell, CellMark, CellRow, Look
from tokenarium.models.text.grapheme_edges import GraphemeEdges
from tokenarium.models.text.piece import (
    NumberBase,
    byte_numbers,
    character_name,
    code_point_number,
    counted,
    readable,
)
from tokenarium.models.text.text_map import TextMap
from tokenarium_core.unicode import script_name, script_of

LONGEST = 256
"""Most bytes of a grapheme cluster that are shown: it may have any number of marks."""

SHARED_SCRIPTS = ("Zyyy", "Zinh")
"""Common and Inherited: characters that many scripts use."""


class GraphemeRow(CellRow):
    """The graphemes, which readers see as one character each. ``edges`` as in `GraphemeJob`, once found."""

    look = Look.BRACKET

    def __init__(self, text: TextMap, edges: GraphemeEdges | None) -> None:
        super().__init__(
            "Characters",
            "What readers see as one character: a grapheme cluster, which may be several code points.\n"
            "They are in the order of the text, even if it is read from right to left.",
        )
        self._text = text
        self._edges = edges

    def cells(self, start: int, end: int) -> list[Cell]:
        if start >= end:
            return []
        edges = self._edges
        if edges is None:
            first, last = self._text.characters(start, end)
            ends = self._text.grapheme_edges(first, last).tolist()
        else:
            ends = edges.between(edges.at_or_before(start), edges.at_or_after(end)).tolist()
        return [
            Cell(a, b, a, b, grapheme_label(self._text.utf8_of(a, min(b, a + LONGEST))))
            for a, b in pairwise(ends)
        ]

    def tip(self, cell: Cell) -> str:
        data = self._text.utf8_of(cell.start, min(cell.end, cell.start + LONGEST))
        points = data.decode("utf-8", "replace")
        lines = [
            f"{cell.label}: {counted(len(points), 'code point')}, {counted(len(data), 'byte')}"
        ]
        return "\n".join(
            lines + [f"{code_point_number(ord(c))} {character_name(c)}" for c in points[:12]]
        )


class CodePointRow(CellRow):
    """The numbers of the code points."""

    look = Look.MONO

    def __init__(self, text: TextMap) -> None:
        super().__init__("Code points", f"The number of each character in Unicode, in {_base()}.")
        self._text = text

    def cells(self, start: int, end: int) -> list[Cell]:
        return [
            Cell(a, b, a, b, code_point_number(code), code_point_number(code).removeprefix("U+"))
            for a, b, code in code_points(self._text, start, end)
        ]

    def tip(self, cell: Cell) -> str:
        return about_code_point(self._text, cell)


class NameRow(CellRow):
    """The names of the characters, without their scripts."""

    def __init__(self, text: TextMap) -> None:
        super().__init__(
            "Names",
            "What Unicode calls each character, without the name of its script, where there is room.",
        )
        self._text = text

    def cells(self, start: int, end: int) -> list[Cell]:
        return [
            Cell(a, b, a, b, short_name(code) if code >= 0x80 else "")
            for a, b, code in code_points(self._text, start, end)
        ]

    def tip(self, cell: Cell) -> str:
        return about_code_point(self._text, cell)


class ScriptRow(CellRow):
    """The scripts of the characters, in runs."""

    look = Look.RUN

    def __init__(self, text: TextMap) -> None:
        super().__init__(
            "Scripts", "The script of the characters; many scripts share those that are Common."
        )
        self._text = text

    def cells(self, start: int, end: int) -> list[Cell]:
        runs: list[tuple[int, int, str]] = []
        for a, b, code in code_points(self._text, start, end):
            script = script_of(code)
            if runs and runs[-1][2] == script:
                runs[-1] = (runs[-1][0], b, script)
            else:
                runs.append((a, b, script))
        return [
            Cell(
                a,
                b,
                a,
                b,
                script_name(script).replace("_", " "),
                note=script,
                mark=CellMark.FAINT if script in SHARED_SCRIPTS else CellMark.NONE,
            )
            for a, b, script in runs
        ]

    def tip(self, cell: Cell) -> str:
        return f"{cell.label} ({cell.note})"


class ByteRow(CellRow):
    """The bytes of the text's UTF-8."""

    look = Look.MONO

    def __init__(self, text: TextMap) -> None:
        super().__init__(
            "Bytes",
            f"The bytes of the text in UTF-8, in {_base()}; faint: all bytes of a character but the first.",
        )
        self._text = text

    def cells(self, start: int, end: int) -> list[Cell]:
        data = self._text.utf8
        return [
            Cell(
                at,
                at + 1,
                at,
                at + 1,
                byte_numbers(data[at : at + 1]),
                mark=CellMark.FAINT if data[at] & 0xC0 == 0x80 else CellMark.NONE,
            )
            for at in range(max(start, 0), min(end, len(data)))
        ]

    def title_at(self, start: int) -> str:
        return f"{self.title} from {start:,}"

    def tip(self, cell: Cell) -> str:
        byte = self._text.data[cell.start]
        first, last = self._text.characters(cell.start, cell.end)
        character = readable(self._text.utf8_of(first, last))
        position = f"byte {cell.start - first + 1} of {last - first} of {character}"
        return f"Byte {cell.start:,} of the text: 0x{byte:02X} = {byte} = {byte:08b}\n{position}"


def _base() -> str:
    return "decimal" if NumberBase.decimal else "hexadecimal"


def code_points(text: TextMap, start: int, end: int) -> list[tuple[int, int, int]]:
    """Returns the characters that touch some bytes: first byte, the byte after the last, code point."""
    first, last = text.characters(start, end)
    if first >= last:
        return []
    characters = []
    at = first
    for character in text.utf8_of(first, last).decode("utf-8", "surrogatepass"):
        code = ord(character)
        stop = at + (1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4)
        characters.append((at, stop, code))
        at = stop
    return characters


def about_code_point(text: TextMap, cell: Cell) -> str:
    """Returns what Unicode says about the character of a cell, and its bytes."""
    characters = code_points(text, cell.start, cell.start + 1)
    if not characters:
        return ""
    start, end, code = characters[0]
    character = chr(code)
    data = text.utf8_of(start, end)
    return (
        f"{readable(data)}  U+{code:04X} = {code} {character_name(character)}\n"
        f"Script: {script_name(script_of(code)).replace('_', ' ')} · "
        f"category {unicodedata.category(character)} · "
        f"{counted(len(data), 'byte')}: {byte_numbers(data)}"
    )


@lru_cache(maxsize=4096)
def short_name(code: int) -> str:
    """Returns a character's name without its script's: "letter ka" for DEVANAGARI LETTER KA."""
    name = character_name(chr(code))
    script = script_name(script_of(code)).replace("_", " ").upper()
    if script == "HAN":
        return ""  # these names only repeat the number
    return name.removeprefix(script + " ").lower() if name.startswith(script) else name.lower()


def grapheme_label(data: bytes) -> str:
    """Returns a grapheme cluster in visible form: a lone mark on a circle, a space as its sign."""
    text = data.decode("utf-8", "ignore")
    if len(text) > 1 and text != "\r\n":
        return text
    if (
        len(text) == 1
        and unicodedata.category(text)[0] == "M"
        and not 0xFE00 <= ord(text) <= 0xFE0F
    ):
        return "\N{DOTTED CIRCLE}" + text
    return readable(data)


REMOVED = "∅"
"""Shown where the normalizer removed a character."""


class NormalizedRow(CellRow):
    """The normalized text over the bytes that it was made of; what did not change is faint."""

    look = Look.FORM

    def __init__(
        self, name: str, tokenizer: tc.Tokenizer, encoding: tc.Encoding, text: TextMap
    ) -> None:
        super().__init__(
            "Normalized",
            f"What the model of {name} gets to see. Faint: unchanged. {REMOVED}: taken out. "
            "A small box between two bytes: put in.",
        )
        self._text = text
        self._alignment = Alignment(encoding)

    def cells(self, start: int, end: int) -> list[Cell]:
        alignment = self._alignment
        first, last = alignment.made_of(start, end)
        if end == self._text.byte_count and alignment.aligned:
            last = alignment.size
        first, last = self._whole(first, last)
        cells: list[Cell] = []
        covered = start
        for at, stop in _characters(alignment.data, first, last):
            a, b = int(alignment.text.start_of(at)), int(alignment.text.stop_of(stop))
            if a > covered:
                cells.append(self._gap(covered, a))
            if cells and a < b and cells[-1].right > a and not cells[-1].empty:
                before = cells.pop()  # several characters made of the same
                at, a = before.index, before.start
            cells.append(self._cell(a, b, at, stop))
            covered = max(covered, b)
        ends = min(end, self._text.byte_count)
        if alignment.aligned and covered < ends:
            cells.append(self._gap(covered, ends))
        return cells

    def tip(self, cell: Cell) -> str:
        original = self._text.utf8_of(cell.start, cell.end)
        before = f"{readable(original)} ({byte_numbers(original)})"
        if cell.label == REMOVED:
            return f"The normalizer takes out {before}."
        if cell.empty:
            return f"The normalizer puts {cell.label} in here."
        if not cell.mark & CellMark.CHANGED:
            return f"{before}: unchanged"
        return f"{before} becomes {cell.label} ({cell.note})"

    def _cell(self, a: int, b: int, at: int, stop: int) -> Cell:
        data = self._alignment.slice(at, stop)
        label = readable(data)
        same = data == self._text.utf8_of(a, b)
        mark = CellMark.FAINT if same else CellMark.CHANGED
        return Cell(a, b, a, b, label, note=byte_numbers(data), mark=mark, index=at)

    def _gap(self, start: int, end: int) -> Cell:
        return Cell(start, end, start, end, REMOVED, mark=CellMark.CHANGED)

    def _whole(self, first: int, last: int) -> tuple[int, int]:
        """Returns a range of normalized bytes, widened to whole characters."""
        data, size = self._alignment.data, self._alignment.size
        while first > 0 and data[first] & 0xC0 == 0x80:
            first -= 1
        while last < size and data[last] & 0xC0 == 0x80:
            last += 1
        return first, last


def _characters(data: bytes, first: int, last: int) -> list[tuple[int, int]]:
    """Returns the bytes of each character of some UTF-8."""
    heads = [at for at in range(first, last) if data[at] & 0xC0 != 0x80]
    return list(zip(heads, [*heads[1:], last][: len(heads)], strict=True))
