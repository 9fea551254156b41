"""Shapes that are painted in several places: tokens with their cuts, the markers of tokenizers, shadows."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QIcon,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QTransform,
)

from tokenarium.style.cuts import NARROW, PLAIN_CUTS, Cut, edge_points
from tokenarium.style.markers import Marker, marker_circles, marker_points
from tokenarium.style.theme import Identity, Theme

GAP = 0.75
"""Pixels of ground that a token leaves free at each side."""

LEAST_WIDTH = 1.2
"""Pixels: no token is painted narrower."""


def token_path(
    rect: QRectF, left: Cut = Cut.STRAIGHT, right: Cut = Cut.STRAIGHT, radius: float = 0.0
) -> QPainterPath:
    """Returns the outline of a token in a rectangle, with the form of each cut.

    ``radius``: of the two upper corners, for tiles; their teeth and notches are larger.
    """
    if rect.width() < NARROW:
        left = right = Cut.STRAIGHT
    if radius == 0 and left in PLAIN_CUTS and right in PLAIN_CUTS:
        path = QPainterPath()
        path.addRect(rect)
        return path
    return _outline(rect.width(), rect.height(), left, right, radius).translated(rect.topLeft())


@lru_cache(maxsize=1 << 12)
def _outline(width: float, height: float, left: Cut, right: Cut, radius: float) -> QPainterPath:
    rect, path = QRectF(0.0, 0.0, width, height), QPainterPath()
    path.moveTo(rect.left() + (radius if left in PLAIN_CUTS else 0), rect.top())
    if right in PLAIN_CUTS and radius:
        path.lineTo(rect.right() - radius, rect.top())
        path.arcTo(rect.right() - 2 * radius, rect.top(), 2 * radius, 2 * radius, 90, -90)
    else:
        path.lineTo(rect.topRight())
    for x, y in edge_points(rect.height(), right, bool(radius)):
        path.lineTo(rect.right() - x, rect.top() + y)
    path.lineTo(rect.bottomRight())
    path.lineTo(rect.bottomLeft())
    for x, y in reversed(edge_points(rect.height(), left, bool(radius))):
        path.lineTo(rect.left() + x, rect.top() + y)
    if left in PLAIN_CUTS and radius:
        path.lineTo(rect.left(), rect.top() + radius)
        path.arcTo(rect.left(), rect.top(), 2 * radius, 2 * radius, 180, -90)
    else:
        path.lineTo(rect.topLeft())
    path.closeSubpath()
    return path


def paint_token(
    painter: QPainter,
    rect: QRectF,
    fill: QColor | QBrush,
    rule: QColor,
    left: Cut = Cut.STRAIGHT,
    right: Cut = Cut.STRAIGHT,
    *,
    radius: float = 0.0,
    rule_height: float = 2.5,
    frame: float = 0.0,
) -> None:
    """Paints the ground of a token without its text: the fill, and the rule at its foot; both stop at the cuts.

    ``rect`` reaches from cut to cut: the gap is left free inside it. ``frame``: see `TokenFills`.
    """
    inside = rect.adjusted(0 if left is Cut.OPEN else GAP, 0, 0 if right is Cut.OPEN else -GAP, 0)
    if inside.width() < LEAST_WIDTH:
        inside.setWidth(LEAST_WIDTH)
    path = token_path(inside, left, right, radius)
    painter.fillPath(path, QBrush(fill))
    foot = QRectF(inside.left(), inside.bottom() - rule_height, inside.width(), rule_height)
    if left in PLAIN_CUTS and right in PLAIN_CUTS:
        painter.fillRect(foot, rule)
    else:
        painter.save()
        painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
        painter.fillRect(foot, rule)
        painter.restore()
    if frame:
        painter.strokePath(path, QPen(rule, frame))


def paint_tile(
    painter: QPainter,
    rect: QRectF,
    theme: Theme,
    colour: int,
    left: Cut = Cut.STRAIGHT,
    right: Cut = Cut.STRAIGHT,
    radius: float = 8.0,
) -> None:
    """Paints the ground of a tile; ``colour`` is a colour number of tokens, 0…15, or -1 for no token."""
    if colour < 0:
        fill, rule = theme.sunken, theme.strong
    else:
        fill = theme.tokens[colour % len(theme.tokens)]
        rule = theme.token_rules[colour % len(theme.tokens)]
    height = max(2.0, 0.05 * rect.height())
    frame = theme.fills.frame
    paint_token(
        painter, rect, fill, rule, left, right, radius=radius, rule_height=height, frame=frame
    )


def marker_path(rect: QRectF, marker: Marker) -> QPainterPath:
    """Returns the outline of a marker in a square."""
    unit = QPainterPath()
    for radius in marker_circles(marker):
        unit.addEllipse(QPointF(0, 0), radius, radius)
    points = marker_points(marker)
    if points:
        unit.addPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
        unit.closeSubpath()
    return _scaled(unit, min(rect.width(), rect.height()) / 2).translated(rect.center())


def _scaled(path: QPainterPath, factor: float) -> QPainterPath:
    return QTransform.fromScale(factor, factor).map(path)


def paint_marker(
    painter: QPainter, rect: QRectF, identity: Identity, halo: QColor | None = None
) -> None:
    """Paints the marker of a tokenizer into a square; ``halo``: a line around it, over lines of a chart."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    path = marker_path(rect, identity.marker)
    if halo is not None:
        painter.strokePath(path, QPen(halo, 3.2))
    if identity.hollow:
        line = max(1.2, rect.width() / 9)
        inside = marker_path(
            rect.adjusted(line / 2, line / 2, -line / 2, -line / 2), identity.marker
        )
        painter.strokePath(inside, QPen(identity.full, line))
    else:
        painter.fillPath(path, identity.full)
    painter.restore()


