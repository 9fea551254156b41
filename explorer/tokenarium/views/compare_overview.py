"""The page Overview of the workspace Compare: figures, languages and distributions, one below the other."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QWidget

from tokenarium.analyses.figure_boards import figure_boards, language_boards
from tokenarium.style.theme import CARD_GAP, GRID, PAGE_MARGIN, Theme
from tokenarium.views.compare_costs import CostsPart
from tokenarium.views.compare_figures import FiguresPart
from tokenarium.views.compare_languages import LanguagesPart
from tokenarium.views.compare_paired import PairedPart
from tokenarium.views.decks import BarsDeck, Deck
from tokenarium.views.kept import Kept, kept_scroll
from tokenarium.views.workspace import Page, Workspace
from tokenarium.widgets.areas import MarginArea
from tokenarium.widgets.keyboard import has_focus
from tokenarium.widgets.layouts import STRETCH, in_column


class OverviewPage(Page):
    """One scroll area: the figures, their paired differences, what the text costs, the cost of languages, and the distributions of tokens."""

    id = "overview"
    title = "Overview"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.figures = FiguresPart(workspace)
        self.paired = PairedPart(workspace, self.figures)
        self.costs = CostsPart(workspace, self.figures)
        self.languages = LanguagesPart(workspace)
        self._content = content = QWidget()
        in_column(
            self.figures, self.paired, self.costs, self.languages, self.figures.charts, STRETCH,
            into=content, spacing=CARD_GAP, margins=(PAGE_MARGIN, GRID // 2, PAGE_MARGIN, PAGE_MARGIN),
        )  # fmt: skip
        self.area = MarginArea(content)
        in_column(self.area, into=self)
        drawing = self.languages.premiums.drawing
        self.area.verticalScrollBar().valueChanged.connect(lambda _: drawing.update())
        drawing.row_reached.connect(self._show_row)
        self.session.tokenizers_changed.connect(self._fit)
        self.session.text_changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        """Hides empty parts: the message instead of the table says what is missing."""
        some = bool(self.session.chosen())
        self.languages.setVisible(some)
        self.costs.setVisible(some)
        self.figures.charts.setVisible(some and bool(self.session.has_text or self.figures.sources))

    def show_languages(self) -> None:
        """Scrolls to the cost of languages."""
        self._scroll_to(self.languages)
        self.languages.focus_first()

    def show_paired(self) -> None:
        """Scrolls to the paired differences."""
        self._scroll_to(self.paired)
        self.paired.focus_first()

    def _scroll_to(self, part: QWidget) -> None:
        self.area.ensureWidgetVisible(self.figures.charts, 0, 0)
        top = part.mapTo(self._content, part.rect().topLeft()).y()
        self.area.verticalScrollBar().setValue(top - CARD_GAP)

    def _begin_at(self, part: object) -> bool:
        """Scrolls to a part that a scene names: the languages, by their chart."""
        if part != "languages":
            raise ValueError
        if self.isVisible() and self.busy:
            return False
        self._scroll_to(self.languages.premiums.drawing)
        return True

    def _show_row(self, top: int, bottom: int) -> None:
        """Scrolls to a row of the languages that was reached by keys."""
        drawing = self.languages.premiums.drawing
        at = drawing.mapTo(self._content, drawing.rect().topLeft()).y()
        middle = at + (top + bottom) // 2
        self.area.ensureVisible(0, middle, 0, 2 * (bottom - top))

    # Queries of the window.

    def keeps(self) -> Iterable[Kept]:
        return (
            *self.figures.keeps(),
            *self.paired.keeps(),
            *self.languages.keeps(),
            Kept("begin_at", lambda: None, self._begin_at, late=True),
            kept_scroll(
                "scroll",
                self.area.verticalScrollBar(),
                lambda: not (self.isVisible() and self.busy),
            ),
        )

    def deck(self, theme: Theme) -> Deck | None:
        figures = figure_boards(self.figures.model, self.figures.shown_columns)
        drawing = self.languages.premiums.drawing
        boards, first = [*figures], 0
        for part, some in (
            (self.paired, self.paired.boards()),
            (drawing, language_boards(drawing.plot)),
        ):
            if some and self._is_reached(part):
                first = len(boards)
            boards += some
        return BarsDeck("The same text in figures", boards, theme, first) if boards else None

    def _is_reached(self, part: QWidget) -> bool:
        """Whether someone scrolled until a part begins in the upper half of what is in sight, or above it."""
        seen = part.mapTo(self.area.viewport(), part.rect().topLeft()).y()
        scrolled = self.area.verticalScrollBar().value() > 0
        return scrolled and seen < self.area.viewport().height() // 2

    @property
    def _part(self) -> Page:
        """The part that has the focus, or else the figures."""
        others = (part for part in (self.languages, self.costs, self.paired) if has_focus(part))
        return next(others, self.figures)

    def lines(self) -> list[list[str]]:
        return self._part.lines()

    def as_text(self) -> str:
        return self._part.as_text()

    def as_csv(self) -> str:
        return self._part.as_csv()

    def python(self) -> str:
        return self._part.python()

    @property
    def busy(self) -> bool:
        return self.figures.busy or self.languages.busy

    def stop(self) -> None:
        self.figures.stop()
        self.languages.stop()

    def focus_first(self) -> None:
        self.figures.focus_first()
