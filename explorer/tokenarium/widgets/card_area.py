"""Cards under each other, which scroll where there are more than fit."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget


class CardArea(QScrollArea):
    """A column of cards as wide as the area; below the last there is nothing."""

    def __init__(self) -> None:
        super().__init__()
        body = QWidget()
        body.setBackgroundRole(QPalette.ColorRole.Base)
        body.setAutoFillBackground(True)
        self._rows = QVBoxLayout(body)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self._rows.addStretch(1)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(body)

    def put(self, place: int, card: QWidget) -> None:
        """Shows a card at a place of the column; one that stands elsewhere moves there."""
        self._rows.insertWidget(place, card)

    def take_out(self, card: QWidget) -> None:
        """Takes a card away for good."""
        self._rows.removeWidget(card)
        card.setParent(None)
        card.deleteLater()
