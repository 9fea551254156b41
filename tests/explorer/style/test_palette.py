"""Colours as numbers."""

import pytest
from PySide6.QtGui import QColor

from tokenarium.style.palette import contrast, mix


def test_contrast_of_black_and_white_is_21() -> None:
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert contrast(QColor("#777"), QColor("#777")) == 1


def test_mixing() -> None:
    assert mix(QColor("#000000"), QColor("#ffffff"), 0.5).name() in {"#7f7f7f", "#808080"}
    assert mix(QColor("#123456"), QColor("#ffffff"), 0.0).name() == "#123456"
