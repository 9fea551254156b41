"""The chart that workspaces share: what it shows, how it is read, and what it writes."""

from __future__ import annotations

import csv
from dataclasses import replace
from math import log10
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pyqtgraph import PlotDataItem
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot
from windows import emitted, on_screen

from tokenarium.models.charts.chart import (
    Axis,
    Chart,
    ChartCurve,
    ChartMark,
    close_limits,
    roomy,
    shown_number,
)
from tokenarium.models.latex_table import latex_table
from tokenarium.pictures.widget_picture import ExportError
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.charts.chart_canvas import seen_view
from tokenarium.widgets.charts.figure_sheet import MARGIN
from tokenarium.widgets.charts.plot import Plot

SVG = "{http://www.w3.org/2000/svg}"
SIZE, COMPRESSION = Axis("Vocabulary size", "pieces"), Axis("Compression", "bytes/token")
CURVES = Chart(
    SIZE,
    COMPRESSION,
    [
        ChartCurve("Training", [(256, 1.0), (300, 2.5)]),
        ChartCurve("Held out", [(256, 1.0), (300, 2.0)], 1, True),
    ],
    [ChartMark(280, "the budget")],
)
BARS = Chart(Axis("Pieces"), Axis("Script"), bars=[("Latin", 120), ("Greek", 7)])


@pytest.fixture
def plot(qtbot: QtBot) -> Plot:
    return on_screen(qtbot, Plot("Compression"), 600, 300)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (1234567, "1,234,567"),
        (3.14159, "3.14"),
        (0.012345, "0.012"),
        (2048.7, "2,049"),
        (1e-05, "0.00001"),
        (-0.000123, "-0.00012"),
    ],
)
def test_numbers_are_short(number: float, shown: str) -> None:
    assert shown_number(number) == shown


def test_a_chart_is_a_table_as_well() -> None:
    assert CURVES.table().splitlines()[:3] == [
        "curve,Vocabulary size (pieces),Compression (bytes/token)",
        "Training,256,1",
        "Training,300,2.5",
    ]
    assert BARS.table() == "Script,Pieces\nLatin,120\nGreek,7\n"
    assert "Latin 120" in BARS.summary()
    assert "Training: from 1 at 256 to 2.50 at 300" in CURVES.summary()


def test_heights_between_points_lie_on_the_line() -> None:
    chart = Chart(
        SIZE, COMPRESSION, [ChartCurve("a", [(0, 0), (10, 5)]), ChartCurve("b", [(5, 1), (10, 2)])]
    )
    assert [height for _, height in chart.reading(4.6)[1]] == [2.5, 1]
    assert [curve.title for curve, _ in chart.reading(0.1)[1]] == ["a"]
    assert Chart(SIZE, COMPRESSION).reading(3) == (3, [])


def test_the_keys_read_the_values(plot: Plot, qtbot: QtBot) -> None:
    plot.show_chart(CURVES)
    qtbot.keyClick(plot.canvas, Qt.Key.Key_Left)
    assert plot.reading.text() == "at 300 pieces: Training 2.50, Held out 2 bytes/token"
    qtbot.keyClick(plot.canvas, Qt.Key.Key_Left)
    assert plot.reading.text().startswith("at 256")
    plot.grab()  # so that the axes are laid out
    qtbot.mouseMove(plot.canvas, QPoint(550, 100))
    qtbot.mouseMove(plot.canvas, QPoint(560, 100))
    qtbot.waitUntil(lambda: plot.reading.text().startswith("at 300"))
    plot.show_chart(BARS)
    qtbot.keyClick(plot.canvas, Qt.Key.Key_Left)
    assert plot.reading.text() == ""


