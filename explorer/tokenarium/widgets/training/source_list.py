"""The sources of a corpus as a list: what is read, its weight, and how its files are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from tokenarium.analyses.training_draft import source_problem
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import RIGHT
from tokenarium.models.training.corpus_files import JSON_LINES, TABLES, CorpusSource, source_of
from tokenarium.models.training.corpus_lists import LIST_MARK, groups_of, named_sources
from tokenarium.models.training.corpus_unpacking import COMPRESSED_SUFFIXES
from tokenarium.models.training.corpus_urls import is_url
from tokenarium.models.training.trained_languages import languages_with_sentences, with_language
from tokenarium.style.theme import GRID
from tokenarium.widgets.drops import accept_copy
from tokenarium.widgets.file_dialogs import ask_file, ask_files, ask_folder
from tokenarium.widgets.flat_table import RowList, TermHeads, size_columns
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import menu_button, named, secondary
from tokenarium.widgets.term_marks import with_term
from tokenarium.widgets.training.option_field import Problem
from tokenarium_core import TokenariumError

ROW = 3 * GRID
FEWEST_ROWS = 2
"""The least rows of the list that are visible, even without sources."""

NO_SOURCES = "Drop files or folders here, or add them."

WEIGHT_COLUMN, SHARE_COLUMN, LANGUAGE_COLUMN = 1, 2, 3

SHARE = 5
"""The greatest height of the rows is the height of the form divided by this, but at least the fewest rows."""

KINDS = (
    "Texts (*.txt *.md *.jsonl *.ndjson *.py *.html *.xml *.json *.csv *.gz *.bz2 *.xz *.zst *.parquet *.pq *.arrow"
    " *.feather);;All files (*)"
)


class SourceList(QWidget):
    """The list with a menu to add sources; below it, the settings of the chosen row."""

    changed = Signal()
    text_requested = Signal()  # the text of the window should be added

    def __init__(self, parent: QWidget | None = None, *, weights: bool = True) -> None:
        """``weights``: whether sources have weights; without them, all of each is read."""
        super().__init__(parent)
        self._has_weights = weights
        self._sources: list[CorpusSource] = []
        self._shares: tuple[tuple[float, float], ...] = ()
        self._most_rows = FEWEST_ROWS
        self.setAcceptDrops(True)
        self.menu = QMenu(self, toolTipsVisible=True)
        for text, tip, handler in (
            (
                "&Files …",
                "Texts, JSON lines, Parquet and Arrow tables; also as .gz, .bz2, .xz or .zst",
                self.add_files,
            ),
            ("Fol&der …", "All texts in a folder and its subfolders", self.add_folder),
            ("&Pattern …", "Such as texts/**/*.txt", self.add_pattern),
            (
                "&Groups …",
                "Each file or folder that a pattern matches as a source of its own, for the temperature to mix",
                self.add_groups,
            ),
            (
                "Li&st …",
                "A text file with a source on each line, after its weight",
                self.add_list,
            ),
            ("&Address …", "Such as s3://bucket/texts/*.parquet or https://…", self.add_address),
            ("&This text", "The text above, as it is now", self.text_requested.emit),
            (
                "Python's standard &library",
                "About 30 MB of source code that is already on this computer",
                self.add_library,
            ),
        ):
            action = self.menu.addAction(text)
            action.setToolTip(tip)
            action.triggered.connect(lambda _, do=handler: do())
        self.add = menu_button("Add", "Add a source to the corpus", self.menu)
        self.list = _SourceRows()
        self.list.setToolTip("Drop files or folders here. Delete removes a row.")
        self.list.currentItemChanged.connect(lambda *_: self._show_details())
        self.list.delete_pressed.connect(self.remove_current)
        self.remove = named(QToolButton(autoRaise=True), "Remove the chosen source from the corpus")
        self.remove.setText("Remove")
        self.remove.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.remove.setToolTip("Removes the chosen source (Delete)")
        self.remove.clicked.connect(self.remove_current)
        self.weight = _field(
            "Weight",
            "Its share of the bytes of the corpus, relative to the other weights; if all are empty, each source"
            " counts as it is",
        )
        self.encoding = _field("Encoding", "UTF-8 if empty; or latin-1, shift_jis …")
        self.encoding.setPlaceholderText("auto")
        self.field = _field(
            "Field",
            "Of JSON lines and tables: which field or column holds the text; data.text goes inside",
        )
        for edit in (self.weight, self.encoding, self.field):
            edit.textEdited.connect(lambda _: self._take_details())
        self.weight.setMaximumWidth(7 * GRID)
        self.weight.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.language = _field(
            "Language",
            "The language of its texts, such as de, by which parity-aware BPE compares; there are parallel sentences to"
            f" compare on in {', '.join(sorted(languages_with_sentences()))}",
        )
        self.language.setPlaceholderText("such as de")
        self.language.textEdited.connect(lambda _: self._take_details())
        self._with_languages = False
        self.problem = Problem()
        head = in_row(self.add, STRETCH, self.remove, spacing=GRID // 2)
        self._details = QWidget()
        details = QVBoxLayout(
            self._details
        )  # in two lines, as one would be too wide for a narrow form
        details.setContentsMargins(0, 0, 0, 0)
        details.setSpacing(GRID // 2)
        self._labels = {}
        for fields in (
            (*[("Weight", self.weight, 0)] * weights, ("Encoding", self.encoding, 1)),
            (("Field", self.field, 1),),
            (("Language", self.language, 1),),
        ):
            line = QHBoxLayout()
            line.setSpacing(GRID // 2)
            for text, edit, stretch in fields:
                label = self._labels[text] = secondary(QLabel(text))
                line.addWidget(with_term(label, "share") if text == "Weight" else label)
                line.addWidget(edit, stretch)
            details.addLayout(line)
        self.show_languages(False)
        in_column(self.list, head, self._details, self.problem, into=self, spacing=GRID // 2)
        self._show()

    @property
    def sources(self) -> Sequence[CorpusSource]:
        """The sources in their order."""
        return tuple(self._sources)

    def set_sources(self, sources: Sequence[CorpusSource]) -> None:
        """Shows new sources."""
        self._sources = list(sources)
        self._show()
        self.changed.emit()

    def show_shares(self, shares: Sequence[tuple[float, float]]) -> None:
        """Shows the share of each source in all text and in the corpus; empty: not known."""
        several = len(self._sources) > 1 and len(shares) == len(self._sources)
        self._shares = tuple(shares) if several else ()
        for row, (before, after) in enumerate(self._shares):
            item = self.list.item(row)
            item.setText(SHARE_COLUMN, _percent(after))
            item.setToolTip(
                SHARE_COLUMN,
                f"By the sizes of the files, {_percent(before)} of all text, and {_percent(after)} of the corpus",
            )
        self.list.setColumnHidden(SHARE_COLUMN, not several)

    def show_languages(self, shown: bool) -> None:
        """Shows the languages of the sources, or not; a file or folder with the name of one, as de.txt, gets it."""
        self._with_languages = shown
        if shown:
            found = [with_language(source) for source in self._sources]
            if found != self._sources:
                row = self._row
                self._sources = found
                self._show(row)
                self.changed.emit()
        self._show_details()

    def fit_into(self, height: int) -> None:
        """Sets the number of visible rows for a form of a height in pixels."""
        self._most_rows = max(FEWEST_ROWS, height // SHARE // ROW)
        self._fit()

    def _fit(self) -> None:
        self.list.show_rows(max(FEWEST_ROWS, min(len(self._sources), self._most_rows)))

    def add_source(self, source: CorpusSource) -> None:
        """Adds a source, if it is new, and chooses it."""
        same = [(one.kind, one.value) for one in self._sources]
        if (source.kind, source.value) in same:
            self.list.choose(same.index((source.kind, source.value)))
            return
        self._sources.append(with_language(source) if self._with_languages else source)
        self._show(len(self._sources) - 1)
        self.changed.emit()

    def add_path(self, path: Path) -> None:
        """Adds a file or a folder."""
        self.add_source(CorpusSource("folder" if os.path.isdir(path) else "file", str(path)))

    def add_files(self) -> None:
        """Asks for files and adds them."""
        names = ask_files("corpora", self, "Texts of the corpus", KINDS)
        for name in names:
            self.add_path(Path(name))

    def add_folder(self) -> None:
        """Asks for a folder and adds it."""
        name = ask_folder("corpora", self, "A folder of texts of the corpus")
        if name:
            self.add_path(Path(name))

    def add_pattern(self) -> None:
        """Asks for a pattern of paths and adds it."""
        text, accepted = QInputDialog.getText(
            self, "A pattern of paths", "Files such as texts/**/*.txt (** goes through folders):"
        )
        if accepted and text.strip():
            self.add_source(CorpusSource("glob", os.path.expanduser(text.strip())))

    def add_groups(self) -> None:
        """Asks for a pattern, and adds each file and folder that it matches."""
        text, accepted = QInputDialog.getText(
            self, "Groups to mix", "Files or folders, each a group, such as lang/*.jsonl:"
        )
        if accepted and text.strip():
            self._add_named(lambda: groups_of([text.strip()]))

    def add_list(self) -> None:
        """Asks for a list of sources, and adds them with their weights."""
        name = ask_file("corpora", self, "A list of sources with weights")
        if name:
            self._add_named(lambda: named_sources([f"{LIST_MARK}{name}"]))

    def add_address(self) -> None:
        """Asks for an address, and adds it."""
        text, accepted = QInputDialog.getText(
            self, "An address", "Files such as s3://bucket/texts/*.parquet or https://…:"
        )
        if accepted and text.strip():
            self.add_source(source_of(text.strip()))

    def _add_named(self, find: Callable[[], Sequence[CorpusSource]]) -> None:
        """Adds the sources that are found, or shows why there are none."""
        try:
            found = find()
        except TokenariumError as error:
            self.problem.say(str(error))
            return
        for source in found:
            self.add_source(source)

    def add_library(self) -> None:
        """Adds Python's standard library, which is always available."""
        self.add_source(CorpusSource("library"))

    def remove_current(self) -> None:
        """Removes the chosen source."""
        row = self._row
        if row >= 0:
            del self._sources[row]
            self._show(min(row, len(self._sources) - 1))
            self.changed.emit()

    @property
    def _row(self) -> int:
        return self.list.row

    def _show(self, row: int = 0) -> None:
        self._fit()
        self.list.clear()
        for source in self._sources:
            item = QTreeWidgetItem(_cells(source))
            item.setToolTip(0, as_tip(source.title))
            for column in (1, SHARE_COLUMN):
                item.setTextAlignment(column, RIGHT)
            self.list.addTopLevelItem(item)
        if self._sources:
            self.list.choose(max(row, 0))
        self.show_shares(self._shares)
        self._show_details()

    def _show_details(self) -> None:
        weighted = any(source.weight is not None for source in self._sources)
        # There is no room for both in the form of Train, so an empty column is hidden.
        shown = self._has_weights and (weighted or not self._with_languages)
        self.list.setColumnHidden(WEIGHT_COLUMN, not shown)
        self.list.setColumnHidden(LANGUAGE_COLUMN, not self._with_languages)
        row = self._row
        chosen = 0 <= row < len(self._sources)
        self._details.setVisible(chosen)
        self.remove.setEnabled(chosen)
        if chosen:
            source = self._sources[row]
            for edit, text in (
                (self.weight, _weight(source)),
                (self.encoding, source.encoding),
                (self.field, source.field),
                (self.language, source.language),
            ):
                if not edit.hasFocus():
                    edit.setText(text)
            files = source.kind not in ("text", "library")
            table = source.kind == "file" and source.value.lower().endswith(TABLES)
            lines = files and (source.kind != "file" or table or _is_json_lines(source.value))
            self._labels["Field"].setText("Column" if table else "Field")
            files = files and not table
            for name, edit, there in (
                ("Encoding", self.encoding, files),
                ("Field", self.field, lines),
                ("Language", self.language, self._with_languages),
            ):
                self._labels[name].setVisible(there)
                edit.setVisible(there)
        self._show_problem()

    def _take_details(self) -> None:
        row = self._row
        if not 0 <= row < len(self._sources):
            return
        typed = self.weight.text().strip()
        try:
            weight = float(typed) if typed else None
        except ValueError:
            weight = 0.0
        self._sources[row] = replace(
            self._sources[row],
            weight=weight,
            encoding=self.encoding.text().strip(),
            field=self.field.text().strip() or "text",
            language=self.language.text().strip(),
        )
        item = self.list.item(row)
        for column, text in enumerate(_cells(self._sources[row])):
            if column != SHARE_COLUMN:
                item.setText(column, text)
        self._show_problem()
        self.changed.emit()

    def _show_problem(self) -> None:
        problems = [source_problem(source) for source in self._sources]
        self.problem.say(next((problem for problem in problems if problem), ""))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            accept_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            if url.isLocalFile():
                self.add_path(Path(url.toLocalFile()))
            elif is_url(url.toString()):
                self.add_source(source_of(url.toString()))
        accept_copy(event)


