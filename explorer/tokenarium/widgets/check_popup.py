"""A popup with a list of names to tick; typing filters it, a click outside or Escape closes it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import ROW_HEIGHT, make_flat
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import named, passing
from tokenarium.widgets.popup import Popup

WIDTH = 32 * GRID
LEAST_ROWS, MOST_ROWS = 5, 14
"""The most rows that are visible at once."""

KEY = Qt.ItemDataRole.UserRole


class CheckPopup(Popup):
    """A search field, the list, and two buttons that tick all or none of the listed names."""

    changed = Signal(object)  # the keys that are ticked, a frozenset, after each tick

    def __init__(self, name: str, parent: QWidget) -> None:
        """``name`` is the noun of the choices, in the plural."""
        super().__init__(parent)
        self.setAccessibleName(f"Choose the {name}")
        self.search = passing(named(QLineEdit(placeholderText=f"Search {name}"), f"Search {name}"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._narrow)
        self.search.installEventFilter(self)
        self._keys = ShortcutFirst(self.search)
        self.list = QListWidget()
        make_flat(self.list)
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setAccessibleName(name.capitalize())
        self._named: QListWidgetItem | None = None  # the item whose name was pressed
        self.list.itemPressed.connect(self._press)
        self.list.itemClicked.connect(self._click)
        self.list.itemChanged.connect(self._tell)
        self.all = QPushButton("All")
        self.all.setToolTip(f"Ticks all {name} that are listed")
        self.none = QPushButton("None")
        self.none.setToolTip(f"Unticks all {name} that are listed")
        for button, on in ((self.all, True), (self.none, False)):
            button.setAutoDefault(False)
            button.setAccessibleName(button.toolTip())
            button.clicked.connect(lambda _, on=on: self._tick(on))
        ends = in_row(self.all, self.none, spacing=GRID)
        in_column(self.search, ends, self.list, into=self, spacing=GRID, margins=GRID)
        self.setFixedWidth(WIDTH)

    @property
    def ticked(self) -> frozenset[str]:
        """The keys that are ticked."""
        return frozenset(
            item.data(KEY) for item in self._items if item.checkState() is Qt.CheckState.Checked
        )

    def set_choices(self, choices: Sequence[tuple[str, str]], ticked: Collection[str]) -> None:
        """Lists new keys with their titles."""
        with QSignalBlocker(self.list):
            self.list.clear()
            for key, title in choices:
                item = QListWidgetItem(title, self.list)
                item.setData(KEY, key)
                item.setSizeHint(QSize(0, ROW_HEIGHT))
                item.setCheckState(_state(key in ticked))
        self._narrow()

    def open_under(self, widget: QWidget) -> None:
        """Shows all names under a widget, inside its window if there is room."""
        self.search.clear()
        window = widget.window()
        place = widget.mapTo(window, widget.rect().bottomLeft())
        others = self.search.sizeHint().height() + self.all.sizeHint().height() + 5 * GRID
        room = (window.height() - place.y() - others) // ROW_HEIGHT
        rows = min(self.list.count(), max(LEAST_ROWS, min(room, MOST_ROWS)))
        self.list.setFixedHeight(rows * ROW_HEIGHT)
        self.adjustSize()
        left = max(0, min(place.x(), window.width() - self.width()))
        top = max(0, min(place.y() + 1, window.height() - self.height()))
        self.move(window.mapToGlobal(QPoint(left, top)))
        self.show()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Goes from the search field to the list with Down, and ticks the matches with Enter."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            first = next((item for item in self._items if not item.isHidden()), None)
            if event.key() == Qt.Key.Key_Down and first is not None:
                self.list.setCurrentItem(first)
                self.list.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if first is not None and self.search.text():
                    first.setCheckState(_state(first.checkState() is Qt.CheckState.Unchecked))
                    self.search.selectAll()
                return True
        return super().eventFilter(watched, event)

    @property
    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _press(self, item: QListWidgetItem) -> None:
        """Called only for names, as the box handles clicks on itself."""
        self._named = item

    def _click(self, item: QListWidgetItem) -> None:
        """Clicks on the name tick, too."""
        if item is self._named:
            item.setCheckState(_state(item.checkState() is Qt.CheckState.Unchecked))

    def _tell(self) -> None:
        self._named = None
        self.changed.emit(self.ticked)

    def _tick(self, on: bool) -> None:
        with QSignalBlocker(self.list):
            for item in self._items:
                if not item.isHidden():
                    item.setCheckState(_state(on))
        self.list.viewport().update()
        self.changed.emit(self.ticked)

    def _narrow(self) -> None:
        words = self.search.text().casefold().split()
        for item in self._items:
            found_in = re.split(r"[\W_]+", f"{item.text()} {item.data(KEY)}".casefold())
            matches = all(any(one.startswith(word) for one in found_in) for word in words)
            item.setHidden(not matches)


def _state(on: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