@pytest.mark.parametrize(
    ("most", "room"), [(0, 1), (0.7, 0.8), (1, 1), (4.39, 5), (8.5, 10), (1000, 1000), (1001, 1500)]
)
def test_an_axis_has_room_for_a_while(most: float, room: float) -> None:
    assert roomy(most) == pytest.approx(room)


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        ([3.12, 3.48], (3.1, 3.5)),
        ([1.0, 3.93], (1.0, 4.0)),
        ([0.912, 0.948], (0.91, 0.95)),
        ([2.0], (1.9, 2.1)),
        ([2.0, 2.0 + 1e-12], (1.9, 2.1)),
    ],
)
def test_limits_lie_close_around_the_values(
    values: list[float], limits: tuple[float, float]
) -> None:
    assert close_limits(values) == limits


def test_an_axis_with_limits_stays_while_a_curve_grows(plot: Plot) -> None:
    def shown() -> tuple[list[float], list[float]]:
        across, up = plot.canvas.view.getViewBox().viewRange()
        return across, up

    size, height = Axis("Size", limits=(0, 600)), Axis("Height", limits=(1, 5))
    for last in (300, 400):
        plot.show_chart(Chart(size, height, [ChartCurve("a", [(256, 1.0), (last, 2.5)])]))
        plot.grab()
        assert shown() == ([0, 600], [1, 5])
    plot.show_chart(
        Chart(size, Axis("Height", limits=(1, 8)), [ChartCurve("a", [(256, 1), (500, 6)])])
    )
    assert shown()[1] == [1, 8]
    plot.show_chart(Chart(Axis("Size"), Axis("Height"), [ChartCurve("a", [(256, 1), (500, 6)])]))
    plot.grab()
    left, right = shown()[0]
    assert 200 < left < 256
    assert 500 < right < 550


def test_a_chart_is_laid_out_before_there_is_anything_to_draw(plot: Plot) -> None:
    plot.show_chart(Chart(SIZE, COMPRESSION), "Nothing yet.")
    plot.prepare()
    assert plot.note.isVisible()
    assert not plot.canvas.isVisible()
    assert plot.canvas.size() == plot.note.size()
    plot.show_chart(CURVES)
    assert plot.canvas.isVisible()
    assert not plot.note.isVisible()


def test_an_empty_chart_says_why(plot: Plot) -> None:
    plot.show_chart(Chart(SIZE, COMPRESSION), "Nothing has been merged yet.")
    assert plot.note.isVisible()
    assert not plot.more.isEnabled()
    plot.show_chart(CURVES)
    assert plot.canvas.isVisible()
    assert "Held out" in plot.canvas.accessibleDescription()


def test_it_is_saved_as_it_is(plot: Plot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plot.show_chart(CURVES)
    for suffix in ("png", "svg", "csv", "tex"):
        path = tmp_path / f"c.{suffix}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, p=path: (str(p), ""))
        plot.ask_and_save(suffix)
        assert path.stat().st_size > 60
    rows = list(csv.reader((tmp_path / "c.csv").read_text("utf-8").splitlines()))
    assert (tmp_path / "c.tex").read_text("utf-8") == latex_table(rows)
    assert QImage(str(tmp_path / "c.png")).width() == 2 * (600 + 2 * MARGIN)
    name = str(tmp_path / "gpt-4.1 and others")  # as dialogs return what was typed
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (name, ""))
    saved: list[Path] = emitted(plot.saved)
    plot.ask_and_save("csv")
    assert saved == [tmp_path / "gpt-4.1 and others.csv"]
    assert (tmp_path / "gpt-4.1 and others.csv").read_text() == (tmp_path / "c.csv").read_text()
    problems: list[str] = emitted(plot.problem)
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "c.csv"), "")
    )
    plot.ask_and_save("csv")
    assert "cannot be written" in problems[0]
    assert len(saved) == 1
    assert problems[0].endswith("Choose another folder or name.")
    with pytest.raises(ExportError):
        plot.save(tmp_path / "no" / "c.svg")


