"""How large everything is drawn: steps, what is kept, and that Qt begins with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tokenarium import settings
from tokenarium.settings import Settings
from tokenarium.style.scaling import SCALES, apply_scale, kept_scale, next_scale
from tokenarium.window import MainWindow


def test_the_actions_keep_a_scale_and_say_when_it_is_seen(
    window: MainWindow, store: Settings
) -> None:
    for action_id, scale in (
        ("larger", 110),
        ("larger", 125),
        ("smaller", 110),
        ("normal_size", 100),
    ):
        window.actions_by_id[action_id].trigger()
        assert kept_scale(store) == scale
        assert window.messages.isVisible()
        assert f"next start on, everything is shown at {scale} %" in window.messages.label.text()


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
from tokenarium.app import application
from tokenarium.style.scaling import apply_scale
from tokenarium.settings import Settings
apply_scale(Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat)))
print(application().primaryScreen().devicePixelRatio())
"""


def test_qt_begins_at_the_kept_scale(tmp_path: Path) -> None:
    path = tmp_path / "scaled.ini"
    path.write_text("[window]\nscale=150\n")
    environment = {name: value for name, value in os.environ.items() if name != "QT_SCALE_FACTOR"}
    environment["QT_QPA_PLATFORM"] = "offscreen"
    told = subprocess.run(
        [sys.executable, "-c", _STARTED, str(path)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(told.stdout) == 1.5
