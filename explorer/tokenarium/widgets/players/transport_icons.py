"""The signs on a player's buttons, drawn in the colours of a theme."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPixmap

from tokenarium.style.palette import mix
from tokenarium.style.theme import Theme

SIZE = 16
SHARPNESS = 3


def transport_icon(name: str, theme: Theme) -> QIcon:
    """Returns a sign by its name: ``start``, ``back``, ``play``, ``pause``, ``on`` or ``end``."""
    icon = QIcon()
    icon.addPixmap(_drawn(name, theme.text), QIcon.Mode.Normal)
    icon.addPixmap(_drawn(name, mix(theme.window, theme.text, 0.35)), QIcon.Mode.Disabled)
    return icon


def _drawn(name: str, colour: QColor) -> QPixmap:
    pixmap = QPixmap(SIZE * SHARPNESS, SIZE * SHARPNESS)
    pixmap.setDevicePixelRatio(SHARPNESS)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if name in ("start", "back"):  # the others, seen in a mirror
        painter.translate(SIZE, 0)
        painter.scale(-1, 1)
    painter.drawPath(_PATHS[name]())
    painter.end()
    return pixmap


def _play() -> QPainterPath:
    return _triangle(3.5, 14)


def _pause() -> QPainterPath:
    return _bars(3.5, 9.5, width=3)


def _step() -> QPainterPath:
    path = _bars(3.5, width=2)
    path.addPath(_triangle(7, 13.5, 3.5))
    return path


def _jump() -> QPainterPath:
    path = _triangle(2, 8, 3.5)
    path.addPath(_triangle(7, 13, 3.5))
    path.addPath(_bars(13, width=2))
    return path


def _triangle(left: float, right: float, top: float = 2) -> QPainterPath:
    path = QPainterPath(QPointF(left, top))
    path.lineTo(right, SIZE / 2)
    path.lineTo(left, SIZE - top)
    path.closeSubpath()
    return path


def _bars(*lefts: float, width: float) -> QPainterPath:
    path = QPainterPath()
    for left in lefts:
        path.addRect(QRectF(left, 3, width, SIZE - 6))
    path.setFillRule(Qt.FillRule.WindingFill)
    return path


_PATHS = {
    "play": _play,
    "pause": _pause,
    "on": _step,
    "back": _step,
    "end": _jump,
    "start": _jump,
}
