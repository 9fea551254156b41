"""The segmented control: chosen by mouse and keyboard, and by actions."""

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup
from pytestqt.qtbot import QtBot
from windows import emitted, off_screen, on_screen

from tokenarium.widgets.segmented import Segmented


def test_only_the_user_emits_chosen(qtbot: QtBot) -> None:
    segmented = on_screen(qtbot, Segmented(["Bars", "Ids", "Bytes"]))
    chosen: list[int] = emitted(segmented.chosen)
    segmented.choose(2)
    assert (segmented.currentIndex(), chosen) == (2, [])
    qtbot.mouseClick(segmented, Qt.MouseButton.LeftButton, pos=segmented.tabRect(1).center())
    qtbot.keyClick(segmented, Qt.Key.Key_Left)
    assert chosen == [1, 0]


def test_it_follows_a_group_of_actions(qtbot: QtBot) -> None:
    owner = QObject()
    group = QActionGroup(owner)
    actions = [QAction(text, group, checkable=True) for text in ("&Light", "&Dark")]
    actions[0].setChecked(True)
    segmented = off_screen(qtbot, Segmented())
    segmented.follow(actions)
    assert [segmented.tabText(place) for place in range(2)] == ["Light", "Dark"]
    actions[1].setChecked(True)
    assert segmented.currentIndex() == 1
    segmented.setCurrentIndex(0)
    assert actions[0].isChecked()
    actions[1].setEnabled(False)
    assert not segmented.isTabEnabled(1)


def test_the_choice_stays_while_its_action_is_disabled_for_a_moment(qtbot: QtBot) -> None:
    owner = QObject()
    group = QActionGroup(owner)
    actions = [QAction(text, group, checkable=True) for text in ("&Light", "&Dark")]
    actions[1].setChecked(True)
    segmented = off_screen(qtbot, Segmented())
    segmented.follow(actions)
    for enabled in (False, True):
        actions[1].setEnabled(enabled)
    assert actions[1].isChecked()
    assert segmented.currentIndex() == 1
