"""Several ways to cut one text, below each other: they scroll together and highlight the same bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QWidget

from tokenarium.models.text.segmentation import TextSpans
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium.style.fonts import reading_font
from tokenarium.style.theme import GRID, Identity, Theme
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import Rule, named
from tokenarium.widgets.text.measure_header import HEIGHT, MeasureHeader
from tokenarium.widgets.text.text_area import PADDING
from tokenarium.widgets.text.text_layout import TextLayout
from tokenarium.widgets.text.token_painter import Annotations
from tokenarium.widgets.text.token_view import TokenView

LEAST_HEIGHT = 8 * GRID
"""The least height of the text of one row; with less room the stack scrolls."""

FEWEST_LINES = 2
"""The least lines of the text of one row, if its header is beside it."""

BESIDE_FROM = 55 * GRID
"""A narrower stack keeps its headers above the texts, which would become too narrow."""


class CutRow(QWidget):
    """One way to cut the text: a header with the counts, and the text with its parts."""

    def __init__(self, header: MeasureHeader, layout: TextLayout, theme: Theme) -> None:
        super().__init__()
        self.header = header
        self.view = named(TokenView(layout, theme=theme), header.name.text())
        self.view.setMinimumHeight(LEAST_HEIGHT)
        self._beside = in_row((self.view, 1))
        rows = in_column(Rule(), header, (self._beside, 1), into=self)
        self._rows = rows

    def add_line(self, widget: QWidget) -> None:
        """Puts a widget between the header and the text."""
        self._rows.insertWidget(self._rows.indexOf(self._beside), widget)

    def set_beside(self, beside: bool) -> None:
        """Puts the header at the left of the text, or over it."""
        self.header.set_beside(beside)
        if beside:
            self._beside.insertWidget(0, self.header)
        else:
            self._rows.insertWidget(1, self.header)
        self.view.setPadding(GRID // 2 if beside else PADDING)

    def event(self, event: QEvent) -> bool:
        """Keeps the least height of the text under lines that wrap, such as a legend."""
        handled = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            least = self._rows.totalMinimumHeightForWidth(self.width())
            self.setMinimumHeight(max(least, self._rows.totalMinimumSize().height()))
        return handled

    def show_parts(self, parts: TextSpans, complete: bool = True) -> None:
        """Shows the parts of the text; if they are incomplete, the last ones stay after them."""
        self.view.setSegmentation(parts if complete else parts.followed_by(self.view.segmentation))


class CutStack(QScrollArea):
    """Rows by key, from top to bottom."""

    hovered = Signal(int, int)  # bytes; -1, -1 for none
    picked = Signal(str, int, int)  # the row's key, bytes; -1, -1 for none
    focused = Signal(str)  # the row's key

    def __init__(self, theme: Theme, parent: QWidget | None = None, least_lines: int = 0) -> None:
        """``least_lines``: at least this many lines of each row are visible.

        If there is too little room for all rows, the headers move beside their texts, which then have two lines.
        If the stack still has to scroll, only it has a scroll bar; the wheel and the keys scroll the text as usual.
        """
        super().__init__(parent)
        self._least_lines = least_lines
        self._beside = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._rows: dict[str, CutRow] = {}
        self._theme = theme
        self._layout = TextLayout(self)
        self._layout.set_font(reading_font())
        self._show_whitespace = False
        self._annotations: Annotations = "none"
        self._splitter = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        self._splitter.setHandleWidth(1)
        self.setWidget(self._splitter)
        if least_lines:
            self._layout.changed.connect(self._fit_rows)
            self.verticalScrollBar().rangeChanged.connect(self._show_bars)

    @property
    def rows(self) -> dict[str, CutRow]:
        """The rows by key."""
        return self._rows

    @property
    def last_view(self) -> TokenView | None:
        """The text of the lowest row."""
        return next((row.view for row in reversed(self._rows.values())), None)

    def set_rows(self, headers: Sequence[tuple[str, MeasureHeader | None]]) -> None:
        """Shows rows with these keys in this order.

        An existing row stays as it is, with its own header; the given header is for a new row.
        """
        wanted = [key for key, _ in headers]
        for key in [key for key in self._rows if key not in wanted]:
            row = self._rows.pop(key)
            row.hide()
            # The rows below it move up now, without being inserted again.
            row.setParent(None)
            row.deleteLater()
        for place, (key, header) in enumerate(headers):
            row_or_none = self._rows.get(key)
            if row_or_none is None:
                assert header is not None, f"a new row needs a header: {key}"
                row_or_none = self._rows[key] = self._new_row(key, header)
            if self._splitter.indexOf(row_or_none) != place:
                self._splitter.insertWidget(place, row_or_none)
            self._splitter.setStretchFactor(place, 1)
        self._rows = {key: self._rows[key] for key in wanted}
        if self._least_lines:
            self._fit_rows()
            self._show_bars()
        for before, after in pairwise(self._rows.values()):
            QWidget.setTabOrder(before.view, after.view)

    def set_text_map(self, text_map: TextMap) -> None:
        """Lays out another text, once for all rows."""
        self._layout.set_text_map(text_map)

    def set_disputed(self, cuts: IntArray, keys: Collection[str]) -> None:
        """Ticks these cuts (byte offsets, sorted) in the rows with these keys that make them."""
        nothing = cuts[:0]
        for key, row in self._rows.items():
            row.view.setDisputed(cuts if key in keys else nothing)

    def light(self, selection: tuple[int, int] | None, pointed: tuple[int, int] | None) -> None:
        """Highlights the selected bytes, and those that are pointed at, in all rows."""
        for row in self._rows.values():
            row.view.setHighlight(*(selection or (-1, -1)))
            row.view.setPointed(*(pointed or (-1, -1)))

    def scroll_to_top(self) -> None:
        """Scrolls to the beginning of the text."""
        for row in self._rows.values():
            row.view.scrollTo(0)

    def ensure_visible(self, byte: int) -> None:
        """Scrolls all rows so that a byte is visible."""
        for row in self._rows.values():
            row.view.ensureVisible(byte)

    def set_display(self, show_whitespace: bool, annotations: Annotations) -> None:
        """Sets what is drawn in addition to the letters."""
        self._show_whitespace, self._annotations = show_whitespace, annotations
        for row in self._rows.values():
            self._dress(row)

    def set_theme(self, theme: Theme) -> None:
        """Paints in the colours of a theme."""
        self._theme = theme
        for row in self._rows.values():
            row.view.setTheme(theme)

    def mark_rows(self, identities: Mapping[str, Identity]) -> None:
        """Gives the rows the markers of their tokenizers."""
        for key, row in self._rows.items():
            if row.header.chip is not None and key in identities:
                row.header.chip.set_identity(identities[key])

    def _new_row(self, key: str, header: MeasureHeader) -> CutRow:
        row = CutRow(header, self._layout, self._theme)
        row.set_beside(self._beside)
        # With another width it would make the shared text be laid out twice.
        row.resize(self._splitter.width(), row.sizeHint().height())
        row.view.hovered.connect(self.hovered)
        row.view.picked.connect(lambda start, end: self.picked.emit(key, start, end))
        row.view.scrolled.connect(lambda byte, shift: self._follow(key, byte, shift))
        header.clicked.connect(lambda: self.focused.emit(key))
        self._dress(row)
        return row

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._least_lines:
            self._fit_rows()

    def _fit_rows(self) -> None:
        # The height of the stack does not depend on the rows, so the layout cannot oscillate.
        line = self._layout.line_height
        wanted = round(self._least_lines * line) + 2 * PADDING
        crowded = self.height() < len(self._rows) * (wanted + HEIGHT + 1)
        beside = crowded and self.width() >= BESIDE_FROM
        if beside:
            wanted = round(FEWEST_LINES * line) + GRID // 2
        for row in self._rows.values():
            if beside != self._beside:
                row.set_beside(beside)
            row.view.setMinimumHeight(wanted)
        self._beside = beside

    def _show_bars(self) -> None:
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded
        if self.verticalScrollBar().maximum() > 0:
            policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        for row in self._rows.values():
            row.view.setVerticalScrollBarPolicy(policy)

    def _dress(self, row: CutRow) -> None:
        row.view.setShowWhitespace(self._show_whitespace)
        row.view.setAnnotations(self._annotations)

    def _follow(self, leader: str, byte: int, shift: float) -> None:
        for key, row in self._rows.items():
            if key != leader:
                row.view.scrollTo(byte, shift)
