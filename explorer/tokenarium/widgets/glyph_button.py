"""Buttons with an icon in the colour of their text, also if they are filled."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QFont, QKeySequence, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QPushButton, QStyle, QStyleOptionButton

from tokenarium.style.controls import ghost, primary
from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.style.icons import ICON_SIZE, paint_icon
from tokenarium.style.theme import CONTROL_HEIGHT

GAP = 8
"""Pixels between the icon and the text."""

_SIDE = 14
_ROLES = {
    "primary": QPalette.ColorRole.HighlightedText,
    "ghost": QPalette.ColorRole.Accent,
    "link": QPalette.ColorRole.Accent,
    "quiet": QPalette.ColorRole.PlaceholderText,
}


class GlyphButton(QPushButton):
    """A button with an icon and a text, or only the icon if there is little room.

    ``kind``: "" for a border, "primary" for the accent, "quiet" for neither, "link" and "ghost" for neither, but text
    in the accent, with the icon before or after it. An arrow to the right is always after it.
    """

    def __init__(self, text: str, glyph: str, kind: str = "") -> None:
        super().__init__(text)
        self._glyph = glyph
        self._compact = False
        self._kind = kind
        if kind == "primary":
            primary(self)
        elif kind:
            ghost(self)
        self.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.setAccessibleName(text)
        self.setAutoDefault(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def follow(self, action: QAction) -> GlyphButton:
        """Makes the button trigger an action, and enables it with the action."""
        self.clicked.connect(action.trigger)

        def show() -> None:
            self.setEnabled(action.isEnabled())
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            tip = action.toolTip()
            self.setToolTip(tip if keys in tip or not keys else f"{tip} ({keys})")

        action.changed.connect(show)
        show()
        return self

    @property
    def compact(self) -> bool:
        """Whether only the icon is shown."""
        return self._compact

    def set_compact(self, compact: bool) -> None:
        """Shows only the icon, or also the text."""
        if compact != self._compact:
            self._compact = compact
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        if self._compact:
            return QSize(CONTROL_HEIGHT, CONTROL_HEIGHT)
        text = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(text + GAP + ICON_SIZE + 2 * _SIDE, CONTROL_HEIGHT)

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QPainter(self)
        self.style().drawControl(QStyle.ControlElement.CE_PushButtonBevel, option, painter, self)
        roles = QPalette.ColorRole
        role = _ROLES.get(self._kind, roles.ButtonText)
        group = QPalette.ColorGroup.Active
        if not self.isEnabled():
            group, role = QPalette.ColorGroup.Disabled, roles.ButtonText
        colour = self.palette().color(group, role)
        text = "" if self._compact else self.text()
        width = self.fontMetrics().horizontalAdvance(text)
        whole = ICON_SIZE + (GAP + width if text else 0)
        left, middle = (self.width() - whole) / 2, self.height() / 2
        if self._kind == "ghost" or self._glyph == "arrow-right":  # what leads on comes last
            text_left, icon_left = left, left + whole - ICON_SIZE
        else:
            text_left, icon_left = left + ICON_SIZE + GAP, left
        square = QRectF(icon_left, middle - ICON_SIZE / 2, ICON_SIZE, ICON_SIZE)
        paint_icon(painter, square, self._glyph, colour)
        painter.setPen(colour)
        painter.setFont(self.font())
        place = QRectF(text_left, 0, width + 2, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()
