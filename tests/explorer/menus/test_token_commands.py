"""What can be done with a token wherever it is shown, and the card that opens over the window."""

from __future__ import annotations

import pytest
from asked import requests_of
from narrowed import of_kind, there
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from windows import shown_in

from tokenarium.app.window import MainWindow
from tokenarium.models.merges.why_finding import word_at
from tokenarium.models.text.inspection import TokenPlace
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.token_row import TokenRow
from tokenarium.session.requests import ExplainBytes, Request, ShowTokenMenu
from tokenarium.views.bytes import BytesView
from tokenarium.views.merges import MergesView
from tokenarium.views.vocabulary import VocabularyView

TEXT = "the tokens of the text"


@pytest.fixture
def shown(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.session.set_text(TEXT)
    qtbot.waitUntil(lambda: not window.session.jobs.running())
    return window


def entry(menu: QMenu, start: str) -> None:
    """Chooses the line of a menu that begins so."""
    next(action for action in menu.actions() if action.text().startswith(start)).trigger()


def menu_at(window: MainWindow, start: int, end: int) -> QMenu:
    return there(window.token_commands.menu_of(TokenPlace("", -1, start, end)))


def token_of(window: MainWindow, text: str) -> int:
    tokenizer = there(window.session.chosen()[0].tokenizer)
    (token,) = tokenizer.encode_ids(text)
    return token


def test_a_token_is_copied_as_text_as_id_and_as_bytes(shown: MainWindow) -> None:
    clipboard, token = QGuiApplication.clipboard(), token_of(shown, " the")
    for line, copied in (
        ("Copy text", " the"),
        ("Copy id", str(token)),
        ("Copy bytes", "20 74 68 65"),
    ):
        entry(menu_at(shown, 13, 17), line)
        assert clipboard.text() == copied


def test_bytes_of_several_tokens_have_a_menu_of_their_own(shown: MainWindow) -> None:
    menu = menu_at(shown, 0, len(TEXT))
    lines = [action.text() for action in menu.actions()]
    assert lines[0].endswith("Tokenarium 8k") or "token" in lines[0]
    assert not any(line.startswith(("Show in", "Go to")) for line in lines)
    entry(menu, "Copy ids")
    tokenizer = there(shown.session.chosen()[0].tokenizer)
    assert QGuiApplication.clipboard().text() == str(tokenizer.encode_ids(TEXT))
    entry(menu_at(shown, 0, 10), "Copy text")
    assert QGuiApplication.clipboard().text() == TEXT[:10]


def test_the_entry_is_shown_in_the_vocabulary(shown: MainWindow) -> None:
    token = token_of(shown, " the")
    entry(menu_at(shown, 13, 17), "Show in the vocabulary")
    view = of_kind(shown.workspace, VocabularyView)
    assert view.entries.token == token


def test_the_others_are_found_one_after_the_other(shown: MainWindow) -> None:
    shown.session.set_text("a the b the c the")
    shown.session.select(1, 5)
    menu = menu_at(shown, 1, 5)
    assert any("2 other places" in action.text() for action in menu.actions())
    entry(menu, "Go to the next")
    assert shown.session.selection == (7, 11)
    for step, place in ((1, (13, 17)), (1, (1, 5)), (-1, (13, 17))):
        shown.token_commands.go_to_other(step)
        assert shown.session.selection == place


def test_an_entry_of_the_vocabulary_is_found_in_the_text(shown: MainWindow) -> None:
    token = token_of(shown, " the")
    shown.show_workspace("vocabulary")
    menu = there(shown.token_commands.menu_of(TokenPlace("", token)))
    entry(menu, "Find it in the text: 1 place")
    assert shown.session.selection == (13, 17)
    assert shown.workspace.name.id == "tokens"
    assert shown.token_commands.menu_of(TokenPlace("", 0xE2)) is not None


def test_its_merges_are_played(shown: MainWindow, qtbot: QtBot) -> None:
    entry(menu_at(shown, 3, 10), "Play")
    view = of_kind(shown.workspace, MergesView)
    assert view.page is view.steps
    assert shown.session.selection == (3, 10)


def test_the_views_ask_for_the_menu_and_the_card(shown: MainWindow, qtbot: QtBot) -> None:
    asked = requests_of(shown.session.requests, ShowTokenMenu)
    view = shown.workspace.view  # type: ignore[attr-defined]
    view.token_menu_requested.emit(QPoint(5, 5), 3, 10)
    assert [one.place for one in asked] == [TokenPlace("", -1, 3, 10)]
    menu = there(shown.token_commands.menu)
    qtbot.waitUntil(menu.isVisible)
    menu.close()
    view.token_activated.emit(3, 10)
    assert there(shown.token_commands.card).isVisible()


def places_asked(window: MainWindow) -> list[TokenPlace]:
    """Returns a list that gets the places that views ask about; no menu is shown."""
    asked: list[TokenPlace] = []

    def take(request: Request) -> None:
        if isinstance(request, ShowTokenMenu):
            asked.append(request.place)
        else:
            window.answers.answer(request)

    window.session.requests.asked.disconnect(window.answers.answer)
    window.session.requests.asked.connect(take)
    return asked


def test_a_cell_of_bytes_has_a_menu_by_the_pointer_and_by_enter(
    shown: MainWindow, qtbot: QtBot
) -> None:
    asked = places_asked(shown)
    shown.show_workspace("bytes")
    page = shown_in(shown, BytesView)
    page.show_rows()
    number, row = next(
        (n, row) for n, row in enumerate(page.grid.rows) if isinstance(row, TokenRow)
    )
    cell = there(row.cell_at(4))
    at = page.grid.cell_rect(number, cell).center()
    reason = QContextMenuEvent.Reason.Mouse
    page.grid.contextMenuEvent(QContextMenuEvent(reason, at, page.grid.mapToGlobal(at)))
    place = TokenPlace(row.key, int(row.ids[cell.index]), cell.start, cell.end)
    assert asked == [place]
    QTest.mouseClick(page.grid.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.keyClick(page.grid, Qt.Key.Key_Return)
    assert asked == [place, place]
    page.grid.contextMenuEvent(
        QContextMenuEvent(reason, page.grid.cell_rect(1, page.grid.rows[1].cell_at(4)).center(), at)  # type: ignore[arg-type]
    )
    assert asked[2].id == -1
    QTest.mouseDClick(page.grid.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert there(shown.token_commands.card).isVisible()
    assert page.rect_of(3, 10) is not None


def test_an_entry_of_the_table_has_a_menu(shown: MainWindow, qtbot: QtBot) -> None:
    asked = places_asked(shown)
    shown.show_workspace("vocabulary")
    page = shown_in(shown, VocabularyView).entries
    qtbot.waitUntil(lambda: len(page.rows) > 100)
    page.table.go_to(70)
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    at = page.table.visualRect(page.table.currentIndex()).center()
    page.table.contextMenuEvent(
        QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, page.table.mapToGlobal(at))
    )
    item = shown.session.chosen()[0]
    assert asked == [TokenPlace(item.key, int(page.rows[70]))] * 2


@pytest.mark.parametrize("space", ["tokens", "pretokens"])
def test_each_view_of_the_text_has_the_menu(shown: MainWindow, space: str) -> None:
    asked = places_asked(shown)
    shown.show_workspace(space)
    view = shown.workspace.view  # type: ignore[attr-defined]
    view.token_menu_requested.emit(QPoint(5, 5), 3, 10)
    assert asked == [TokenPlace("", -1, 3, 10)]


def test_differences_have_the_menu(shown: MainWindow) -> None:
    asked = places_asked(shown)
    shown.compare_commands.show_page("differences")
    view = shown.compare_commands.page.view  # type: ignore[union-attr]
    view.token_menu_requested.emit(QPoint(5, 5), 3, 10)
    assert asked == [TokenPlace("", -1, 3, 10)]


def test_a_symbol_of_the_merges_has_a_menu(shown: MainWindow, qtbot: QtBot) -> None:
    asked = places_asked(shown)
    shown.session.select(3, 10)
    shown.merge_commands.show_page("steps")
    view = shown_in(shown, MergesView)
    view.steps.replay()
    key, lane = next(iter(view.steps.lanes.items()))
    lane.hovered.emit(4, 6)
    at = lane.rect().center()
    lane.contextMenuEvent(
        QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, lane.mapToGlobal(at))
    )
    assert asked == [TokenPlace(key, -1, 4, 6)]


# The card.


def test_the_card_asks_about_the_word_of_a_token(shown: MainWindow, qtbot: QtBot) -> None:
    shown.session.set_text("It is unbelievable here")
    commands = shown.token_commands
    shown.session.select(6, 8)
    shown.actions_by_id.refresh()
    shown.token_commands.ask_about_selection()
    card, answers = there(commands.card), there(commands.answers)
    qtbot.waitUntil(lambda: not answers.busy)
    assert answers.question.text == " unbelievable"
    assert answers.card.word.text() == "unbelievable"
    assert "with the space before it" in answers.card.line.text()
    assert card.rect() == shown.rect()
    QTest.keyClick(answers.card.tokens, Qt.Key.Key_Escape)
    assert card.isHidden()


def test_a_click_outside_closes_the_card_and_one_inside_does_not(
    shown: MainWindow, qtbot: QtBot
) -> None:
    shown.workspace.focus_first()
    before = shown.focusWidget()
    shown.session.requests.ask(ExplainBytes(0, 3))
    card = there(shown.token_commands.card)
    QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=card.card.center())
    assert card.isVisible()
    QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert card.isHidden()
    assert shown.focusWidget() is before


