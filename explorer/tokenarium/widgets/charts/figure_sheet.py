"""A chart as a figure: laid out on a sheet with its title, its legend and a caption, and written as a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.models.charts.chart import ChartCurve
from tokenarium.models.charts.figure import INCH, SCREEN_DPI, FigureLook, FigureSource
from tokenarium.models.files import write_whole
from tokenarium.models.latex_table import latex_table
from tokenarium.pictures.widget_picture import save_image, save_pdf, save_svg
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import DARK, GRID, LIGHT, PRINT, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.charts.plot_key import PlotKey
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import literal, strong
from tokenarium_core import __version__

MARGIN = 2 * GRID
"""Pixels around a chart in a file."""

SMALL_POINTS = SMALL_SIZE * 72 / SCREEN_DPI
"""The size of the letters of a chart in the window, in points."""

THEMES = {"print": PRINT, "light": LIGHT, "dark": DARK}

USUAL_SHAPE = 0.6
"""The height of a chart in a figure, as a share of its width, if it has none of its own."""

TRIES = 24
"""How often the letters are made smaller, by a twentieth, until they fit into a figure of fixed height."""


KINDS = {
    "png": "Picture (*.png)",
    "svg": "Vectors (*.svg)",
    "pdf": "PDF (*.pdf)",
    "csv": "Table (*.csv)",
}
"""The files that a chart can be written to, by their suffixes."""


NO_PROGRAM = "There are no figures yet that a program could reproduce."


class FigureChart(Themed, QWidget):
    """Base of what can be a figure: it defines the drawing, and the origin of its numbers."""

    problem = Signal(str)  # an error about a file that cannot be written
    saved = Signal(object)  # the path of a file that was written
    signs = False  # in the legend, instead of lines

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self.source = FigureSource()

    # For subclasses.

    def table(self) -> str:
        """Returns the values as CSV."""
        raise NotImplementedError

    def legend(self) -> Sequence[ChartCurve]:
        """Returns the curves in the legend of a file."""
        raise NotImplementedError

    def copy_for_file(self, theme: Theme) -> tuple[QWidget, QSize, bool]:
        """Returns a second, complete drawing in the colours of a theme, its size, and whether its height is free."""
        raise NotImplementedError

    def about(self) -> str:
        """Returns a description of the drawing, for a caption."""
        return self.title

    def names(self) -> Sequence[str]:
        """Returns the names of what is drawn, for a caption."""
        return [curve.title for curve in self.legend()]

    # The origin of its numbers.

    def set_source(self, source: FigureSource) -> None:
        """Sets the origin of the numbers, which a figure states."""
        self.source = source

    def caption(self) -> str:
        """Returns a caption for the current chart."""
        return self.source.caption(self.about(), ", ".join(self.names()), __version__)

    def copy_code(self) -> bool:
        """Copies a program that reproduces the numbers; if there is none, says so and returns False."""
        code = self.source.code() if self.source.code is not None else ""
        if code:
            QGuiApplication.clipboard().setText(code)
        else:
            self.problem.emit(NO_PROGRAM)
        return bool(code)

    # Its files.

    def lines(self) -> list[list[str]]:
        """Returns the cells of a table for a paper, row by row, with the header."""
        return list(csv.reader(io.StringIO(self.table())))

    def save(self, path: Path) -> None:
        """Writes the chart as .png, .svg, .pdf, .csv or .tex, by the suffix; raises TokenariumError if that fails."""
        if path.suffix.lower() == ".csv":
            write_whole(path, self.table())
            return
        if path.suffix.lower() == ".tex":
            write_whole(path, latex_table(self.lines()))
            return
        self.save_figure(path, FigureLook(), self.theme)

    def save_figure(self, path: Path, look: FigureLook, theme: Theme | None = None) -> None:
        """Writes a figure as .png, .svg or .pdf; raises ExportError if that fails."""
        with figure_sheet(self, look, theme) as sheet:
            sheet.save(path)


class FigureSheet(QWidget):
    """The sheet in its own pixels; ``scale`` is the size of one in the figure, in pixels of the window."""

    def __init__(self, chart: FigureChart, look: FigureLook, theme: Theme | None = None) -> None:
        """``theme``: the colours; None for those of the chosen style."""
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self.setAccessibleName(chart.title)
        theme = theme or THEMES[look.colours]
        ground = QColor(theme.surface)
        ground.setAlpha(0 if look.transparent else 255)
        theme = replace(theme, surface=ground, page=ground)
        self._look = look
        self.scale = look.points / SMALL_POINTS
        self._key = PlotKey(chart.signs)
        self._key.set_curves(chart.legend())
        self._key.setVisible(bool(chart.legend()))
        self._caption = literal(QLabel(look.caption, wordWrap=True))
        self._caption.setFont(ui_font(SMALL_SIZE))
        self._caption.setVisible(bool(look.caption))
        title = strong(QLabel(chart.title))
        title.setVisible(look.title)
        self._drawing, self._natural, self._grows = chart.copy_for_file(theme)
        in_column(
            title, self._key, self._drawing, self._caption, into=self,
            spacing=GRID // 2, margins=MARGIN,
        )  # fmt: skip
        # After its parts are created, as Qt passes it on only to existing children.
        self.setPalette(theme.palette())
        self._fit()

    def _fit(self) -> None:
        preset = self._look.preset
        if not preset.width:
            self._lay(self._natural.width(), self._natural.height())
            return
        for _ in range(TRIES):
            width = round(_pixels(preset.width) / self.scale) - 2 * MARGIN
            height = round(USUAL_SHAPE * width) if self._grows else self._natural.height()
            self._lay(width, height)
            if not preset.height:
                return
            room = round(_pixels(preset.height) / self.scale)
            free = room - self.height()
            if self._grows and height + free >= USUAL_SHAPE / 2 * width:
                self._lay(width, height + free)
                return
            if not self._grows and free >= 0:
                self.resize(self.width(), room)
                return
            self.scale *= 0.95

    def _lay(self, width: int, height: int) -> None:
        self._drawing.setFixedSize(QSize(width, height))
        for part in (self._key, self._caption):
            part.setFixedWidth(width)
        self._key.resize(width, self._key.height())
        self._key.fit()
        layout = self.layout()
        assert layout is not None
        layout.activate()
        if not self._caption.isHidden():
            self._caption.setFixedHeight(self._caption.heightForWidth(width))
        layout.activate()
        self.resize(self.sizeHint())

    def image(self, ratio: float) -> QImage:
        """Returns the figure with ``ratio`` pixels per pixel of the window."""
        sharpness = ratio * self.scale
        size = QSize(round(self.width() * sharpness), round(self.height() * sharpness))
        image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(sharpness)
        image.fill(self.palette().window().color())
        self.render(image)
        image.setDevicePixelRatio(1)
        dots = round(self._look.preset.dpi / INCH * 1000)
        image.setDotsPerMeterX(dots)
        image.setDotsPerMeterY(dots)
        return image

    def save(self, path: Path) -> None:
        """Writes the figure as .png, .svg or .pdf; raises ExportError if that fails."""
        if path.suffix.lower() == ".svg":
            save_svg(self, path, self.scale)
        elif path.suffix.lower() == ".pdf":
            save_pdf(self, path, self.scale)
        else:
            save_image(self.image(self._look.preset.dpi / SCREEN_DPI), path)


def _pixels(millimetres: float) -> float:
    return millimetres / INCH * SCREEN_DPI


@contextmanager
def figure_sheet(
    chart: FigureChart, look: FigureLook, theme: Theme | None = None
) -> Iterator[FigureSheet]:
    """Lays out a figure; the sheet is deleted after the block."""
    sheet = FigureSheet(chart, look, theme)
    sheet.show()
    try:
        yield sheet
    finally:
        sheet.close()
        sheet.deleteLater()
