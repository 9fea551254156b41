"""Rings around parts of a window that a lesson names: they pulse a few times, or are still if animations are off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QRegion, QWindow
from PySide6.QtWidgets import QWidget

from tokenarium.style.appearance import motion_enabled
from tokenarium.style.theme import CONTROL_RADIUS
from tokenarium.style.themed import Themed

RING = 2.5
HALO = 1.5
"""Pixels: the ring, and the margin on both sides of it."""

REACH = 12
"""Pixels by which a pulse extends beyond the ring."""

PULSES = 3
PULSE_MS = 900
FOLLOW_MS = 120
"""Milliseconds after which the rings follow their parts."""


class MarkRings(Themed, QWidget):
    """Covers a window, and ignores clicks. `gone`: the user did something outside ``guide``."""

    gone = Signal()

    def __init__(self, host: QWidget) -> None:
        super().__init__(host)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._find: Callable[[], Sequence[QRect]] = list
        self._rings: list[QRectF] = []
        self._watched: QWindow | None = None
        self.guide: QWidget | None = None
        self._follows = QTimer(self, interval=FOLLOW_MS)
        self._follows.timeout.connect(self._follow)
        self._pulse = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=PULSE_MS)
        self._pulse.setLoopCount(PULSES)
        self._pulse.valueChanged.connect(self._repaint)
        self.hide()

    @property
    def rings(self) -> list[QRectF]:
        """The rings, in the window."""
        return self._rings if self.isVisible() else []

    @property
    def moves(self) -> bool:
        """Whether they pulse now."""
        return self._pulse.state() == QVariantAnimation.State.Running

    def mark(self, find: Callable[[], Sequence[QRect]]) -> None:
        """Draws a ring around the rectangle of ``find``, in screen coordinates, and follows it as it moves."""
        self._find = find
        self._watch(True)
        self.setGeometry(cast(QWidget, self.parentWidget()).rect())
        self.show()
        self.raise_()
        self._follow()
        self._follows.start()
        self._pulse.stop()
        if motion_enabled():
            self._pulse.start()

    def clear(self) -> None:
        """Removes the rings."""
        self._follows.stop()
        self._pulse.stop()
        self._watch(False)
        self._rings = []
        self.hide()

    def _watch(self, on: bool) -> None:
        """Watches the native window, which gets keys and clicks, and few other events."""
        window = self.window().windowHandle()
        if self._watched is not None:
            self._watched.removeEventFilter(self)
        self._watched = window if on else None
        if self._watched is not None:
            self._watched.installEventFilter(self)

    def _follow(self) -> None:
        host = cast(QWidget, self.parentWidget())
        if self.size() != host.size():
            self.setGeometry(host.rect())
        corner = host.mapToGlobal(host.rect().topLeft())
        room = QRectF(host.rect()).adjusted(RING, RING, -RING, -RING)
        rings = [QRectF(rect.translated(-corner)) & room for rect in self._find()]
        if rings != self._rings:
            self._repaint()
            self._rings = rings
            self._repaint()

    def _repaint(self) -> None:
        for ring in self._rings:
            outer = ring.toAlignedRect().adjusted(-REACH - 3, -REACH - 3, REACH + 3, REACH + 3)
            inner = ring.toAlignedRect().adjusted(5, 5, -5, -5)
            self.update(QRegion(outer).subtracted(QRegion(inner)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self.theme
        for ring in self._rings:
            for colour, width in ((theme.surface, RING + 2 * HALO), (theme.ink, RING)):
                painter.setPen(QPen(colour, width))
                painter.drawRoundedRect(ring, CONTROL_RADIUS, CONTROL_RADIUS)
            if self.moves:
                share = float(self._pulse.currentValue())
                wave = QColor(theme.ink)
                wave.setAlphaF(0.6 * (1 - share))
                painter.setPen(QPen(wave, RING))
                away = share * REACH
                painter.drawRoundedRect(
                    ring.adjusted(-away, -away, away, away),
                    CONTROL_RADIUS + away,
                    CONTROL_RADIUS + away,
                )
        painter.end()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind, guide = event.type(), self.guide
        if kind == QEvent.Type.MouseButtonPress:
            at = cast(QMouseEvent, event).globalPosition().toPoint()
            if guide is None or not guide.rect().contains(guide.mapFromGlobal(at)):
                self.gone.emit()
        elif kind == QEvent.Type.KeyPress:
            focus = self.window().focusWidget()
            if guide is None or focus is None or not guide.isAncestorOf(focus):
                self.gone.emit()
        return False
