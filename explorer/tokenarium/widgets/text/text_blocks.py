"""Divides a text into blocks that are laid out one by one, and decides how each character is shown.

A block is a line of text with its newline. A line of many thousands of characters is divided into chunks as well, at
positions that depend only on the words around them: a keystroke then changes one chunk, and the others keep their
layout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QTextBoundaryFinder

from tokenarium.models.text import piece
from tokenarium.models.text.chunked_column import ChunkedColumn
from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.text.text_file import LINE_ENDS
from tokenarium.models.text.text_map import STRETCH, IntArray, TextMap, row_of

SHORTEST_CHUNK = 700
LONGEST_CHUNK = 1500
"""The limits of a chunk of a long line, in bytes (only lines longer than twice the maximum are divided)."""

SOME_CUTS = 200
"""Cuts in long lines that are found in one step of some milliseconds."""

SOME_EDGES = 50_000
"""Blocks that are weighed in one step of some milliseconds."""

NEWLINE_STAND_IN = "\u2002"
"""Laid out instead of a newline: an en space, wide enough for the sign drawn on it."""

CONTROL_STAND_IN = "\u2003"
"""Laid out instead of a control character: an em space, wide enough for its name."""

NEWLINES = dict(zip(LINE_ENDS, ("↵", "CR", "NEL", "LS", "PS"), strict=True))

_CONTROL = {
    chr(c): piece.CONTROL_NAMES.get(c, f"{c:02X}")
    for c in (*range(0x20), *range(0x7F, 0xA0))
    if chr(c) not in "\t\n\r\x85"
}

CONTROL_NAMES = frozenset(_CONTROL.values())
"""The names of the characters that have no glyph and are laid out as a space."""

_STAND_INS = str.maketrans(
    dict.fromkeys(NEWLINES, NEWLINE_STAND_IN) | dict.fromkeys(_CONTROL, CONTROL_STAND_IN)
)
_SPACES = re.compile("(?<= ) +")
_PLAIN = re.compile(r"[!-~]*(?: [!-~]+)* ?", re.ASCII)
_INVISIBLE = re.compile(
    r"[\x00-\x20\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefe"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a text.

    ``edges``: the byte offsets between them, from 0 to the end: one more than there are blocks. ``characters``:
    the same in code points. ``weights``: how wide each will be, roughly, in widths of an average Latin letter.
    """

    edges: IntArray
    characters: IntArray
    weights: npt.NDArray[np.float64]


_known: WeakKeyDictionary[TextMap, Blocks] = WeakKeyDictionary()


def blocks_of(text: TextMap) -> Blocks:
    """Returns the blocks of a text, which are computed once for all its layouts.

    An empty text has one empty block; so does the end of a text after a newline.
    """
    if text not in _known and not _carry_over(text):
        for _ in prepare_blocks(text):
            pass
    return _known[text]


def _carry_over(text: TextMap) -> bool:
    """Finds only the blocks of the lines that an edit changed; returns whether the others are known."""
    older = text.parent() if text.parent is not None else None
    known = _known.get(older) if older is not None else None
    edit = text.edit_since(older) if older is not None else None
    if older is None or known is None or edit is None:
        return False
    start, stop = edit
    edges, grown = known.edges, text.byte_count - older.byte_count
    # From the line before the edit on: a line end may change.
    first = row_of(edges, start) - 1
    while first > 0 and not _after_newline(older, int(edges[first])):
        first -= 1
    first = max(first, 0)
    last = row_of(edges, stop + 1, "right")
    while last < len(edges) - 1 and not _after_newline(older, int(edges[last])):
        last += 1
    last = min(last, len(edges) - 1)
    at, end = int(edges[first]), int(edges[last]) + grown
    inner = [np.concatenate(([at], _line_ends(text, at, end), [end])).astype(np.int32)]
    if last < len(edges) - 1:
        inner[0] = np.unique(inner[0])  # only the end of the text may occur twice
    for line in np.flatnonzero(np.diff(inner[0]) > 2 * LONGEST_CHUNK):
        cuts = _cuts_in_line(text, int(inner[0][line]), int(inner[0][line + 1]))
        inner.append(np.fromiter(cuts, dtype=np.int32))
    middle = np.sort(np.concatenate(inner))
    letters = text.byte_to_char(middle)
    moved = letters[-1] - known.characters[last]
    _known[text] = Blocks(
        np.concatenate((edges[:first], middle, edges[last + 1 :] + np.int32(grown))),
        np.concatenate((known.characters[:first], letters, known.characters[last + 1 :] + moved)),
        np.concatenate((known.weights[:first], _weights(text, middle), known.weights[last:])),
    )
    return True


