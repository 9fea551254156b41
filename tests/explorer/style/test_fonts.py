"""The fonts of the window."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF
from PySide6.QtWidgets import QApplication

from tokenarium.style.fonts import ui_font


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
