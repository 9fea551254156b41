"""One finding about a tokenizer: its title, its level, the first cases, and buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from tokenarium.models.diagnosis.diagnosis import NO_REPAIRS, Diagnosis, Evidence, Level
from tokenarium.models.text.piece import SentenceToken, readable
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import HEADING_SIZE, ui_font
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.widgets.badge import INTO_TEXT, Badge, card_button
from tokenarium.widgets.field_row import FIELD_GAP
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.painting import SentenceLabel
from tokenarium.widgets.panel import CardFrame, ElidedLabel, literal, secondary
from tokenarium.widgets.term_marks import with_term

WIDEST = 136 * GRID
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

OF_FILES = frozenset(
    ("added_blanks", "added_ids", "configuration", "folder", "same_model", "stored_cuts", "stored_patterns", "text_starts", "zero_scores")
)  # fmt: skip
"""The findings about what the files say, which programs may read differently."""

FIRST = 5
"""The number of cases that are shown at first."""


ICONS = {
    Level.WRONG_IDS: "x-circle",
    Level.LOST_TEXT: "x-circle",
    Level.SURPRISE: "warning-circle",
    Level.FINE: "check-circle",
    Level.UNKNOWN: "minus-circle",
}
"""The icons of the levels: they differ in shape, not in colour alone."""

ID_WIDTH = 11 * GRID
"""The least pixels of the buttons with ids, so that the cases of all cards are in line."""


TONES = {Level.SURPRISE: "ask", Level.FINE: "good", Level.UNKNOWN: "dim"}
"""The tones of the levels that are not bad."""


class LevelMark(Badge):
    """The words of a level with its icon, in its colour on its ground."""

    def __init__(self, level: Level) -> None:
        super().__init__(level.words, ICONS[level], TONES.get(level, "bad"))


class FindingCard(QWidget):
    """Shows one `Diagnosis`."""

    entry_picked = Signal(int)
    all_wanted = Signal()
    opened = Signal()  # more or less of it is shown
    text_wanted = Signal(object)  # a str
    weights_wanted = Signal()
    repair_wanted = Signal()
    programs_wanted = Signal()

    def __init__(self, finding: Diagnosis, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding = finding
        self.setAccessibleName(finding.title)
        self.level = LevelMark(finding.level)
        self.sentence = QLabel(finding.sentence, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        for widget in (self, self.sentence):
            widget.setToolTip(f"<p>{_html(finding.method)}</p>")
        self.how = secondary(QLabel(f"How: {finding.method}", wordWrap=True))
        self.how.hide()
        self.how_button = card_button("How?", f"Shows how “{finding.title}” was found")
        self.how_button.setCheckable(True)
        self.how_button.toggled.connect(self.how.setVisible)
        self.how_button.toggled.connect(self.opened)
        self.repair = card_button("Repair …", f"Shows how “{finding.title}” can be mended")
        self.repair.hide()
        self.repair.clicked.connect(self.repair_wanted)
        self.no_repair = secondary(QLabel(NO_REPAIRS.get(finding.id, ""), wordWrap=True))
        if not finding.level.reaches(Level.SURPRISE) or not self.no_repair.text():
            self.no_repair.hide()
        self.programs = card_button(
            "Other programs", "Shows what other programs make of the files of this tokenizer"
        )
        self.programs.clicked.connect(self.programs_wanted)
        if finding.id not in OF_FILES or not finding.level.reaches(Level.SURPRISE):
            self.programs.hide()
        self.more = card_button("", f"Shows more cases of “{finding.title}”")
        self.all = card_button("", f"Shows all entries of “{finding.title}” in the table")
        self.controls: list[QToolButton] = []
        self._cases = QWidget()
        self._grid = QGridLayout(self._cases)
        self._shown = 0
        self._build()
        self.all.clicked.connect(self.all_wanted)
        self.more.clicked.connect(self.show_all_cases)

    def _build(self) -> None:
        finding = self.finding
        title: QWidget = literal(ElidedLabel(finding.title))
        title.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        if finding.id in TERMS:
            title.setToolTip(explanation(TERMS[finding.id]))
            title = with_term(title, TERMS[finding.id])
        head = in_row(title, self.level, STRETCH, spacing=GRID)
        if finding.id == "under_trained":
            weights = card_button(
                "Choose weights …", "Reads the embeddings of the model that uses it"
            )
            weights.clicked.connect(self.weights_wanted)
            head.addWidget(weights)
            self.controls.append(weights)
        for button in (self.all, self.repair, self.how_button):
            head.addWidget(button)
            self.controls.append(button)
        count = len(finding.tokens)
        self.all.setText(f"{count:,} in the table" if count != 1 else "1 in the table")
        if not count:  # to show it before the card has it would open a window
            self.all.hide()
        self._grid.setContentsMargins(0, GRID // 2, 0, 0)
        self._grid.setHorizontalSpacing(FIELD_GAP)
        self._grid.setVerticalSpacing(GRID // 2)
        self._grid.setColumnStretch(1, 1)
        card = CardFrame()
        card.setMaximumWidth(WIDEST)
        in_column(
            head,
            self.sentence,
            self.no_repair,
            self.how,
            self._cases,
            in_row(self.more, self.programs, STRETCH, spacing=GRID),
            into=card,
            spacing=GRID // 2,
            margins=CARD_MARGIN,
        )
        line = in_row((card, WIDEST), STRETCH)
        in_column(line, into=self, margins=(PAGE_MARGIN, 0, PAGE_MARGIN, CARD_GAP))
        self._show_cases(FIRST)

    def show_repair(self, there: bool) -> None:
        """Shows the button for a repair, or hides it."""
        self.repair.setVisible(there)

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
            button = card_button(f"id {case.token}", f"Shows the entry {case.token}")
            button.setMinimumWidth(ID_WIDTH)
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
            put = card_button("Into the text", INTO_TEXT)
            put.clicked.connect(lambda _=False: self.text_wanted.emit(case.text))
            self.controls.append(put)
            self._grid.addWidget(put, row, 2)


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
