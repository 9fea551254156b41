"""The settings: sections of rows, each with a name, and a control that shows the value and changes it at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QFont, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from tokenarium.style.fonts import HEADING_SIZE, SMALL_SIZE, TEXT_SIZE, ui_font
from tokenarium.style.theme import CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.widgets.areas import page_area
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, Rule, close_buttons, literal, named, secondary
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.term_marks import with_term

SIZE = (80 * GRID, 88 * GRID)
LABELS = 20 * GRID
"""Pixels of the column of names."""

NUMBERS = 20 * GRID
"""Pixels of a field for a number."""

FEW = 4
"""The most choices that are shown side by side; more become a list."""


@dataclass(frozen=True)
class SettingRow:
    """A row. ``note`` explains it in a sentence; ``show`` puts the current value into the control."""

    name: str
    note: str
    control: QWidget
    show: Callable[[], None] = field(default=lambda: None)
    term: str = ""  # of the glossary


def choice_row(
    name: str,
    texts: Sequence[str],
    chosen: Callable[[], int],
    choose: Callable[[int], object],
    note: str = "",
) -> SettingRow:
    """Returns a row with a choice, by its index."""
    if len(texts) <= FEW:
        few = named(Segmented(texts), name)
        few.chosen.connect(choose)
        return SettingRow(name, note, few, lambda: few.choose(chosen()))
    many = named(QComboBox(), name)
    many.addItems(texts)
    many.setMinimumWidth(NUMBERS)
    many.activated.connect(choose)
    return SettingRow(name, note, many, lambda: many.setCurrentIndex(chosen()))


def switch_row(
    name: str,
    text: str,
    is_on: Callable[[], bool],
    set_on: Callable[[bool], object],
    note: str = "",
) -> SettingRow:
    """Returns a row with a switch."""
    box = named(QCheckBox(text), f"{name}: {text}")
    box.clicked.connect(set_on)
    return SettingRow(name, note, box, lambda: box.setChecked(is_on()))


def number_row(
    name: str,
    value: Callable[[], float],
    set_value: Callable[[float], object],
    *,
    most: float,
    decimals: int = 0,
    step: float = 1,
    note: str = "",
    term: str = "",
) -> SettingRow:
    """Returns a row with a number; 0 is shown as "not entered"."""
    number = named(QDoubleSpinBox(), name)
    number.setDecimals(decimals)
    number.setRange(0, most)
    number.setSingleStep(step)
    number.setGroupSeparatorShown(True)
    number.setSpecialValueText("not entered")
    number.setKeyboardTracking(False)
    number.setFixedWidth(NUMBERS)
    number.valueChanged.connect(set_value)

    def show() -> None:
        with QSignalBlocker(number):
            number.setValue(value())

    return SettingRow(name, note, number, show, term)


def button_row(
    name: str,
    text: Callable[[], str],
    button: str,
    run: Callable[[], object],
    note: str = "",
    tip: str = "",
) -> SettingRow:
    """Returns a row with a line, such as the path of a folder, and a button next to it."""
    line = ElidedLabel()
    push = named(QPushButton(button), f"{name}: {button}", tip)
    push.setAutoDefault(False)

    def show() -> None:
        line.setText(text())

    def press() -> None:
        run()
        show()

    push.clicked.connect(press)
    both = QWidget()
    in_row((line, 1), push, into=both, spacing=GRID)
    return SettingRow(name, note, both, show)


class SettingsDialog(QDialog):
    """Sections in a scroll area; there is nothing to confirm."""

    def __init__(
        self, sections: Sequence[tuple[str, Sequence[SettingRow]]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self.rows = [row for _, rows in sections for row in rows]
        body = QWidget()
        column = in_column(
            into=body, spacing=GRID, margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, PAGE_MARGIN)
        )
        for index, (title, rows) in enumerate(sections):
            if index:
                column.addSpacing(GRID)
                column.addWidget(Rule())
            heading = literal(QLabel(title))
            heading.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
            heading.setContentsMargins(0, GRID, 0, GRID // 2)
            column.addWidget(heading)
            column.addLayout(_grid(rows))
        column.addStretch(1)
        self.area = page_area(body)
        buttons = close_buttons(self)
        buttons.setContentsMargins(CARD_MARGIN, GRID, CARD_MARGIN, CARD_MARGIN)
        in_column((self.area, 1), Rule(), buttons, into=self)
        self.resize(*SIZE)

    def refresh(self) -> None:
        """Shows the current values."""
        for row in self.rows:
            row.show()

    def showEvent(self, event: QShowEvent) -> None:
        self.refresh()
        super().showEvent(event)


def _grid(rows: Sequence[SettingRow]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(2 * GRID)
    grid.setVerticalSpacing(GRID // 2)
    grid.setColumnMinimumWidth(0, LABELS)
    grid.setColumnStretch(1, 1)
    for row in rows:
        place = grid.rowCount()
        name = literal(QLabel(row.name))
        name.setFont(ui_font(TEXT_SIZE, QFont.Weight.Medium))
        name.setMinimumHeight(row.control.sizeHint().height())
        name.setBuddy(row.control)
        control = in_row(row.control, STRETCH)
        if row.control.layout() is not None:  # a line that fills the room
            control = in_row((row.control, 1))
        label = with_term(name, row.term) if row.term else name
        grid.addWidget(label, place, 0, Qt.AlignmentFlag.AlignTop)
        grid.addLayout(control, place, 1)
        if row.note:
            note = secondary(QLabel(row.note, wordWrap=True))
            note.setFont(ui_font(SMALL_SIZE))
            grid.addWidget(note, place + 1, 1)
            row.control.setAccessibleDescription(row.note)
        grid.setRowMinimumHeight(place + 2, GRID // 2)
    return grid
