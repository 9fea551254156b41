"""The panes of the window: their sizes, which of them are shown, and moving between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QSplitter, QWidget

from tokenarium.app.controllers import SelectionController
from tokenarium.menus.actions import Action, Section, switch
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.style.theme import GRID
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.library.library_panel import LibraryPanel
from tokenarium.widgets.text.inspector import Inspector
from tokenarium.widgets.text.text_panel import TextPanel

NARROW = 144 * GRID
"""Pixels: in a narrower window the inspector hides, as not all tabs would have room beside it."""

LEAST_WIDTH = 88 * GRID
"""Pixels: the least width of a window whose inspector can still hide."""


COLUMNS = (232, 672, 376)
ROWS = (152, 624)
"""Pixels: the widths of the panes beside each other, and the heights of the text and of what is under it, until a
person changes them."""


class InspectorPane:
    """Shows and hides an inspector.

    There are two settings: one for workspaces that follow the tokens of the text, where the inspector is shown by
    default, and one for the others, where it is hidden. ``follows`` returns whether the current workspace follows them.
    """

    def __init__(self, inspector: QWidget, follows: Callable[[], bool]) -> None:
        self._inspector = inspector
        self._follows = follows
        self._wanted = {True: True, False: False}  # by whether the workspace follows the tokens
        self._gave_way = False

    @property
    def shown(self) -> bool:
        """Whether the inspector is shown."""
        return not self._inspector.isHidden()

    def show(self, show: bool) -> None:
        """Shows or hides it in workspaces of the current kind."""
        self._wanted[self._follows()] = show
        if show:
            self._gave_way = False
        self.fit()

    def fit(self) -> None:
        """Shows or hides it by the setting of the current workspace."""
        self._inspector.setVisible(self._wanted[self._follows()] and not self._gave_way)
        window = self._inspector.window()
        crowded = (
            window.width() < NARROW and self.shown
        )  # shown on request, though there is little room
        window.setMinimumSize(0 if crowded else LEAST_WIDTH, 0)  # 0: the contents decide

    def resized(self, width: int, before: int) -> None:
        """Hides it when a window becomes narrow, and shows it again when it is wide; widths are in pixels."""
        narrow = width < NARROW
        if narrow != (before in range(NARROW)):
            self._gave_way = narrow
            self.fit()

    def restore(self, store: Settings) -> None:
        """Restores the stored settings."""
        self._wanted[True] = store.get(settings.SHOW_INSPECTOR)
        self._wanted[False] = store.get(settings.SHOW_INSPECTOR_ELSEWHERE)
        self.fit()

    def keep(self, store: Settings) -> None:
        """Stores the settings."""
        store.set(settings.SHOW_INSPECTOR, self._wanted[True])
        store.set(settings.SHOW_INSPECTOR_ELSEWHERE, self._wanted[False])


class Panes:
    """The library, the text above the workspace, and the inspector, with the actions that show them.

    ``columns`` holds all of them, ``rows`` the text and the workspace. ``workspace`` returns the current one.
    """

    def __init__(
        self,
        library: LibraryPanel,
        text: TextPanel,
        inspector: Inspector,
        selection_controller: SelectionController,
        workspace: Callable[[], Workspace],
    ) -> None:
        self._library = library
        self._text = text
        self._inspector = inspector
        self._selection_controller = selection_controller
        self._workspace = workspace
        self._text_height = ROWS[0]
        self.inspector_pane = InspectorPane(inspector, lambda: workspace().follows_text)
        self.rows = QSplitter()
        self.columns = QSplitter()

    def arrange(self, middle: QWidget) -> None:
        """Puts the panes beside each other, with ``middle`` under the text."""
        _fill(self.rows, Qt.Orientation.Vertical, [self._text, middle], [0, 1])
        across = [self._library, self.rows, self._inspector]
        _fill(self.columns, Qt.Orientation.Horizontal, across, [0, 1, 0])
        self._library.setMinimumWidth(26 * GRID)
        self._inspector.setMinimumWidth(28 * GRID)
        self._text.field.setMinimumHeight(6 * GRID)

    def restore(self, store: Settings) -> None:
        """Restores which panes are shown, and their sizes."""
        self.show_library(store.get(settings.SHOW_LIBRARY))
        self.inspector_pane.restore(store)
        _restore_sizes(self.columns, store.get(settings.COLUMNS), COLUMNS)
        _restore_sizes(self.rows, store.get(settings.ROWS), ROWS)
        self.show_text(store.get(settings.SHOW_TEXT))

    def keep(self, store: Settings) -> None:
        """Stores which panes are shown, and their sizes."""
        store.set(settings.COLUMNS, self.columns.saveState())
        store.set(settings.ROWS, self.rows.saveState())
        store.set(settings.SHOW_LIBRARY, self.library_is_shown())
        store.set(settings.SHOW_TEXT, self.text_is_shown())
        self.inspector_pane.keep(store)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("edit_text", "&Edit the text", Section.TEXT, "Ctrl+T", self.edit_text, "Puts the cursor into the text", icon="pencil-simple"),
            switch("show_library", "Show the &library", Section.PANES, "Ctrl+B", self.library_is_shown, self.show_library, icon="books"),
            switch("show_text", "Show the te&xt", Section.PANES, "Ctrl+J", self.text_is_shown, self.show_text, icon="article"),
            switch("show_inspector", "Show the ins&pector", Section.PANES, "Ctrl+I", self.inspector_is_shown, self.show_inspector, icon="info"),
            Action("next_pane", "Next pan&e", Section.PANE, "F6", lambda: self._step_pane(1), "Moves the focus: library, text, workspace, inspector", icon="arrow-square-right"),
            Action("previous_pane", "Previous p&ane", Section.PANE, "Shift+F6", lambda: self._step_pane(-1), icon="arrow-square-left"),
        ]
        # fmt: on

    # The way from one to the next.

    def _seen(self) -> list[QWidget]:
        panes = [self._library.tree, self._text.field, self._workspace(), self._inspector.tokens]
        return [pane for pane in panes if pane.isVisible()]

    def _step_pane(self, step: int) -> None:
        panes = self._seen()
        focus = self.columns.window().focusWidget()
        inside = (
            place
            for place, pane in enumerate(panes)
            if focus is not None and (pane is focus or pane.isAncestorOf(focus))
        )
        target = panes[(next(inside, -1 if step > 0 else 0) + step) % len(panes)]
        if isinstance(target, Workspace):
            target.focus_first()
        else:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # Which of them are shown.

    def show_library(self, show: bool) -> None:
        """Shows or hides the library."""
        self._library.setVisible(show)

    def library_is_shown(self) -> bool:
        """Whether the library is shown."""
        return not self._library.isHidden()

    def show_inspector(self, show: bool) -> None:
        """Shows or hides the inspector in workspaces of this kind."""
        self.inspector_pane.show(show)
        self._selection_controller.inspect_soon()

    def inspector_is_shown(self) -> bool:
        """Whether the inspector is shown."""
        return self.inspector_pane.shown

    def show_text(self, show: bool) -> None:
        """Shows the text field, or only its head line."""
        text, rest = self.rows.sizes()
        if self.text_is_shown():
            self._text_height = text
        self._text.set_collapsed(not show)
        # A splitter does not notice that the largest height of a pane has changed.
        height = self._text_height if show else self._text.maximumHeight()
        self.rows.setSizes([height, text + rest - height])

    def text_is_shown(self) -> bool:
        """Whether the text field is shown."""
        return not self._text.body.isHidden()

    def edit_text(self) -> None:
        """Puts the cursor into the text."""
        self.show_text(True)
        self._text.field.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _fill(
    splitter: QSplitter,
    orientation: Qt.Orientation,
    widgets: Sequence[QWidget],
    stretch: Sequence[int],
) -> None:
    splitter.setOrientation(orientation)
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(1)
    for place, widget in enumerate(widgets):
        splitter.addWidget(widget)
        splitter.setStretchFactor(place, stretch[place])


def _restore_sizes(splitter: QSplitter, state: QByteArray, sizes: Sequence[int]) -> None:
    if state.isEmpty() or not splitter.restoreState(state):
        splitter.setSizes(sizes)
