"""The page "Vocabulary size": what each size of a trained tokenizer brings, and what it costs a model."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.training.size_budget import SizeBudget, parsed_count
from tokenarium.models.training.store import Trained
from tokenarium.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import GRID
from tokenarium.views.train_page import TrainPage
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.charts.plot_pair import PlotPair
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.fit_area import FitArea
from tokenarium.widgets.panel import MARGIN, literal
from tokenarium.widgets.shortcut_first import ShortcutFirst
from tokenarium.widgets.training.option_field import Problem
from tokenarium_core.errors import TokenariumError

NO_CURVE = "Its algorithm has no merges: it was trained for one size alone."


class SizesPage(TrainPage):
    """A line with the tokenizer, the width of a model and a budget, over two charts."""

    id = "sizes"

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None,
    ) -> None:
        super().__init__(session, appearance, actions)
        theme = appearance.theme
        self.trainings = session.trainings
        self._kept: list[Trained] = []
        self.tokenizer = QComboBox()
        self.tokenizer.setAccessibleName("Trained tokenizer")
        self.tokenizer.setToolTip("The tokenizer that is looked at")
        self.tokenizer.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.tokenizer.setMinimumContentsLength(8)
        self.width_field = _field("768", "Width of the model", "d, the numbers in each embedding")
        self.budget = _field(
            "10M",
            "Parameters for the embedding",
            "How many parameters may go into both embeddings: 120M, 1.5B",
        )
        self.problem = Problem(theme)
        self.sentence = literal(QLabel())
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.compression = Plot("Compression", theme)
        self.parameters = Plot("Parameters of the embedding, 2·V·d", theme)
        for plot in (self.compression, self.parameters):
            plot.problem.connect(session.problem)
            plot.saved.connect(session.saved)
        self.empty = EmptyState()
        self._lay_out()
        self.tokenizer.currentIndexChanged.connect(lambda _: self.show_sizes())
        for edit in (self.width_field, self.budget):
            edit.textChanged.connect(lambda _: self.show_sizes())
        self.trainings.store_changed.connect(self._show_if_seen)
        self.trainings.sizes_asked.connect(self.choose)
        appearance.changed.connect(self._show_theme)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self.tokenizer, 1)
        for text, edit in (("Width d", self.width_field), ("Budget", self.budget)):
            label = QLabel(text)
            label.setBuddy(edit)
            head.addWidget(label)
            head.addWidget(edit)
        shown = QWidget()
        rows = QVBoxLayout(shown)
        rows.setContentsMargins(MARGIN, GRID, MARGIN, GRID)
        rows.setSpacing(GRID)
        rows.addLayout(head)
        rows.addWidget(self.problem)
        rows.addWidget(self.sentence)
        rows.addWidget(PlotPair(self.compression, self.parameters), 1)
        self._pages = QStackedWidget()
        area = FitArea(shown, fills=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._pages.addWidget(area)
        self._pages.addWidget(self.empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_store()

    def _show_if_seen(self) -> None:
        if self.isVisible():
            self.show_store()

    def show_store(self) -> None:
        """Offers what is kept; the one that was chosen stays so, else it is the latest."""
        chosen = self.chosen
        try:
            self._kept = self.trainings.store.all()
        except TokenariumError as error:
            self._kept = []
            self.empty.say("The trained tokenizers cannot be shown", str(error))
        else:
            find = self.actions_by_id
            self.empty.say(
                "No tokenizer has been trained yet",
                "One training gives the compression at every smaller size as well: merges nest.",
                [(find("train_training"), "Train one …")] if find is not None else [],
            )
        with QSignalBlocker(self.tokenizer):
            self.tokenizer.clear()
            self.tokenizer.addItems([f"{one.name} ({one.pieces:,})" for one in self._kept])
            same = [one.identity for one in self._kept]
            if chosen is not None and chosen.identity in same:
                self.tokenizer.setCurrentIndex(same.index(chosen.identity))
        self._pages.setCurrentIndex(0 if self._kept else 1)
        self.show_sizes()

    @property
    def chosen(self) -> Trained | None:
        """The tokenizer that is looked at."""
        row = self.tokenizer.currentIndex()
        return self._kept[row] if 0 <= row < len(self._kept) else None

    def choose(self, identity: str) -> None:
        """Looks at another tokenizer."""
        self.show_store()
        same = [one.identity for one in self._kept]
        if identity in same:
            self.tokenizer.setCurrentIndex(same.index(identity))

    def show_sizes(self) -> None:
        """Draws the curves for what is chosen and typed."""
        trained = self.chosen
        if trained is None:
            return
        try:
            width, budget = parsed_count(self.width_field.text()), parsed_count(self.budget.text())
        except TokenariumError as error:
            self.problem.say(str(error))
            return
        self.problem.say("")
        sizes = SizeBudget(trained, width, budget)
        self.sentence.setText(sizes.sentence())
        self.compression.show_chart(sizes.compression(), NO_CURVE)
        parameters = sizes.parameters()
        self.parameters.show_chart(parameters, NO_CURVE)
        self.parameters.setVisible(bool(parameters.curves))  # or the same is said twice

    def focus_first(self) -> None:
        self.tokenizer.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        plot = self.compression if self.parameters.isHidden() else self.parameters
        return plot.canvas

    def _show_theme(self) -> None:
        for part in (self.compression, self.parameters, self.problem):
            part.set_theme(self.appearance.theme)


def _field(text: str, name: str, tip: str) -> QLineEdit:
    edit = QLineEdit(text)
    edit.setAccessibleName(name)
    edit.setToolTip(tip)
    edit.setMaximumWidth(10 * GRID)
    edit.setAlignment(Qt.AlignmentFlag.AlignRight)
    ShortcutFirst(edit)
    return edit
