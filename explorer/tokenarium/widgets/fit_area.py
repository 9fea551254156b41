"""A scroll area that is as high as what it shows, as long as there is room for that."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from tokenarium.style.theme import GRID


class FitArea(QScrollArea):
    """Shows a widget on the background of panels; ``fills``: takes all the height that there is instead."""

    def __init__(self, widget: QWidget, fills: bool = False) -> None:
        super().__init__()
        self._fills = fills
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        vertical = QSizePolicy.Policy.Expanding if fills else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Expanding, vertical)
        for area in (self.viewport(), widget):
            area.setBackgroundRole(QPalette.ColorRole.Base)
            area.setAutoFillBackground(True)
        self.setWidget(widget)

    def sizeHint(self) -> QSize:
        hint = self._wanted()
        return QSize(hint.width(), hint.height())

    def minimumSizeHint(self) -> QSize:
        least = 6 * GRID if self._fills else 12 * GRID  # one that fills has most of the room anyway
        return QSize(16 * GRID, min(self._wanted().height(), least))

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def _wanted(self) -> QSize:
        widget = self.widget()
        if widget is None:
            return QSize(16 * GRID, 12 * GRID)
        hint = widget.sizeHint()
        height = hint.height()
        if widget.hasHeightForWidth():
            height = widget.heightForWidth(self.viewport().width())
        elif hint.width() > self.viewport().width():
            height += self.horizontalScrollBar().sizeHint().height()
        return QSize(hint.width(), height)
