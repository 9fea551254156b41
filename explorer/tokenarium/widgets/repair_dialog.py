"""Shows the repairs of a finding or a difference, with every edit, before one is made."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.mending.repair import Repair
from tokenarium.style.controls import primary
from tokenarium.style.fonts import TEXT_SIZE, mono_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import STRETCH, in_column
from tokenarium.widgets.panel import close_buttons, literal, named, secondary, strong
from tokenarium.widgets.training.option_field import Problem
from tokenarium.widgets.work_bar import WorkBar

WIDTH = 76 * GRID

MOST_SHOWN = 100
"""The most edits that are listed; more are counted."""

LINES = 8
"""The lines of the list of edits that are seen at once."""

ONLY_SETTINGS = "Only settings beside the tokenizer change: write a folder"


class RepairDialog(QDialog):
    """The alternatives, what the chosen one does, and its edits, as lines before and after. Its owner makes it."""

    make_requested = Signal(object)  # a Repair
    write_requested = Signal(object)
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Repair")
        self.setMinimumWidth(WIDTH)
        self.title = literal(strong(QLabel(wordWrap=True)))
        self.about = secondary(
            QLabel("The files of the tokenizer stay as they are; in the copy, everything else stays byte for byte.")
        )  # fmt: skip
        self.about.setWordWrap(True)
        self.choices: list[QRadioButton] = []
        self._repairs: Sequence[Repair] = ()
        self._group = QButtonGroup(self)
        self._list = QWidget()
        self._boxes = QVBoxLayout(self._list)
        self._boxes.setContentsMargins(0, 0, 0, 0)
        self._boxes.setSpacing(GRID // 2)
        self.what = literal(QLabel(wordWrap=True))
        self.edits = named(QPlainTextEdit(readOnly=True), "What is changed in the files")
        self.edits.setFont(mono_font(TEXT_SIZE))
        self.edits.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.edits.setTabChangesFocus(True)
        self.bar = WorkBar("The repair is being made", wide=True)
        self.sentence = literal(QLabel(wordWrap=True))
        self.problem = Problem()
        for label in (self.what, self.sentence, self.problem):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = close_buttons(self)
        self.make = primary(QPushButton("Make the tokenizer"))
        self.write = QPushButton("Write a folder …")
        self.write.setToolTip(
            "Asks for a new or empty folder, and writes the mended files with those beside them"
        )
        self.stop = QPushButton("Cancel")
        self.stop.setToolTip("Cancels it; nothing is made")
        for button in (self.make, self.write, self.stop):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        in_column(
            self.title, self.about, self._list, self.what, self.edits, self.bar, self.sentence, self.problem,
            STRETCH, buttons, into=self, spacing=GRID, margins=2 * GRID,
        )  # fmt: skip
        self._group.idToggled.connect(lambda _, on: self._show_chosen() if on else None)
        self.make.clicked.connect(lambda: self.make_requested.emit(self.chosen))
        self.write.clicked.connect(lambda: self.write_requested.emit(self.chosen))
        self.stop.clicked.connect(self.stop_requested)
        self.rejected.connect(self.stop_requested)

    @property
    def chosen(self) -> Repair | None:
        """The chosen repair; None if there is none."""
        place = self._group.checkedId()
        return self._repairs[place] if 0 <= place < len(self._repairs) else None

    def show_repairs(self, title: str, repairs: Sequence[Repair]) -> None:
        """Shows the repairs of what has a title, the first one chosen."""
        self.title.setText(title)
        for box in self.choices:
            self._group.removeButton(box)
            box.hide()
            box.deleteLater()
        self._repairs, self.choices = repairs, []
        for place, repair in enumerate(repairs):
            box = QRadioButton(repair.title.replace("&", "&&"))
            self._boxes.addWidget(box)
            self._group.addButton(box, place)
            self.choices.append(box)
        self._list.setVisible(len(repairs) > 1)
        if repairs:
            self.choices[0].setChecked(True)
        self._show_chosen()
        self.say("" if repairs else "No edit of the files was found that would mend this.")

    def show_running(self, doing: str) -> None:
        """Shows the progress."""
        self._show(f"{doing} …", True)

    def say(self, sentence: str, wrong: bool = False) -> None:
        """Shows the result; ``wrong``: in the colour of errors."""
        self._show("" if wrong else sentence, False, sentence if wrong else "")

    def _show_chosen(self) -> None:
        repair = self.chosen
        self.what.setText(repair.sentence if repair is not None else "")
        self.edits.setPlainText(edits_text(repair) if repair is not None else "")
        line = self.edits.fontMetrics().lineSpacing()
        margins = 2 * (int(self.edits.document().documentMargin()) + self.edits.frameWidth())
        lines = min(max(self.edits.document().blockCount(), 3), LINES)
        self.edits.setFixedHeight(lines * line + margins + GRID)
        for part in (self.what, self.edits):
            part.setVisible(repair is not None)
        self._show("", False)

    def _show(self, sentence: str, running: bool, problem: str = "") -> None:
        repair = self.chosen
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        self.problem.say(problem)
        self.bar.setVisible(running)
        self.stop.setVisible(running)
        self._list.setEnabled(not running)
        for button in (self.make, self.write):
            button.setVisible(repair is not None and not running)
        makes = repair is not None and repair.changes_tokenizer
        self.make.setEnabled(makes)
        self.make.setToolTip("Makes a new tokenizer with this repair, in the library" if makes else ONLY_SETTINGS)  # fmt: skip
        if self.isVisible():
            self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        # Not adjustSize, which is too narrow with labels that wrap.
        self.resize(self.width(), max(self.heightForWidth(self.width()), 1))


def edits_text(repair: Repair) -> str:
    """Returns the edits of a repair: where each is, and the value before and after."""
    if repair.pattern:
        return f"tokenizer.ggml.pre\n+ {repair.pattern}"
    parts = [
        "\n".join([edit.place, *(f"{sign} {value}" for sign, value in (("−", edit.old), ("+", edit.new)) if value != "–")])
        for edit in repair.edits[:MOST_SHOWN]
    ]  # fmt: skip
    left = len(repair.edits) - len(parts)
    return "\n".join([*parts, f"… and {left:,} more"] if left > 0 else parts)
