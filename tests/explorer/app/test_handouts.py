"""Saving a handout from the window: another process writes it, with its progress; it can be ended."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from asked import wait_asked
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from tokenarium.app import handouts
from tokenarium.app.handouts import HandoutDialog
from tokenarium.app.window import MainWindow
from tokenarium.session.requests import TellSaved

WRITES = (
    "import sys; print('2/5', flush=True); open(sys.argv[3], 'w').write(' '.join(sys.argv[1:]))"
)
WAITS = "import time; print('2/5', flush=True); time.sleep(60)"
FAILS = "import sys; sys.exit('It cannot be written.')"


def run_instead(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Has this code run in place of the program, with the arguments after the command."""
    monkeypatch.setattr(handouts, "program", lambda: [sys.executable, "-c", code])
    monkeypatch.setattr(handouts, "HANDOUT", ())
    monkeypatch.setattr(handouts, "PAGE", ("page",))


def test_a_handout_is_asked_for_and_written(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_instead(monkeypatch, WRITES)
    path = tmp_path / "a"
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(path), handouts.HTML), raising=True
    )

    def choose() -> None:
        dialog = next(one for one in window.findChildren(QDialog) if isinstance(one, HandoutDialog))
        assert dialog.chosen == "05-numbers-and-dates"
        dialog.teacher.setChecked(True)
        dialog.accept()

    window.lessons.open("05-numbers-and-dates")
    QTimer.singleShot(0, choose)
    with wait_asked(qtbot, window.session.requests, TellSaved) as saved:
        window.actions_by_id["save_handout"].trigger()
    assert saved.args == [TellSaved(path.with_suffix(".html"))]
    written = path.with_suffix(".html").read_text()
    assert written.startswith("05-numbers-and-dates --out ")
    assert written.endswith("--answers")
    assert window.handouts.process is None


def test_a_lesson_is_saved_as_a_page_and_a_class_is_not(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_instead(monkeypatch, WRITES.replace("argv[3]", "argv[4]"))
    path = tmp_path / "a"
    asked: list[str] = []

    def answer(*question: str) -> tuple[str, str]:
        asked.extend(question[1:])
        return str(path), handouts.HTML

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer, raising=True)

    def choose() -> None:
        dialog = next(one for one in window.findChildren(QDialog) if isinstance(one, HandoutDialog))
        dialog.page.setChecked(True)
        dialog.lesson.setCurrentIndex(dialog.lesson.findData("class-letters"))
        assert not dialog.page.isEnabled()
        assert dialog.student.isChecked()
        dialog.lesson.setCurrentIndex(dialog.lesson.findData("05-numbers-and-dates"))
        dialog.page.setChecked(True)
        dialog.accept()

    QTimer.singleShot(0, choose)
    with wait_asked(qtbot, window.session.requests, TellSaved) as saved:
        window.actions_by_id["save_handout"].trigger()
    assert saved.args == [TellSaved(path.with_suffix(".html"))]
    assert asked[0] == "Save the page"
    assert asked[1].endswith("05-numbers-and-dates.html")
    assert asked[2] == handouts.HTML
    written = path.with_suffix(".html").read_text()
    assert written.startswith("page 05-numbers-and-dates --out ")
    assert written.endswith("--progress")


def test_its_progress_is_shown_and_a_button_ends_it(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_instead(monkeypatch, WAITS)
    commands = window.handouts
    commands.write("a", tmp_path / "a.pdf", False)
    progress = commands.progress
    assert progress is not None
    assert not window.actions_by_id["save_handout"].isEnabled() or commands.process is not None
    qtbot.waitUntil(lambda: progress.value() == 2 and progress.maximum() == 5)
    assert progress.labelText() == "Step 2 of 5 is drawn."
    progress.findChild(QPushButton).click()
    assert commands.process is None
    assert not (tmp_path / "a.pdf").exists()


def test_a_failure_is_said(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_instead(monkeypatch, FAILS)
    with qtbot.waitSignal(window.session.problem) as said:
        window.handouts.write("a", tmp_path / "a.pdf", False)
    assert said.args == ["The handout was not written. It cannot be written."]
    assert QApplication.activeModalWidget() is None
