"""What stands beside the steps of merges in the window, as tables that follow the steps: the waiting pairs, and the merges
so far."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from itertools import pairwise
from typing import Final

from tokenarium.models.merges.merge_scene import rank_label
from tokenarium.models.merges.playback import Step, Symbol
from tokenarium.models.merges.run import MergeCandidate, TraceRun
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import in_tile, readable, score_text
from tokenarium.web.html import escaped
from tokenarium.web.step_parts import OFF, StepParts
from tokenarium_core.trace import MERGE

WAITING: Final = 100
DONE: Final = 101
"""The layers of the rows, above those of drawings."""

MOST_STEPS: Final = 80
"""The most steps of a run that has tables: those of a sentence would be larger than its figure."""

MOST_ROWS: Final = 6
"""The most rows that are seen without scrolling; the style sheet has heights for so many."""

SCALE: Final = 1 << 20
"""What scores are multiplied by to order rows by them."""


class MergeTables:
    """The rows of both tables; `show` adds those of the step at which the run is."""

    def __init__(self, run: TraceRun) -> None:
        self._run = run
        self._there = 0 < len(run) <= MOST_STEPS
        self._by_score = bool(len(run.tokenizer.vocabulary.scores)) and run.score(0) is not None
        self._done = 0
        self._before: dict[Hashable, str] = {}
        self._most = 1  # pairs that wait at once

    def show(self, parts: StepParts) -> None:
        """Adds what has changed since the last step."""
        if not self._there:
            return
        run = self._run
        steps = run.playback.steps
        for at in range(self._done, run.playback.position):
            parts.keep(
                ("done", at), DONE, "tr", "did", partial(self._done_row, steps[at], at), "", at
            )
        self._done = run.playback.position
        coming = run.next_step
        symbols = run.symbols()[coming.word] if coming is not None else []
        known = {one.start: one for one in run.candidates(symbols)}
        now: dict[Hashable, str] = {}
        for left, right in pairwise(symbols):
            one = known.get(left.start)
            if one is None:
                continue
            key = ("waits", left.start, left.end, right.end, rank_label(one))
            is_next = coming is not None and coming.kind == MERGE and left.start == coming.start
            now[key] = "next" if is_next else ""
            drawn = partial(self._waiting_row, left, right, one)
            parts.keep(key, WAITING, "tr", "waits", drawn, now[key], _place(one))
        for gone in self._before.keys() - now.keys():
            parts.drop(gone)
        none = "" if not now else OFF
        parts.keep(
            "no pair",
            WAITING,
            "tr",
            "",
            partial(str, '<td colspan="2">No pair waits.</td>'),
            none,
            -1,
        )
        self._before = now
        self._most = max(self._most, len(now))

    def markup(self, parts: StepParts, step: int) -> str:
        """Returns both tables as they are at a step; nothing if the run is too long."""
        if not self._there:
            return ""
        order = "highest score first" if self._by_score else "lowest rank first"
        high = min(MOST_ROWS, max(self._most, self._done))
        tables = (
            (f"Queue, {order}", "Pair", parts.markup(step, WAITING)),
            ("Done", "Merge", parts.markup(step, DONE)),
        )
        return f'<div class="beside r{high}">{"".join(map(self._table, tables))}</div>'

    def _table(self, shown: tuple[str, str, str]) -> str:
        """Returns a table: its title, what its rows are, and these."""
        title, what, rows = shown
        figure = "Score" if self._by_score else "Rank"
        return (
            f'<div><p class="label">{title}</p><div class="rows-beside" tabindex="0" role="group" aria-label="{title}">'
            f'<table><thead><tr><th scope="col">{what}</th><th scope="col">{figure}</th></tr></thead><tbody data-parts>{rows}</tbody></table></div></div>'
        )

    def _written(self, start: int, end: int) -> str:
        return escaped(isolated(in_tile(readable(self._run.data[start:end]))))

    def _waiting_row(self, left: Symbol, right: Symbol, one: MergeCandidate) -> str:
        pair = f"{self._written(left.start, left.end)} + {self._written(right.start, right.end)}"
        return f"<td>{pair}</td><td>{escaped(rank_label(one))}</td>"

    def _done_row(self, step: Step, at: int) -> str:
        whole = self._written(step.start, step.end)
        number = self._run.number(at) + 1
        if step.kind != MERGE:
            return f"<td>{number}. {whole}</td><td></td>"
        left, right = self._written(step.start, step.middle), self._written(step.middle, step.end)
        score = self._run.score(step.result)
        figure = f"{step.rank:,}" if score is None else score_text(score)
        return f"<td>{number}. {left} + {right} → {whole}</td><td>{escaped(figure)}</td>"


def _place(one: MergeCandidate) -> int:
    """Returns what orders the rows of waiting pairs: the lowest rank first, or the highest score."""
    return one.rank if one.score is None else -round(one.score * SCALE)
