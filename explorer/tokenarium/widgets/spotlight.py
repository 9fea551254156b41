"""A card over the window, with a light on the place that it is about; the rest of the window is darkened."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMargins, QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QWidget

from tokenarium.style.shapes import paint_card
from tokenarium.style.theme import CARD_RADIUS, GRID
from tokenarium.style.themed import Themed
from tokenarium.widgets.areas import page_area
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.motion import Glide, appear

WIDEST = 816
"""Pixels of the card in a wide window."""

EDGE = GRID
"""Pixels between the card and the edge of the window."""

ARROW = 10
"""Pixels between the place and the card, where the arrow is."""

AROUND = 6
"""Pixels of the light around the place."""

AROUND_CARD = QMargins(26, 26, 26, 34)
"""Pixels around the card for its shadow and its arrow."""

LEAST = 180
"""Pixels: a card with less room next to its place covers it; with more, it scrolls."""

GROWS_MS = 220


class SpotlightCard(Themed, QWidget):
    """Shows a widget as a card over all of a window, below the place that it is about or above it.

    If there is little room, the widget scrolls, and ``foot`` stays at the bottom of the card. Escape and a click
    outside close it; Tab stays in it.
    """

    closed = Signal()

    def __init__(self, content: QWidget, foot: QWidget, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._content = content
        self._place: QRect | None = None  # in the window
        self._before: QWidget | None = None  # what had the focus
        self._light = Glide(self, self._grow, GROWS_MS)
        self._light.finished.connect(self._rest)
        self._below: QPixmap | None = None  # the window without the card, while that appears
        self._face = _Face(self)
        body = QWidget()
        in_column(content, into=body, margins=(3 * GRID, 14, 3 * GRID, 6))
        self._foot = QWidget(self._face)
        in_column(foot, into=self._foot, margins=(3 * GRID, 6, 3 * GRID, 14))
        self._area = page_area(body, self._face)
        self._body = body
        for part in (self._area, self._area.viewport(), body):
            part.setAutoFillBackground(False)
        body.installEventFilter(self)
        window.installEventFilter(self)
        self.hide()

    def open_at(self, place: QRect | None, moves: bool) -> None:
        """Shows the card; ``place`` is what it is about, on the screen. ``moves``: the light grows from there."""
        window = self._window
        self._place = None
        if place is not None:
            self._place = QRect(window.mapFromGlobal(place.topLeft()), place.size())
        opens = self.isHidden()
        if opens:
            self._before = window.focusWidget()
        self.setGeometry(window.rect())
        if opens and moves:
            # Otherwise each frame paints everything under the card again, through the shade.
            self._below = picture_of(window)
            opaque = self._below is not None
            self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, opaque)
        self.show()
        self.raise_()
        self.fit()
        if opens:
            appear(self._face)
        self._light.begin(moves)

    def close_card(self) -> None:
        """Hides the card, and restores the focus."""
        if self.isHidden():
            return
        self._light.stop()
        self._rest()
        self.hide()
        if self._before is not None:
            self._before.setFocus()
        self._before = None
        self.closed.emit()

    @property
    def card(self) -> QRect:
        """The bounds of the card in the window."""
        return self._face.geometry().marginsRemoved(AROUND_CARD)

    def fit(self) -> None:
        """Sets the size and the position of the card."""
        room = self.rect().adjusted(EDGE, EDGE, -EDGE, -EDGE)
        width = min(WIDEST, room.width())
        needed = self._body.heightForWidth(width - 4)
        if needed < 0:
            needed = self._body.sizeHint().height()
        needed = max(needed, self._body.minimumSizeHint().height())
        self._body.setMinimumHeight(needed)  # it scrolls where there is less: Qt would squeeze it
        foot = self._foot.sizeHint().height()
        height = min(needed + foot + 4, room.height())
        place = self._place
        if place is None:
            left, top = room.center().x() - width // 2, room.center().y() - height // 2
        else:
            left = place.center().x() - width // 3
            below = place.bottom() + AROUND + ARROW
            above = place.top() - AROUND - ARROW
            under, over = room.bottom() - below, above - room.top()
            if height <= under or under >= over:
                height = min(height, max(under, LEAST))
                top = below
            else:
                height = min(height, max(over, LEAST))
                top = above - height
            top = max(min(top, room.bottom() - height), room.top())
        left = max(min(left, room.right() - width), room.left())
        card = QRect(left, top, width, height)
        self._face.setGeometry(card.marginsAdded(AROUND_CARD))
        inside = card.translated(-self._face.pos()).adjusted(2, 2, -2, -2)
        self._area.setGeometry(inside.adjusted(0, 0, 0, -foot))
        self._foot.setGeometry(inside.adjusted(0, inside.height() - foot, 0, 0))
        self._face.arrow = self._arrow(QRectF(card))
        self._face.update()
        self.update()

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self.theme
        painter = QPainter(self)
        if self._below is not None:
            painter.drawPixmap(0, 0, self._below)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scrim = QColor(0, 0, 0) if theme.dark else QColor(theme.ink)
        scrim.setAlphaF(0.60 if theme.dark else 0.42)
        dark = QPainterPath()
        dark.addRect(QRectF(self.rect()))
        light = self._lit()
        if light is not None:
            hole = QPainterPath()
            hole.addRoundedRect(light, 8, 8)
            dark = dark.subtracted(hole)
        painter.fillPath(dark, scrim)
        if light is not None:
            painter.setPen(QPen(theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(light, 8, 8)
        painter.end()

    def _rest(self) -> None:
        """Shows the window itself under the shade again, not a picture of it."""
        if self._below is not None:
            self._below = None
            self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, False)
            self.update()

    def _grow(self, _share: float) -> None:
        """Repaints only the light."""
        if self._place is not None:
            reach = AROUND + 2
            self.update(self._place.adjusted(-reach, -reach, reach, reach))

    def _lit(self) -> QRectF | None:
        """The light, which grows from the middle of its place."""
        if self._place is None:
            return None
        whole = QRectF(self._place).adjusted(-AROUND, -AROUND, AROUND, AROUND)
        share = self._light.share
        away = (1 - share) / 2
        return whole.adjusted(
            away * whole.width(),
            away * whole.height(),
            -away * whole.width(),
            -away * whole.height(),
        )

    def _arrow(self, card: QRectF) -> QPolygonF | None:
        """The arrow from the card to the place, if they are apart."""
        if self._place is None:
            return None
        x = max(min(self._place.center().x(), card.right() - 24), card.left() + 24)
        if card.top() >= self._place.bottom() + AROUND:
            tip, foot = card.top() - ARROW + 2, card.top() + 1.5
        elif card.bottom() <= self._place.top() - AROUND:
            tip, foot = card.bottom() + ARROW - 2, card.bottom() - 1.5
        else:
            return None
        return QPolygonF([QPointF(x - 9, foot), QPointF(x, tip), QPointF(x + 9, foot)])

    # Input.

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.isVisible():
            kind = event.type()
            if watched is self._body and kind == QEvent.Type.LayoutRequest:
                self.fit()
            elif watched is self._window and kind == QEvent.Type.Resize:
                self._rest()
                self.setGeometry(self._window.rect())
                self._place = None  # it has moved
                self.fit()
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.card.contains(event.position().toPoint()):
            self.close_card()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
        else:
            event.accept()  # widgets under the card get no keys

    def focusNextPrevChild(self, next: bool) -> bool:
        """Keeps the focus in the card."""
        inside = [
            widget
            for part in (self._content, self._foot)
            for widget in part.findChildren(QWidget)  # in the order of their creation
            if widget.isVisible()
            and widget.isEnabled()
            and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        ]
        if not inside:
            return True
        focus = self.window().focusWidget()
        at = inside.index(focus) if focus in inside else (-1 if next else 0)
        reason = Qt.FocusReason.TabFocusReason if next else Qt.FocusReason.BacktabFocusReason
        goal = inside[(at + (1 if next else -1)) % len(inside)]
        goal.setFocus(reason)
        self._area.ensureWidgetVisible(goal)
        return True


class _Face(Themed, QWidget):
    """The background of the card, with its shadow and its arrow; ``arrow`` is in the window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.arrow: QPolygonF | None = None

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QRectF(self.rect().marginsRemoved(AROUND_CARD))
        paint_card(painter, card, self.theme, CARD_RADIUS, over=True)
        if self.arrow is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.surface)
            painter.drawPolygon(self.arrow.translated(-self.x(), -self.y()))
        painter.end()


def picture_of(window: QWidget) -> QPixmap | None:
    """Returns the last painted contents of a window; None if Qt does not keep them in accessible memory."""
    store = window.backingStore()
    image = store.paintDevice() if store is not None else None
    if not isinstance(image, QImage) or image.deviceIndependentSize().toSize() != window.size():
        return None
    return QPixmap.fromImage(image.copy())
