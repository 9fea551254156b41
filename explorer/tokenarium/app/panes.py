"""The parts of the window beside each other: their room, which of them are seen, and the way from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from tokenarium.app import window_state
from tokenarium.app.inspector_pane import InspectorPane
from tokenarium.app.selection_controller import SelectionController
from tokenarium.menus.actions import Action, Section, switch
from tokenarium.style.theme import GRID
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.library.library_panel import LibraryPanel
from tokenarium.widgets.text.inspector import Inspector
from tokenarium.widgets.text.text_panel import TextPanel


class Panes:
    """The library, the text over the workspace, and the inspector; and the actions that show them.

    ``columns`` holds all of them, ``rows`` the text and what is under it. ``workspace`` returns the one that is seen.
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
        self._text_height = window_state.ROWS[0]
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

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("edit_text", "&Edit the text", Section.TEXT, "Ctrl+T", self.edit_text, "Puts the cursor into the text"),
            switch("show_library", "Show the &library", Section.PANES, "Ctrl+B", self.library_is_shown, self.show_library),
            switch("show_text", "Show the te&xt", Section.PANES, "Ctrl+J", self.text_is_shown, self.show_text),
            switch("show_inspector", "Show the ins&pector", Section.PANES, "Ctrl+I", self.inspector_is_shown, self.show_inspector),
            Action("next_pane", "Next pan&e", Section.PANE, "F6", lambda: self._step_pane(1), "Moves the focus: library, text, workspace, inspector"),
            Action("previous_pane", "Previous p&ane", Section.PANE, "Shift+F6", lambda: self._step_pane(-1)),
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

    # Which of them are seen.

    def show_library(self, show: bool) -> None:
        """Shows the library, or gives its room to the text."""
        self._library.setVisible(show)

    def library_is_shown(self) -> bool:
        """Whether the library is shown."""
        return not self._library.isHidden()

    def show_inspector(self, show: bool) -> None:
        """Shows the inspector in workspaces such as this one, or gives its room to the workspace."""
        self.inspector_pane.show(show)
        self._selection_controller.inspect_soon()

    def inspector_is_shown(self) -> bool:
        """Whether the inspector is shown."""
        return self.inspector_pane.shown

    def show_text(self, show: bool) -> None:
        """Shows the text field, or its head line alone: its room goes to the workspace, and comes back."""
        text, rest = self.rows.sizes()
        if self.text_is_shown():
            self._text_height = text
        self._text.set_collapsed(not show)
        # A splitter does not see by itself that a pane has become lower than it may be.
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
