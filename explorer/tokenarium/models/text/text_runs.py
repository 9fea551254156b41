"""The lines of a text as runs: pieces that one part has alone, and graphemes that several parts share.

A run is what a painter of HTML or of a terminal can colour as one, since it begins and ends between graphemes. The
window paints the same parts by their places in pixels (`tokenarium.widgets.text.token_boxes`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.cuts import Cut

_LIGATURE: Final = re.compile("(?<=\u0644)[\u064b-\u065f]*(?=[\u0622\u0623\u0625\u0627])")
"""Where the letters lam and alef become one form, which every font of Arabic has: it is coloured as one."""

_LAM: Final = "\u0644".encode()

_LINE_END: Final = re.compile("\r\n|[\n\r\u2028\u2029]")


class RunLine(NamedTuple):
    """A line of a text: its bytes, without the line end, and where the next line begins.

    ``edges`` are the bytes at which its graphemes begin and end; None if every byte is a grapheme. Where two graphemes
    have one form in every font there is no edge.
    """

    start: int
    end: int
    next: int
    edges: tuple[int, ...] | None


class RunPart(NamedTuple):
    """A part in a run: its index, where it begins and ends in the run, from 0 to 1, and what its edges show.

    ``first``: it begins here, and not in a run before.
    """

    part: int
    colour: int
    start: float
    end: float
    left: Cut
    right: Cut
    first: bool


class TextRun(NamedTuple):
    """A piece of a line: its characters, and the parts in it; none if no part has them.

    A part without a character in the line, such as a line end, is a run without text.
    """

    text: str
    start: int
    parts: tuple[RunPart, ...]


def text_lines(text: TextMap) -> list[RunLine]:
    """Returns the lines of a text; an empty text has one.

    >>> [(line.start, line.end, line.next) for line in text_lines(TextMap("a\\r\\nb"))]
    [(0, 1, 3), (3, 4, 4)]
    """
    lines, start = [], 0
    content = text.text
    for match in _LINE_END.finditer(content):
        lines.append((start, match.start(), match.end()))
        start = match.end()
    lines.append((start, len(content), len(content)))
    places = text.char_to_byte([place for line in lines for place in line]).tolist()
    found = []
    for (start, end, _), place in zip(lines, range(0, len(places), 3), strict=True):
        first, last, after = places[place : place + 3]
        edges = None
        if last - first > end - start or not content[start:end].isascii():
            piece = content[start:end]
            joined = {match.end() for match in _LIGATURE.finditer(piece)}
            ends = [start, *(start + at for at in grapheme_ends(piece) if at not in joined)]
            edges = tuple(text.char_to_byte(ends).tolist())
        found.append(RunLine(first, last, after, edges))
    return found


def line_cuts(parts: TextParts, line: RunLine) -> set[float]:
    """Returns where the runs of a line begin and end: at cuts between graphemes, and around graphemes that are cut."""
    looks = parts.looks(parts.between(line.start, line.next))
    return _bounds(line, looks.starts.tolist(), looks.ends.tolist())


def line_runs(
    text: TextMap, parts: TextParts, line: RunLine, cuts: Iterable[float] | None = None
) -> Iterator[TextRun]:
    """Yields the runs of a line from its beginning to its end, as the text is stored.

    ``cuts`` are where they begin and end, if more places than those of `line_cuts`: such as all cuts of several parts.
    """
    at_end = line.next == text.byte_count
    near = parts.between(line.start, line.next + at_end)
    looks = parts.looks(near)
    starts: list[float] = looks.starts.tolist()
    ends: list[float] = looks.ends.tolist()
    colours: list[int] = looks.colours.tolist()
    bounds = sorted(_bounds(line, starts, ends) if cuts is None else cuts)
    at, count = 0, len(near)
    edges = None if line.edges is None else frozenset(line.edges)
    data = text.utf8_of(line.start, line.end)
    for start, end in pairwise(bounds):
        while at < count and ends[at] <= start:
            if starts[at] >= ends[at]:  # without bytes, such as one for the beginning of the text
                yield _without_text(near[at], colours[at], int(start))
            at += 1
        inside = []
        one = at
        while one < count and starts[one] < end:
            low, high = starts[one], ends[one]
            if low < high and high > start:
                size = end - start
                inside.append(
                    RunPart(
                        near[one],
                        colours[one],
                        (max(low, start) - start) / size,
                        (min(high, end) - start) / size,
                        Cut.OPEN if low < start else _cut(text, edges, low),
                        Cut.OPEN if high > end else _cut(text, edges, high),
                        low >= start,
                    )
                )
            one += 1
        piece = data[int(start) - line.start : int(end) - line.start]
        yield TextRun(piece.decode("utf-8", "surrogatepass"), int(start), tuple(inside))
    for one in range(at, count):
        if starts[one] >= line.end or (not bounds and starts[one] >= line.start):
            yield _without_text(near[one], colours[one], line.end)


def _without_text(part: int, colour: int, start: int) -> TextRun:
    return TextRun("", start, (RunPart(part, colour, 0.0, 1.0, Cut.STRAIGHT, Cut.STRAIGHT, True),))


def _bounds(line: RunLine, starts: Sequence[float], ends: Sequence[float]) -> set[float]:
    """Returns `line_cuts` for the places of parts."""
    if line.start == line.end:
        return set()
    cuts = {cut for cut in (*starts, *ends) if line.start < cut < line.end}
    cuts |= {float(line.start), float(line.end)}
    if line.edges is None:
        inner = [cut for cut in cuts if cut != int(cut)]
        return {float(int(cut)) for cut in cuts} | {float(int(cut) + 1) for cut in inner}
    edges = set(line.edges)
    bounds = cuts & edges
    place = 0
    for cut in sorted(cuts - edges):
        while line.edges[place + 1] <= cut:
            place += 1
        bounds |= {float(line.edges[place]), float(line.edges[place + 1])}
    return bounds


def _cut(text: TextMap, edges: frozenset[int] | None, at: float) -> Cut:
    """Returns what an edge at a byte of a line shows; ``edges`` are those of the graphemes of the line."""
    place = int(at)
    if edges is None and at == place:
        return Cut.STRAIGHT
    if at != place or (place < text.byte_count and text.data[place] & 0xC0 == 0x80):
        return Cut.TORN
    if edges is None or place in edges or text.utf8_of(place - 2, place) == _LAM:
        return Cut.STRAIGHT
    return Cut.NOTCH
