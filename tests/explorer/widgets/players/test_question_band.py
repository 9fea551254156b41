"""The band with a question: its choices fit, and a click finds the one under the pointer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF, Qt
from pytestqt.qtbot import QtBot
from windows import emitted, off_screen

from tokenarium.widgets.players.question_band import (
    Choice,
    ProgressDots,
    QuestionBand,
    StageQuestion,
    _choice_width,
)


def question(texts: list[tuple[str, str]], right: int = 0) -> StageQuestion:
    choices = [Choice(pair, (place, place + 8)) for place, pair in enumerate(texts)]
    return StageQuestion("Which pair merges next?", "The lowest rank goes first.", choices, right)


SHORT = [("i", "e"), ("ab", "le"), ("b", "el"), ("e", "v")]
LONG = [("internation", "alisation")] * 4


@pytest.mark.parametrize("width", [320, 480, 766, 1400])
@pytest.mark.parametrize("texts", [SHORT, LONG, SHORT[:2]])
def test_choices_fit_and_are_found(qtbot: QtBot, width: int, texts: list[tuple[str, str]]) -> None:
    band = off_screen(qtbot, QuestionBand(), width, 60)
    asked = question(texts)
    band.ask(asked)
    band.resize(width, band.sizeHint().height())
    band.show()
    whole, rects = QRectF(band.rect()), band.rects()
    assert len(rects) == len(texts)
    heard: list[int] = emitted(band.chosen)
    for place, rect in enumerate(rects):
        assert whole.contains(rect)
        assert not any(rect.intersects(other) for other in rects[:place])
        qtbot.mouseClick(band, Qt.MouseButton.LeftButton, pos=rect.center().toPoint())
    assert heard == list(range(len(texts)))
    before = band.grab().toImage()
    band.ask(replace(asked, states=asked.answered(1)))
    assert band.grab().toImage() != before


@pytest.mark.parametrize("width", [560, 640, 720, 800])
def test_words_are_whole_where_two_rows_have_room(qtbot: QtBot, width: int) -> None:
    texts = ["the token of the second word", "the token of the first word", "a token of its own"]
    band = off_screen(qtbot, QuestionBand(), width, 60)
    asked = question([])
    band.ask(replace(asked, choices=[Choice((text,), (-1,)) for text in texts]))
    band.resize(width, band.sizeHint().height())
    rects = band.rects()
    for rect, text in zip(rects, texts, strict=True):
        assert QRectF(band.rect()).contains(rect)
        assert rect.width() >= _choice_width(Choice((text,), (-1,)))
    assert len({rect.top() for rect in rects}) <= 2


def test_answers() -> None:
    asked = question(SHORT, right=2)
    assert asked.answered(0) == ("bad", "dim", "good", "dim")
    assert asked.answered(2) == ("dim", "dim", "good", "dim")
    assert asked.answered(-1) == ("dim", "dim", "good", "dim")


@pytest.mark.parametrize("length", [0, 3, 500])
def test_dots_show_how_far_it_is(qtbot: QtBot, length: int) -> None:
    dots = off_screen(qtbot, ProgressDots(), 220, 16)
    dots.show_step(0, length)
    before = dots.grab().toImage()
    dots.show_step(length, length)
    assert (dots.grab().toImage() != before) is (length > 0)
