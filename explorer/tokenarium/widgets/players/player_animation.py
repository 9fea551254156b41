"""The animation of the players of encoding: one lane, or two under each other, each with its run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractScrollArea, QVBoxLayout, QWidget

from tokenarium.style.theme import Theme
from tokenarium.widgets.players.animation import Animation
from tokenarium.widgets.players.player_lane import PlayerLane
from tokenarium.widgets.players.transport import STEP_MS


class PlayerAnimation(Animation):
    """Second lanes on the runs of some lanes, each with its colour, in step; the controls are left out."""

    def __init__(self, coloured: Sequence[tuple[PlayerLane, QColor]], theme: Theme) -> None:
        lanes = [lane for lane, _ in coloured]
        widget = QWidget()
        rows = QVBoxLayout(widget)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        self.lanes = [lane.twin(theme, colour) for lane, colour in coloured]
        for lane in self.lanes:
            rows.addWidget(lane, 1)
        super().__init__(
            " and ".join(lane.name for lane in lanes),
            widget,
            max((lane.length for lane in lanes), default=0),
            max((lane.position for lane in lanes), default=0),
            round(STEP_MS / lanes[0].transport.speed_factor) if lanes else STEP_MS,
            any(lane.body.slides for lane in lanes),
        )

    def show_step(self, step: int, share: float = 1.0) -> None:
        for lane in self.lanes:
            lane.show_on_the_way(min(step, lane.length), share if step <= lane.length else 1.0)

    def scroll(self) -> None:
        for lane in self.lanes:
            for area in lane.body.findChildren(QAbstractScrollArea):
                area.horizontalScrollBar().setValue(0)
                area.verticalScrollBar().setValue(0)
            lane.body.follow()
