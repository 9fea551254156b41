"""Every step of every lesson of ours, played in the window: its marks, its hints, its choices and its answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from lesson_player import LessonPlayer
from pytestqt.qtbot import QtBot
from windows import add_file

from tokenarium.app.lesson_list import lesson_paths
from tokenarium.app.window import MainWindow

ROOM = (1280, 720)

paths = pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)


def play(path: Path, window: MainWindow, qtbot: QtBot) -> list[str]:
    """Plays a lesson in a common window; returns its faults."""
    window.resize(*ROOM)
    return LessonPlayer(window, qtbot).faults(path.stem)


@paths
def test_a_lesson_is_true_with_shipped_tokenizers(
    path: Path, window: MainWindow, qtbot: QtBot
) -> None:
    assert "\n".join(play(path, window, qtbot)) == ""


@paths
def test_a_lesson_is_true_with_openais_tokenizers(
    path: Path, tiktoken_cache: Path, window: MainWindow, qtbot: QtBot
) -> None:
    assert "\n".join(play(path, window, qtbot)) == ""


@paths
def test_a_lesson_is_true_with_gemma_from_a_file(
    path: Path, tiktoken_cache: Path, data: Path, window: MainWindow, qtbot: QtBot
) -> None:
    add_file(window.session, data / "tokenizers" / "gemma3.model", qtbot)
    assert "\n".join(play(path, window, qtbot)) == ""


def test_an_open_file_takes_the_place_of_the_same_tokenizer(
    data: Path, window: MainWindow, qtbot: QtBot
) -> None:
    item = add_file(window.session, data / "tokenizers" / "gemma3.model", qtbot)
    window.lessons.open("13-rebuild-gemma", 0)
    player = LessonPlayer(window, qtbot)
    player.settle(0)
    assert window.lessons.items[0] is item
    assert "Gemma 3" not in player.panel._instead.text().partition(", so this lesson")[0]
    assert "Gemma 3 has 262,144" in player.panel.prose.text()
