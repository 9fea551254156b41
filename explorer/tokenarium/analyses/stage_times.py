"""How the time of encoding is divided among the stages: the page Stage times of Compare and ``tokenarium stage-times``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from math import inf
from time import perf_counter

from tokenarium.analyses.analysis import TOKENIZER, AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.parts import Part, ShownChart
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.charts.chart import Axis, BarSeries, ChartBar, grouped_bars
from tokenarium.models.machine import machine_name
from tokenarium_core.normalized_text import unchanged, untracked
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.progress import Progress

WHOLE, DECODER = "Encoding", "Decoding"
ADDED, NORMALIZER, PRE_TOKENIZER, MODEL = "Added tokens", "Normalizer", "Pre-tokenizer", "Model"
STAGES = (ADDED, NORMALIZER, PRE_TOKENIZER, MODEL)

LENGTH = 20_000
"""Characters that are encoded: a shorter text is repeated, since a clock cannot time a few words."""

TRIES = 15
"""Runs of each stage, of which the shortest counts: the others were interrupted, or filled a cache."""

SHARE = "The share of the time of encoding; – if the tokenizer has no such stage"
SPEED = "Megabytes of the text per second, by one thread"

EXACT = (
    "Each stage runs alone on the output of the one before it, 15 times; the shortest time counts. The model has what is left"
    " of the time of encoding. Words that were encoded before come from a cache, as in any long text. Shares are those of this"
    " program: another library divides its time differently."
)


@dataclass(slots=True)
class StageTimes:
    """Seconds of the stages that a tokenizer has, and of `WHOLE` and `DECODER`, for ``bytes`` of a text."""

    bytes: int
    seconds: dict[str, float] = field(default_factory=dict)

    def share(self, stage: str) -> float:
        """Returns the share of a stage in the time of all stages."""
        return self._of(stage) / (sum(map(self._of, STAGES)) or 1.0)

    def _of(self, stage: str) -> float:
        """Returns the seconds of a stage: the model has the rest."""
        if stage != MODEL:
            return self.seconds.get(stage, 0.0)
        return max(self.seconds[WHOLE] - sum(map(self._of, STAGES[:-1])), 0.0)

    def speed(self, what: str) -> float:
        """Returns the megabytes per second of `WHOLE` or `DECODER`."""
        return self.bytes / 1e6 / max(self.seconds[what], 1e-9)


class StageTimesAnalysis(EachAnalysis[StageTimes]):
    """Times the stages of tokenizers, each alone, on a text that is repeated if it is short."""

    id = "stage_times"
    title = "Stage times"
    asks = "Which stages take the time for {}?"
    doing = "Timing the stages"
    several = True
    limit = LENGTH
    parts = (Part("table", "table", "Time of the stages"), Part("bars", "bars", "Share of the time"), Part("note", "note"))  # fmt: skip

    def work_on(self, subject: Subject, inputs: AnalysisInputs) -> Generator[Progress | None, None, StageTimes]:  # fmt: skip
        tokenizer, text = subject.tokenizer, inputs.text
        if len(text) < LENGTH:
            text = ((text + "\n") * (LENGTH // (len(text) + 1) + 1))[:LENGTH]
        data = padded(text)
        size = len(data) - PADDING
        normalizer, splitter, added = tokenizer.normalizer, tokenizer.splitter, tokenizer.added_tokens  # fmt: skip
        runs: dict[str, Callable[[], object]] = {WHOLE: lambda: tokenizer.encode_ids(text)}
        if added.always:
            runs[ADDED] = lambda: added.regions(data, size, frozenset())
        words = data
        if normalizer is not None:
            runs[NORMALIZER] = lambda: normalizer.normalize_text(text)
            words = normalizer.normalize_text(text)
        if splitter is not None:
            whole = len(words) - PADDING
            tracked = unchanged if splitter.reads_origin else (lambda some, count, _: untracked(some, count))  # fmt: skip
            runs[PRE_TOKENIZER] = lambda: splitter.split(tracked(words, whole, 0))
        elif tokenizer.pre_tokenizer.name != "none":
            normal = words[: len(words) - PADDING].decode("utf-8", "surrogatepass")
            runs[PRE_TOKENIZER] = lambda: cut(tokenizer.pre_tokenizer, normal)
        ids = tokenizer.encode_ids(text)
        runs[DECODER] = lambda: tokenizer.decode(ids)
        times = StageTimes(size)
        for done, (stage, run) in enumerate(runs.items()):
            best = inf
            for _ in range(TRIES):
                began = perf_counter()
                run()
                best = min(best, perf_counter() - began)
                yield Progress(subject.full_name, done, len(runs), False)
            times.seconds[stage] = best
        return times

    def table(self, inputs: AnalysisInputs, result: Each[StageTimes]) -> Table[Subject]:
        def column(what: str) -> TableColumn[Subject]:
            is_share = what in STAGES

            def cell(one: Subject) -> TableCell:
                if one.key not in result.found:
                    fault = result.faults.get(one.key, "")
                    return TableCell("not defined" if fault else "", tip=fault)
                times = result.found[one.key]
                if is_share and what not in (*times.seconds, MODEL):
                    return TableCell("–", "0", order=0.0, value=0.0)
                made = times.share(what) if is_share else times.speed(what)
                shown = f"{made:.1%}" if is_share else f"{made:,.1f}"
                return TableCell(shown, f"{made:.6g}", order=made, value=made)

            head = what if is_share else f"{what} MB/s"
            tip = SHARE if is_share else SPEED
            json = what.lower().replace(" ", "_").replace("-", "_")
            return TableColumn(cell, head, head, head.lower().replace("mb/s", "MB/s"), tip=tip, json=json)  # fmt: skip

        columns = [TOKENIZER, *map(column, (*STAGES, WHOLE, DECODER))]
        done = result.found
        return Table(columns, inputs.subjects, lambda one: one.key, ready=lambda one: one.key in done)  # fmt: skip

    def show(self, inputs: AnalysisInputs, result: Each[StageTimes]) -> Mapping[str, object]:
        series = []
        for subject in (one for one in inputs.subjects if one.key in result.found):
            shares = [result.found[subject.key].share(stage) for stage in STAGES]
            bars = [ChartBar(100 * share, f"{share:.1%}", [f"{share:.6g}"]) for share in shares]
            series.append(BarSeries(subject.name, subject.colour, bars))
        axis = Axis("Share of the time", "%")
        chart = grouped_bars(axis, Axis("Stage"), STAGES, series, [axis.title])
        shown: dict[str, object] = {"table": self.table(inputs, result), "note": f"{EXACT} Measured on {machine_name()}."}  # fmt: skip
        if series:
            shown["bars"] = ShownChart(chart, f"Measured on {machine_name()}.", 12 + len(STAGES) * (2 + len(series)))  # fmt: skip
        return shown

    def remarks(self, inputs: AnalysisInputs, result: Each[StageTimes]) -> list[str]:
        return [EXACT, f"Measured on {machine_name()}."]

    def as_json(self, inputs: AnalysisInputs, result: Each[StageTimes]) -> object:
        rows = self.table(inputs, result).values()
        for subject, row in zip(inputs.subjects, rows, strict=True):
            times = result.found[subject.key]
            row |= {"tokenizer": subject.full_name, "bytes": times.bytes, "seconds": times.seconds}
        return {"machine": machine_name(), "tokenizers": rows}


STAGE_TIMES = StageTimesAnalysis()
