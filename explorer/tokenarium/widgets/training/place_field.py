"""Where long work is done: in one process, by workers on this computer, or by those of a Dask scheduler."""

from __future__ import annotations

import os

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSpinBox, QWidget

from tokenarium.models.training.training_request import HERE, CountingPlace, place_problem
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import named, secondary
from tokenarium.widgets.training.option_field import (
    CONTROL,
    LABEL,
    CalmWheel,
    Problem,
    share_width,
)

PLACES = ("One process", "Workers here", "Dask cluster")
ONE, SEVERAL, CLUSTER = range(3)

MOST_WORKERS = 512

ABOUT = (
    "One process is enough for a few gigabytes.",
    "Several processes on this computer, each with a part of the corpus. They need a few seconds to start.",
    "Workers of a running scheduler (dask scheduler). They read the corpus from the same paths and addresses.",
)


class PlaceField(QWidget):
    """A choice of places, with the number of workers or the address of a scheduler if needed."""

    changed = Signal()

    def __init__(self, label: str) -> None:
        super().__init__()
        self.kind = named(QComboBox(), label)
        self.kind.addItems(list(PLACES))
        for place, about in enumerate(ABOUT):
            self.kind.setItemData(place, about, Qt.ItemDataRole.ToolTipRole)
        self.kind.setToolTip("The result is the same; only the time differs")
        CalmWheel(self.kind)
        self.workers = named(QSpinBox(), "Workers", "Processes on this computer")
        self.workers.setRange(2, MOST_WORKERS)
        self.workers.setValue(max(2, os.cpu_count() or 2))
        self.workers.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.address = named(QLineEdit(), "Address of the scheduler")
        self.address.setPlaceholderText("tcp://10.0.0.1:8786")
        ShortcutFirst(self.address)
        self.about = secondary(QLabel(wordWrap=True))
        self.about.setFont(ui_font(SMALL_SIZE))
        self.fault = Problem()
        self._rows = [
            _row(text, control)
            for text, control in (
                (label, self.kind),
                ("Workers", self.workers),
                ("Address", self.address),
            )
        ]
        in_column(*self._rows, self.fault, self.about, into=self, spacing=GRID // 2)
        self.kind.currentIndexChanged.connect(lambda _: self._follow())
        self.workers.valueChanged.connect(lambda _: self._follow())
        self.address.textChanged.connect(lambda _: self._follow())
        self._follow()

    @property
    def place(self) -> CountingPlace:
        """The place that is chosen."""
        kind = self.kind.currentIndex()
        if kind == SEVERAL:
            return CountingPlace(self.workers.value())
        return CountingPlace(1, self.address.text().strip()) if kind == CLUSTER else HERE

    @property
    def problem(self) -> str:
        """What is wrong with the choice, as a sentence, or ""."""
        kind = self.kind.currentIndex()
        if kind == CLUSTER and not self.address.text().strip():
            return "Type the address that “dask scheduler” prints, such as tcp://10.0.0.1:8786."
        return place_problem(self.place)

    def _follow(self) -> None:
        """Shows the fields of the chosen place."""
        kind = self.kind.currentIndex()
        self._rows[1].setVisible(kind == SEVERAL)
        self._rows[2].setVisible(kind == CLUSTER)
        self.about.setText(ABOUT[kind])
        self.fault.say(self.problem)
        self.changed.emit()


def _row(text: str, control: QWidget) -> QWidget:
    label = QLabel(text, wordWrap=True)
    label.setBuddy(control)
    share_width(control)
    row = QWidget()
    in_row((label, LABEL), (control, CONTROL), into=row, spacing=GRID)
    return row
