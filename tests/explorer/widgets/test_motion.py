"""Cards fade in and out where movement is wanted, and nowhere else; input ends it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QSplitter, QWidget
from pytestqt.qtbot import QtBot
from windows import on_screen

from tokenarium.style.appearance import Appearance, Motion
from tokenarium.widgets import motion
from tokenarium.widgets.floating import FloatingCard
from tokenarium.widgets.segmented import Segmented


@pytest.fixture
def looks(qapp: QApplication) -> Iterator[Appearance]:
    looks = Appearance(qapp, "light")
    yield looks
    motion.finish()
    looks.set_motion("full")


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 400, 300)


def card_on(page: QWidget) -> FloatingCard:
    card = FloatingCard(page)
    card.hide()
    card.put(QRect(60, 60, 200, 100))
    return card


def shown(page: QWidget) -> QImage:
    return page.grab().toImage()


@pytest.mark.parametrize("kind", ["less", "none"])
def test_nothing_moves_where_only_explanations_may(
    kind: Motion, looks: Appearance, page: QWidget
) -> None:
    looks.set_motion(kind)
    card = card_on(page)
    bare = shown(page)
    card.show()
    assert card.graphicsEffect() is None
    assert shown(page) != bare
    card.hide()
    assert shown(page) == bare


def test_a_card_fades_in_and_out(looks: Appearance, page: QWidget, qtbot: QtBot) -> None:
    card = card_on(page)
    bare = shown(page)
    card.show()
    assert card.isVisible()
    assert card.graphicsEffect() is not None
    assert shown(page) == bare, "at first there is nothing of it"
    qtbot.waitUntil(lambda: card.graphicsEffect() is None)
    whole = shown(page)
    assert whole != bare
    card.hide()
    assert card.isHidden(), "at once, for everything but the eye"
    assert shown(page) == whole, "the picture of it goes later"
    qtbot.waitUntil(lambda: shown(page) == bare)


def test_a_key_ends_it(looks: Appearance, page: QWidget, qtbot: QtBot) -> None:
    card = card_on(page)
    card.show()
    qtbot.keyClick(page.windowHandle(), Qt.Key.Key_Space)
    assert card.graphicsEffect() is None


def test_one_thing_moves_at_a_time(looks: Appearance, page: QWidget) -> None:
    first, second = card_on(page), card_on(page)
    first.show()
    second.show()
    assert first.graphicsEffect() is None
    assert second.graphicsEffect() is not None
    motion.finish()
    assert second.graphicsEffect() is None


def test_a_card_with_a_column_of_its_own_does_not_fade(looks: Appearance, page: QWidget) -> None:
    splitter = QSplitter(page)
    card = FloatingCard()
    card.hide()
    splitter.addWidget(card)
    splitter.show()
    card.show()
    assert card.isVisible()
    assert card.graphicsEffect() is None


def test_a_card_may_go_away_while_it_fades(looks: Appearance, page: QWidget) -> None:
    card = card_on(page)
    card.show()
    card.hide()
    card.show()
    card.setParent(None)
    card.deleteLater()
    QApplication.sendPostedEvents(None, 0)
    motion.finish()


@pytest.mark.parametrize(("kind", "slides"), [("full", True), ("less", False), ("none", False)])
def test_the_ground_of_a_choice_slides(
    kind: Motion, slides: bool, looks: Appearance, qtbot: QtBot
) -> None:
    looks.set_motion(kind)
    control = on_screen(qtbot, Segmented(("One", "Two", "Three")))
    control.setFocus()
    qtbot.wait(20)
    control.setCurrentIndex(2)
    begun = shown(control)
    qtbot.waitUntil(lambda: not control._slide.runs)
    assert (shown(control) != begun) is slides


def test_what_goes_away_with_its_page_no_longer_moves(looks: Appearance) -> None:
    looks.set_motion("full")
    page = QWidget()
    page.resize(400, 300)
    page.show()
    card_on(page).show()
    assert not motion.at_rest()
    page.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert motion.at_rest()
