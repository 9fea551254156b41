"""The running jobs in the status bar: what runs, how far it is, and a button that stops it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QWidget

from tokenarium.widgets.flat_button import FlatButton
from tokenarium.widgets.panel import literal


class JobBar(QWidget):
    """Shows the first of the running jobs and how many more there are; hidden when nothing runs."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = literal(QLabel())
        self.bar = QProgressBar()
        self.bar.setFixedSize(120, 8)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.cancel = FlatButton()
        self.cancel.setText("Stop")
        self.cancel.setAccessibleName("Stop all running jobs")
        self.cancel.clicked.connect(self.cancel_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 0)
        layout.setSpacing(8)
        for widget in (self.label, self.bar, self.cancel):
            layout.addWidget(widget)
        self.hide()

    def show_jobs(self, titles: list[str], fraction: float) -> None:
        """Shows the jobs; ``fraction`` is done of all of them together."""
        self.setVisible(bool(titles))
        if not titles:
            return
        more = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
        self.label.setText(titles[0] + more)
        self.bar.setValue(round(1000 * fraction))
        self.bar.setAccessibleName(f"{titles[0]}{more}: {fraction:.0%}")
