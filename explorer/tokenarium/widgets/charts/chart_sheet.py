"""A chart on a sheet of its own, for a file: its title and its legend over all of the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from tokenarium.models.charts.chart import Curve
from tokenarium.pictures.widget_picture import save_png, save_svg
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.charts.plot_key import PlotKey
from tokenarium.widgets.panel import strong

MARGIN = 2 * GRID


SUFFIXES = (".png", ".svg", ".csv")
"""Of the files that a chart can be written to."""


def save_sheet(
    path: Path,
    title: str,
    curves: Sequence[Curve],
    drawing: QWidget,
    size: QSize,
    theme: Theme,
    signs: bool = False,
) -> None:
    """Writes a drawing of this size as .png or .svg; ExportError where that cannot be.

    The legend stands there for a single curve too: a file does not lie beside the window that tells whose it is.
    """
    sheet = QWidget()
    sheet.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    sheet.setAccessibleName(title)
    key = PlotKey(theme, signs)
    drawing.setFixedSize(size)
    rows = QVBoxLayout(sheet)
    rows.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
    rows.setSpacing(GRID // 2)
    rows.addWidget(strong(QLabel(title)))
    rows.addWidget(key)
    rows.addWidget(drawing)
    key.setFixedWidth(size.width())
    key.set_curves(curves)
    key.setVisible(bool(curves))
    sheet.resize(sheet.sizeHint())
    sheet.show()
    try:
        (save_svg if path.suffix.lower() == ".svg" else save_png)(sheet, path)
    finally:
        sheet.close()
        sheet.deleteLater()
