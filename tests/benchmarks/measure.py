"""Measuring contestants side by side: in rounds, each in its turn, so that a slower minute hits all of them."""

from __future__ import annotations

import gc
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

OTHER_IDS = "other ids"
BUSY = 0.85  # a single thread that got less of a processor than this was held up by others


class Timing(NamedTuple):
    """What one pass took: seconds on the clock, and seconds of processor time in this process."""

    seconds: float
    cpu_seconds: float


@dataclass
class Series:
    """The passes of one contestant; ``amount`` is what one pass works through (bytes, calls)."""

    name: str
    amount: float = 1.0
    passes: list[Timing] = field(default_factory=list)
    ids: str = ""
    """ "same", "other ids", or empty where there are none to compare."""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def seconds(self) -> list[float]:
        """The seconds of each pass."""
        return [one.seconds for one in self.passes]

    @property
    def median(self) -> float:
        """The median of the seconds."""
        return statistics.median(self.seconds)

    @property
    def minimum(self) -> float:
        """The fewest seconds."""
        return min(self.seconds)

    @property
    def share(self) -> float:
        """How much of a processor this process had, as a median: 1.0 is one thread all the time."""
        return statistics.median(one.cpu_seconds / max(one.seconds, 1e-9) for one in self.passes)

    def ratios(self, reference: Series) -> list[float]:
        """How many times as fast as the reference, round by round."""
        return [
            (theirs / reference.amount) / (ours / self.amount)
            for ours, theirs in zip(self.seconds, reference.seconds, strict=False)
        ]

    def ratio(self, reference: Series) -> float:
        """The median of the rounds' ratios."""
        return statistics.median(self.ratios(reference))

    def deserved_ratio(self, reference: Series) -> float:
        """The ratio, or 0 where the ids are others: a wrong answer reaches no goal."""
        return self.ratio(reference) if self.ids != OTHER_IDS else 0.0

    def cpu_ratio(self, reference: Series) -> float:
        """The median of the rounds' ratios of processor time: steadier where the machine is busy."""
        return statistics.median(
            (theirs.cpu_seconds / reference.amount) / (max(ours.cpu_seconds, 1e-9) / self.amount)
            for ours, theirs in zip(self.passes, reference.passes, strict=False)
        )

    def ratio_of_minima(self, reference: Series) -> float:
        """The ratio of the two fastest passes."""
        return (reference.minimum / reference.amount) / (self.minimum / self.amount)

    def as_json(self, reference: Series | None) -> dict[str, Any]:
        """Returns all figures; the ratios are there when the reference could be measured."""
        figures: dict[str, Any] = {
            "amount": self.amount,
            "seconds": self.seconds,
            "cpu_seconds": [one.cpu_seconds for one in self.passes],
            "median": self.median,
            "minimum": self.minimum,
            "processor_share": round(self.share, 3),
        }
        if self.ids:
            figures["ids"] = self.ids
        if reference is not None:
            figures["ratios"] = self.ratios(reference)
            figures["ratio"] = self.ratio(reference)
            figures["cpu_ratio"] = self.cpu_ratio(reference)
            figures["ratio_of_minima"] = self.ratio_of_minima(reference)
        return figures | self.extra


def timed(
    function: Callable[[], Any], warm_up: Callable[[], Any] | None = None
) -> tuple[Any, Timing]:
    """Returns the result of the function, and how long it took, after a warm-up that does not count.

    The garbage collector runs before both and rests meanwhile. Between them it would walk over all objects that all
    contestants ever made, and drive what the warm-up has read out of the processor's caches.
    """
    gc.collect()
    gc.disable()
    try:
        if warm_up is not None:
            warm_up()
        cpu = time.process_time()
        start = time.perf_counter()
        result = function()
        seconds = time.perf_counter() - start
        return result, Timing(seconds, time.process_time() - cpu)
    finally:
        gc.enable()


def in_rounds(passes: dict[str, Callable[[], Timing]], rounds: int) -> dict[str, list[Timing]]:
    """Returns the timings of every contestant; each round begins with another of them."""
    found: dict[str, list[Timing]] = {name: [] for name in passes}
    names = list(passes)
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            found[name].append(passes[name]())
    return found


def limit_threads(count: int) -> None:
    """Limits the peers' thread pools; call it before the peer is imported."""
    os.environ["RAYON_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(count)
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if count > 1 else "false"


@contextmanager
def one_processor() -> Iterator[None]:
    """Keeps this process, with all threads that begin meanwhile, on one processor, where the system can.

    Some peers have threads that no variable limits, and look at how many processors they may use.
    """
    if sys.platform != "linux":
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def peak_memory() -> int:
    """Returns the most memory in bytes that this process has held so far.

    Linux keeps it in ``VmHWM``; ``ru_maxrss`` would count the parent, too, from before the exec.
    """
    if sys.platform == "linux":
        with open("/proc/self/status", encoding="ascii") as status:
            return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Goal(NamedTuple):
    """What a benchmark wants to reach: ``got`` is to be ``wanted`` at least.

    Both are ratios, more is better. "Within 16 ms" is: wanted 1.0, got 16 ms divided by what it took.
    """

    what: str
    wanted: float
    got: float

    @classmethod
    def within(cls, what: str, wanted_ms: float, got_ms: float) -> Goal:
        """Returns the goal that something takes so many milliseconds at most."""
        return cls(f"{what}: {got_ms:.1f} ms, at most {wanted_ms:.1f}", 1.0, wanted_ms / got_ms)

    @property
    def reached(self) -> bool:
        """Whether it is reached."""
        return self.got >= self.wanted


def busy_note(series: Iterable[Series]) -> str:
    """Returns a sentence where others held the processor, or a contestant used more than one thread."""
    measured = list(series)
    notes = []
    if any(one.share < BUSY for one in measured):
        lowest = min(one.share for one in measured)
        notes.append(
            f"The machine was busy with other things: down to {lowest:.0%} of a processor was left. "
            "The JSON file has the ratios of processor time (cpu_ratio) as well."
        )
    many = [one.name for one in measured if one.share > 1.2]
    if many:
        notes.append(f"More than one thread: {', '.join(many)}.")
    return " ".join(notes)
