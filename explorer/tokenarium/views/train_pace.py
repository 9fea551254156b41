"""The pace of a watched training: how many merges it may make, by a slider or one per key press."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton

from tokenarium.models.training.training_algorithms import learns_merges
from tokenarium.models.training.training_queue import RunState
from tokenarium.session.trainings import Trainings
from tokenarium.widgets.players.timed_player import TimedPlayer
from tokenarium.widgets.players.watch_speed import AS_FAST_AS_IT_CAN, WatchSpeed

PACE_MS = 30
"""How often a watched training may continue."""

AHEAD_S = 0.5
"""How far the pace may be ahead of the training, in seconds."""


class TrainingPace(QObject):
    """Lets trainings continue at the speed of the slider. ``text`` returns the text that the runs split meanwhile."""

    def __init__(self, trainings: Trainings, text: Callable[[], str], parent: QObject) -> None:
        super().__init__(parent)
        self._trainings = trainings
        self._text = text
        self.speed = WatchSpeed()
        self.next = QPushButton("Next merge", autoDefault=False)
        self.next.setToolTip("Makes one merge (Space on the slider)")
        self._merges = TimedPlayer(self, self.speed.rate, PACE_MS)
        self._merges.length = sys.maxsize  # the trainings know when they end
        self._merges.moved.connect(self._go_on)
        self.speed.changed.connect(lambda _: self.take_up())
        for asked in (self.speed.stepped, self.next.clicked):
            asked.connect(lambda: self._merges.step(1))

    @property
    def watches(self) -> bool:
        """Whether trainings continue merge by merge."""
        return self.speed.rate != AS_FAST_AS_IT_CAN

    def watched(self, algorithm: str) -> bool:
        """Returns whether a training with an algorithm would be watched now."""
        return self.watches and learns_merges(algorithm)

    def take_up(self) -> None:
        """Applies the pace of the slider to running and waiting trainings."""
        self.next.setVisible(self.speed.by_key)
        for run in self._trainings.unfinished:
            if not self.watched(run.request.algorithm):
                self._trainings.watch(run, self._text(), 0)
            elif not run.most:
                self._trainings.watch(run, self._text(), max(run.entries, 1))
        self._merges.rate = self.speed.rate
        if self.watches:
            self._merges.play()
        else:
            self._merges.pause()

    def _go_on(self, merges: int) -> None:
        """Lets the watched training continue by some merges."""
        run = self._trainings.running
        if run is None or not run.most or run.state is not RunState.TRAINING:
            return
        made = run.progress.piece_count if run.progress is not None else 0
        if not run.least:
            return  # it is still reading
        ahead = made + max(1, int(AHEAD_S * self.speed.rate))
        most = min(max(run.most, run.least) + merges, ahead)
        self._trainings.watch(run, self._text(), most)
