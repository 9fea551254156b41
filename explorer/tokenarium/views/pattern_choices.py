"""Buttons for what can split the text: the chosen tokenizers and the named patterns."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.models.text.pipeline import cuts_by
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import FlatButton, secondary
from tokenarium.widgets.term_marks import with_term
from tokenarium_core.pretokenizers import scanners
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS

OWN = "own"
"""The key of the user's own pattern."""

TOKENIZERS = "tokenizers"
"""The key of all tokenizers that are on; a hidden one has its own key after `HIDDEN`."""

HIDDEN = "not "


@dataclass(frozen=True, slots=True)
class PatternChoice:
    """A way to split the text: its key, its name, a sentence about it, and the splitter.

    The splitter is a pattern, or everything that a tokenizer does before its model; then ``item`` is that tokenizer.
    """

    key: str
    name: str
    about: str
    pre_tokenizer: PreTokenizer | None = None
    item: LibraryItem | None = None


class PatternChoices(QWidget):
    """The buttons; those of the session's patterns are pressed.

    A tokenizer has a name made from its key. With `TOKENIZERS` among the patterns every tokenizer that is on
    is shown, unless the user hides it.
    """

    own_chosen = Signal()  # the user chose to write a pattern
    made_anew = Signal()  # the buttons have changed

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.buttons: dict[str, FlatButton] = {}
        self._row = FlowLayout(self, GRID // 2)
        self._row.setContentsMargins(PAGE_MARGIN, GRID // 2, PAGE_MARGIN, GRID // 2)

    def shown(self) -> list[PatternChoice]:
        """Returns the choices, except the user's own pattern."""
        return [offer for offer in self._offers() if self._is_shown(offer)]

    def _is_shown(self, offer: PatternChoice) -> bool:
        chosen = self._session.patterns
        as_all = offer.item is not None and TOKENIZERS in chosen
        return offer.key in chosen or (as_all and HIDDEN + offer.key not in chosen)

    def refresh(self) -> None:
        """Updates the buttons and which of them are pressed."""
        offers = self._offers()
        if list(self.buttons) != [*(offer.key for offer in offers), OWN]:
            while self._row.count():
                taken = self._row.takeAt(0)
                widget = taken.widget() if taken is not None else None
                if widget is not None:
                    widget.deleteLater()
            self.buttons = {}
            kind = ""
            for offer in offers:
                before, kind = kind, "Patterns " if offer.item is None else "Tokenizers "
                if kind != before:
                    label = secondary(QLabel(kind))
                    label.setFixedHeight(3 * GRID)
                    self._row.addWidget(
                        with_term(label, "pattern") if offer.item is None else label
                    )
                self._add_button(offer)
            self._add_button(PatternChoice(OWN, "Own pattern", "Write your own pattern"))
            self.buttons[OWN].setAccessibleName("Write your own pattern")
            self.made_anew.emit()
        for offer in offers:
            self.buttons[offer.key].setText(offer.name)
            self.buttons[offer.key].setToolTip(as_tip(offer.about))
            self.buttons[offer.key].setChecked(self._is_shown(offer))
        self.buttons[OWN].setChecked(OWN in self._session.patterns)

    def _offers(self) -> list[PatternChoice]:
        """Returns all choices: the chosen tokenizers, their patterns, and the other patterns."""
        offers: list[PatternChoice] = []
        users: dict[str, list[str]] = {}
        for item in self._session.chosen():
            assert item.tokenizer is not None
            about = f"What the model of {item.name} gets: {cuts_by(item.tokenizer)}"
            offers.append(PatternChoice(f"of {item.key}", item.name, about, item=item))
            cutter = item.tokenizer.pre_tokenizer
            if item.tokenizer.splitter is None and cutter.name in PRE_TOKENIZERS:
                users.setdefault(cutter.name, []).append(item.name)
        for name in [*users, *(name for name in PRE_TOKENIZERS if name not in users)]:
            cutter = scanners.pre_tokenizer(name)
            used = f"used by {', '.join(users.get(name, ['no tokenizer that is on']))}"
            offers.append(PatternChoice(name, name, f"{name}, {used}\n{cutter.pattern}", cutter))
        return offers

    def _add_button(self, offer: PatternChoice) -> None:
        button = FlatButton()
        button.setText(offer.name)
        button.setToolTip(offer.about)
        button.setCheckable(True)
        noun = "pre-tokens of" if offer.item is not None else "pattern"
        button.setAccessibleName(f"Show the {noun} {offer.name}")
        button.clicked.connect(lambda on: self._choose(offer.key, on, offer.item is not None))
        self.buttons[offer.key] = button
        self._row.addWidget(button)

    def _choose(self, key: str, on: bool, item: bool) -> None:
        hidden = HIDDEN + key
        others = [other for other in self._session.patterns if other not in (key, hidden)]
        as_all = item and TOKENIZERS in others
        if on != as_all:
            others.append(key if on else hidden)
        self._session.set_patterns(others)
        if on and key == OWN:
            self.own_chosen.emit()
