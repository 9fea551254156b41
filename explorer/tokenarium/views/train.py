"""The workspace Train: pages to train tokenizers, to choose a size, and with all that were trained."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from tokenarium.appearance import Appearance
from tokenarium.session import Session
from tokenarium.views.train_kept import KeptPage
from tokenarium.views.train_page import TrainPage
from tokenarium.views.train_race import RacePage
from tokenarium.views.train_sizes import SizesPage
from tokenarium.views.train_training import TrainingPage
from tokenarium.views.workspace import Workspace

PAGES: tuple[type[TrainPage], ...] = (TrainingPage, SizesPage, RacePage, KeptPage)


class TrainView(Workspace):
    """One page at a time; a page is made when it is first shown."""

    id = "train"
    title = "Train"
    switches = (
        ("train_training", "Training"),
        ("train_sizes", "Vocabulary size"),
        ("train_race", "Race"),
        ("train_kept", "Trained"),
    )

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None = None,
    ) -> None:
        super().__init__(session, appearance, actions)
        self._made: dict[str, TrainPage] = {}
        self._pages = QStackedWidget()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self.show_page(TrainingPage.id)

    @property
    def page(self) -> TrainPage:
        """The page that is shown."""
        page = self._pages.currentWidget()
        assert isinstance(page, TrainPage)
        return page

    def show_page(self, page_id: str) -> TrainPage:
        """Shows a page."""
        if page_id not in self._made:
            kind = next(kind for kind in PAGES if kind.id == page_id)
            page = kind(self.session, self.appearance, self._actions)
            page.page_requested.connect(self.show_page)
            self._made[page_id] = page
            self._pages.addWidget(page)
        self._pages.setCurrentWidget(self._made[page_id])
        return self._made[page_id]

    def focus_first(self) -> None:
        self.page.focus_first()

    @property
    def last_control(self) -> QWidget | None:
        return self.page.last_control
