"""The weights of the fonts, as they are drawn."""

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

from tokenarium.style.fonts import TITLE_SIZE, ui_font

WEIGHTS = (QFont.Weight.Normal, QFont.Weight.Medium, QFont.Weight.DemiBold, QFont.Weight.Bold)


def ink(weight: QFont.Weight) -> int:
    """Returns how much is dark of a word in a weight."""
    image = QImage(200, 40, QImage.Format.Format_Grayscale8)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setFont(ui_font(TITLE_SIZE, weight))
    painter.drawText(image.rect(), int(Qt.AlignmentFlag.AlignCenter), "Tokenarium")
    painter.end()
    return sum(255 - image.pixelColor(x, y).red() for x in range(200) for y in range(40))


def test_each_weight_is_heavier_than_the_one_before(qapp: QApplication) -> None:
    drawn = [ink(weight) for weight in WEIGHTS]
    assert all(after > 1.03 * before for before, after in pairwise(drawn))
    assert drawn[-1] < 1.6 * drawn[0]  # not emboldened twice
