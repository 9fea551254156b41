"""The page Overlap of the workspace Compare: which entries the vocabularies share, by their bytes."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.analyses.overlap import OVERLAP
from tokenarium.session.requests import ShowEntry
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.views.analysis_page import AnalysisPage
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.analysis.pair_matrix import MatrixView, PieceListsView
from tokenarium.widgets.areas import MarginArea
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import CardFrame, heading, secondary


class OverlapPage(AnalysisPage):
    """A card with a matrix of the chosen tokenizers, and under it a card for each list of the chosen pair."""

    id, title, analysis = OVERLAP.id, OVERLAP.title, OVERLAP
    views = {"matrix": MatrixView, "pieces": PieceListsView}  # noqa: RUF012

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._asked: list[tuple[str, int]] = []
        self.note = secondary(QLabel(wordWrap=True))
        self.note.setToolTip(OVERLAP.note_tip)
        title = heading(OVERLAP.heading)
        head = in_column(
            in_row(title, *self.head, STRETCH, spacing=GRID), self.note, spacing=GRID // 2
        )
        shared, content = CardFrame(), QWidget()
        matrix, lists = self.parts.values()
        in_column(head, matrix, into=shared, spacing=GRID, margins=CARD_MARGIN)
        in_column(
            shared, (lists, 1), into=content,
            spacing=CARD_GAP, margins=(PAGE_MARGIN, 0, PAGE_MARGIN, PAGE_MARGIN),
        )  # fmt: skip
        self._pages = self.fill(MarginArea(content))
        lists.entry_activated.connect(
            lambda token, key: self.session.requests.ask(ShowEntry(token, key))
        )
        self.session.tokenizers_changed.connect(self.ask_again)
        self.appearance.changed.connect(self._follow_theme)
        self.ask_again()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.ask_again()

    def ask_again(self) -> None:
        """Compares the remaining vocabularies; a hidden page waits until it is shown."""
        chosen = self.session.chosen()
        enough = len(chosen) >= OVERLAP.least
        if not enough:
            self.say_no_tokenizer(OVERLAP.too_few)
        elif not self.answered:
            self.empty.say(*OVERLAP.waiting)
        self._pages.setCurrentIndex(0 if enough and self.answered else 1)
        question = [(item.key, id(item.tokenizer)) for item in chosen]
        if self.isVisible() and enough and question != self._asked:
            self._asked = question
            self.begin(chosen)
        self._show_note()

    def show_parts(self) -> None:
        super().show_parts()
        self._pages.setCurrentIndex(0)
        self._show_note()

    def _show_note(self) -> None:
        self.note.setText("Comparing …" if self.busy else OVERLAP.note)
