"""A view as a picture in a file: everything that it scrolls, without interactive controls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QPushButton,
    QScrollBar,
    QSlider,
    QTabBar,
    QToolButton,
    QWidget,
)

from tokenarium.pictures.widget_picture import ExportError, save_image, save_svg
from tokenarium.widgets.zoom_area import ZoomArea

SHARPNESS = 2
"""Pixels of a PNG for each pixel of the window, unless the picture becomes too large."""

MOST_SIDE = 16_384
"""The most pixels of a side of a picture: many programs show no larger ones."""

MOST_PIXELS = 1 << 26
"""The most pixels of a picture; each needs 4 bytes while it is drawn."""

TURNS = 24
"""How often a view is made larger: a part may get only a share of each growth."""

SETTLING = 3
"""The number of turns of the event loop in which the layouts of a view settle."""

CONTROLS = (QPushButton, QToolButton, QTabBar, QScrollBar, QSlider)
"""The widgets that a picture leaves out. Their room stays, so that the view is the same afterwards."""


def save_view_png(view: QWidget, path: Path) -> str:
    """Writes all of a view as PNG; returns a sentence about what was left out, or "".

    Raises ExportError if it cannot be written.
    """
    with _whole(view) as cut:
        size = view.size()
        sharpness = SHARPNESS if _fitting(size * SHARPNESS) == size * SHARPNESS else 1
        image = QImage(_fitting(size * sharpness), QImage.Format.Format_RGB32)
        if image.isNull():
            raise ExportError("There is not enough memory for this picture.")
        image.setDevicePixelRatio(sharpness)
        image.fill(view.palette().window().color())
        view.render(image)
        cut = cut or image.size() != size * sharpness
    save_image(image, path)
    return _cut_sentence(path) if cut else ""


def save_view_svg(view: QWidget, path: Path) -> str:
    """Writes all of a view as vectors; see `save_view_png`."""
    with _whole(view) as cut:
        save_svg(view, path)
    return _cut_sentence(path) if cut else ""


def _cut_sentence(path: Path) -> str:
    return (
        f"{path.name} was saved without the end of the view: a picture has at most {MOST_SIDE:,} pixels a side and"
        f" {MOST_PIXELS:,} in all. Show less of the text or of the table, or save the table as CSV if there is one."
    )


def _fitting(size: QSize) -> QSize:
    """Returns a size in pixels, limited to that of a picture; the rest is left out at the end."""
    width = min(size.width(), MOST_SIDE)
    return QSize(width, min(size.height(), MOST_SIDE, MOST_PIXELS // max(1, width)))


class _Unpainted(QObject):
    """Hides widgets in a picture, without changing their surroundings."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return event.type() == QEvent.Type.Paint


@contextmanager
def _whole(view: QWidget) -> Iterator[bool]:
    """Makes a view as large as everything that it scrolls, without `CONTROLS`, until the end of the block.

    This is not visible, as the window is not painted meanwhile. Yields whether some of it did not fit.
    """
    unpainted = _Unpainted()
    size = view.size()
    with ExitStack() as after:
        for bar in view.findChildren(QScrollBar):
            after.callback(bar.setValue, bar.value())
        after.callback(_settle, view)
        after.callback(view.resize, size)
        for area in view.findChildren(ZoomArea):  # its chart would grow with it endlessly
            after.callback(area.set_percent, area.percent)
            area.set_percent(100)
        for control in view.findChildren(QWidget):
            if isinstance(control, CONTROLS):
                control.installEventFilter(unpainted)
                after.callback(control.removeEventFilter, unpainted)
        yield _grow(view)


def _grow(view: QWidget) -> bool:
    """Makes a view larger until nothing scrolls; returns whether something still does."""
    missing = QSize(0, 0)
    for _ in range(TURNS):
        _settle(view)
        missing = _missing(view)
        larger = _fitting(view.size() + missing).expandedTo(view.size())
        if larger == view.size():
            break
        view.resize(larger)
    return not missing.isNull()


def _missing(view: QWidget) -> QSize:
    """Returns how many pixels wider and higher the part that scrolls most must be."""
    wide = high = 0
    for area in (view, *view.findChildren(QWidget)):
        if not isinstance(area, QAbstractScrollArea) or not area.isVisibleTo(view):
            continue
        across, down = area.horizontalScrollBar(), area.verticalScrollBar()
        rows = down.maximum() - down.minimum()
        if isinstance(area, QAbstractItemView) and (
            area.verticalScrollMode() == QAbstractItemView.ScrollMode.ScrollPerItem
        ):
            rows *= max(1, area.sizeHintForRow(0))
        wide, high = max(wide, across.maximum() - across.minimum()), max(high, rows)
    return QSize(wide, high)


def _settle(view: QWidget) -> None:
    """Lets the layouts of a view settle, but nothing else in the window."""
    widgets = [view, *view.findChildren(QWidget)]
    for _ in range(SETTLING):
        for widget in widgets:
            if isinstance(widget, QAbstractScrollArea):  # which shows and hides its bars later
                QCoreApplication.sendPostedEvents(widget, QEvent.Type.MetaCall)
            QCoreApplication.sendPostedEvents(widget, QEvent.Type.LayoutRequest)
