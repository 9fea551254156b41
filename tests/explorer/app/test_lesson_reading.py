"""Reading a lesson with the mouse: what is clicked stays in its place, and digits are an answer wherever the focus is."""

from __future__ import annotations

import pytest
from narrowed import there
from opened_lessons import open_lesson, panel, settle
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow

LESSON = """+++
title = "Read with the mouse"
minutes = 5
learns = ["x"]
tokenizers = [["named:gpt2", "shipped:bpe-gpt2-8k"], ["named:o200k_base", "shipped:bpe-cl100k-8k"]]
+++

## Digits

```scene
text = "1234567"
workspace = "tokens"
```

```question
ask = "How many?"
choices = ["1", "3", "7"]
answer = "3"
```

## A number

```question
kind = "number"
ask = "How many?"
answer = "12"
```

## A name that is much too long for the button that leads to this step

```question
kind = "number"
ask = "How many?"
answer = "5"
```

## Last
"""


@pytest.fixture
def reading(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window with the lesson at its first step."""
    window.resize(1280, 720)
    open_lesson(window, qtbot, "read", LESSON)
    return window


def typed(window: MainWindow, qtbot: QtBot, keys: str) -> None:
    """Types where the focus is, as a keyboard does."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for key in keys:
        QTest.keyClick(there(window.focusWidget()), key)


def go_on(window: MainWindow, qtbot: QtBot) -> None:
    """Clicks Next, which leaves the focus where it was: in the window."""
    window.workspace.focus_first()
    at = window.lessons.at
    qtbot.mouseClick(panel(window).next, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.lessons.at != at or not panel(window).shows_step)
    qtbot.waitUntil(lambda: not window.lessons.waits and not window.stage.busy)
    qtbot.wait(200)  # the scene may ask again


def test_the_button_next_is_always_at_the_same_place(reading: MainWindow, qtbot: QtBot) -> None:
    places, names = [], []
    for place in range(4):
        places.append(panel(reading).next.geometry())
        names.append(panel(reading).next.text())
        if place < 3:
            go_on(reading, qtbot)
    assert names == ["Next: A number", "Next", "Next: Last", "Done"]
    assert places == [places[0]] * 4


def test_a_choice_that_is_a_digit_has_it_as_its_key(reading: MainWindow, qtbot: QtBot) -> None:
    card = panel(reading).question
    reading.workspace.focus_first()
    typed(reading, qtbot, "3")
    qtbot.waitUntil(card.verdict.isVisible)
    assert [one.state for one in card.choices] == ["", "good", ""]


def test_digits_go_into_the_field_wherever_the_focus_is(reading: MainWindow, qtbot: QtBot) -> None:
    go_on(reading, qtbot)
    assert not there(panel(reading).question.field).hasFocus()
    typed(reading, qtbot, "12")
    field = there(panel(reading).question.field)
    assert (field.text(), field.hasFocus()) == ("12", True)
    check = there(panel(reading).question.check)
    assert check.isVisible()
    typed(reading, qtbot, "\b3\r")
    assert check.isVisible()
    typed(reading, qtbot, "\b2\r")
    assert panel(reading).question.verdict.text().startswith("**Yes.**")
    assert not check.isVisible()
    reading.workspace.focus_first()
    typed(reading, qtbot, "4")  # the keys are the window's again
    assert field.text() == "12"


def test_digits_typed_before_a_step_is_shown_answer_it(reading: MainWindow, qtbot: QtBot) -> None:
    card = panel(reading).question
    reading.workspace.focus_first()
    panel(reading).next.click()
    assert reading.lessons.waits  # for the values, while the question before is still there
    typed(reading, qtbot, "3")
    assert [one.state for one in card.choices] == ["", "", ""]
    typed(reading, qtbot, "45")
    settle(reading, qtbot)
    assert there(card.field).text() == "345"
    reading.lessons.step(-1)
    assert not reading.lessons.waits  # its values are known
    typed(reading, qtbot, "3")
    qtbot.waitUntil(card.verdict.isVisible)
    assert [one.state for one in card.choices] == ["", "good", ""]


def test_a_question_that_is_asked_again_keeps_what_is_typed(
    reading: MainWindow, qtbot: QtBot
) -> None:
    go_on(reading, qtbot)
    field = there(panel(reading).question.field)
    typed(reading, qtbot, "12")
    panel(reading).show_step(there(reading.lessons.step_shown))
    assert (there(panel(reading).question.field).text(), field.hasFocus()) == ("12", True)
    reading.lessons.step(-1)
    settle(reading, qtbot)
    go_on(reading, qtbot)
    assert there(panel(reading).question.field).text() == ""


def test_what_is_missing_is_said_where_the_lesson_was_opened(
    reading: MainWindow, qtbot: QtBot
) -> None:
    step = there(reading.lessons.step_shown)
    assert step.instead.startswith("GPT-2 and GPT-4o are not on this computer")
    assert (panel(reading).get.text(), panel(reading).get.isVisible()) == ("Get them", True)
    go_on(reading, qtbot)
    assert not panel(reading).get.isVisible()
    assert there(reading.lessons.step_shown).instead == ""
    reading.lessons.open("read", 2)  # such as by a question
    settle(reading, qtbot)
    assert panel(reading).get.isVisible()


def test_the_search_finds_a_lesson_by_its_title(reading: MainWindow, qtbot: QtBot) -> None:
    reading.lessons.open_list()
    panel(reading).search.setText("special tokens and")
    first = panel(reading).rows[0].row
    assert (first.title, first.steps) == ("Special tokens and chats", 5)
    panel(reading).search.setText("chats tok")  # beginnings of its words
    assert panel(reading).rows[0].row == first
    panel(reading).search.setText("special tokens and cattle")
    assert panel(reading).rows[0].row.steps == 0  # a step
