"""The base of the bodies of players, which show a run of BPE, Unigram or WordPiece."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

from tokenarium.models.merges import narration
from tokenarium.models.merges.run import TraceRun
from tokenarium.style.theme import MOTION_MS
from tokenarium.widgets.painting import PaintedPart
from tokenarium.widgets.players.merge_canvas import MergeCanvas
from tokenarium.widgets.players.tile_stage import TileStage


class PlayerBody(QWidget):
    """Shows the current step of a run with painted ``parts``. Bytes are those of the normalized text."""

    hovered = Signal(int, int)  # 0, 0 for none
    picked = Signal(int, int)
    piece_picked = Signal(int)  # an id
    menu_wanted = Signal(QPoint, int, int)  # a place on the screen, bytes
    rested = Signal()  # a merge is no longer on its way

    def __init__(self, parent: QWidget | None = None, parts: Sequence[PaintedPart] = ()) -> None:
        super().__init__(parent)
        self._parts = parts
        self._stages = [part for part in parts if isinstance(part, (TileStage, MergeCanvas))]
        self.slides = bool(self._stages)  # whether things move between two steps
        self.run: TraceRun | None = None
        for stage in self._stages:
            if isinstance(stage, MergeCanvas):
                stage.rested.connect(self.rested)

    def set_run(self, run: TraceRun | None) -> None:
        """Shows another run; call `show_step` after it."""
        self.run = run

    def show_step(self, slide: bool = False, duration_ms: int = MOTION_MS) -> None:
        """Shows the current step of the run; with ``slide`` things may move there."""
        raise NotImplementedError

    def sentence(self) -> str:
        """A sentence about the next step."""
        return narration.next_step(self.run) if self.run is not None else ""

    def count(self) -> str:
        """The current number of symbols or tokens."""
        return narration.count(self.run) if self.run is not None else ""

    def follow(self) -> None:
        """Scrolls to where something happens."""

    def light(self, start: int, end: int) -> None:
        """Highlights a range of bytes; an empty one highlights nothing."""
        for part in self._parts:
            part.light(start, end)

    def set_motion(self, motion: bool) -> None:
        """Sets whether changes are animated."""
        for stage in self._stages:
            stage.motion = motion

    def hold_motion(self, share: float) -> None:
        """Holds a slide at this share of its way."""
        for stage in self._stages:
            stage.hold_motion(share)

    @property
    def merging(self) -> bool:
        """Whether a merge is on its way."""
        return any(isinstance(stage, MergeCanvas) and stage.moving for stage in self._stages)

    def finish_motion(self) -> None:
        """Completes a slide at once."""
        for stage in self._stages:
            stage.finish_motion()

    @property
    def controls(self) -> list[QWidget]:
        """The widgets that take the focus, in Tab order."""
        return []
