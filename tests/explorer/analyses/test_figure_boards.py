"""The boards of a presentation of figures: in which order the bars are, and when there is a question."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from tokenarium.analyses.figure_boards import MOST_BARS, figure_boards, language_boards
from tokenarium.models.charts.chart import Axis
from tokenarium.models.compare.comparison_model import ComparedRow, ComparisonModel
from tokenarium.models.compare.dot_plot import DotPlot, DotRow, DotSeries
from tokenarium.models.compare.language_premiums import PremiumEstimate
from tokenarium.models.compare.metrics import METRICS, Figures


def row(key: str, tokens: float, lost: float = 0.0) -> ComparedRow:
    """Returns a row whose first figure is known."""
    figures = Figures((tokens, *[None] * (len(METRICS) - 1)), 100, 100, lost, 0.0, True)
    return ComparedRow(key, key, 0, figures=figures)


@pytest.mark.slow
def test_the_best_figure_comes_first_and_is_asked_for() -> None:
    model = ComparisonModel(QColor)
    model.set_rows([row("many", 40), row("few", 20)])
    (board,) = figure_boards(
        model, {METRICS[0].id, METRICS[1].id}
    )  # of the second nothing is known
    assert [bar.name for bar in board.bars] == ["few", "many"]
    assert [bar.share for bar in board.bars] == [0.5, 1.0]
    assert board.right == 0
    assert figure_boards(model, ()) == []
    model.set_rows([row("one", 20), row("two", 20)])
    (board,) = figure_boards(model, {METRICS[0].id})
    assert board.right == -1


def plot(*costs: float | None) -> DotPlot:
    """Returns the costs of languages with one tokenizer."""
    rows = [
        DotRow(f"Language {place}", [None if cost is None else PremiumEstimate(cost)])
        for place, cost in enumerate(costs)
    ]
    return DotPlot(Axis("Tokens for the same content", "English = 1"), [DotSeries("gpt2", 3)], rows)


def test_the_dearest_language_comes_first() -> None:
    (board,) = language_boards(plot(1.0, None, 4.0, 2.0))
    assert [bar.name for bar in board.bars] == ["Language 2", "Language 3", "Language 0"]
    assert [bar.share for bar in board.bars] == [1.0, 0.5, 0.25]
    assert board.bars[0].colour == 3
    assert board.right == 0
    assert "4.00" in board.sentence
    assert language_boards(plot(1.0)) == []
    (board,) = language_boards(plot(2.0, 2.0))
    assert board.right == -1


def test_of_many_languages_the_ends_are_shown() -> None:
    (board,) = language_boards(plot(*range(1, 3 * MOST_BARS)))
    assert len(board.bars) == MOST_BARS
    assert [board.bars[0].said, board.bars[-1].said] == [f"{3 * MOST_BARS - 1:.2f}", "1.00"]
