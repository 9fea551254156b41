"""Covers a part of the window that answers a question, until the question is answered."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.style.themed import Themed

SAID = "Shown with your answer"


class Veil(Themed, QWidget):
    """Lies over a part of ``host``, which is the host itself by default, and takes its clicks."""

    def __init__(self, host: QWidget, part: QWidget | None = None) -> None:
        super().__init__(host)
        self._host = host
        self._part = part or host
        self.setAccessibleName(SAID)
        self.setAutoFillBackground(False)
        for watched in {host, self._part}:
            watched.installEventFilter(self)
        self.hide()

    def cover(self, covers: bool) -> None:
        """Covers the part, or shows it."""
        self.setVisible(covers)
        if covers:
            self._follow()
            self.raise_()

    def _follow(self) -> None:
        corner = (
            self._part.mapTo(self._host, QPoint()) if self._part is not self._host else QPoint()
        )
        self.setGeometry(self._part.rect().translated(corner))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        moves = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.LayoutRequest, QEvent.Type.Show)
        if self.isVisibleTo(self._host) and event.type() in moves:
            self._follow()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.surface)
        painter.setFont(ui_font(TEXT_SIZE))
        painter.setPen(self.theme.dim)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, SAID)
        painter.end()
