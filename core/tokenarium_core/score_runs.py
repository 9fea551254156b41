"""Scores that rise or fall in equal steps, as small as they are: those of merges count down by one.

All numbers are checked, to the last bit, when the runs are made. Other scores are stored one by one.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter

_LEAST: Final = 16
"""The least scores, on average, of a run: otherwise the runs are not worth it."""


@final
class ScoreRuns:
    """Runs of scores: those from ``starts[k]`` on are ``firsts[k]``, ``firsts[k] + steps[k]`` and so on.

    Scores that are stored one by one are ``others``.
    """

    def __init__(self, count: i64) -> None:
        self.count: i64 = count
        self.starts = vec[i32]()
        self.firsts = vec[float]()
        self.steps = vec[float]()
        self.others = vec[float]()

    def scores(self) -> vec[float]:
        """Returns all scores."""
        runs: i64 = len(self.starts)
        if runs == 0:
            return self.others
        scores = vec[float]([0.0] * self.count)
        for run in range(runs):
            start: i64 = i64(self.starts[run])
            stop: i64 = self.count
            if run + 1 < runs:
                stop = i64(self.starts[run + 1])
            first = self.firsts[run]
            step = self.steps[run]
            for at in range(start, stop):
                scores[at] = first + step * float(at - start)
        return scores


def runs_of(scores: vec[float]) -> ScoreRuns:
    """Returns the runs that give exactly these scores; the scores one by one if there are many runs, or rounding differs."""
    count: i64 = len(scores)
    runs = ScoreRuns(count)
    at: i64 = 0
    while at < count and len(runs.starts) * _LEAST <= count:
        first = scores[at]
        stop = at + 1
        step = 0.0
        if stop < count:
            step = scores[stop] - first
            while stop < count and scores[stop] == first + step * float(stop - at):
                stop += 1
        runs.starts = append(runs.starts, i32(at))
        runs.firsts = append(runs.firsts, first)
        runs.steps = append(runs.steps, step if stop > at + 1 else 0.0)
        at = stop
    if at == count and bytes(memoryview(runs.scores())) == bytes(memoryview(scores)):
        return runs
    others = ScoreRuns(count)
    others.others = scores
    return others


def dump_scores(scores: vec[float], out: CacheWriter) -> None:
    """Writes scores, for `load_scores`."""
    runs = runs_of(scores)
    out.number(runs.count)
    out.i32s(runs.starts)
    out.floats(runs.firsts)
    out.floats(runs.steps)
    out.floats(runs.others)


def load_scores(cached: CacheReader) -> ScoreRuns:
    """Returns what the scores are made of that `dump_scores` wrote."""
    runs = ScoreRuns(cached.number())
    runs.starts = cached.i32s()
    runs.firsts = cached.floats()
    runs.steps = cached.floats()
    runs.others = cached.floats()
    return runs
