"""What a lesson makes of the window: large text, letters against ids, keys that answer, targets that are hit."""

from __future__ import annotations

import pytest
from narrowed import of_kind, there
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QLineEdit
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.style.fonts import READING_SIZE
from tokenarium.style.theme import PAGE_MARGIN
from tokenarium.views.tokens import TokensView
from tokenarium.widgets.lesson_letters import LettersRow
from tokenarium.widgets.text.interlinear_view import InterlinearView
from tokenarium.widgets.text.token_cards import CARD_HEIGHT, LOW_CARD_HEIGHT

SPACES, LETTERS, LANGUAGES, MERGES = (
    ("01-spaces-and-case", 0),
    ("02-bytes-and-characters", 5),
    ("06-languages", 0),
    ("04-merges", 3),
)
LEAST_TARGET = 24
"""Pixels, as WCAG 2.2 asks for."""


def show(
    window: MainWindow, qtbot: QtBot, place: tuple[str, int], size: tuple[int, int] = (1440, 900)
) -> None:
    """Opens a step of a lesson."""
    window.resize(*size)
    window.lessons.open(*place)
    qtbot.waitUntil(lambda: not window.stage.busy and not window.lessons.waits)
    qtbot.wait(50)


def text_of(window: MainWindow) -> InterlinearView:
    return of_kind(window.workspace, TokensView).view


def pixels(view: InterlinearView) -> int:
    return view.text_layout.font.pixelSize()


def letters(window: MainWindow) -> LettersRow:
    return there(window.lesson_letters.row)


def test_the_text_is_as_large_as_the_mock_up_and_as_before_after_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    show(window, qtbot, LETTERS)
    view = text_of(window)
    assert pixels(view) == 38
    assert view.verticalScrollBar().maximum() == 0
    cards = of_kind(window.workspace, TokensView).cards
    assert cards.height() == LOW_CARD_HEIGHT
    window.lessons.close()
    qtbot.waitUntil(lambda: pixels(view) == READING_SIZE)
    qtbot.waitUntil(lambda: cards.height() == CARD_HEIGHT)
    assert window.appearance.reading_size == READING_SIZE


def test_a_long_text_is_only_as_large_as_fits(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, LANGUAGES)
    view = text_of(window)
    assert READING_SIZE <= pixels(view) < 38
    if pixels(view) > READING_SIZE:
        assert view.verticalScrollBar().maximum() == 0
    show(window, qtbot, SPACES)
    assert pixels(view) == 38


def test_the_text_follows_the_room(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, LANGUAGES, (1440, 1400))
    view = text_of(window)
    large = pixels(view)
    assert view.verticalScrollBar().maximum() == 0
    window.resize(1440, 600)
    qtbot.waitUntil(lambda: pixels(view) < large)


def test_the_wheel_zooms_it_from_the_chosen_size(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, SPACES)
    view = text_of(window)
    view.zoom_by(1, QPoint())
    assert pixels(view) == window.appearance.reading_size == 22
    show(window, qtbot, ("01-spaces-and-case", 1))
    assert pixels(view) == 38


def test_letters_are_shown_against_ids_once_the_answer_is(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, LETTERS)
    row = letters(window)
    assert row.isVisible()
    assert "".join(row.letters) == "strawberry"
    assert row.counted == "r"
    assert row.ids == ["?"]
    assert "hidden" in row.accessibleName()
    window.lessons.reveal()
    tokenizer = there(there(window.session.current).tokenizer)
    ids = tokenizer.encode_ids("strawberry\n strawberry")[: len(row.ids)]
    assert row.ids == [str(id) for id in ids]
    whole = b"".join(tokenizer.decode_bytes([int(id)]) for id in row.ids)
    assert whole.startswith(b"strawberry")


@pytest.mark.parametrize("answer", ["the token of the first word", "the token of the second word"])
def test_any_answer_shows_the_ids_with_the_tokens(
    window: MainWindow, qtbot: QtBot, answer: str
) -> None:
    show(window, qtbot, SPACES)
    card = there(window.lessons.panel).question
    card.hint.click()
    assert letters(window).ids == ["?"]
    assert window.lessons.asking.hides
    window.lessons.answer(answer)
    assert not window.lessons.asking.hides
    assert len(letters(window).ids) == len(
        there(window.session.encoded(there(window.session.current).key)).tokens or ()
    )


