"""The pictures of the built-in lessons, light and dark, drawn in the colours and fonts of the app.

    .venv/bin/python packaging/generate_lesson_pictures.py

writes them beside the lessons, in `resources/lessons`. Run it again if the theme or a text below changes.
"""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QGuiApplication, QImage, QPainter, QPen, QPolygonF

from tokenarium.style.fonts import ui_font
from tokenarium.style.theme import DARK, LIGHT, Theme

FOLDER = Path(__file__).parents[1] / "resources" / "lessons"
SCALE = 2
WIDTH, BOX, STEP = 230.0, 42.0, 20.0
"""Pixels of the picture in a lesson: its width, the height of a box, and of the arrow to the next one."""

TEXT, PROGRAM, MODEL = "text", "program", "model"
FLOW = (
    (TEXT, "Text", ""),
    (PROGRAM, "Tokenizer", "trained first, on texts"),
    (TEXT, "Ids", ""),
    (MODEL, "Model", "trained later, on ids"),
    (TEXT, "Ids", ""),
    (PROGRAM, "Tokenizer", "the same one, decoding"),
    (TEXT, "Text", ""),
)
"""The boxes from top to bottom: their kind, their name, and what is said below it."""


def draw(theme: Theme) -> QImage:
    """Returns the picture of a text on its way through a tokenizer and a model, in the colours of a theme."""
    heights = [BOX if about else 26.0 for _, _, about in FLOW]
    height = sum(heights) + STEP * (len(FLOW) - 1) + 2
    image = QImage(round(WIDTH * SCALE), round(height * SCALE), QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(SCALE, SCALE)
    y = 1.0
    for (kind, name, about), size in zip(FLOW, heights, strict=True):
        box = QRectF(24, y, WIDTH - 48, size)
        if kind != TEXT:
            own = theme.accent if kind == MODEL else theme.strong
            painter.setPen(QPen(own, 1.5))
            painter.setBrush(theme.wash if kind == MODEL else theme.sunken)
            painter.drawRoundedRect(box, 8, 8)
        upper = QRectF(box.left(), y, box.width(), size / 2 + 1 if about else size)
        painter.setPen(theme.ink)
        painter.setFont(ui_font(13, QFont.Weight.DemiBold))
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, name)
        if about:
            painter.setPen(theme.dim)
            painter.setFont(ui_font(12))
            lower = QRectF(box.left(), y + size / 2 - 2, box.width(), size / 2)
            painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, about)
        y += size
        if y < height - 4:
            _arrow(painter, theme, y + 2, y + STEP - 2)
        y += STEP
    painter.end()
    return image


def _arrow(painter: QPainter, theme: Theme, top: float, foot: float) -> None:
    middle = WIDTH / 2
    painter.setPen(QPen(theme.strong, 1.5))
    painter.drawLine(QPointF(middle, top), QPointF(middle, foot - 5))
    painter.setBrush(theme.strong)
    painter.drawPolygon(
        QPolygonF([QPointF(middle - 4, foot - 6), QPointF(middle + 4, foot - 6), QPointF(middle, foot)])
    )  # fmt: skip


def main() -> None:
    """Writes the pictures."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QGuiApplication([])
    for theme, name in ((LIGHT, "tokenizer-and-model.png"), (DARK, "tokenizer-and-model-dark.png")):
        draw(theme).save(str(FOLDER / name))
        print(f"wrote {FOLDER / name}")
    del app


if __name__ == "__main__":
    main()
