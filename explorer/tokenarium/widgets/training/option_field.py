"""A field of a form, made from its declaration: a label, a control, a tooltip, and a problem."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QPalette, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from tokenarium.analyses.training_draft import shown, title
from tokenarium.models.text.piece import counted
from tokenarium.models.text.qt_text import as_tip
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.file_dialogs import ask_file
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import named, secondary
from tokenarium.widgets.term_marks import TermButton
from tokenarium_core.training import Option

NO_FILE = "none; the path of a file"

WIDTH = 12 * GRID
"""The least width of a control."""

LABEL, CONTROL = 2, 3
"""The shares of label and control in a line, so that the controls of a form are aligned."""


class Problem(QLabel):
    """A sentence about a problem of a field; hidden if there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setFont(ui_font(SMALL_SIZE))
        self.setForegroundRole(QPalette.ColorRole.BrightText)
        self.hide()

    def say(self, sentence: str) -> None:
        """Shows a sentence, or nothing."""
        self.setText(sentence)
        self.setVisible(bool(sentence))


TERMS = {
    "pattern": "pattern",
    "superword_pattern": "superword",
    "max_words": "superword",
    "transition": "transition",
    "normalization": "NFC, NFD, NFKC, NFKD",
    "special_tokens": "special token",
    "scoring": "merge",
    "limit_alphabet": "initial alphabet",
    "required_chars": "initial alphabet",
    "character_coverage": "character coverage",
    "byte_fallback": "byte fallback",
    "unk_id": "unknown token",
    "unk_piece": "unknown token",
    "control_symbols": "special token",
    "user_defined_symbols": "user-defined piece",
    "auto_character_coverage": "character coverage",
    "shrinking_factor": "pruning",
    "use_sparse_pruning": "pruning",
    "seed_sentencepiece_size": "seed",
    "initial_vocab_factor": "seed",
    "num_sub_iterations": "EM round",
    "dev_set": "dev set",
}
"""The glossary terms of options, by the names of the options."""


class OptionField(QWidget):
    """The field of one option; ``text`` is its input, in the form that `option_value` reads.

    The input for the content of a file is a path, which a button chooses. Content from an earlier training stays until
    something is typed.
    """

    changed = Signal()

    def __init__(self, option: Option, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.option = option
        self.label = QLabel(title(option))
        self.about = secondary(QLabel(option.about, wordWrap=True))
        self.about.setFont(ui_font(SMALL_SIZE))
        self.problem = Problem()
        self._content = ""
        self.control = named(_control(option, suggestions), title(option))
        self.control.setAccessibleDescription(option.about)
        known = [explanation(TERMS[option.name])] if option.name in TERMS else []
        left_alone = f"Left alone: {shown(option.default) or 'none'}"
        self.control.setToolTip(as_tip("\n".join([*known, option.about, left_alone])))
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
            self.label.setWordWrap(True)  # otherwise a narrow form would be too wide
            line.addWidget(self.label, LABEL)
            share_width(self.control)
            line.addWidget(self.control, CONTROL)
        if option.is_content and isinstance(self.control, QLineEdit):
            self.choose = named(QPushButton("Choose…"), f"Choose the file: {title(option)}")
            self.choose.setToolTip("Chooses the file")
            self.choose.clicked.connect(self._ask)
            self.control.textChanged.connect(self._forget_content)
            line.addWidget(self.choose)
        if known:
            line.addWidget(TermButton(TERMS[option.name], known[0]))
        in_column(
            line,
            self.problem,
            self.about,
            into=self,
            spacing=GRID // 4,
            margins=(0, 0, 0, GRID // 2),
        )

    @property
    def text(self) -> str:
        """The input."""
        if isinstance(self.control, QCheckBox):
            return "yes" if self.control.isChecked() else "no"
        if isinstance(self.control, QComboBox):
            return self.control.currentText()
        return self.control.text() or self._content

    def set_text(self, text: str) -> None:
        """Sets the input."""
        if isinstance(self.control, QCheckBox):
            self.control.setChecked(text == "yes")
        elif isinstance(self.control, QComboBox):
            self.control.setCurrentText(text)
        elif self.option.is_content and ("\n" in text or "\t" in text):
            self.control.setText("")
            self._content = text
            count = len(text.splitlines())
            self.control.setPlaceholderText(f"as before: {counted(count, 'line')}")
            self.changed.emit()
        else:
            self._forget_content("")
            self.control.setText(text)

    def _ask(self) -> None:
        path = ask_file(self.option.name, self, title(self.option))
        if path:
            self.set_text(path)

    def _forget_content(self, _: str) -> None:
        self._content = ""
        if self.option.is_content and isinstance(self.control, QLineEdit):
            self.control.setPlaceholderText(NO_FILE)


def share_width(control: QWidget) -> None:
    """Makes the width of a control independent of its contents."""
    control.setSizePolicy(QSizePolicy.Policy.Ignored, control.sizePolicy().verticalPolicy())
    control.setMinimumWidth(WIDTH)


class CalmWheel(QObject):
    """An event filter: the wheel over a field scrolls the form, and does not change the field."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        field.setFocusPolicy(
            Qt.FocusPolicy.StrongFocus
        )  # by Qt's own, the wheel moves the focus there
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
        combo = QComboBox(editable=not option.choices)
        combo.addItems(option.choices or list(suggestions))
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
        edit.setPlaceholderText("none; separated by commas")
    if option.is_content:
        edit.setPlaceholderText(NO_FILE)
    ShortcutFirst(edit)
    return edit
