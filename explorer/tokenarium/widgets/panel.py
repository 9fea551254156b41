"""Common widgets: buttons, labels, and the square in a tokenizer's colour."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QFont,
    QIcon,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.fonts import HEADING_SIZE, SMALL_SIZE, set_weight, ui_font
from tokenarium.style.shapes import paint_marker
from tokenarium.style.theme import CARD_RADIUS, GRID, Identity
from tokenarium.widgets.keyboard import paint_keyboard_ring

Label = TypeVar("Label", bound=QLabel)
Named = TypeVar("Named", bound=QWidget)

MARGIN = 3 * GRID // 2
_ANYWHERE = QTextOption()
_ANYWHERE.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)

FEW_PIXELS = 5
"""Pixels: narrower than most letters."""

UNBOUNDED = 16_777_215
"""Qt's largest size of a widget."""


class CardFrame(QWidget):
    """A card: the background of text and data, rounded, with a hairline."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.setBrush(self.palette().base())
        inside = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(inside, CARD_RADIUS, CARD_RADIUS)
        painter.end()


def edged(widget: QWidget) -> CardFrame:
    """Returns a card whose content, such as a table, reaches its left and right edges."""
    card = CardFrame()
    rows = QVBoxLayout(card)
    rows.setContentsMargins(1, GRID, 1, GRID)
    rows.addWidget(widget)
    return card


class ElidedLabel(QLabel):
    """A line that ends in "…" if it is too long, and then shows all of it on hover."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._tip = ""
        self._lines = 1
        self._fitted: tuple[tuple[object, ...], list[str]] = (), []
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def set_lines(self, count: int) -> None:
        """Sets the number of lines; the last one may end in "…"."""
        if count != self._lines:
            self._lines = count
            self.setMinimumHeight(count * self.fontMetrics().lineSpacing())
            self._show_tip()
            self.update()

    def set_tip(self, tip: str) -> None:
        """Sets the tooltip, which comes after the whole line if that is cut short."""
        self._tip = tip
        self._show_tip()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_tip()

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._show_tip()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), int(self.alignment()), "\n".join(self._shown()))
        painter.end()

    def _shown(self) -> list[str]:
        """The visible lines."""
        fits = self.text(), self.contentsRect().width(), self._lines, self.font().key()
        if fits != self._fitted[0]:
            self._fitted = fits, self._fit(self.contentsRect().width())
        return self._fitted[1]

    def _fit(self, width: int) -> list[str]:
        units = self.text().encode("utf-16-le", "replace")  # Qt counts in these
        lines: list[str] = []
        if self._lines > 1 and width > 0:
            layout = QTextLayout(self.text(), self.font())
            layout.setTextOption(_ANYWHERE)
            layout.beginLayout()
            while len(lines) < self._lines - 1 and (line := layout.createLine()).isValid():
                line.setLineWidth(width)
                size = 2 * line.textLength()
                lines.append(units[:size].decode("utf-16-le").rstrip())
                units = units[size:]
            layout.endLayout()
        rest = units.decode("utf-16-le")
        if rest:
            # Text far outside the visible part is not measured.
            beginning = rest[: width // FEW_PIXELS]
            elided = self._elided(beginning, width)
            lines.append(self._elided(rest, width) if elided == beginning else elided)
        return lines

    def _elided(self, text: str, width: int) -> str:
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)

    def _show_tip(self) -> None:
        shown = " ".join(self._shown()).split()
        whole = self.text() if shown != self.text().split() else ""
        self.setToolTip(as_tip("\n".join(part for part in (whole, self._tip) if part)))


class Rule(QWidget):
    """A hairline between two areas."""

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
    """Returns a flat button for an action, with its own text if the menu's is too long."""
    button = named(FlatButton(), action.text().replace("&", ""))
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if text:
        button.keep_text(text)
    return button


