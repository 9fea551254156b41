"""Figures of the size of a vocabulary: a text as several sizes split it, and what each size costs a model."""

from __future__ import annotations

from typing import Final

from tokenarium.analyses.model_inputs import MODEL_FIELDS, embedding_of
from tokenarium.models.charts.chart import Axis, Chart, ChartCurve
from tokenarium.models.merges.size_cuts import SizeCuts, size_cuts
from tokenarium.models.text.piece import hexadecimal, piece_text
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium.models.training.size_budget import COLUMNS, SizeBudget, size_row
from tokenarium.models.vocabulary.padded_sizes import MULTIPLES
from tokenarium.web.analysis_figures import NO_TEXT, answer, check_tokenizers, values_of
from tokenarium.web.chart_figures import chart_html
from tokenarium.web.html import escaped, paragraphs, remark, table
from tokenarium.web.page import Figure
from tokenarium.web.shown_scene import ShownScene, ShownTokenizer
from tokenarium.web.text_figures import TextRow, text_figure
from tokenarium_core import TokenariumError

TITLE: Final = "What each size costs"

MOST_ROWS: Final = 5
"""The most sizes that are shown."""

MOST_BYTES: Final = 500
"""The most bytes of the text: each size shows all of it."""


def sizes_figures(shown: ShownScene) -> list[Figure]:
    """Returns the text at sizes of the vocabulary in front, and the curves of all that have merges."""
    check_tokenizers(shown)
    start, end = shown.text.characters(0, min(shown.text.byte_count, MOST_BYTES))
    text = shown.text.slice(start, end)
    if not text:
        raise TokenariumError(NO_TEXT)
    cuts: list[tuple[ShownTokenizer, SizeCuts]] = []
    without = []
    for one in shown.ordered:
        try:
            cuts.append((one, size_cuts(one.tokenizer, text)))
        except TokenariumError:
            without.append(one.name)
    if not cuts:
        raise TokenariumError("None of these tokenizers has merges, so there are no smaller sizes.")
    front, front_cuts = cuts[0]
    rows = [_row(front, front_cuts, size, end) for size in _sizes(front_cuts, shown.kept("size"))]
    part = shown.text if end == shown.text.byte_count else type(shown.text)(text)
    figure = text_figure(part, rows)
    notes = f"Without merges: {', '.join(without)}." if without else ""
    chart = Chart(
        Axis("Vocabulary entries", "", True), Axis("Tokens"), [_curve(*one) for one in cuts]
    )
    return [figure, answer(chart_html(chart, "Tokens by size of the vocabulary") + remark(notes))]


def budget_figures(shown: ShownScene) -> list[Figure]:
    """Returns what the vocabularies cost a model, that of the tokenizer in front first."""
    check_tokenizers(shown)
    padded = str(shown.kept("multiple") or "").removeprefix("to ").replace(",", "")
    multiple = int(padded) if padded.isdecimal() and int(padded) in MULTIPLES else 1
    embedding, budget = embedding_of(values_of(MODEL_FIELDS, shown), multiple)
    front, *others = [(one.name, len(one.tokenizer.vocabulary)) for one in shown.ordered]
    sizes = SizeBudget(*front, embedding, budget)
    rows = [*sizes.rows(), *(size_row(name, size, embedding) for name, size in others)]
    heads = [title for title, _ in COLUMNS]
    cells = [[escaped(cell) for cell in row.cells()] for row in rows]
    listed = table(heads, cells, TITLE, range(1, len(heads)))
    return [answer(paragraphs([sizes.sentence()]) + listed, TITLE)]


def _sizes(cuts: SizeCuts, kept: object) -> list[int]:
    """Returns the sizes that are shown: that of the scene, or the whole one, and then from the smallest on."""
    first = kept if isinstance(kept, int) and cuts.base <= kept <= cuts.size else cuts.size
    factor = (cuts.size / max(cuts.base, 1)) ** (1 / (MOST_ROWS - 2)) if cuts.base else 2.0
    steps = [round(max(cuts.base, 1) * factor**at) for at in range(MOST_ROWS - 1)]
    rounded = [min(cuts.size, max(cuts.base, _round(one))) for one in steps]
    return [first, *(one for one in dict.fromkeys(rounded) if one != first)]


def _round(number: int) -> int:
    """Returns a number with two digits that say something."""
    digits = int(10 ** max(0, len(str(number)) - 2))
    return round(number / digits) * digits


def _row(one: ShownTokenizer, cuts: SizeCuts, size: int, end: int) -> TextRow:
    parts = cuts.parts(cuts.number(size), 0, end, superword_ids(one.tokenizer))
    assert parts.ids is not None
    vocabulary = one.tokenizer.vocabulary
    ids = parts.ids[:].tolist()
    numbers = {token: at for at, token in enumerate(dict.fromkeys(ids))}
    facts = [
        (piece_text(vocabulary, token), f"id {token} · {hexadecimal(vocabulary.piece(token))}")
        for token in numbers
    ]
    return TextRow(
        f"{size:,} entries", one.name, one.identity, parts, facts, [numbers[token] for token in ids]
    )


def _curve(one: ShownTokenizer, cuts: SizeCuts) -> ChartCurve:
    numbers = sorted({0, *cuts.changes.tolist(), cuts.merges})
    counts = cuts.counts(numbers).tolist()
    return ChartCurve(
        one.name,
        [(cuts.base + number, float(count)) for number, count in zip(numbers, counts, strict=True)],
        one.identity,
    )
