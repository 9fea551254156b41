"""Asks what a new lesson begins with: its title, and what the window shows, an example, or a copy of a lesson."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QRadioButton,
    QWidget,
)

from tokenarium.models.lessons.limits import MOST_TITLE
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, TITLE_SIZE, ui_font
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import CardFrame, named, passing, secondary

WIDTH = 66 * GRID
INDENT = 3 * GRID
"""Pixels of the dialog, and of the lines about a choice."""

VIEW, EXAMPLE, COPY = "view", "example", "copy"
"""What a lesson may begin with."""

_ABOUT_EXAMPLE: Final = "A step with all that a step may have. You change it in a form."
_NO_VIEW: Final = "The window shows no text."


class NewLessonDialog(QDialog):
    """A title, and what the lesson begins with.

    ``view`` says what the window shows, "" if that cannot be a step; ``lessons`` are the titles of all lessons by their
    ids, ``saved_as`` returns the name of the file for a title, and ``tokenizers`` names those of the lesson.
    """

    def __init__(
        self,
        view: str,
        lessons: Mapping[str, str],
        saved_as: Callable[[str], str],
        tokenizers: str,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("New lesson")
        self._saved_as = saved_as
        heading = QLabel("New lesson")
        heading.setFont(ui_font(TITLE_SIZE, QFont.Weight.DemiBold))
        self.field = passing(named(QLineEdit(), "Title"))
        self.field.setMaxLength(MOST_TITLE)
        self.field.setPlaceholderText("What it is about, in a few words")
        self.saved = _small("")
        self.lessons = named(QComboBox(), "The lesson to copy")
        for id, title in lessons.items():
            self.lessons.addItem(title, id)
        self.choices: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        cards = [
            self._card(VIEW, "What the window shows", _small(view or _NO_VIEW)),
            self._card(EXAMPLE, "An example", _small(_ABOUT_EXAMPLE)),
            self._card(COPY, "A copy of a lesson", self.lessons),
        ]
        self.choices[VIEW].setEnabled(bool(view))
        self.choices[COPY].setEnabled(bool(lessons))
        self.choices[VIEW if view else EXAMPLE].setChecked(True)
        self.lessons.activated.connect(lambda _: self.choices[COPY].setChecked(True))
        self.write = GlyphButton("Write the lesson", "pencil-simple", "primary")
        self.write.setDefault(True)
        self.write.clicked.connect(self.accept)
        cancel = GlyphButton("Cancel", "x", "quiet")
        cancel.clicked.connect(self.reject)
        in_column(
            heading,
            GRID // 2,
            _small("Title"),
            self.field,
            self.saved,
            GRID // 2,
            _small("Begin with"),
            *cards,
            GRID // 2,
            _small(
                f"Tokenizers: {tokenizers}. These are the ones that are on; you can change them in the form."
            ),
            STRETCH,
            in_row(STRETCH, cancel, self.write, spacing=GRID),
            into=self,
            spacing=GRID,
            margins=CARD_MARGIN + GRID // 2,
        )
        self.setFixedWidth(min(WIDTH, parent.width() - 4 * GRID))
        self.field.textChanged.connect(self._show_name)
        self._show_name()
        self.field.setFocus()

    def _card(self, beginning: str, title: str, about: QWidget) -> QWidget:
        choice = QRadioButton(title)
        choice.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        if isinstance(about, QLabel):
            choice.setAccessibleDescription(about.text())
        self.choices[beginning] = choice
        self._group.addButton(choice)
        card = CardFrame()
        in_column(
            choice,
            in_row((about, 1), margins=(INDENT, 0, 0, 0)),
            into=card,
            spacing=GRID // 2,
            margins=(GRID * 3 // 2, GRID, GRID * 3 // 2, GRID),
        )
        return card

    def _show_name(self) -> None:
        self.write.setEnabled(bool(self.title))
        name = self._saved_as(self.title) if self.title else ""
        self.saved.setText(
            f"Saved as {name} in your lessons." if name else "A title names its file."
        )

    @property
    def title(self) -> str:
        """The title of the lesson."""
        return self.field.text().strip()

    @property
    def beginning(self) -> str:
        """What the lesson begins with: `VIEW`, `EXAMPLE` or `COPY`."""
        return next(name for name, choice in self.choices.items() if choice.isChecked())

    @property
    def copied(self) -> str:
        """The id of the lesson to copy."""
        return str(self.lessons.currentData())


def _small(text: str) -> QLabel:
    label = secondary(QLabel(text, wordWrap=True))
    label.setFont(ui_font(SMALL_SIZE))
    return label
