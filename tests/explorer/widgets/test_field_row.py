"""Fields below their titles, and the row in which they stand."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QSpinBox
from pytestqt.qtbot import QtBot
from windows import off_screen

from tokenarium.style.fonts import SMALL_SIZE
from tokenarium.widgets.field_row import FIELD_GAP, TITLE_HEIGHT, FieldBelow, field_row
from tokenarium.widgets.term_marks import TermButton


def test_controls_stand_in_line_with_and_without_a_title(qtbot: QtBot) -> None:
    controls = [QLineEdit(), QComboBox(), QPushButton("Train"), QSpinBox()]
    fields = [
        FieldBelow(controls[0], "Corpus", "corpus"),
        FieldBelow(controls[1], "Algorithm"),
        FieldBelow(controls[2]),
        FieldBelow(controls[3], "Merges", "merge"),
    ]
    row = off_screen(qtbot, field_row(*fields))
    row.resize(900, 200)
    row.show()
    assert {control.mapTo(row, control.rect().topLeft()).y() for control in controls} == {
        TITLE_HEIGHT
    }
    assert len({control.height() for control in controls}) == 1
    for one, other in pairwise(fields):
        assert other.x() - one.geometry().right() - 1 == FIELD_GAP
    row.resize(max(field.width() for field in fields), 400)
    assert {field.x() for field in fields} == {0}


def test_a_title_belongs_to_its_control(qtbot: QtBot) -> None:
    line = QLineEdit()
    field = off_screen(qtbot, FieldBelow(line, "Corpus", "corpus"))
    (label,) = field.findChildren(QLabel)
    assert [label.text(), label.buddy(), label.font().pixelSize()] == ["Corpus", line, SMALL_SIZE]
    (mark,) = field.findChildren(TermButton)
    assert mark.accessibleName() == "What is corpus?"
