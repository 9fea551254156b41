"""The pattern ``none`` where patterns are chosen: the question for a file, and the Train page."""

from __future__ import annotations

from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from tokenarium.analyses.training_draft import check_content
from tokenarium.widgets.library.pattern_dialog import PatternDialog
from tokenarium_core.training.algorithms import ALGORITHMS


def test_the_question_for_a_pattern_takes_none(qtbot: QtBot) -> None:
    dialog = PatternDialog(None, "a.tiktoken")
    qtbot.addWidget(dialog)
    assert dialog.pattern.findText("none") >= 0
    dialog.pattern.setCurrentText("none")
    assert dialog.problem.text() == ""
    assert dialog.buttons.button(QDialogButtonBox.StandardButton.Open).isEnabled()


def test_a_training_takes_none() -> None:
    [option] = [one for one in ALGORITHMS["bpe"].options if one.name == "pattern"]
    check_content(option, "none")