def test_the_letters_are_those_of_the_selection(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, SPACES)
    window.session.select(5, 10)
    row = letters(window)
    qtbot.waitUntil(lambda: row.letters == ["␣", *"word"])


@pytest.mark.parametrize("leave", ["merges", "close", "low"])
def test_the_letters_go_where_they_say_nothing(
    window: MainWindow, qtbot: QtBot, leave: str
) -> None:
    show(window, qtbot, SPACES)
    row = letters(window)
    assert row.isVisible()
    if leave == "merges":
        window.actions_by_id["merges"].trigger()
    elif leave == "close":
        window.lessons.close()
    else:
        window.resize(1440, 500)
        window.lesson_letters.refresh()
    qtbot.waitUntil(lambda: not row.isVisible())


def test_all_letters_of_a_long_word_that_have_room_are_there(qtbot: QtBot) -> None:
    row = LettersRow()
    qtbot.addWidget(row)
    row.resize(400, row.height())
    row.show_word("abcdefghijklmnopqrstuvw", "GPT-2", [1, 2, 3])
    shown, mine, theirs, gap = row._laid()
    assert shown[-1] == "…"
    assert shown[:-1] == list("abcdefghijklmnopqrstuvw")[: len(shown) - 1]
    assert sum(mine) + sum(theirs) + gap * (len(mine) + len(theirs) - 2) < 400
    row.resize(1400, row.height())
    assert row._laid()[0] == list("abcdefghijklmnopqrstuvw")


def test_a_joined_emoji_is_one_letter_and_what_is_unseen_has_a_sign(qtbot: QtBot) -> None:
    row = LettersRow()
    qtbot.addWidget(row)
    family = "👩\u200d👩\u200d👧"
    row.show_word([family, " ", "\n", "\ud800"], "GPT-2", [1])
    assert row.letters[:2] == [family, "␣"]
    assert all(one.isprintable() for one in row.letters[2:])
    row.grab()


def test_hebrew_letters_are_from_right_to_left(qtbot: QtBot) -> None:
    row = LettersRow()
    qtbot.addWidget(row)
    row.resize(600, row.height())
    row.show_word("אב", "GPT-2", [1], counted="א")
    picture = row.grab().toImage()
    ground = row.theme.ask_ground.name()
    _, (width, other), _, gap = row._laid()
    ratio = picture.devicePixelRatio()
    first, second = (
        picture.pixelColor(round(x * ratio), round(52 * ratio)).name()
        for x in (PAGE_MARGIN + width / 2, PAGE_MARGIN + width + gap + other / 2)
    )
    assert (first == ground, second == ground) == (False, True)


def test_the_keys_answer_and_then_choose_the_tokenizer_again(
    window: MainWindow, qtbot: QtBot
) -> None:
    show(window, qtbot, SPACES)
    card, view = there(window.lessons.panel).question, text_of(window)
    front = there(window.session.current).key
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: card.choices[1].state == "bad")  # a button is pressed for a moment
    assert there(window.session.current).key == front
    qtbot.keyClick(view, Qt.Key.Key_1)
    qtbot.waitUntil(lambda: card.choices[0].state == "good")
    qtbot.keyClick(view, Qt.Key.Key_2)
    assert there(window.session.current).key != front


@pytest.mark.parametrize("place", [SPACES, LETTERS, MERGES, ("05-numbers-and-dates", 2)])
def test_what_is_clicked_is_large_enough(
    window: MainWindow, qtbot: QtBot, place: tuple[str, int]
) -> None:
    show(window, qtbot, place, (800, 600))
    panel = there(window.lessons.panel)
    small = [
        (one.accessibleName() or one.objectName(), one.size().toTuple())
        for kind in (QAbstractButton, QLineEdit)
        for one in panel.findChildren(kind)
        if one.isVisible() and min(one.width(), one.height()) < LEAST_TARGET
    ]
    assert not small


