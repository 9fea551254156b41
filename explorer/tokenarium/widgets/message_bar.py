"""A line that says what went wrong and what to do, or what comes, over the workspace and out of the way."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStyle, QWidget

from tokenarium.widgets.flat_button import FlatButton
from tokenarium.widgets.panel import literal

FAULT = QColor("#d55e00")
"""The stripe at the left edge of what went wrong; vermilion reads on light and dark alike."""


class MessageBar(QWidget):
    """One message at a time, the newest; hidden until there is one. Escape closes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Message")
        self.label = literal(QLabel())
        self.label.setWordWrap(True)
        self.label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._icon = QLabel()
        self._fault = False
        close = FlatButton()
        close.setText("✕")
        close.setToolTip("Close (Esc)")
        close.setAccessibleName("Close the message")
        close.setShortcut("Esc")
        close.clicked.connect(self.hide)
        self.close_button = close
        self._icon.setMinimumHeight(close.sizeHint().height())  # beside the first line
        self.offered = FlatButton()
        self.offered.setAutoRaise(False)
        self.offered.clicked.connect(self._take_offer)
        self.offered.hide()
        self._offer: Callable[[], None] | None = None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.offered, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def say(self, sentence: str) -> None:
        """Shows a sentence on what went wrong; an empty one says that the last is out of date."""
        self._show(sentence, fault=True)

    def tell(self, sentence: str) -> None:
        """Shows a sentence on something that is as it should be."""
        self._show(sentence, fault=False)

    def _show(self, sentence: str, fault: bool) -> None:
        pixmaps = QStyle.StandardPixmap
        kind = pixmaps.SP_MessageBoxWarning if fault else pixmaps.SP_MessageBoxInformation
        self._icon.setPixmap(self.style().standardIcon(kind).pixmap(16, 16))
        self._fault = fault
        self.label.setText(sentence)
        self.label.setAccessibleName(sentence)
        self._offer = None
        self.offered.hide()
        self.setVisible(bool(sentence))

    def offer(self, sentence: str, title: str, tip: str, do: Callable[[], None]) -> None:
        """Shows a sentence as `tell` does, and a button that does what it speaks of."""
        self.tell(sentence)
        self.offered.setText(title)
        self.offered.setAccessibleName(title)
        self.offered.setToolTip(tip)
        self._offer = do
        self.offered.show()

    def _take_offer(self) -> None:
        if self._offer is not None:
            self._offer()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().alternateBase())
        stripe = FAULT if self._fault else self.palette().highlight()
        painter.fillRect(0, 0, 4, self.height(), stripe)
        painter.end()
