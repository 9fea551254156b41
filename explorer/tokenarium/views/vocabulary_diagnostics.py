"""The page "Diagnostics" of the workspace Vocabulary: unusual things about the current tokenizer, a card for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QToolButton, QWidget

from tokenarium.models.diagnosis.diagnosing import EXAMINATIONS
from tokenarium.models.diagnosis.diagnosis import Diagnosis, Level
from tokenarium.models.text.direction import isolated
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.theme import CONTROL_HEIGHT, GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_scroll, texts_of
from tokenarium.views.page_program import page_program
from tokenarium.views.repairing import Repairing
from tokenarium.views.vocabulary_cache import STOPPED, Examined, VocabularyCache
from tokenarium.views.workspace import Page, Workspace, column
from tokenarium.widgets.areas import CardArea
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.field_row import FIELD_GAP
from tokenarium.widgets.layouts import STRETCH, in_row
from tokenarium.widgets.panel import ElidedLabel, named, secondary
from tokenarium.widgets.vocabulary.finding_card import WIDEST, FindingCard
from tokenarium.widgets.work_bar import WorkBar

AGAIN = "“Examine again” tries once more."


PROGRAM = """
rows = [{**asdict(one), "level": one.level.value} for one in diagnose(TOKENIZER)]
"""


class DiagnosticsPage(Page):
    """A line that shows the progress, and the cards, the worst findings first."""

    id = "diagnostics"
    title = "Diagnostics"

    entry_picked = Signal(int)
    query_wanted = Signal(object)  # a str

    def __init__(self, workspace: Workspace, cache: VocabularyCache) -> None:
        super().__init__(workspace)
        self._cache = cache
        self.cards: list[FindingCard] = []
        self._how: set[str] = set()  # the findings whose method is shown
        self._whole: set[str] = set()  # the findings of which all cases are shown
        self._of: Examined | None = None
        self._item: LibraryItem | None = None
        self.summary = named(secondary(ElidedLabel()), "Progress of the examination")
        self.bar = WorkBar("Examinations that are running")
        self.bar.setRange(0, len(EXAMINATIONS))
        self.button = QToolButton()
        self.button.setFixedHeight(CONTROL_HEIGHT)
        self.stopped = EmptyState()
        self.repairing = Repairing(self)
        self._build()
        self.button.clicked.connect(self._press)
        cache.examined.connect(self._take)
        for signal in (self.session.tokenizers_changed, self.session.current_changed):
            signal.connect(self._follow)

    def _build(self) -> None:
        head = QWidget(maximumWidth=WIDEST)  # as wide as the cards
        in_row((self.summary, 1), self.bar, self.button, into=head, spacing=GRID)
        margins = (PAGE_MARGIN, 0, PAGE_MARGIN, FIELD_GAP)
        line = in_row((head, WIDEST), STRETCH, margins=margins)
        self.area = named(CardArea(framed=True), "Findings")
        self.area.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # so that it scrolls by keys
        self._found = QStackedWidget()
        self._found.addWidget(self.area)
        self._found.addWidget(self.stopped)
        self._pages = self.fill(column(line, self._found, grows=self._found))

    @property
    def findings(self) -> list[Diagnosis]:
        """The findings about the current tokenizer."""
        return self._of.findings if self._of is not None else []

    @property
    def item(self) -> LibraryItem | None:
        """The current tokenizer."""
        return self._item

    def keeps(self) -> Iterable[Kept]:
        return (
            Kept("how", lambda: sorted(self._how), lambda ids: self._open(ids, self._how)),
            Kept("cases", lambda: sorted(self._whole), lambda ids: self._open(ids, self._whole)),
            Kept("stopped", lambda: self._stopped or None, lambda stopped: self._stop_again(bool(stopped))),
            kept_scroll("top", self.area.verticalScrollBar(), self._is_filled),
        )  # fmt: skip

    def _open(self, ids: object, opened: set[str]) -> None:
        """Shows more of these findings, also of those that do not exist yet."""
        opened.clear()
        opened.update(texts_of(ids))
        for card in self.cards:
            self._open_card(card)

    def _open_card(self, card: FindingCard) -> None:
        how, whole = card.finding.id in self._how, card.finding.id in self._whole
        card.how_button.setChecked(how)
        if whole:
            card.show_all_cases()

    def _note_opened(self, card: FindingCard) -> None:
        id = card.finding.id
        (self._how.add if card.how_button.isChecked() else self._how.discard)(id)
        if card.shows_all_cases:
            self._whole.add(id)

    @property
    def _stopped(self) -> bool:
        """Whether the user has stopped the examination."""
        return self._of is not None and self._of.problem == STOPPED

    def _stop_again(self, stopped: bool) -> bool:
        if stopped and not self.session.opening and self.busy:
            self._cache.stop()
        return not self.session.opening

    def _is_filled(self) -> bool:
        return self._of is not None and self._of.finished and not self.session.opening

    @property
    def busy(self) -> bool:
        examining = self._item is not None and self._cache.examining == self._item.key
        return examining or super().busy

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def _follow(self) -> None:
        """Shows the current tokenizer's findings; examines it if that was not done yet."""
        if not self.isVisible():
            return
        item = self._item = self.session.current
        if item is None or item.tokenizer is None:
            self._of = None
            self._pages.setCurrentIndex(1)
            self.say_no_tokenizer()
            return
        self._pages.setCurrentIndex(0)
        if self._cache.examination(item) is None:
            self._cache.examine(item)
        self._take(item.key)

    def _take(self, key: str) -> None:
        item = self._item
        if item is None or item.key != key or item.tokenizer is None:
            return
        examined = self._cache.examination(item)
        if examined is not self._of:
            for card in self.cards:
                self.area.take_out(card)
            self.cards = []
            self._of = examined
        if examined is None:
            return
        for finding in examined.findings[len(self.cards) :]:
            self._add(finding)
        for card in self.cards:
            card.show_repair(card.finding.id in examined.repairs)
        if examined.finished:
            self._set_tab_order()
        nothing = examined.finished and not examined.findings
        self._found.setCurrentIndex(1 if nothing else 0)
        if nothing:
            self.stopped.say("No findings yet", f"{examined.problem} {AGAIN}")
        self.bar.setValue(len(examined.findings))
        self.bar.setVisible(not examined.finished)
        text = "Examine again" if examined.finished else "Cancel"
        self.button.setText(text)
        self.button.setAccessibleName(text)
        self.button.setToolTip("Examines it again" if examined.finished else "Stops looking")
        self.summary.setText(_summary(item.name, examined))

    def _add(self, finding: Diagnosis) -> None:
        card = FindingCard(finding)
        card.entry_picked.connect(self.entry_picked)
        card.all_wanted.connect(lambda: self.query_wanted.emit(f"finding:{finding.id}"))
        card.text_wanted.connect(self.session.set_text)
        card.repair_wanted.connect(lambda: self._repair(finding))
        card.programs_wanted.connect(lambda: self.trigger("compare_readers"))
        card.weights_wanted.connect(lambda: self.trigger("choose_weights"))
        self._open_card(card)
        card.opened.connect(lambda: self._note_opened(card))
        before = [one for one in self.cards if one.finding.level.reaches(finding.level)]
        self.area.put(len(before), card)
        self.cards.append(card)

    def _repair(self, finding: Diagnosis) -> None:
        """Shows the repairs of a finding."""
        if self._item is not None and self._of is not None:
            repairs = self._of.repairs.get(finding.id, ())
            self.repairing.show(
                self._item, f"{finding.title}: {isolated(self._item.name)}", repairs
            )

    @property
    def shown_cards(self) -> list[FindingCard]:
        """The cards from top to bottom: the worst findings first."""
        levels = list(Level)
        return sorted(self.cards, key=lambda card: levels.index(card.finding.level))

    def _set_tab_order(self) -> None:
        """Makes the focus go through the cards as they are shown, not as they were made."""
        buttons = [one for card in self.shown_cards for one in card.findChildren(QToolButton)]
        for one, following in pairwise(buttons):
            self.setTabOrder(one, following)

    def choose_weights(self, path: str) -> None:
        """Examines the tokenizer again, with the weights of a model at a path."""
        if self._item is not None:
            self._cache.choose_weights(self._item, path)

    def _press(self) -> None:
        if self._item is None:
            return
        if self._cache.examining == self._item.key:
            self._cache.stop()
        else:
            self._cache.examine(self._item)

    def python(self) -> str:
        if self._item is None:
            return ""
        imports = (
            "from dataclasses import asdict\n"
            "from tokenarium.models.diagnosis.diagnosing import diagnose"
        )
        return page_program(self.session, self.title, imports, PROGRAM, front=self._item)

    def focus_first(self) -> None:
        """Puts the focus on the findings: on “Cancel”, the space bar would end the new examination."""
        self.area.setFocus()


def _summary(name: str, examined: Examined) -> str:
    name = isolated(name)
    if examined.problem:
        return f"{name}: {examined.problem}"
    if not examined.finished:
        done = len(examined.findings)
        return f"{name} is being examined: {done} of {len(EXAMINATIONS)} …"
    weights = Counter(one.level for one in examined.findings)
    counts = (f"{weights[weight]} {weight.words}" for weight in Level if weights[weight])
    return f"{name}: {', '.join(counts)}"
