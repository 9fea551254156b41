"""Controls painted by the style, as real widgets."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPixmap, QStandardItemModel
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollBar,
    QSlider,
    QSpinBox,
    QSplitter,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tokenarium.style.appearance import Appearance
from tokenarium.style.controls import primary
from tokenarium.style.palette import contrast
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import DARK, LIGHT, Theme

EDGED: tuple[Callable[[], QWidget], ...] = (
    QLineEdit, QCheckBox, QRadioButton, QComboBox, QSpinBox,
)  # fmt: skip


def picture(widget: QWidget, qtbot: QtBot) -> QImage:
    qtbot.addWidget(widget)
    widget.show()
    return widget.grab().toImage()


def strongest(image: QImage, ground: QColor) -> float:
    """The strongest contrast to a ground on the middle line of a picture."""
    middle = image.height() // 2
    return max(contrast(image.pixelColor(x, middle), ground) for x in range(image.width()))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("make", EDGED)
def test_the_edges_of_controls_are_visible(
    make: Callable[[], QWidget], theme: Theme, qtbot: QtBot, qapp: QApplication
) -> None:
    appearance = Appearance(qapp, "dark" if theme.dark else "light")
    found = strongest(picture(make(), qtbot), theme.surface)
    appearance.set_scheme("light")
    assert found >= 2.9


def test_a_primary_button_is_filled_with_the_accent(qtbot: QtBot, qapp: QApplication) -> None:
    Appearance(qapp, "light")
    button = primary(QPushButton("Train"))
    assert button.sizeHint().height() >= 34
    assert picture(button, qtbot).pixelColor(6, button.height() // 2) == LIGHT.accent


def test_scroll_bars_have_no_arrows_and_are_slim(qtbot: QtBot, qapp: QApplication) -> None:
    Appearance(qapp, "light")
    bar = QScrollBar(Qt.Orientation.Vertical)
    bar.setRange(0, 900)
    bar.setPageStep(100)
    bar.resize(bar.sizeHint().width(), 200)
    qtbot.addWidget(bar)
    bar.show()
    assert bar.width() == 10
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.rect().center())
    assert bar.value() == 100  # a page further, not to the place of the click
    bar.setValue(900)
    assert bar.grab().toImage().pixelColor(5, 190) != bar.grab().toImage().pixelColor(5, 20)


def test_a_slider_goes_where_one_clicks(qtbot: QtBot, qapp: QApplication) -> None:
    Appearance(qapp, "light")
    slider = QSlider(Qt.Orientation.Horizontal)
    slider.setRange(0, 100)
    slider.resize(200, 24)
    qtbot.addWidget(slider)
    slider.show()
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=slider.rect().center())
    assert 45 <= slider.value() <= 55
    hint = QStyle.StyleHint.SH_Slider_AbsoluteSetButtons
    assert slider.style().styleHint(hint) == Qt.MouseButton.LeftButton.value


@pytest.mark.parametrize("orientation", Qt.Orientation)
def test_a_header_is_painted_after_its_last_section(
    qtbot: QtBot, qapp: QApplication, orientation: Qt.Orientation
) -> None:
    Appearance(qapp, "light")
    header = QHeaderView(orientation)
    header.setModel(QStandardItemModel(1, 1, header))
    header.resize(400, 400)  # far more than the section
    qtbot.addWidget(header)
    header.show()
    seen = header.grab().toImage()
    end = QPoint(350, 399) if orientation is Qt.Orientation.Horizontal else QPoint(399, 350)
    assert seen.pixelColor(end) == LIGHT.line


@pytest.mark.parametrize("text", ["none", "not padded", "SentencePiece BPE", "駅前の本屋"])
def test_a_combo_box_is_as_wide_as_its_text(text: str, qtbot: QtBot, qapp: QApplication) -> None:
    Appearance(qapp, "light")
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItem(text)
    box.resize(box.sizeHint())
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    area = QStyle.ComplexControl.CC_ComboBox
    room = box.style().subControlRect(area, option, QStyle.SubControl.SC_ComboBoxEditField, box)
    assert room.width() - 2 >= box.fontMetrics().horizontalAdvance(text)


@pytest.mark.parametrize("icon", [False, True])
def test_a_long_text_of_a_combo_box_is_elided_in_the_middle(
    icon: bool, qtbot: QtBot, qapp: QApplication
) -> None:
    Appearance(qapp, "light")
    image = QPixmap(16, 16)
    image.fill(Qt.GlobalColor.white)
    pictures = []
    for end in "001":
        box = QComboBox()
        box.addItem(QIcon(image) if icon else QIcon(), f"Gemma 3 · tokenizer number {end}")
        box.setFixedWidth(180)
        pictures.append(picture(box, qtbot))
    assert pictures[0] == pictures[1]
    assert pictures[0] != pictures[2]  # the end is seen


def test_a_number_begins_where_the_text_of_a_field_does(qtbot: QtBot, qapp: QApplication) -> None:
    Appearance(qapp, "light")
    line, box = QLineEdit("III"), QSpinBox()
    box.setPrefix("III")
    begins = []
    for widget in (line, box):
        image = picture(widget, qtbot)
        middle = image.height() // 2
        inked = [x for x in range(4, 40) if image.pixelColor(x, middle).lightness() < 120]
        begins.append(inked[0])
    assert abs(begins[0] - begins[1]) <= 2
    assert box.sizeHint().height() == line.sizeHint().height()


@pytest.mark.parametrize("way", [Qt.Orientation.Horizontal, Qt.Orientation.Vertical])
def test_the_handle_of_a_splitter_is_a_hairline_however_wide(
    way: Qt.Orientation, qtbot: QtBot, qapp: QApplication
) -> None:
    Appearance(qapp, "dark")
    splitter = QSplitter(way)
    splitter.setHandleWidth(16)
    for _ in range(2):
        splitter.addWidget(QWidget())
    splitter.resize(200, 200)
    image = picture(splitter, qtbot)
    line, handle = splitter.palette().mid().color(), splitter.handle(1).geometry()
    across = [
        image.pixelColor(at, 100) if way == Qt.Orientation.Horizontal else image.pixelColor(100, at)
        for at in range(200)
    ]
    (place,) = [at for at, colour in enumerate(across) if colour == line]
    centre = handle.center().x() if way == Qt.Orientation.Horizontal else handle.center().y()
    assert abs(place - centre) <= 1


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_marker_is_visible_in_a_selected_row(qapp: QApplication, theme: Theme) -> None:
    for colour in range(12):
        identity = theme.identity(colour)
        plain, selected = (
            marker_icon(identity).pixmap(QSize(16, 16), 2.0, mode).toImage()
            for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected)
        )
        shape = [(x, y) for x in range(32) for y in range(32) if plain.pixelColor(x, y) == identity.full]  # fmt: skip
        assert len(shape) > 40
        assert all(selected.pixelColor(*place) == identity.full for place in shape)
        assert selected.pixelColor(16, 1) == identity.soft
        assert contrast(identity.full, identity.soft) > 1.9
