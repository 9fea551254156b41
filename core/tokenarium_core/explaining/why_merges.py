"""Why BPE did not make a piece: the first merge of the run that took a part of it away, or the merge that there is not."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.explaining.merge_path import Merge, MergePath, MergePaths
from tokenarium_core.explaining.verdict import MERGED_ON, NO_MERGE, OUTRANKED, Verdict
from tokenarium_core.models.model import Model
from tokenarium_core.trace import (
    BYTE_FALLBACK,
    MERGE,
    PIECE,
    PRE_TOKEN,
    SYMBOL,
    UNKNOWN,
    UNMERGE,
    WHOLE,
    Trace,
)


@final
class _Hindrance:
    """The event that ended a way to the piece; ``made``: the piece was there by then."""

    def __init__(self, event: int, merge: Merge, path: MergePath, made: list[bool]) -> None:
        self.event = event
        self.merge = merge
        self.path = path
        self.made = made


def judge_merges(verdict: Verdict, model: Model, token: int, low: int, high: int) -> bool:
    """Finds out why the piece ``token`` did not come out at ``low`` to ``high``; false where the run does not tell.

    The run is that of the verdict's trace. In it the merges of the piece's ancestry may happen, and any others that
    stay clear of its bytes. The first one that does neither joins a part of the piece to something else: from then
    on the piece cannot be made. Of several ways to make the piece, the one that lasted longest is told.
    """
    paths = MergePaths(model)
    last: _Hindrance | None = None
    lacking: MergePath | None = None
    for path in paths.paths(token, low):
        if path.missing >= 0:
            if lacking is None:
                lacking = path
            continue
        found = _hindrance(verdict.trace, len(verdict.data), paths, path, low, high)
        if found is not None and (last is None or found.event > last.event):
            last = found
    if last is not None:
        verdict.event = last.event
        verdict.merge = last.merge
        verdict.path = last.path.merges
        verdict.start = last.merge.start
        verdict.stop = last.merge.stop
        if (
            not last.made or last.made[len(last.made) - 1]
        ):  # a single symbol is there from the beginning
            verdict.kind = MERGED_ON
        else:
            verdict.kind = OUTRANKED
            _name_needed(verdict, last)
        return True
    if lacking is not None:
        verdict.kind = NO_MERGE
        verdict.token = lacking.missing
        verdict.start = lacking.missing_start
        verdict.stop = lacking.missing_stop
        verdict.path = lacking.merges
        return True
    return False


def _hindrance(
    trace: Trace, size: int, paths: MergePaths, path: MergePath, low: int, high: int
) -> _Hindrance | None:
    wanted: dict[tuple[int, int], int] = {}
    for index in range(len(path.merges)):
        merge = path.merges[index]
        wanted[merge.start, merge.stop] = index
    made = [False] * len(path.merges)
    ends = vec[i32]([0] * (size + 1))
    for event in range(len(trace)):
        kind: i64 = i64(trace.kinds[event])
        at: i64 = i64(trace.positions[event])
        if kind == PRE_TOKEN:
            for byte in range(at, i64(trace.lefts[event])):
                ends[byte] = i32(byte + 1)
        elif kind == MERGE:
            middle: i64 = i64(ends[at])
            stop: i64 = i64(ends[middle])
            ends[at] = i32(stop)
            if at >= high or stop <= low:
                continue
            index = wanted.get((at, stop), -1)
            if index >= 0 and not made[index] and path.merges[index].middle == middle:
                made[index] = True
                continue
            hinders = Merge(
                at,
                middle,
                stop,
                i64(trace.lefts[event]),
                i64(trace.rights[event]),
                i64(trace.results[event]),
                paths.priority(i64(trace.ranks[event])),
                trace.scores[event],
            )
            return _Hindrance(event, hinders, path, made)
        elif kind == UNMERGE:
            middle = i64(trace.ranks[event])
            ends[middle] = ends[at]
            ends[at] = i32(middle)
        elif kind in (SYMBOL, PIECE, UNKNOWN, BYTE_FALLBACK, WHOLE):
            ends[at] = trace.lefts[event]
    return None


def _name_needed(verdict: Verdict, hindrance: _Hindrance) -> None:
    """Names the smallest piece that lost a side to the hindrance, and which of its merges was waiting for its turn."""
    merges = hindrance.path.merges
    made = hindrance.made
    standing: dict[tuple[int, int], bool] = {}
    blocked: Merge | None = None
    for index in range(len(merges)):
        merge = merges[index]
        standing[merge.start, merge.stop] = made[index]
        crosses = merge.start < hindrance.merge.stop and hindrance.merge.start < merge.stop
        if blocked is None and crosses and not made[index]:
            blocked = merge
    assert blocked is not None
    needed: Merge | None = None
    for index in range(len(merges)):
        merge = merges[index]
        if made[index] or merge.start < blocked.start or merge.stop > blocked.stop:
            continue
        # A side that is no merge of its own is there from the beginning.
        left = standing.get((merge.start, merge.middle), True)
        right = standing.get((merge.middle, merge.stop), True)
        if left and right and (needed is None or merge.rank < needed.rank):
            needed = merge
    verdict.blocked = blocked
    verdict.needed = needed
