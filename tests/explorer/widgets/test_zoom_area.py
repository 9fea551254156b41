"""A chart is enlarged around the pointer, scrolls, and gets its own size back; each kind in its own way."""

from __future__ import annotations

import pytest
from narrowed import there
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from windows import on_screen

from tokenarium.models.charts.chart import (
    Axis,
    BarSeries,
    Chart,
    ChartBar,
    ChartCurve,
    GroupedBars,
)
from tokenarium.widgets.charts.bar_plot import BarCanvas
from tokenarium.widgets.charts.chart_canvas import ChartCanvas
from tokenarium.widgets.zoom_area import LEVELS, Zoomable, ZoomArea, ZoomButton, next_level


@pytest.fixture
def area(qtbot: QtBot) -> ZoomArea:
    return on_screen(qtbot, ZoomArea(QWidget()), 400, 300)


def button_of(widget: QWidget) -> ZoomButton:
    return there(widget.findChild(ZoomButton))


def test_a_chart_fills_its_area_at_its_own_size(area: ZoomArea) -> None:
    assert isinstance(area, Zoomable)
    assert area.widget().size() == area.size()
    area.resize(500, 200)
    assert area.widget().size() == area.size()
    assert not area.horizontalScrollBar().isVisible()
    assert not area.verticalScrollBar().isVisible()


@pytest.mark.parametrize("place", [QPoint(0, 0), QPoint(200, 150), QPoint(350, 20)])
def test_what_is_under_the_pointer_stays_there(area: ZoomArea, place: QPoint) -> None:
    at = area.viewport().mapToGlobal(place)
    area.zoom_by(3, at)
    assert area.percent == 200
    inside = area.widget().mapFromGlobal(at)
    assert abs(inside.x() - 2 * place.x()) <= 1
    assert abs(inside.y() - 2 * place.y()) <= 1
    area.zoom_by(-9, at)
    assert area.percent == 100
    assert area.widget().size() == area.size()


def test_the_button_says_the_size_and_restores_it(area: ZoomArea) -> None:
    button = button_of(area)
    assert button.isHidden()
    area.zoom_by(1, QPoint())
    assert (button.isVisible(), button.text()) == (True, "125 %")
    assert area.viewport().geometry().contains(button.geometry())
    button.click()
    assert (area.percent, button.isHidden()) == (100, True)


def test_levels_have_ends() -> None:
    assert next_level(100, 99) == LEVELS[-1]
    assert next_level(100, -99) == LEVELS[0]
    assert next_level(125, -9, 100) == 100


def curves() -> ChartCanvas:
    canvas = ChartCanvas()
    curve = ChartCurve("One", tuple((float(x), float(x * x)) for x in range(20)), 0)
    canvas.show_chart(Chart(Axis("Entries"), Axis("Bytes"), (curve,)))
    return canvas


def ranges(canvas: ChartCanvas) -> list[float]:
    return [end for axis in canvas.view.getViewBox().viewRange() for end in axis]


def test_a_chart_of_curves_shows_a_part_of_its_axes(qtbot: QtBot) -> None:
    canvas = on_screen(qtbot, curves(), 500, 400)
    qtbot.wait(1)
    whole = ranges(canvas)
    centre = canvas.mapToGlobal(canvas.rect().center())
    canvas.zoom_by(3, centre)
    part = ranges(canvas)
    assert part[1] - part[0] == pytest.approx((whole[1] - whole[0]) / 2)
    assert whole[0] < part[0] < part[1] < whole[1]
    held = Qt.MouseButton.LeftButton
    qtbot.mousePress(canvas, held, pos=QPoint(250, 200))
    qtbot.mouseMove(canvas, QPoint(200, 200))
    qtbot.mouseRelease(canvas, held, pos=QPoint(200, 200))
    assert ranges(canvas)[0] > part[0], "what is dragged to the left shows more of the right"
    qtbot.mouseDClick(canvas, held)
    qtbot.waitUntil(lambda: ranges(canvas) == pytest.approx(whole))
    assert button_of(canvas).isHidden()


def bars() -> BarCanvas:
    series = BarSeries("One", 0, [ChartBar(float(place), str(place), ()) for place in range(30)])
    names = tuple(f"Script {place}" for place in range(30))
    canvas = BarCanvas()
    canvas.show_chart(GroupedBars(Axis("Entries"), Axis("Script"), names=names, series=(series,)))
    return canvas


@pytest.mark.parametrize(("steps", "larger"), [(2, True), (-2, False)])
def test_bars_and_their_names_grow(qtbot: QtBot, steps: int, larger: bool) -> None:
    canvas = on_screen(qtbot, bars(), 500, 400)
    before = canvas.row_height
    letters = QFontMetrics(canvas._name_font).height()
    canvas.zoom_by(steps, QPoint())
    assert (canvas.row_height > before, QFontMetrics(canvas._name_font).height() > letters) == (
        larger,
        larger,
    )
    canvas.restore()
    assert canvas.row_height == before
