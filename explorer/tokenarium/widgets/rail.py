"""The rail at the left edge of the window: the mark, the workspaces, and the buttons at the foot."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFont, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from tokenarium.style.fonts import RAIL_SIZE, ui_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.theme import CONTROL_RADIUS, GRID
from tokenarium.widgets.areas import page_area
from tokenarium.widgets.keyboard import ArrowGroup, paint_keyboard_ring
from tokenarium.widgets.layouts import STRETCH, in_column
from tokenarium.widgets.mark import MarkView
from tokenarium.widgets.panel import Rule, named

WIDTH, NARROW_WIDTH = 76, 52
ITEM, LOW_ITEM = 58, 34
"""Pixels: the width of the rail and the height of its items, with labels and without."""

LABELLED_FROM = QSize(900, 700)
"""Pixels: in a smaller window the items have no labels."""

ICON = 22


class RailButton(QToolButton):
    """An icon with a label below it; if there is little room, the label is in the tooltip."""

    def __init__(self, action: QAction, label: str, icon: str) -> None:
        super().__init__()
        self._label = label
        self._icon = icon
        self._labelled = True
        self.setDefaultAction(action)
        self.setAccessibleName(label)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_dimmed(self, dimmed: bool) -> None:
        """Paints the button as if it were off, while something else than its workspace is shown."""
        self._dimmed = dimmed
        self.update()

    def set_lit(self, lit: bool) -> None:
        """Paints the button as if it were on, while what it opens is shown."""
        self._lit = lit
        self.update()

    _dimmed = _lit = False

    def set_labelled(self, labelled: bool) -> None:
        """Shows the label, or only the icon."""
        self._labelled = labelled
        self.setFixedHeight(ITEM if labelled else LOW_ITEM)
        self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(LOW_ITEM, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        on = (self.isChecked() and not self._dimmed) or self._lit
        palette, roles = self.palette(), QPalette.ColorRole
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if on or self.underMouse() or self.isDown():
            ground = roles.Light if on else (roles.Mid if self.isDown() else roles.Midlight)
            painter.setBrush(palette.brush(ground))
            painter.drawRoundedRect(QRectF(self.rect()), CONTROL_RADIUS + 2, CONTROL_RADIUS + 2)
        colour: QColor = palette.color(roles.Accent if on else roles.PlaceholderText)
        room = QRect(self.rect())
        if self._labelled:
            room.setBottom(room.top() + 36)
            painter.setPen(colour)
            weight = QFont.Weight.DemiBold if on else QFont.Weight.Medium
            painter.setFont(ui_font(RAIL_SIZE, weight))
            line = QRect(0, 33, self.width(), 18)
            painter.drawText(line, Qt.AlignmentFlag.AlignCenter, self._label)
        square = QRectF(0, 0, ICON, ICON)
        square.moveCenter(QRectF(room).center())
        paint_icon(painter, square, self._icon, colour, filled=on)
        painter.end()
        paint_keyboard_ring(self, self.rect())


class Rail(QWidget):
    """The buttons of actions; one Tab stop, in which the arrow keys move. It scrolls if the window is very low."""

    def __init__(
        self,
        spaces: Sequence[tuple[QAction, str, str]],
        foot: Sequence[tuple[QAction, str, str]] = (),
        parent: QWidget | None = None,
    ) -> None:
        """``spaces`` and ``foot``: actions with their labels and the names of their icons."""
        super().__init__(parent)
        self.setAccessibleName("Workspaces")
        self.mark = MarkView()
        self.buttons = [RailButton(*space) for space in spaces]
        self.foot = [RailButton(*action) for action in foot]
        self._arrows = ArrowGroup([*self.buttons, *self.foot], self)
        items = QWidget()
        in_column(*self.buttons, STRETCH, into=items, spacing=0)
        self._area = named(page_area(items), "Workspaces")
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # the wheel
        self._area.viewport().setAutoFillBackground(False)
        items.setAutoFillBackground(False)
        self._column = in_column(
            (self.mark, 0, Qt.AlignmentFlag.AlignHCenter),
            GRID,
            (self._area, 1),
            into=self,
        )
        if self.foot:
            in_column(Rule(), GRID, *self.foot, into=(below := QWidget()))
            self._column.addWidget(below)
        self.set_room(LABELLED_FROM)

    def set_room(self, window: QSize) -> None:
        """Shows labels if a window of this size has room for them."""
        labelled = (
            window.width() >= LABELLED_FROM.width() and window.height() >= LABELLED_FROM.height()
        )
        margin = 6
        self.setFixedWidth(WIDTH if labelled else NARROW_WIDTH)
        self.mark.set_size(32 if labelled else 26)
        self._column.setContentsMargins(margin, 16 if labelled else GRID, margin, GRID)
        for button in (*self.buttons, *self.foot):
            button.set_labelled(labelled)

    @property
    def current(self) -> RailButton:
        """The button of the current workspace, or the first."""
        return next((button for button in self.buttons if button.isChecked()), self.buttons[0])

    def focus_current(self) -> None:
        """Puts the focus on the current workspace's button."""
        self.current.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._area.ensureWidgetVisible(self.current)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().window())
        painter.fillRect(self.width() - 1, 0, 1, self.height(), self.palette().mid())
        painter.end()
