"""Icons and fonts out of the installed packages, and the shapes of tokens and markers."""

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontInfo, QIcon, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tokenarium.style.appearance import Appearance
from tokenarium.style.cuts import Cut
from tokenarium.style.fonts import mono_font, ui_font
from tokenarium.style.icons import icon
from tokenarium.style.markers import Marker
from tokenarium.style.shapes import marker_path, paint_marker, token_path
from tokenarium.style.theme import LIGHT


def test_the_fonts_come_from_their_packages(qtbot: QtBot) -> None:
    assert QFontInfo(ui_font()).family().startswith("Inter")
    assert QFontInfo(mono_font()).family().startswith("JetBrains Mono")
    assert QFontInfo(mono_font()).pixelSize() == 13


def test_an_icon_takes_the_colour_of_its_state(qapp: QApplication) -> None:
    Appearance(qapp, "light")
    play = icon("play", filled=True)

    def darkest(mode: QIcon.Mode, state: QIcon.State) -> str:
        image = play.pixmap(QSize(32, 32), mode, state).toImage()
        pixels = [image.pixelColor(x, y) for x in range(32) for y in range(32)]
        full = [pixel for pixel in pixels if pixel.alpha() == 255]
        return max(full, key=[pixel.name() for pixel in full].count).name() if full else ""

    assert darkest(QIcon.Mode.Normal, QIcon.State.On) == LIGHT.accent.name()
    assert darkest(QIcon.Mode.Normal, QIcon.State.Off) in ("", LIGHT.ink.name())


def test_an_unknown_icon_is_an_error(qtbot: QtBot) -> None:
    with pytest.raises(KeyError):
        icon("no such icon")


@pytest.mark.parametrize("marker", Marker)
def test_markers_are_inside_their_square_and_of_one_weight(marker: Marker, qtbot: QtBot) -> None:
    square = QRectF(0, 0, 16, 16)
    path = marker_path(square, marker)
    assert square.contains(path.boundingRect())
    image = QImage(16, 16, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    slot = [identity.marker for identity in LIGHT.identities].index(marker)
    paint_marker(painter, square, LIGHT.identity(slot))
    painter.end()
    ink = sum(image.pixelColor(x, y).alphaF() for x in range(16) for y in range(16))
    assert 70 <= ink <= 165


def test_the_edges_of_a_token_show_the_kind_of_its_cut() -> None:
    rect = QRectF(0, 0, 40, 28)

    def area(left: Cut, right: Cut) -> float:
        image = QImage(40, 28, QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        painter.fillPath(token_path(rect, left, right), LIGHT.ink)
        painter.end()
        return sum(image.pixelColor(x, y).alphaF() for x in range(40) for y in range(28))

    straight = area(Cut.STRAIGHT, Cut.STRAIGHT)
    notched = area(Cut.STRAIGHT, Cut.NOTCH)
    torn = area(Cut.STRAIGHT, Cut.TORN)
    assert straight > notched > torn > area(Cut.TORN, Cut.TORN)
    narrow = QRectF(0, 0, 8, 28)
    assert token_path(narrow, Cut.TORN, Cut.TORN).boundingRect() == narrow
    assert token_path(narrow, Cut.TORN, Cut.TORN).elementCount() == 5
