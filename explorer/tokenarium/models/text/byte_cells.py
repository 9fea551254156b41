"""What a row over the bytes of a text is made of: cells, each over some of the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class CellMark:
    """What makes a cell stand out: bits, as plain numbers, since thousands are looked at for a picture."""

    NONE = 0
    TORN_START = 1  # begins inside a character
    TORN_END = 2  # ends inside a character
    SPLIT_START = 4  # begins inside a grapheme cluster, at a character
    SPLIT_END = 8
    FALLBACK = 16  # a byte that stands for a character which the vocabulary lacks
    FAINT = 32  # nothing to look at: unchanged, or the same again
    CHANGED = 64
    SPECIAL = 128
    SUPERWORD = 256  # one piece of several words
    TORN = TORN_START | TORN_END
    SPLIT = SPLIT_START | SPLIT_END


class Look(Enum):
    """How the cells of a row are drawn."""

    BRACKET = "bracket"
    PLAIN = "plain"
    MONO = "mono"
    RUN = "run"
    FORM = "form"
    TOKEN = "token"


@dataclass(frozen=True, slots=True)
class Cell:
    """One thing in a row, which stands for the bytes ``start`` to ``end`` of the text.

    It is drawn from ``left`` to ``right``, in bytes: where things share a character, each has a fraction
    of it; where both are equal, it stands between two bytes. ``mark``: bits of `CellMark`. ``short`` serves where the label has no room.
    """

    left: float
    right: float
    start: int
    end: int
    label: str
    short: str = ""
    note: str = ""
    colour: int = -1
    mark: int = CellMark.NONE
    index: int = -1

    @property
    def empty(self) -> bool:
        """Whether it stands between two bytes."""
        return self.left == self.right


class CellRow:
    """Base of all rows: a title, a look, and cells on demand, so that a long text costs nothing."""

    look = Look.PLAIN

    def __init__(self, title: str, about: str) -> None:
        self.title = title
        self.about = about

    def cells(self, start: int, end: int) -> list[Cell]:
        """Returns the cells that touch the bytes from ``start`` to ``end``, from left to right."""
        raise NotImplementedError

    def title_at(self, start: int) -> str:
        """Returns the title in a line that begins with byte ``start``."""
        return self.title

    def tip(self, cell: Cell) -> str:
        """Returns what there is to say about a cell."""
        return cell.label

    def cell_at(self, byte: int) -> Cell | None:
        """Returns the first cell over a byte; none where there is none."""
        return next((c for c in self.cells(byte, byte + 1) if not c.empty), None)

    def beside(self, start: int, end: int, step: int, size: int) -> Cell | None:
        """Returns the next cell behind the bytes from ``start`` to ``end``, or before them (``step`` -1).

        ``size`` is the length of the text in bytes.
        """
        at = end if step > 0 else start - 1
        for byte in range(at, max(min(at + step * GAP, size), -1), step):
            found = [c for c in self.cells(byte, byte + 1) if not c.empty]
            found = [c for c in found if (c.end > end if step > 0 else c.start < start)]
            if found:
                return found[0] if step > 0 else found[-1]
        return None


GAP = 1024
"""Bytes that nothing stands over and that are stepped across."""
