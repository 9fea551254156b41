"""The page with all tokenizers that were trained and kept."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from tokenarium.models.training.store import Trained
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.views.train_page import TrainPage
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.training.trained_list import TrainedList
from tokenarium_core import TokenariumError


class KeptPage(TrainPage):
    """The store as a list."""

    id = "kept"

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None,
    ) -> None:
        super().__init__(session, appearance, actions)
        self.trainings = session.trainings
        self.list = TrainedList()
        self.empty = EmptyState()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.list)
        self._pages.addWidget(self.empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self.list.searched.connect(lambda _: self.show_store())
        self.list.renamed.connect(self.trainings.rename)
        self.list.noted.connect(self.trainings.note)
        self.list.delete_requested.connect(self.trainings.delete)
        self.list.open_requested.connect(self.trainings.open)
        self.list.export_requested.connect(self._export)
        self.list.again_requested.connect(self._fill_form)
        self.trainings.store_changed.connect(self._show_if_seen)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_store()

    def _show_if_seen(self) -> None:
        if self.isVisible():
            self.show_store()

    def show_store(self) -> None:
        """Shows what is kept, as far as the words that are searched for stand in it."""
        words = self.list.search.text()
        try:
            found = self.trainings.store.find(words)
        except TokenariumError as error:
            self.empty.say("The trained tokenizers cannot be shown", str(error))
            self._pages.setCurrentWidget(self.empty)
            return
        self.list.show_trained(found)
        if found or words:
            self._pages.setCurrentWidget(self.list)
            return
        self.empty.say(
            "No tokenizer has been trained yet",
            "Each one that you train is kept here, with its settings and what it was trained on.",
            self._help(),
        )
        self._pages.setCurrentWidget(self.empty)

    def _help(self) -> list[tuple[QAction, str]]:
        find = self.actions_by_id
        return [(find("train_training"), "Train one …")] if find is not None else []

    def _export(self, trained: Trained) -> None:
        self.trainings.open(trained)
        self.session.set_current(f"trained:{trained.identity}")
        self.trigger("save_tokenizer")

    def _fill_form(self, trained: Trained) -> None:
        self.page_requested.emit("training")
        self.trainings.settings_chosen.emit(trained)

    def focus_first(self) -> None:
        self.list.search.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.list.delete
