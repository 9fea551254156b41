"""The bar at the top: the text in one line, the search, and actions."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QFont,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QLabel, QMenu, QSizePolicy, QWidget

from tokenarium.style.control_painting import lit_ground
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, number_font, ui_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.theme import CONTROL_HEIGHT, GRID, PAGE_MARGIN
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.keyboard import paint_keyboard_ring
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.panel import ElidedLabel, FlatButton, named, secondary

HEIGHT, LOW_HEIGHT = 64, 54
LINE_HEIGHT = 40
"""Pixels of the bar, also in a low window, and of the line of the text in it."""

FIND_WIDTH = 194
"""Pixels of the search button, with its text."""

WIDE, MIDDLE = 860, 700
"""Pixels: in a narrower bar, first the buttons shrink, then the counts are hidden."""

NARROW_MARGIN = 12
"""Pixels at both ends of a narrow bar."""

PREVIEW = 400
"""Characters of the text that the line may show."""

_RADIUS = 10


class SampleButton(FlatButton):
    """The name of the text, which opens the menu of samples."""

    def __init__(self, menu: QMenu) -> None:
        super().__init__()
        self.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(lambda: menu.popup(self.mapToGlobal(self.rect().bottomLeft())))
        self._shown = ""
        self.setAccessibleName("Choose a sample text")
        self.show_name("")

    def show_name(self, name: str) -> None:
        """Shows the name of the text; "" for a text of the user's."""
        shown = name or "Your text"
        if shown == self._shown:
            return  # as after each keystroke
        self._shown = shown
        self.setAccessibleDescription(self._shown)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self._shown)
        return QSize(min(width, 160) + 62, 32)

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(palette.mid() if self.isDown() else palette.midlight())
            painter.drawRoundedRect(QRectF(self.rect()), 8, 8)
        ink = palette.color(QPalette.ColorRole.Text)
        middle = self.height() / 2
        paint_icon(painter, QRectF(8, middle - 9, 18, 18), "article", ink)
        painter.setPen(ink)
        painter.setFont(self.font())
        room = self.rect().adjusted(34, 0, -26, 0)
        name = self.fontMetrics().elidedText(
            self._shown, Qt.TextElideMode.ElideMiddle, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, name)
        caret = QRectF(self.width() - 22, middle - 7, 14, 14)
        paint_icon(painter, caret, "caret-down", palette.color(QPalette.ColorRole.PlaceholderText))
        painter.end()
        paint_keyboard_ring(self, self.rect())


class TextLine(QWidget):
    """One line of the text: its name, its beginning, its size, and the pencil. A click on it edits the text."""

    clicked = Signal()

    def __init__(self, menu: QMenu, edit: QAction, counts: QLabel) -> None:
        super().__init__()
        self.setAccessibleName("The text in one line")
        self.samples = SampleButton(menu)
        self.preview = secondary(ElidedLabel())
        self.preview.setAccessibleName("The beginning of the text")
        self.preview.setCursor(Qt.CursorShape.IBeamCursor)
        self.counts = counts
        counts.setFont(number_font(SMALL_SIZE))
        self.pencil = named(FlatButton(), "Edit the text")
        self.pencil.setDefaultAction(edit)
        self.pencil.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.pencil.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(LINE_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        in_row(
            self.samples,
            GRID + GRID // 2,
            (self.preview, 1),
            GRID,
            counts,
            GRID,
            self.pencil,
            into=self,
            margins=4,
        )
        self.show_text("")

    def show_text(self, text: str) -> None:
        """Shows the beginning of a text."""
        beginning = " ".join(text[:PREVIEW].split())
        self.preview.setText(beginning or "No text yet: type here, or choose a sample")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.palette().mid(), 1))
        painter.setBrush(self.palette().base())
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)
        x = self.samples.geometry().right() + 4
        painter.fillRect(x, GRID + 2, 1, self.height() - 2 * GRID - 4, self.palette().mid())
        painter.end()


