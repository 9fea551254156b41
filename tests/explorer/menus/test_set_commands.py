"""Choosing tokenizers in the window: Ctrl+click on rows and cards, their menu, the palette, and the dialog of the sets."""

from __future__ import annotations

import pytest
from narrowed import there
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QTreeWidgetItem
from pytestqt.qtbot import QtBot
from windows import come_to_rest, shown_in, trigger

from tokenarium.app.window import MainWindow
from tokenarium.views.tokens import TokensView
from tokenarium.widgets.library.sets_dialog import SetsDialog

FIRST, SECOND, THIRD = "shipped:tokenarium-8k", "shipped:unigram-8k", "shipped:wordpiece-8k"
CONTROL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def shown(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window with three tokenizers, on the page Tokens."""
    for item in window.session.library:
        window.session.edits.turn_on(item.key, item.key in (FIRST, SECOND, THIRD))
    window.session.set_text("Some text")
    window.show_workspace("tokens")
    come_to_rest(window, qtbot)
    return window


def on(window: MainWindow) -> list[str]:
    return [item.key for item in window.session.library if item.on]


def click(window: MainWindow, key: str, modifiers: Qt.KeyboardModifier = CONTROL) -> None:
    """Clicks the name of a tokenizer in the library."""
    tree = window.library.tree
    index = window.session.library.index_of(there(window.session.library.item(key)))
    place = tree.visualRect(index).center()
    QTest.mouseClick(tree.viewport(), LEFT, modifiers, place)


def menu() -> QMenu:
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, QMenu)
    return popup


def choose(window: MainWindow, action: str) -> None:
    """Chooses an action of the open menu."""
    wanted = window.actions_by_id[action]
    popup = menu()
    assert wanted in popup.actions()
    popup.close()
    window.actions_by_id.refresh()
    assert wanted.isEnabled()
    wanted.trigger()


def test_rows_and_cards_are_chosen_by_ctrl_click(shown: MainWindow) -> None:
    session, view = shown.session, shown_in(shown, TokensView)
    front = there(session.current).key
    click(shown, SECOND)
    assert session.sets.chosen == (SECOND,)
    assert there(session.current).key == front  # nothing else happens
    card = next(card for card in view.cards._cards if card.facts.key == THIRD)
    QTest.mouseClick(card, LEFT, CONTROL)
    assert session.sets.chosen == (SECOND, THIRD)
    assert [key for key, facts in view.cards.cards.items() if facts.chosen] == [SECOND, THIRD]
    assert card.accessibleName().endswith(", chosen")
    assert shown.library.title.text() == "2 chosen"
    click(shown, SECOND)
    assert session.sets.chosen == (THIRD,)
    click(shown, FIRST, Qt.KeyboardModifier.NoModifier)
    assert session.sets.chosen == ()
    assert shown.library.title.text() == "Library"
    session.set_current(THIRD)
    click(shown, FIRST)
    assert session.sets.chosen == (FIRST,)
    assert there(session.current).key == THIRD, "it was the row that was clicked last"
    QTest.keyClick(shown.library.tree, Qt.Key.Key_Escape)
    assert session.sets.chosen == ()
    QTest.mouseClick(card, LEFT, CONTROL)
    QTest.mouseClick(card, LEFT)
    assert session.sets.chosen == ()
    assert there(session.current).key == THIRD
    assert sorted(on(shown)) == sorted((FIRST, SECOND, THIRD))


def test_ctrl_click_leaves_a_tokenizer_off(shown: MainWindow) -> None:
    off = next(item.key for item in shown.session.library if not item.on)
    click(shown, off)
    assert shown.session.sets.chosen == (off,)
    assert off not in on(shown)


def test_the_menu_of_a_card_hides_the_others(shown: MainWindow) -> None:
    view = shown_in(shown, TokensView)
    card = next(card for card in view.cards._cards if card.facts.key == SECOND)
    reason = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(
        card, QContextMenuEvent(reason, QPoint(5, 5), card.mapToGlobal(QPoint(5, 5)))
    )
    choose(shown, "only_this")
    assert on(shown) == [SECOND]
    shown.actions_by_id.refresh()
    assert not shown.actions_by_id["only_this"].isEnabled()
    trigger(shown, "show_others")
    assert sorted(on(shown)) == sorted((FIRST, SECOND, THIRD))
    trigger(shown, "undo")
    assert on(shown) == [SECOND]
    trigger(shown, "undo")
    assert sorted(on(shown)) == sorted((FIRST, SECOND, THIRD))


def test_the_menu_of_a_row_chooses_and_shows_the_chosen(shown: MainWindow) -> None:
    tree = shown.library.tree
    for key in (FIRST, THIRD):
        item = there(shown.session.library.item(key))
        place = tree.visualRect(shown.session.library.index_of(item)).center()
        tree.customContextMenuRequested.emit(place)
        choose(shown, "choose_tokenizer")
    assert shown.session.sets.chosen == (FIRST, THIRD)
    trigger(shown, "only_chosen")
    assert sorted(on(shown)) == sorted((FIRST, THIRD))


@pytest.fixture
def dialog(shown: MainWindow) -> SetsDialog:
    trigger(shown, "tokenizer_sets")
    return there(shown.library_commands.sets.dialog)


def row_of(dialog: SetsDialog, row: int) -> QTreeWidgetItem:
    return there(dialog.list.topLevelItem(row))


def names(dialog: SetsDialog) -> list[str]:
    return [row_of(dialog, row).text(0) for row in range(dialog.list.topLevelItemCount())]


def test_the_dialog_saves_shows_renames_and_deletes(
    shown: MainWindow, dialog: SetsDialog, qtbot: QtBot
) -> None:
    sets = shown.session.sets
    assert not dialog.save_button.isEnabled()
    assert "are on" in dialog.about.text()
    click(shown, SECOND)
    click(shown, THIRD)
    assert dialog.about.text().endswith("are chosen.")
    dialog.name.setText("  two ")
    dialog.save_button.click()
    assert names(dialog) == ["two"]
    assert set(sets.sets["two"]) == {SECOND, THIRD}
    assert dialog.name.text() == ""
    dialog.name.setText("two")
    assert dialog.save_button.text() == "Replace the set"
    dialog.name.setText("all")
    dialog.save_button.click()
    assert names(dialog) == ["two", "all"]
    dialog.list.setCurrentItem(row_of(dialog, 0))
    dialog.show_button.click()
    assert sorted(on(shown)) == sorted((SECOND, THIRD))
    dialog.rename_button.click()
    editor = there(dialog.list.findChild(QLineEdit))
    editor.setText("all")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.problem.text() == "There is already a set “all”.")
    assert names(dialog) == ["two", "all"]
    row_of(dialog, 0).setText(0, "pair")
    qtbot.waitUntil(lambda: names(dialog) == list(sets.sets) == ["pair", "all"])
    dialog.list.setCurrentItem(row_of(dialog, 1))
    dialog.list.setFocus()
    QTest.keyClick(dialog.list, Qt.Key.Key_Delete)
    assert names(dialog) == ["pair"]
    trigger(shown, "undo")
    assert names(dialog) == ["pair", "all"]


def run_by_name(window: MainWindow, query: str) -> None:
    """Types the name of a command into the palette, and runs what is found first."""
    trigger(window, "palette")
    palette = there(window.palette_commands.opened)
    palette.search.setText(query)
    assert palette.model.index(0, 0).data() == query
    QTest.keyClick(palette.search, Qt.Key.Key_Return)


def test_sets_are_in_the_palette(shown: MainWindow) -> None:
    shown.session.sets.choose([THIRD])
    shown.session.sets.save("one")
    run_by_name(shown, "Show the set one")
    assert on(shown) == [THIRD]
    item = there(shown.session.library.item(FIRST))
    run_by_name(shown, f"Only {item.display_name}")
    assert on(shown) == [FIRST]
