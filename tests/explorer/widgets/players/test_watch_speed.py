"""The slider for how fast a training is watched."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from windows import emitted, off_screen

from tokenarium.widgets.players.watch_speed import RATES, WatchSpeed, rate_text


@pytest.mark.parametrize("rate", RATES)
def test_each_speed_is_kept_and_said(qtbot: QtBot, rate: float) -> None:
    speed = off_screen(qtbot, WatchSpeed())
    speed.set_rate(rate)
    assert speed.rate == rate
    assert speed.label.text() == rate_text(rate) == speed.slider.accessibleDescription()
    assert speed.by_key == (rate == 0)


@pytest.mark.parametrize(("wanted", "found"), [(3, 2), (7, 5), (90, 100), (5000, 1000), (0.1, 0)])
def test_the_nearest_speed_is_chosen(qtbot: QtBot, wanted: float, found: float) -> None:
    speed = off_screen(qtbot, WatchSpeed())
    heard: list[float] = emitted(speed.changed)
    speed.set_rate(wanted)
    assert speed.rate == found
    assert heard == []
    speed.slider.setValue(speed.slider.value() + 1)
    assert heard == [speed.rate]


def test_a_key_makes_a_merge_at_the_slowest_speed(qtbot: QtBot) -> None:
    speed = off_screen(qtbot, WatchSpeed(0))
    heard: list[bool] = []
    speed.stepped.connect(lambda: heard.append(True))
    qtbot.keyClick(speed.slider, Qt.Key.Key_Space)
    assert heard == [True]
    speed.set_rate(10)
    qtbot.keyClick(speed.slider, Qt.Key.Key_Space)
    assert heard == [True]
