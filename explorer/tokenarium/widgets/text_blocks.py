"""Cuts a text into blocks that are laid out one by one, and says how each character is shown.

A block is a line of text with its newline. A line that goes on for thousands of characters is cut
into chunks as well, at places that depend only on the words around them: a keystroke then changes
one chunk, and the others keep their layout.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QTextBoundaryFinder

from tokenarium.models import sign_names
from tokenarium.models.qt_text import into_qt
from tokenarium.models.text_map import IntArray, TextMap

SHORTEST_CHUNK = 700
LONGEST_CHUNK = 1500
"""Bounds on a chunk of a long line, in bytes (only lines above twice the longest are cut)."""

NEWLINE_STAND_IN = "\u2002"
"""Laid out in place of a newline: an en space, wide enough for the sign drawn over it."""

CONTROL_STAND_IN = "\u2003"
"""Laid out in place of a control character: an em space, wide enough for its name."""

NEWLINES = {"\n": "↵", "\r": "CR", "\x85": "NEL", "\u2028": "LS", "\u2029": "PS"}

_CONTROL = {
    chr(c): sign_names.CONTROL_NAMES.get(c, f"{c:02X}")
    for c in (*range(0x20), *range(0x7F, 0xA0))
    if chr(c) not in "\t\n\r\x85"
}

CONTROL_NAMES = frozenset(_CONTROL.values())
"""The names of the characters that have no picture and are laid out as a blank."""

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


def cut_blocks(text: TextMap) -> IntArray:
    """The byte offsets between blocks, from 0 to the end: one more than there are blocks.

    An empty text has one empty block, and so has what follows a newline at the end.
    """
    data = text.bytes
    ends = data == 0x0A
    returns = np.flatnonzero(data == 0x0D)
    if len(returns):
        followed = np.append(data, 0)[returns + 1] == 0x0A
        ends[returns[~followed]] = True
    if not text.is_ascii:
        next_line = (data[:-1] == 0xC2) & (data[1:] == 0x85)
        ends[1:] |= next_line
        if len(data) > 2:
            ends[2:] |= (data[:-2] == 0xE2) & (data[1:-1] == 0x80) & ((data[2:] & 0xFE) == 0xA8)
    edges = np.concatenate(([0], np.flatnonzero(ends) + 1, [text.byte_count])).astype(np.int32)
    long = np.flatnonzero(np.diff(edges) > 2 * LONGEST_CHUNK)
    if len(long):
        cuts = [_cut_line(text, int(edges[i]), int(edges[i + 1])) for i in long]
        edges = np.sort(np.concatenate([edges, *cuts]))
    return edges


def _cut_line(text: TextMap, start: int, end: int) -> IntArray:
    """Byte offsets inside one long line, a chunk apart, at spaces where there are any.

    Of the places that would do, the one whose bytes before it hash highest is taken, so that the
    cuts after an edit fall where they fell before.
    """
    cuts = []
    at = start
    while end - at > 2 * LONGEST_CHUNK:
        # Places that would do: before a character, and after a space where there is one.
        window = text.bytes[at + SHORTEST_CHUNK - 1 : at + LONGEST_CHUNK]
        here, before = window[1:], window[:-1]
        allowed = (before == 0x20) & (here != 0x20)
        if not allowed.any():
            allowed = (here & 0xC0) != 0x80
        places = np.flatnonzero(allowed) + (at + SHORTEST_CHUNK)
        at = int(places[np.argmax(_hash_before(text.bytes, places))])
        if text.bytes[at - 1] >= 0x80 or text.bytes[at] >= 0x80:
            at = _grapheme_edge(text, start, at)
        cuts.append(at)
    return np.asarray(cuts, dtype=np.int32)


def _hash_before(
    data: npt.NDArray[np.uint8], places: npt.NDArray[np.intp]
) -> npt.NDArray[np.uint32]:
    """A hash of the six bytes before each place."""
    hashes = np.zeros(len(places), dtype=np.uint32)
    for back in range(6, 0, -1):
        hashes = (hashes ^ data[places - back]) * np.uint32(0x01000193)
    return hashes


def _grapheme_edge(text: TextMap, line: int, byte: int) -> int:
    """The last grapheme edge at or before ``byte``, looking back some dozens of characters."""
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
    """The string that is laid out for a block: the same, as long in UTF-16, with nothing unseen.

    Newlines and control characters, which have no picture of their own, become spaces wide enough
    to draw their names over. Of several spaces all but the first become no-break spaces, which a
    line end doesn't swallow: in a tokenizer's eyes each of them counts.
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

    The label is "·" for a space, "→" for a tab, "↵" for a newline, and otherwise a short name:
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


_LABELS = {" ": "·", "\t": "→", "\xa0": "NBSP", "\u202f": "NNBSP", "\u3000": "IDSP"}
_LABELS |= {chr(code): name for code, name in sign_names.FORMAT_NAMES.items()}
_LABELS |= NEWLINES | _CONTROL


def weights(text: TextMap, edges: IntArray) -> npt.NDArray[np.float64]:
    """How wide each block will be, roughly, in widths of an average Latin letter."""
    byte_counts = np.diff(edges).astype(np.float64)
    if text.is_ascii:
        return byte_counts
    units = np.diff(text.byte_to_utf16(edges)).astype(np.float64)
    return units + 0.35 * (byte_counts - units)
