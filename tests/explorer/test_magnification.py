"""How large everything is drawn: what is kept, and what Qt is told of it before the application is made."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tokenarium import magnification, settings
from tokenarium.magnification import VARIABLE
from tokenarium.settings import Settings
from tokenarium.window import MainWindow


@pytest.mark.parametrize(
    ("percent", "steps", "other"),
    [(100, 1, 125), (125, -1, 100), (100, -1, 80), (80, -1, 80), (250, 1, 250)],
)
def test_it_goes_by_steps(percent: int, steps: int, other: int) -> None:
    assert magnification.step_from(percent, steps) == other


@pytest.mark.parametrize("written", ["", "large", "-100", "99", "1e9"])
def test_a_faulty_file_of_settings_changes_nothing(store: Settings, written: str) -> None:
    store.set(settings.MAGNIFICATION, written)
    environment: dict[str, str] = {}
    magnification.magnify(store, environment)
    assert environment == {}


def test_qt_is_told_unless_somebody_told_it_before(store: Settings) -> None:
    store.set(settings.MAGNIFICATION, "150")
    environment: dict[str, str] = {}
    magnification.magnify(store, environment)
    assert environment == {VARIABLE: "1.5"}
    environment = {VARIABLE: "2"}
    magnification.magnify(store, environment)
    assert environment == {VARIABLE: "2"}


def test_qt_draws_at_that_size() -> None:
    code = "from PySide6.QtGui import QGuiApplication as A; print(A([]).primaryScreen().devicePixelRatio())"
    environment = {**os.environ, VARIABLE: "1.5", "QT_QPA_PLATFORM": "offscreen"}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert float(told.stdout) == 1.5


def test_the_menu_keeps_it_and_says_when_it_holds(window: MainWindow, store: Settings) -> None:
    for action, percent in (
        ("larger", "125"),
        ("larger", "150"),
        ("smaller", "125"),
        ("usual_size", "100"),
    ):
        window.actions_by_id[action].trigger()
        assert store.get(settings.MAGNIFICATION) == percent
        assert f"{percent}%" in window.messages.label.text()
        assert "next start" in window.messages.label.text()
