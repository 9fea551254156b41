"""How large everything is drawn: at once, by keys and by the wheel, what is kept, and that Qt begins with it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from narrowed import there
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.session import settings
from tokenarium.session.settings import Settings, kept_scale
from tokenarium.style import zoom
from tokenarium.widgets.text.interlinear_view import InterlinearView
from tokenarium.widgets.zoom_area import ZoomButton

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(autouse=True)
def normal_after() -> Iterator[None]:
    """Other tests see everything at its normal size."""
    yield
    zoom.zoom(zoom.NORMAL)


@pytest.mark.parametrize("percent", zoom.SCALES)
def test_everything_follows_at_once(window: MainWindow, qtbot: QtBot, percent: int) -> None:
    window.resize(900, 700)
    assert zoom.zoom(percent)
    assert zoom.scale() == percent
    for widget in (window, window.library, window.text.field.viewport()):
        assert widget.devicePixelRatio() == percent / 100
    zoom.zoom(zoom.NORMAL)
    assert window.devicePixelRatio() == 1


def test_the_window_keeps_its_size_on_the_screen(window: MainWindow) -> None:
    window.resize(780, 650)  # a height that all pages fit
    before = window.height()
    zoom.zoom(90)
    assert abs(window.height() * 0.9 - before) <= 1
    zoom.zoom(100)
    assert abs(window.height() - before) <= 1


@pytest.mark.parametrize("state", [Qt.WindowState.WindowMaximized, Qt.WindowState.WindowFullScreen])
def test_a_maximized_window_stays_so(window: MainWindow, state: Qt.WindowState) -> None:
    window.setWindowState(state)
    zoom.zoom(75)
    assert window.windowState() == state


def test_a_dialog_grows_with_its_contents(window: MainWindow, qtbot: QtBot) -> None:
    window.help.show_shortcuts()
    dialog = there(window.help.shortcut_dialog)
    dialog.resize(400, 300)
    zoom.zoom(125)
    assert (dialog.width(), dialog.height()) == (400, 300)


def test_the_actions_zoom_and_keep_it(window: MainWindow, store: Settings) -> None:
    for action_id, percent in (
        ("larger", 110),
        ("larger", 125),
        ("smaller", 110),
        ("normal_size", 100),
    ):
        window.actions_by_id[action_id].trigger()
        assert kept_scale(store) == zoom.scale() == percent
        assert window.messages.label.text() == f"Everything is shown at {percent} %."


def test_where_qt_cannot_it_waits_for_the_next_start(
    window: MainWindow, store: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zoom, "_functions", lambda: None)
    window.actions_by_id["larger"].trigger()
    assert kept_scale(store) == 110
    assert zoom.scale() == 100
    assert window.messages.label.text() == "After a restart, everything is shown at 110 %."


def _turn(
    window: MainWindow, at: QWidget, angle: int, held: Qt.KeyboardModifier, sideways: bool = False
) -> None:
    place = at.rect().center()
    event = QWheelEvent(
        QPointF(at.mapTo(window, place)),
        QPointF(at.mapToGlobal(place)),
        QPoint(),
        QPoint(angle, 0) if sideways else QPoint(0, angle),
        Qt.MouseButton.NoButton,
        held,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QGuiApplication.sendEvent(window.windowHandle(), event)


@pytest.mark.parametrize(
    ("angles", "held", "percent"),
    [
        ((120,), CTRL, 110),
        ((-120,), CTRL, 90),
        ((40, 40), CTRL, 100),  # a touchpad sends parts of a step
        ((40, 40, 40), CTRL, 110),
        ((80, -80, -40), CTRL, 90),
        ((120, -120), CTRL, 100),
        ((120,), Qt.KeyboardModifier.NoModifier, 100),
        ((120,), SHIFT, 100),
    ],
)
def test_the_wheel_zooms_with_ctrl(
    window: MainWindow, angles: tuple[int, ...], held: Qt.KeyboardModifier, percent: int
) -> None:
    for angle in angles:
        _turn(window, window.text.field.viewport(), angle, held)
    assert zoom.scale() == percent


def test_what_is_under_the_pointer_zooms_alone(window: MainWindow) -> None:
    window.session.set_text("Some words")
    tokens = there(window.workspace.findChild(InterlinearView))
    looks, before = window.appearance, window.appearance.reading_size
    for sideways in (False, True):
        _turn(window, tokens.viewport(), 120, CTRL, sideways)
    assert (looks.reading_size > before, zoom.scale()) == (True, 100)
    button = there(tokens.findChild(ZoomButton))
    assert button.text() == f"{looks.reading_size} px"
    button.click()
    assert (looks.reading_size, button.isHidden()) == (before, True)
    _turn(window, tokens.viewport(), 120, CTRL | SHIFT)
    assert (looks.reading_size, zoom.scale()) == (before, 110)


def test_beyond_the_ends_there_is_no_scale() -> None:
    assert zoom.next_scale(zoom.SCALES[0], -1) == zoom.SCALES[0] == 75
    assert zoom.next_scale(zoom.SCALES[-1], 1) == zoom.SCALES[-1] == 300


@pytest.mark.parametrize("kept", ["", "0", "-100", "1000000", "large", "125.5"])
def test_a_scale_that_there_is_not_is_none(kept: str, store: Settings) -> None:
    store.set(settings.SCALE, kept)
    assert kept_scale(store) == 100


_STARTED = """
import sys
from PySide6.QtCore import QSettings
from tokenarium.app.start import application
from tokenarium.session.settings import Settings, kept_scale
from tokenarium.style.zoom import begin_at, zoom
begin_at(kept_scale(Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat))))
app = application()
print(app.primaryScreen().devicePixelRatio())
zoom(200)
print(app.primaryScreen().devicePixelRatio())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "ratios"), [("", [1.5, 2.0]), ("2", [3.0, 4.0]), ("wrong", [1.5, 2.0])]
)
def test_qt_begins_at_the_kept_scale(tmp_path: Path, given: str, ratios: list[float]) -> None:
    path = tmp_path / "scaled.ini"
    path.write_text("[window]\nscale=150\n")
    environment = {name: value for name, value in os.environ.items() if name != "QT_SCALE_FACTOR"}
    environment["QT_QPA_PLATFORM"] = "offscreen"
    if given:
        environment["QT_SCALE_FACTOR"] = given
    answer = subprocess.run(
        [sys.executable, "-c", _STARTED, str(path)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [float(line) for line in answer.stdout.split()] == ratios
