"""Work in a process of its own: news on the way, ends of every kind, and cancelling."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from tokenarium.worker import Worker
from tokenarium_core.errors import NotAvailable

PATIENCE_MS = 30_000

Tell = Callable[[object], None]


def _double(tell: Tell, number: int) -> int:
    tell("doubling")
    return number * 2


def _refuse(tell: Tell) -> None:
    raise NotAvailable("It is not here.")


def _stumble(tell: Tell) -> None:
    raise KeyError("what")


def _die(tell: Tell) -> None:
    os._exit(3)


def _sleep(tell: Tell) -> None:
    tell(os.getpid())
    time.sleep(600)


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_what_it_tells_and_returns(qtbot: QtBot) -> None:
    worker = Worker(_double, 21)
    told: list[object] = []
    worker.told.connect(told.append)
    with qtbot.waitSignal(worker.finished, timeout=PATIENCE_MS) as finished:
        worker.start()
        assert worker.running
    assert finished.args == [42]
    assert told == ["doubling"]
    assert not worker.running


@pytest.mark.parametrize(
    ("work", "words"),
    [(_refuse, "It is not here."), (_stumble, "KeyError"), (_die, "exit code 3")],
)
def test_what_goes_wrong_is_told(qtbot: QtBot, work: Callable[..., None], words: str) -> None:
    worker = Worker(work)
    with qtbot.waitSignal(worker.failed, timeout=PATIENCE_MS) as failed:
        worker.start()
    assert words in failed.args[0]
    assert not worker.running


def test_cancelling_ends_the_process(qtbot: QtBot) -> None:
    worker = Worker(_sleep)
    with qtbot.waitSignal(worker.told, timeout=PATIENCE_MS) as told:
        worker.start()
    begun = time.monotonic()
    with qtbot.waitSignal(worker.cancelled), qtbot.assertNotEmitted(worker.finished, wait=50):
        worker.cancel()
    assert time.monotonic() - begun < 5
    qtbot.waitUntil(lambda: is_gone(told.args[0]), timeout=PATIENCE_MS)
    worker.cancel()  # once more does nothing
