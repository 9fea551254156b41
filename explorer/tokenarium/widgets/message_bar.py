"""Lines with messages: problems and offers, running jobs, the progress of a count, doubts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QProgressBar, QSizePolicy, QStyle, QWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.panel import MARGIN, FlatButton, literal, named

FAULT = QColor("#d55e00")
"""The stripe at the left edge of a problem; vermilion is visible on light and dark."""


class MessageBar(QWidget):
    """One message at a time, the newest; hidden until there is one. Escape closes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Message")
        self.label = literal(QLabel(wordWrap=True))
        self.label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._icon = QLabel()
        self._fault = False
        close = named(FlatButton(), "Close the message", "Close (Esc)")
        close.setText("✕")
        close.setShortcut("Esc")
        close.clicked.connect(self.hide)
        self.close_button = close
        self._icon.setMinimumHeight(close.sizeHint().height())  # next to the first line
        self.offered = FlatButton()
        self.offered.setAutoRaise(False)
        self.offered.clicked.connect(self._take_offer)
        self.offered.hide()
        self._offer: Callable[[], None] | None = None
        in_row(
            (self._icon, 0, Qt.AlignmentFlag.AlignTop),
            (self.label, 1),
            (self.offered, 0, Qt.AlignmentFlag.AlignTop),
            (close, 0, Qt.AlignmentFlag.AlignTop),
            into=self,
            spacing=8,
            margins=(16, 8, 8, 8),
        )
        self.hide()

    def say(self, sentence: str) -> None:
        """Shows a sentence about a problem; an empty one hides the last."""
        self._show(sentence, fault=True)

    def tell(self, sentence: str) -> None:
        """Shows a sentence that is not about a problem."""
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
        """Shows a sentence as `tell` does, with a button for the offered action."""
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


class JobBar(QWidget):
    """Shows the first of the running jobs and the number of others; hidden when nothing runs."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = literal(QLabel())
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedSize(120, 8)
        self.bar.setRange(0, 1000)
        self.cancel = named(FlatButton(), "Stop all running jobs")
        self.cancel.setText("Stop")
        self.cancel.clicked.connect(self.cancel_requested)
        in_row(self.label, self.bar, self.cancel, into=self, spacing=8, margins=(8, 0, 8, 0))
        self.hide()

    def show_jobs(self, titles: list[str], fraction: float) -> None:
        """Shows the jobs; ``fraction``: how much of all of them is done."""
        self.setVisible(bool(titles))
        if not titles:
            return
        more = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
        self.label.setText(titles[0] + more)
        self.bar.setValue(round(1000 * fraction))
        self.bar.setAccessibleName(f"{titles[0]}{more}: {fraction:.0%}")


class CountingBar(QWidget):
    """The progress of a count, hidden without one; its button stops ``what``, and ``keeps`` is then kept."""

    stop_requested = Signal()

    def __init__(self, what: str, keeps: str) -> None:
        super().__init__()
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedSize(12 * GRID, GRID)
        self.bar.setRange(0, 1000)
        self.stop_button = named(FlatButton(), f"Stop {what}", f"Stops counting, and keeps {keeps}")
        self.stop_button.setText("Stop")
        self.stop_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.stop_button.clicked.connect(self.stop_requested)
        in_row(self.bar, self.stop_button, into=self, spacing=GRID // 2)
        self.hide()

    def show_share(self, share: float) -> None:
        """Shows the share that is counted."""
        self.bar.setValue(round(1000 * share))
        self.bar.setAccessibleName(f"Counted {share:.0%}")


class CaveatLabel(QLabel):
    """A label for doubts, which wraps; hidden while it is empty."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setContentsMargins(MARGIN, GRID, MARGIN, 0)
        self.setAccessibleName("What is doubtful")
        self.hide()

    def say(self, sentence: str) -> None:
        """Shows a sentence; nothing for an empty one."""
        self.setText(sentence)
        self.setVisible(bool(sentence))
