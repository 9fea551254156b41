"""The controls of the fields of an analysis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QDoubleSpinBox, QMenu, QSpinBox, QWidget

from tokenarium.analyses.field import Choices, Field, Number
from tokenarium.widgets.panel import menu_button, named


class NumberControl:
    """A box for a `Number`."""

    def __init__(self, field: Number, changed: Callable[[], object]) -> None:
        self.field = field
        box: Any = QDoubleSpinBox(decimals=field.decimals) if field.decimals else QSpinBox()
        self.widget = named(box, field.title, field.tip)
        box.setRange(field.low, field.high)
        box.setSingleStep(field.step)
        box.setValue(field.default)
        box.setPrefix(f"{field.title} ")
        box.valueChanged.connect(lambda _: changed())

    @property
    def value(self) -> float:
        """The number, an int without decimals."""
        found: float = self.widget.value()
        return found

    def read(self) -> float | None:
        """Returns what sessions keep."""
        kept = self.field.kept_if_usual or self.value != self.field.default
        return self.value if kept else None

    def show(self, value: object) -> None:
        """Shows what `read` returned, or what else a session has: ValueError or TypeError for what is no such number."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError
        field = self.field
        if not field.low <= value <= field.high:
            raise ValueError(f"{field.name} is not from {field.low:g} to {field.high:g}: {value}")
        self.widget.setValue(type(self.value)(value))


class ChoicesControl:
    """A button with a menu for `Choices`, each with a check mark."""

    def __init__(self, field: Choices, changed: Callable[[], object], parent: QWidget) -> None:
        self.field = field
        self.menu = QMenu(parent)
        for name in field.names:
            action = self.menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(True)
            action.toggled.connect(lambda _: changed())
        self.widget = menu_button(field.title, field.tip, self.menu)

    @property
    def value(self) -> list[str]:
        """The names that are chosen."""
        return [one.text() for one in self.menu.actions() if one.isChecked()]

    def read(self) -> list[str] | None:
        """Returns what sessions keep: the names that are left out."""
        return [one.text() for one in self.menu.actions() if not one.isChecked()] or None

    def show(self, value: object) -> None:
        """Leaves names out; ValueError or TypeError for what is none."""
        if not isinstance(value, list):
            raise TypeError
        if not set(value) <= set(self.field.names):
            raise ValueError
        for action in self.menu.actions():
            action.setChecked(action.text() not in value)


FieldControl = NumberControl | ChoicesControl


def control_of(field: Field, changed: Callable[[], object], parent: QWidget) -> FieldControl:
    """Returns the control of a field, which calls ``changed``; TypeError for a field that only commands have."""
    if isinstance(field, Number):
        return NumberControl(field, changed)
    if isinstance(field, Choices):
        return ChoicesControl(field, changed, parent)
    raise TypeError(f"{field.name} has no control.")
