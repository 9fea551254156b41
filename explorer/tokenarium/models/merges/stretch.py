"""Which part of a traced text has to be shown for a stretch of it: what the stretch touches, and no half steps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tokenarium.models.packed_arrays import array_of
from tokenarium_core import Trace, Vocabulary
from tokenarium_core import trace as kinds

FARTHEST = 64
"""Bytes from a stretch within which a space is looked for where a word is a whole text."""

Column = npt.NDArray[np.int64]


def part_of(
    trace: Trace, vocabulary: Vocabulary, data: bytes, start: int, end: int
) -> tuple[int, int]:
    """Returns the bytes of the normalised ``data`` that are shown for its bytes ``start`` to ``end``.

    These are the words that the stretch touches. In models without a pre-tokenizer a word is a whole text: of
    such a one it is the part from the last space before to the next one behind, where these are near. No step of
    the trace reaches across the ends of the part, so that it can be played by itself. Empty where the stretch
    touches no word.
    """
    kind, first, behind = spans(trace, vocabulary)
    words = (kind == kinds.PRE_TOKEN) | (kind == kinds.SPECIAL)
    touched = words & (behind > start) & (first < end)
    if not touched.any():
        return start, start
    low, high = int(first[touched].min()), int(behind[touched].max())
    bridged = _bridged(first[~words], behind[~words], len(data))
    left, right = max(low, min(start, high)), min(high, max(end, low))
    reach = range(left, max(low, left - FARTHEST) - 1, -1)
    left = next((at for at in reach if at == low or _begins_word(data, at)), left)
    reach = range(right, min(high, right + FARTHEST) + 1)
    right = next((at for at in reach if at == high or _begins_word(data, at)), right)
    while left > low and bridged[left]:
        left -= 1
    while right < high and bridged[right]:
        right += 1
    return left, right


def spans(trace: Trace, vocabulary: Vocabulary) -> tuple[Column, Column, Column]:
    """Returns for each event of a trace its kind, its first byte and the byte behind its last."""
    kind = np.array(memoryview(trace.kinds), dtype=np.int64)
    first = np.array(memoryview(trace.positions), dtype=np.int64)
    behind = np.array(memoryview(trace.lefts), dtype=np.int64)
    merges = (kind == kinds.MERGE) | (kind == kinds.UNMERGE)
    if merges.any():
        offsets = array_of(vocabulary.offsets)
        pieces = array_of(trace.results)[merges]
        behind[merges] = first[merges] + offsets[pieces + 1] - offsets[pieces]
    return kind, first, behind


def _bridged(first: Column, behind: Column, size: int) -> npt.NDArray[np.bool_]:
    """Tells for each byte whether an event reaches from in front of it across it."""
    change = np.zeros(size + 2, dtype=np.int64)
    long = behind > first + 1
    np.add.at(change, first[long] + 1, 1)
    np.add.at(change, behind[long], -1)
    return np.cumsum(change) > 0


def _begins_word(data: bytes, at: int) -> bool:
    """Tells whether a space stands here behind something else, or a line begins here."""
    if at == 0 or at == len(data):
        return True
    before, here = data[at - 1], data[at]
    return (here == 0x20 and before not in b" \t\r\n") or (before == 0x0A and here != 0x0A)