class _SourceRows(RowList):
    """The rows."""

    delete_pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Sources of the corpus")
        heads = ["Corpus", "Weight", "Share", "Language"]
        self.setHeaderItem(TermHeads(heads, {0: "corpus", SHARE_COLUMN: "share"}))
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.header()
        size_columns(header, 0)
        header.moveSection(LANGUAGE_COLUMN, WEIGHT_COLUMN)  # beside the names
        self.setColumnHidden(SHARE_COLUMN, True)

    def show_rows(self, count: int) -> None:
        """Sets the height to this many rows."""
        frame = 2 * self.frameWidth()  # otherwise the last row would be cut off
        self.setFixedHeight(self.header().sizeHint().height() + count * ROW + frame)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.topLevelItemCount() == 0:
            painter = QPainter(self.viewport())
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            room = self.viewport().rect().adjusted(GRID, 0, -GRID, 0)
            text = painter.fontMetrics().elidedText(
                NO_SOURCES, Qt.TextElideMode.ElideRight, room.width()
            )
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_pressed.emit()
            return
        super().keyPressEvent(event)


def _is_json_lines(name: str) -> bool:
    path = Path(name.lower())
    return (path.stem if path.suffix in COMPRESSED_SUFFIXES else path.name).endswith(JSON_LINES)


def _cells(source: CorpusSource) -> list[str]:
    return [source.name, _weight(source), "", source.language]


def _weight(source: CorpusSource) -> str:
    return "" if source.weight is None else f"{source.weight:g}"


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.0995 or not share else f"{share:.1%}"


def _field(name: str, tip: str) -> QLineEdit:
    edit = named(QLineEdit(), name, tip)
    edit.setMinimumWidth(5 * GRID)
    return edit