def paint_badge(painter: QPainter, rect: QRectF, colour: QColor, ground: QColor) -> None:
    """Paints a check on a disc at the lower right of a marker: its tokenizer is chosen."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    centre, radius = rect.bottomRight(), max(6.0, rect.width() * 0.4)
    painter.setPen(QPen(ground, 1.5))
    painter.setBrush(colour)
    painter.drawEllipse(centre, radius, radius)
    check = [(-0.45, 0.05), (-0.1, 0.4), (0.5, -0.35)]
    points = [centre + QPointF(x * radius, y * radius) for x, y in check]
    painter.setPen(QPen(ground, 1.6))
    painter.drawPolyline(points)
    painter.restore()


def marker_icon(identity: Identity, size: int = 16) -> QIcon:
    """Returns the marker as an icon, sharp on dense screens too.

    In a selected row, where Qt would tint it, it has its own ground: the row may be in the accent.
    """
    icon = QIcon()
    for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
        pixmap = QPixmap(size * 2, size * 2)
        pixmap.setDevicePixelRatio(2)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        if mode == QIcon.Mode.Selected:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(identity.soft)
            painter.drawRoundedRect(QRectF(0, 0, size, size), size / 4, size / 4)
        paint_marker(painter, QRectF(1.5, 1.5, size - 3, size - 3), identity)
        painter.end()
        icon.addPixmap(pixmap, mode)
    return icon


def paint_card(
    painter: QPainter, rect: QRectF, theme: Theme, radius: float, over: bool = False
) -> None:
    """Paints the ground of a card with its line; ``over``: with the shadow of what is over the page.

    The shadow needs 24 pixels around ``rect``; in the dark a line does.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if over:
        black = QColor(0, 0, 0)
        painter.setPen(Qt.PenStyle.NoPen)
        strength = 0.022 if theme.dark else 0.007
        for reach in range(12):  # rings that add up to a soft edge
            black.setAlphaF(strength)
            painter.setBrush(black)
            grown = rect.adjusted(-2 * reach, 8 - 2 * reach, 2 * reach, 2 * reach)
            painter.drawRoundedRect(grown, radius + 2 * reach, radius + 2 * reach)
    painter.setPen(QPen(theme.line, 1))
    painter.setBrush(theme.surface)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    painter.restore()
