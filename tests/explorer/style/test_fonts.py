"""The fonts of the window."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QImage, QPainter, QTextLayout
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QWidget

from tokenarium.style.fonts import mono_font, number_font, reading_font, ui_font


def test_each_weight_has_letters_of_its_own(qapp: QApplication) -> None:
    if QFontInfo(ui_font()).family() != "Inter":
        pytest.skip("the typeface is not installed")
    weights = (QFont.Weight.Normal, QFont.Weight.Medium, QFont.Weight.DemiBold, QFont.Weight.Bold)
    fonts = [ui_font(20, weight) for weight in weights]
    widths = [QFontMetricsF(font).horizontalAdvance("Mixed scripts") for font in fonts]
    assert all(lighter < heavier for lighter, heavier in pairwise(widths))
    assert (
        max(font.weight().value for font in fonts) < QFont.Weight.Bold.value
    )  # else Qt smears them


def _glyphs(text: str, font: QFont) -> list[int]:
    """Returns the glyphs of a text in one line."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return [glyph for run in layout.glyphRuns() for glyph in run.glyphIndexes()]


@pytest.mark.parametrize("text", ["3x9", "->", "=>", "<->", "10:30", "(A)", "ffi", "!=", "www"])
@pytest.mark.parametrize("make", [ui_font, reading_font, number_font, mono_font])
def test_each_character_has_its_own_glyph(
    qapp: QApplication, make: Callable[..., QFont], text: str
) -> None:
    font = make(19)
    alone = [_glyphs(character, font) for character in text]
    assert all(len(glyphs) == 1 for glyphs in alone)
    assert _glyphs(text, font) == [glyph for glyphs in alone for glyph in glyphs]


def test_letters_of_scripts_that_join_still_join(qapp: QApplication) -> None:
    font = reading_font()
    joined = _glyphs("محمد", font)
    alone = [glyph for letter in "محمد" for glyph in _glyphs(letter, font)]
    if 0 in alone:
        pytest.skip("no font for Arabic is installed")
    assert joined != alone
    assert len(_glyphs("لا", font)) == 1, "lam and alef are one letter"
    conjunct = _glyphs("\u0915\u094d\u0937", font)
    if 0 in conjunct:
        pytest.skip("no font for Devanagari is installed")
    assert len(conjunct) == 1, "ka, virama and ssa are one letter"


def _picture(widget: QWidget, text: str) -> QImage:
    widget.setText(text) if isinstance(widget, QLabel) else widget.setPlainText(text)  # type: ignore[attr-defined]
    widget.resize(200, 40)
    return widget.grab().toImage()


@pytest.mark.parametrize("kind", [QLabel, QPlainTextEdit])
def test_widgets_paint_characters_as_written(qapp: QApplication, kind: type[QWidget]) -> None:
    widget = kind()
    widget.setFont(reading_font())
    apart = "3\u200bx\u200b9 -\u200b> <b>3\u200bx\u200b9</b>"
    assert _picture(widget, "3x9 -> <b>3x9</b>") == _picture(widget, apart)
    widget.deleteLater()


def test_painted_text_is_as_written(qapp: QApplication) -> None:
    def painted(text: str) -> QImage:
        picture = QImage(100, 40, QImage.Format.Format_RGB32)
        picture.fill(0xFFFFFF)
        painter = QPainter(picture)
        painter.setFont(ui_font())
        painter.drawText(4, 30, text)
        painter.end()
        return picture

    assert painted("3x9 ->") == painted("3\u200bx\u200b9 -\u200b>")