def menu_button(text: str, name: str, menu: QMenu) -> QToolButton:
    """Returns a flat button that opens a menu; ``name`` is for screen readers."""
    button = named(FlatButton(), name)
    button.setText(f"{text} ▾")
    button.setAutoRaise(False)  # else it is read as text
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    # Not setMenu: Fusion would paint a second arrow, over the edge of the text.
    button.clicked.connect(lambda: menu.popup(button.mapToGlobal(button.rect().bottomLeft())))
    return button


def named(widget: Named, name: str, tip: str = "") -> Named:
    """Returns the widget with a name for screen readers and a tooltip."""
    widget.setAccessibleName(name)
    if tip:
        widget.setToolTip(tip)
    return widget


PASSING = "passing"
"""The property of a field whose text is not worth keeping."""


def passing(widget: Named) -> Named:
    """Returns a field, such as a search, whose text is not kept when the program ends."""
    widget.setProperty(PASSING, True)
    return widget


def is_passing(widget: QWidget) -> bool:
    """Whether the text of a field is not kept."""
    return bool(widget.property(PASSING))


def close_buttons(dialog: QDialog) -> QDialogButtonBox:
    """Returns the buttons of a dialog with one that closes it, without an icon like the others."""
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())
    buttons.rejected.connect(dialog.reject)
    return buttons


def secondary(label: Label) -> Label:
    """Returns the label in the weaker colour of explanations."""
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return literal(label)


def strong(label: Label) -> Label:
    """Returns the label in bold."""
    font = label.font()
    set_weight(font, QFont.Weight.DemiBold)
    label.setFont(font)
    return literal(label)


def heading(text: str) -> QLabel:
    """Returns the title of a card."""
    label = literal(QLabel(text))
    label.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
    return label


def small_heading(text: str) -> QLabel:
    """Returns the heading of a part of a page or a card."""
    label = secondary(QLabel(text))
    label.setFont(ui_font(SMALL_SIZE, QFont.Weight.DemiBold))
    return label


def small_note() -> QLabel:
    """Returns a note in small letters, which wraps."""
    label = secondary(QLabel(wordWrap=True))
    label.setFont(ui_font(SMALL_SIZE))
    return label


def tip_button(text: str, tip: str) -> QPushButton:
    """Returns a button with a tooltip, which screen readers say too."""
    button = QPushButton(text, autoDefault=False)
    button.setToolTip(tip)
    button.setAccessibleDescription(tip)
    return button


def literal(label: Label) -> Label:
    """Returns the label in plain text: Qt would show a text with ``<b>`` as HTML."""
    if label.textFormat() == Qt.TextFormat.AutoText:
        label.setTextFormat(Qt.TextFormat.PlainText)
    return label


class FlatButton(QToolButton):
    """A tool button with a frame only under the pointer."""

    def __init__(self) -> None:
        super().__init__()
        self.setAutoRaise(True)
        self._text = ""

    def keep_text(self, text: str) -> None:
        """Shows its own text, even when that of its action changes."""
        self._text = text
        self._show_text()
        self.defaultAction().changed.connect(self._show_text)

    def _show_text(self) -> None:
        self.setText(self._text)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_keyboard_ring(self, self.rect())


CHIP_SIZE = 13
"""Pixels of the marker of a tokenizer in a row."""

ICON_SIZE = 16
"""Pixels of Qt's small icons; smaller ones would be scaled up."""


class MarkerChip(QWidget):
    """The marker of a tokenizer as a widget."""

    def __init__(self, identity: Identity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.identity = identity
        self.setFixedSize(CHIP_SIZE, CHIP_SIZE)

    def set_identity(self, identity: Identity) -> None:
        """Changes the marker or its colours, such as when light changes to dark."""
        self.identity = identity
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_marker(painter, QRectF(self.rect()), self.identity)
        painter.end()


def size_within(window: QWidget, width: int, height: int) -> QSize:
    """Returns a size in pixels, limited to a window without a margin."""
    return QSize(width, height).boundedTo(window.size() - QSize(4 * GRID, 8 * GRID))
