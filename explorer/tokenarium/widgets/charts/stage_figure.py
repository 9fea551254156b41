"""A part of a page as a figure: drawn once more in the colours of a theme, with a caption, as PNG, SVG or CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from tokenarium.models.charts.chart import ChartCurve
from tokenarium.style.theme import Theme
from tokenarium.widgets.charts.plot import SavedChart


class StageFigure(SavedChart):
    """Only its menu ``more`` is visible.

    ``draw`` returns the part in given colours, in its final size; ``write`` its values as CSV; ``say`` a sentence about
    it; ``whose`` the names of the tokenizers or runs in it.
    """

    def __init__(
        self,
        title: str,
        draw: Callable[[Theme], QWidget],
        write: Callable[[], str],
        say: Callable[[], str],
        whose: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__(title)
        self._draw, self._write, self._say, self._whose = draw, write, say, whose
        self.more.setToolTip("Saves what is shown as a picture or as a table")
        self.hide()

    def show_for(self, shown: bool) -> None:
        """Offers the menu only while there is something to save."""
        self.more.setEnabled(shown)

    def drawing_widget(self) -> QWidget:
        return self

    def table(self) -> str:
        return self._write()

    def legend(self) -> Sequence[ChartCurve]:
        return ()

    def about(self) -> str:
        return f"{self.title}. {self._say()}".strip()

    def names(self) -> Sequence[str]:
        return self._whose()

    def copy_for_file(self, theme: Theme) -> tuple[QWidget, QSize, bool]:
        drawn = self._draw(theme)
        return drawn, drawn.size(), False
