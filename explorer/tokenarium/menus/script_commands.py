"""What the actions of the workspace Scripts do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from tokenarium.views.workspace import Workspace
from tokenarium.views.workspace_names import SCRIPTS

if TYPE_CHECKING:
    from tokenarium.models.scripts.script_bars import Scale
    from tokenarium.views.script_bars import SharesPage
    from tokenarium.views.scripts import ScriptsView


class ScriptCommands:
    """Handlers of the actions that choose a page of the workspace Scripts, and what its bars mean."""

    def __init__(
        self, workspace: Callable[[], Workspace], show_workspace: Callable[[str], None]
    ) -> None:
        self._workspace = workspace
        self._show_workspace = show_workspace

    @property
    def _view(self) -> ScriptsView | None:
        space = self._workspace()
        return cast("ScriptsView", space) if space.name == SCRIPTS else None

    @property
    def _shares(self) -> SharesPage | None:
        return self._view.shares if self._view is not None else None

    def show_script_page(self, page_id: str) -> None:
        """Shows a page of the workspace Scripts."""
        self._show_workspace(SCRIPTS.id)
        if self._view is not None:
            self._view.show_page(page_id)

    def script_page_is(self, page_id: str) -> bool:
        """Whether a page of the workspace Scripts is shown."""
        return self._view is not None and self._view.page.id == page_id

    def shows_script_shares(self) -> bool:
        """Whether bars of shares are shown."""
        return self._shares is not None

    def set_script_scale(self, scale: str) -> None:
        """Chooses whether the bars are shares, on a log scale, or held against a tokenizer."""
        if self._shares is not None:
            self._shares.set_scale(cast("Scale", scale))

    def script_scale_is(self, scale: str) -> bool:
        """Whether the bars have this meaning."""
        return self._shares is not None and self._shares.scale == scale