def _after_newline(text: TextMap, byte: int) -> bool:
    return byte > 0 and text.data[byte - 1] == 0x0A


def prepare_blocks(
    text: TextMap, refuse: Callable[[int], object] = lambda lines: None
) -> Iterator[float]:
    """Finds the blocks of a text step by step, for `blocks_of`; yields the progress, up to 1.

    ``refuse`` gets the number of lines so far, while they are counted, and may raise an error.
    """
    size = max(text.byte_count, 1)
    edge_arrays = [np.zeros(1, dtype=np.int64)]
    lines = 1
    for at in range(0, text.byte_count, STRETCH):
        edge_arrays.append(_line_ends(text, at, min(at + STRETCH, text.byte_count)))
        lines += len(edge_arrays[-1])
        refuse(lines)
        yield 0.3 * at / size
    edges = np.concatenate([*edge_arrays, [text.byte_count]]).astype(np.int32)
    cuts: list[int] = []
    for line in np.flatnonzero(np.diff(edges) > 2 * LONGEST_CHUNK):
        for cut in _cuts_in_line(text, int(edges[line]), int(edges[line + 1])):
            cuts.append(cut)
            if len(cuts) % SOME_CUTS == 0:
                yield 0.3 + 0.4 * cut / size
    if cuts:
        edges = np.sort(np.concatenate([edges, np.asarray(cuts, dtype=np.int32)]))
    characters = np.empty_like(edges)
    weights = np.empty(len(edges) - 1, dtype=np.float64)
    for at in range(0, len(edges), SOME_EDGES):
        some = edges[at : at + SOME_EDGES + 1]
        characters[at : at + SOME_EDGES + 1] = text.byte_to_char(some)
        weights[at : at + SOME_EDGES] = _weights(text, some)
        yield 0.7 + 0.3 * at / len(edges)
    _known[text] = Blocks(edges, characters, weights)


def _line_ends(text: TextMap, first: int, last: int) -> npt.NDArray[np.int64]:
    """The bytes after the ends of lines in ``first`` … ``last``."""
    # With the two bytes before them and the one after: a line end has up to three.
    window = np.zeros(last - first + 3, dtype=np.uint8)
    low, high = max(first - 2, 0), min(last + 1, text.byte_count)
    window[low - first + 2 : high - first + 2] = text.data[low:high]
    data, before, two_before = window[2:-1], window[1:-2], window[:-3]
    ends = data == 0x0A
    if text.occurring[0x0D]:
        ends |= (data == 0x0D) & (window[3:] != 0x0A)
    if text.occurring[0xC2]:
        ends |= (before == 0xC2) & (data == 0x85)
    if text.occurring[0xE2]:
        ends |= (two_before == 0xE2) & (before == 0x80) & ((data & 0xFE) == 0xA8)
    return np.flatnonzero(ends) + (first + 1)


