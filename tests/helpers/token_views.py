"""Token views for tests: filled, painted, clicked."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot
from windows import off_screen

from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.widgets.text.token_view import TokenView

PROSE = "The quick brown fox jumps over the lazy dog and does not look back. "


def cut_every(text: str, size: int) -> TextParts:
    end = len(text.encode())
    edges = [*range(0, end, size), end]
    return TextParts.of_tokens(range(100, 99 + len(edges)), list(pairwise(edges)))


def by_words(text: str) -> TextParts:
    ends, at = [], 0
    for word in text.replace("\n", "\n ").split(" "):
        at += len(word.encode()) + (0 if word.endswith("\n") else 1)
        ends.append(min(at, len(text.encode())))
    edges = [0, *ends]
    return TextParts.of_tokens(range(len(ends)), list(pairwise(edges)))


def shown_view(qtbot: QtBot) -> TokenView:
    """Returns an empty view that is visible."""
    view = off_screen(qtbot, TokenView(), 420, 240)
    with qtbot.waitExposed(view):
        view.show()
    return view


def fill(view: TokenView, text: str, parts: TextParts | None = None) -> TextParts:
    parts = parts or by_words(text)
    view.set_text_map(TextMap(text))
    view.show_parts(parts)
    return parts


def painted(view: TokenView) -> QImage:
    image = QImage(view.viewport().size(), QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    view.paint_contents(painter, view.viewport().rect())
    painter.end()
    return image


def middle(view: TokenView, part: int) -> QPoint:
    return view.part_rects(part)[0].center().toPoint()
