"""Sets of code points, as ascending spans that neither overlap nor touch: ``[(0x41, 0x5A)]``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tokenarium_core.unicode.codepoints import CATEGORIES, CATEGORY_TABLE, CODE_POINTS, spans_in

Spans = list[tuple[int, int]]

EVERYTHING: Final[Spans] = [(0, CODE_POINTS - 1)]


def union(*sets: Spans) -> Spans:
    """Returns the union of sets; their spans may be in any order, and overlap."""
    joined: Spans = []
    everything: Spans = []
    for spans in sets:
        everything += spans
    everything.sort()
    for first, last in everything:
        if joined and first <= joined[-1][1] + 1:
            if last > joined[-1][1]:
                joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def complement(spans: Spans) -> Spans:
    """Returns the complement of a set."""
    gaps: Spans = []
    begin = 0
    for first, last in spans:
        if first > begin:
            gaps.append((begin, first - 1))
        begin = last + 1
    if begin < CODE_POINTS:
        gaps.append((begin, CODE_POINTS - 1))
    return gaps


def intersection(left: Spans, right: Spans) -> Spans:
    """Returns the intersection of two sets."""
    return complement(union(complement(left), complement(right)))


def difference(left: Spans, right: Spans) -> Spans:
    """Returns the difference of two sets."""
    return intersection(left, complement(right))


def symmetric_difference(left: Spans, right: Spans) -> Spans:
    """Returns the symmetric difference of two sets."""
    return union(difference(left, right), difference(right, left))


def of_characters(characters: Iterable[str]) -> Spans:
    """Returns the set of some characters."""
    return union([(ord(character), ord(character)) for character in characters])


def spans_of(table: bytes, numbers: Iterable[int]) -> Spans:
    """Returns the code points whose number in a table is one of the given numbers."""
    wanted = b"".join([re.escape(bytes([number])) for number in numbers])
    if not wanted:
        return []
    return [(run.start(), run.end() - 1) for run in re.finditer(b"[" + wanted + b"]+", table)]


def of_categories(names: Iterable[str]) -> Spans:
    """Returns the code points of some general categories; ``L`` stands for all that begin with it."""
    chosen = tuple(names)
    numbers = [
        number
        for number, category in enumerate(CATEGORIES)
        if category in chosen or category[0] in chosen
    ]
    return spans_of(CATEGORY_TABLE, numbers)


def listed(text: str) -> Spans:
    """Returns the set that is written as "0021 0024-002F …"."""
    return union(spans_in(text))
