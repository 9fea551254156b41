"""Shows in the status bar what runs, from time to time, and ends it where a person asks for that."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.widgets.message_bar import JobBar
from tokenarium.work.jobs import Jobs

SHOWN_MS = 120
"""How often the running jobs are shown: painting them costs more than a slice of them."""


class JobWatch(QObject):
    """A job bar that follows the jobs of a session."""

    idle = Signal()  # nothing runs any more: what was made may be played, or kept

    def __init__(self, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.bar = JobBar()
        self.bar.cancel_requested.connect(jobs.cancel_all)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SHOWN_MS)
        self._soon.timeout.connect(self._show)
        jobs.changed.connect(self._show_soon)

    def _show_soon(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _show(self) -> None:
        jobs = self._jobs.running()
        done = sum(job.progress.fraction for job in jobs) / max(len(jobs), 1)
        self.bar.show_jobs([job.title for job in jobs], done)
        if not jobs:
            self.idle.emit()
