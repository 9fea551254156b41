"""One field of a form that is made of what it is declared as: a label, a control, what it does, what is wrong."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QPalette, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.training.training_draft import shown, title
from tokenarium.style.theme import GRID, SMALL_SIZE, Theme, ui_font
from tokenarium.widgets.panel import secondary
from tokenarium.widgets.shortcut_first import ShortcutFirst
from tokenarium_core.training.trainer import Option

WIDTH = 12 * GRID
"""Of a control, at least."""

LABEL, CONTROL = 2, 3
"""The shares of a line: the controls of a form stand under each other."""


class Problem(QLabel):
    """A sentence on what is wrong with a field; hidden where nothing is."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setFont(ui_font(SMALL_SIZE))
        # By itself a label takes another role on the background of panels, where it may not stand yet.
        self.setForegroundRole(QPalette.ColorRole.WindowText)
        self.set_theme(theme)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Writes in another red."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, theme.error)
        self.setPalette(palette)

    def say(self, sentence: str) -> None:
        """Shows a sentence, or nothing."""
        self.setText(sentence)
        self.setVisible(bool(sentence))


class OptionField(QWidget):
    """The field of one option; what is written in it is ``text``, in the form that `training_draft.parsed` reads."""

    changed = Signal()

    def __init__(self, option: Option, theme: Theme, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.option = option
        self.label = QLabel(title(option))
        self.about = secondary(QLabel(option.about))
        self.about.setFont(ui_font(SMALL_SIZE))
        self.about.setWordWrap(True)
        self.problem = Problem(theme)
        self.control = _control(option, suggestions)
        self.control.setAccessibleName(title(option))
        self.control.setAccessibleDescription(option.about)
        self.control.setToolTip(f"{option.about}\nLeft alone: {shown(option.default) or 'none'}")
        if isinstance(self.control, QCheckBox):
            self.control.toggled.connect(lambda _: self.changed.emit())
        elif isinstance(self.control, QComboBox):
            self.control.currentTextChanged.connect(lambda _: self.changed.emit())
        else:
            self.control.textChanged.connect(lambda _: self.changed.emit())
        line = QHBoxLayout()
        line.setSpacing(GRID)
        if isinstance(self.control, QCheckBox):
            self.control.setText(title(option))
            line.addWidget(self.control, 1)
        else:
            self.label.setBuddy(self.control)
            self.label.setWordWrap(True)  # or a narrow form would be wider than its room
            line.addWidget(self.label, LABEL)
            share_width(self.control)
            line.addWidget(self.control, CONTROL)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, GRID // 2)
        layout.setSpacing(GRID // 4)
        layout.addLayout(line)
        layout.addWidget(self.problem)
        layout.addWidget(self.about)

    @property
    def text(self) -> str:
        """What is written in it."""
        if isinstance(self.control, QCheckBox):
            return "yes" if self.control.isChecked() else "no"
        if isinstance(self.control, QComboBox):
            return self.control.currentText()
        return self.control.text()

    def set_text(self, text: str) -> None:
        """Writes something else."""
        if isinstance(self.control, QCheckBox):
            self.control.setChecked(text == "yes")
        elif isinstance(self.control, QComboBox):
            self.control.setCurrentText(text)
        else:
            self.control.setText(text)

    def set_theme(self, theme: Theme) -> None:
        """Writes in other colours."""
        self.problem.set_theme(theme)


def share_width(control: QWidget) -> None:
    """Lets a control be as wide as others beside their labels, whatever is in it."""
    control.setSizePolicy(QSizePolicy.Policy.Ignored, control.sizePolicy().verticalPolicy())
    control.setMinimumWidth(WIDTH)


class CalmWheel(QObject):
    """An event filter: the wheel over a field scrolls the form, and changes nothing."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent):
            event.ignore()
            return True
        return False


def _control(option: Option, suggestions: tuple[str, ...]) -> QCheckBox | QComboBox | QLineEdit:
    default = option.default
    if isinstance(default, bool):
        box = QCheckBox()
        box.setChecked(default)
        return box
    if option.choices or suggestions:
        combo = QComboBox()
        combo.addItems(option.choices or list(suggestions))
        combo.setEditable(not option.choices)
        combo.setCurrentText(shown(default))
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(8)
        CalmWheel(combo)
        line = combo.lineEdit()
        if line is not None:
            ShortcutFirst(line)
        return combo
    edit = QLineEdit(shown(default))
    if isinstance(default, (int, float)):
        edit.setAlignment(Qt.AlignmentFlag.AlignRight)
    if isinstance(default, list):
        edit.setPlaceholderText("none; with commas between them")
    ShortcutFirst(edit)
    return edit
