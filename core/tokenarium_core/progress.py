"""How far a ``step(budget_ms)`` object has come. The caller owns the loop, so it can show and cancel."""

from __future__ import annotations

from typing import final


@final
class Progress:
    """A report of one step: the phase's name, units done, units in total (0: not known yet)."""

    def __init__(self, phase: str, done: int, total: int, finished: bool) -> None:
        self.phase = phase
        self.done = done
        self.total = total
        self.finished = finished

    @property
    def fraction(self) -> float:
        """The share of this phase that is done, from 0 to 1; 0 if the total is not known."""
        if self.finished:
            return 1.0
        return min(self.done / self.total, 1.0) if self.total > 0 else 0.0

    def __repr__(self) -> str:
        return f"Progress({self.phase!r}, {self.done}/{self.total}, finished={self.finished})"
