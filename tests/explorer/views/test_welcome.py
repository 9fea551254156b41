"""The welcome page: where it leads, and that nothing that was typed is lost."""

from __future__ import annotations

import pytest
from narrowed import of_kind, there
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tokenarium.app.start import sample_text
from tokenarium.app.welcoming import FIRST_TEXT
from tokenarium.app.window import MainWindow
from tokenarium.models.tokenizers.library import State
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Scheme
from tokenarium.style.fonts import HEADING_SIZE, ui_font
from tokenarium.views.merges import MergesView
from tokenarium.views.welcome import USUAL, WelcomePage
from tokenarium.widgets.welcome_cards import INSIDE


@pytest.fixture
def page(window: MainWindow) -> WelcomePage:
    window.resize(1280, 800)
    window.session.set_text(sample_text("welcome"))
    window.actions_by_id["welcome"].trigger()
    return there(window.welcoming.page)


def test_it_takes_the_room_of_all_but_the_rail(window: MainWindow, page: WelcomePage) -> None:
    assert page.isVisible()
    assert window.focusWidget() is page.field
    assert not window.library.isVisible()
    assert not window.top_bar.isVisible()
    assert window.rail.isVisible()
    QTest.mouseClick(window.rail.buttons[0], Qt.MouseButton.LeftButton)  # it was shown before
    assert not page.isVisible()
    assert window.library.isVisible()
    assert window.top_bar.isVisible()
    assert window.workspace.name.id == "tokens"


def test_the_titles_of_the_cards_are_whole_on_a_small_screen(page: WelcomePage) -> None:
    for card in page.cards:
        metrics = QFontMetrics(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        title = card.accessibleName().partition(":")[0]
        assert metrics.horizontalAdvance(title) <= card.width() - 2 * INSIDE, title


@pytest.mark.parametrize(
    ("card", "space"), list(enumerate(["tokens", "merges", "compare", "train"]))
)
def test_each_card_leads_somewhere(
    window: MainWindow, page: WelcomePage, store: Settings, card: int, space: str
) -> None:
    assert not store.get(settings.WELCOMED)
    QTest.mouseClick(page.cards[card], Qt.MouseButton.LeftButton)
    assert window.workspace.name.id == space
    assert not page.isVisible()
    assert store.get(settings.WELCOMED)
    assert window.session.text == ("unbelievable" if space == "merges" else sample_text("welcome"))
    window.actions_by_id["welcome"].trigger()
    assert page.isVisible()


def test_a_word_is_played(window: MainWindow, page: WelcomePage, qtbot: QtBot) -> None:
    page.cards[1].click()
    view = of_kind(window.workspace, MergesView)
    qtbot.waitUntil(lambda: any(lane.player.playing for lane in view.steps.lanes.values()))


def test_what_is_typed_stands_on_its_tokens_and_is_taken_along(
    window: MainWindow, page: WelcomePage, qtbot: QtBot
) -> None:
    tokenizer = there(window.session.chosen()[0].tokenizer)
    assert page.field.toPlainText() == FIRST_TEXT
    assert page.count.text().startswith(f"{len(tokenizer.encode_ids(FIRST_TEXT))} tokens in")
    page.field.selectAll()
    qtbot.keyClicks(page.field, "12 owls")
    assert page.count.text() == f"{len(tokenizer.encode_ids('12 owls'))} tokens in Tokenarium 8k"
    qtbot.keyClick(page.field, Qt.Key.Key_Return)
    assert window.session.text == "12 owls"
    assert window.workspace.name.id == "tokens"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("text", ["two words", "नमस्ते 👋🏽", "שלום", "one\n\nthree " * 9])
def test_tokens_are_painted_under_the_letters(
    window: MainWindow, page: WelcomePage, qtbot: QtBot, scheme: Scheme, text: str
) -> None:
    window.display_commands.set_colour_scheme(scheme)
    page.field.write(text)
    QApplication.processEvents()
    image = page.field.viewport().grab().toImage()
    theme = window.appearance.theme
    fills = {colour.name() for colour in theme.tokens}
    seen = {
        QColor(image.pixel(x, y)).name()
        for x in range(0, image.width(), 2)
        for y in range(0, image.height(), 3)
    }
    assert seen & fills
    page.field.write("")
    QApplication.processEvents()
    image = page.field.viewport().grab().toImage()
    seen = {
        QColor(image.pixel(x, y)).name()
        for x in range(0, image.width(), 2)
        for y in range(0, image.height(), 3)
    }
    assert not seen & fills


def test_the_usual_six_come_by_one_button(
    window: MainWindow, page: WelcomePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = window.session.library
    items = [library.item(key) for key in USUAL]
    assert all(item is not None and item.state is State.MISSING for item in items)
    fetched: list[str] = []
    monkeypatch.setattr(page.usual, "_fetch", fetched.append)
    assert page.usual.button.text() == "Get all six"
    assert "about 23 MB" in page.usual.sentence.text()
    page.usual.button.click()
    assert fetched == list(USUAL)
    for key in USUAL[:4]:
        item = there(library.item(key))
        library.set_state(item, State.CLOSED)
    assert page.usual.button.text() == "Get 2"
    for key in USUAL[4:]:
        item = there(library.item(key))
        library.set_state(item, State.CLOSED)
    assert page.usual.isHidden()


def test_newcomers_start_with_lesson_1(
    window: MainWindow, page: WelcomePage, store: Settings, qtbot: QtBot
) -> None:
    page.write("mine")
    page.guide.start.click()
    qtbot.waitUntil(lambda: not window.lessons.waits)
    assert there(window.lessons.lesson).id.startswith("01-")
    assert window.lessons.at == 0
    assert not page.isVisible()
    assert store.get(settings.WELCOMED)
    window.lessons.close()
    assert window.session.text == "mine"


def test_each_question_opens_the_step_that_answers_it(
    window: MainWindow, page: WelcomePage, qtbot: QtBot
) -> None:
    assert len(page.guide.questions) == 5
    for button in page.guide.questions:
        window.actions_by_id["welcome"].trigger()
        button.click()
        qtbot.waitUntil(lambda: not window.lessons.waits)
        lesson = there(window.lessons.lesson)
        asked = [one.question for one in lesson.asked if one.step == window.lessons.at]
        assert button.text() in asked
        window.lessons.close()


@pytest.mark.parametrize("size", [(1440, 900), (853, 480), (800, 600), (720, 450)])
def test_all_of_it_can_be_reached(
    window: MainWindow, page: WelcomePage, size: tuple[int, int]
) -> None:
    window.resize(*size)
    QApplication.processEvents()
    assert (window.width(), window.height()) == size
    assert page.horizontalScrollBar().maximum() == 0
    guide = page.guide
    parts = (*page.cards, guide.start, *guide.questions, page.usual.button, page.open_file)
    for part in (*parts, page.shortcuts):
        page.ensureWidgetVisible(part, 0, 0)
        QApplication.processEvents()
        assert part.visibleRegion().boundingRect() == part.rect()
