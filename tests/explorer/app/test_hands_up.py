"""A class answers by a show of hands: the counts, their keys and bars in the lesson's panel and on the stage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from narrowed import of_kind, there
from opened_lessons import open_lesson, settle
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from tokenarium.app.lesson_deck import LessonDeck
from tokenarium.app.window import MainWindow
from tokenarium.models.lessons.hands import Hands
from tokenarium.views.presentation import Presentation
from tokenarium.widgets.lesson_question import QuestionCard

LESSON = """+++
title = "Hands"
minutes = 5
learns = ["x"]
tokenizers = ["shipped:bpe-gpt2-8k"]
+++

## One

```scene
text = "one two three"
```

```question
ask = "How many tokens?"
choices = ["2", "3", "4"]
answer = "count(text)"
after = "It is that many."
```

## Two

```question
ask = "How many now?"
choices = ["2", "3", "4"]
answer = "count(text)"
```

## Three

```question
kind = "number"
ask = "How many?"
answer = "count(text)"
```
"""


@pytest.fixture
def card(window: MainWindow, qtbot: QtBot) -> Iterator[QuestionCard]:
    """The question of the first step in the panel."""
    yield open_lesson(window, qtbot, "hands", LESSON).question
    window.lessons.close()


def hands_of(window: MainWindow) -> Hands:
    return window.lessons.asking.hands


def test_hands_are_counted_in_the_panel(
    window: MainWindow, card: QuestionCard, qtbot: QtBot
) -> None:
    hands, bars = hands_of(window), card.hands.bars
    assert not card.hands.isVisible()
    card.raise_hands.click()
    assert bars.isVisible()
    assert window.focusWidget() is bars
    qtbot.keyClicks(bars, "12")
    qtbot.keyClick(bars, Qt.Key.Key_Down)
    qtbot.keyClicks(bars, "7")
    assert hands.counts == (12, 7, 0)
    assert [bar.said for bar in bars.bars] == ["12", "7", "0"]
    assert [round(bar.share, 2) for bar in bars.bars] == [1.0, 0.58, 0.0]
    assert card.hands.said.text().startswith("19 answers.")
    qtbot.keyClick(bars, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert hands.counts == (12, 0, 0)
    middle = bars.rows[2].center().toPoint()
    qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseClick(bars, Qt.MouseButton.RightButton, pos=middle)
    qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=QPoint(1, -5))
    assert hands.counts == (12, 0, 1)
    card.hands.plus.click()
    card.hands.minus.click()
    card.hands.undo.click()
    assert hands.counts == (12, 0, 2)
    assert window.session.text == "one two three"  # the keys are not the window's
    right = hands.choices.index(window.lessons.asking.right_answer)
    card.reveal.click()
    assert hands.right == right
    assert [bar.best for bar in bars.bars] == [n == right for n in range(3)]
    assert card.verdict.text().endswith(hands.said)
    assert "of 14 answers" in hands.said
    assert not card.hands.plus.isVisible()
    card.raise_hands.click()
    assert not card.hands.isVisible()


def test_the_keys_of_the_choices_are_those_of_the_hands_meanwhile(
    card: QuestionCard, qtbot: QtBot
) -> None:
    def caps() -> list[tuple[str, str]]:
        return [(one.shortcut().toString(), one.accessibleName()) for one in card.choices]

    choices = [("2", "2"), ("3", "3"), ("4", "4")]
    assert caps() == choices
    painted = card.choices[0].grab().toImage()
    card.raise_hands.click()
    assert caps() == [("", "2"), ("", "3"), ("", "4")]
    assert card.choices[0].grab().toImage() != painted  # without the cap of its key
    card.raise_hands.click()
    assert caps() == choices
    card.reveal.click()
    card.raise_hands.click()
    card.raise_hands.click()
    assert [key for key, _ in caps()] == ["", "", ""]  # nothing is to be chosen any more


def test_a_right_choice_says_the_hands_too_and_the_next_step_has_none(
    window: MainWindow, card: QuestionCard, qtbot: QtBot
) -> None:
    hands = hands_of(window)
    hands.show(True)
    hands.set_count(0, 3)
    answer = window.lessons.asking.right_answer
    window.lessons.answer("another")
    assert "answers" not in card.verdict.text()
    window.lessons.answer(answer)
    assert hands.said in card.verdict.text()
    window.lessons.step(1)
    settle(window, qtbot)
    assert hands.choices == ("2", "3", "4")  # as before, but another question
    assert (hands.counts, hands.shown, hands.right) == ((0, 0, 0), False, -1)
    assert card.raise_hands.isVisible()
    window.lessons.step(1)
    settle(window, qtbot)
    assert hands.choices == ()
    assert not card.raise_hands.isVisible()
    assert not card.hands.isVisible()


@pytest.fixture
def shown(window: MainWindow, card: QuestionCard) -> Iterator[Presentation]:
    """The lesson on the stage, after a hand was raised in the panel."""
    hands_of(window).show(True)
    hands_of(window).add(1, 1)
    window.actions_by_id["present"].trigger()
    presented = window.presenting.shown
    assert presented is not None
    presented.showNormal()
    presented.setFixedSize(1280, 720)
    yield presented
    if window.presenting.shown is not None:  # the window may have closed it
        presented.close()


def test_hands_are_counted_on_the_stage(
    window: MainWindow, shown: Presentation, qtbot: QtBot
) -> None:
    hands, deck = hands_of(window), of_kind(shown.deck, LessonDeck)
    assert deck.hands.isVisibleTo(deck)
    assert shown.hands_hint.isVisibleTo(shown.hints[0].parentWidget())
    assert hands.counts == (0, 1, 0)
    qtbot.keyClick(shown, Qt.Key.Key_Up)
    for key in (Qt.Key.Key_1, Qt.Key.Key_5, Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_9):
        qtbot.keyClick(shown, key)
    assert hands.counts == (15, 1, 9)
    assert deck.hides_something  # the digits do not answer
    assert not there(shown.band.question).keys
    counted = shown.band.grab().toImage()
    qtbot.keyClick(shown, Qt.Key.Key_Backspace)
    qtbot.keyClick(shown, Qt.Key.Key_Z)
    assert hands.counts == (15, 1, 9)
    assert deck.position == 0
    qtbot.keyClick(shown, Qt.Key.Key_H)
    assert not deck.hands.isVisibleTo(deck)
    assert there(shown.band.question).keys
    assert shown.band.grab().toImage() != counted  # with the keys
    qtbot.keyClick(shown, Qt.Key.Key_H)
    shown.switch_presenter()
    assert shown.presenter is not None
    qtbot.keyClick(shown.presenter, Qt.Key.Key_Plus)
    assert hands.counts == (15, 1, 10)
    qtbot.keyClick(shown, Qt.Key.Key_R)
    assert hands.said
    assert hands.said in deck.prose.text()
    qtbot.keyClick(shown, Qt.Key.Key_Space)
    settle(window, qtbot)
    assert deck.position == 1
    assert hands.counts == (0, 0, 0)
    assert not deck.hands.isVisibleTo(deck)
    qtbot.keyClick(shown, Qt.Key.Key_1 if hands.choices.index(deck.answer) == 0 else Qt.Key.Key_2)
    assert hands.counts == (0, 0, 0)  # it answers again


def test_a_question_without_choices_has_no_hands(
    window: MainWindow, shown: Presentation, qtbot: QtBot
) -> None:
    window.lessons.step(1)
    window.lessons.step(1)
    settle(window, qtbot)
    assert not shown.hands_hint.isVisibleTo(shown.hints[0].parentWidget())
    qtbot.keyClick(shown, Qt.Key.Key_H)
    assert not hands_of(window).shown


def test_the_stage_says_what_digits_do(
    window: MainWindow, shown: Presentation, qtbot: QtBot
) -> None:
    hands, deck = hands_of(window), of_kind(shown.deck, LessonDeck)
    assert "Digits count hands for choice 2;" in deck.hands.said.text()
    qtbot.keyClick(shown, Qt.Key.Key_Up)
    assert "Digits count hands for choice 1;" in deck.hands.said.text()
    hands.undo()
    qtbot.keyClick(shown, Qt.Key.Key_H)
    qtbot.keyClick(shown, Qt.Key.Key_R)
    assert deck.prose.text() == "It is that many."  # the band marks the choice
    assert not shown.hands_hint.isVisibleTo(shown.hints[0].parentWidget())
    qtbot.keyClick(shown, Qt.Key.Key_H)  # there is nothing to count any more
    assert not hands.shown
