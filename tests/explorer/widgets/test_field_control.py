"""The controls of the fields of analyses."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tokenarium.analyses.field import Choices
from tokenarium.widgets.analysis.field_control import ChoicesControl


def test_choices_take_the_former_name_of_a_choice_from_a_session(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    field = Choices("only", "", "Kinds", names=("Case", "Spaces"), renamed={"Blanks": "Spaces"})
    control = ChoicesControl(field, lambda: None, parent)
    control.show(["Blanks"])
    assert control.value == ["Case"]
    assert control.read() == ["Spaces"]
    with pytest.raises(ValueError, match=r"^$"):
        control.show(["Unknown"])
