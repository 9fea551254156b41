"""The window on a real display: typed into, clicked, and looked at pixel by pixel."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from narrowed import there
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.views.pretokens import PretokensView
from tokenarium.views.tokens import TokensView
from tokenarium.widgets.lesson_parts import SplitRow
from tokenarium.widgets.library.library_panel import marker_rect

SHIPPED = "shipped:tokenarium-8k"


@pytest.mark.window
@pytest.mark.skipif(
    os.environ.get("QT_QPA_PLATFORM") == "offscreen", reason="needs a display to open a window on"
)
def test_a_person_types_ticks_and_switches(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.windowHandle().isExposed())
    theme, session = window.appearance.theme, window.session
    item = there(session.library.item(SHIPPED))
    session.edits.turn_on(SHIPPED, False)
    qtbot.keyClicks(window.text.field, "Every patch of colour is a token, 1234.")
    assert isinstance(window.workspace, TokensView)
    assert window.workspace.empty.isVisible()

    tree = window.library.tree
    tick = marker_rect(tree.visualRect(session.library.index_of(item))).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=tick)
    assert item.on
    view = window.workspace.view
    qtbot.waitUntil(lambda: len(_seen(view.viewport(), theme.tokens)) >= 4)

    # By mouse: where no window manager runs, no window is active, and keys of actions go nowhere.
    qtbot.mouseClick(window.rail.buttons[1], Qt.MouseButton.LeftButton)
    assert isinstance(window.workspace, PretokensView)
    cut = window.workspace.view.viewport()
    shades = (*theme.rule("word"), *theme.rule("digits"), *theme.rule("punctuation"))
    qtbot.waitUntil(lambda: len(_seen(cut, shades)) >= 4)


def _seen(widget: QWidget, colours: tuple[QColor, ...]) -> set[str]:
    """The colours on the screen where a widget is, whatever the widget thinks it painted."""
    corner = widget.mapToGlobal(widget.rect().topLeft())
    grabbed = widget.screen().grabWindow(0, corner.x(), corner.y(), widget.width(), widget.height())
    image = grabbed.toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), 2)
        for y in range(0, image.height(), 2)
    }
    return pixels & {colour.name() for colour in colours}


@pytest.mark.window
@pytest.mark.skipif(
    os.environ.get("QT_QPA_PLATFORM") == "offscreen", reason="needs a display to open a window on"
)
def test_a_lesson_is_taken_by_keyboard_alone(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.windowHandle().isExposed())
    window.activateWindow()  # where no window manager runs, no window is active before
    qtbot.waitUntil(window.isActiveWindow)
    lessons = window.lessons

    def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        qtbot.keyClick(window.focusWidget() or window, key, modifier)
        qtbot.wait(1)  # what the key led to is laid out

    def write(text: str) -> None:
        field = there(window.focusWidget())
        qtbot.keyClicks(field, text)
        press(Qt.Key.Key_Return)

    press(Qt.Key.Key_9, Qt.KeyboardModifier.ControlModifier)
    assert lessons.is_open
    write("Why are numbers split into groups of three digits?")
    qtbot.waitUntil(lambda: lessons.step_shown is not None)
    panel = there(lessons.panel)
    qtbot.waitUntil(window.actions_by_id["last_lesson_step"].isEnabled)
    press(Qt.Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    kinds = []
    while lessons.lesson is not None:
        at, step = lessons.at, lessons.current
        qtbot.waitUntil(
            lambda at=at: (
                lessons.step_shown is not None
                and lessons.step_shown.number == at
                and not window.stage.busy
            )
        )
        assert step is not None
        assert step.question is not None
        kinds.append(step.question.kind)
        card = panel.question
        if card.field is not None:
            write(lessons.asking.right_answer or "100000")
        elif card.split is not None:
            _split(window, qtbot, card.split, lessons.answers.tokens("20250312"), press)
        else:
            right = [one.text() for one in card.choices].index(lessons.asking.right_answer)
            press(Qt.Key(Qt.Key.Key_1.value + right))
        qtbot.waitUntil(card.verdict.isVisible)  # a key holds a button down for a moment
        assert "**Yes.**" in card.verdict.text(), step.title
        press(Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    assert {"choose", "number", "split", "write"} <= set(kinds)
    assert not panel.shows_step  # the list comes after the last step
    press(Qt.Key.Key_Escape)
    assert not lessons.is_open


def _split(
    window: MainWindow,
    qtbot: QtBot,
    row: SplitRow,
    tokens: list[str],
    press: Callable[[Qt.Key], object],
) -> None:
    """Cuts a word into tokens by Tab and Space, and asks whether that is right."""
    ends = {len("".join(tokens[: number + 1])) for number in range(len(tokens) - 1)}
    for _ in range(100):
        if window.focusWidget() is row.cuts[0]:
            break
        press(Qt.Key.Key_Tab)
    for place in range(1, len(row.cuts) + 1):
        if place in ends:
            press(Qt.Key.Key_Space)
        press(Qt.Key.Key_Tab)
    press(Qt.Key.Key_Space)  # Check


TYPIST = Path(__file__).resolve().parents[2] / "helpers" / "typist.py"
STARTING_S = 60


def _person(home: Path, *arguments: str) -> subprocess.Popen[str]:
    """Starts a person at a window that has this home: see `typist.py`."""
    (home / "run").mkdir(parents=True, exist_ok=True, mode=0o700)
    names = {
        "HOME": "",
        "XDG_CONFIG_HOME": "config",
        "XDG_CACHE_HOME": "cache",
        "XDG_RUNTIME_DIR": "run",
    }
    environment = os.environ | {name: str(home / place) for name, place in names.items()}
    environment["TOKENARIUM_DATA"] = str(home / "data")
    pipe = subprocess.PIPE
    command = [sys.executable, str(TYPIST), *arguments]
    return subprocess.Popen(
        command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def _lines(
    person: subprocess.Popen[str], done: Callable[[dict[str, Any]], bool]
) -> list[dict[str, Any]]:
    """Returns what a person says until something is said; fails where the window ends before."""
    assert person.stdout is not None
    said: list[dict[str, Any]] = []
    for line in person.stdout:
        said.append(json.loads(line))
        if done(said[-1]):
            return said
    raise AssertionError(person.communicate()[1])


@pytest.mark.window
@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGHUP", "SIGINT", "SIGTERM"])
def test_a_signal_keeps_what_was_typed(tmp_path: Path, name: str) -> None:
    person = _person(tmp_path, "type", "text", "4", "word")
    said = _lines(person, lambda line: line.get("text", "").endswith("word3"))
    person.send_signal(getattr(signal, name))
    _, errors = person.communicate(timeout=STARTING_S)
    assert person.returncode == 128 + getattr(signal, name), errors
    assert "Traceback" not in errors
    after = _person(tmp_path, "look", "text")
    (line,) = _lines(after, lambda line: "texts" in line)
    after.communicate(timeout=STARTING_S)
    assert any(said[-1]["text"] in text for text in line["texts"])


@pytest.mark.window
@pytest.mark.skipif(os.name != "posix", reason="Windows has no such folders")
def test_a_home_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.joinpath("data").write_text("no folder")  # which holds for an administrator too
    person = _person(home, "type", "text", "2", "word")
    _lines(person, lambda line: "is not kept" in line.get("said", ""))
    said = _lines(person, lambda line: line["text"].endswith("0"))
    assert len({line["said"] for line in said}) == 1, "it is said once, and stays"
    assert str(home / "data") in said[-1]["said"]
    person.send_signal(signal.SIGTERM)
    _, errors = person.communicate(timeout=STARTING_S)
    assert person.returncode == 128 + signal.SIGTERM, errors
    assert "Traceback" not in errors
