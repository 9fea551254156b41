"""The progress bar of running work, the same for all pages and dialogs."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar

from tokenarium.style.theme import GRID
from tokenarium_core.progress import Progress

STEPS = 1000


class WorkBar(QProgressBar):
    """Shows a `Progress`; the bar moves while the total is not known, as before the first report.

    ``wide``: it fills the width.
    """

    def __init__(self, name: str = "", wide: bool = False) -> None:
        super().__init__(textVisible=False)
        self.setAccessibleName(name)
        self.setRange(0, 0)
        self.setFixedHeight(GRID)
        if not wide:
            self.setFixedWidth(12 * GRID)

    def show_progress(self, progress: Progress) -> None:
        """Shows the progress."""
        self.setRange(0, STEPS if progress.total or progress.finished else 0)
        self.setValue(round(STEPS * progress.fraction))
