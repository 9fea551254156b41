"""What is painted in parts, and not clipped out of a whole: an SVG shows all that is painted."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyleOptionGraphicsItem
from pytestqt.qtbot import QtBot

from tokenarium.pictures.svg_picture import svg_picture
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import LIGHT
from tokenarium.widgets.charts.bar_plot import SeenBars
from tokenarium.widgets.players.track_slider import TrackSlider


@pytest.mark.parametrize(("value", "enabled"), [(0, True), (30, True), (100, True), (30, False)])
def test_a_track_is_coloured_up_to_its_handle(
    value: int, enabled: bool, qtbot: QtBot, qapp: QApplication
) -> None:
    Appearance(qapp, "light")
    slider = TrackSlider()
    qtbot.addWidget(slider)
    slider.setRange(0, 100)
    slider.setValue(value)
    slider.setEnabled(enabled)
    slider.resize(300, 24)
    slider.show()
    image = slider.grab().toImage()
    accent = slider.palette().color(QPalette.ColorRole.Highlight)
    coloured = [x for x in range(300) if image.pixelColor(x, 12) == accent]
    ends = {0: 0, 30: 90, 100: 290}
    assert len(coloured) == pytest.approx(ends[value] if enabled else 0, abs=14)
    svg = ElementTree.fromstring(svg_picture(slider, ""))
    filled = [e.get("fill") for e in svg.iter() if e.get("fill")]
    assert (accent.name() in filled) is enabled
    assert slider.palette().color(QPalette.ColorRole.Mid).name() in filled


def test_bars_end_where_the_chart_does(qapp: QApplication) -> None:
    seen = QRectF(10, 20, 50, 40)
    bars = [QRectF(0, 0, 30, 30), QRectF(40, 50, -20, 30), QRectF(12, 70, 9, 9)]
    marks = [QLineF(15, 0, 15, 90), QLineF(15, 70, 15, 90), QLineF(5, 30, 5, 40)]
    item = SeenBars(bars, LIGHT.tokenizer(0), marks, LIGHT.tokenizer(1), lambda: seen)
    assert all(item.boundingRect().contains(bar.normalized()) for bar in bars)
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    image.fill(LIGHT.panel)
    painter = QPainter(image)
    item.paint(painter, QStyleOptionGraphicsItem())
    painter.end()
    colours = {
        (x, y): image.pixelColor(x, y)
        for x in range(100)
        for y in range(100)
        if image.pixelColor(x, y) != LIGHT.panel
    }
    assert all(seen.adjusted(-1, -1, 1, 1).contains(x, y) for x, y in colours)
    assert colours[25, 25] == colours[30, 55] == LIGHT.tokenizer(0)
    assert colours[15, 40] == LIGHT.tokenizer(1)
