"""What the pages of the workspace Bytes share that are typed into: the field, and a row for each other tokenizer."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QFont, QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import GRID
from tokenarium.views.workspace import Page, Workspace
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, literal, named, secondary
from tokenarium.widgets.text.bounded_field import BoundedField
from tokenarium.widgets.text.token_tiles import TokenTiles


class TypedPage(Page):
    """A ``field`` that is typed into, the ``tiles`` of its tokens, and the same in the other tokenizers.

    A subclass makes ``_soon``, the timer after which it shows what the field says.
    """

    _soon: QTimer

    def __init__(self, workspace: Workspace, name: str, example: str, same: str) -> None:
        super().__init__(workspace)
        self.field = named(BoundedField(), name)
        self.field.setPlaceholderText(example)
        self.field.setFont(mono_font(TEXT_SIZE))
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(84)
        self.field.document().setDocumentMargin(GRID)
        self.tiles = TokenTiles(self.appearance.theme, 40, 17)
        self.same_title = heading(same)
        self.same = QWidget()
        self._same_rows = in_column(into=self.same, spacing=GRID)

    def fill_same(self, rows: Iterable[tuple[LibraryItem, ElidedLabel, str]]) -> None:
        """Shows a row for each of the other tokenizers: what it makes of the same, and a note."""
        while (item := self._same_rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        theme = self.appearance.theme
        for other, line, note in rows:
            marker, name = QLabel(), literal(QLabel(self.session.short_name(other)))
            marker.setPixmap(marker_icon(theme.identity(other.identity)).pixmap(16, 16))
            name.setFont(ui_font(TEXT_SIZE, QFont.Weight.Medium))
            name.setFixedWidth(16 * GRID)
            row = QWidget()
            in_row(marker, name, (line, 1), secondary(QLabel(note)), into=row, spacing=GRID)
            self._same_rows.addWidget(row)
        self.same.setVisible(self._same_rows.count() > 0)
        self.same_title.setVisible(self._same_rows.count() > 0)

    @property
    def busy(self) -> bool:
        return self._soon.isActive()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._soon.start()

    def focus_first(self) -> None:
        self.field.setFocus()


def heading(text: str) -> QLabel:
    """Returns a small heading."""
    label = secondary(QLabel(text))
    label.setFont(ui_font(SMALL_SIZE, QFont.Weight.DemiBold))
    return label
