"""The figure of the overview of Compare: the figures of a text by tokenizer, and what the same content costs in languages."""

from __future__ import annotations

from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.charts.chart import Axis, BarSeries, ChartBar, grouped_bars
from tokenarium.models.compare.comparing import LanguageCounts, ParallelCounts, line_counts
from tokenarium.models.compare.language_premiums import (
    by_mean_premium,
    language_premiums,
    widest_gap,
)
from tokenarium.models.compare.metric import Metric, cell_text
from tokenarium.models.compare.metrics import (
    KEY_COLUMNS,
    METRICS,
    Figures,
    figures_of,
    is_flattered,
)
from tokenarium.models.compare.parallel_texts import shipped
from tokenarium.models.compare.tally import measured, tally
from tokenarium.models.text.lost_text import LOST_TEXT, SIGN
from tokenarium.web.analysis_figures import answer, answer_table, check_tokenizers
from tokenarium.web.chart_figures import chart_html
from tokenarium.web.html import paragraphs, remark
from tokenarium.web.page import Figure
from tokenarium.web.shown_scene import ShownScene, ShownTokenizer

REFERENCE = "en"
"""The language whose text costs 1."""

Counted = tuple[ShownTokenizer, Figures]


def overview_figures(shown: ShownScene) -> list[Figure]:
    """Returns the figures of the text, and what languages cost if the scene is scrolled there.

    If the scene begins there, or has no text, that is all.
    """
    check_tokenizers(shown)
    text = shown.asked_text
    at_languages = not text or shown.kept("begin_at") == "languages"
    parts = "" if at_languages else _table(shown, text)
    if at_languages or shown.kept("scroll"):
        parts += _languages(shown)
    title = "What languages cost" if at_languages else "The same text in figures"
    return [answer(parts, title)]


def _table(shown: ShownScene, text: str) -> str:
    document = measured(text)
    counted = [(one, figures_of(tally(one.tokenizer, document))) for one in shown.tokenizers]
    counted.sort(key=lambda one: one[1].value("tokens") or 0)
    names: TableColumn[Counted] = TableColumn(
        lambda row: TableCell(row[0].name, colour=row[0].identity), "Tokenizer", number=False
    )
    metrics = [metric for metric in METRICS if metric.id in KEY_COLUMNS]
    columns = [names, *(_column(metric) for metric in metrics)]
    rows = Table(columns, counted, lambda row: row[0].key)
    doubtful = any(is_flattered(metric, one) for _, one in counted for metric in metrics)
    bars = grouped_bars(
        Axis("Tokens"),
        Axis("Tokenizer"),
        ["Tokens"],
        [
            BarSeries(one.name, one.identity, [ChartBar(value, f"{value:,.0f}", ())])
            for one, figures in counted
            if (value := figures.value("tokens")) is not None
        ],
        [],
    )
    note = remark(LOST_TEXT if doubtful else "")
    return answer_table(rows, "The same text in figures") + note + chart_html(bars, "Tokens")


def _column(metric: Metric) -> TableColumn[Counted]:
    def cell(row: Counted) -> TableCell:
        figures = row[1]
        value = figures.value(metric.id)
        if value is None or (metric.of_words and not figures.words_say):
            return TableCell("–")
        return TableCell(f"{SIGN} " * is_flattered(metric, figures) + cell_text(metric, value))

    return TableColumn(cell, metric.heading, tip=metric.remark)


def _languages(shown: ShownScene) -> str:
    """Returns the tokens of the same sentences in each language, as multiples of those in English."""
    texts = shipped()
    parts = [measured(*text.lines) for text in texts]
    counts: dict[str, LanguageCounts] = {
        one.key: line_counts(one.tokenizer, parts) for one in shown.tokenizers
    }
    names = [text.title for text in texts]
    codes = [text.language for text in texts]
    reference = codes.index(REFERENCE)
    found = [language_premiums(one, reference, names) for one in counts.values()]
    order = list(reversed(by_mean_premium(ParallelCounts(tuple(names), counts), reference)))
    series = []
    for one, premiums in zip(shown.tokenizers, found, strict=True):
        bars = [
            ChartBar(
                premiums[at].value,
                f"{SIGN} " * bool(premiums[at].doubt) + f"{premiums[at].value:.2f}",
                (),
            )
            for at in order
        ]
        series.append(BarSeries(one.name, one.identity, bars))
    axis = Axis("Tokens for the same content", f"{names[reference]} = 1")
    chart = grouped_bars(axis, Axis("Language"), [names[at] for at in order], series, [])
    _, sentence = widest_gap(names, [one.name for one in shown.tokenizers], found, reference)
    return paragraphs(filter(None, [sentence])) + chart_html(chart, "What languages cost")
