"""Things that are done one after the other, each in a frame of its own."""

from __future__ import annotations

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from tokenarium.work.turns import Turns


def test_they_come_in_order_and_later(qtbot: QtBot) -> None:
    done: list[str] = []
    owner = QObject()
    turns = Turns(owner)
    turns.add(lambda: done.append("one"), lambda: turns.add(lambda: done.append("four")))
    turns.add(lambda: done.append("three"))
    assert done == []
    qtbot.waitUntil(lambda: len(done) == 3)
    assert done == ["one", "three", "four"]


def test_what_waits_is_done_at_once_or_forgotten(qtbot: QtBot) -> None:
    done: list[int] = []
    owner = QObject()
    turns = Turns(owner)
    turns.add(lambda: done.append(1), lambda: done.append(2))
    turns.finish()
    assert done == [1, 2]
    turns.add(lambda: done.append(3))
    turns.clear()
    turns.add(lambda: done.append(4))
    qtbot.waitUntil(lambda: len(done) == 3)
    assert done == [1, 2, 4]