def _cuts_in_line(text: TextMap, start: int, end: int) -> Iterator[int]:
    """Byte offsets inside one long line, a chunk apart, at spaces if there are any.

    Of the possible offsets, it chooses the one with the highest hash of the bytes before it, so that the cuts after an
    edit stay the same.
    """
    at = start
    while end - at > 2 * LONGEST_CHUNK:
        # Possible offsets: before a character, and after a space if there is one.
        window = text.data[at + SHORTEST_CHUNK - 1 : at + LONGEST_CHUNK]
        here, before = window[1:], window[:-1]
        allowed = (before == 0x20) & (here != 0x20)
        if not allowed.any():
            allowed = (here & 0xC0) != 0x80
        places = np.flatnonzero(allowed) + (at + SHORTEST_CHUNK)
        at = int(places[np.argmax(_hash_before(text.data, places))])
        if text.data[at - 1] >= 0x80 or text.data[at] >= 0x80:
            at = _grapheme_edge(text, start, at)
        yield at


def _hash_before(data: ChunkedColumn, places: npt.NDArray[np.intp]) -> npt.NDArray[np.uint32]:
    """A hash of the six bytes before each offset."""
    hashes = np.zeros(len(places), dtype=np.uint32)
    for back in range(6, 0, -1):
        hashes = (hashes ^ data.take(places - back)) * np.uint32(0x01000193)
    return hashes


def _grapheme_edge(text: TextMap, line: int, byte: int) -> int:
    """The last grapheme edge at or before ``byte``, looking back a few dozen characters."""
    start = text.characters(max(line, byte - 160), byte)[0]
    stop = text.characters(byte, min(byte + 16, text.byte_count))[1]
    piece = TextMap(text.slice(start, stop))
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, into_qt(piece.text))
    finder.setPosition(int(piece.byte_to_utf16(byte - start)))
    if finder.isAtBoundary():
        return byte
    before = finder.toPreviousBoundary()
    return start + int(piece.utf16_to_byte(before)) if before > 0 else byte


def display_string(block: str) -> str:
    """The string that is laid out for a block: equally long in UTF-16, with no invisible characters.

    Newlines and control characters, which have no glyph, become spaces wide enough to draw their names over. In a
    series of spaces, all but the first become no-break spaces, which a line end does not swallow, since each of them
    matters to a tokenizer.
    """
    if _PLAIN.fullmatch(block):
        return block
    shown = block.translate(_STAND_INS)
    return _SPACES.sub(lambda run: "\u00a0" * len(run[0]), shown)


def has_right_to_left(block: str) -> bool:
    """Whether a block may have right-to-left runs."""
    return not block.isascii() and _RIGHT_TO_LEFT.search(block) is not None


def invisible_characters(block: str) -> list[tuple[int, str]]:
    """The characters of ``block`` that draw nothing, as (code point position, label).

    The label is "␣" for a space, "→" for a tab, "↵" for a newline, and otherwise a short name:
    "NBSP", "ZWJ", "U+2003".
    """
    return [(m.start(), _label(m[0])) for m in _INVISIBLE.finditer(block)]


def _label(character: str) -> str:
    fixed = _LABELS.get(character)
    if fixed is not None:
        return fixed
    code = ord(character)
    if 0xFE00 <= code <= 0xFE0F:
        return f"VS{code - 0xFE00 + 1}"
    if 0xE0100 <= code <= 0xE01EF:
        return f"VS{code - 0xE0100 + 17}"
    if 0xE0020 <= code <= 0xE007E:
        return f"tag {chr(code - 0xE0000)}"
    return f"{code:04X}"


_LABELS = {" ": piece.SPACE, "\t": "→", "\xa0": "NBSP", "\u202f": "NNBSP", "\u3000": "IDSP"}
_LABELS |= {chr(code): name for code, name in piece.FORMAT_NAMES.items()}
_LABELS |= NEWLINES | _CONTROL


def _weights(text: TextMap, edges: IntArray) -> npt.NDArray[np.float64]:
    byte_counts = np.diff(edges).astype(np.float64)
    if text.is_ascii:
        return byte_counts
    units = np.diff(text.byte_to_utf16(edges)).astype(np.float64)
    return units + 0.35 * (byte_counts - units)