class FindButton(QAbstractButton):
    """A button that looks like a field, and opens the palette."""

    def __init__(self, action: QAction) -> None:
        super().__init__()
        self._keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self._compact = False
        self.setAccessibleName("Find anything")
        self.setToolTip(action.toolTip())
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(action.trigger)
        self.set_compact(False)

    def set_compact(self, compact: bool) -> None:
        """Shows only the icon, or also text and keys."""
        self._compact = compact
        self.setFixedSize(LINE_HEIGHT if compact else FIND_WIDTH, LINE_HEIGHT)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, roles = self.palette(), QPalette.ColorRole
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(palette.mid(), 1))
        painter.setBrush(lit_ground(self, palette.color(roles.Base)))
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)
        middle = self.height() / 2
        left = (self.width() - 18) / 2 if self._compact else 12
        dim = palette.color(roles.PlaceholderText)
        paint_icon(painter, QRectF(left, middle - 9, 18, 18), "magnifying-glass", dim)
        if not self._compact:
            painter.setPen(dim)
            painter.setFont(ui_font(TEXT_SIZE))
            vertical = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(self.rect().adjusted(38, 0, 0, 0), vertical, "Find anything")
            _paint_keys(painter, self, self._keys.replace("+", " "))
        painter.end()
        paint_keyboard_ring(self, self.rect())


def _paint_keys(painter: QPainter, button: QWidget, keys: str) -> None:
    """Paints a key cap at the right."""
    palette = button.palette()
    font = ui_font(SMALL_SIZE - 1, QFont.Weight.Medium)
    painter.setFont(font)
    width = painter.fontMetrics().horizontalAdvance(keys) + 12
    cap = QRectF(button.width() - width - 9.5, button.height() / 2 - 9.5, width, 19)
    painter.setPen(QPen(palette.mid(), 1))
    painter.setBrush(palette.window())
    painter.drawRoundedRect(cap, 5, 5)
    painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
    painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, keys)


class TopBar(QWidget):
    """The bar; ``doing`` are the actions at the right with their texts and icons, the last one filled."""

    def __init__(
        self,
        library: QAction,
        line: TextLine,
        find: QAction,
        doing: list[tuple[QAction, str, str, str]],
    ) -> None:
        super().__init__()
        self.setAccessibleName("Top bar")
        self.setFixedHeight(HEIGHT)
        self.line = line
        self.library = named(FlatButton(), "Library")
        self.library.setDefaultAction(library)
        self.library.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.library.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.library.setFixedSize(34, 34)
        self.finder = FindButton(find)
        self.doing = [
            GlyphButton(text, glyph, kind).follow(action) for action, text, glyph, kind in doing
        ]
        self._row = in_row(self.library, (line, 1), self.finder, *self.doing, into=self, spacing=10)
        self.controls: list[QWidget] = [self.library, line.samples, line.pencil, self.finder]
        self.controls += self.doing

    def minimumSizeHint(self) -> QSize:
        """The size with the buttons as icons, and without the counts and the beginning of the text."""
        line = self.line.samples.sizeHint().width() + self.line.pencil.sizeHint().width() + 4 * GRID
        icons = self.library.width() + LINE_HEIGHT + CONTROL_HEIGHT * len(self.doing)
        gaps = self._row.spacing() * (2 + len(self.doing)) + 2 * NARROW_MARGIN
        return QSize(line + icons + gaps, LOW_HEIGHT)

    def set_low(self, low: bool) -> None:
        """Reduces the height, for a low window."""
        self.setFixedHeight(LOW_HEIGHT if low else HEIGHT)

    def show_library_button(self, show: bool) -> None:
        """Shows or hides the button that opens the library, which is not needed next to the library."""
        self.library.setVisible(show)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = event.size().width()
        margin = PAGE_MARGIN if width >= MIDDLE else NARROW_MARGIN
        self._row.setContentsMargins(margin, 0, margin, 0)
        self.finder.set_compact(width < WIDE)
        for button in self.doing:
            button.set_compact(width < WIDE)
        self.line.counts.setVisible(width >= MIDDLE)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self.palette().mid())
        painter.end()
