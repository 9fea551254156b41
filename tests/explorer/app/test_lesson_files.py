"""A lesson is passed on as a file: a copy of the open one, and one that somebody else wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from narrowed import there
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from windows import emitted

from tokenarium.app.window import MainWindow
from tokenarium.models.files import lessons_folder

LESSON = """+++
title = "From a colleague"
minutes = 5
learns = ["x"]
tokenizers = ["shipped:bpe-gpt2-8k"]
+++

## One

Prose.
"""


def choose(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Has the next question for a file answered."""
    for name in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_: (str(path), ""))


def test_a_lesson_goes_from_one_folder_to_another(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = tmp_path / "colleague.md"
    sent.write_text(LESSON)
    choose(monkeypatch, sent)
    assert not window.actions_by_id["save_lesson_copy"].isEnabled()
    window.actions_by_id["add_lesson_file"].trigger()
    qtbot.waitUntil(lambda: not window.lessons.waits)
    assert there(window.lessons.lesson).title == "From a colleague"
    assert (lessons_folder() / "colleague.md").read_text() == LESSON
    choose(monkeypatch, tmp_path / "again")
    window.lesson_files.save_copy()
    assert (tmp_path / "again.md").read_text() == LESSON
    window.lessons.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no head", "This lesson is not added."),
        (LESSON.replace('"x"', "x"), "This lesson is not added."),
        (LESSON.replace("Prose", "Other prose"), "There is a lesson colleague.md in your folder"),
    ],
)
def test_what_is_there_stays(window: MainWindow, tmp_path: Path, text: str, said: str) -> None:
    lessons_folder().mkdir(parents=True)
    there_before = lessons_folder() / "colleague.md"
    there_before.write_text(LESSON)
    sent = tmp_path / "colleague.md"
    sent.write_text(text)
    problems: list[str] = emitted(window.session.problem)
    window.lesson_files.add_file(sent)
    assert problems[-1].startswith(said)
    assert there_before.read_text() == LESSON
    assert window.lessons.lesson is None


def test_a_missing_file_is_said(window: MainWindow, tmp_path: Path) -> None:
    problems: list[str] = emitted(window.session.problem)
    window.lesson_files.add_file(tmp_path / "gone.md")
    assert problems[-1].startswith("This lesson is not added.")
