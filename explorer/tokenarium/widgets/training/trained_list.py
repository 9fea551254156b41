"""All kept tokenizers: search, rename, annotate, open, delete."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.analyses.training_draft import shown
from tokenarium.models.text.lost_text import SAYS, SIGN, is_doubtful, loses
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import RIGHT
from tokenarium.models.tokenizers.changed import CHANGED, changes_of
from tokenarium.models.training.corpus import SourceShare, share_lines
from tokenarium.models.training.store import RECOVERED, Trained
from tokenarium.models.training.training_algorithms import algorithm_title
from tokenarium.models.training.training_queue import lost_of
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.flat_table import RowList, TermHeads, size_columns
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import FlowLayout, in_column
from tokenarium.widgets.panel import named, secondary, tip_button

NAME, ALGORITHM, ENTRIES, HELD_OUT, MADE, NOTE = range(6)
COLUMNS = ("Name", "Algorithm", "Entries", "Bytes/token", "Made", "Note")
ROW = 3 * GRID
LEAST_NAME = 20 * GRID
SHOWN_ROWS = 4
"""The least height of the details of the chosen one, which scroll."""
NOT_FOUND = "No trained tokenizer has “{}” in its name, its note, its algorithm or its corpus."


class TrainedList(QWidget):
    """A search field, the table, and buttons for the chosen row. Its owner handles the requests."""

    searched = Signal(str)
    renamed = Signal(object, str)
    noted = Signal(object, str)
    open_requested = Signal(object)
    export_requested = Signal(object)
    again_requested = Signal(object)
    delete_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._shown: list[Trained] = []
        self.search = named(QLineEdit(clearButtonEnabled=True), "Find a trained tokenizer")
        self.search.setPlaceholderText("Find by name, note, algorithm or corpus")
        self.search.textChanged.connect(self.searched)
        ShortcutFirst(self.search)
        self.table = _Table()
        self.table.currentItemChanged.connect(lambda *_: self._show_current())
        self.table.itemChanged.connect(self._take_edit)
        self.table.itemDoubleClicked.connect(self._activate)
        self.table.delete_pressed.connect(lambda: self._ask(self.delete_requested))
        self.table.open_pressed.connect(lambda: self._ask(self.open_requested))
        self.about = secondary(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText))
        self.about.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._area = FitArea(self.about)
        for part in (self._area.viewport(), self.about):
            part.setBackgroundRole(QPalette.ColorRole.Window)
        self.open = tip_button("Open", "Adds it to the library and turns it on (Enter)")
        self.export = tip_button("Save as …", "Writes it in the format of another library")
        self.again = tip_button(
            "Same settings", "Fills the form with the settings it was trained with"
        )
        self.rename = tip_button("Rename", "Renames it (F2)")
        self.note = tip_button("Note", "Edits its note")
        self.delete = tip_button("Delete", "Removes it; Ctrl+Z brings it back (Delete)")
        self.buttons = [self.open, self.export, self.again, self.rename, self.note, self.delete]
        for button, signal in (
            (self.open, self.open_requested),
            (self.export, self.export_requested),
            (self.again, self.again_requested),
            (self.delete, self.delete_requested),
        ):
            button.clicked.connect(lambda _, s=signal: self._ask(s))
        self.rename.clicked.connect(lambda: self._edit(NAME))
        self.note.clicked.connect(lambda: self._edit(NOTE))
        row = FlowLayout()
        row.setSpacing(GRID)
        for button in self.buttons:
            row.addWidget(button)
        in_column(
            self.search,
            (self.table, 1),
            self._area,
            row,
            into=self,
            spacing=GRID,
            margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID),
        )
        self._show_current()

    @property
    def current(self) -> Trained | None:
        """The tokenizer of the chosen row."""
        row = self.table.row
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def choose(self, identity: str) -> bool:
        """Chooses a tokenizer; returns whether it is listed."""
        listed = [one.identity for one in self._shown]
        if identity in listed:
            self.table.choose(listed.index(identity))
        return identity in listed

    def show_trained(self, trained: Sequence[Trained]) -> None:
        """Shows tokenizers; keeps the chosen one, or chooses its neighbour."""
        before = self.current
        row = self.table.row
        self._shown = list(trained)
        with QSignalBlocker(self.table):
            self.table.setCurrentIndex(
                QModelIndex()
            )  # otherwise each removed row would make the next one current
            self.table.clear()
            for one in trained:
                self.table.addTopLevelItem(_item(one))
            self.table.setColumnHidden(NOTE, not any(one.note for one in trained))
            self.table.fit()
            same = [one.identity for one in trained]
            if before is not None and before.identity in same:
                row = same.index(before.identity)
            if trained:
                self.table.choose(max(0, min(row, len(trained) - 1)))
        self._show_current()

    def _show_current(self) -> None:
        current = self.current
        for button in self.buttons:
            button.setEnabled(current is not None)
        self.again.setEnabled(current is not None and current.algorithm not in (RECOVERED, CHANGED))
        missing = NOT_FOUND.format(self.search.text()) if self.search.text() else ""
        self.about.setText(facts(current) if current is not None else missing)

    def _ask(self, signal: object) -> None:
        if self.current is not None:
            signal.emit(self.current)  # type: ignore[attr-defined]

    def _edit(self, column: int) -> None:
        self.table.setColumnHidden(column, False)
        self.table.editItem(self.table.item(self.table.row), column)

    def _activate(self, item: QTreeWidgetItem, column: int) -> None:
        if column in (NAME, NOTE):
            self.table.editItem(item, column)
        else:
            self._ask(self.open_requested)

    def _take_edit(self, item: QTreeWidgetItem, column: int) -> None:
        row = self.table.indexOfTopLevelItem(item)
        if column == NAME:
            self.renamed.emit(self._shown[row], item.text(NAME))
        elif column == NOTE:
            self.noted.emit(self._shown[row], item.text(NOTE))


class _Table(RowList):
    """The rows."""

    delete_pressed = Signal()
    open_pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Trained tokenizers")
        terms = {ENTRIES: "entry", HELD_OUT: "bytes per token"}
        self.setHeaderItem(TermHeads(COLUMNS, terms))
        self.headerItem().setToolTip(HELD_OUT, "Here, of held-out text.")
        self.setAlternatingRowColors(True)
        self.setEditTriggers(QTreeWidget.EditTrigger.NoEditTriggers)
        size_columns(self.header(), NAME, NOTE)
        self.setMinimumHeight(self.header().sizeHint().height() + SHOWN_ROWS * ROW)

    def fit(self) -> None:
        """Hides the algorithms if names would have too little room."""
        others = (ALGORITHM, ENTRIES, HELD_OUT, MADE)
        hints = self.sizeHintForColumn, self.header().sectionSizeHint
        taken = sum(max(hint(column) for hint in hints) for column in others)
        self.setColumnHidden(ALGORITHM, self.viewport().width() - taken < LEAST_NAME)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QTreeWidget.State.EditingState or self.currentItem() is None:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        elif event.key() == Qt.Key.Key_F2:
            self.editItem(self.item(self.row), NAME)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_pressed.emit()
        else:
            super().keyPressEvent(event)


def _item(trained: Trained) -> QTreeWidgetItem:
    figures = trained.figures
    held, tokens = figures.get("held_out_bytes"), figures.get("held_out_tokens")
    lost = lost_of(figures)
    doubtful = is_doubtful(lost)
    measured = f"{held / tokens:.2f}" if held and tokens else ""
    made = datetime.fromisoformat(trained.made).astimezone().strftime("%Y-%m-%d %H:%M")
    item = QTreeWidgetItem(
        [
            trained.name,
            algorithm_title(trained.algorithm),
            f"{trained.pieces:,}",
            f"{SIGN} {measured}".strip() if doubtful else measured,
            made,
            trained.note,
        ]
    )
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
    for column in (ENTRIES, HELD_OUT):
        item.setTextAlignment(column, RIGHT)
    tip = "Bytes of held-out text per token"
    if doubtful:
        tip += f"\n{SIGN} It {loses(lost)}. {SAYS}"
    item.setToolTip(HELD_OUT, tip)
    item.setToolTip(NAME, as_tip(trained.name))
    item.setToolTip(NOTE, as_tip(trained.note))
    return item


NOTES = 3
"""The most sentences about skipped files that are shown; the others are counted."""


def facts(trained: Trained) -> str:
    """Returns the corpus, the settings, and the identity."""
    if trained.algorithm == RECOVERED:
        format = trained.settings.get("format", "not known")
        return (
            "Found again by its file: the index had no entry for it, so what it was trained on is not known."
            f"\nFormat: {format}\nidentity {trained.identity[:12]}"
        )
    if trained.algorithm == CHANGED:
        return (
            f"Made from {trained.settings.get('made_from', 'another tokenizer')}: {changes_of(trained.settings)}"
            f"\nTokenarium {trained.version} · identity {trained.identity[:12]}"
        )
    corpus = trained.corpus
    sources = ", ".join(corpus.get("sources", []))
    documents, characters = corpus.get("documents", 0), corpus.get("characters", 0)
    lines = [f"Corpus: {sources} ({documents:,} documents, {characters:,} characters)"]
    mixed = (
        corpus.get("size") or any(corpus.get("weights", [])) or corpus.get("temperature", 1) != 1
    )
    if corpus.get("shares") and mixed:
        lines.append("; ".join(share_lines([SourceShare(**one) for one in corpus["shares"]])))
    if corpus.get("held_out"):
        lines.append(corpus["held_out"])
    notes = corpus.get("notes", [])
    if notes:
        more = f" … and {len(notes) - NOTES:,} more" if len(notes) > NOTES else ""
        lines.append(f"{'; '.join(notes[:NOTES])}{more}")
    settings = ", ".join(
        f"{name.replace('_', ' ')} {shown(value) or 'none'}"
        for name, value in trained.settings.items()
    )
    lines.append(f"Settings: {settings}")
    lines.append(f"Tokenarium {trained.version} · identity {trained.identity[:12]}")
    return "\n".join(lines)
