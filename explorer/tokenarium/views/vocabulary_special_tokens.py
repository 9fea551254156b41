"""The part "Special tokens" of the page Change: a new tokenizer with different special tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, get_type_hints

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

import tokenarium_core as tc
from tokenarium.analyses.change_inputs import CHANGE_FIELDS
from tokenarium.models.text.piece import counted
from tokenarium.models.tokenizers.changed import ChangeRequest, Changes, make_changed
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.controls import ghost
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_value, text_of
from tokenarium.views.page_program import page_program
from tokenarium.views.vocabulary_change_part import ChangePart
from tokenarium.views.workspace import Page, column
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.flat_table import CELL_MARGIN, ROW_HEIGHT, FlatTree, TermHeads
from tokenarium.widgets.panel import named
from tokenarium_core.changing import special_tokens

if TYPE_CHECKING:
    from tokenarium.models.training.store import Trained

TOKEN, ID, STATE, FORGERY = range(4)
HEADS = ("Special token", "Id", "Change", "A plain text that holds it")
NEXT_FREE = -1

_NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

PROGRAM = """
changed = tc.change_special_tokens(TOKENIZER, ADD, RENAME, REMOVE)
rows = [
    {"token": token, "id": id, "forgery": forgery(changed, token)}
    for token, id in changed.special_tokens.items()
]
"""


class SpecialTokensPart(ChangePart):
    """The special tokens of the current tokenizer in a table, and a new tokenizer with the changes made to it.

    A token is renamed in the table. Nothing changes the tokenizer itself: the new one is kept in the library.
    """

    title = "Special tokens"
    about = "Makes a new tokenizer with these changes, in the library"

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._all: dict[str, Changes] = {}
        self._shown: tuple[object, str] | None = None
        self.token = named(QLineEdit(), "A new special token", "The text of a new special token")
        self.token.setPlaceholderText("<|im_start|>")
        self.token.setMinimumWidth(18 * GRID)
        self.id_field = named(
            QSpinBox(), "Its id", "The id of the new token; the next free one if you do not choose"
        )
        self.id_field.setRange(NEXT_FREE, (1 << 21) - 2)
        self.id_field.setSpecialValueText("next free id")
        self.id_field.setValue(NEXT_FREE)
        self.add_button = QPushButton("Add")
        self.add_button.setToolTip("Adds the token to the list")
        self.rename_button = QPushButton("Rename")
        self.rename_button.setToolTip("Renames the chosen token; its id stays (F2)")
        self.remove_button = QPushButton("Remove")
        self.remove_button.setToolTip("Removes the chosen token from the list (Delete)")
        self.undo_button = ghost(QPushButton("Undo the changes"))
        self.undo_button.setToolTip("Undoes all changes on the list")
        self.table = _TokenTable()
        self.nothing = EmptyState()
        self.nothing.say(
            "No special tokens",
            "This tokenizer has none. Type one above, such as <|endoftext|>, and press Add.",
        )
        self.arrange(
            (self.token, self.id_field, self.add_button, self.rename_button, self.remove_button),
            column(self.table, self.nothing, grows=self.table),
            more=(self.undo_button,),
        )
        self.token.returnPressed.connect(self.add)
        self.token.textChanged.connect(self._show_buttons)
        self.add_button.clicked.connect(self.add)
        self.rename_button.clicked.connect(self._edit)
        self.remove_button.clicked.connect(self.remove)
        self.undo_button.clicked.connect(self.take_back)
        self.table.itemChanged.connect(self._renamed)
        self.table.currentItemChanged.connect(self._show_buttons)
        self.table.removal_wanted = self.remove

    # What scenes keep.

    def keeps(self) -> Iterable[Kept]:
        kinds = get_type_hints(Changes)
        return (
            *(kept_value(one.kept_as, kinds[one.name], partial(self._kept, one.name), partial(self._take, one.name)) for one in CHANGE_FIELDS),
            kept_value("others", dict[str, Changes], self._others, self._take_others),
            self.kept_names("add_names"),
            Kept("typed", self.token.text, lambda text: self.token.setText(text_of(text))),
        )  # fmt: skip

    def _others(self) -> dict[str, Changes] | None:
        """Returns the planned changes of the tokenizers that are not in front."""
        current = self.session.current
        key = current.key if current is not None else ""
        return {
            one: changes for one, changes in self._all.items() if one != key and changes
        } or None

    def _take_others(self, others: dict[str, Changes]) -> None:
        self._all.update(others)

    def _kept(self, name: str) -> object:
        return getattr(self.changes, name) or None

    def _take(self, name: str, value: object) -> bool:
        """Applies one kind of changes; too early while the tokenizer in front may change."""
        if self.session.opening:
            return False
        setattr(self.changes, name, value)
        self.wish_changed()
        return True

    # The changes.

    @property
    def changes(self) -> Changes:
        """The planned changes of the current tokenizer; each tokenizer has its own until they are made."""
        current = self.session.current
        return self._all.setdefault(current.key if current is not None else "", Changes())

    def add(self) -> None:
        """Adds the typed token to the list, or says why that is not possible."""
        token, id = self.token.text(), self.id_field.value()
        if not token or self._item is None:
            return
        asked = self.changes.add | {token: None if id == NEXT_FREE else id}
        if self._try(replace(self.changes, add=asked)):
            self.token.clear()
            self.id_field.setValue(NEXT_FREE)
            self.table.choose(token)

    def remove(self) -> None:
        """Marks the chosen token as removed, or removes the mark; a new token is removed from the list."""
        token = self._chosen()
        if not token:
            return
        changes = self.changes
        add, remove = dict(changes.add), list(changes.remove)
        rename = {old: new for old, new in changes.rename.items() if old != token}
        if token in add:
            del add[token]
        elif token in remove:
            remove.remove(token)
        else:
            remove.append(token)
        self._try(Changes(add, rename, remove))
        self.table.choose(token)

    def rename(self, token: str, name: str) -> None:
        """Renames a token of the tokenizer, or a new one."""
        changes = self.changes
        add, rename = dict(changes.add), dict(changes.rename)
        if token in add:
            add = {name if one == token else one: id for one, id in add.items()}
        else:
            rename.pop(token, None)
            if name != token:
                rename[token] = name
        self._try(Changes(add, rename, changes.remove))
        self.table.choose(name if token in changes.add else token)

    def take_back(self) -> None:
        """Undoes all changes on the list."""
        if self._item is not None:
            self._all.pop(self._item.key, None)
        self.wish_changed()

    def _try(self, changes: Changes) -> bool:
        """Applies changes if their names and ids are possible, or says why not. Returns whether they are."""
        item = self._item
        if item is None or item.tokenizer is None:
            return False
        self._made = ""
        self._problem = _problem(item.tokenizer, changes)
        if not self._problem:
            self._all[item.key] = changes
        self.refresh()
        return not self._problem

    # The new tokenizer.

    def making(
        self, item: LibraryItem, name: str, folder: str
    ) -> tuple[Callable[..., Trained], object] | None:
        if not self.changes:
            return None
        return make_changed, ChangeRequest(
            item.source, item.pattern, item.name, self.changes, name, folder
        )

    def forget(self, item: LibraryItem) -> None:
        self._all.pop(item.key, None)

    # Display.

    def show_item(self, item: LibraryItem) -> None:
        shown = (item.tokenizer, item.name)
        if item is not self._item or shown != self._shown:
            self._shown = shown
            super().show_item(item)

    def refresh(self) -> None:
        item = self._item
        tokenizer = item.tokenizer if item is not None else None
        if item is None or tokenizer is None:
            return
        changes = self.changes
        chosen = self._chosen()
        self.table.blockSignals(True)
        self.table.clear()
        for token, id in sorted(tokenizer.special_tokens.items(), key=lambda one: one[1]):
            new = changes.rename.get(token, token)
            state = "removed" if token in changes.remove else f"was {token}" if new != token else ""
            self.table.put(token, new, f"{id:,}", state, special_tokens.forgery(tokenizer, token))
        for token, chosen_id in changes.add.items():
            id_text = "next free" if chosen_id is None else f"{chosen_id:,}"
            self.table.put(token, token, id_text, "new", "")
        self.table.blockSignals(False)
        self.table.setColumnHidden(STATE, not changes)
        if chosen:
            self.table.choose(chosen)
        empty = not self.table.topLevelItemCount()
        self.nothing.setVisible(empty)
        self.table.setHidden(empty)
        self._show_state()

    def _show_state(self) -> None:
        running = self.busy
        changes = self.changes
        self.bar.setVisible(running)
        self.make_button.setText("Stop" if running else "Make the tokenizer")
        self.make_button.setEnabled(running or bool(changes))
        self.undo_button.setEnabled(bool(changes) and not running)
        self._show_buttons()
        if not running:
            self.summary.setText(self.idle_summary())

    def summary_of(self, item: LibraryItem) -> str:
        if self.changes:
            return f"To be changed: {self.changes.description}. All other ids stay."
        count = len(item.tokenizer.special_tokens) if item.tokenizer is not None else 0
        noun = counted(count, "special token") if count else "no special tokens"
        return f"{item.name} has {noun}. Changes make a new tokenizer; this one stays as it is."

    def _show_buttons(self, *_: object) -> None:
        token, running = self._chosen(), self.busy
        self.add_button.setEnabled(bool(self.token.text()) and not running)
        self.rename_button.setEnabled(bool(token) and not running)
        self.remove_button.setEnabled(bool(token) and not running)
        back = token in self.changes.remove
        self.remove_button.setText("Keep" if back else "Remove")
        for control in (self.token, self.id_field, self.name_field, self.table):
            control.setEnabled(not running)

    def _chosen(self) -> str:
        current = self.table.currentItem()
        return str(current.data(TOKEN, Qt.ItemDataRole.UserRole)) if current is not None else ""

    def _edit(self) -> None:
        current = self.table.currentItem()
        if current is not None:
            self.table.setFocus()
            self.table.editItem(current, TOKEN)

    def _renamed(self, item: QTreeWidgetItem, place: int) -> None:
        if place == TOKEN:
            self.rename(str(item.data(TOKEN, Qt.ItemDataRole.UserRole)), item.text(TOKEN))

    def lines(self) -> list[list[str]]:
        rows = [
            [item.text(index) for index in range(len(HEADS))]
            for item in (
                self.table.topLevelItem(row) for row in range(self.table.topLevelItemCount())
            )
            if item is not None
        ]
        return [list(HEADS), *rows] if rows else []

    def python(self) -> str:
        changes = self.changes
        if self._item is None or not changes:
            return ""
        return page_program(
            self.session,
            self.title,
            "from tokenarium_core.changing.special_tokens import forgery",
            PROGRAM,
            front=self._item,
            **asdict(changes),
        )

    def focus_first(self) -> None:
        self.token.setFocus()


class _TokenTable(FlatTree):
    """The special tokens: a name can be edited; Delete asks to remove the chosen one."""

    def __init__(self) -> None:
        super().__init__("Special tokens", HEADS, left=PAGE_MARGIN, uniform=False)
        self.setWordWrap(True)
        self.setItemDelegateForColumn(FORGERY, _WrappedCells(self))
        self.setHeaderItem(TermHeads(HEADS, {TOKEN: "special token", ID: "id"}))
        self.headerItem().setTextAlignment(ID, _NUMBER)
        self.removal_wanted = self._nothing
        header = self.header()
        for place in (TOKEN, ID, STATE):
            header.setSectionResizeMode(place, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(FORGERY, QHeaderView.ResizeMode.Stretch)
        header.sectionResized.connect(lambda *_: self.scheduleDelayedItemsLayout())
        self.setEditTriggers(
            FlatTree.EditTrigger.DoubleClicked | FlatTree.EditTrigger.EditKeyPressed
        )

    @staticmethod
    def _nothing() -> None:
        """Does nothing, until the page sets what removes a token."""

    def put(self, key: str, name: str, id: str, state: str, forgery: str) -> None:
        """Adds a row; ``key`` is the token as the tokenizer has it."""
        item = QTreeWidgetItem([name, id, state, forgery])
        item.setData(TOKEN, Qt.ItemDataRole.UserRole, key)
        item.setTextAlignment(ID, _NUMBER)
        item.setToolTip(FORGERY, forgery)
        if state == "removed":
            font = QFont(self.font())
            font.setStrikeOut(True)
            item.setFont(TOKEN, font)
        else:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        self.addTopLevelItem(item)

    def choose(self, key: str) -> None:
        """Chooses the row of a token, if it is there."""
        for row in range(self.topLevelItemCount()):
            item = self.topLevelItem(row)
            if item is not None and item.data(TOKEN, Qt.ItemDataRole.UserRole) == key:
                self.setCurrentItem(item)

    def sizeHintForColumn(self, column: int) -> int:
        """Returns the width of the contents of a column; Qt leaves out the first column's margin."""
        return super().sizeHintForColumn(column) + PAGE_MARGIN

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removal_wanted()
        else:
            super().keyPressEvent(event)


