"""The sign of a series of dots: a shape beside its colour, for who does not tell the colours apart."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

DOT = 3.5
"""Half of a sign's width in pixels."""

# The outline for each series in turn, as corners from the middle; None is a circle.
_SHAPES: tuple[tuple[tuple[float, float], ...] | None, ...] = (
    None,
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    ((0, -1.2), (1.2, 0.9), (-1.2, 0.9)),
    ((0, 1.2), (1.2, -0.9), (-1.2, -0.9)),
    ((-1.2, -0.5), (1.2, -0.5), (1.2, 0.5), (-1.2, 0.5)),
)


def paint_sign(
    painter: QPainter, place: int, at: QPointF, colour: QColor, outline: QColor | None = None
) -> None:
    """Paints the sign of the series in a place, with its middle at a point."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen if outline is None else QPen(outline, 1.2))
    painter.setBrush(colour)
    corners = _SHAPES[place % len(_SHAPES)]
    if corners is None:
        painter.drawEllipse(at, DOT, DOT)
    else:
        painter.drawPolygon(QPolygonF([at + QPointF(DOT * x, DOT * y) for x, y in corners]))
    painter.restore()
