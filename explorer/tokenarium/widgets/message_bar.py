"""Messages at the foot of the window, the line of running jobs, the progress of a count, and caveats."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QProgressBar, QSizePolicy, QWidget

from tokenarium.models.text.direction import reads_right_to_left
from tokenarium.style.icons import icon, paint_icon
from tokenarium.style.theme import CONTROL_RADIUS, GRID
from tokenarium.widgets.announcing import announce
from tokenarium.widgets.floating import FloatingCard
from tokenarium.widgets.free_place import free_place, tops_from
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import MARGIN, FlatButton, literal, named, secondary
from tokenarium.widgets.work_bar import WorkBar
from tokenarium_core.progress import Progress

TOLD_MS = 6_000
"""Milliseconds for which a message that is not about a problem is shown."""

TOAST_WIDTH = 70 * GRID
"""Pixels: the greatest width of a message."""

LEAST_HEIGHT = 44
"""Pixels of a message of one line."""

LINE = 3
"""Pixels of the line of running jobs."""

JOB_MS = 700
"""Milliseconds that a job runs before it is named with a button: most are done by then."""


MOST_EARLIER = 20
"""The most earlier problems that are kept and can be unfolded."""

Other = tuple[str, str, Callable[[], object]]
"""A second action of an offer: its title, its tooltip, and its function."""


class MessageBar(FloatingCard):
    """One message at a time, the newest, over the foot of the window. Escape closes it.

    A problem stays until it is closed or no longer true; other messages stay for some seconds, and a problem that they
    covered is then shown again. A message with an offer stays too. If several problems are open, as when several files
    are rejected, the earlier ones can be unfolded.
    """

    def __init__(self, parent: QWidget | None = None, above: int = 2 * GRID) -> None:
        """``above``: the pixels below it that stay free."""
        super().__init__(parent)
        self._above = above
        self.setAccessibleName("Message")
        self.label = literal(QLabel(wordWrap=True))
        self.label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.label.setSizePolicy(policy)
        self._sign = MessageSign()
        self._sentence = ""  # the current message
        self._problem = ""  # the last problem that is neither closed nor withdrawn
        self._earlier: list[str] = []  # problems that the last one replaced
        self._waiting: list[tuple[str, str, str, Callable[[], object], Other | None]] = []
        close = named(FlatButton(), "Close the message", "Close (Esc)")
        close.setIcon(icon("x"))
        close.setShortcut("Esc")
        close.clicked.connect(self._close)
        self.close_button = close
        self.offered = _OfferButton()
        self.second = _OfferButton()
        self.details = secondary(QLabel(wordWrap=True))
        self.details.setTextInteractionFlags(self.label.textInteractionFlags())
        self.details.hide()
        self.unfold = named(FlatButton(), "Details", "What exactly went wrong")
        self.unfold.setText("Details")
        self.unfold.setCheckable(True)
        self.unfold.setIcon(icon("caret-down"))
        self.unfold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.unfold.toggled.connect(self._unfold)
        self.unfold.hide()
        self._over = QTimer(self, singleShot=True, interval=TOLD_MS)
        self._over.timeout.connect(lambda: self.say(self._problem))
        top = Qt.AlignmentFlag.AlignTop
        line = self._line = in_row(
            (self._sign, 0, top),
            (self.label, 1, Qt.AlignmentFlag.AlignVCenter),
            (self.offered, 0, top),
            (close, 0, top),
            spacing=GRID,
        )
        self._more = in_row(self.unfold, (None, 1), self.second, spacing=GRID)
        in_column(
            line, self._more, self.details, into=self.card, margins=(2 * GRID, GRID, GRID, GRID)
        )
        self.hide()

    def say(self, sentence: str) -> None:
        """Shows a sentence about a problem until it is closed; "" withdraws the last one."""
        if not sentence:
            self._earlier.clear()
        elif self._problem and self._problem != sentence:
            earlier = [
                problem for problem in self._earlier if problem not in (sentence, self._problem)
            ]
            self._earlier = [self._problem, *earlier][:MOST_EARLIER]
        self._problem = sentence
        self._show(sentence, fault=True)
        if self._earlier:
            self._show_details("\n".join(self._earlier), f"{len(self._earlier)} more")

    def tell(self, sentence: str) -> None:
        """Shows a sentence that is not about a problem, for some seconds."""
        self._show(sentence, fault=False)
        self._over.start()

    def _show(self, sentence: str, fault: bool) -> None:
        self._over.stop()
        self._sign.set_fault(fault)
        self._sentence = sentence
        self.label.setText(_left_to_right(sentence))
        self.label.setAccessibleName(sentence)
        for extra in (self.offered, self.second, self.unfold, self.details):
            extra.hide()
        self.unfold.setChecked(False)
        self.setVisible(bool(sentence))
        self.settle()
        announce(self, sentence, urgent=fault)
        if not sentence and self._waiting:
            self.offer(*self._waiting.pop(0))

    def trouble(
        self,
        sentence: str,
        details: str,
        first: tuple[str, Callable[[], object]],
        second: tuple[str, Callable[[], object]],
    ) -> None:
        """Shows a problem with two actions, each a title and a function; ``details`` are folded."""
        self.say(sentence)
        self._show_details(details)
        if details:
            self._more.addWidget(self.second)
        else:  # nothing unfolds: both are on one line
            self._line.insertWidget(3, self.second, 0, Qt.AlignmentFlag.AlignTop)
        self.offered.offer(*first)
        self.second.offer(*second)
        self.settle()

    def _show_details(self, details: str, title: str = "Details") -> None:
        self.details.setText("\n".join(map(_left_to_right, details.splitlines())))
        self.unfold.setText(title)
        self.unfold.setVisible(bool(details))
        self.settle()

    def _unfold(self, on: bool) -> None:
        self.details.setVisible(on)
        self.unfold.setIcon(icon("caret-up" if on else "caret-down"))
        self.settle()

    def offer(
        self,
        sentence: str,
        title: str,
        tip: str,
        do: Callable[[], object],
        other: Other | None = None,
    ) -> None:
        """Shows a sentence as `tell` does, with a button for the offered action, until it is closed.

        ``other`` is a second action: its title, its tooltip, and its function.
        """
        self._show(sentence, fault=False)
        self.offered.offer(title, do, tip)
        if other is not None:
            self._line.insertWidget(3, self.second, 0, Qt.AlignmentFlag.AlignTop)
            self.second.offer(other[0], other[2], other[1])
        self.settle()

    def offer_later(
        self,
        sentence: str,
        title: str,
        tip: str,
        do: Callable[[], object],
        other: Other | None = None,
    ) -> None:
        """Shows an offer as `offer` does, once the current message is closed."""
        if self.isHidden():
            self.offer(sentence, title, tip, do, other)
        else:
            self._waiting.append((sentence, title, tip, do, other))

    def _close(self) -> None:
        """Closes the message, and then shows the problem that it covered."""
        covered = self._problem if self._sentence != self._problem else ""
        self.say(covered)

    def move_to(self, area: QWidget) -> None:
        """Shows the messages, including the current one, over another area."""
        shown = not self.isHidden()
        self.setParent(area)
        if shown:
            self.show()
        self.settle()

    def settle(self) -> None:
        """Puts the message near the foot of its parent, as wide as its sentence needs."""
        area = self.parentWidget()
        if area is None or self.isHidden():
            return
        hint = self.card.sizeHint()
        line = self.label.fontMetrics().horizontalAdvance(self.label.text()) + GRID
        needed = hint.width() - self.label.sizeHint().width() + line
        width = min(area.width() - 2 * GRID, TOAST_WIDTH, needed)
        height = min(max(self.card.heightForWidth(width), LEAST_HEIGHT), area.height() - GRID)
        first = max(area.height() - height - self._above, 0)
        tops = tops_from(first, -GRID, area, height)
        self.put(free_place(area, QSize(width, height), tops, [self]))
        self.raise_()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        if self._over.isActive():  # a user who points at a message is reading it
            self._over.stop()
            self._held = True

    _held = False

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self._held:
            self._held = False
            self._over.start()


def _left_to_right(sentence: str) -> str:
    """Returns a sentence that is laid out from the left even if it begins with a name in Arabic or Hebrew."""
    return f"\u200e{sentence}" if reads_right_to_left([sentence]) else sentence


class _OfferButton(FlatButton):
    """A button of a message, hidden until it offers something."""

    def __init__(self) -> None:
        super().__init__()
        self.setAutoRaise(False)
        self._do: Callable[[], object] = lambda: None
        self.clicked.connect(self._take)
        self.hide()

    def _take(self) -> None:
        self._do()

    def offer(self, title: str, do: Callable[[], object], tip: str = "") -> None:
        """Offers something by its title."""
        self._do = do
        self.setText(title)
        self.setAccessibleName(title)
        self.setToolTip(tip)
        self.show()


class MessageSign(QWidget):
    """The icon of a message: a warning, or information."""

    def __init__(self) -> None:
        super().__init__()
        self._fault = False
        self.setFixedSize(20, 28)  # as high as the button at the other end

    def set_fault(self, fault: bool) -> None:
        """Chooses the icon."""
        self._fault = fault
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        roles = QPalette.ColorRole
        colour = self.palette().color(roles.BrightText if self._fault else roles.Accent)
        painter = QPainter(self)
        rect = QRectF(0, (self.height() - 18) / 2, 18, 18)
        paint_icon(painter, rect, "warning" if self._fault else "info", colour, filled=self._fault)
        painter.end()


class JobBar(QProgressBar):
    """A progress line under the top bar; after a moment, also the name of the job and a button.

    Both are over the contents of the parent, so nothing moves; hidden when nothing runs.
    """

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, textVisible=False)
        self.setRange(0, 1000)
        self.setAccessibleName("Running jobs")
        self.label = literal(QLabel())
        self.cancel = named(FlatButton(), "Stop all running jobs")
        self.cancel.setText("Cancel")
        self.cancel.clicked.connect(self.cancel_requested)
        self.named = FloatingCard(parent, radius=CONTROL_RADIUS)
        margins = (GRID + GRID // 2, 2, GRID // 4, 2)
        in_row(self.label, self.cancel, into=self.named.card, spacing=GRID, margins=margins)
        self._above = 0
        self._made_for: tuple[QSize, QSize, int] | None = None
        self._soon = QTimer(self, singleShot=True, interval=JOB_MS)
        self._soon.timeout.connect(self._name_it)
        self.hide()
        self.named.hide()

    def show_jobs(self, titles: list[str], fraction: float) -> None:
        """Shows the jobs; ``fraction``: the finished share of all of them."""
        if not titles:
            self._soon.stop()
            self.hide()
            self.named.hide()
            return
        more = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
        self.label.setText(f"{titles[0]}{more}")
        self.setValue(round(1000 * fraction))
        self.setAccessibleName(f"{titles[0]}{more}: {fraction:.0%}")
        if self.isHidden():
            self._soon.start()
            self.show()
        self._settle()

    def _name_it(self) -> None:
        self.named.show()
        self._settle()
        announce(self, self.label.text())

    def settle(self, above: int = 0) -> None:
        """Puts the line at the top of its parent; ``above``: free pixels between the line and its name."""
        self._above = above
        self._made_for = None
        self._settle()

    def _settle(self) -> None:
        area = self.parentWidget()
        if area is None or self.isHidden():
            return
        if self.named.parentWidget() is not area:
            self.named.setParent(area)
        self.setGeometry(0, 0, area.width(), LINE)
        self.raise_()
        if self._soon.isActive():
            return
        self.named.show()
        size = self.named.card.sizeHint().boundedTo(area.size())
        first = LINE + GRID // 2 + self._above
        made_for = size, area.size(), first
        if self.named.isVisible() and made_for == self._made_for:
            return  # it stays where it is while the job goes on
        self._made_for = made_for
        tops = tops_from(first, GRID, area, size.height())
        self.named.put(free_place(area, size, tops, [self.named]))
        self.named.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().mid())
        done = QRect(self.rect())
        done.setWidth(done.width() * self.value() // self.maximum())
        painter.fillRect(done, self.palette().accent())
        painter.end()


class CountingBar(QWidget):
    """The progress of a count, hidden without one. Its button stops ``what``; ``keeps`` is then kept."""

    stop_requested = Signal()

    def __init__(self, what: str, keeps: str) -> None:
        super().__init__()
        self.bar = WorkBar()
        self.stop_button = named(FlatButton(), f"Stop {what}", f"Stops counting, and keeps {keeps}")
        self.stop_button.setText("Stop")
        self.stop_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.stop_button.clicked.connect(self.stop_requested)
        in_row(self.bar, self.stop_button, into=self, spacing=GRID // 2)
        self.hide()

    def show_progress(self, progress: Progress) -> None:
        """Shows the share that is counted."""
        self.bar.show_progress(progress)
        self.bar.setAccessibleName(f"Counted {progress.fraction:.0%}")


class CaveatLabel(QLabel):
    """A label for caveats, which wraps; hidden while it is empty."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setContentsMargins(MARGIN, GRID, MARGIN, 0)
        self.setAccessibleName("What is uncertain")
        self.hide()

    def say(self, sentence: str) -> None:
        """Shows a sentence; nothing for an empty one."""
        self.setText(sentence)
        self.setVisible(bool(sentence))
