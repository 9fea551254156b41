"""Lists the formats that a tokenizer can be written in, and the programs that a folder can be for; shows the progress and the proof of an export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column
from tokenarium.widgets.panel import close_buttons, secondary, size_within, strong
from tokenarium.widgets.training.option_field import Problem
from tokenarium.widgets.work_bar import WorkBar

WIDTH = 72 * GRID
INDENT = 3 * GRID


@dataclass(frozen=True, slots=True)
class FormatRow:
    """One format: its id, its title, what reads it, and why it is not possible ("": it is).

    ``rebuilt``: the format has different stages, so some texts may be encoded differently.
    """

    name: str
    title: str
    about: str
    obstacle: str
    rebuilt: bool = False


FOLDER = "programs"
"""Stands for a format: the folder for several programs."""

ABOUT_FOLDER = "A new folder with the file that each of these programs reads, written only if all of them, run on it, give the same ids"
NO_PROGRAM = "None of these programs reads a file that can hold this tokenizer"


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """A program that a folder can be for: its name, and the rest as in `FormatRow`."""

    name: str
    obstacle: str
    rebuilt: bool = False


class ExportDialog(QDialog):
    """The formats; those that cannot hold the tokenizer come last, grey, with the reason. Its owner does the export.

    The last possible choice is a folder for several programs, each with a box.
    """

    save_requested = Signal(str)  # the id of a format
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save tokenizer as")
        self.setMinimumWidth(WIDTH)
        self.title = strong(QLabel())
        self.proof = secondary(
            QLabel(
                "The library that owns the format reads what is written, and the file is saved only"
                " if it gives the same ids for a test text."
            )
        )
        self.choices: dict[str, QRadioButton] = {}
        self.programs: dict[str, QCheckBox] = {}
        self._rebuilt: set[str] = set()
        self._obstacles: dict[str, str] = {}  # of the programs
        self.allow = QCheckBox("Save it even if some texts get different ids, and list them")
        self.allow.setToolTip(
            "The format has different stages. Without the tick, nothing is saved if a text gets different ids."
        )
        self._group = QButtonGroup(self)
        self._formats = QVBoxLayout()
        self._formats.setSpacing(GRID // 4)
        self._list = QWidget()
        self._list.setLayout(self._formats)
        self._formats.setContentsMargins(0, 0, 0, 0)
        self.area = FitArea(self._list, clear=True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.bar = WorkBar("The tokenizer is being written", wide=True)
        self.sentence = QLabel()
        self.problem = Problem()
        for label in (self.title, self.proof, self.sentence, self.problem):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self.sentence, self.problem):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = close_buttons(self)
        self.save = QPushButton("Save …")
        self.save.setToolTip("Asks where to write it")
        self.stop = QPushButton("Cancel")
        self.stop.setToolTip("Cancels the export; existing files stay as they are")
        buttons.addButton(self.save, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.stop, QDialogButtonBox.ButtonRole.ActionRole)
        in_column(
            self.title,
            self.proof,
            self.area,
            self.allow,
            self.bar,
            self.sentence,
            self.problem,
            STRETCH,
            buttons,
            into=self,
            spacing=GRID,
            margins=2 * GRID,
        )
        self._group.buttonToggled.connect(self._show_choice)
        self.save.clicked.connect(lambda: self.save_requested.emit(self.chosen))
        self.stop.clicked.connect(self.stop_requested)
        self.rejected.connect(self.stop_requested)

    @property
    def chosen(self) -> str:
        """The id of the chosen format."""
        return next((name for name, box in self.choices.items() if box.isChecked()), "")

    def choose(self, name: str) -> None:
        """Chooses a format by its id; raises ValueError if it cannot hold the tokenizer."""
        box = self.choices.get(name)
        if box is None or not box.isEnabled():
            raise ValueError(f"the tokenizer cannot be saved as {name}")
        box.setChecked(True)

    @property
    def differences_allowed(self) -> bool:
        """Whether a copy that encodes some texts differently is saved anyway."""
        return self._is_rebuilt and self.allow.isChecked()

    @property
    def chosen_programs(self) -> tuple[str, ...]:
        """The programs that the folder is for."""
        boxes = self.programs.items()
        return tuple(name for name, box in boxes if box.isChecked() and box.isEnabled())

    @property
    def _is_rebuilt(self) -> bool:
        chosen = self.chosen_programs if self.chosen == FOLDER else (self.chosen,)
        return not self._rebuilt.isdisjoint(chosen)

    def show_formats(
        self, name: str, formats: Sequence[FormatRow], programs: Sequence[ProgramRow] = ()
    ) -> None:
        """Lists the formats for a tokenizer, and the programs; keeps the chosen one if possible."""
        before, ticked = self.chosen, self.chosen_programs
        self.title.setText(f"Save {name} as")
        self.allow.setChecked(False)
        while (item := self._formats.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.choices, self.programs = {}, {}
        rows = [*formats]
        if programs:
            none = "" if any(not row.obstacle for row in programs) else NO_PROGRAM
            rows.append(FormatRow(FOLDER, "A folder for several programs", ABOUT_FOLDER, none))
        self._rebuilt = {row.name for row in formats if row.rebuilt}
        self._rebuilt |= {row.name for row in programs if row.rebuilt}
        rows.sort(key=lambda row: bool(row.obstacle))
        for row in rows:
            box = QRadioButton(row.title)
            box.setEnabled(not row.obstacle)
            box.setToolTip(row.obstacle or row.about)
            box.setAccessibleDescription(row.obstacle or row.about)
            about = secondary(QLabel(row.obstacle or row.about, wordWrap=True))
            about.setFont(ui_font(SMALL_SIZE))
            about.setTextFormat(Qt.TextFormat.PlainText)
            about.setContentsMargins(INDENT, 0, 0, GRID // 2)
            self.choices[row.name] = box
            self._group.addButton(box)
            self._formats.addWidget(box)
            self._formats.addWidget(about)
            if row.name == FOLDER:
                self._add_programs(programs, ticked)
        possible = [row.name for row in rows if not row.obstacle]
        chosen = before if before in possible else next(iter(possible), "")
        if chosen:
            self.choices[chosen].setChecked(True)
        self._show_choice()
        self.say("")

    def _add_programs(self, programs: Sequence[ProgramRow], ticked: Sequence[str]) -> None:
        """Adds a row with a box for each program, those ticked before or all that are possible."""
        row = QWidget()
        flow = FlowLayout(spacing=GRID)
        flow.setContentsMargins(INDENT, 0, 0, GRID)
        row.setLayout(flow)
        self._obstacles = {one.name: one.obstacle for one in programs}
        for one in programs:
            box = QCheckBox(one.name)
            box.setToolTip(one.obstacle)
            box.setAccessibleDescription(one.obstacle)
            box.setChecked(not one.obstacle and (not ticked or one.name in ticked))
            box.toggled.connect(self._show_choice)
            self.programs[one.name] = box
            flow.addWidget(box)
        self._formats.addWidget(row)

    def _show_choice(self) -> None:
        """Shows what depends on the choice."""
        for name, box in self.programs.items():
            box.setEnabled(self.chosen == FOLDER and not self._obstacles[name])
        self.allow.setVisible(self._is_rebuilt)
        self.save.setEnabled(bool(self.chosen_programs if self.chosen == FOLDER else self.chosen))
        if self.isVisible():
            self._fit()

    def show_running(self, doing: str) -> None:
        """Shows the progress."""
        self._show(f"{doing} …", True)

    def say(self, sentence: str, wrong: bool = False) -> None:
        """Shows the result; ``wrong``: in the colour of errors."""
        self._show("" if wrong else sentence, False, sentence if wrong else "")

    def _show(self, sentence: str, running: bool, problem: str = "") -> None:
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        self.problem.say(problem)
        self.bar.setVisible(running)
        self.stop.setVisible(running)
        self.save.setVisible(not running)
        self._list.setEnabled(not running)
        self.allow.setEnabled(not running)
        if self.isVisible():
            self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        # Not adjustSize, which is too narrow with labels that wrap. In a low window the formats scroll.
        height = max(self.heightForWidth(self.width()), 1)
        if (parent := self.parentWidget()) is not None:
            height = size_within(parent.window(), self.width(), height).height()
        self.resize(self.width(), height)
        if (chosen := self.choices.get(self.chosen)) is not None:
            QTimer.singleShot(0, chosen, self._show_chosen)  # once the list has its new height

    def _show_chosen(self) -> None:
        """Scrolls to the choice, with the row below it, which says what reads the file, and its programs."""
        chosen = self.choices[self.chosen]
        last = next(reversed(self.programs.values())) if self.chosen == FOLDER else chosen
        self.area.ensureWidgetVisible(last, 0, GRID if last is not chosen else 6 * GRID)
        self.area.ensureWidgetVisible(chosen, 0, 0)
