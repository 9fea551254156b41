"""The choice of two of the tokenizers that are on, for pages that compare them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import GRID
from tokenarium.views.kept import Kept, kept_value
from tokenarium.views.workspace import Page
from tokenarium.widgets.panel import FlatButton, named, secondary

HEIGHT = 34
"""Pixels of the controls."""

MOST_WIDTH = 32 * GRID
"""Pixels of a list with a long name."""


class TwoTokenizers(QObject):
    """Two lists and a button that swaps them. Until a person has chosen, it is the first two, or with ``by_front`` the one
    in front and the one after it.

    ``sides``: the word before each list, its name and its tip.
    """

    chosen = Signal()
    """A person has chosen another pair."""

    def __init__(
        self, page: Page, sides: tuple[tuple[str, str, str], ...], swap_tip: str, by_front: bool
    ) -> None:
        super().__init__(page)
        self._session, self._appearance = page.session, page.appearance
        self._by_front = by_front
        self._pair: tuple[str, str] | None = None  # as chosen by a person
        self.boxes = [named(QComboBox(), name, tip) for _, name, tip in sides]
        self.swap = named(FlatButton(), "Swap", swap_tip)
        self.swap.setText("⇄")
        words = [secondary(QLabel(word)) for word, _, _ in sides]
        self.controls: list[QWidget] = [words[0], self.boxes[0], self.swap, words[1], self.boxes[1]]
        for control in self.controls:
            control.setFixedHeight(HEIGHT)
        for box in self.boxes:
            box.setMinimumWidth(18 * GRID)
            box.setMaximumWidth(MOST_WIDTH)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.activated.connect(self._choose)
        self.swap.clicked.connect(self._turn_round)
        page.appearance.changed.connect(self.fill)

    @property
    def there(self) -> dict[str, LibraryItem]:
        """The tokenizers that are on and open, by their keys."""
        return {item.key: item for item in self._session.chosen() if item.tokenizer is not None}

    @property
    def keys(self) -> tuple[str, str] | None:
        """The keys of the two; None if there are fewer."""
        there = list(self.there)
        if len(there) < 2:
            return None
        if self._pair is not None and set(self._pair) <= set(there):
            return self._pair
        current = self._session.current
        first = 0
        if self._by_front and current is not None and current.key in there:
            first = there.index(current.key)
        return there[first], there[(first + 1) % len(there)]

    @property
    def items(self) -> tuple[LibraryItem, LibraryItem] | None:
        """The two; None if there are fewer."""
        there, keys = self.there, self.keys
        return None if keys is None else (there[keys[0]], there[keys[1]])

    def fill(self) -> None:
        """Shows which tokenizers there are, and which are chosen."""
        there, keys = self.there, self.keys
        for place, box in enumerate(self.boxes):
            box.clear()
            for item in there.values():
                identity = self._appearance.theme.identity(item.identity)
                box.addItem(marker_icon(identity), item.name, item.key)
            if keys is not None:
                box.setCurrentIndex(box.findData(keys[place]))

    def _choose(self) -> None:
        before = self.keys
        one, other = (str(box.currentData()) for box in self.boxes)
        if one == other and before is not None:
            # The other choice gets the tokenizer that is free now.
            one, other = (before[1], other) if one == before[0] else (one, before[0])
        self._take((one, other))

    def _turn_round(self) -> None:
        keys = self.keys
        if keys is not None:
            self._take((keys[1], keys[0]))

    def _take(self, pair: tuple[str, str]) -> None:
        self._pair = pair
        self.fill()
        self.chosen.emit()

    def kept(self) -> Kept:
        """Returns what sessions keep: the pair."""

        def show(pair: tuple[str, str]) -> bool:
            if self._session.opening or not set(pair) <= set(self.there) or pair[0] == pair[1]:
                return False
            self._take(pair)
            return True

        read = (lambda: self._pair) if self._by_front else (lambda: self.keys)
        return kept_value("pair", tuple[str, str], read, show)