def test_colours_follow_the_theme(plot: Plot) -> None:
    plot.show_chart(BARS)
    plot.show_chart(CURVES)
    plot.setPalette(DARK.palette())
    assert plot.grab().toImage().pixelColor(300, 200) == DARK.surface


def test_a_picture_has_the_title_and_the_legend_of_a_single_curve(
    plot: Plot, tmp_path: Path
) -> None:
    plot.show_chart(replace(CURVES, curves=CURVES.curves[:1]))
    plot.save(tmp_path / "c.svg")
    drawn = (tmp_path / "c.svg").read_text(encoding="utf-8")
    assert f">{plot.title}<" in drawn
    assert f">{CURVES.curves[0].title}<" in drawn


def test_nothing_covers_the_curves_in_a_vector_picture(plot: Plot, tmp_path: Path) -> None:
    points = [(256, 1.0), (280, 2.0), (300, 2.5)]
    plot.show_chart(
        replace(CURVES, curves=[ChartCurve("Training", points), ChartCurve("Other", points)])
    )
    plot.save(tmp_path / "c.svg")
    root = ElementTree.parse(tmp_path / "c.svg").getroot()
    places = {path.get("id"): path for path in root.iter(f"{SVG}clipPath")}
    group = list(root)[-1]  # the names beside the curves are drawn last, with their ground
    shown = places[group.get("clip-path", "")[5:-1]]
    width, height = (int(number) for number in root.get("viewBox", "").split()[2:])
    for rect in shown:
        x, y, wide, high = (int(rect.get(key, "")) for key in ("x", "y", "width", "height"))
        assert not (x < width / 2 < x + wide and y < height / 2 < y + high)
    lines = list(root.iter(f"{SVG}polyline"))
    assert not any(line.get("vector-effect") == "non-scaling-stroke" for line in lines)
    drawn = [point for line in lines for point in line.get("points", "").split()]  # in pixels
    assert width / 2 < max(float(point.split(",")[0]) for point in drawn) < width
    families = {element.get("font-family", "") for element in root.iter()} - {""}
    assert all(family.endswith((", sans-serif", ", monospace")) for family in families)


def test_a_label_is_in_the_middle_of_its_axis(plot: Plot) -> None:
    plot.show_chart(CURVES)
    longer = replace(CURVES, x=Axis("A title that is much longer than the other one", "bytes"))
    plot.show_chart(longer)
    axis = plot.canvas.view.getAxis("bottom")  # type: ignore[attr-defined]
    middle = axis.label.pos().x() + axis.label.boundingRect().width() / 2
    assert middle == pytest.approx(axis.size().width() / 2, abs=1)


def test_a_label_that_is_longer_than_its_axis_is_left_out(plot: Plot, qtbot: QtBot) -> None:
    plot.show_chart(CURVES)
    label = plot.canvas.view.getAxis("left").label  # type: ignore[attr-defined]
    qtbot.waitUntil(label.isVisible)
    plot.resize(600, 150)
    qtbot.waitUntil(lambda: not label.isVisible())
    plot.resize(600, 300)
    qtbot.waitUntil(label.isVisible)


def test_powers_of_ten_are_written_once(plot: Plot) -> None:
    points = [(1.0, 900.0), (1000.0, 1.0)]
    plot.show_chart(Chart(Axis("x", "", True), Axis("y", "", True), [ChartCurve("one", points)]))
    for name in ("left", "bottom"):
        axis = plot.canvas.view.getAxis(name)  # type: ignore[attr-defined]
        places = [float(v) for _, level in axis.tickValues(0.0, 3.0, 400) for v in level]
        assert len({round(place, 6) for place in places}) == len(places)
        assert 1.0 in places


