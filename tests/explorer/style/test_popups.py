"""What opens over the window: menus, tips, lists of choices; and what changes under the pointer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from narrowed import of_kind
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QImage, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QMenu,
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionFrame,
    QStyleOptionToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from windows import off_screen

from tokenarium.style.appearance import Appearance
from tokenarium.style.palette import contrast
from tokenarium.style.popups import ROW, edge_colour
from tokenarium.style.theme import DARK, LIGHT, Theme

State = QStyle.StateFlag
Primitive = QStyle.PrimitiveElement


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def theme(request: pytest.FixtureRequest, qapp: QApplication) -> Theme:
    """The look that is on."""
    found: Theme = request.param
    Appearance(qapp, "dark" if found.dark else "light")
    return found


@pytest.fixture
def menu(qtbot: QtBot) -> QMenu:
    made = off_screen(qtbot, QMenu())
    made.addAction("&Copy", "Ctrl+C").setCheckable(False)
    made.addSeparator()
    ticked = made.addAction("Ids && bytes")
    ticked.setCheckable(True)
    ticked.setChecked(True)
    made.addAction("Not now").setEnabled(False)
    made.addMenu("More").addAction("One")
    return made


def test_a_menu_is_round_and_its_rows_are_high(theme: Theme, menu: QMenu) -> None:
    menu.popup(QPoint(20, 20))
    image = menu.grab().toImage()
    assert image.pixelColor(0, 0).alpha() == 0
    assert image.pixelColor(image.width() // 2, 3) == theme.surface
    heights = [menu.actionGeometry(action).height() for action in menu.actions()]
    assert [height >= ROW for height in heights] == [True, False, True, True, True]


def test_the_row_of_the_keys_has_a_ground(theme: Theme, menu: QMenu) -> None:
    menu.popup(QPoint(20, 20))
    action: QAction = menu.actions()[0]
    rect = menu.actionGeometry(action)
    menu.setActiveAction(action)
    image = menu.grab().toImage()
    assert image.pixelColor(rect.left() + 3, rect.center().y()) == theme.wash
    assert contrast(theme.ink, theme.wash) >= 7


def test_the_text_and_the_shortcut_do_not_meet(theme: Theme, menu: QMenu) -> None:
    menu.popup(QPoint(20, 20))
    rect = menu.actionGeometry(menu.actions()[0])
    metrics = menu.fontMetrics()
    needed = metrics.horizontalAdvance("Copy") + metrics.horizontalAdvance("Ctrl+C")
    assert rect.width() > needed + 60


def test_the_list_of_a_field_is_round_and_cuts_no_choice(theme: Theme, qtbot: QtBot) -> None:
    field = off_screen(qtbot, QComboBox())
    field.addItems(["A", "A choice that is much longer than its field is wide"])
    field.setFixedWidth(80)
    field.show()
    field.showPopup()
    view = of_kind(field.view(), QAbstractItemView)
    window = view.window()
    assert window is not field
    assert view.width() >= view.fontMetrics().horizontalAdvance(field.itemText(1))
    assert view.sizeHintForRow(0) == ROW
    assert window.grab().toImage().pixelColor(0, 0).alpha() == 0
    field.hidePopup()


def test_the_edge_of_what_opens_is_seen(theme: Theme, qapp: QApplication) -> None:
    edge = edge_colour(qapp.palette())
    blended = QImage(1, 1, QImage.Format.Format_RGB32)
    blended.fill(theme.surface)
    painter = QPainter(blended)
    painter.fillRect(0, 0, 1, 1, edge)
    painter.end()
    assert contrast(blended.pixelColor(0, 0), theme.surface) >= 1.6


def _picture(qapp: QApplication, element: Primitive, option: QStyleOption, state: State) -> QImage:
    widget = QWidget()
    option.initFrom(widget)
    option.rect = QRect(QPoint(0, 0), QSize(60, 34))
    option.state = State.State_Enabled | state
    image = QImage(60, 34, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    qapp.style().drawPrimitive(element, option, painter, widget)
    painter.end()
    return image


def _frame() -> QStyleOptionFrame:
    option = QStyleOptionFrame()
    option.lineWidth = 1
    return option


PRESSED: tuple[tuple[Primitive, Callable[[], QStyleOption], State], ...] = (
    (Primitive.PE_PanelButtonCommand, QStyleOptionButton, State.State_None),
    (Primitive.PE_PanelButtonCommand, QStyleOptionButton, State.State_On),
    (Primitive.PE_PanelButtonTool, QStyleOptionToolButton, State.State_None),
    (Primitive.PE_PanelButtonTool, QStyleOptionToolButton, State.State_On),
    (Primitive.PE_IndicatorCheckBox, QStyleOptionButton, State.State_Off),
    (Primitive.PE_IndicatorRadioButton, QStyleOptionButton, State.State_Off),
)


@pytest.mark.parametrize(("element", "make", "state"), PRESSED)
def test_a_control_shows_the_pointer_and_the_press(
    element: Primitive,
    make: Callable[[], QStyleOption],
    state: State,
    theme: Theme,
    qapp: QApplication,
) -> None:
    states = (state, state | State.State_MouseOver, state | State.State_Sunken)
    pictures = [_picture(qapp, element, make(), one) for one in states]
    assert pictures[0] != pictures[1]
    assert pictures[1] != pictures[2]


def test_a_field_shows_the_pointer(theme: Theme, qapp: QApplication) -> None:
    still, over = (
        _picture(qapp, Primitive.PE_PanelLineEdit, _frame(), state)
        for state in (State.State_None, State.State_MouseOver)
    )
    assert still != over
