"""What a chat template gets besides the messages: tools and documents as JSON, and a field for each variable."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QStackedWidget, QWidget

from tokenarium.models.chat.chat_inputs import Inputs, inputs_of
from tokenarium.models.chat.chat_template import NO_INPUTS
from tokenarium.models.chat.tool_schemas import SAMPLE_TOOL, read_tools
from tokenarium.models.text.qt_text import into_qt
from tokenarium.style.theme import GRID
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.chat.source_edit import SourceEdit
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import literal, named, secondary
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.text.bounded_field import set_line
from tokenarium_core import FormatError

LISTS: Final = ("tools", "documents")
MOST_SHOWN: Final = 4
"""Faults that are shown at once."""

MOST_VARIABLES: Final = 30
"""Variables that have a field."""


class InputsPage(QWidget):
    """Emits ``changed`` with the new inputs when the user has changed them to something valid."""

    changed = Signal(object)
    call_requested = Signal(object)  # a tool, to be called in the messages

    def __init__(self) -> None:
        super().__init__()
        self._inputs = NO_INPUTS
        self._names: list[str] = []
        self.fields: dict[str, VariableField] = {}
        self.choice = named(Segmented(("Tools", "Documents")), "Tools or documents")
        self.editors = {
            "tools": SourceEdit("Tools in JSON", "A list of tools in JSON: [{…}]"),
            "documents": SourceEdit("Documents in JSON", '[{"title": "…", "text": "…"}]'),
        }
        self.stack = QStackedWidget()
        for name, editor in self.editors.items():
            self.stack.addWidget(editor)
            editor.textChanged.connect(lambda name=name: self._take_list(name))
        self.faults = _warning_label("What is wrong in the list")
        self.sample = QPushButton("Add a too&l", autoDefault=False)
        self.sample.setToolTip("Adds a tool to change, at the end of the list")
        self.call = QPushButton("Add a c&all", autoDefault=False)
        self.call.setToolTip("Adds a call of the last tool and its result to the messages")
        self.sample.clicked.connect(self._add_tool)
        self.call.clicked.connect(self._request_call)
        self.none = secondary(
            QLabel("The template reads no variables besides these.", wordWrap=True)
        )
        rows = QWidget()
        self._rows = in_column(self.none, into=rows, spacing=GRID // 2)
        self.area = FitArea(rows)
        for part in (rows, self.area.viewport()):
            part.setBackgroundRole(QPalette.ColorRole.Window)
        self.choice.currentChanged.connect(self._choose)
        in_column(
            in_row(self.choice, STRETCH),
            (self.stack, 1),
            self.faults,
            in_row(self.sample, self.call, STRETCH, spacing=GRID),
            secondary(QLabel("Variables, in JSON")),
            self.area,
            into=self,
            spacing=GRID,
        )
        self._say_list()

    def show_inputs(self, inputs: Inputs, undefined: Sequence[str]) -> None:
        """Shows inputs, with fields for their variables and for those that the template reads; emits nothing."""
        for name, editor in self.editors.items():
            value = getattr(inputs, name)
            if value != getattr(self._inputs, name):  # otherwise the text may be in the making
                with QSignalBlocker(editor):
                    text = "" if value is None else json.dumps(value, indent=2, ensure_ascii=False)
                    editor.setPlainText(into_qt(text))
                self._say_list()
        self._inputs = inputs
        names = sorted({*inputs.variables, *undefined})[:MOST_VARIABLES]  # giving one moves none
        if names != self._names:
            self._names = names
            for field in self.fields.values():
                self._rows.removeWidget(field)
                field.hide()
                field.deleteLater()
            self.fields = {name: VariableField(name) for name in names}
            for field in self.fields.values():
                field.edited.connect(self._take_variable)
                self._rows.addWidget(field)
            self.none.setVisible(not names)
        for name, field in self.fields.items():
            field.show_value(name in inputs.variables, inputs.variables.get(name))

    def _choose(self, place: int) -> None:
        self.stack.setCurrentIndex(place)
        self._say_list()

    @property
    def _shown(self) -> str:
        return LISTS[self.stack.currentIndex()]

    def _take_list(self, name: str) -> None:
        value, faults = read_tools(self.editors[name].text(), name)
        self._say_list()
        if not any(fault.fatal for fault in faults):
            self._change(inputs_of({**self._inputs.values(), name: value}))

    def _say_list(self) -> None:
        name = self._shown
        value, faults = read_tools(self.editors[name].text(), name)
        lines = [f"Line {fault.line:,}: {fault.sentence}" for fault in faults[:MOST_SHOWN]]
        if len(faults) > MOST_SHOWN:
            lines.append(f"{len(faults) - MOST_SHOWN:,} more.")
        self.faults.setText(into_qt("\n".join(lines)))
        self.faults.setVisible(bool(lines))
        self.editors[name].mark(faults[0].line if faults else 0)
        self.sample.setVisible(name == "tools")
        self.call.setVisible(name == "tools")
        fatal = any(fault.fatal for fault in faults)
        self.sample.setEnabled(not fatal)
        self.call.setEnabled(bool(value))

    def _add_tool(self) -> None:
        tools = [*(self._inputs.tools or []), SAMPLE_TOOL]
        editor = self.editors["tools"]
        editor.selectAll()  # so that undo brings the list back
        editor.insertPlainText(json.dumps(tools, indent=2, ensure_ascii=False))
        editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _request_call(self) -> None:
        if self._inputs.tools:
            self.call_requested.emit(self._inputs.tools[-1])

    def _take_variable(self, name: str, given: bool, value: object) -> None:
        variables = {key: one for key, one in self._inputs.variables.items() if key != name}
        if given:
            variables[name] = value
        try:
            self._change(inputs_of({**self._inputs.values(), "variables": variables}))
        except FormatError as error:
            self.fields[name].show_fault(str(error))

    def _change(self, inputs: Inputs) -> None:
        if inputs != self._inputs:
            self._inputs = inputs
            self.changed.emit(inputs)


class VariableField(QWidget):
    """A variable of a template: its name, and its value in JSON; empty if it is not given."""

    edited = Signal(str, bool, object)  # the name, whether it is given, and the value

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._value: tuple[bool, Any] = (False, None)
        label = literal(QLabel(into_qt(name[:60])))
        label.setMinimumWidth(1)
        self.field = QLineEdit()
        self.field.setPlaceholderText("not given")
        self.field.setAccessibleName(f"Value of {name[:60]}")
        self.field.setToolTip('A value in JSON, such as true, 3 or "a text"; empty if not given')
        label.setBuddy(self.field)
        self.fault = _warning_label(f"What is wrong with {name[:60]}")
        in_column(
            in_row((label, 1), (self.field, 2), spacing=GRID),
            self.fault,
            into=self,
            spacing=GRID // 2,
        )
        self.field.textEdited.connect(self._take)

    def show_value(self, given: bool, value: Any) -> None:
        """Shows a value; does nothing if the field has it already."""
        if (given, value) != self._value:
            self._value = given, value
            set_line(self.field, into_qt(json.dumps(value, ensure_ascii=False)) if given else "")
            self.show_fault("")

    def show_fault(self, sentence: str) -> None:
        """Says what is wrong; "" for nothing."""
        self.fault.setText(sentence)
        self.fault.setVisible(bool(sentence))

    def _take(self, text: str) -> None:
        if not text.strip():
            self._give(False, None)
            return
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            self.show_fault("This is not JSON. Put a text in quotation marks.")
            return
        self._give(True, value)

    def _give(self, given: bool, value: Any) -> None:
        self._value = given, value
        self.show_fault("")
        self.edited.emit(self._name, given, value)


def _warning_label(name: str) -> QLabel:
    label = literal(QLabel(wordWrap=True))
    label.setForegroundRole(QPalette.ColorRole.BrightText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setAccessibleName(name)
    label.setMinimumWidth(1)
    label.hide()
    return label
