"""Work in steps, all of it in one call."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar


class Steps(Protocol):
    """Work whose ``step`` returns its progress."""

    def step(self, budget_ms: float, /) -> Any: ...


def run_through(work: Steps, budget_ms: float) -> None:
    """Takes steps of some milliseconds until the work is finished."""
    while not work.step(budget_ms).finished:
        pass


class Runs(Protocol):
    """Work with a method that does all of it."""

    def run(self) -> None: ...


R = TypeVar("R", bound=Runs)


def run_whole(work: R) -> R:
    """Returns work, all of which is done."""
    work.run()
    return work
