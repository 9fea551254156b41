"""The mark of the app: its two colours in every size, on light and dark."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from tokenarium.widgets.mark import SIZES, app_icon, paint_mark


@pytest.mark.parametrize("side", [16, 24, 32, 62, 128])
@pytest.mark.parametrize(
    ("dark", "colours"), [(False, ("#2449d8", "#ffb938")), (True, ("#8fa8ff", "#ffc24a"))]
)
def test_the_mark_has_its_colours(
    qapp: QApplication, side: int, dark: bool, colours: tuple[str, str]
) -> None:
    image = QImage(side, side, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    paint_mark(painter, QRect(0, 0, side, side), dark)
    painter.end()
    middle = side // 2
    assert image.pixelColor(round(side * 0.1), middle).name() == colours[0]
    assert image.pixelColor(round(side * 0.85), middle).name() == colours[1]
    assert image.pixelColor(0, 0).alpha() == 0


def test_the_icon_of_the_app_has_every_size(qapp: QApplication) -> None:
    assert app_icon().availableSizes() == [QSize(side, side) for side in SIZES]
