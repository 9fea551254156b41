"""The page Diff of the workspace Compare: what two tokenizers do differently, stage by stage, as cards."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QStackedWidget, QWidget

from tokenarium.analyses.analysis import AnalysisInputs, Subject
from tokenarium.analyses.diff import DIFF
from tokenarium.models.compare.diff_result import DiffResult, diff_sources
from tokenarium.models.markdown_table import escaped
from tokenarium.models.mending.difference_repairs import find_stage_repairs
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import counted
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.analysis_page import AnalysisPage
from tokenarium.views.kept import Kept, kept_scroll, texts_of
from tokenarium.views.repairing import Repairing
from tokenarium.views.two_tokenizers import HEIGHT, TwoTokenizers
from tokenarium.views.workspace import Workspace, column, soon
from tokenarium.widgets.compare.diff_cards import DiffCardsView
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import named, secondary
from tokenarium.widgets.work_bar import WorkBar
from tokenarium_core.progress import Progress

SOON_MS = 600
"""Milliseconds after the last change of the text until it is tried."""

STOPPED = "The comparison was stopped."
AGAIN = "“Compare again” tries once more."

SIDES = (
    ("A", "Tokenizer A", "The first of the two tokenizers"),
    ("B", "Tokenizer B", "The tokenizer that it is compared with"),
)


class DiffPage(AnalysisPage):
    """The choice of the two, and a column of cards.

    They are compared in a process, since the stages of two large vocabularies are compared in one step. While the text
    changes, the last result stays.
    """

    id, title, analysis = DIFF.id, DIFF.title, DIFF
    views = {"cards": DiffCardsView}  # noqa: RUF012

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._asked: tuple[object, ...] = ()
        self._how: set[str] = set()  # the cards that say how
        self.pair = TwoTokenizers(self, SIDES, "Swaps A and B", by_front=True)
        self.button = QPushButton()
        self.bar = WorkBar("The tokenizers are being compared")
        self.progress = secondary(QLabel())
        self.cards: DiffCardsView = self.parts["cards"]
        self.waiting = EmptyState()
        self.repairing = Repairing(self)
        self._soon = soon(self, self._follow, SOON_MS)
        self._build()
        self.button.clicked.connect(self._press)
        self.pair.chosen.connect(self._follow)
        self.cards.text_wanted.connect(self.session.set_text)
        self.cards.opened.connect(self._note_opened)
        self.cards.repair_wanted.connect(self._repair)
        self.session.text_changed.connect(self._soon.start)
        for signal in (self.session.tokenizers_changed, self.session.current_changed):
            signal.connect(self._follow)

    def _build(self) -> None:
        self.save = named(
            QPushButton("Save …"),
            "Save the differences",
            "Writes the differences as CSV, or as Markdown with the result",
        )
        self.save.clicked.connect(lambda: self.trigger("save_comparison"))
        choosing, self._controls = FlowLayout(spacing=GRID), [*self.pair.controls, self.save]
        for control in (*self._controls, self.button):
            control.setFixedHeight(HEIGHT)
        for widget in (*self._controls, self.button, self.bar, self.progress):
            choosing.addWidget(widget)
        choosing.setContentsMargins(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID)
        self._found = QStackedWidget()
        self._found.addWidget(self.cards)
        self._found.addWidget(self.waiting)
        shown = QWidget()
        column(choosing, self._found, grows=self._found, into=shown)
        self._pages = self.fill(shown)

    def go_on_stage(self) -> None:
        for control in (*self._controls, self.button):
            control.hide()

    # The comparison.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def ask_again(self) -> None:
        """Compares the two now, even if nothing has changed."""
        self._asked = ()
        self._follow()

    def _follow(self) -> None:
        """Compares the two tokenizers, if they or the text have changed; a hidden page waits until it is shown."""
        items = self.pair.items
        self._pages.setCurrentIndex(1 if items is None else 0)
        if items is None:
            self.say_no_tokenizer(DIFF.too_few)
            self.running.cancel()
            self._asked = ()
            return
        if not self.isVisible():
            return
        self._soon.stop()
        self.pair.fill()
        text = self.session.text_map.part(0, DIFF.page_limit)
        tokenizers = tuple(id(item.tokenizer) for item in items)
        if self._asked == (*tokenizers, text):
            return
        if self._asked[:2] != tokenizers:
            self.inputs = None  # the result is about others
        self._asked = (*tokenizers, text)
        self.error = ""
        subjects = [
            Subject(item.key, self.session.short_name(item), item.tokenizer, item.identity, item.name)
            for item in items
            if item.tokenizer is not None
        ]  # fmt: skip
        inputs = AnalysisInputs(subjects, text)
        a, b = items
        self.running.process(
            diff_sources, a.source, a.pattern, b.source, b.pattern, text,
            take=lambda result: self._take(inputs, result),
            fail=self._stop_with,
            say=self._say,
            stopped=STOPPED,
        )  # fmt: skip
        self.progress.setText("Comparing the stages …")
        self._show_state()

    def _take(self, inputs: AnalysisInputs, result: DiffResult) -> None:
        self.inputs, self.result, self.error = inputs, result, ""
        self.show_parts()
        self._show_state()

    def _stop_with(self, error: str) -> None:
        self.error = error
        self._show_state()

    def _say(self, progress: Progress) -> None:
        self.progress.setText(f"{counted(progress.done, 'text')} tried: {progress.phase}")

    def _press(self) -> None:
        if self.running.runs():
            self.running.cancel(stopped=True)
        else:
            self.ask_again()

    def _repair(self, stage: str) -> None:
        """Looks for an edit of A that makes a stage that of B."""
        items = self.pair.items
        if items is None:
            return
        a, b = items
        names = (isolated(a.name), isolated(b.name))
        title = "{} of {}, as in {}".format(stage[:1].upper() + stage[1:], *names)
        asked = (a.source, a.pattern, b.source, b.pattern, b.name, stage)
        self.repairing.look(a, title, "Looking for a repair", find_stage_repairs, *asked)

    def _show_state(self) -> None:
        """Shows the cards, or what is shown instead, and whether anything runs."""
        runs = self.running.runs()
        self.bar.setVisible(runs)
        self.progress.setVisible(runs)
        self.button.setText("Cancel" if runs else "Compare again")
        self.save.setEnabled(bool(self.lines()))
        self._found.setCurrentIndex(0 if self.answered else 1)
        if self.error:
            self.waiting.say("No result yet", f"{self.error} {AGAIN}")
        elif not self.answered:
            self.waiting.say(*DIFF.waiting)

    @property
    def busy(self) -> bool:
        return super().busy or (self._soon.isActive() and self.isVisible())

    # Queries of the window.

    def keeps(self) -> Iterable[Kept]:
        return (
            self.pair.kept(),
            Kept("how", lambda: sorted(self._how) or None, self._open),
            kept_scroll("top", self.cards.verticalScrollBar(), lambda: self.answered),
        )

    def _open(self, ids: object) -> bool:
        """Makes these cards say how; those that are not there yet once they are."""
        self._how = set(texts_of(ids))
        self.cards.show_methods(set(self._how))
        return True

    def _note_opened(self) -> None:
        self._how = set(self.cards.shown_methods)

    def show_parts(self) -> None:
        super().show_parts()
        self.cards.show_methods(set(self._how))

    @property
    def has_program(self) -> bool:
        return self.answered  # that no difference was found is a result too

    def as_markdown(self) -> str:
        table = super().as_markdown()
        return table and f"{escaped(self.result.sentence)}\n\n{table}"

    def focus_first(self) -> None:
        self.pair.boxes[0].setFocus()
