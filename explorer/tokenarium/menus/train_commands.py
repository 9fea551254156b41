"""What the menus do with trainings."""

from __future__ import annotations

from collections.abc import Callable

from tokenarium.session import Session
from tokenarium.views.train import TrainView
from tokenarium.views.workspace import Workspace


class TrainCommands:
    """Handlers of actions around the workspace Train."""

    def __init__(
        self, session: Session, workspace: Callable[[], Workspace], show: Callable[[str], None]
    ) -> None:
        self._session = session
        self._workspace = workspace
        self._show = show

    def show_train_page(self, page_id: str) -> None:
        """Shows a page of the workspace Train."""
        self._show(TrainView.id)
        workspace = self._workspace()
        if isinstance(workspace, TrainView):
            workspace.show_page(page_id)

    def train_page_is(self, page_id: str) -> bool:
        """Whether a page of the workspace Train is shown."""
        workspace = self._workspace()
        return isinstance(workspace, TrainView) and workspace.page.id == page_id

    def stop_training(self) -> None:
        """Ends the training that runs, and keeps what it has learned."""
        run = self._session.trainings.running
        if run is not None:
            self._session.trainings.stop(run)

    def can_stop_training(self) -> bool:
        """Whether a training runs of which something can be kept."""
        run = self._session.trainings.running if self._session.trains else None
        return run is not None and run.can_stop
