"""The base of the pages of Bytes with an input field: the field, and a row for each other tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QFont, QGuiApplication, QPixmap, QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

import tokenarium_core as tc
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.fonts import TEXT_SIZE, mono_font, ui_font
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_control, kept_scroll
from tokenarium.views.workspace import SOON_MS, Page, Workspace, column, soon
from tokenarium.widgets.areas import CardArea
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, Item, in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, literal, named, secondary, small_heading
from tokenarium.widgets.text.bounded_field import BoundedField
from tokenarium.widgets.text.token_tiles import TokenTiles


class TypedPage(Page):
    """An input ``field``, the ``tiles`` of its tokens, and the result of the other tokenizers.

    A subclass calls `build`, parses the field, shows its tokens, and computes the result of another tokenizer.
    """

    kept_as: ClassVar[str]
    """The name of the field in sessions."""

    def __init__(self, workspace: Workspace, name: str, example: str, same: str) -> None:
        super().__init__(workspace)
        self.field = named(BoundedField(), name)
        self.field.setPlaceholderText(example)
        self.field.setFont(mono_font(TEXT_SIZE))
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(84)
        self.field.document().setDocumentMargin(GRID)
        self.paste = GlyphButton("Paste", "clipboard-text")
        self.status = secondary(QLabel(wordWrap=True))
        self.marker, self.name = QLabel(), ElidedLabel()
        self.name.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.figures = secondary(ElidedLabel())
        self.tiles = TokenTiles(40, 17)
        self.result = QWidget()
        self.same_title = small_heading(same)
        self.same = QWidget()
        self._same_rows = in_column(into=self.same, spacing=GRID)
        self._answered = False
        self._soon = soon(self, self.answer, SOON_MS)

    def build(
        self,
        title: str,
        buttons: Sequence[QWidget],
        parts: Sequence[Item],
        more: Sequence[Item] = (),
        notes: Sequence[Item] = (),
    ) -> None:
        """Puts ``buttons`` above the field, ``parts`` below the tiles, ``more`` and ``notes`` around the status."""
        in_column(
            in_row(self.marker, self.name, self.figures, STRETCH, spacing=GRID),
            self.tiles, *parts, GRID, self.same_title, self.same, into=self.result, spacing=12,
        )  # fmt: skip
        body = QWidget()
        margins = (PAGE_MARGIN, CARD_MARGIN, PAGE_MARGIN, CARD_MARGIN)
        in_column(
            in_row(small_heading(title), STRETCH, *buttons, self.paste, spacing=GRID),
            self.field, *more, self.status, *notes, self.result,
            into=body, spacing=GRID, margins=margins,
        )  # fmt: skip
        self.area = CardArea()
        self.area.put(0, body)
        column(self.area, grows=self.area, into=self)
        self.field.textChanged.connect(self._soon.start)
        self.paste.clicked.connect(lambda: self.show_written(QGuiApplication.clipboard().text()))
        self.session.tokenizers_changed.connect(self._soon.start)
        self.session.current_changed.connect(self._soon.start)
        self.appearance.changed.connect(self._soon.start)
        self.answer()

    # For subclasses.

    def read(self) -> bool:
        """Parses the field; returns whether there is something to show."""
        raise NotImplementedError

    def sentence(self, tokenizer: tc.Tokenizer) -> str:
        """Returns the sentence below the field."""
        raise NotImplementedError

    def show_result(self, tokenizer: tc.Tokenizer | None) -> None:
        """Shows the result of the tokenizer in front; None: nothing is shown."""
        raise NotImplementedError

    def same_of(self, tokenizer: tc.Tokenizer) -> tuple[ElidedLabel, str]:
        """Returns the result of another tokenizer, and a note."""
        raise NotImplementedError

    def more_keeps(self) -> Iterable[Kept]:
        """Returns what scenes keep in addition to the field."""
        return ()

    # Display.

    def show_written(self, text: str) -> None:
        """Sets the field, and shows its result."""
        with QSignalBlocker(self.field):
            self.field.setPlainText(text)
        self.answer()

    def answer(self) -> None:
        """Shows the result of the field now; a hidden page waits until it is shown."""
        self._soon.stop()
        if not self.isVisible() and self._answered:
            return
        some, current = self.read(), self.session.current
        tokenizer = current.tokenizer if current is not None else None
        none = "No tokenizer is on. Click one in the library."
        status = self.sentence(tokenizer) if tokenizer is not None else none
        self.status.setText(status)
        self.status.setVisible(bool(status))
        self._answered = some and tokenizer is not None
        self.result.setVisible(self._answered)
        if current is None or not self._answered:
            self.show_result(None)
            return
        self.marker.setPixmap(self._marker(current))
        self.name.setText(self.session.short_name(current))
        self.show_result(tokenizer)
        self._fill_same([item for item in self.session.chosen() if item is not current])

    def _marker(self, item: LibraryItem) -> QPixmap:
        return marker_icon(self.appearance.theme.identity(item.identity)).pixmap(16, 16)

    def _fill_same(self, items: Iterable[LibraryItem]) -> None:
        """Shows a row for each of the other tokenizers: its result, and a note."""
        while (item := self._same_rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        for other in items:
            if other.tokenizer is None:
                continue
            line, note = self.same_of(other.tokenizer)
            marker, name = QLabel(), literal(QLabel(self.session.short_name(other)))
            marker.setPixmap(self._marker(other))
            name.setFont(ui_font(TEXT_SIZE, QFont.Weight.Medium))
            name.setFixedWidth(16 * GRID)
            row = QWidget()
            in_row(marker, name, (line, 1), secondary(QLabel(note)), into=row, spacing=GRID)
            self._same_rows.addWidget(row)
        self.same.setVisible(self._same_rows.count() > 0)
        self.same_title.setVisible(self._same_rows.count() > 0)

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_control(self.kept_as, self.field),
            *self.more_keeps(),
            kept_scroll("scroll", self.area.verticalScrollBar(), lambda: not self.busy),
        )

    @property
    def busy(self) -> bool:
        return self._soon.isActive()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._soon.start()

    def focus_first(self) -> None:
        self.field.setFocus()
