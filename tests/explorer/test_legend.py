"""The legend of rules: counts, and what is pointed at and picked in it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tokenarium.models.text.segmentation import TextSpans
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.text.legend import Legend, rule_entries

pytestmark = pytest.mark.qt_log_ignore(
    "OpenType support missing", "does not support propagateSizeHints"
)


def test_the_legend_counts_rules(qtbot: QtBot) -> None:
    parts = TextSpans.of_pre_tokens([3, 4, 8, 9], [0, 1, 0, 1], ["word", "blanks", "digits"])
    entries = rule_entries(parts, LIGHT)
    assert [(entry.name, entry.count) for entry in entries] == [
        ("word", 2),
        ("blanks", 2),
        ("digits", 0),
    ]
    legend = Legend()
    qtbot.addWidget(legend)
    legend.setEntries(entries)
    legend.resize(160, 100)
    legend.show()
    chips = [child for child in legend.children() if child.isWidgetType()]
    assert [chip.accessibleName() for chip in chips] == ["word: 2", "blanks: 2", "digits: 0"]
    assert len({chip.y() for chip in chips}) > 1  # They flow on in a second row.
    assert not legend.grab().isNull()
    legend.setEntries(entries[:1])
    assert len([c for c in legend.children() if c.isWidgetType()]) == 1


def test_the_legend_tells_what_is_pointed_at_and_picked(qtbot: QtBot) -> None:
    parts = TextSpans.of_pre_tokens([3, 4], [0, 1], ["word", "blanks"])
    legend = Legend()
    qtbot.addWidget(legend)
    legend.setEntries(rule_entries(parts, LIGHT))
    legend.setTheme(DARK)
    with qtbot.waitExposed(legend):
        legend.show()
    chips = [child for child in legend.children() if child.isWidgetType()]
    with qtbot.waitSignal(legend.hovered, check_params_cb=lambda name: name == "blanks"):
        chips[1].setFocus()
    with qtbot.waitSignal(legend.picked, check_params_cb=lambda name: name == "blanks"):
        qtbot.keyClick(chips[1], Qt.Key.Key_Space)
    with qtbot.waitSignal(legend.picked, check_params_cb=lambda name: name == "word"):
        qtbot.mouseClick(chips[0], Qt.MouseButton.LeftButton)