def test_a_wide_window_lists_the_lessons_in_the_place_of_the_library(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1440, 900)
    assert window.panes.library_is_shown()
    show(window, qtbot, SPACES)
    index = there(window.lesson_side.index)
    assert index.isVisible()
    assert not window.panes.library_is_shown()
    assert len(index.rows) == len(window.lessons.all)
    assert index.rows[0].accessibleName() == "Spaces and case. Lesson 1 · Step 1 of 6, open"
    assert index.done.text() == f"0 of {len(index.rows)} done"
    qtbot.mouseClick(index.rows[1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.stage.busy and not window.lessons.waits)
    assert there(window.lessons.lesson).title == "Bytes and characters"
    assert index.rows[1].accessibleName().endswith(", open")
    assert not index.rows[0].accessibleName().endswith(", open")
    window.actions_by_id["welcome"].trigger()
    assert not index.isVisible()
    window.welcoming.leave()
    assert index.isVisible()
    window.lessons.close()
    assert not index.isVisible()
    assert window.panes.library_is_shown()


@pytest.mark.parametrize(
    ("place", "width", "shown"),
    [(SPACES, 1280, False), (SPACES, 1440, True), (MERGES, 1440, False), (MERGES, 1800, True)],
)
def test_the_list_takes_no_room_that_a_stage_needs(
    window: MainWindow, qtbot: QtBot, place: tuple[str, int], width: int, shown: bool
) -> None:
    show(window, qtbot, place, (width, 900))
    index = window.lesson_side.index
    assert (index is not None and index.isVisible()) == shown
    window.resize(1000, 900)
    assert index is None or not index.isVisible()


def test_the_rail_shows_that_lessons_are_open(window: MainWindow, qtbot: QtBot) -> None:
    button = window.rail.foot[0]
    before = button.grab().toImage()
    show(window, qtbot, SPACES, (1280, 720))
    window.resize(1280, 800)
    assert button.grab().toImage() != before
    window.lessons.close()
    assert button.grab().toImage() == before


def test_rows_to_order_wrap_in_a_narrow_panel(window: MainWindow, qtbot: QtBot) -> None:
    def heights() -> list[int]:
        items = there(there(window.lessons.panel).question.items)
        assert items.verticalScrollBar().maximum() == 0
        return [items.visualItemRect(items.item(row)).height() for row in range(items.count())]

    show(window, qtbot, ("13-rebuild-gemma", 10))
    assert heights() == [32] * 4
    show(window, qtbot, ("13-rebuild-gemma", 10), (853, 480))
    qtbot.waitUntil(lambda: max(heights()) > 40)


def test_what_is_missing_has_the_width_of_a_narrow_panel(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, SPACES)
    panel = there(window.lessons.panel)
    assert panel.get.x() > panel.title.x()  # beside the sentence
    show(window, qtbot, SPACES, (853, 480))
    qtbot.waitUntil(lambda: panel.get.x() == panel.title.x())
    window.lessons.reveal()
    assert not panel.question.reveal.isVisible()
    assert not panel.question.hint.isVisible()


def test_the_verdict_has_the_tokens_that_the_answer_counts(
    window: MainWindow, qtbot: QtBot
) -> None:
    show(window, qtbot, ("01-spaces-and-case", 1))
    card = there(window.lessons.panel).question
    right = window.lessons.asking.right_answer
    wrong = next(one for one in card.choices if one.text() != right)
    wrong.click()
    assert card.verdict.isVisible()
    assert not card.tiles.isVisible()
    window.lessons.answer(right)
    tokenizer = there(there(window.session.current).tokenizer)
    ids = tokenizer.encode_ids("salt")
    assert [(tile.text, tile.note) for tile in card.tiles.tiles] == [
        (tokenizer.vocabulary.piece(id).decode(), str(id)) for id in ids
    ]
    assert card.tiles.isVisible()
    show(window, qtbot, SPACES)  # nothing is counted there
    window.lessons.reveal()
    assert card.verdict.isVisible()
    assert not card.tiles.isVisible()
    show(window, qtbot, ("01-spaces-and-case", 1))
    window.lessons.reveal()
    bar = there(card.tiles.parentWidget())
    qtbot.waitUntil(lambda: bar.height() == bar.heightForWidth(bar.width()))
