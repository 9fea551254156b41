"""A race of two ways to encode by BPE, with the same ids: scanning all pairs for each merge, and a queue of merges.

It runs on more and more of one text, taken as one word: that is what a tokenizer without pre-tokens would merge.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, log2
from typing import Final

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve
from tokenarium_core import TokenariumError, Tokenizer
from tokenarium_core.explaining.merge_work import LongMerging, MergeWork
from tokenarium_core.padded_text import padded
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.progress import Progress

QUEUE: Final = "queue"
SCAN: Final = "scan"
WORDS: Final = "words"
WAYS: Final = (QUEUE, SCAN, WORDS)
TITLES: Final = {
    QUEUE: "Queue",
    SCAN: "Scanning",
    WORDS: "Scanning each word",
}
COLOURS: Final = {QUEUE: 5, SCAN: 1, WORDS: 0}
LENGTHS: Final = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Characters of the laps."""

LONGEST: Final = LENGTHS[-1]
"""Characters of the last lap: a scan of them takes about half a second."""

STEPPED: Final = 500
"""Characters whose merges are counted one by one."""

FEW: Final = 500
TRIES: Final = 5
"""A lap of few characters is run several times, and the shortest time counts: the first of all is slow."""

PLACES: Final = 20_000
"""Places that are looked at between two looks at the clock: well below a millisecond."""


@dataclass(frozen=True, slots=True)
class EncodingLap:
    """What one way took for so many symbols: seconds, and the places that it looked at; ``left``: symbols that are
    left.
    """

    way: str
    symbols: int
    seconds: float
    looked: int
    left: int


class EncodingRace:
    """The race of one tokenizer on one text, which is repeated if it is short; ``laps`` are those so far.

    Raises TokenariumError for a model that does not merge. ``merges`` has the positions looked at after each merge of
    the first `STEPPED` characters.
    """

    def __init__(self, tokenizer: Tokenizer, text: str) -> None:
        if not text:
            raise TokenariumError(
                "There is no text to race on: type one above, or choose another source."
            )
        self.tokenizer = tokenizer
        if len(text) < LONGEST:
            text = (text + "\n") * (LONGEST // (len(text) + 1) + 1)
        normalized = tokenizer.encode(text[:LONGEST]).text
        self._text = normalized.data[: normalized.size].decode("utf-8", "replace")
        words = len(cut(tokenizer.pre_tokenizer, self._text[:STEPPED]).ends) > 1
        self.ways = WAYS if words else WAYS[:2]
        """Those that are run: a tokenizer that does not cut a text into words has two."""
        self.laps: list[EncodingLap] = []
        start = padded(self._text[:STEPPED])
        self.merges = MergeWork(tokenizer.model, start, 0, len(start) - len(padded("")))
        self._running = self._run()

    def step(self, budget_ms: float) -> Progress:
        """Runs on for about ``budget_ms`` milliseconds; TokenariumError if the two ways give different ids."""
        until = time.perf_counter() + budget_ms / 1000
        finished = False
        while not finished and time.perf_counter() < until:
            finished = next(self._running, True)
        total = len(LENGTHS) * len(self.ways)
        return Progress("racing", len(self.laps), total, finished)

    def _run(self) -> Iterator[bool]:
        """Runs all laps; gives False after each slice."""
        for length in LENGTHS:
            text = self._text[:length]
            left: dict[str, list[int]] = {}
            for way in self.ways:
                parts = list(self._parts(text)) if way == WORDS else [text]
                best = inf
                for _ in range(TRIES if length <= FEW else 1):
                    lap, left[way] = EncodingLap(way, 0, 0.0, 0, 0), []
                    for part in parts:
                        seconds, began = lap.seconds, time.perf_counter()
                        merging = LongMerging(self.tokenizer.model, part, way == QUEUE)
                        while merging.step(PLACES):
                            seconds += time.perf_counter() - began
                            yield False
                            began = time.perf_counter()
                        seconds += time.perf_counter() - began
                        ids = merging.ids()
                        left[way] += ids
                        lap = EncodingLap(
                            way,
                            lap.symbols + merging.count,
                            seconds,
                            lap.looked + merging.looked,
                            lap.left + len(ids),
                        )
                    best = min(best, lap.seconds)
                self.laps.append(replace(lap, seconds=best))
                yield False
            if left[QUEUE] != left[SCAN]:
                raise TokenariumError(
                    f"The queue and the scan gave different ids for {length:,} characters: please report that."
                )

    def _parts(self, text: str) -> Iterator[str]:
        """Returns the pre-tokens of a text."""
        data, start = text.encode(), 0
        for end in cut(self.tokenizer.pre_tokenizer, text).ends:
            yield data[start:end].decode("utf-8", "replace")
            start = end

    def chart(self, seconds: bool) -> Chart:
        """Returns the cost of each way by the symbols of the text, in seconds or in places looked at."""
        y = Axis("Time", "seconds", True) if seconds else Axis("Work", "positions looked at", True)
        curves = []
        for way in self.ways:
            laps = [lap for lap in self.laps if lap.way == way]
            points = [
                (float(lap.symbols), lap.seconds if seconds else float(lap.looked)) for lap in laps
            ]
            if points:
                curves.append(ChartCurve(TITLES[way], points, COLOURS[way]))
        if not seconds and curves:
            sizes = [lap.symbols for lap in self.laps if lap.way == QUEUE and lap.symbols > 1]
            curves.append(
                ChartCurve("n² / 2", [(n, n * n / 2) for n in sizes], COLOURS[SCAN], True)
            )
            curves.append(
                ChartCurve("n log₂ n", [(n, n * log2(n)) for n in sizes], COLOURS[QUEUE], True)
            )
        return Chart(Axis("Text", _unit(self.tokenizer), True), y, curves)

    def merge_chart(self) -> Chart:
        """Returns the places that both ways looked at up to each merge of the first characters."""
        work = self.merges
        curves = [
            ChartCurve(
                TITLES[way],
                [(float(k), float(looked)) for k, looked in enumerate(column)],
                COLOURS[way],
            )
            for way, column in ((QUEUE, work.queued), (SCAN, work.scanned))
        ]
        return Chart(Axis("Merges"), Axis("Work", "positions looked at"), curves)

    def sentence(self) -> str:
        """Returns a sentence on the costs for the longest text that both ways ran."""
        laps = (
            {lap.way: lap for lap in self.laps if lap.symbols == self.laps[-1].symbols}
            if self.laps
            else {}
        )
        if not {QUEUE, SCAN} <= laps.keys():
            return ""
        queue, scan = laps[QUEUE], laps[SCAN]
        more = scan.looked / max(1, queue.looked)
        said = (
            f"{self.tokenizer.name}: {queue.symbols:,} {_unit(self.tokenizer)} as one word; {queue.left:,} symbols are left either way. A scan for each merge"
            f" looks at {scan.looked:,} places, the queue at {queue.looked:,}: {more:,.1f} times fewer."
        )
        if WORDS in laps:
            said += f" Cut into words first, scanning needs {laps[WORDS].looked:,}."
        return said


def _unit(tokenizer: Tokenizer) -> str:
    return "bytes" if tokenizer.model.byte_symbols() else "characters"
