"""Icons of the Phosphor font, painted in the colours of the palette.

The font file and its table of names are read out of the installed QtAwesome, which is not imported: that would take
a fifth of a second.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPalette,
    QPixmap,
)

from tokenarium.style.fonts import font_family, package_file

ICON_SIZE = 18
"""Pixels of an icon in a control; 16 in small ones, 22 in the rail."""


def icon(name: str, filled: bool = False) -> QIcon:
    """Returns the icon with a name of Phosphor's list (https://phosphoricons.com), KeyError if there is none.

    It follows the palette of the app: the colour of button text, weaker where it is disabled, the accent where it is
    on. ``filled``: the filled form while it is on.
    """
    _glyph(name)
    return QIcon(_GlyphEngine(name, filled))


def paint_icon(
    painter: QPainter, rect: QRectF, name: str, colour: QColor, filled: bool = False
) -> None:
    """Paints an icon into a square in one colour."""
    painter.save()
    painter.setFont(_icon_font(rect.height()))
    painter.setPen(colour)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, _glyph(f"{name}-fill" if filled else name))
    painter.restore()


_palettes: list[QPalette] = []


@contextmanager
def icons_in(palette: QPalette) -> Iterator[None]:
    """Paints the icons of buttons in the colours of another palette than the app's."""
    _palettes.append(palette)
    try:
        yield
    finally:
        _palettes.pop()


class _GlyphEngine(QIconEngine):
    def __init__(self, name: str, filled: bool) -> None:
        super().__init__()
        self._name = name
        self._filled = filled

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        palette = _palettes[-1] if _palettes else QGuiApplication.palette()
        on = state == QIcon.State.On
        role = QPalette.ColorRole.Accent if on else QPalette.ColorRole.ButtonText
        group = QPalette.ColorGroup.Active
        if mode == QIcon.Mode.Disabled:
            group = QPalette.ColorGroup.Disabled
        elif mode == QIcon.Mode.Selected:
            role = QPalette.ColorRole.HighlightedText
        side = min(rect.width(), rect.height())
        square = QRectF(0, 0, side, side)
        square.moveCenter(QRectF(rect).center())
        paint_icon(painter, square, self._name, palette.color(group, role), self._filled and on)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(
        self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float
    ) -> QPixmap:
        pixmap = QPixmap(size)
        if pixmap.isNull():  # a button without room for its icon
            return pixmap
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _GlyphEngine(self._name, self._filled)


@lru_cache(maxsize=1)
def _glyphs() -> dict[str, str]:
    path = package_file("qtawesome", "fonts", "phosphor-charmap-*.json")
    codes = {} if path is None else json.loads(path.read_bytes())
    return {name: chr(int(code, 16)) for name, code in codes.items()}


def _glyph(name: str) -> str:
    glyphs = _glyphs()
    return glyphs[name] if glyphs else ""


@lru_cache(maxsize=1)
def _icon_family() -> str | None:
    return font_family(package_file("qtawesome", "fonts", "phosphor-[0-9]*.ttf"))


@lru_cache(maxsize=16)
def _icon_font(pixels: float) -> QFont:
    font = QFont(_icon_family() or "")
    font.setPixelSize(max(round(pixels), 1))
    font.setStyleStrategy(QFont.StyleStrategy.NoFontMerging)
    return font
