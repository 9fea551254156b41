"""The controls of the fields of analyses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from windows import off_screen

from tokenarium.analyses.field import Choices, Field, Flag, Line, Number, OneOf, Texts
from tokenarium.resources.glossary import explanation
from tokenarium.widgets.analysis.field_control import ChoicesControl, control_of


def test_choices_take_the_former_name_of_a_choice_from_a_session(qtbot: QtBot) -> None:
    parent = off_screen(qtbot, QWidget())
    field = Choices("only", "", "Kinds", names=("Case", "Spaces"), renamed={"Blanks": "Spaces"})
    control = ChoicesControl(field, lambda: None, parent)
    control.show(["Blanks"])
    assert control.value == ["Case"]
    assert control.read() == ["Spaces"]
    with pytest.raises(ValueError, match=r"^$"):
        control.show(["Unknown"])


def test_a_field_has_its_former_name_in_sessions() -> None:
    assert Field("number", "", kept="count").kept_as == "count"
    assert Field("number", "").kept_as == "number"


def test_a_usual_number_is_kept_unless_its_field_says_otherwise(qtbot: QtBot) -> None:
    parent = off_screen(qtbot, QWidget())
    fields = [Number("size", "", "Size", default=3)]
    fields.append(Number("size", "", "Size", default=3, kept_if_usual=False))
    controls = [control_of(field, lambda: None, parent) for field in fields]
    assert [control.read() for control in controls] == [3, None]
    for control in controls:
        control.show(4)
    assert [control.read() for control in controls] == [4, 4]


def test_a_flag_and_a_line_show_what_a_session_kept(qtbot: QtBot) -> None:
    parent = off_screen(qtbot, QWidget())
    changes: list[None] = []
    flag, line = (
        control_of(field, lambda: changes.append(None), parent)
        for field in (Flag("all", "", "All", default=True), Line("size", "", "Size", default="9"))
    )
    qtbot.addWidget(flag.widget)
    qtbot.addWidget(line.widget)
    assert (flag.value, line.value) == (True, "9")
    flag.show(False)
    line.show(" 7 MB")
    assert (flag.read(), line.read()) == (False, " 7 MB")
    assert len(changes) == 2
    with pytest.raises(TypeError):
        flag.show("yes")


def test_a_term_is_explained_before_the_tip(qtbot: QtBot) -> None:
    field = Line("temperature", "", "Temperature", "Of sources.", term="temperature")
    control = control_of(field, lambda: None, QWidget())
    qtbot.addWidget(control.widget)
    assert control.widget.toolTip() == f"{explanation('temperature')}\nOf sources."


def test_a_choice_is_kept_by_its_title(qtbot: QtBot) -> None:
    changes: list[None] = []
    field = OneOf("ties", "", "Ties", titles={"low": "the lowest", "first": "first seen"})
    control = control_of(field, lambda: changes.append(None), QWidget())
    qtbot.addWidget(control.widget)
    assert control.value == "low"
    control.show("first seen")
    assert (control.value, control.read(), len(changes)) == ("first", "first seen", 1)
    with pytest.raises(ValueError, match="first"):
        control.show("first")
    assert control.value == "first"


@pytest.mark.parametrize(
    ("field", "value"), [(Flag("all", "", "All"), True), (Texts("words", "", "Words"), "a, b")]
)
def test_a_usual_value_is_not_kept_where_the_field_says_so(
    qtbot: QtBot, field: Flag | Texts, value: object
) -> None:
    control = control_of(replace(field, kept_if_usual=False), int, QWidget())
    qtbot.addWidget(control.widget)
    assert control.read() is None
    control.show(value)
    assert control.read() == value
