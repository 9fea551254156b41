"""The library of tokenizers as a tree of two levels: groups, and the tokenizers in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from pathlib import Path
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
from tokenarium.models.tokenizers.tokenizer_identity import (
    FIXED,
    content_digest,
    family_of_path,
    family_of_vocabulary,
    file_title,
    free_identity,
)
from tokenarium.models.tokenizers.tokenizer_names import distinct_name
from tokenarium_core import Tokenizer

Index = QModelIndex | QPersistentModelIndex
MIME_ROW = "application/x-tokenarium-library-row"

REGISTERED = "registered:"
"""The beginning of the keys of registered tokenizers; ``name@version`` follows."""

NO_IDENTITY = -1
"""The identity of an item before it is in a library."""


class LibraryGroup(Enum):
    """The parts of the library, in their order; no item belongs to `MORE`, which shows those that are not on this computer."""

    SHIPPED = "Tokenarium"
    OPENAI = "OpenAI"
    GOOGLE = "Google"
    MISTRAL = "Mistral"
    QWEN = "Qwen"
    FILES = "Files"
    TRAINED = "Trained"
    MORE = "More to download"

    @property
    def can_be_fetched(self) -> bool:
        """Whether its tokenizers are published, so that a missing one can be downloaded."""
        return self in _PUBLISHED

    @property
    def can_be_removed(self) -> bool:
        """Whether the user adds and removes its tokenizers."""
        return self in (LibraryGroup.FILES, LibraryGroup.TRAINED)


_PUBLISHED = (
    LibraryGroup.OPENAI,
    LibraryGroup.GOOGLE,
    LibraryGroup.MISTRAL,
    LibraryGroup.QWEN,
)


class State(Enum):
    """The state of a tokenizer."""

    CLOSED = "not opened yet"
    OPENING = "opening …"
    OPEN = "open"
    MISSING = "not on this computer"
    FETCHING = "downloading …"
    FAILED = "cannot be opened"


@dataclass(frozen=True, eq=False, slots=True)
class LibraryItem:
    """One tokenizer of the library, opened or not.

    ``key`` never changes ("named:cl100k_base"), ``source`` and ``pattern`` are what opens it,
    ``models`` names who uses it, ``identity`` is the number of its colour and marker (see `tokenizer_identity`),
    ``note`` the sentence that says what went wrong; ``received`` of ``total`` bytes are downloaded so far.

    ``model_name`` is what people call it ("GPT-4"), ``encoding_name`` what it is beside that ("cl100k_base"), if
    anything. ``name`` is the shortest one that no other item has: the model's, if it alone has that.

    Nothing can be assigned: only its library changes an item, so that the views are updated (see `LibraryModel`).
    """

    key: str
    group: LibraryGroup
    name: str
    source: str
    identity: int = NO_IDENTITY
    pattern: str = ""
    models: str = ""
    on: bool = False
    state: State = State.CLOSED
    tokenizer: Tokenizer | None = None
    note: str = ""
    received: int = 0
    total: int = 0
    model_name: str = ""
    encoding_name: str = ""

    @property
    def display_name(self) -> str:
        """The name for where there is room for a line: ``"GPT-4 · cl100k_base"``; no other item has it."""
        return f"{self.model_name} · {self.encoding_name}" if self.encoding_name else self.name


def name_of_made(item: LibraryItem, ending: str) -> str:
    """Returns the usual name of a tokenizer that is made of another one: its name with an ending, and with a number if it
    already has that.
    """
    name = item.model_name or item.name
    again = re.fullmatch(rf"(.+, {ending})(?: (\d{{1,9}}))?", name)
    if again is None:
        return f"{name}, {ending}"
    return f"{again[1]} {int(again[2] or 1) + 1}"


class Role(IntEnum):
    """What a row holds in addition to its name."""

    ITEM = Qt.ItemDataRole.UserRole + 1


def can_be_put_back(item: LibraryItem) -> bool:
    """Whether an item is a registered tokenizer that is not opened, as its files were changed."""
    return item.state is State.FAILED and item.key.startswith(REGISTERED)


class LibraryModel(QAbstractItemModel):
    """The tree of the library. Only its methods change the items, and they update the views.

    What the user does to a row (ticks it, drags it) is passed on as a request.
    """

    check_requested = Signal(str, bool)  # key, on
    move_requested = Signal(str, int)  # key, row in its group

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: dict[LibraryGroup, list[LibraryItem]] = {group: [] for group in LibraryGroup}
        self.identities: dict[str, int] = {}
        """The identities that are kept, by digests of what they belong to; the settings have them."""

    # The items.

    def __iter__(self) -> Iterator[LibraryItem]:
        for items in self._groups.values():
            yield from items

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def item(self, key: str) -> LibraryItem | None:
        """Returns the item with this key, or None."""
        return next((item for item in self if item.key == key), None)

    def item_at(self, index: Index) -> LibraryItem | None:
        """Returns the item of a row; None for a group or no row."""
        item = index.data(Role.ITEM) if index.isValid() else None
        return item if isinstance(item, LibraryItem) else None

    def position(self, item: LibraryItem) -> int:
        """Returns the row of an item in the part of the tree where it is shown."""
        return self._groups[shown_group(item)].index(item)

    def group(self, group: LibraryGroup) -> Sequence[LibraryItem]:
        """Returns the items of a group in their order, with those that are not on this computer last."""
        return tuple(item for item in self if item.group is group)

    def neighbours(self, item: LibraryItem) -> int:
        """Returns how many items are shown in the same part of the tree, the item among them."""
        return len(self._groups[shown_group(item)])

    def distinct_name(self, item: LibraryItem, name: str) -> str:
        """Returns a name for an item that no other one has; see `tokenizer_names`."""
        return self._distinct(
            item, name, {other.name: other.source for other in self if other is not item}
        )

    def _distinct(self, item: LibraryItem, name: str, taken: dict[str, str]) -> str:
        identity = item.key.partition(":")[2] if item.group is LibraryGroup.TRAINED else ""
        return distinct_name(name, item.source, taken, identity)

    def insert(self, item: LibraryItem, row: int) -> None:
        """Puts an item into its group at ``row``, with an identity and distinct names."""
        self._name(item, item.model_name or item.name)
        if item.identity == NO_IDENTITY:
            _set(item, identity=self._identity(item))
        group = shown_group(item)
        row = min(row, len(self._groups[group]))
        self.beginInsertRows(self._group_index(group), row, row)
        self._groups[group].insert(row, item)
        self.endInsertRows()

    def _name(self, item: LibraryItem, model: str) -> None:
        """Sets an item's names by its model's, so that no other item has one of them."""
        same = [other for other in self if other is not item and other.model_name == model]
        encoding = item.encoding_name
        if encoding:
            taken = {other.encoding_name: other.source for other in same}
            encoding = self._distinct(item, encoding, taken)
        name = f"{model} · {encoding}" if same and encoding else model
        names = {"model_name": model, "encoding_name": encoding}
        _set(item, name=self.distinct_name(item, name), **names)

    def _identity(self, item: LibraryItem) -> int:
        """Returns the identity of a new item: a fixed one, the one kept for it, that of its family, or a free one."""
        if item.key in FIXED:
            return FIXED[item.key]
        is_file = item.group is LibraryGroup.FILES
        digest = content_digest(Path(item.source)) if is_file else item.key.partition(":")[2][:16]
        family = family_of_path(Path(item.source)) if is_file else None
        number = self.identities.get(digest, family[2] if family is not None else NO_IDENTITY)
        # What is not on of the same family does not count: it is the same.
        others = {other.identity for other in self if other.key not in FIXED or other.on}
        if number == NO_IDENTITY or number in others:
            present = {other.identity for other in self}
            shown = [other.identity for other in self if other.on]
            number = free_identity(present, self.identities.values(), shown)
        self.identities[digest] = number
        return number

    def remove(self, item: LibraryItem) -> None:
        """Removes an item."""
        row = self.position(item)
        group = shown_group(item)
        self.beginRemoveRows(self._group_index(group), row, row)
        del self._groups[group][row]
        self.endRemoveRows()

    def move(self, item: LibraryItem, row: int) -> None:
        """Moves an item to ``row`` of its group."""
        old = self.position(item)
        if old == row:
            return
        parent = self._group_index(shown_group(item))
        # Qt counts the target before the row is taken out.
        self.beginMoveRows(parent, old, old, parent, row + 1 if row > old else row)
        items = self._groups[shown_group(item)]
        items.insert(row, items.pop(old))
        self.endMoveRows()

    # The state of an item.

    def set_on(self, item: LibraryItem, on: bool) -> None:
        """Sets whether an item is on."""
        self._change(item, on=on)

    def set_state(self, item: LibraryItem, state: State, note: str = "") -> None:
        """Sets the state of a tokenizer that is not open; one that failed or is missing is off."""
        on = item.on and state not in (State.MISSING, State.FAILED)
        self._change(item, state=state, note=note, on=on)

    def set_tokenizer(self, item: LibraryItem, tokenizer: Tokenizer) -> None:
        """Sets the tokenizer of an item that was opened; one that was trained here gets the item's name."""
        if item.group in (LibraryGroup.SHIPPED, LibraryGroup.TRAINED):
            tokenizer.name = item.name  # its file is named by its content, or has no name in it
        elif item.group is LibraryGroup.FILES and not item.encoding_name:
            self._recognize(item, tokenizer)
        self._change(item, tokenizer=tokenizer, state=State.OPEN)

    def _recognize(self, item: LibraryItem, tokenizer: Tokenizer) -> None:
        """Names an opened file as the model that has the same vocabulary, if that is known, and gives it its identity."""
        known = family_of_vocabulary(tokenizer)
        if known is None:
            return
        name, number = known
        path = Path(item.source)
        _set(item, encoding_name=file_title(path))
        self._name(item, name)
        if all(other.identity != number for other in self if other.key not in FIXED):
            _set(item, identity=number)
            self.identities[content_digest(path)] = number

    def set_received(self, item: LibraryItem, received: int, total: int) -> None:
        """Sets how many bytes of an item are downloaded."""
        self._change(item, received=received, total=total)

    def rename(self, item: LibraryItem, name: str) -> bool:
        """Gives an item and its tokenizer this name, or a distinct one like it; returns whether the name changed."""
        before = item.name
        self._name(item, name)
        if item.name == before:
            return False
        self._change(item)
        if item.tokenizer is not None:
            item.tokenizer.name = item.name
        return True

    def _change(self, item: LibraryItem, **values: object) -> None:
        before = shown_group(item)
        here = item in self._groups[before]  # it may have been removed in the meantime
        after = shown_group(replace(item, **values))  # type: ignore[arg-type]
        if here and after is not before:
            row, last = self.position(item), len(self._groups[after])
            self.beginMoveRows(self._group_index(before), row, row, self._group_index(after), last)
            self._groups[before].remove(item)
            _set(item, **values)
            self._groups[after].append(item)
            self.endMoveRows()
        else:
            _set(item, **values)
        if here:
            index = self.index_of(item)
            self.dataChanged.emit(index, index)

    # The methods for Qt.

    def index_of(self, item: LibraryItem) -> QModelIndex:
        """Returns the index of an item's row."""
        row = list(LibraryGroup).index(shown_group(item))
        return self.createIndex(self.position(item), 0, 1 + row)

    def _group_index(self, group: LibraryGroup) -> QModelIndex:
        return self.createIndex(list(LibraryGroup).index(group), 0, 0)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        # The internal id is 0 for a group, and 1 + the group's row for an item.
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
        item = self.item_at(index)
        if item is None:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsDropEnabled
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        flags |= Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemNeverHasChildren
        if item.state not in (State.MISSING, State.FETCHING, State.FAILED):
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if index.internalId() == 0:
            group = list(LibraryGroup)[index.row()]
            return group.value if role == Qt.ItemDataRole.DisplayRole else None
        item = self._groups[list(LibraryGroup)[index.internalId() - 1]][index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return item.name
        if role == Role.ITEM:
            return item
        if (
            role == Qt.ItemDataRole.CheckStateRole
            and self.flags(index) & Qt.ItemFlag.ItemIsUserCheckable
        ):
            return Qt.CheckState.Checked if item.on else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(describe(item))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            words = (item.display_name, "on" if item.on else "off", status(item))
            return ", ".join(word for word in words if word)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        item = self.item_at(index)
        if item is None or role != Qt.ItemDataRole.CheckStateRole:
            return False
        self.check_requested.emit(item.key, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [MIME_ROW]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        item = self.item_at(indexes[0]) if indexes else None
        if item is not None:
            data.setData(MIME_ROW, item.key.encode())
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
        return False  # the view must not remove the dragged row: it has been moved already

    def _drop_target(self, data: QMimeData, row: int, parent: Index) -> tuple[str, int] | None:
        item = self.item(bytes(data.data(MIME_ROW).data()).decode())
        if item is None or not parent.isValid() or parent.internalId() != 0:
            return None
        if list(LibraryGroup)[parent.row()] is not shown_group(item):
            return None
        old = self.position(item)
        last = self.neighbours(item) - 1
        if row < 0:  # dropped onto the group itself
            return item.key, last
        return item.key, min(last, row - 1 if row > old else row)


def _set(item: LibraryItem, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(item, name, value)


def shown_group(item: LibraryItem) -> LibraryGroup:
    """Returns the part of the tree where an item is shown: its group, or `MORE` while it is not on this computer."""
    away = item.state in (State.MISSING, State.FETCHING)
    return LibraryGroup.MORE if away and item.group.can_be_fetched else item.group


def megabytes(size: int) -> str:
    """Returns a number of bytes in short.

    >>> megabytes(11_400_000), megabytes(1_681_126), megabytes(231_508)
    ('11 MB', '1.7 MB', '232 KB')
    """
    if size < 1_000_000:
        return f"{size / 1e3:.0f} KB"
    return f"{size / 1e6:.1f} MB" if size < 10_000_000 else f"{size / 1e6:.0f} MB"


def status(item: LibraryItem) -> str:
    """Returns the words next to a name: the vocabulary size, or why there is none."""
    if item.tokenizer is not None:
        size: int = len(item.tokenizer.vocabulary)
        return f"{size:,}"
    if item.state is State.CLOSED:
        return ""
    if item.state is State.FETCHING and item.total:
        return f"{item.received / 1e6:.1f} of {item.total / 1e6:.1f} MB"
    return str(item.state.value)


def describe(item: LibraryItem) -> str:
    """Returns the tooltip of an item."""
    lines = [item.display_name]
    if item.models and item.models != item.model_name:
        lines.append(f"Used by {item.models}")
    if item.tokenizer is not None:
        lines.append(f"{len(item.tokenizer.vocabulary):,} entries in the vocabulary")
        lines.append(f"Pre-tokens: {cuts_by(item.tokenizer)}")
        special = list(item.tokenizer.special_tokens)
        if special:
            more = f" and {len(special) - 8:,} more" if len(special) > 8 else ""
            lines.append(f"Special tokens: {', '.join(special[:8])}{more}")
    if item.group in (LibraryGroup.FILES, LibraryGroup.TRAINED):
        lines.append(item.source)
    if item.note:
        lines.append(item.note)
    return "\n".join(lines)
