"""The controls of the fields of an analysis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QMenu,
    QSpinBox,
    QWidget,
)

from tokenarium.analyses.field import (
    Choices,
    Count,
    Field,
    Flag,
    Line,
    Number,
    OneOf,
    Texts,
    texts_in,
)
from tokenarium.resources.glossary import explanation
from tokenarium.widgets.count_field import CountField
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.panel import menu_button, named
from tokenarium.widgets.text.bounded_field import set_line


class NumberControl:
    """A box for a `Number` or a `Count`."""

    def __init__(self, field: Number, changed: Callable[[], object]) -> None:
        self.field = field
        box: Any = QDoubleSpinBox(decimals=field.decimals) if field.decimals else QSpinBox()
        if isinstance(field, Count):
            box = CountField(field.title, field.tip)
        else:
            named(box, field.title, _tip(field))
            box.setPrefix(f"{field.title} ")
        self.widget = box
        box.setRange(field.low, field.high)
        box.setSingleStep(field.step)
        box.setValue(field.default)
        box.valueChanged.connect(lambda _: changed())

    @property
    def value(self) -> float:
        """The number; an int if it has no decimals."""
        number: float = self.widget.value()
        return number

    def read(self) -> object:
        """Returns what sessions keep."""
        return self.field.to_keep(self.value)

    def show(self, value: object) -> None:
        """Shows a value of `read` or of a session; raises ValueError or TypeError for invalid ones."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError
        field = self.field
        if not field.low <= value <= field.high:
            raise ValueError(f"{field.name} is not from {field.low:g} to {field.high:g}: {value}")
        self.widget.setValue(type(self.value)(value))


class FlagControl:
    """A check box for a `Flag`."""

    def __init__(self, field: Flag, changed: Callable[[], object]) -> None:
        self.field = field
        self.widget = named(QCheckBox(field.title), field.title, _tip(field))
        self.widget.setChecked(field.default)
        self.widget.toggled.connect(lambda _: changed())

    @property
    def value(self) -> bool:
        """Whether it is checked."""
        return self.widget.isChecked()

    def read(self) -> object:
        """Returns what sessions keep."""
        return self.field.to_keep(self.value)

    def show(self, value: object) -> None:
        """Shows a value of `read` or of a session; raises TypeError for an invalid one."""
        if not isinstance(value, bool):
            raise TypeError
        self.widget.setChecked(value)


class LineControl:
    """A line for a `Line`, in a widget that may already exist."""

    def __init__(
        self, field: Line | Texts, changed: Callable[[], object], widget: QLineEdit | None = None
    ) -> None:
        self.field = field
        self.widget = named(widget or QLineEdit(), field.title, _tip(field))
        self.widget.setText(field.default)
        self.widget.setPlaceholderText(field.hint)
        self.widget.textChanged.connect(lambda _: changed())
        ShortcutFirst(self.widget)

    @property
    def value(self) -> Any:
        """The text."""
        return self.widget.text()

    def read(self) -> object:
        """Returns what sessions keep."""
        return self.field.to_keep(self.widget.text())

    def show(self, value: object) -> None:
        """Shows a value of `read` or of a session."""
        set_line(self.widget, str(value))


class TextsControl(LineControl):
    """A line for `Texts`."""

    @property
    def value(self) -> list[str]:
        """The texts."""
        return texts_in(self.widget.text())


class OneOfControl:
    """A box with the titles of a `OneOf`."""

    def __init__(self, field: OneOf, changed: Callable[[], object]) -> None:
        self.field = field
        self.widget = named(QComboBox(), field.title, _tip(field))
        self.widget.setMinimumContentsLength(max(map(len, field.titles.values())) + 1)
        for value, title in field.titles.items():
            self.widget.addItem(title, value)
        self.widget.currentIndexChanged.connect(lambda _: changed())

    @property
    def value(self) -> str:
        """The chosen value."""
        return str(self.widget.currentData())

    def read(self) -> str:
        """Returns what sessions keep."""
        return self.widget.currentText()

    def show(self, value: object) -> None:
        """Shows a value of `read` or of a session; raises ValueError for an unknown one."""
        self.widget.setCurrentIndex([*self.field.titles.values()].index(str(value)))


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
        self.widget = menu_button(field.title, _tip(field), self.menu)

    @property
    def value(self) -> list[str]:
        """The names that are chosen."""
        return [action.text() for action in self.menu.actions() if action.isChecked()]

    def read(self) -> list[str] | None:
        """Returns what sessions keep: the names that are left out."""
        return [action.text() for action in self.menu.actions() if not action.isChecked()] or None

    def show(self, value: object) -> None:
        """Leaves names out; raises ValueError or TypeError for invalid ones."""
        if not isinstance(value, list):
            raise TypeError
        left_out = {self.field.renamed.get(name, name) for name in value}
        if not left_out <= set(self.field.names):
            raise ValueError
        for action in self.menu.actions():
            action.setChecked(action.text() not in left_out)


FieldControl = NumberControl | FlagControl | LineControl | OneOfControl | ChoicesControl
CONTROLS: dict[type[Field], Callable[[Any, Callable[[], object]], FieldControl]] = {
    Number: NumberControl,
    Count: NumberControl,
    Flag: FlagControl,
    Line: LineControl,
    Texts: TextsControl,
    OneOf: OneOfControl,
}


def control_of(field: Field, changed: Callable[[], object], parent: QWidget) -> FieldControl:
    """Returns the control of a field, which calls ``changed``; raises TypeError for a field of commands only."""
    if isinstance(field, Choices):
        return ChoicesControl(field, changed, parent)
    if type(field) not in CONTROLS:
        raise TypeError(f"{field.name} has no control.")
    return CONTROLS[type(field)](field, changed)


def _tip(field: Field) -> str:
    """Returns the description of a control, after the explanation of its term."""
    return "\n".join(filter(None, [field.term and explanation(field.term), field.tip]))
