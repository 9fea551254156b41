"""How large everything is drawn: steps, what is kept, and that Qt begins with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tokenarium.app.start import hand_on, handed_on
from tokenarium.app.window import MainWindow
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import (
    NORMAL,
    SCALES,
    Settings,
    apply_scale,
    kept_scale,
    next_scale,
)


def test_the_actions_keep_a_scale_and_say_when_it_is_seen(
    window: MainWindow, store: Settings
) -> None:
    for action_id, scale in (
        ("larger", 110),
        ("larger", 125),
        ("smaller", 110),
    ):
        window.actions_by_id[action_id].trigger()
        assert kept_scale(store) == scale
        assert window.messages.isVisible()
        assert f"next start on, everything is shown at {scale} %" in window.messages.label.text()
        assert window.messages.offered.isVisible()


def test_the_scale_of_this_run_needs_no_restart(window: MainWindow, store: Settings) -> None:
    for action_id in ("larger", "smaller", "normal_size"):
        window.actions_by_id[action_id].trigger()
        assert window.messages.offered.isHidden() == (action_id != "larger")
    assert kept_scale(store) == NORMAL
    assert window.messages.label.text() == "Everything stays at 100 %."


def test_the_message_offers_to_start_again(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_id["larger"].trigger()
    with qtbot.waitSignal(window.restart_wanted):
        window.messages.offered.click()
    window.session.problem.emit("Another message.")
    assert not window.messages.offered.isVisible()


def test_a_training_is_not_ended_for_a_scale(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "trains", True)
    window.actions_by_id["larger"].trigger()
    assert "when it is done" in window.messages.label.text()
    assert not window.messages.offered.isVisible()


@pytest.mark.parametrize("text", ["", "one\r\ntwo", "half \ud83d of a pair"])
def test_the_text_is_handed_on_once(text: str) -> None:
    _, environment = hand_on(text, {"HOME": "somewhere"})
    (path,) = (Path(value) for name, value in environment.items() if name != "HOME")
    assert handed_on(environment) == text
    assert not path.exists()
    assert environment == {"HOME": "somewhere"}
    assert handed_on(environment) is None


_RESTARTED = """
import sys
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication
from tokenarium.app import start as app
from tokenarium.app.window import MainWindow
QSettings.setDefaultFormat(QSettings.Format.IniFormat)
QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, sys.argv[1])
command, again = app.hand_on, len(sys.argv) > 2
def same_script(text, environment):
    return [sys.executable, "-c", sys.orig_argv[2], sys.argv[1], "again"], command(text, environment)[1]
app.hand_on = same_script
def act():
    (window,) = (one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow))
    if again:
        print(window.devicePixelRatio(), window.session.text, flush=True)
        window.close()
    else:
        window.session.set_text("What was typed \N{OWL}.")
        for _ in range(3):
            window.actions_by_id["larger"].trigger()
        window.messages.offered.click()
made = app.make_window
def make_window(*given):
    QTimer.singleShot(300, act)
    return made(*given)
app.make_window = make_window
app.run([])
"""


@pytest.mark.slow
def test_a_restart_takes_the_scale_and_keeps_the_text(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "QT_SCALE_FACTOR"}
    environment |= {"QT_QPA_PLATFORM": "offscreen", "PYTHONIOENCODING": "utf-8"}
    answer = subprocess.run(
        [sys.executable, "-c", _RESTARTED, str(tmp_path)],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert answer.stdout.split("\n")[0] == "1.5 What was typed \N{OWL}."


def test_beyond_the_ends_there_is_no_scale() -> None:
    assert next_scale(SCALES[0], -1) == SCALES[0]
    assert next_scale(SCALES[-1], 1) == SCALES[-1]


@pytest.mark.parametrize("kept", ["", "0", "-100", "1000000", "large", "125.5"])
def test_a_scale_that_there_is_not_is_none(kept: str, store: Settings) -> None:
    store.set(settings.SCALE, kept)
    assert kept_scale(store) == 100


def test_the_environment_goes_first(store: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    store.set(settings.SCALE, "150")
    monkeypatch.setenv("QT_SCALE_FACTOR", "2")
    apply_scale(store)
    assert os.environ["QT_SCALE_FACTOR"] == "2"


_STARTED = """
import sys
from PySide6.QtCore import QSettings
from tokenarium.app.start import application
from tokenarium.session.settings import Settings, apply_scale
apply_scale(Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat)))
print(application().primaryScreen().devicePixelRatio())
"""


@pytest.mark.slow
def test_qt_begins_at_the_kept_scale(tmp_path: Path) -> None:
    path = tmp_path / "scaled.ini"
    path.write_text("[window]\nscale=150\n")
    environment = {name: value for name, value in os.environ.items() if name != "QT_SCALE_FACTOR"}
    environment["QT_QPA_PLATFORM"] = "offscreen"
    answer = subprocess.run(
        [sys.executable, "-c", _STARTED, str(path)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(answer.stdout) == 1.5
