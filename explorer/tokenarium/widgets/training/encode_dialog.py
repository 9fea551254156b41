"""The dialog that encodes a corpus: the settings, the progress, and the result."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from tokenarium.analyses.training_draft import source_problem
from tokenarium.style.controls import primary
from tokenarium.style.theme import GRID
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.file_dialogs import ask_folder
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import close_buttons, named, secondary, small_note, strong
from tokenarium.widgets.training.option_field import (
    CONTROL,
    LABEL,
    CalmWheel,
    Problem,
    share_width,
)
from tokenarium.widgets.training.place_field import PlaceField
from tokenarium.widgets.training.source_list import SourceList
from tokenarium.widgets.work_bar import WorkBar
from tokenarium_core.progress import Progress

WIDTH, HEIGHT = 76 * GRID, 88 * GRID
"""The first size in pixels, if the window is large enough."""

LAYOUTS = (
    ("bin", "Plain ids (.bin)", "One file of ids per shard, as nanoGPT reads them."),
    ("megatron", "Megatron (.bin and .idx)", "As Megatron-LM's IndexedDataset reads them."),
    ("parquet", "Parquet", "A row for each document, with its ids in the column input_ids."),
)
"""The layouts, their titles, and who reads them."""

NO_END = "nothing"

WAITING = "With the same folder, it continues where an earlier run ended."


@dataclass(frozen=True, slots=True)
class Offered:
    """A tokenizer that can be chosen: its key and name, and the name of its token for the end of a text, or empty."""

    key: str
    name: str
    end: str


class EncodeDialog(QDialog):
    """The fields, a progress bar, and a sentence at the end. Its owner does the work."""

    begin_requested = Signal()
    stop_requested = Signal()
    dashboard_requested = Signal()
    open_requested = Signal()
    text_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Encode a corpus")
        self.setMinimumWidth(60 * GRID)
        height = HEIGHT if parent is None else min(HEIGHT, parent.height() - 4 * GRID)
        self.resize(WIDTH, height)
        self._offered: Sequence[Offered] = ()
        self.running = False
        self.tokenizer = named(QComboBox(), "Tokenizer")
        self.sources = SourceList(weights=False)
        self.folder = named(QLineEdit(), "Folder", "Where the shards are written")
        self.folder.setPlaceholderText("empty, or of an earlier run")
        self.browse = QPushButton("Choose …", autoDefault=False)
        self.layout_box = named(QComboBox(), "Layout")
        for name, title, about in LAYOUTS:
            self.layout_box.addItem(title, name)
            self.layout_box.setItemData(
                self.layout_box.count() - 1, about, Qt.ItemDataRole.ToolTipRole
            )
        self.layout_about = small_note()
        self.end = named(QComboBox(), "After each document")
        self.end.setToolTip("What separates two documents, so a model learns where one ends")
        self.check = QCheckBox("Check &afterwards")
        self.check.setToolTip(
            "Compares the hashes of all files, and decodes a sample of the documents"
        )
        self.place = PlaceField("Encode by")
        self.fault = Problem()
        self.state = strong(QLabel(wordWrap=True))
        self.sentence = secondary(QLabel(wordWrap=True))
        self.notes = small_note()
        for label in (self.state, self.sentence, self.notes):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.bar = WorkBar("Encoding", wide=True)
        for box in (self.tokenizer, self.layout_box, self.end):
            CalmWheel(box)
        ShortcutFirst(self.folder)
        self._build()
        self.tokenizer.currentIndexChanged.connect(lambda _: self._show_ends())
        self.layout_box.currentIndexChanged.connect(lambda _: self._check())
        self.folder.textChanged.connect(lambda _: self._check())
        self.sources.changed.connect(self._check)
        self.sources.text_requested.connect(self.text_requested)
        self.place.changed.connect(self._check)
        self.browse.clicked.connect(self._browse)
        self.show_idle("", WAITING)

    def _build(self) -> None:
        self._fields = QWidget()
        in_column(
            _line("&Tokenizer", self.tokenizer),
            self.sources,
            _line("&Folder", self.folder, self.browse),
            _line("&Layout", self.layout_box),
            self.layout_about,
            _line("After each &document", self.end),
            self.place,
            self.check,
            STRETCH,
            into=self._fields,
            spacing=GRID,
        )
        buttons = close_buttons(self)
        self.begin = primary(QPushButton("&Encode"))
        self.stop = QPushButton("&Stop")
        self.stop.setToolTip("Ends the encoding; complete shards stay, and it can continue later")
        self.dashboard = QPushButton("Dash&board …")
        self.dashboard.setToolTip("Opens Dask's page about the workers")
        self.show_folder = QPushButton("&Open the folder")
        action = QDialogButtonBox.ButtonRole.ActionRole
        for button, signal in (
            (self.show_folder, self.open_requested),
            (self.dashboard, self.dashboard_requested),
            (self.stop, self.stop_requested),
            (self.begin, self.begin_requested),
        ):
            button.setAutoDefault(False)
            buttons.addButton(button, action)
            button.clicked.connect(signal)
        area = FitArea(self._fields, fills=True)
        for ground in (area.viewport(), self._fields):
            ground.setBackgroundRole(QPalette.ColorRole.Window)
            ground.setAutoFillBackground(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        in_column(
            (area, 1),
            self.fault,
            self.state,
            self.bar,
            self.sentence,
            self.notes,
            buttons,
            into=self,
            spacing=GRID,
            margins=2 * GRID,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sources.fit_into(self.height())

    # The choices.

    def offer(self, tokenizers: Sequence[Offered], current: str) -> None:
        """Lists the tokenizers; keeps the chosen one, or chooses the current one."""
        chosen = self.key or current
        self._offered = tuple(tokenizers)
        with QSignalBlocker(self.tokenizer):
            self.tokenizer.clear()
            for one in tokenizers:
                self.tokenizer.addItem(one.name, one.key)
            self.tokenizer.setCurrentIndex(max(self.tokenizer.findData(chosen), 0))
        self._show_ends()

    @property
    def key(self) -> str:
        """The key of the tokenizer, or ""."""
        return str(self.tokenizer.currentData() or "")

    @property
    def layout_name(self) -> str:
        """The chosen layout, as on the command line."""
        return str(self.layout_box.currentData())

    @property
    def end_token(self) -> str:
        """What follows each document, as on the command line."""
        return str(self.end.currentData() or "none")

    @property
    def problem(self) -> str:
        """Why it cannot begin, as a sentence, or ""."""
        if not self._offered:
            return "No tokenizer is open: open one in the library first."
        if not self.sources.sources:
            return "There is nothing to encode yet: add a source."
        for source in self.sources.sources:
            problem = source_problem(source)
            if problem:
                return problem
        folder = self.folder.text().strip()
        if not folder:
            return "Choose the folder for the shards."
        if os.path.isfile(folder):
            return f"{folder} is a file. Choose a folder."
        if not os.path.isdir(Path(folder).parent):
            return f"There is no folder {Path(folder).parent}. Choose another."
        return self.place.problem

    def _browse(self) -> None:
        name = ask_folder("shards", self, "The folder for the shards")
        if name:
            self.folder.setText(name)

    def _show_ends(self) -> None:
        """Lists what can follow a document: the tokenizer's own end of text, or nothing."""
        own = next((one.end for one in self._offered if one.key == self.key), "")
        with QSignalBlocker(self.end):
            self.end.clear()
            if own:
                self.end.addItem(f"its end of text, {own}", own)
            self.end.addItem(NO_END, "none")
        self._check()

    def _check(self) -> None:
        self.layout_about.setText(LAYOUTS[self.layout_box.currentIndex()][2])
        if not self.running:
            problem = self.problem
            self.fault.say(problem if self.sources.sources and self.folder.text() else "")
            self.begin.setEnabled(not problem)
            self.begin.setToolTip(problem)

    # Progress.

    def show_running(self, progress: Progress, dashboard: bool) -> None:
        """Shows the progress; the phase is a sentence."""
        if not self.running:
            self._set_running(True)
            self.state.setText("")
        self.bar.show_progress(progress)
        self.sentence.setText(progress.phase)
        self.dashboard.setVisible(dashboard)

    def show_idle(self, state: str, sentence: str, notes: str = "", wrote: bool = False) -> None:
        """Shows that nothing runs, and how the last run ended; ``wrote``: there is a folder to open."""
        self._set_running(False)
        self.state.setText(state)
        self.sentence.setText(sentence)
        self.notes.setText(notes)
        self.notes.setVisible(bool(notes))
        self.show_folder.setVisible(wrote)
        self._check()

    def _set_running(self, running: bool) -> None:
        self.running = running
        self._fields.setEnabled(not running)
        self.bar.setVisible(running)
        self.stop.setVisible(running)
        self.stop.setEnabled(running)
        self.begin.setVisible(not running)
        self.dashboard.setVisible(False)
        self.state.setVisible(not running)
        self.notes.setVisible(not running and bool(self.notes.text()))
        if running:
            self.show_folder.hide()
            self.fault.say("")


def _line(text: str, control: QWidget, *more: QWidget) -> QWidget:
    label = QLabel(text, wordWrap=True)
    label.setBuddy(control)
    share_width(control)
    row = QWidget()
    in_row(
        (label, LABEL), (in_row((control, 1), *more, spacing=GRID), CONTROL), into=row, spacing=GRID
    )
    return row