def test_tab_stays_in_the_card(shown: MainWindow, qtbot: QtBot) -> None:
    shown.session.requests.ask(ExplainBytes(0, 3))
    card, answers = there(shown.token_commands.card), there(shown.token_commands.answers)
    qtbot.waitUntil(lambda: not answers.busy)
    for key in [Qt.Key.Key_Tab] * 9 + [Qt.Key.Key_Backtab] * 9:
        focus = there(shown.focusWidget())
        QTest.keyClick(focus, key)
        focus = there(shown.focusWidget())
        assert card.isAncestorOf(focus)


@pytest.mark.parametrize("size", [(1440, 900), (853, 480), (800, 600)])
def test_the_card_is_in_the_window_and_beside_its_place(
    shown: MainWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    shown.resize(*size)
    QApplication.processEvents()
    shown.session.requests.ask(ExplainBytes(0, 3))
    answers, card = there(shown.token_commands.answers), there(shown.token_commands.card)
    qtbot.waitUntil(lambda: not answers.busy)
    QApplication.processEvents()
    assert card.rect().contains(card.card)
    shown.resize(700, 460)
    QApplication.processEvents()
    assert card.rect().contains(card.card)
    assert card.rect() == shown.rect()


def test_playing_from_the_card_closes_it(shown: MainWindow, qtbot: QtBot) -> None:
    shown.session.requests.ask(ExplainBytes(3, 10))
    card, answers = there(shown.token_commands.card), there(shown.token_commands.answers)
    answers.finish()
    answers.card.play.click()
    qtbot.waitUntil(lambda: isinstance(shown.workspace, MergesView))
    assert card.isHidden()


def test_entries_like_it_and_the_picture(shown: MainWindow, qtbot: QtBot) -> None:
    shown.session.requests.ask(ExplainBytes(3, 10))
    answers = there(shown.token_commands.answers)
    answers.finish()
    answers.card.picture.click()
    assert not QGuiApplication.clipboard().image().isNull()
    answers.card.like.click()
    view = of_kind(shown.workspace, VocabularyView)
    assert len(view.entries.rows) > 0


def test_too_much_is_not_asked_about(shown: MainWindow) -> None:
    shown.session.set_text("x y " * 200)
    shown.session.requests.ask(ExplainBytes(0, 800))
    assert shown.token_commands.card is None or shown.token_commands.card.isHidden()
    assert "too many" in shown.messages.label.text()


@pytest.mark.parametrize(
    ("text", "part", "word"),
    [
        ("one two three", "wo", " two"),
        ("one two three", " t", " two"),
        ("सभी मनुष्यों को", "ष", " मनुष्यों"),
        ("don't stop", "don", "don't"),
        ("a (hello) b", "ell", "hello"),
        ("Family 👩\u200d👩\u200d👧, x", "👧", " 👩\u200d👩\u200d👧"),
        ("a   b", "  ", "  "),
        ("x", "x", "x"),
        ("ولد جميع الناس", "ميع", " جميع"),
    ],
)
def test_the_word_around_a_token(text: str, part: str, word: str) -> None:
    text_map = TextMap(text)
    start = text.encode().index(part.encode())
    first, last = word_at(text_map, start, start + len(part.encode()))
    assert text_map.utf8[first:last].decode() == word


def test_half_of_a_character_is_in_a_word_too() -> None:
    text_map = TextMap("a é b")
    assert word_at(text_map, 3, 4) == (1, 4)


def test_w_asks_about_the_selection_but_not_while_typing(shown: MainWindow, qtbot: QtBot) -> None:
    shown.workspace.focus_first()
    shown.session.select(3, 10)
    qtbot.waitUntil(shown.actions_by_id["why_not_one"].isEnabled)
    view = there(shown.focusWidget())
    QTest.keyClick(view, Qt.Key.Key_W)
    card = there(shown.token_commands.card)
    assert card.isVisible()
    card.close_card()
    shown.panes.pin_text(True)
    shown.text.field.setFocus()
    QTest.keyClicks(shown.text.field, "w")
    assert card.isHidden()
    assert "w" in shown.session.text


def test_the_inspector_asks_and_plays(shown: MainWindow, qtbot: QtBot) -> None:
    shown.session.select(3, 10)
    inspector = shown.inspector
    qtbot.waitUntil(lambda: inspector.shown == (3, 10))
    inspector.why.click()
    card = there(shown.token_commands.card)
    assert card.isVisible()
    card.close_card()
    inspector.play.click()
    assert isinstance(shown.workspace, MergesView)
    shown.show_workspace("tokens")
    inspector.close_button.click()
    assert not shown.panes.inspector_is_shown()


@pytest.mark.parametrize("way", ["entry", "workspace", "other"])
def test_the_card_closes_when_something_else_is_shown(shown: MainWindow, way: str) -> None:
    shown.session.requests.ask(ExplainBytes(3, 10))
    card, answers = there(shown.token_commands.card), there(shown.token_commands.answers)
    answers.finish()
    if way == "entry":
        answers.card.menu_requested.emit(QPoint(5, 5), token_of(shown, " the"))
        assert shown.token_commands.menu is not None
        entry(shown.token_commands.menu, "Show in the vocabulary")
    elif way == "workspace":
        shown.actions_by_id["scripts"].trigger()
    else:
        shown.session.select(13, 17)
        shown.token_commands.go_to_other(1)
    assert card.isHidden()


def test_nothing_of_the_card_is_squeezed_in_a_low_window(shown: MainWindow, qtbot: QtBot) -> None:
    shown.resize(853, 480)
    shown.session.set_text("It is unbelievable here")
    shown.session.requests.ask(ExplainBytes(6, 9))
    assert shown.token_commands.card is not None
    answers = there(shown.token_commands.answers)
    qtbot.waitUntil(lambda: not answers.busy)
    QApplication.processEvents()
    row = answers.card.beginnings
    assert row.visibleRegion().isEmpty() or row.height() == row.minimumHeight()
    parent = there(row.parentWidget())
    assert parent.rect().contains(row.geometry())
    assert answers.height() >= answers.heightForWidth(answers.width())


def test_the_card_can_be_made_before_it_is_asked_for(shown: MainWindow, qtbot: QtBot) -> None:
    for step in shown.token_commands.prepare():
        step()
    card = there(shown.token_commands.card)
    assert not card.isVisible()
    shown.session.select(0, 3)
    shown.token_commands.ask_about_selection()
    assert shown.token_commands.card is card
    assert card.isVisible()


def test_the_window_is_seen_under_the_card_when_it_is_open(shown: MainWindow, qtbot: QtBot) -> None:
    shown.session.select(0, 3)
    shown.token_commands.ask_about_selection()
    card = there(shown.token_commands.card)
    opaque = Qt.WidgetAttribute.WA_OpaquePaintEvent
    qtbot.waitUntil(lambda: not card.testAttribute(opaque))
    card.close_card()
    assert not card.testAttribute(opaque)
