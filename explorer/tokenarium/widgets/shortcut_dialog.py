"""Lists the shortcuts: every action with its keys, menu by menu."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import FlatTree
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import MARGIN, close_buttons, size_within

KeySection = tuple[str, Sequence[tuple[str, str]]]
"""A heading, and actions with their keys."""

IN_THE_FIELD: KeySection = (
    "In the text field",
    (
        ("Write a tab", "Ctrl+Tab"),
        ("Leave the field", "Tab, F6"),
        ("Clear the selection", "Esc"),
    ),
)

_SELECTING = (
    ("Start or end of the line", "Home, End"),
    ("Start or end of the text", "Ctrl+Home, Ctrl+End"),
    ("Extend the selection", "Shift with any of these"),
    ("Copy the selected text", "Ctrl+C"),
    ("Clear the selection", "Esc"),
)

IN_THE_TEXTS: KeySection = (
    "In the coloured texts",
    (
        ("Token before or after", "Left, Right"),
        ("Line or screen up or down", "Up, Down, Page Up, Page Down"),
        *_SELECTING,
    ),
)

IN_THE_BYTES: KeySection = (
    "In the rows of bytes",
    (
        ("Character, byte or token before or after", "Left, Right"),
        ("Row above or below", "Up, Down"),
        ("Make the tokenizer of the row the current one", "Return"),
        ("Screen up or down", "Page Up, Page Down"),
        *_SELECTING,
    ),
)


ON_THE_STAGE: KeySection = (
    "On the stage of merges",
    (
        ("Symbol before or after", "Shift+Left, Shift+Right"),
        ("The menu of the symbol", "Return, Menu, Shift+F10"),
    ),
)

IN_A_PRESENTATION: KeySection = (
    "In a presentation",
    (
        ("On", "Space, Right, Page Down, Return"),
        ("Back", "Left, Page Up, Backspace"),
        ("First or last step", "Home, End"),
        ("Answer the question", "1 to 4"),
        ("Reveal the answer", "R"),
        ("Questions before the steps, or not", "Q"),
        ("Black screen", "B, ."),
        ("The window for the presenter", "N"),
        ("Swap two screens", "S"),
        ("Steps of the stage of a lesson", "Up, Down"),
        ("The text of a lesson, or the stage at full width", "P"),
        ("End", "Esc, F5, F11"),
    ),
)

WITH_THE_WHEEL: KeySection = (
    "With the wheel",
    (
        ("The text, stage or chart under the pointer larger or smaller", "Ctrl+Wheel"),
        ("Back to its usual size", "the button in its corner"),
        ("Everything larger or smaller", "Ctrl+Shift+Wheel"),
    ),
)


class ShortcutDialog(QDialog):
    """A table of actions and keys that can be searched; ``sections`` has the actions of the menus."""

    def __init__(self, sections: Sequence[KeySection], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.resize(size_within(parent or self, 60 * GRID, 76 * GRID))
        self.table = FlatTree("Keyboard shortcuts", ("Action", "Keys"), uniform=False, growing=(0,))
        self.table.setItemsExpandable(False)
        self.table.setIndentation(2 * GRID)
        for title, rows in (
            *sections,
            IN_THE_FIELD,
            IN_THE_TEXTS,
            IN_THE_BYTES,
            ON_THE_STAGE,
            IN_A_PRESENTATION,
            WITH_THE_WHEEL,
        ):
            head = QTreeWidgetItem([title])
            bold = head.font(0)
            bold.setBold(True)
            head.setFont(0, bold)
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            head.addChildren([QTreeWidgetItem([what, keys]) for what, keys in rows])
            self.table.addTopLevelItem(head)
            head.setFirstColumnSpanned(True)
        self.table.expandAll()
        buttons = close_buttons(self)
        in_column((self.table, 1), buttons, into=self, spacing=MARGIN, margins=(0, 0, 0, MARGIN))
        buttons.setContentsMargins(0, 0, MARGIN, 0)
