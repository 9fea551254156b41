"""The player of one tokenizer: the body that shows the run, a sentence, and the controls.

With the queue next to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QSplitter, QWidget

from tokenarium.models.merges.run import TraceRun
from tokenarium.style.fonts import LESSON_SIZE, READING_SIZE
from tokenarium.style.shapes import paint_card
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, CARD_RADIUS, GRID, Identity
from tokenarium.widgets.areas import StillArea
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.painting import PaintedPart
from tokenarium.widgets.panel import MarkerChip, named, secondary, strong
from tokenarium.widgets.players.greedy_body import GreedyBody
from tokenarium.widgets.players.lattice_body import LatticeBody
from tokenarium.widgets.players.merge_body import MergeBody
from tokenarium.widgets.players.merge_canvas import MERGE_MS
from tokenarium.widgets.players.merge_queue import WIDTH as QUEUE_WIDTH
from tokenarium.widgets.players.merge_queue import MergeQueue
from tokenarium.widgets.players.player_body import PlayerBody
from tokenarium.widgets.players.step_player import StepPlayer
from tokenarium.widgets.players.step_sentence import StepSentence
from tokenarium.widgets.players.transport import STEP_MS, Transport
from tokenarium.widgets.players.word_panel import WordPanel
from tokenarium_core.models import LongestMatch, Model, Unigram, WordPiece

ONE_LINE = 100 * GRID
"""The least width in pixels in which most sentences fit in one line."""

WITH_QUEUE = 98 * GRID
LOW = 42 * GRID
"""The least width and height in pixels with room for the queue next to the canvas; otherwise all is lower.

