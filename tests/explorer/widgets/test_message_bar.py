"""Messages at the foot of a window."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from windows import on_screen

from tokenarium.widgets.message_bar import MOST_EARLIER, MessageBar


@pytest.fixture
def area(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 800, 600)


@pytest.fixture
def bar(area: QWidget) -> MessageBar:
    return MessageBar(area)


def test_problems_that_come_one_after_another_unfold(bar: MessageBar) -> None:
    bar.say("First.")
    assert bar.unfold.isHidden()
    bar.say("Second.")
    bar.tell("Saved.")
    bar.say("Third.")
    bar.say("Third.")
    assert bar.label.text() == "Third."
    assert bar.unfold.text() == "2 more"
    bar.unfold.click()
    assert bar.details.isVisible()
    assert bar.details.text() == "Second.\nFirst."
    bar.say("First.")
    assert bar.details.text() == "Third.\nSecond."


def test_a_problem_that_is_closed_or_taken_back_does_not_come_again(bar: MessageBar) -> None:
    for end in (bar.close_button.click, lambda: bar.say("")):
        bar.say("First.")
        bar.say("Second.")
        end()
        assert bar.isHidden()
        bar.say("Third.")
        assert bar.unfold.isHidden()
        bar.say("")


def test_so_many_problems_are_kept(bar: MessageBar) -> None:
    for number in range(2 * MOST_EARLIER):
        bar.say(f"Problem {number}.")
    assert len(bar.details.text().splitlines()) == MOST_EARLIER


def test_a_problem_that_was_covered_keeps_those_before_it(bar: MessageBar) -> None:
    bar.say("First.")
    bar.say("Second.")
    bar.tell("Saved.")
    assert bar.unfold.isHidden()
    bar.close_button.click()
    assert bar.label.text() == "Second."
    assert bar.unfold.text() == "1 more"


def test_two_ways_to_go_on_have_details_of_their_own(bar: MessageBar) -> None:
    bar.say("First.")
    bar.trouble("Second.", "What exactly.", ("Again", bar.hide), ("Report", bar.hide))
    assert bar.unfold.text() == "Details"
    assert bar.details.text() == "What exactly."


def test_a_sentence_that_begins_with_an_arabic_name_is_read_from_the_left(bar: MessageBar) -> None:
    bar.say("نص.model cannot be opened.")
    assert bar.label.text() == "\u200eنص.model cannot be opened."
    bar.say("Second.")
    assert bar.details.text() == "\u200eنص.model cannot be opened."
    bar.tell("Saved.")
    bar.close_button.click()
    assert bar.label.text() == "Second."
    bar.say("نص.model cannot be opened.")
    bar.close_button.click()
    assert bar.isHidden()
