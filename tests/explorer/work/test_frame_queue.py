"""Things that are done one after the other, each in a frame of its own."""

from __future__ import annotations

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from tokenarium.work.frame_queue import FrameQueue


def test_they_come_in_order_and_later(qtbot: QtBot) -> None:
    done: list[str] = []
    owner = QObject()
    frames = FrameQueue(owner)
    frames.add(lambda: done.append("one"), lambda: frames.add(lambda: done.append("four")))
    frames.add(lambda: done.append("three"))
    assert done == []
    qtbot.waitUntil(lambda: len(done) == 3)
    assert done == ["one", "three", "four"]


def test_what_waits_is_done_at_once_or_forgotten(qtbot: QtBot) -> None:
    done: list[int] = []
    owner = QObject()
    frames = FrameQueue(owner)
    frames.add(lambda: done.append(1), lambda: done.append(2))
    frames.finish()
    assert done == [1, 2]
    frames.add(lambda: done.append(3))
    frames.clear()
    frames.add(lambda: done.append(4))
    qtbot.waitUntil(lambda: len(done) == 3)
    assert done == [1, 2, 4]
