"""The sets of tokenizers: saved by name, shown, renamed and deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.models.counted import listed
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.tokenizers.tokenizer_sets import LONGEST_SET_NAME, set_name
from tokenarium.style.controls import primary
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import FlatTree
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import close_buttons, literal, named, secondary

SIZE = (64 * GRID, 52 * GRID)

NAME = Qt.ItemDataRole.UserRole
HEADS = ("Set", "Tokenizers")

ABOUT = "Ctrl+click tokenizers in the library or above the text to choose some of them."


class SetsDialog(QDialog):
    """A line that saves a set, and a list of those that are saved.

    What it does is given by functions: `save` and `rename` return why they do not, or "".
    """

    def __init__(
        self,
        save: Callable[[str], str],
        show_set: Callable[[str], object],
        rename: Callable[[str, str], str],
        delete: Callable[[str], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Sets of tokenizers")
        self._save, self._show, self._rename, self._delete = save, show_set, rename, delete
        self._members, self._names = False, frozenset[str]()
        self.about = secondary(QLabel(wordWrap=True))
        self.name = named(QLineEdit(), "Name of the set")
        self.name.setMaxLength(LONGEST_SET_NAME)
        self.name.setPlaceholderText("such as For code")
        self.save_button = primary(QPushButton("Save the set"))
        self.list = FlatTree("Sets", HEADS, growing=(1,))
        self.list.setEditTriggers(FlatTree.EditTrigger.NoEditTriggers)
        self.show_button = QPushButton("Show only these")
        self.rename_button = QPushButton("Rename")
        self.delete_button = QPushButton("Delete")
        self.problem = literal(QLabel(wordWrap=True))
        self.problem.setForegroundRole(QPalette.ColorRole.BrightText)
        for button in (self.show_button, self.rename_button, self.delete_button):
            button.setAutoDefault(False)
        buttons = close_buttons(self)
        in_column(
            self.about,
            in_row((self.name, 1), self.save_button, spacing=GRID),
            (self.list, 1),
            in_row(self.show_button, self.rename_button, self.delete_button, STRETCH, spacing=GRID),
            self.problem,
            buttons,
            into=self,
            spacing=GRID,
            margins=2 * GRID,
        )
        self.name.textChanged.connect(self._follow)
        self.save_button.clicked.connect(self._save_set)
        self.list.currentItemChanged.connect(self._follow)
        self.list.itemActivated.connect(lambda item, _: self._show(item.data(0, NAME)))
        self.list.itemChanged.connect(self._take_name)
        self.show_button.clicked.connect(lambda: self._show(self.current))
        self.rename_button.clicked.connect(self._edit)
        self.delete_button.clicked.connect(lambda: self._delete(self.current))
        self.resize(*SIZE)

    def show_sets(
        self, sets: Mapping[str, Sequence[str]], members: Sequence[str], chosen: bool
    ) -> None:
        """Shows sets with the names of their tokenizers, and which would be saved: the ``chosen`` ones or those that are on."""
        self._members, self._names = bool(members), frozenset(sets)
        what = "chosen" if chosen else "on"
        verb = "is" if len(members) == 1 else "are"
        said = f"{listed(members)} {verb} {what}." if members else "No tokenizer is on."
        self.about.setText(said if chosen else f"{said} {ABOUT}")
        kept, row = self.current, self.list.currentIndex().row()
        with QSignalBlocker(self.list):
            self.list.clear()
            for name, names in sets.items():
                item = QTreeWidgetItem([name, ", ".join(names)])
                item.setData(0, NAME, name)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                item.setToolTip(1, as_tip("\n".join(names)))
                self.list.addTopLevelItem(item)
            places = [one for one, name in enumerate(sets) if name == kept]
            if sets:
                row = places[0] if places else min(max(row, 0), len(sets) - 1)
                self.list.setCurrentIndex(self.list.model().index(row, 0))
        self._follow()

    @property
    def current(self) -> str:
        """The name of the set that is selected, or ""."""
        item = self.list.currentItem()
        return str(item.data(0, NAME)) if item is not None else ""

    def say(self, problem: str) -> None:
        """Says what is wrong; nothing for an empty sentence."""
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Deletes the selected set with Delete, and renames it with F2."""
        if event.key() == Qt.Key.Key_Delete and self.list.hasFocus() and self.current:
            self._delete(self.current)
        elif event.key() == Qt.Key.Key_F2 and self.current:
            self._edit()
        else:
            super().keyPressEvent(event)

    def _follow(self, *_: object) -> None:
        name = set_name(self.name.text())
        known = name in self._names
        self.save_button.setText("Replace the set" if known else "Save the set")
        self.save_button.setEnabled(bool(name) and self._members)
        for button in (self.show_button, self.rename_button, self.delete_button):
            button.setEnabled(bool(self.current))
        self.say("")

    def _save_set(self) -> None:
        problem = self._save(self.name.text())
        if not problem:
            self.name.clear()
        self.say(problem)

    def _edit(self) -> None:
        self.list.edit(self.list.currentIndex().siblingAtColumn(0))

    def _take_name(self, item: QTreeWidgetItem) -> None:
        """Renames a set once its row is no longer edited: the list is filled anew."""
        name, typed = str(item.data(0, NAME)), item.text(0)
        QTimer.singleShot(0, self, lambda: self._rename_set(name, typed))

    def _rename_set(self, name: str, typed: str) -> None:
        problem = self._rename(name, typed)
        with QSignalBlocker(self.list):
            for item in self.list.findItems("", Qt.MatchFlag.MatchStartsWith):
                item.setText(0, item.data(0, NAME))
        self.say(problem)
