"""The patterns that can be shown, a button for each: those of the chosen tokenizers, and all that have a name."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

import tokenarium_core as tc
from tokenarium.session import Session
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_button import FlatButton
from tokenarium.widgets.flow_layout import FlowLayout
from tokenarium.widgets.panel import MARGIN, secondary

OWN = "own"
"""The key of the pattern that a person writes."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A pattern that can be shown: its key, the name on its button, who uses it, and what cuts."""

    key: str
    name: str
    users: str
    pre_tokenizer: tc.PreTokenizer


class PatternChoices(QWidget):
    """The buttons; the patterns of the session are those that are pressed."""

    own_chosen = Signal()  # a person wants to write a pattern
    made_anew = Signal()  # the buttons are others than before

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.buttons: dict[str, FlatButton] = {}
        self._row = FlowLayout(self, GRID // 2)
        self._row.setContentsMargins(MARGIN, GRID // 2, GRID, GRID // 2)

    def shown(self) -> list[Choice]:
        """Returns the patterns that are chosen, but for the one that a person writes."""
        chosen = self._session.patterns
        return [offer for offer in self._offers() if offer.key in chosen]

    def refresh(self) -> None:
        """Shows what can be chosen now, and what is."""
        offers = self._offers()
        if list(self.buttons) != [*(offer.key for offer in offers), OWN]:
            while self._row.count():
                item = self._row.takeAt(0)
                widget = item.widget() if item is not None else None
                if widget is not None:
                    widget.deleteLater()
            self.buttons = {}
            label = secondary(QLabel("Patterns "))
            label.setFixedHeight(3 * GRID)
            self._row.addWidget(label)
            for offer in offers:
                self._add_button(offer.key, offer.name)
            self._add_button(OWN, "Own pattern")
            self.buttons[OWN].setAccessibleName("Write a pattern of your own")
            self.buttons[OWN].setToolTip("Write a pattern of your own")
            self.made_anew.emit()
        for offer in offers:
            used = f"used by {offer.users}" if offer.users else "used by no tokenizer that is on"
            self.buttons[offer.key].setToolTip(
                f"{offer.name}, {used}\n{offer.pre_tokenizer.pattern}"
            )
        for key, button in self.buttons.items():
            button.setChecked(key in self._session.patterns)

    def _offers(self) -> list[Choice]:
        """Returns the patterns that can be shown, those of the chosen tokenizers first."""
        users: dict[str, list[str]] = {}
        offers: dict[str, Choice] = {}
        for entry in self._session.chosen():
            assert entry.tokenizer is not None
            cutter = entry.tokenizer.pre_tokenizer
            named = cutter.name in tc.PRE_TOKENIZERS
            key = cutter.name if named else f"of {entry.key}"
            name = cutter.name if named else f"Pattern of {entry.name}"
            users.setdefault(key, []).append(entry.name)
            offers[key] = Choice(key, name, ", ".join(users[key]), cutter)
        for name in tc.PRE_TOKENIZERS:
            offers.setdefault(name, Choice(name, name, "", tc.pre_tokenizer(name)))
        return list(offers.values())

    def _add_button(self, key: str, name: str) -> None:
        button = FlatButton()
        button.setText(name)
        button.setCheckable(True)
        button.setAccessibleName(f"Show the pattern {name}")
        button.clicked.connect(lambda on: self._choose(key, on))
        self.buttons[key] = button
        self._row.addWidget(button)

    def _choose(self, key: str, on: bool) -> None:
        others = [other for other in self._session.patterns if other != key]
        self._session.set_patterns([*others, key] if on else others)
        if on and key == OWN:
            self.own_chosen.emit()
