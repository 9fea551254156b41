"""The view of a training at one step: the pairs or pieces, the curves, the list of steps, the text as it is split."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSplitter, QStackedWidget, QWidget

from tokenarium.models.merges.training_story import TrainingStory, UnigramStory
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.theme import CARD_MARGIN, GRID, MOTION_MS
from tokenarium.widgets.areas import FitArea, StillArea
from tokenarium.widgets.charts.compression_curve import CompressionCurve
from tokenarium.widgets.charts.pair_bars import PairBars
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, Rule, named, secondary
from tokenarium.widgets.players.animation import Animation
from tokenarium.widgets.players.merge_table import LearnedMergesTable
from tokenarium.widgets.players.step_pieces import StepPiecesTable
from tokenarium.widgets.text.token_view import TokenView
from tokenarium.widgets.veil import Veil

HIGH = 54 * GRID
"""The least height in pixels that has room for the table under the curve."""

LEAST = 12 * GRID
"""The least height of pairs, compression and text in pixels; in less they scroll."""

ROOMY = 70 * GRID
"""The least width in pixels that has room for the curve and the table."""

ONE_LINE = 128 * GRID
"""The least width in pixels in which a sentence fits in one line."""


class TrainingStage(QWidget):
    """Shows one step of a story, for a page and for pictures; it has no player."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.story: TrainingStory | None = None
        self.sentence = named(ElidedLabel(), "What the step does")
        self.measure = secondary(QLabel())
        self.bars = PairBars()
        self.pieces = StepPiecesTable()
        self.curve = CompressionCurve()
        self.losses = CompressionCurve()
        self.table = LearnedMergesTable()
        self.view = named(TokenView(), "The text after the step")
        self.view.set_empty_text("There is no text to split. Type or paste one above.")
        self._position = 0
        self._hides = False  # what answers a question
        self._build()

    def _build(self) -> None:
        head = QWidget()
        in_row(
            (self.sentence, 1),
            self.measure,
            into=head,
            spacing=2 * GRID,
            margins=(CARD_MARGIN, GRID, CARD_MARGIN, GRID),
        )
        self.candidates = QStackedWidget()
        self.candidates.addWidget(self.bars)
        self.candidates.addWidget(self.pieces)
        self.aside = QSplitter(Qt.Orientation.Vertical)
        self.upper = QSplitter(Qt.Orientation.Horizontal)
        self.split = QSplitter(Qt.Orientation.Vertical)
        for splitter, widgets, sizes in (
            (self.aside, (self.curve, self.losses, self.table), (18, 16, 14)),
            (self.upper, (self.candidates, self.aside), (5, 5)),
            (self.split, (self.upper, self.view), (32, 20)),
        ):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
            for widget in widgets:
                splitter.addWidget(widget)
            splitter.setSizes([10 * GRID * size for size in sizes])
        self.losses.hide()
        self.view.setMinimumHeight(9 * GRID)
        self.table.setMinimumHeight(9 * GRID)
        self.pieces.setMinimumHeight(9 * GRID)
        self._still = StillArea(head)
        self.area = FitArea(self.split, fills=True)
        self.area.setMinimumHeight(LEAST)
        self._rows = in_column(self._still, Rule(), (self.area, 1), into=self)
        self._veils = [Veil(self.candidates)]
        self._veils += [Veil(one, says=False) for one in (self.curve, self.losses, self.table)]

    def set_body(self, body: QWidget) -> None:
        """Shows a widget, which contains the ``area``, below the sentence."""
        self._rows.addWidget(body, 1)

    def set_story(self, story: TrainingStory) -> None:
        """Shows a new training; call `set_text` and `show_step` after it."""
        self.story = story
        unigram = isinstance(story, UnigramStory)
        self.candidates.setCurrentIndex(int(unigram))
        curves = story.curves()
        for widget, curve in zip((self.curve, self.losses), curves, strict=False):
            widget.set_curve(curve, story.unit, story.transition)
        self.losses.setVisible(len(curves) > 1)
        self.table.set_story(story)
        self._fit()
        self._still.settle()

    def set_text(self, text_map: TextMap) -> None:
        """Shows a new text, which the story splits."""
        if self.story is not None:
            self.story.set_text(text_map.text)
            self.view.set_text_map(text_map)

    def show_step(
        self,
        position: int,
        slide: bool = False,
        pace_ms: int = MOTION_MS,
        said: str = "",
        overview: bool = True,
    ) -> None:
        """Shows a step; ``said`` comes before the sentence about it. Without ``overview`` the ``area`` stays as it is."""
        story = self.story
        if story is None:
            return
        report = story.report if position == len(story) else ""
        sentence = story.sentence(position, rivals=not report)
        self.sentence.setText(" ".join(part for part in (said, sentence, report) if part))
        self.measure.setText(story.measure(position))
        if not overview:
            return
        self.bars.show_bars(story.bars(position), slide, min(MOTION_MS, pace_ms))
        if isinstance(story, UnigramStory):
            self.pieces.show_pieces(story.pieces(position))
        self.curve.show_position(position)
        if not self.losses.isHidden():
            self.losses.show_position(position)
        self.table.show_position(position)
        self._position = position
        self._show_cut()

    def _show_cut(self) -> None:
        """Shows the text as it is split after the step, or without tokens while they are hidden."""
        story, position = self.story, self._position
        if story is not None and not self._hides:
            self.view.show_parts(story.cut(position), story.losing(position))
        else:
            self.view.show_parts(TextParts.empty())

    def hide_next(self, hide: bool) -> None:
        """Hides the next step and the result of this one: the sentence, the measure, the pairs, curves and tokens."""
        self._hides = hide
        self._show_cut()
        for veil in self._veils:
            veil.cover(hide)
        for part in (self.sentence, self.measure):
            policy = part.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            part.setSizePolicy(policy)
            part.setVisible(not hide)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        self._still.settle()

    def _fit(self) -> None:
        self.sentence.set_lines(1 if self.width() >= ONE_LINE else 2)
        self.aside.setVisible(self.width() >= ROOMY)
        self.table.setVisible(self.height() >= HIGH - 10 * GRID)


class TrainingAnimation(Animation):
    """Goes through the steps of a story on a second stage; the page shows ``position`` now."""

    def __init__(
        self, story: TrainingStory, text_map: TextMap, position: int, step_ms: int
    ) -> None:
        stage = TrainingStage()
        stage.set_story(story.twin())
        stage.set_text(text_map)
        stage.bars.motion = False
        self._stage = stage
        title = f"training of {story.algorithm}"
        super().__init__(title, stage, len(story), position, step_ms, False)

    def show_step(self, step: int, share: float = 1.0) -> None:
        self._stage.show_step(step)

    def name_of(self, step: int) -> str:
        story = self._stage.story
        return story.name_of(step) if story is not None else ""
