"""What superwords gain and cost, with the words in order and shuffled: the page Superwords of Compare and
``tokenarium superwords``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tokenarium.analyses.analysis import Analysis, AnalysisInputs
from tokenarium.analyses.field import Number
from tokenarium.analyses.parts import Part, ShownChart
from tokenarium.analyses.table import COUNT, Table, TableCell, TableColumn
from tokenarium.models.charts.chart import Axis, Chart, ChartCurve, ChartMark
from tokenarium.models.task import TaskWork
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import readable
from tokenarium.models.training.superword_runs import BYTES, SuperwordRun, shuffled, superword_run

NAMED = 6
"""Superwords that a row names."""

EXACT = (
    "The tokens are those of the text in its own order; a curve is of what its training read. Only words between two spaces are"
    " shuffled, so BPE and the first phase stay the same. On a text that was not trained on, superwords gain less."
)
COST = "BPE counts distinct words; the second phase counts longer chunks and holds the symbols of the whole text."
SAME = "No words were shuffled: the text has fewer than two different ones between spaces."


class SuperwordsAnalysis(Analysis[list[SuperwordRun]]):
    """Trains BPE and SuperBPE on a text, and SuperBPE once more on the text with its words shuffled.

    Shows the superwords, what they gain in bytes per token, and what the second phase costs.
    """

    id = "superwords"
    title = "Superwords"
    term = "superword"
    asks = "What do superwords gain in {}, in order and shuffled?"
    doing = "Training BPE and SuperBPE"
    least = 0
    fields = (
        Number("entries", "The size of the vocabularies.", "Entries", "The size of the vocabularies: 256 bytes, and one entry for each merge", default=400, low=BYTES + 1, high=200_000, step=50),
        Number("first", "The share of the merges that are inside words.", "Inside words", "The share of the merges that the first phase of SuperBPE makes, inside words", term="transition", default=0.75, high=1, decimals=2, step=0.05),
        Number("seed", "The same seed shuffles the words in the same order.", "Seed", "The same seed shuffles the words in the same order, on every computer", high=1_000_000, kept_if_usual=False),
    )  # fmt: skip
    page_limit = 200_000
    parts = (
        Part("table", "table", "What superwords gain and cost"),
        Part("curves", "plot", "Bytes per token by size of the vocabulary"),
        Part("note", "note"),
    )

    def begin(self, inputs: AnalysisInputs) -> list[SuperwordRun]:
        return []

    def work(self, inputs: AnalysisInputs, result: list[SuperwordRun]) -> TaskWork:
        text, entries = inputs.text, int(inputs.values["entries"])
        first = BYTES + round((entries - BYTES) * inputs.values["first"])
        other = shuffled(text, int(inputs.values["seed"]))
        corpora = {"BPE": text, "SuperBPE": text, "SuperBPE, shuffled": other}
        for number, (name, corpus) in enumerate(corpora.items()):
            found = yield from superword_run(name, number, corpus, text, entries, first)
            result.append(found)

    def table(self, inputs: AnalysisInputs, result: list[SuperwordRun]) -> Table[SuperwordRun]:
        def number(
            title: str, of: Callable[[SuperwordRun], float], tip: str = "", form: Callable[[float], str] = COUNT, seen: bool = True, term: str = "", spare: bool = False
        ) -> TableColumn[SuperwordRun]:  # fmt: skip
            def cell(run: SuperwordRun) -> TableCell:
                return TableCell(form(of(run)), f"{of(run):.6g}", order=of(run), value=of(run))

            return TableColumn(
                cell, title if seen else None, title, title.lower(), tip=tip, term=term, spare=spare
            )

        def distinct(run: SuperwordRun) -> TableCell:
            said = f"{run.distinct:,} of {run.chunks:,}"
            return TableCell(said, str(run.distinct), f"{run.distinct:,}", order=run.distinct)

        def examples(run: SuperwordRun) -> TableCell:
            return TableCell(" · ".join(isolated(readable(one)) for one in run.superwords[:NAMED]))

        columns: list[TableColumn[SuperwordRun]] = [
            TableColumn(lambda run: TableCell(run.name, colour=run.number), "Training", "Training", "training", number=False),
            number("Superwords", lambda run: len(run.superwords), "Entries with a space between two words", term="superword"),
            number("Tokens", lambda run: run.tokens, "Tokens of the text in its own order"),
            number("Bytes/token", lambda run: run.ratio, "Bytes per token of the text in its own order", "{:.2f}".format, term="bytes per token"),
            number("Merges across", lambda run: run.merges, seen=False),
            TableColumn(distinct, "Distinct", "Distinct", "distinct", tip="Distinct chunks that the training counts, of all of them: words for BPE, and for the second phase of SuperBPE longer ones"),
            number("Chunks", lambda run: run.chunks, seen=False),
            number("Symbols", lambda run: run.symbols, "Symbols in memory at the transition: those of the distinct words, or of the whole text", spare=True),
            number("CPU ms", lambda run: 1000 * run.seconds, "Milliseconds of processor time of the training", "{:,.1f}".format, spare=True),
            TableColumn(examples, "First superwords", "First superwords", "first superwords", number=False, grows=True),
        ]  # fmt: skip
        return Table(columns, result, lambda run: run.name, "What superwords gain and cost")

    def show(self, inputs: AnalysisInputs, result: list[SuperwordRun]) -> Mapping[str, object]:
        curves = []
        for run in result:
            size = run.bytes
            points = [(float(entries), size / max(tokens, 1)) for entries, tokens in run.sizes]
            curves.append(ChartCurve(run.name, points, run.number))
        marks = [ChartMark(run.transition, "transition") for run in result[1:2] if run.merges]
        chart = Chart(Axis("Entries"), Axis("Bytes per token"), curves, marks)
        caption = "Bytes per token of the text that each was trained on, by size of the vocabulary."
        return {
            "table": self.table(inputs, result),
            "note": " ".join(self.remarks(inputs, result)),
            "curves": ShownChart(chart, caption, 44, empty="No merges"),
        }

    def remarks(self, inputs: AnalysisInputs, result: list[SuperwordRun]) -> Sequence[str]:
        text = inputs.text
        same = [SAME] * (shuffled(text, int(inputs.values["seed"])) == text)
        reports = [f"{run.name}: {run.report}" for run in result if run.report]
        return [EXACT, COST, *same, *reports]

    def as_json(self, inputs: AnalysisInputs, result: list[SuperwordRun]) -> object:
        return [
            {
                "training": run.name,
                "superwords": [readable(piece) for piece in run.superwords],
                "bytes": run.bytes,
                "tokens": run.tokens,
                "bytes_per_token": run.ratio,
                "merges_across": run.merges,
                "distinct_chunks": run.distinct,
                "chunks": run.chunks,
                "symbols": run.symbols,
                "seconds": run.seconds,
                "report": run.report,
            }
            for run in result
        ]


SUPERWORDS = SuperwordsAnalysis()
