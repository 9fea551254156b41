"""The bar of work that runs: all pages and dialogs show how far it is by the same one."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar

from tokenarium.style.theme import GRID
from tokenarium_core.progress import Progress

STEPS = 1000


class WorkBar(QProgressBar):
    """Shows the share of a `Progress`; it moves while the total is not known, as before the first one.

    ``wide``: it is as wide as its place.
    """

    def __init__(self, name: str = "", wide: bool = False) -> None:
        super().__init__(textVisible=False)
        self.setAccessibleName(name)
        self.setRange(0, 0)
        self.setFixedHeight(GRID)
        if not wide:
            self.setFixedWidth(12 * GRID)

    def show_progress(self, progress: Progress) -> None:
        """Shows how far the work is."""
        self.setRange(0, STEPS if progress.total or progress.finished else 0)
        self.setValue(round(STEPS * progress.fraction))
