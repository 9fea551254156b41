"""The page Change: tokens added, renamed and removed, what is refused, and the new tokenizer in the library."""

from __future__ import annotations

import pytest
from narrowed import there
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from windows import Host, show_page, shown_in

from tokenarium.app.window import MainWindow
from tokenarium.models.tokenizers.changed import CHANGED
from tokenarium.models.tokenizers.library import LibraryGroup
from tokenarium.session.session import Session
from tokenarium.views.vocabulary_change import ChangePage
from tokenarium.views.vocabulary_special_tokens import FORGERY, STATE, TOKEN, SpecialTokensPart
from tokenarium.widgets.training.trained_list import facts

WAIT_MS = 60_000


@pytest.fixture
def page(host: Host, qtbot: QtBot) -> SpecialTokensPart:
    found = show_page(host, "vocabulary", ChangePage.id, ChangePage).special_tokens
    qtbot.waitUntil(lambda: found.table.topLevelItemCount() > 0, timeout=WAIT_MS)
    return found


def rows(page: SpecialTokensPart) -> list[tuple[str, str]]:
    return [(line[TOKEN], line[STATE]) for line in page.lines()[1:]]


def typed(page: SpecialTokensPart, token: str, id: int = -1) -> None:
    page.token.setText(token)
    page.id_field.setValue(id)
    QTest.keyClick(page.token, Qt.Key.Key_Return)


def test_changes_are_listed_before_they_are_made(page: SpecialTokensPart) -> None:
    assert rows(page) == [("<|endoftext|>", "")]
    assert not page.make_button.isEnabled()
    typed(page, "<|user|>")
    typed(page, "<|end|>", 9000)
    page.rename("<|endoftext|>", "<|eot|>")
    assert rows(page) == [
        ("<|eot|>", "was <|endoftext|>"),
        ("<|user|>", "new"),
        ("<|end|>", "new"),
    ]
    assert "<|end|> added as 9000" in page.summary.text()
    assert page.token.text() == ""
    page.table.choose("<|user|>")
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    page.table.choose("<|endoftext|>")
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    assert rows(page) == [("<|endoftext|>", "removed"), ("<|end|>", "new")]
    assert page.remove_button.text() == "Keep"
    page.remove_button.click()
    assert rows(page)[0] == ("<|endoftext|>", "")
    page.undo_button.click()
    assert rows(page) == [("<|endoftext|>", "")]


def test_what_cannot_be_is_said_at_once(page: SpecialTokensPart) -> None:
    typed(page, "<|endoftext|>")
    assert "already" in page.summary.text()
    assert page.token.text() == "<|endoftext|>"  # so that it can be mended
    typed(page, "<|x|>", 300)
    assert "The id 300 belongs to" in page.summary.text()
    assert not page.changes
    page.rename("<|endoftext|>", "")
    assert "at least one character" in page.summary.text()


def test_the_new_tokenizer_is_in_the_library_and_undo_takes_it_out(
    page: SpecialTokensPart, session: Session, qtbot: QtBot
) -> None:
    old = there(session.current)
    typed(page, "<|user|>")
    page.name_field.setText("chat 8k")
    page.name_field.textEdited.emit("chat 8k")
    page.make_button.click()
    assert page.busy
    qtbot.waitUntil(lambda: not page.busy, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: session.current is not None and session.current.name == "chat 8k")
    made = there(session.current)
    assert made.group is LibraryGroup.TRAINED
    assert there(made.tokenizer).special_tokens["<|user|>"] == 8000
    assert rows(page)[-1] == ("<|user|>", "")
    trained = session.trainings.store.all()[0]
    assert trained.algorithm == CHANGED
    assert facts(trained).startswith(f"Made from {old.name}: <|user|> added")
    session.edits.undo_stack.undo()
    assert session.library.item(made.key) is None


def test_a_change_that_is_not_possible_makes_nothing(
    page: SpecialTokensPart, session: Session, qtbot: QtBot
) -> None:
    session.edits.turn_on("shipped:unigram-8k", True)
    qtbot.waitUntil(lambda: not session.opening, timeout=WAIT_MS)
    session.set_current("shipped:unigram-8k")
    qtbot.waitUntil(lambda: ("<s>", "") in rows(page), timeout=WAIT_MS)
    page.table.choose("<s>")
    page.remove_button.click()
    page.make_button.click()
    qtbot.waitUntil(lambda: not page.busy, timeout=WAIT_MS)
    assert "names it in its settings" in page.summary.text()
    assert page.changes.remove == ["<s>"]
    assert session.trainings.store.all() == []


def test_all_of_what_a_plain_text_becomes_is_seen_in_a_narrow_table(
    page: SpecialTokensPart, qtbot: QtBot
) -> None:
    table = page.table
    row = table.indexFromItem(table.topLevelItem(0), FORGERY)
    lines = 2 * table.fontMetrics().lineSpacing()
    assert table.visualRect(row).height() < lines
    table.setMaximumWidth(400)
    qtbot.waitUntil(lambda: table.visualRect(row).height() >= lines)
    assert table.isColumnHidden(STATE)
    typed(page, "<|user|>")
    assert not table.isColumnHidden(STATE)


@pytest.mark.parametrize(
    ("typed", "part"),
    [("extend", "Extend"), ("prune", "Prune"), ("add special", "Special tokens")],
)
def test_the_palette_leads_to_each_way(
    window: MainWindow, qtbot: QtBot, typed: str, part: str
) -> None:
    window.palette_commands.open_palette()
    palette = there(window.palette_commands.opened)
    qtbot.keyClicks(palette.search, typed)
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert shown_in(window, ChangePage).part.title == part
