"""The library of tokenizers as a tree of two levels: groups, and the tokenizers in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from tokenarium.models.text.pipeline import cuts_by
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.tokenizers.tokenizer_names import distinct_name
from tokenarium_core import Tokenizer

Index = QModelIndex | QPersistentModelIndex
MIME_ROW = "application/x-tokenarium-library-row"

COLOURS = 8
"""How many tokenizers can be told apart by their colours: palette numbers begin again after so many."""


class LibraryGroup(Enum):
    """The parts of the library, in the order in which they stand."""

    SHIPPED = "Shipped"
    OPENAI = "OpenAI"
    GOOGLE = "Google"
    FILES = "Files"
    TRAINED = "Trained"

    @property
    def can_be_fetched(self) -> bool:
        """Whether its tokenizers have an owner who publishes them, so that a missing one can be got."""
        return self in (LibraryGroup.OPENAI, LibraryGroup.GOOGLE)

    @property
    def can_be_removed(self) -> bool:
        """Whether a person puts its tokenizers there, and may take them out again."""
        return self in (LibraryGroup.FILES, LibraryGroup.TRAINED)


class State(Enum):
    """How far a tokenizer is from being used."""

    CLOSED = "not opened yet"
    OPENING = "opening …"
    OPEN = "open"
    MISSING = "not on this computer"
    FETCHING = "downloading …"
    FAILED = "cannot be opened"


@dataclass(eq=False, slots=True)
class LibraryItem:
    """One tokenizer of the library, opened or not.

    ``key`` names it for good ("named:cl100k_base"), ``source`` and ``pattern`` are what opens it,
    ``models`` names who uses it, ``colour`` is its number in the palette, ``note`` the sentence that
    says what went wrong; ``received`` of ``total`` bytes have come where it is being fetched.
    """

    key: str
    group: LibraryGroup
    name: str
    source: str
    colour: int
    pattern: str = ""
    models: str = ""
    on: bool = False
    state: State = State.CLOSED
    tokenizer: Tokenizer | None = None
    note: str = ""
    received: int = 0
    total: int = 0


class Role(IntEnum):
    """What a row tells beside its name."""

    ENTRY = Qt.ItemDataRole.UserRole + 1


class LibraryModel(QAbstractItemModel):
    """The tree of the library. It holds the entries; the session alone changes them.

    What a person does to a row (ticks it, drags it) is passed on as a request.
    """

    check_requested = Signal(str, bool)  # key, on
    move_requested = Signal(str, int)  # key, row in its group

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: dict[LibraryGroup, list[LibraryItem]] = {group: [] for group in LibraryGroup}

    # The entries.

    def __iter__(self) -> Iterator[LibraryItem]:
        for entries in self._groups.values():
            yield from entries

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def entry(self, key: str) -> LibraryItem | None:
        """Returns the entry with this key, if the library holds it."""
        return next((entry for entry in self if entry.key == key), None)

    def entry_at(self, index: Index) -> LibraryItem | None:
        """Returns the entry of a row; nothing for a group or no row."""
        found = index.data(Role.ENTRY) if index.isValid() else None
        return found if isinstance(found, LibraryItem) else None

    def position(self, entry: LibraryItem) -> int:
        """Returns the row of an entry in its group."""
        return self._groups[entry.group].index(entry)

    def group(self, group: LibraryGroup) -> Sequence[LibraryItem]:
        """Returns the entries of a group in their order."""
        return tuple(self._groups[group])

    def free_colour(self) -> int:
        """Returns the smallest palette number that no entry has."""
        taken = {entry.colour for entry in self}
        return next(number for number in range(len(taken) + 1) if number not in taken)

    def colour_beside_others(self, entry: LibraryItem) -> int:
        """Returns an entry's own palette number, or that of the least used colour where another that is on has its colour."""
        used = [0] * COLOURS
        for other in self:
            if other.on and other is not entry:
                used[other.colour % COLOURS] += 1
        own = entry.colour % COLOURS
        free = min(range(COLOURS), key=lambda number: (used[number], number != own))
        return entry.colour if free == own else free

    def distinct_name(self, entry: LibraryItem, name: str) -> str:
        """Returns what to call an entry so that no other one has its name; see `tokenizer_names`."""
        others = {other.name: other.source for other in self if other is not entry}
        identity = entry.key.partition(":")[2] if entry.group is LibraryGroup.TRAINED else ""
        return distinct_name(name, entry.source, others, identity)

    def insert(self, entry: LibraryItem, row: int) -> None:
        """Puts an entry into its group at ``row``; one with the name of another gets a name of its own."""
        entry.name = self.distinct_name(entry, entry.name)
        self.beginInsertRows(self._group_index(entry.group), row, row)
        self._groups[entry.group].insert(row, entry)
        self.endInsertRows()

    def remove(self, entry: LibraryItem) -> None:
        """Takes an entry out."""
        row = self.position(entry)
        self.beginRemoveRows(self._group_index(entry.group), row, row)
        del self._groups[entry.group][row]
        self.endRemoveRows()

    def move(self, entry: LibraryItem, row: int) -> None:
        """Moves an entry to ``row`` of its group."""
        old = self.position(entry)
        if old == row:
            return
        parent = self._group_index(entry.group)
        # Qt counts the target before the row is taken out.
        self.beginMoveRows(parent, old, old, parent, row + 1 if row > old else row)
        entries = self._groups[entry.group]
        entries.insert(row, entries.pop(old))
        self.endMoveRows()

    def refresh(self, entry: LibraryItem) -> None:
        """Says that something about an entry has changed."""
        index = self.index_of(entry)
        self.dataChanged.emit(index, index)

    # Qt's face of the same.

    def index_of(self, entry: LibraryItem) -> QModelIndex:
        """Returns the index of an entry's row."""
        return self.createIndex(self.position(entry), 0, 1 + list(LibraryGroup).index(entry.group))

    def _group_index(self, group: LibraryGroup) -> QModelIndex:
        return self.createIndex(list(LibraryGroup).index(group), 0, 0)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        # The internal id is 0 for a group, and 1 + the group's row for an entry.
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: B008
        if not index.isValid() or index.internalId() == 0:
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, 0)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if not parent.isValid():
            return len(self._groups)
        return (
            len(self._groups[list(LibraryGroup)[parent.row()]]) if parent.internalId() == 0 else 0
        )

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        entry = self.entry_at(index)
        if entry is None:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsDropEnabled
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        flags |= Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemNeverHasChildren
        if entry.state not in (State.MISSING, State.FETCHING, State.FAILED):
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if index.internalId() == 0:
            group = list(LibraryGroup)[index.row()]
            return group.value if role == Qt.ItemDataRole.DisplayRole else None
        entry = self._groups[list(LibraryGroup)[index.internalId() - 1]][index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.name
        if role == Role.ENTRY:
            return entry
        if (
            role == Qt.ItemDataRole.CheckStateRole
            and self.flags(index) & Qt.ItemFlag.ItemIsUserCheckable
        ):
            return Qt.CheckState.Checked if entry.on else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(describe(entry))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.name}, {'on' if entry.on else 'off'}, {status(entry)}"
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        entry = self.entry_at(index)
        if entry is None or role != Qt.ItemDataRole.CheckStateRole:
            return False
        self.check_requested.emit(entry.key, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [MIME_ROW]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        entry = self.entry_at(indexes[0]) if indexes else None
        if entry is not None:
            data.setData(MIME_ROW, entry.key.encode())
        return data

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        return self._drop_target(data, row, parent) is not None

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        target = self._drop_target(data, row, parent)
        if target is not None:
            self.move_requested.emit(*target)
        return False  # the view must not take the dragged row out: it has been moved already

    def _drop_target(self, data: QMimeData, row: int, parent: Index) -> tuple[str, int] | None:
        entry = self.entry(bytes(data.data(MIME_ROW).data()).decode())
        if entry is None or not parent.isValid() or parent.internalId() != 0:
            return None
        if list(LibraryGroup)[parent.row()] is not entry.group:
            return None
        old = self.position(entry)
        last = len(self._groups[entry.group]) - 1
        if row < 0:  # dropped onto the group itself
            return entry.key, last
        return entry.key, min(last, row - 1 if row > old else row)


def status(entry: LibraryItem) -> str:
    """Returns the few words that stand beside a name: its vocabulary size, or why there is none."""
    if entry.tokenizer is not None:
        size: int = len(entry.tokenizer.vocabulary)
        return f"{size:,}"
    if entry.state is State.CLOSED:
        return ""
    if entry.state is State.FETCHING and entry.total:
        return f"{entry.received / 1e6:.1f} of {entry.total / 1e6:.1f} MB"
    return str(entry.state.value)


def describe(entry: LibraryItem) -> str:
    """Returns what a tooltip says of an entry."""
    lines = [f"{entry.name} ({entry.models})" if entry.models else entry.name]
    if entry.tokenizer is not None:
        lines.append(f"{len(entry.tokenizer.vocabulary):,} entries in the vocabulary")
        lines.append(f"Pre-tokens: {cuts_by(entry.tokenizer)}")
        special = list(entry.tokenizer.special_tokens)
        if special:
            more = f" and {len(special) - 8:,} more" if len(special) > 8 else ""
            lines.append(f"Special tokens: {', '.join(special[:8])}{more}")
    if entry.group in (LibraryGroup.FILES, LibraryGroup.TRAINED):
        lines.append(entry.source)
    if entry.note:
        lines.append(entry.note)
    return "\n".join(lines)
