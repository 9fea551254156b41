"""One finding about a tokenizer: its title, its level, the first cases, and buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from tokenarium.models.diagnosis.diagnosis import Diagnosis, Evidence, Level
from tokenarium.models.text.piece import SentenceToken, readable
from tokenarium.resources.glossary import explanation
from tokenarium.style.theme import GRID, PAGE_MARGIN, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.painting import SentenceLabel
from tokenarium.widgets.panel import ElidedLabel, Rule, named, secondary, strong
from tokenarium.widgets.term_marks import with_term

BUTTON_HEIGHT = 3 * GRID

WIDEST = 132 * GRID
"""The most pixels of a card: in a wider one the buttons are too far from their texts."""

TERMS = {
    "injection": "special token",
    "not_utf8": "split character",
    "numbers": "pre-token",
    "round_trip": "round trip",
    "under_trained": "under-trained",
    "unreachable": "unreachable entry",
}
"""The glossary terms of findings, by the ids of the findings."""

FIRST = 5
"""The number of cases that are shown at first."""


class FindingCard(Themed, QWidget):
    """Shows one `Diagnosis`."""

    entry_picked = Signal(int)
    all_wanted = Signal()
    opened = Signal()  # more or less of it is shown
    text_wanted = Signal(object)  # a str
    weights_wanted = Signal()

    def __init__(self, finding: Diagnosis, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding = finding
        self.setAccessibleName(finding.title)
        self.level = QLabel(finding.level.words)
        self.level.setForegroundRole(QPalette.ColorRole.WindowText)  # on a panel it would be Text
        self.sentence = QLabel(finding.sentence, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        for widget in (self, self.sentence):
            widget.setToolTip(f"<p>{_html(finding.method)}</p>")
        self.how = secondary(QLabel(f"How: {finding.method}", wordWrap=True))
        self.how.hide()
        self.how_button = _button("How?", f"Shows how “{finding.title}” was found")
        self.how_button.setCheckable(True)
        self.how_button.toggled.connect(self.how.setVisible)
        self.how_button.toggled.connect(self.opened)
        self.more = _button("", f"Shows more cases of “{finding.title}”")
        self.all = _button("", f"Shows all entries of “{finding.title}” in the table")
        self.controls: list[QToolButton] = []
        self._cases = QWidget()
        self._grid = QGridLayout(self._cases)
        self._shown = 0
        self._build()
        self.all.clicked.connect(self.all_wanted)
        self.more.clicked.connect(self.show_all_cases)
        self.follow_theme()

    def _build(self) -> None:
        finding = self.finding
        title: QWidget = strong(ElidedLabel(finding.title))
        if finding.id in TERMS:
            title.setToolTip(explanation(TERMS[finding.id]))
            title = with_term(title, TERMS[finding.id])
        head = in_row(title, self.level, STRETCH, spacing=GRID)
        if finding.id == "under_trained":
            weights = _button("Choose weights …", "Reads the embeddings of the model that uses it")
            weights.clicked.connect(self.weights_wanted)
            head.addWidget(weights)
            self.controls.append(weights)
        for button in (self.all, self.how_button):
            head.addWidget(button)
            self.controls.append(button)
        count = len(finding.tokens)
        self.all.setText(f"{count:,} in the table" if count != 1 else "1 in the table")
        self.all.setVisible(count > 0)
        self._grid.setContentsMargins(0, GRID // 2, 0, 0)
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(GRID // 4)
        self._grid.setColumnStretch(1, 1)
        inner = in_column(
            head,
            self.sentence,
            self.how,
            self._cases,
            (self.more, 0, Qt.AlignmentFlag.AlignLeft),
            spacing=GRID // 2,
            margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID),
        )
        body = QWidget(maximumWidth=WIDEST)
        body.setLayout(inner)
        line = in_row((body, WIDEST), STRETCH, spacing=-1)
        in_column(line, Rule(), into=self)
        self._show_cases(FIRST)

    def dress(self, theme: Theme) -> None:
        colours = {
            Level.WRONG_IDS: theme.bad,
            Level.LOST_TEXT: theme.bad,
            Level.SURPRISE: theme.ask,
            Level.FINE: theme.good,
            Level.UNKNOWN: theme.dim,
        }
        palette = self.level.palette()
        palette.setColor(QPalette.ColorRole.WindowText, colours[self.finding.level])
        self.level.setPalette(palette)

    @property
    def shows_all_cases(self) -> bool:
        """Whether all cases are shown, of more than are shown at first."""
        return self._shown > FIRST

    def show_all_cases(self) -> None:
        """Shows all cases."""
        self._show_cases(len(self.finding.evidence))
        self.opened.emit()

    def _show_cases(self, count: int) -> None:
        evidence = self.finding.evidence
        for row in range(self._shown, min(count, len(evidence))):
            self._add(row, evidence[row])
        self._shown = min(count, len(evidence))
        left = len(evidence) - self._shown
        self.more.setText(f"{left:,} more cases" if left != 1 else "1 more case")
        self.more.setVisible(left > 0)
        self._cases.setVisible(self._shown > 0)

    def _add(self, row: int, case: Evidence) -> None:
        if case.token >= 0:
            button = _button(f"id {case.token}", f"Shows the entry {case.token}")
            button.clicked.connect(lambda _=False: self.entry_picked.emit(case.token))
            self.controls.append(button)
            self._grid.addWidget(button, row, 0)
        note = SentenceLabel()
        if case.text is None:
            note.say((case.note,))
        else:
            shown = SentenceToken(readable(case.text.encode("utf-8", "replace"), 60), case.token)
            note.say((shown, f"  {case.note}"))
        self._grid.addWidget(note, row, 1)
        if case.text:
            put = _button(
                "Into the text", "Replaces the text with this one; undo in the text brings it back"
            )
            put.clicked.connect(lambda _=False: self.text_wanted.emit(case.text))
            self.controls.append(put)
            self._grid.addWidget(put, row, 2)


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _button(text: str, tip: str) -> QToolButton:
    button = named(QToolButton(), tip, tip)
    button.setText(text)
    button.setFixedHeight(BUTTON_HEIGHT)
    return button
