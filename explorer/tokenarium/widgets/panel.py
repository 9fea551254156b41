"""A part of the window with a head line: its title, its buttons, and what it holds below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from tokenarium.theme import GRID

HEAD_HEIGHT = 5 * GRID
MARGIN = 3 * GRID // 2
UNBOUNDED = 16_777_215
"""Qt's largest size of a widget."""


class Panel(QWidget):
    """A head line with a title and buttons over one body."""

    def __init__(self, title: str, body: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(title)
        self.title = strong(QLabel(title))
        self.body = body
        self.head = QWidget()
        self.head.setFixedHeight(HEAD_HEIGHT)
        self._row = QHBoxLayout(self.head)
        self._row.setContentsMargins(MARGIN, 0, GRID, 0)
        self._row.setSpacing(GRID // 2)
        self._row.addWidget(self.title)
        self._row.addSpacing(GRID)
        self._row.addStretch(1)
        self._stretch = self._row.count() - 1
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(body, 1)

    def add_left(self, widget: QWidget) -> None:
        """Puts a widget behind the title."""
        self._row.insertWidget(self._stretch, widget)
        self._stretch += 1

    def add_right(self, widget: QWidget) -> None:
        """Puts a widget at the right end of the head line."""
        self._row.addWidget(widget)

    def set_collapsed(self, collapsed: bool) -> None:
        """Shows the head line alone, or all."""
        self.body.setVisible(not collapsed)
        self.setMaximumHeight(HEAD_HEIGHT if collapsed else UNBOUNDED)


class Rule(QWidget):
    """A hairline that parts two areas."""

    def __init__(self, vertical: bool = False) -> None:
        super().__init__()
        if vertical:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().mid())
        painter.end()


def tool_button(action: QAction, text: str = "") -> QToolButton:
    """Returns a flat button for an action, with a text of its own where the menu's is too long."""
    button = QToolButton()
    button.setDefaultAction(action)
    button.setAutoRaise(True)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    button.setAccessibleName(action.text().replace("&", ""))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if text:
        button.setText(text)
        action.changed.connect(lambda: button.setText(text))
    return button


def secondary(label: QLabel) -> QLabel:
    """Returns the label in the weaker colour of text that explains."""
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


def strong(label: QLabel) -> QLabel:
    """Returns the label in bold."""
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label
