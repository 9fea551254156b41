"""What the menus do with trainings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from tokenarium.session.session import Session
from tokenarium.views.workspace import Workspace
from tokenarium.views.workspace_names import TRAIN

if TYPE_CHECKING:
    from tokenarium.views.train import TrainView


class TrainCommands:
    """Handlers of actions around the workspace Train."""

    def __init__(
        self, session: Session, workspace: Callable[[], Workspace], show: Callable[[str], None]
    ) -> None:
        self._session = session
        self._workspace = workspace
        self._show = show

    @property
    def _view(self) -> TrainView | None:
        space = self._workspace()
        return cast("TrainView", space) if space.name == TRAIN else None

    def show_train_page(self, page_id: str) -> None:
        """Shows a page of the workspace Train."""
        self._show(TRAIN.id)
        if self._view is not None:
            self._view.show_page(page_id)

    def train_page_is(self, page_id: str) -> bool:
        """Whether a page of the workspace Train is shown."""
        return self._view is not None and self._view.page.id == page_id

    def stop_training(self) -> None:
        """Ends the training that runs, and keeps what it has learned."""
        run = self._session.trainings.running
        if run is not None:
            self._session.trainings.stop(run)

    def can_stop_training(self) -> bool:
        """Whether a training runs of which something can be kept."""
        run = self._session.trainings.running if self._session.trains else None
        return run is not None and run.can_stop
