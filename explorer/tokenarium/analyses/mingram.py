"""What MinGram keeps of a larger BPE, beside BPE itself: the page MinGram of Compare and ``tokenarium mingram``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tokenarium.analyses.analysis import Analysis, AnalysisInputs
from tokenarium.analyses.field import Number
from tokenarium.analyses.parts import Part
from tokenarium.analyses.table import COUNT, Table, TableCell, TableColumn
from tokenarium.models.task import TaskWork
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import counted, readable
from tokenarium.models.training.mingram import BYTES
from tokenarium.models.training.mingram_runs import MinGramRun, mingram_runs

NAMED = 8
"""Pieces that a row names."""

HOW = (
    "MinGram begins with the entries of a larger BPE, splits each word into as few of them as possible, and keeps those that are used"
    " most often. Between ways with as many tokens, the probabilities of the pieces decide."
)


class MinGramAnalysis(Analysis[list[MinGramRun]]):
    """Trains BPE and MinGram on a text, and writes what each keeps and how many tokens the text needs.

    MinGram (Land 2026) keeps the entries of a larger BPE that the segmentations with the fewest tokens use most often.
    """

    id = "mingram"
    title = "MinGram"
    term = "MinGram"
    least = 0
    fields = (
        Number("entries", "The most entries of the vocabularies.", "Entries", "The most entries: 256 bytes, and longer pieces", default=400, low=BYTES + 1, high=200_000, step=50),
        Number("overshoot", "How many times as many merges the BPE has that it begins with.", "Overshoot", "How many times as many merges the BPE has that MinGram begins with", default=1.1, low=1, high=10, decimals=2, step=0.1),
    )  # fmt: skip
    page_limit = 100_000
    parts = (Part("table", "table", "Entries of BPE and of MinGram"), Part("note", "note"))

    def question(self, what: str) -> str:
        return f"Which entries give {what} the fewest tokens?"

    def working(self, inputs: AnalysisInputs) -> str:
        return "Training BPE and MinGram"

    def begin(self, inputs: AnalysisInputs) -> list[MinGramRun]:
        return []

    def work(self, inputs: AnalysisInputs, result: list[MinGramRun]) -> TaskWork:
        entries, overshoot = int(inputs.values["entries"]), float(inputs.values["overshoot"])
        result += yield from mingram_runs(inputs.text, entries, overshoot)

    def table(self, inputs: AnalysisInputs, result: list[MinGramRun]) -> Table[MinGramRun]:
        def number(
            title: str, of: Callable[[MinGramRun], float], tip: str, form: Callable[[float], str] = COUNT, term: str = ""
        ) -> TableColumn[MinGramRun]:  # fmt: skip
            def cell(run: MinGramRun) -> TableCell:
                return TableCell(form(of(run)), f"{of(run):.6g}", order=of(run), value=of(run))

            return TableColumn(cell, title, title, title.lower(), tip=tip, term=term)

        def examples(run: MinGramRun) -> TableCell:
            return TableCell(" · ".join(isolated(readable(one)) for one in run.only[:NAMED]))

        columns: list[TableColumn[MinGramRun]] = [
            TableColumn(lambda run: TableCell(run.name, colour=run.number), "Training", "Training", "training", number=False),
            number("Entries", lambda run: len(run.pieces), "Entries of the vocabulary: those that are not used are dropped by MinGram"),
            number("Not used", lambda run: run.unused, "Entries of more than one byte that the text never uses"),
            number("Tokens", lambda run: run.tokens, "Tokens of the text"),
            number("Bytes/token", lambda run: run.ratio, "Bytes per token of the text", "{:.3f}".format, term="bytes per token"),
            number("Only here", lambda run: len(run.only), "Entries that MinGram does not have, or that only MinGram has"),
            TableColumn(examples, "The most used of them", "The most used of them", "the most used of them", number=False, spare=True, grows=True),
        ]  # fmt: skip
        return Table(columns, result, lambda run: run.name, "Entries of BPE and of MinGram")

    def show(self, inputs: AnalysisInputs, result: list[MinGramRun]) -> Mapping[str, object]:
        return {
            "table": self.table(inputs, result),
            "note": " ".join(self.remarks(inputs, result)),
        }

    def remarks(self, inputs: AnalysisInputs, result: list[MinGramRun]) -> Sequence[str]:
        saved = [
            f"Of {counted(bpe.tokens - mingram.tokens, 'token')} saved, {bpe.tokens - split.tokens:,} are due to splitting alone."
            for bpe, split, mingram in [result]
            if bpe.tokens > mingram.tokens
        ] if result else []  # fmt: skip
        return [HOW, *saved]

    def as_json(self, inputs: AnalysisInputs, result: list[MinGramRun]) -> object:
        return [
            {
                "training": run.name,
                "entries": len(run.pieces),
                "not_used": run.unused,
                "bytes": run.size,
                "tokens": run.tokens,
                "bytes_per_token": run.ratio,
                "only_here": [readable(piece) for piece in run.only],
            }
            for run in result
        ]


MINGRAM = MinGramAnalysis()
