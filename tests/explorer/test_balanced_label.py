"""Words in the middle of an empty area: in lines of about one length."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics, QImage
from pytestqt.qtbot import QtBot

from tokenarium.style.theme import ui_font
from tokenarium.views.merge_training import NOTHING
from tokenarium.widgets.empty_state import LONGEST, BalancedLabel, EmptyState, balanced_width


def lines(text: str, metrics: QFontMetrics, width: int) -> list[int]:
    """The widths of the lines in which words are set one after the other."""
    found = [""]
    for word in text.split(" "):
        longer = f"{found[-1]} {word}".lstrip()
        if metrics.horizontalAdvance(longer) <= width:
            found[-1] = longer
        else:
            found.append(word)
    return [metrics.horizontalAdvance(line) for line in found]


@pytest.mark.parametrize("room", [240, 400, 560, LONGEST, 2000])
def test_no_line_is_much_shorter_than_the_others(qtbot: QtBot, room: int) -> None:
    metrics = QFontMetrics(ui_font())
    width = balanced_width(NOTHING[1], metrics, room)
    before, after = (lines(NOTHING[1], metrics, each) for each in (room, width))
    assert width <= room
    assert len(after) == len(before)
    assert min(after) > 0.6 * max(after)


@pytest.mark.parametrize("text", ["", "word", "a_word_that_is_wider_than_its_room"])
def test_what_cannot_be_broken_stays_in_its_room(qtbot: QtBot, text: str) -> None:
    metrics = QFontMetrics(ui_font())
    assert balanced_width(text, metrics, 60) <= 60


def test_an_empty_state_sets_its_sentence_so(qtbot: QtBot) -> None:
    state = EmptyState()
    qtbot.addWidget(state)
    state.resize(1000, 300)
    state.say(*NOTHING)
    with qtbot.waitExposed(state):
        state.show()
    label = state.sentence
    assert isinstance(label, BalancedLabel)
    assert label.height() == label.heightForWidth(LONGEST)
    image = label.grab().toImage()
    middle = image.height() // 2
    first, last = (inked(image, rows) for rows in (range(middle), range(middle, image.height())))
    assert first
    assert last
    assert len(last) > 0.6 * len(first)


def inked(image: QImage, rows: range) -> range:
    """From where to where something is drawn in some rows."""
    ground = image.pixel(0, 0)
    columns = [x for x in range(image.width()) if any(image.pixel(x, y) != ground for y in rows)]
    return range(columns[0], columns[-1] + 1) if columns else range(0)
