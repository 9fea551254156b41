"""Every lesson of ours, step by step in a small window: all is shown, answered, and nothing is cut off."""

from __future__ import annotations

from pathlib import Path

import pytest
from lesson_views import cut_off
from narrowed import there
from pytestqt.qtbot import QtBot
from windows import emitted

from tokenarium.app.lesson_list import lesson_paths
from tokenarium.app.window import MainWindow
from tokenarium.widgets.lesson_panel import LessonPanel

SMALL = (853, 480)
"""The room of a screen of 1280 × 720 pixels whose content is drawn at 150 %."""


@pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)
def test_every_step_is_shown_and_answered_and_fits(
    path: Path, window: MainWindow, qtbot: QtBot
) -> None:
    said: list[str] = emitted(window.session.problem)
    window.resize(*SMALL)
    lessons = window.lessons
    lessons.open(path.stem, 0)
    assert lessons.lesson is not None
    for number, step in enumerate(lessons.lesson.steps):
        qtbot.waitUntil(
            lambda number=number: (
                lessons.step_shown is not None
                and lessons.step_shown.number == number
                and not window.stage.busy
            )
        )
        panel, shown = there(lessons.panel), there(lessons.step_shown)
        where = f"{path.name}, line {step.line}"
        assert _settled(panel, qtbot) == [], where
        assert (shown.question is None) == (step.question is None), where
        if step.question is not None and step.question.kind != "write":
            assert lessons.asking.right_answer, where
        lessons.reveal()
        assert _settled(panel, qtbot) == [], where
        lessons.step(1)
    assert [one for one in said if one] == []


def _settled(panel: LessonPanel, qtbot: QtBot) -> list[str]:
    """Returns what is cut off once the layouts have followed, which takes some turns of the event loop."""
    for _ in range(20):
        if not cut_off(panel):
            break
        qtbot.wait(2)
    return cut_off(panel)
