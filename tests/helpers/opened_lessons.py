"""Opens lessons of a test in a window, and waits until their step is shown."""

from __future__ import annotations

from narrowed import there
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.models.files import lessons_folder
from tokenarium.widgets.lesson_panel import LessonPanel


def panel(window: MainWindow) -> LessonPanel:
    """Returns the panel of the lessons, which must have been opened."""
    return there(window.lessons.panel)


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Waits until a step is shown."""
    qtbot.waitUntil(
        lambda: panel(window).shows_step and not window.stage.busy and not window.lessons.waits
    )


def open_lesson(window: MainWindow, qtbot: QtBot, id: str, source: str) -> LessonPanel:
    """Writes a lesson of the user's, and shows its first step; returns the panel."""
    lessons_folder().mkdir(parents=True, exist_ok=True)
    (lessons_folder() / f"{id}.md").write_text(source, encoding="utf-8")
    window.lessons.open(id, 0)
    settle(window, qtbot)
    return panel(window)