class _WrappedCells(QStyledItemDelegate):
    """Cells as high as their text in the width of their column."""

    def __init__(self, table: QTreeWidget) -> None:
        super().__init__(table)
        self._table = table

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        room = QRect(0, 0, self._table.columnWidth(index.column()) - 2 * CELL_MARGIN, 1 << 16)
        flags = int(Qt.TextFlag.TextWordWrap)
        text = QFontMetrics(self._table.font()).boundingRect(room, flags, str(index.data()))
        return QSize(text.width(), max(ROW_HEIGHT, text.height() + GRID))


def _problem(tokenizer: tc.Tokenizer, changes: Changes) -> str:
    """Returns why changes are not possible, as far as the names and ids show.

    Other problems are found when they are made.
    """
    left = [token for token in tokenizer.special_tokens if token not in changes.remove]
    names = [*(changes.rename.get(token, token) for token in left), *changes.add]
    for name in names:
        if not name:
            return "A special token needs at least one character."
        if names.count(name) > 1:
            return f"There is already a special token {name}."
    ids = {tokenizer.special_tokens[token]: token for token in left}
    for token, id in changes.add.items():
        if id is None:
            continue
        other = ids.get(id, "")
        if not other and id < len(tokenizer.vocabulary):
            unused = tokenizer.vocabulary.kind(id) == "unused"
            other = "" if unused else tokenizer.vocabulary.surface(id)
        if other:
            return f"The id {id:,} belongs to {other}: choose another id for {token}."
        ids[id] = token
    return ""
