"""The checks of a release with the same verdict: each with its figure, its threshold, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QLayout, QWidget

from tokenarium.models.release.evaluation_report import CheckedFigure, ReportComparison
from tokenarium.models.release.release_limits import ReleaseVerdict
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.fonts import TEXT_SIZE, number_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.theme import CARD_GAP, GRID, PAGE_MARGIN, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import CardFrame, Rule, literal, named, secondary, strong
from tokenarium.widgets.term_marks import TermButton

CASES = 3
"""The most cases of a check that are shown; JSON has more."""

FIGURE, THRESHOLD = 18 * GRID, 18 * GRID
"""The least pixels of the columns of a card."""

NARROW = 74 * GRID
"""Pixels: a narrower card has no room for both columns next to the names."""

LINE = 18
"""Pixels of a line of text, and so of a mark next to a name."""

WIDEST = 132 * GRID
"""The most pixels of a card: in a wider one the figures are too far from their names."""

WORSE = 30
"""The most figures that became worse and are shown."""

MARKS = {
    ReleaseVerdict.FAIL: "x-circle",
    ReleaseVerdict.LOOK: "warning-circle",
    ReleaseVerdict.PASS: "check-circle",
    ReleaseVerdict.UNKNOWN: "minus-circle",
}
"""The icons of the verdicts: they differ in shape, not in colour alone."""


class VerdictMark(Themed, QWidget):
    """The icon of a verdict in its colour."""

    def __init__(self, verdict: ReleaseVerdict) -> None:
        super().__init__()
        self._verdict = verdict
        self.setAccessibleName(verdict.value)
        self.setFixedSize(QSize(20, 20))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = verdict_colour(self._verdict, self.theme)
        paint_icon(painter, QRectF(1, 1, 18, 18), MARKS[self._verdict], colour, filled=True)
        painter.end()


def verdict_colour(verdict: ReleaseVerdict, theme: Theme) -> QColor:
    """Returns the colour of a verdict."""
    return {
        ReleaseVerdict.FAIL: theme.bad,
        ReleaseVerdict.LOOK: theme.ask,
        ReleaseVerdict.PASS: theme.good,
        ReleaseVerdict.UNKNOWN: theme.dim,
    }[verdict]


class _Framed(QWidget):
    """A card with room around it, not wider than a readable line."""

    def __init__(self, verdict: ReleaseVerdict, text: str) -> None:
        super().__init__()
        self.setAccessibleName(text)
        self.mark = VerdictMark(verdict)
        self.title = strong(QLabel(text))
        self._card = CardFrame()
        self._card.setMaximumWidth(WIDEST)
        line = in_row((self._card, WIDEST), STRETCH)
        in_column(line, into=self, margins=(PAGE_MARGIN, CARD_GAP, PAGE_MARGIN, 0))

    def _hold(self, body: QLayout | QWidget) -> None:
        head = in_row(self.mark, self.title, STRETCH, spacing=GRID)
        in_column(head, body, into=self._card, spacing=GRID, margins=2 * GRID)


class ReleaseCard(_Framed):
    """The checks of one verdict; those to look at say what to do, with the first cases."""

    def __init__(self, verdict: ReleaseVerdict, found: Sequence[CheckedFigure]) -> None:
        super().__init__(verdict, f"{verdict.words.capitalize()} ({len(found)})")
        self.verdict = verdict
        self.found = tuple(found)
        self._rows = in_column(spacing=GRID // 2)
        self._left = list(found)
        self._both: list[QBoxLayout] = []  # the name of the figure, and its value
        self._hold(self._rows)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        """Puts figures under their names if there is little room."""
        direction = QBoxLayout.Direction
        way = direction.TopToBottom if self.width() < NARROW else direction.LeftToRight
        for row in self._both:
            if row.direction() != way:
                row.setDirection(way)

    def add_row(self) -> bool:
        """Adds the next check, and returns whether there are more: all at once would take longer than a frame."""
        if self._left:
            self._add(self._left.pop(0))
        return bool(self._left)

    def _add(self, one: CheckedFigure) -> None:
        self._rows.addWidget(Rule())
        title = named(literal(QLabel(one.check.title)), one.check.title, as_tip(one.check.about))
        term = one.check.term
        name = TermButton(term) if term else TermButton(one.check.title, as_tip(one.check.about))
        name.setFixedHeight(LINE)
        figure = named(literal(QLabel(one.shown)), f"{one.check.title}: {one.shown}, {one.rule}")
        figure.setFont(number_font(TEXT_SIZE, QFont.Weight.DemiBold))
        rule = secondary(QLabel(one.rule.replace(", ", "\n")))
        for label, width in ((figure, FIGURE), (rule, THRESHOLD)):  # the same columns in all cards
            label.setMinimumWidth(width)
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        top = Qt.AlignmentFlag.AlignTop
        self._rows.addLayout(
            row := in_row(
                in_row((title, 0, top), (name, 0, top), STRETCH),
                in_row(STRETCH, (figure, 0, top), (rule, 0, top)),
            )
        )
        self._both.append(row)
        self._turn()
        lines = [one.note] if one.note else []
        if one.verdict in (ReleaseVerdict.FAIL, ReleaseVerdict.LOOK):
            lines = [*lines, one.check.do, *(f"· {case}" for case in one.cases[:CASES])]
        if lines:
            more = secondary(QLabel("\n".join(lines), wordWrap=True))
            more.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._rows.addWidget(more)


class WorseCard(_Framed):
    """The figures that became worse since an older report."""

    def __init__(self, compared: ReportComparison) -> None:
        worse = len(compared.worse)
        verdict = ReleaseVerdict.LOOK if worse else ReleaseVerdict.PASS
        text = f"Against {compared.name}: {worse} worse, {len(compared.better)} better"
        super().__init__(verdict, text)
        lines = [*compared.notes, *(figure.sentence for figure in compared.worse[:WORSE])]
        if worse > WORSE:
            lines.append(f"And {worse - WORSE:,} more: “tokenarium evaluate --against” lists all.")
        self.lines = literal(QLabel("\n".join(lines), wordWrap=True))
        self.lines.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.lines.setVisible(bool(lines))
        self._hold(self.lines)
