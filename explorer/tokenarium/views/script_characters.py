"""The page Characters of the workspace Scripts: which characters of each script have a token of their own."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from tokenarium.models.scripts.vocabulary_scripts import (
    CLASS_NAMES,
    assigned,
    characters_of,
    count_own,
)
from tokenarium.style.theme import GRID, Theme
from tokenarium.views.script_page import ScriptHost, ScriptPage, TokenizerChoice, rule_label
from tokenarium.widgets.compare.character_table import ScriptTable
from tokenarium.widgets.panel import MARGIN, ElidedLabel, secondary, strong
from tokenarium.widgets.text.character_grid import CharacterGrid

OWN_RULE = (
    "A character has a token of its own where an entry is that character alone, with no blank before it."
    " The others of a script are always pieced together, or are part of a longer entry."
)


WHICH = ("All", "With a token", "Without")
"""What the grid can show of a script."""


class CharactersPage(ScriptPage):
    """A table of all scripts beside the characters of one, for one tokenizer."""

    id = "characters"
    title = "Characters with a token of their own"

    def __init__(self, host: ScriptHost) -> None:
        super().__init__(host)
        self.table = ScriptTable()
        self.grid = CharacterGrid(host.theme)
        self.head = strong(ElidedLabel())
        self.choice = TokenizerChoice(
            "Tokenizer of the grid", "The tokenizer whose tokens are marked in the grid"
        )
        self.choice.activated.connect(
            lambda: self.session.set_current(self.choice.currentData() or "")
        )
        self.table.script_picked.connect(self._show_script)
        self.which = QComboBox()
        self.which.setAccessibleName("Which characters are shown")
        self.which.setToolTip("Shows all characters, or those with or without a token of their own")
        self.which.addItems(WHICH)
        self.which.currentIndexChanged.connect(lambda _: self._show_script(self.table.script))
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(GRID)
        head.addWidget(self.which)
        head.addWidget(self.choice)
        head.addStretch(1)
        right = QWidget()
        rows = QVBoxLayout(right)
        rows.setContentsMargins(GRID, 0, 0, 0)
        rows.setSpacing(GRID // 2)
        rows.addWidget(self.head)
        rows.addLayout(head)
        self.key = secondary(QLabel("Filled: has a token of its own. Not filled: has none."))
        self.key.setWordWrap(True)
        rows.addWidget(self.grid, 1)
        rows.addWidget(self.key)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.setChildrenCollapsible(False)
        halves.setHandleWidth(1)
        halves.addWidget(self.table)
        halves.addWidget(right)
        halves.setSizes([700, 300])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GRID, MARGIN, GRID)
        layout.setSpacing(GRID // 2)
        layout.addWidget(strong(QLabel(self.title)))
        layout.addWidget(halves, 1)
        layout.addWidget(rule_label(OWN_RULE))

    def refresh(self) -> None:
        counted = self.host.counted
        current = self.session.current
        self.choice.fill(counted, current.key if current is not None else "")
        owns = [count_own(one.use.own_characters) for one in counted]
        rows = [
            (number, CLASS_NAMES[number], int(assigned[number]), [int(own[number]) for own in owns])
            for number in np.flatnonzero(assigned).tolist()
        ]
        fresh = self.table.script < 0
        self.table.show_rows([one.entry.name for one in counted], rows)
        if fresh and owns:
            self.table.choose(CLASS_NAMES.index("Latin"))
        self._show_script(self.table.script)

    def show_theme(self, theme: Theme) -> None:
        one = self.choice.chosen(self.host.counted)
        self.grid.set_theme(theme, theme.tokenizer(one.entry.colour if one is not None else 0))

    def choose(self, script: int) -> None:
        if script < len(assigned) and assigned[script]:
            self.table.choose(script)

    def focus_first(self) -> None:
        self.table.setFocus()

    def _show_script(self, script: int) -> None:
        one = self.choice.chosen(self.host.counted)
        if script < 0 or one is None:
            return
        codes = characters_of(script)
        marked = one.use.own_characters[codes]
        own, name = int(np.count_nonzero(marked)), CLASS_NAMES[script]
        self.head.setText(f"{name}: {own:,} of {len(codes):,} characters")
        if self.which.currentIndex():
            shown = marked == (self.which.currentIndex() == 1)
            codes, marked = codes[shown], marked[shown]
        self.grid.show_characters(codes, marked, self.host.theme.tokenizer(one.entry.colour))