Beside a lesson, a window 1280 pixels wide has exactly that width.
"""


class LaneCard(PaintedPart):
    """The card of a player, as large as its layout asks for."""

    def sizeHint(self) -> QSize:
        return QWidget.sizeHint(self)

    def minimumSizeHint(self) -> QSize:
        return QWidget.minimumSizeHint(self)

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        paint_card(painter, QRectF(self.rect()), self.theme, CARD_RADIUS)


class PlayerLane(QWidget):
    """Shows one `TraceRun` at the step of its ``player``."""

    hovered = Signal(int, int)  # bytes of the original text
    picked = Signal(int, int)
    piece_picked = Signal(int)  # the id of a node
    menu_requested = Signal(QPoint, int, int)  # a place on the screen, bytes of the original text
    stepped = Signal(int)  # by the user or by playing

    def __init__(
        self,
        name: str,
        identity: Identity,
        controls: Sequence[tuple[QAction, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(f"Merges of {name}")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.name = name
        self.run: TraceRun | None = None
        self.chip = MarkerChip(identity)
        self.sentence = named(StepSentence(), "What happens")
        self.count = secondary(QLabel())
        self.body: PlayerBody = MergeBody()
        self.transport = Transport(controls)
        self.queue = MergeQueue()
        self.panel = WordPanel(self.queue)
        self._queue_wanted = True
        self._next_hidden = False
        self._said = ""  # about the step that is next
        self._motion = True
        self.player = StepPlayer(self)
        self.player.moved.connect(self._take_step)
        self._build(name)
        self.panel.hovered.connect(self._point)
        self.queue.step_picked.connect(lambda number: self.player.go_to(number, by_hand=True))
        self.transport.set_player(self.player, STEP_MS)
        self._connect_body()
        self._pointed = (0, 0)
        self.hovered.connect(self._note_pointed)

    def _note_pointed(self, start: int, end: int) -> None:
        self._pointed = start, end

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Asks for the menu of the symbol under the pointer."""
        if self._pointed[0] < self._pointed[1]:
            self.menu_requested.emit(event.globalPos(), *self._pointed)

    def _build(self, name: str) -> None:
        head = QWidget()
        in_row(
            self.chip,
            strong(QLabel(name)),
            STRETCH,
            self.count,
            into=head,
            spacing=GRID,
            margins=(CARD_MARGIN, GRID, CARD_MARGIN, 0),
        )
        sentence_row = QWidget()
        in_row((self.sentence, 1), into=sentence_row, margins=(CARD_MARGIN, 0, CARD_MARGIN, 0))
        self._still = (StillArea(head), StillArea(sentence_row), StillArea(self.transport))
        self._card = LaneCard()
        self._inside = in_column(
            self._still[0],
            (self.body, 1),
            self._still[1],
            self._still[2],
            into=self._card,
            margins=(1, GRID // 2, 1, 1),
        )
        in_row((self._card, 1), self.panel, into=self, spacing=CARD_GAP)
        self.panel.hide()

    def rect_of(self, start: int, end: int) -> QRect | None:
        """Returns where the tiles of some bytes of the text are visible on the screen, or None."""
        run, body = self.run, self.body
        if run is None or not isinstance(body, MergeBody):
            return None
        first, last = run.normalized(start, end)
        tiles = (one for word in run.symbols() for one in word)
        bounds = QRectF()
        for tile in tiles:
            if tile.start < last and first < tile.end:
                bounds |= body.stage.tile_rect(tile.start)
        seen = bounds.toAlignedRect() & body.stage.visibleRegion().boundingRect()
        return seen.translated(body.stage.mapToGlobal(QPoint())) if not seen.isEmpty() else None

    def twin(self, identity: Identity) -> PlayerLane:
        """Returns a second lane with the same run and step, without controls, for pictures."""
        twin = PlayerLane(self.name, identity, ())
        twin._still[2].hide()  # the transport
        twin.show_queue(False)
        twin.set_run(self.run.twin() if self.run is not None else None)
        return twin

    def whole_size(self) -> QSize:
        """The size in which the canvas needs no scrolling; for other models, any size."""
        if not isinstance(self.body, MergeBody):
            return QSize(0, 0)
        area, stage = self.body.minimumSizeHint(), self.body.stage.minimumSizeHint()
        return self.minimumSizeHint().expandedTo(QSize(stage.width() + 4, 0)) + QSize(
            0, max(0, stage.height() - area.height()) + GRID
        )

    def show_head(self, shown: bool) -> None:
        """Shows or hides the name of the tokenizer, if it is next to the player."""
        self._still[0].setVisible(shown)

    def set_alone(self, alone: bool) -> None:
        """Lets the canvas fill a large window; beside another one, equal letters stay below each other."""
        if isinstance(self.body, MergeBody):
            self.body.stage.set_alone(alone)

    def show_queue(self, wanted: bool) -> None:
        """Shows the queue next to the canvas if there is room, or never."""
        self._queue_wanted = wanted
        self._give_room()

    def hide_next(self, hide: bool) -> None:
        """Hides the next merge: the ranks, the sentence and the queue."""
        if hide != self._next_hidden:
            self._next_hidden = hide
            if isinstance(self.body, MergeBody):
                self.body.hide_ranks(hide)
            for part in (self.sentence, self.panel):  # which keep their room
                policy = part.sizePolicy()
                policy.setRetainSizeWhenHidden(hide)
                part.setSizePolicy(policy)
            self.sentence.setVisible(not hide)
            self._give_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_room()
        for area in self._still:
            area.settle()

    def _give_room(self) -> None:
        low = self.height() < LOW
        has = isinstance(self.body, MergeBody) and self.run is not None
        queued = self._queue_wanted and has and self.width() >= WITH_QUEUE and not low
        if not queued:
            policy = self.panel.sizePolicy()
            policy.setRetainSizeWhenHidden(False)
            self.panel.setSizePolicy(policy)
        self.panel.setVisible(queued and not self._next_hidden)
        self.sentence.set_size(LESSON_SIZE if low else READING_SIZE)
        self.transport.set_low(low)
        # The sentence on a window of the greedy match is longer than that on a merge.
        room = self.width() - (QUEUE_WIDTH + CARD_GAP if queued else 0)
        least = ONE_LINE * (LESSON_SIZE / READING_SIZE if low else 1.0)
        self.sentence.set_lines(1 if room >= least and not isinstance(self.body, GreedyBody) else 2)

    # The run.

    def set_run(self, run: TraceRun | None) -> None:
        """Shows another run, from its beginning."""
        length, position = (len(run), run.position) if run is not None else (0, 0)
        self.player.begin(length, position)
        self.run = run
        body_type = body_of(run.tokenizer.model) if run is not None else type(self.body)
        if type(self.body) is not body_type:
            self._replace_body(body_type())
        self.body.set_run(run)
        self._give_room()
        self._show(slide=False)
        for area in self._still:
            area.settle()

    def _replace_body(self, body: PlayerBody) -> None:
        self._inside.replaceWidget(self.body, body)
        self.body.hide()
        self.body.deleteLater()
        self.body = body
        body.set_motion(self._motion)
        self._connect_body()

    def _connect_body(self) -> None:
        self.body.hovered.connect(self._point)
        self.body.picked.connect(self._pick)
        self.body.piece_picked.connect(self.piece_picked)
        self.body.menu_wanted.connect(self._ask_for_menu)
        self.body.rested.connect(self._say_next)
        for before, after in pairwise([*self.body.controls, *self.transport.controls]):
            QWidget.setTabOrder(before, after)

    def set_motion(self, motion: bool) -> None:
        """Sets whether things slide, or change at once."""
        self._motion = motion
        self.body.set_motion(motion)

    def light(self, start: int, end: int) -> None:
        """Highlights a range of bytes of the original text."""
        run = self.run
        shown = run is not None and end > start
        part = run.normalized(start, end) if run is not None and shown else (0, 0)
        self.body.light(*part)
        self.queue.light(*part)

    # Playing.

    def _take_step(self, by: int) -> None:
        """Shows the step of the player; tiles slide only to the next step."""
        if self.run is not None:
            self.run.go_to(self.player.position)
            self._show(slide=abs(by) == 1)
            self.stepped.emit(self.player.position)

    def show_on_the_way(self, position: int, share: float) -> None:
        """Shows a step, or, with a share below 1, a moment of the transition to it."""
        if self.player.position not in (position, position - 1):
            self.player.go_to(position - 1)
            self.body.finish_motion()
        self.player.go_to(position)
        if share < 1.0:
            self.body.hold_motion(share)
        else:
            self.body.finish_motion()

    # Showing.

    def _show(self, slide: bool) -> None:
        self.transport.show_step(self.player.position, self.player.length)
        self.body.show_step(slide, round(MERGE_MS / self.transport.speed_factor))
        said, self._said = self._said, self.body.sentence()
        # While a merge moves, the sentence is still about that merge, not about the next one.
        self.sentence.setText(said if slide and self.body.merging else self._said)
        self.count.setText(self.body.count())
        if isinstance(self.body, MergeBody) and self._queue_wanted:
            self.queue.show_scene(self.body.queue())
            self.panel.show_work(self.body.work)

    def _say_next(self) -> None:
        if self.run is not None:
            self.sentence.setText(self._said)

    # Keys and pointing.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.transport.take_key(event):
            super().keyPressEvent(event)

    def _point(self, start: int, end: int) -> None:
        self.body.light(start, end)
        self.queue.light(start, end)
        if self.run is not None and end > start:
            self.hovered.emit(*self.run.original(start, end))
        else:
            self.hovered.emit(0, 0)

    def _ask_for_menu(self, place: QPoint, start: int, end: int) -> None:
        if self.run is not None:
            self.menu_requested.emit(place, *self.run.original(start, end))

    def _pick(self, start: int, end: int) -> None:
        if self.run is not None:
            self.picked.emit(*self.run.original(start, end))


def body_of(model: Model) -> type[PlayerBody]:
    """Returns the class of the body for a model."""
    if isinstance(model, Unigram):
        return LatticeBody
    return GreedyBody if isinstance(model, WordPiece | LongestMatch) else MergeBody


class LaneStack(QScrollArea):
    """Scrolls a splitter with the lanes; at least as wide as each of them, and as high as one."""

    def __init__(self) -> None:
        super().__init__()
        self.lanes = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self.lanes)

    def minimumSizeHint(self) -> QSize:
        lanes = [self.lanes.widget(index) for index in range(self.lanes.count())]
        heights = [lane.minimumSizeHint().height() for lane in lanes if lane is not None]
        bar = self.verticalScrollBar().sizeHint().width() if len(heights) > 1 else 0
        return QSize(self.lanes.minimumSizeHint().width() + bar, max(heights, default=0))

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return done