def test_a_chart_with_the_keyboard_has_a_ring(plot: Plot) -> None:
    plot.show_chart(CURVES)
    canvas = plot.canvas
    edge = QPoint(0, canvas.height() // 2)
    assert canvas.grab().toImage().pixelColor(edge) == LIGHT.surface
    plot.activateWindow()
    canvas.setFocus()
    plot.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    assert canvas.hasFocus()
    assert canvas.grab().toImage().pixelColor(edge) == LIGHT.accent


@pytest.mark.parametrize(
    ("ends", "apart"),
    [((1.0, 2.0), True), ((1.0, 1.05), False), ((2.0,), False), ((1.0, 2.0, 3.0), True)],
)
def test_curves_are_named_at_their_ends_where_these_are_apart(
    plot: Plot, ends: tuple[float, ...], apart: bool
) -> None:
    curves = [ChartCurve(f"c{n}", [(0, 0.0), (10, end)], n) for n, end in enumerate(ends)]
    chart = Chart(SIZE, COMPRESSION, curves)
    assert chart.ends_apart == apart
    plot.show_chart(chart)
    canvas = plot.canvas
    assert plot.key.isHidden() == (apart or len(ends) == 1)
    assert len(canvas._names_at_ends) == len(ends) * apart  # type: ignore[attr-defined]
    assert len(canvas._ends) == len(ends) * (len(ends) > 1)  # type: ignore[attr-defined]
    for end, curve in zip(canvas._ends, curves, strict=False):  # type: ignore[attr-defined]
        assert (end.data["x"][0], end.data["y"][0]) == curve.points[-1]
    assert "c0" in plot.caption()
    plot.show_chart(replace(chart, curves=curves[:1]))
    assert not canvas._ends  # type: ignore[attr-defined]
    assert not canvas._names_at_ends  # type: ignore[attr-defined]
    plot.show_chart(BARS)
    plot.show_chart(chart)
    assert not plot.grab().isNull()


def test_ends_are_apart_as_they_are_drawn() -> None:
    curves = [ChartCurve(str(n), [(0, 1.0), (10, float(10**n))], n) for n in range(4)]
    assert not Chart(SIZE, COMPRESSION, curves).ends_apart
    assert Chart(SIZE, replace(COMPRESSION, logarithmic=True), curves).ends_apart


def test_both_ends_of_a_logarithmic_axis_have_a_number(plot: Plot) -> None:
    axis = Axis("Training time", "seconds", True, (0.2, 0.5))
    plot.show_chart(Chart(SIZE, axis, [ChartCurve("One", [(300.0, 0.33), (400.0, 0.41)], 0)]))
    left = plot.canvas.view.getAxis("left")
    shown = [
        text
        for spacing, values in left.tickValues(*left.range, 300)
        for text in left.tickStrings(values, 1.0, spacing)
        if text
    ]
    assert shown == ["0.20", "0.50"]


def test_a_chart_makes_no_menu(qtbot: QtBot) -> None:
    """A hidden menu of fifty widgets for each chart would slow down the pages, and what looks at all widgets."""
    seen_view()  # loads pyqtgraph, which may make something once
    before = QApplication.allWidgets()
    view = seen_view()
    qtbot.addWidget(view)
    made = [one for one in QApplication.allWidgets() if one not in before]
    assert view in made
    assert not [one for one in made if isinstance(one, (QMenu, QAbstractButton))]


def test_curves_follow_their_axes(plot: Plot) -> None:
    """Also those that are drawn after the axes have become logarithmic, and after they have ceased to be."""
    logarithmic = replace(CURVES, x=replace(SIZE, logarithmic=True))
    more = replace(
        logarithmic, curves=[*CURVES.curves, ChartCurve("Third", [(10, 1.0), (1000, 3.0)])]
    )
    for chart, most in ((CURVES, 300), (logarithmic, log10(300)), (more, 3), (CURVES, 300)):
        plot.show_chart(chart)
        drawn = [
            float(item.getData()[0].max())
            for item in plot.canvas.view.getViewBox().addedItems
            if isinstance(item, PlotDataItem) and len(item.getData()[0])
        ]
        assert max(drawn) == pytest.approx(most)
