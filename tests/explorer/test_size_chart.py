"""The chart of the vocabulary size: the names of its curves, also in little room."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tokenarium.models.merges.size_scale import SizeCurve, SizeScale
from tokenarium.style.theme import LIGHT
from tokenarium.widgets.charts.size_chart import SIZE_TITLE, SizeChart

ENDS = (8_000, 50_000, 100_000, 200_000)


@pytest.mark.parametrize(("height", "in_chart"), [(400, True), (200, True), (130, False)])
def test_names_stand_in_the_chart_or_under_it(
    height: int, in_chart: bool, qtbot: QtBot, qapp: QApplication
) -> None:
    chart = SizeChart(LIGHT)
    qtbot.addWidget(chart)
    curves = [
        SizeCurve(
            f"curve {end:,}",
            LIGHT.tokenizer(place),
            np.array([256, end], np.int64),
            np.array([1_300.0, 320.0 + place]),
        )
        for place, end in enumerate(ENDS)
    ]
    chart.resize(560, height)
    chart.show()
    chart.show_curves(curves, SizeScale(256, 200_000), "Tokens")
    qapp.processEvents()
    names = [drawn.name for drawn in chart._drawn if drawn.name.isVisible()]
    assert len(names) == (len(ENDS) if in_chart else 0)
    assert chart.legend.isVisible() is not in_chart
    told = [label.text() for label in chart.legend.findChildren(QLabel)]
    assert sorted(told) == sorted([*(curve.name for curve in curves), SIZE_TITLE])
    bottom = chart.legend.mapTo(chart, chart.legend.rect().bottomLeft()).y()
    assert in_chart or (chart._plot.height() > height // 2 and bottom < height)
    for name in names:
        place = name.mapRectToScene(name.boundingRect())
        assert place.top() >= 0
        assert place.bottom() <= chart.height()


def test_large_counts_are_written_out(qtbot: QtBot) -> None:
    chart = SizeChart(LIGHT)
    qtbot.addWidget(chart)
    sizes, counts = np.array([256, 300], np.int64), np.array([2e6, 1.0])
    chart.show_curves(
        [SizeCurve("long", LIGHT.tokenizer(0), sizes, counts)], SizeScale(256, 300), ""
    )
    assert "1,000,000" in [text for _, text in chart._plot.getAxis("left")._tickLevels[0]]
