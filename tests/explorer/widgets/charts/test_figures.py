"""Charts as figures: their sizes, letters, colours and captions, and the dialog that chooses them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QGuiApplication, QImage, QPalette
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot
from windows import Host, emitted, off_screen

from tokenarium.models.charts.chart import (
    Axis,
    BarSeries,
    Chart,
    ChartBar,
    ChartCurve,
    grouped_bars,
)
from tokenarium.models.charts.figure import PRESETS, FigureColours, FigureLook, FigureSource
from tokenarium.models.compare.dot_plot import DotPlot, DotRow, DotSeries
from tokenarium.models.compare.language_premiums import PremiumEstimate
from tokenarium.style.theme import DARK, HIGH_CONTRAST, Theme
from tokenarium.widgets.charts.bar_plot import BarPlot
from tokenarium.widgets.charts.dot_chart import DotChart
from tokenarium.widgets.charts.figure_sheet import THEMES, figure_sheet
from tokenarium.widgets.charts.plot import Plot, SavedChart

CURVES = Chart(
    Axis("Size", "pieces"),
    Axis("Compression", "bytes/token"),
    [ChartCurve(f"Tokenizer number {n}", [(256, 1.0), (300, 2.5 + n)], n) for n in range(5)],
)
SOURCE = FigureSource("A corpus of one line", "Lines show 95%", lambda: "print(1)")


def curves() -> Plot:
    plot = Plot("Compression")
    plot.resize(500, 300)
    plot.show_chart(CURVES)
    return plot


def dots() -> DotChart:
    chart = DotChart("Costs")
    chart.setPalette(DARK.palette())
    chart.resize(500, 300)
    values = [PremiumEstimate(1.5, 1.2, 1.9), PremiumEstimate(2.5)]
    rows = [DotRow(f"Language {n}", values) for n in range(30)]
    series = [DotSeries("one", 0), DotSeries("other", 1)]
    chart.show_plot(DotPlot(Axis("Cost", "", True), series, rows, 1.0, times=True))
    return chart


@pytest.mark.parametrize("theme", [*HIGH_CONTRAST, DARK])
def test_the_band_hides_no_interval_where_lines_are_strong(theme: Theme, qtbot: QtBot) -> None:
    chart = dots()
    qtbot.addWidget(chart)
    chart.setPalette(theme.palette())
    chart.show()
    image = chart.drawing.grab().toImage()
    colours = [image.pixelColor(x, y) for x in range(image.width()) for y in range(60)]
    assert theme.line in colours
    assert (theme.sunken in colours) is (theme in HIGH_CONTRAST)


def bars() -> BarPlot:
    plot = BarPlot("Shares")
    plot.resize(500, 300)
    names = [f"Script {n}" for n in range(30)]
    series = [BarSeries("one", 0, [ChartBar(n + 1.0, "", ()) for n in range(30)])]
    plot.show_chart(
        grouped_bars(Axis("Share", "%"), Axis("Script"), names, series, (), None, names)
    )
    return plot


CHARTS = (curves, dots, bars)


@pytest.mark.parametrize("make", CHARTS)
@pytest.mark.parametrize("colours", THEMES)
def test_the_words_of_a_figure_have_its_colours(
    qtbot: QtBot, host: Host, make: type[SavedChart], colours: FigureColours
) -> None:
    """Beside a host: its style and its light palette are those of the app."""
    chart = off_screen(qtbot, make())
    with figure_sheet(chart, FigureLook(colours=colours, caption="Made of one line.")) as sheet:
        words = [
            one
            for one in sheet.findChildren(QLabel)
            if one.text() in (chart.title, "Made of one line.")
        ]
        inks = {one.palette().color(QPalette.ColorRole.WindowText).name() for one in words}
    assert len(words) >= 2
    assert inks == {THEMES[colours].ink.name()}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
@pytest.mark.parametrize("make", CHARTS)
def test_a_figure_has_the_size_that_was_chosen(
    qtbot: QtBot, tmp_path: Path, make: type[SavedChart], preset: object
) -> None:
    chart = make()  # type: ignore[call-arg]
    qtbot.addWidget(chart)
    one = next(known for known in PRESETS if known is preset)
    look = FigureLook(
        one, one.points, "print", False, True, "A caption that says what is shown. " * 4
    )
    with figure_sheet(chart, look) as sheet:
        bottoms = [
            part.geometry().bottom()
            for part in sheet.children()
            if hasattr(part, "geometry") and not getattr(part, "isHidden", bool)()
        ]
        inside = [bottom for bottom in bottoms if bottom < 10_000]
        assert max(inside) <= sheet.height()  # nothing is cut off
        assert sheet.height() * sheet.scale > 50
    chart.save_figure(tmp_path / "figure.png", look)
    image = QImage(str(tmp_path / "figure.png"))
    dots_per_mm = one.dpi / 25.4
    if one.width:
        assert image.width() / dots_per_mm == pytest.approx(one.width, rel=0.01)
        assert image.dotsPerMeterX() == pytest.approx(dots_per_mm * 1000, rel=0.01)
    if one.height:
        assert image.height() / dots_per_mm == pytest.approx(one.height, rel=0.01)
    chart.save_figure(tmp_path / "figure.svg", look)
    root = ElementTree.parse(tmp_path / "figure.svg").getroot()
    width = float(root.get("width", "").removesuffix("mm"))
    assert width == pytest.approx(image.width() / dots_per_mm, rel=0.01)
    assert "A caption that says" in "".join(root.itertext())


def test_letters_are_as_large_as_chosen(qtbot: QtBot) -> None:
    chart = off_screen(qtbot, curves())
    scales = []
    for points in (6.0, 9.0, 18.0):
        with figure_sheet(chart, FigureLook(PRESETS[2], points)) as sheet:
            scales.append(sheet.scale)
            assert sheet.width() * sheet.scale == pytest.approx(170 / 25.4 * 96, rel=0.02)
    assert scales == pytest.approx([6 / 9, 1, 2])


def corner(chart: SavedChart, look: FigureLook) -> tuple[int, int]:
    """Returns the lightness and the opacity at a corner of a figure."""
    with figure_sheet(chart, look) as sheet:
        colour = sheet.image(1).pixelColor(2, 2)
    return colour.lightness(), colour.alpha()


@pytest.mark.parametrize("make", CHARTS)
def test_a_figure_is_on_white_dark_or_nothing(qtbot: QtBot, make: type[SavedChart]) -> None:
    chart = make()  # type: ignore[call-arg]
    qtbot.addWidget(chart)
    assert corner(chart, FigureLook(colours="print")) == (255, 255)
    assert corner(chart, FigureLook(colours="light")) == (255, 255)
    assert corner(chart, FigureLook(colours="dark")) == (DARK.surface.lightness(), 255)
    assert corner(chart, FigureLook(colours="print", transparent=True))[1] == 0
    with figure_sheet(chart, FigureLook(colours="print", transparent=True)) as sheet:
        image = sheet.image(1)
    alphas = {
        image.pixelColor(x, y).alpha()
        for x in range(0, image.width(), 7)
        for y in range(0, image.height(), 5)
    }
    assert {0, 255} <= alphas  # the ground is gone and the chart is not


def test_letters_are_dark_on_white_whatever_the_window_is(qtbot: QtBot) -> None:
    chart = off_screen(qtbot, curves())
    with figure_sheet(chart, FigureLook(colours="print", caption="mmmmmmmm")) as sheet:
        image = sheet.image(2)
    foot = [
        image.pixelColor(x, y).lightness()
        for x in range(20, 160)
        for y in range(image.height() - 70, image.height() - 20)
    ]
    assert min(foot) < 60


def test_a_caption_says_corpus_version_and_intervals(qtbot: QtBot) -> None:
    chart = off_screen(qtbot, curves())
    chart.set_source(SOURCE)
    text = chart.caption()
    assert text.startswith(
        "Compression: compression (bytes/token) by size (pieces). Tokenizer number 0, "
    )
    for part in ("A corpus of one line.", "Lines show 95%.", "Made with Tokenarium "):
        assert part in text


def test_raw_counts_are_in_the_table() -> None:
    counted = replace(CURVES, curves=[ChartCurve("a", [(1, 50.0), (2, 25.0)], counts=[2, 1])])
    assert counted.table().splitlines() == [
        "curve,Size (pieces),Compression (bytes/token),count",
        "a,1,50,2",
        "a,2,25,1",
    ]
    estimate = PremiumEstimate(1.5, tokens=12)
    plot = DotPlot(Axis("Cost"), [DotSeries("one", 0)], [DotRow("Thai", [estimate])])
    assert plot.table().splitlines() == [
        "language,tokenizer,Cost,low (95%),high (95%),doubt,tokens",
        "Thai,one,1.5,,,,12",
    ]


def test_the_dialog_makes_what_it_shows(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = off_screen(qtbot, curves())
    chart.set_source(SOURCE)
    chart.show()
    dialog = chart.open_figure()
    assert dialog.caption.toPlainText() == chart.caption()
    room = dialog.preview.contentsRect()
    whole = dialog.preview.pixmap().deviceIndependentSize()
    assert whole.width() <= room.width()
    assert whole.height() <= room.height()
    first = dialog.preview.pixmap().toImage()
    dialog.presets.setCurrentIndex(1)
    assert dialog.points.value() == PRESETS[1].points
    dialog.colours.setCurrentIndex(2)
    dialog.ground.setCurrentIndex(1)
    dialog.caption.setPlainText("Mine.")
    dialog.show_preview()
    assert dialog.preview.pixmap().toImage() != first
    assert dialog.size_text.text().startswith("85 × ")
    assert dialog.look == FigureLook(PRESETS[1], 8.0, "dark", True, True, "Mine.")
    dialog.captioned.setChecked(False)
    assert dialog.look.caption == ""
    dialog.copy.click()
    assert QGuiApplication.clipboard().image().width() == pytest.approx(85 / 25.4 * 300, rel=0.01)
    dialog.code.click()
    assert QGuiApplication.clipboard().text() == "print(1)"
    saved: list[Path] = emitted(chart.saved)
    for suffix in ("png", "svg", "csv"):
        monkeypatch.setattr(
            QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "figure"), "")
        )
        dialog.saves[suffix].click()
        assert saved[-1] == tmp_path / f"figure.{suffix}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "f"), ""))
    dialog.saves["png"].click()
    assert "cannot be written" in dialog.note.text()
    dialog.close()


def test_a_chart_without_a_program_offers_none(qtbot: QtBot) -> None:
    chart = off_screen(qtbot, Plot("Compression"))
    code = next(action for action in chart.menu.actions() if action.text() == "Copy as Python")
    assert not code.isEnabled()
    chart.set_source(SOURCE)
    assert code.isEnabled()
    code.trigger()
    assert QGuiApplication.clipboard().text() == "print(1)"
