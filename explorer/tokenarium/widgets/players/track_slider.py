"""A slider whose track is painted in two parts: Qt's style clips them out of one, which an SVG does not show."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider, QWidget

TRACK = 4.0
"""Pixels of the track's height."""


class TrackSlider(QSlider):
    """A horizontal slider: the accent's colour up to the handle, muted behind it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control = QStyle.ComplexControl.CC_Slider
        handle_part = QStyle.SubControl.SC_SliderHandle
        style, palette = self.style(), self.palette()
        handle = style.subControlRect(control, option, handle_part, self)
        middle = QRectF(self.rect()).center().y()
        track = QRectF(0, middle - TRACK / 2, self.width(), TRACK)
        done = QRectF(track.topLeft(), QPointF(handle.center().x(), track.bottom()))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(QPalette.ColorRole.Mid))
        painter.drawRoundedRect(track, TRACK / 2, TRACK / 2)
        if self.isEnabled():
            painter.setBrush(palette.color(QPalette.ColorRole.Highlight))
            painter.drawRoundedRect(done, TRACK / 2, TRACK / 2)
        option.subControls = handle_part
        style.drawComplexControl(control, option, painter, self)
        painter.end()
