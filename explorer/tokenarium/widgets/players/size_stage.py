"""A text as split at one size of a vocabulary, above the curves of all sizes; for a page and for pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QWidget

from tokenarium.models.merges.size_cuts import SizeCuts, TokenizerCuts
from tokenarium.models.merges.size_scale import TRANSITION, SizeCurve, SizeScale
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.lost_text import TextLoss
from tokenarium.models.text.piece import readable
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.superword_ids import ABOUT, superword_ids, superword_note
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.theme import GRID, Identity
from tokenarium.style.themed import Themed
from tokenarium.widgets.charts.size_chart import SizeChart
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, MarkerChip, Rule, named, secondary, strong
from tokenarium.widgets.text.token_view import TokenView

POINTS = 400
"""The most points of a curve: about one for two pixels."""

ONE_LINE = 90 * GRID
"""The least width in pixels in which the sentence fits in one line."""

FIRST_SUPERWORD = "first superword"
"""The mark of a vocabulary with superwords whose training is not known."""

WINDOW = 8192
"""Bytes before and after the visible text that are coloured too."""


class SizeStage(Themed, QWidget):
    """Shows a number of merges of one vocabulary; ``size_asked`` emits the size to which the chart's line is dragged."""

    size_asked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: TokenizerCuts | None = None
        self._curves: Sequence[TokenizerCuts] = ()
        self._number = 0
        self._length = 0  # the number of bytes that were split
        self._coloured: tuple[object, ...] = ()  # the inputs of the visible tokens
        self.log = True
        self.ratio = False
        self.view = named(TokenView(), "The text after the first merges")
        self.chart = SizeChart()
        self.chip = MarkerChip(self.theme.identity(0))
        self.name = strong(QLabel())
        self.sentence = named(ElidedLabel(), "What the last merge made")
        self.count = secondary(QLabel())
        self.over = QHBoxLayout()
        self._build()
        self.chart.moved.connect(self.size_asked)
        self.view.scrolled.connect(lambda *_: self._show_tokens())
        self.view.text_layout.changed.connect(self._show_tokens)

    def _build(self) -> None:
        head = QWidget()
        in_row(
            self.chip,
            self.name,
            (self.sentence, 1),
            self.count,
            into=head,
            spacing=GRID,
            margins=(2 * GRID, GRID // 2, 2 * GRID, GRID // 2),
        )
        above, below = QWidget(), QWidget()
        for part, widgets in ((above, (head, self.view, Rule())), (below, (self.chart,))):
            rows = in_column(into=part)
            for widget in widgets:
                rows.addWidget(widget, int(widget in (self.view, self.chart)))
        self.over.setContentsMargins(2 * GRID, GRID // 2, GRID, 0)
        rows.insertLayout(0, self.over)
        parts = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        for part in (above, below):
            parts.addWidget(part)
            parts.setStretchFactor(parts.count() - 1, 1)
        in_column(parts, into=self, spacing=-1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_sentence()

    def _fit_sentence(self) -> None:
        short = self._shown is not None and self.width() >= ONE_LINE
        self.sentence.set_lines(1 if short else 2)  # the reason for missing cuts is longer

    # Display.

    def set_text(self, text_map: TextMap, length: int) -> None:
        """Shows a new text, of which the first ``length`` bytes are split."""
        self._length = length
        self._coloured = ()
        self.view.set_text_map(text_map)

    @property
    def text(self) -> tuple[TextMap, int]:
        """The current text, and how many of its bytes are split."""
        return self.view.text_layout.text_map, self._length

    def show_curves(self, cuts: Sequence[TokenizerCuts]) -> None:
        """Draws the curves of tokenizers, by ``log`` and ``ratio``; call `show_number` after it."""
        self._curves = cuts
        least = min((cut.cuts.base for cut in cuts), default=1)
        most = max((cut.cuts.size for cut in cuts), default=1)
        curves = [self._curve(cut) for cut in cuts]
        scale = SizeScale(max(least, 1), most, self.log)
        self.chart.show_curves(curves, scale, "Bytes per token" if self.ratio else "Tokens")

    def set_shown(self, shown: TokenizerCuts) -> None:
        """Shows the text as this tokenizer splits it; call `show_number` after it."""
        self._shown = shown
        self._fit_sentence()
        self._name(shown.name, self.theme.identity(shown.identity))

    def show_whole(
        self,
        name: str,
        identity: Identity,
        sentence: str,
        parts: TextParts,
        losing: TextLoss | None = None,
    ) -> None:
        """Shows all tokens of a tokenizer that has no cuts by first merges, and says why.

        ``losing``: lost parts of the text are hatched.
        """
        self._shown = None
        self._fit_sentence()
        self._name(name, identity)
        self.sentence.setText(sentence)
        self.count.setText(f"{len(parts):,} tokens" if len(parts) else "")
        self._coloured = ()
        self.view.show_parts(parts, losing)

    def show_number(self, number: int) -> None:
        """Shows the text, the line and the sentence for the first ``number`` merges."""
        shown = self._shown
        self._number = number
        if shown is None:
            return
        size = shown.cuts.base + number
        self.chart.show_size(size, [self._value(curve.cuts, size) for curve in self._curves])
        tokens = shown.cuts.count(number)
        self.sentence.setText(_sentence(shown, number))
        each = self._length / max(tokens, 1)
        part = self._length < self.view.text_layout.text_map.byte_count
        prefix = f"first {self._length:,} bytes: " if part else ""
        self.count.setText(f"{prefix}{tokens:,} tokens · {each:.2f} bytes per token")
        self._show_tokens()

    def _name(self, name: str, identity: Identity) -> None:
        self.chip.set_identity(identity)
        self.name.setText(name)
        shown = self._shown
        several = shown is not None and len(superword_ids(shown.tokenizer)) > 0
        self.count.setToolTip(ABOUT if several else "")
        self.view.setAccessibleDescription(ABOUT if several else "")

    def _show_tokens(self) -> None:
        """Colours the visible tokens, and some before and after them."""
        shown = self._shown
        if shown is None:
            return
        top, bottom = self.view.visible_bytes()
        first = max(0, (top // WINDOW - 1) * WINDOW)
        last = min(self._length, (bottom // WINDOW + 2) * WINDOW)
        key = (shown.cuts, self._number, first, last)
        if key != self._coloured:  # with new parts, a view forgets its current token
            self._coloured = key
            several = superword_ids(shown.tokenizer)
            self.view.show_parts(shown.cuts.parts(self._number, first, last, several))

    def _curve(self, one: TokenizerCuts) -> SizeCurve:
        cuts = one.cuts
        sizes = SizeScale(max(cuts.base, 1), cuts.size, self.log).sizes(POINTS)
        counts = cuts.counts(sizes - cuts.base).astype(np.float64)
        values = self._length / np.maximum(counts, 1) if self.ratio else counts
        mark = (one.transition, TRANSITION)
        first = 0 if one.transition else cuts.first_of(superword_ids(one.tokenizer))
        if first:
            mark = (cuts.base + first, FIRST_SUPERWORD)
        identity = self.theme.identity(one.identity)
        return SizeCurve(one.name, identity, sizes, values, mark=mark)

    def _value(self, cuts: SizeCuts, size: int) -> float | None:
        """Returns the value of a size on the vertical axis; None if the vocabulary has no such size."""
        if not cuts.base <= size <= cuts.size:
            return None
        count = cuts.count(size - cuts.base)
        return self._length / max(count, 1) if self.ratio else count


def _sentence(shown: TokenizerCuts, number: int) -> str:
    """Returns a sentence about the result of the last merge."""
    cuts = shown.cuts
    if number == 0:
        return f"{cuts.base:,} entries and no merge: bytes or characters, and special tokens"
    vocabulary, token = shown.tokenizer.vocabulary, cuts.piece(number)
    several = ", a superword" if superword_note(vocabulary, token) else ""
    piece = isolated(readable(vocabulary.piece(token)))
    sentence = f"Merge {number:,} of {cuts.merges:,} made “{piece}”{several}"
    changed = cuts.joined(number)
    if not changed:
        return f"{sentence}, which changes nothing here"
    return f"{sentence}, which joins {changed:,} {'place' if changed == 1 else 'places'} here"
