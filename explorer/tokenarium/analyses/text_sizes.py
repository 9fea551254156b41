"""How well each size of a vocabulary compresses several texts: the page Sizes of Compare and ``tokenarium text-sizes``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tokenarium.analyses.analysis import Analysis, AnalysisInputs
from tokenarium.analyses.field import Choices
from tokenarium.analyses.parts import Part, ShownChart
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.charts.chart import Axis, Chart, ChartCurve
from tokenarium.models.merges.size_cuts import SizeCuts
from tokenarium.models.merges.text_sizes import TEXTS, TextSizes, shown_sizes, texts_of
from tokenarium.models.task import TaskWork, slices
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.lost_text import LOST_TEXT, SIGN, is_doubtful, lost_share
from tokenarium.models.text.piece import percent

POINTS = 64
"""Sizes at which a curve has a point."""

SHOWN = 5
"""Sizes beside the whole one that a window shows; files have all."""

EXACT = (
    "A size is that of the vocabulary made of the first merges alone, as if its training had ended there. The last doubling is the"
    " share of the tokens that the second half of the entries saves."
)  # fmt: skip


class TextSizesAnalysis(Analysis[list[TextSizes]]):
    """Measures the bytes per token of a text and of samples in several languages, with each size of a BPE vocabulary.

    A size is that of the vocabulary made of the first merges alone.
    """

    id = "text_sizes"
    title = "Sizes"
    term = "bytes per token"
    asks = "What does each size of the vocabulary bring to {} and to others?"
    doing = "Splitting texts at every size"
    fields = (
        Choices("texts", "Only this text: “The text” or the title of a sample, such as German.", "Texts", "Which texts are split", kept="texts_out", names=TEXTS),
    )  # fmt: skip
    page_limit = 200_000
    remedy = "Bring a BPE tokenizer to the front: click it in the library (Ctrl+B)."
    parts = (
        Part("table", "table", "Bytes per token by size of the vocabulary"),
        Part("curves", "plot", "Bytes per token by size of the vocabulary"),
        Part("note", "note"),
    )

    def begin(self, inputs: AnalysisInputs) -> list[TextSizes]:
        return []

    def work(self, inputs: AnalysisInputs, result: list[TextSizes]) -> TaskWork:
        tokenizer = inputs.subjects[0].tokenizer
        for name, text in texts_of(inputs.text, inputs.values["texts"]).items():
            job = tokenizer.nested_cuts(text)
            yield from slices(job)
            size = len(text.encode("utf-8", "replace"))
            lost = lost_share(tokenizer, [text])
            result.append(TextSizes(name, TEXTS.index(name), size, SizeCuts(job), lost))

    def table(self, inputs: AnalysisInputs, result: list[TextSizes]) -> Table[TextSizes]:
        def column(size: int, seen: bool, spare: bool) -> TableColumn[TextSizes]:
            def cell(row: TextSizes) -> TableCell:
                ratio, sign = row.ratio(size), f"{SIGN} " * is_doubtful(row.lost)
                return TableCell(f"{sign}{ratio:.2f}", f"{ratio:.6g}", order=ratio, value=ratio)

            head = f"{size:,}"
            tip = f"Bytes per token with {head} entries"
            return TableColumn(cell, head if seen else None, head, head if seen else None, tip=tip, spare=spare)  # fmt: skip

        sizes = shown_sizes(result[0].cuts) if result else []
        columns: list[TableColumn[TextSizes]] = [
            TableColumn(lambda row: TableCell(row.name, colour=row.number), "Text", "Text", "text", number=False, grows=True),
            TableColumn(lambda row: TableCell(f"{row.bytes:,}", str(row.bytes), order=row.bytes), "Bytes", "Bytes", "bytes", spare=True),
            *(column(size, at >= len(sizes) - SHOWN - 1, at < len(sizes) - 3) for at, size in enumerate(sizes)),
            TableColumn(lambda row: TableCell(percent(row.last_doubling), f"{row.last_doubling:.6g}", order=row.last_doubling), "Last doubling", "Last doubling", "last doubling", tip="The share of the tokens that the second half of the entries saves"),
        ]  # fmt: skip
        return Table(columns, result, lambda row: row.name, f"Bytes per token by number of entries: {inputs.subjects[0].full_name}")  # fmt: skip

    def show(self, inputs: AnalysisInputs, result: list[TextSizes]) -> Mapping[str, object]:
        curves = []
        for row in result:
            sizes = np.geomspace(max(row.cuts.base, 1), row.cuts.size, POINTS).round()
            points = [(size, row.ratio(int(size))) for size in np.unique(sizes).tolist()]
            curves.append(ChartCurve(row.name, points, row.number))
        axes = Axis("Entries", logarithmic=True), Axis("Bytes per token")
        chart, table = Chart(*axes, curves), self.table(inputs, result)
        shown = {"table": table, "note": " ".join([EXACT, *self._lossy(result)])}
        title = f"{isolated(inputs.subjects[0].name)}: bytes per token by size of the vocabulary"
        return shown | {"curves": ShownChart(chart, f"{table.title}.", 44, title, "No text")}

    def remarks(self, inputs: AnalysisInputs, result: list[TextSizes]) -> Sequence[str]:
        return [EXACT, *self._lossy(result)]

    @staticmethod
    def _lossy(result: list[TextSizes]) -> list[str]:
        return [LOST_TEXT] if any(is_doubtful(row.lost) for row in result) else []

    def as_json(self, inputs: AnalysisInputs, result: list[TextSizes]) -> object:
        texts = [
            {
                "text": row.name,
                "bytes": row.bytes,
                "bytes_per_token": {str(size): row.ratio(size) for size in shown_sizes(row.cuts)},
                "last_doubling": row.last_doubling,
                "lost": row.lost,
            }
            for row in result
        ]
        return {"tokenizer": inputs.subjects[0].full_name, "texts": texts}


TEXT_SIZES = TextSizesAnalysis()
