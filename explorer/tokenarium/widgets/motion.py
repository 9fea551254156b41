"""Animations: cards, sheets and messages that fade in and rise, and fade out; and values that glide.

They run only if animations are on. One widget appears at a time, and a key or mouse press ends the animation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast
from weakref import WeakSet

from PySide6.QtCore import QEasingCurve, QEvent, QObject, QPoint, QRectF, Qt, QVariantAnimation
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QWindow
from PySide6.QtWidgets import QGraphicsEffect, QWidget
from shiboken6 import isValid

from tokenarium.style.appearance import motion_enabled
from tokenarium.style.theme import MOTION_MS

LEAVES_MS = 110
"""Milliseconds in which a card disappears."""

RISE = 8
"""Pixels that a card rises while it appears."""

_INPUT = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)

_moving: list[Glide] = []
"""The animations of appearing and disappearing widgets."""

_begun: WeakSet[Glide] = WeakSet()
"""The glides that run or have run."""


class Glide(QVariantAnimation):
    """Runs from 0 to 1 and calls ``changed`` with each value; the last value is always 1."""

    def __init__(
        self,
        parent: QObject,
        changed: Callable[[float], None],
        ms: int = MOTION_MS,
        curve: QEasingCurve.Type = QEasingCurve.Type.OutCubic,
    ) -> None:
        super().__init__(parent, startValue=0.0, endValue=1.0, duration=ms)
        self.setEasingCurve(curve)
        self.valueChanged.connect(changed)

    @property
    def runs(self) -> bool:
        """Whether it has not reached its end."""
        return self.state() != QVariantAnimation.State.Stopped

    @property
    def share(self) -> float:
        """The progress, 0 to 1."""
        return float(cast(float, self.currentValue() or 0.0))

    def begin(self, moves: bool) -> None:
        """Starts again; jumps to its end if ``moves`` is False."""
        _begun.add(self)
        self.stop()
        self.start()
        if not moves:
            self.end()

    def end(self) -> None:
        """Goes to the end state."""
        if self.runs:
            self.setCurrentTime(self.duration())


def appear(widget: QWidget) -> None:
    """Makes a widget that was just shown fade in and rise. It handles keys and clicks from the first moment."""
    if not (motion_enabled() and widget.isVisible()):
        return
    finish()
    effect = _Appearing(widget)
    widget.setGraphicsEffect(effect)
    _run(Glide(widget, effect.set_share), widget, lambda: widget.setGraphicsEffect(None))  # type: ignore[arg-type]  # None takes it away


def vanish(widget: QWidget) -> None:
    """Hides a widget, and leaves a picture of it that fades out."""
    parent = widget.parentWidget()
    if parent is None or not (motion_enabled() and widget.isVisible()):
        QWidget.setVisible(widget, False)
        return
    finish()
    ghost = _Ghost(widget.grab(), parent)
    ghost.setGeometry(widget.geometry())
    QWidget.setVisible(widget, False)
    ghost.show()
    glide = Glide(ghost, ghost.set_share, LEAVES_MS, QEasingCurve.Type.InCubic)
    _run(glide, ghost, ghost.remove)


def finish() -> None:
    """Completes all appearing and disappearing at once."""
    while _moving:
        glide = _moving.pop()
        if isValid(glide):  # otherwise it was deleted with its widget
            glide.end()


def at_rest() -> bool:
    """Returns whether no animation is running."""
    return not any(isValid(glide) and glide.runs for glide in (*_moving, *_begun))


def _run(glide: Glide, widget: QWidget, ended: Callable[[], object]) -> None:
    window = widget.window().windowHandle()
    ending = _Ending(glide)
    if window is not None:
        window.installEventFilter(ending)
    glide.finished.connect(ended)
    glide.finished.connect(lambda: ending.done(window))
    _moving.append(glide)
    glide.start()


class _Ending(QObject):
    """Ends an animation when the user does something. It watches the native window, which gets few other events."""

    def __init__(self, glide: Glide) -> None:
        super().__init__(glide)
        self._glide = glide

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _INPUT:
            self._glide.end()
        return False

    def done(self, window: QWindow | None) -> None:
        """Stops watching; the animation is over."""
        if self._glide in _moving:
            _moving.remove(self._glide)
        if window is not None and isValid(window):  # otherwise it was closed meanwhile
            window.removeEventFilter(self)
        self._glide.deleteLater()


class _Appearing(QGraphicsEffect):
    """Paints an appearing widget from one picture of it, instead of painting all of it in each frame."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._share = 0.0
        self._picture = QPixmap()
        self._offset = QPoint()
        self._bounds = QRectF()  # when the picture was taken

    def set_share(self, share: float) -> None:
        """Paints it with this opacity, 0 to 1."""
        self._share = share
        self.update()

    def draw(self, painter: QPainter) -> None:
        bounds = self.sourceBoundingRect()
        if bounds != self._bounds:
            logical, bare = Qt.CoordinateSystem.LogicalCoordinates, self.PixmapPadMode.NoPad
            self._picture = self.sourcePixmap(logical, self._offset, bare)
            self._bounds = bounds
        rise = round((1 - self._share) * RISE)
        painter.setOpacity(self._share)
        painter.drawPixmap(self._offset + QPoint(0, rise), self._picture)


class _Ghost(QWidget):
    """The picture of a widget that was hidden."""

    def __init__(self, picture: QPixmap, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._picture = picture
        self._share = 0.0

    def set_share(self, share: float) -> None:
        """Paints it faded out by this share."""
        self._share = share
        self.update()

    def remove(self) -> None:
        """Deletes it."""
        self.hide()
        self.deleteLater()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setOpacity(1 - self._share)
        painter.drawPixmap(0, 0, self._picture)
        painter.end()
