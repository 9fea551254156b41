"""Makes pages that will be shown soon, part by part, while the window is idle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from threading import Thread

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from tokenarium.app.spaces import Spaces
from tokenarium.app.workspaces import WORKSPACES, WorkspaceKind
from tokenarium.views.workspace import PagedWorkspace

REST_MS = 100
"""Milliseconds after which the first part is made: the last request is painted by then."""

TURN_MS = 30
POLISHED_AT_ONCE = 40
"""How many widgets get their style in one turn."""

CHARTS = "pyqtgraph"
"""The modules that pages with a chart load when they are made, which takes longest."""


class PagesAhead(QObject):
    """Makes one page at a time; an existing page costs nothing.

    ``rests`` returns whether the window is idle.
    """

    def __init__(
        self,
        spaces: Spaces,
        rests: Callable[[], bool],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._spaces = spaces
        self._rests = rests
        self._parts: Iterator[object] = iter(())
        self._places: list[tuple[str, str]] = []
        self._imports: Thread | None = None
        self._turn = QTimer(self, singleShot=True)
        self._turn.timeout.connect(self._go_on)

    def make(self, *places: tuple[str, str]) -> None:
        """Makes pages of workspaces, by their ids, in this order, instead of those requested before."""
        self.stop()
        self._places = [place for place in dict.fromkeys(places) if not self._has(*place)]
        self._begin()

    def _begin(self) -> None:
        """Begins the next page, whose code another thread imports."""
        if self._places:
            workspace_id, page_id = self._places.pop(0)
            kind = next(kind for kind in WORKSPACES if kind.name.id == workspace_id)
            self._imports = Thread(target=_load, args=(kind, page_id), name="imports")
            self._imports.start()
            self._parts = self._made(workspace_id, page_id)
            self._turn.start(REST_MS)

    def stop(self) -> None:
        """Stops."""
        self._turn.stop()
        self._places.clear()

    @property
    def busy(self) -> bool:
        """Whether a page is being made."""
        return self._turn.isActive()

    def _has(self, workspace_id: str, page_id: str) -> bool:
        """Whether there is nothing to make."""
        space = self._spaces.made.get(workspace_id)
        if space is None:
            return all(kind.name.id != workspace_id for kind in WORKSPACES)  # the scene says so
        return not page_id or not isinstance(space, PagedWorkspace) or page_id in space.made

    def _go_on(self) -> None:
        waits = self._imports is not None and self._imports.is_alive()
        if waits or not self._rests() or next(self._parts, self) is not self:
            self._turn.start(TURN_MS)
        else:
            self._begin()

    def _made(self, workspace_id: str, page_id: str) -> Iterator[object]:
        """Yields after each part of a page is made."""
        space = self._spaces.made.get(workspace_id)
        if space is None:
            space = self._spaces.of(workspace_id)
            yield space
        shown: QWidget = space
        if page_id and isinstance(space, PagedWorkspace):
            with suppress(StopIteration):  # the scene says so
                shown = space.page_of(page_id)
            yield shown
        parts = [shown, *shown.findChildren(QWidget)]
        for start in range(0, len(parts), POLISHED_AT_ONCE):
            for part in parts[start : start + POLISHED_AT_ONCE]:
                part.ensurePolished()
            yield parts


def _load(kind: WorkspaceKind, page_id: str) -> None:
    """Imports the code of a page, and the modules that it imports on first use."""
    modules = [CHARTS]
    made = kind.load()
    if issubclass(made, PagedWorkspace):
        with suppress(StopIteration):
            modules += made.kind_of(page_id or made.kinds[0].id).imported_later
    for module in modules:
        import_module(module)
