"""How far a count is, and a button that stops it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_button import FlatButton


class CountingBar(QWidget):
    """Hidden where nothing is counted; ``what`` and ``keeps`` say what the button stops, and what is kept then."""

    stop_requested = Signal()

    def __init__(self, what: str, keeps: str) -> None:
        super().__init__()
        self.bar = QProgressBar()
        self.bar.setFixedSize(12 * GRID, GRID)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.stop_button = FlatButton()
        self.stop_button.setText("Stop")
        self.stop_button.setAccessibleName(f"Stop {what}")
        self.stop_button.setToolTip(f"Stops counting, and keeps {keeps}")
        self.stop_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.stop_button.clicked.connect(self.stop_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.bar)
        layout.addWidget(self.stop_button)
        self.hide()

    def show_share(self, share: float) -> None:
        """Shows which share of all is counted."""
        self.bar.setValue(round(1000 * share))
        self.bar.setAccessibleName(f"Counted {share:.0%}")
