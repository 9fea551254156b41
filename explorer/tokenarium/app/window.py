"""The main window: the library, the text, the workspaces and the inspector, and what ties them together."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, qVersion
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QMessageBox,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from tokenarium.app.controllers import (
    EditController,
    JobWatch,
    PipelineController,
    SelectionController,
)
from tokenarium.app.panes import Panes
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.menus.actions import ActionSet
from tokenarium.menus.compare_commands import CompareCommands
from tokenarium.menus.display_commands import DisplayCommands
from tokenarium.menus.late_commands import LateCommands
from tokenarium.menus.library_commands import LibraryCommands
from tokenarium.menus.palette_commands import PaletteCommands
from tokenarium.menus.play_commands import PlayCommands
from tokenarium.menus.sample_menu import SampleMenu
from tokenarium.menus.script_commands import ScriptCommands
from tokenarium.menus.text_commands import TOKENIZER_ENDS, TextCommands
from tokenarium.menus.train_commands import TrainCommands
from tokenarium.menus.training_commands import TrainingCommands
from tokenarium.menus.vocabulary_commands import VocabularyCommands
from tokenarium.menus.window_commands import shortcut_sections
from tokenarium.models.tokenizers.tokenizer_files import is_tokenizer
from tokenarium.session import kept_session, settings
from tokenarium.session.fetching import Fetcher
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import GRID
from tokenarium.views.paged_workspace import PagedWorkspace
from tokenarium.views.workspace import Workspace, has_focus
from tokenarium.widgets.library.library_panel import LibraryPanel
from tokenarium.widgets.message_bar import MessageBar
from tokenarium.widgets.page_stack import PageStack
from tokenarium.widgets.panel import Rule, menu_button
from tokenarium.widgets.shortcut_dialog import ShortcutDialog
from tokenarium.widgets.switch_bar import SwitchBar
from tokenarium.widgets.tab_row import TabRow, WorkspaceTabs
from tokenarium.widgets.text.inspector import Inspector
from tokenarium.widgets.text.text_panel import TextPanel
from tokenarium_core import COMPILED, __version__

SIZE = (160 * GRID, 100 * GRID)
"""Pixels: the width and the height of a window until a person changes them."""

TOLD_MS = 8000
"""How long the status line says what was done."""

REFRESH_MS = 50
"""How soon menus follow a change of the session."""


class MainWindow(QMainWindow):
    """One window on one session."""

    restart_wanted = Signal()  # the app is to end, and to start again with what is open

    def __init__(self, appearance: Appearance, store: Settings, session: Session) -> None:
        super().__init__()
        self.setWindowTitle("Tokenarium")
        self.session = session
        self.appearance = appearance
        self._store = store
        self.shortcut_dialog: ShortcutDialog | None = None
        self._spaces: dict[str, Workspace] = {}
        self.fetcher = Fetcher(session)
        self.library = LibraryPanel(session.library, appearance.tokenizer_colour)
        self.text = TextPanel()
        self.inspector = Inspector()
        self.selection_controller = SelectionController(
            session, appearance, self.text, self.inspector, self
        )
        self.edit_controller = EditController(session, self.text, lambda: self.workspace, self)
        self.panes = Panes(
            self.library,
            self.text,
            self.inspector,
            self.selection_controller,
            lambda: self.workspace,
        )
        self.palette_commands = PaletteCommands(
            session, self, lambda: self.actions_by_id, self.fetcher
        )
        self.job_watch = JobWatch(session.jobs, self)
        self.messages = MessageBar()
        self.text_commands = TextCommands(session, self, lambda: self.workspace)
        self.library_commands = LibraryCommands(session, self.library, self.fetcher, self)
        self.play_commands = PlayCommands(lambda: self.workspace, self.show_workspace)
        self.script_commands = ScriptCommands(lambda: self.workspace, self.show_workspace)
        self.train_commands = TrainCommands(session, lambda: self.workspace, self.show_workspace)
        self.compare_commands = CompareCommands(
            session, lambda: self.workspace, self.show_workspace, self
        )
        self.pipeline_controller = PipelineController(session, appearance, store, self)
        self.display_commands = DisplayCommands(
            session, appearance, store, self.messages, self.restart_wanted.emit
        )
        library = self.library_commands
        self.late = LateCommands(
            session, store, self.fetcher, library, appearance, self, lambda: self.play_commands.page
        )
        training = TrainingCommands(
            lambda: self.play_commands.page, self.play_commands.show_merge_page
        )
        vocabulary = self.vocabulary_commands = VocabularyCommands(
            session, self, lambda: self.workspace, self.show_workspace
        )
        hosts = [
            self.panes,
            self.palette_commands,
            self.text_commands,
            library,
            self.play_commands,
            self.train_commands,
            self.compare_commands,
            self.late,
            self.pipeline_controller,
            self.display_commands,
            training,
            self.script_commands,
            vocabulary,
        ]
        self.actions_by_id = ActionSet(self, [self, *hosts])
        self._refresh_soon = QTimer(self)
        self._refresh_soon.setSingleShot(True)
        self._refresh_soon.setInterval(REFRESH_MS)
        self._refresh_soon.timeout.connect(self.actions_by_id.refresh)
        self._refresh_soon.timeout.connect(self._put_inspector_last)
        self._build()
        self._connect()
        self._restore()
        self.actions_by_id.refresh()
        self.text.field.setFocus()  # so that what is pasted or typed first becomes the text

    # Building it.

    def _build(self) -> None:
        actions = self.actions_by_id
        self.library.set_actions(
            [(actions["find_tokenizers"], "Find …"), (actions["open_tokenizer"], "Open …")],
            [
                actions["toggle_tokenizer"],
                actions["get_tokenizer"],
                None,
                actions["move_up"],
                actions["move_down"],
                None,
                actions["about_tokenizer"],
                actions["check_reference"],
                None,
                actions["remove_tokenizer"],
            ],
        )
        self.text.set_actions(
            self._sample_button(),
            [
                (actions["open_text"], "Open …"),
                (actions["paste_text"], "Paste"),
                (actions["clear_text"], "Clear"),
            ],
        )
        self.tabs = WorkspaceTabs()
        self.tabs.setAccessibleName("Workspaces")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)  # where the window is too narrow for all
        for kind in WORKSPACES:
            self.tabs.addTab(kind.name.title)
        self._pages = PageStack()
        self._switches = QStackedWidget()
        self._tab_row = TabRow(self.tabs, self._switches)
        middle = QWidget()
        middle_rows = QVBoxLayout(middle)
        middle_rows.setContentsMargins(0, 0, 0, 0)
        middle_rows.setSpacing(0)
        for widget in (
            self._tab_row,
            Rule(),
            self.messages,
            self.pipeline_controller.strip,
            self._pages,
        ):
            middle_rows.addWidget(widget)
        middle_rows.setStretchFactor(self._pages, 1)
        self.panes.arrange(middle)
        self.setCentralWidget(self.panes.columns)
        first = [*self.library.controls, self.library.tree, *self.text.controls, self.text.field]
        for before, after in pairwise([*first, self.tabs]):
            QWidget.setTabOrder(before, after)
        status = self.statusBar()
        status.setSizeGripEnabled(False)
        status.setContentsMargins(GRID, 0, 0, 0)
        status.addWidget(self.selection_controller.where, 1)
        status.addPermanentWidget(self.job_watch.bar)

    def _sample_button(self) -> QToolButton:
        self.sample_menu = SampleMenu(self.session, self)
        button = menu_button("Samples", "Choose a sample text", self.sample_menu)
        button.setToolTip("Choose a sample text (Ctrl+M)")
        return button

    def _connect(self) -> None:
        session = self.session
        session.text_changed.connect(self._show_text)
        session.problem.connect(self.messages.say)
        session.saved.connect(self._tell_saved)
        session.edits.undo_stack.indexChanged.connect(self._refresh_soon.start)
        for signal in (
            session.text_changed,
            session.selection_changed,
            session.tokenizers_changed,
            session.special_changed,
            session.display_changed,
            session.current_changed,
            session.patterns_changed,
            session.trainings_changed,
            self.appearance.changed,
        ):
            signal.connect(self._refresh_soon.start)
        QGuiApplication.clipboard().dataChanged.connect(self._refresh_soon.start)
        self.text.pasted.connect(self.text_commands.take_text)
        self.text.files_dropped.connect(self.take_files)
        self.library.files_dropped.connect(self.take_files)
        self.library.get_requested.connect(self.fetcher.fetch)
        self.library.cancel_requested.connect(self.fetcher.cancel)
        self.library.current_changed.connect(self._library_row_changed)
        self.job_watch.idle.connect(self._refresh_soon.start)
        self.job_watch.bar.cancel_requested.connect(self._tell_stopped)
        self.tabs.currentChanged.connect(lambda tab: self.show_workspace(WORKSPACES[tab].name.id))
        self.actions_by_id["side_by_side"].triggered.connect(self._refresh_soon.start)
        self.menuBar().hovered.connect(lambda _: self.actions_by_id.refresh())

    # The session, shown.

    def _show_text(self) -> None:
        self.text.set_text(self.session.text_map)
        self.selection_controller.show()

    def _tell_saved(self, path: Path) -> None:
        self.statusBar().showMessage(f"Saved {path.name} in {path.parent}", TOLD_MS)

    def _tell_stopped(self) -> None:
        if self.text_commands.was_stopped():
            self.statusBar().showMessage("Stopped. F5 begins again.", TOLD_MS)

    def _library_row_changed(self, key: str) -> None:
        item = self.session.library.item(key)
        if item is not None and item.on:
            self.session.set_current(key)
        self._refresh_soon.start()

    def take_files(self, paths: Sequence[Path]) -> None:
        """Opens files that were dropped or named: tokenizers into the library, the last text as text."""
        self.session.problem.emit("")
        for path in paths:
            if path.name.endswith(TOKENIZER_ENDS) or is_tokenizer(path):
                self.library_commands.add_path(path)
            else:
                self.text_commands.open_path(path)

    @property
    def at_rest(self) -> bool:
        """Whether menus and switches have followed the last change."""
        return not self._refresh_soon.isActive()

    # Workspaces and panes.

    @property
    def workspace(self) -> Workspace:
        """The workspace that is shown."""
        return cast(Workspace, self._pages.currentWidget())

    def show_workspace(self, workspace_id: str) -> None:
        """Shows a workspace, loaded and made now if it has not been shown before.

        Where the focus was in the one before it goes into this one.
        """
        follows = has_focus(self._pages)
        known = [kind.name.id for kind in WORKSPACES]
        place = known.index(workspace_id) if workspace_id in known else 0
        name = WORKSPACES[place].name
        if name.id not in self._spaces:
            make = WORKSPACES[place].load()
            self._switches.addWidget(self._switch_row(make))
            space = make(self.session, self.appearance, self.actions_by_id.__getitem__)
            self._pages.addWidget(space)
            self._spaces[name.id] = space
            if isinstance(space, PagedWorkspace):
                space.page_shown.connect(self._fit_panes)
        self._pages.setCurrentWidget(self._spaces[name.id])
        self._switches.setCurrentIndex(self._pages.currentIndex())
        self._tab_row.fit()
        self._fit_panes()
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(place)
        self._refresh_soon.start()
        if follows:
            self.workspace.focus_first()

    def go_to_workspace(self, workspace_id: str) -> None:
        """Shows a workspace; one that is shown already gets the focus."""
        if self.workspace_is(workspace_id):
            self.workspace.focus_first()
        else:
            self.show_workspace(workspace_id)

    def _put_inspector_last(self) -> None:
        """Lets Tab reach the inspector after the workspace: Qt puts what is new in it at the end."""
        last = self.workspace.last_control
        if last is not None:
            QWidget.setTabOrder(last, self.inspector.characters)
            QWidget.setTabOrder(self.inspector.characters, self.inspector.tokens)

    def workspace_is(self, workspace_id: str) -> bool:
        """Whether a workspace is shown."""
        return self.workspace.name.id == workspace_id

    def _switch_row(self, space: type[Workspace]) -> QWidget:
        return SwitchBar(
            [
                (self.actions_by_id[action_id] if action_id else None, text)
                for action_id, text in space.switches
            ]
        )

    def next_difference(self) -> None:
        """Selects the next place where cuts differ."""
        self.workspace.go_to_difference(1)

    def previous_difference(self) -> None:
        """Selects the place before where cuts differ."""
        self.workspace.go_to_difference(-1)

    def has_differences(self) -> bool:
        """Whether the workspace compares cuts; how many differ it knows itself."""
        return self.workspace.walks_differences

    def _fit_panes(self) -> None:
        """Shows what follows the text where the workspace does."""
        self.panes.inspector_pane.fit()
        self.pipeline_controller.fit(self.workspace.follows_text)
        self.selection_controller.inspect_soon()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copies the selection, or lets it go with Escape, wherever the focus is and nothing else needs the key."""
        selected = self.session.selection is not None
        if selected and event.key() == Qt.Key.Key_Escape:
            self.text_commands.clear_selection()
        elif selected and event.matches(QKeySequence.StandardKey.Copy):
            self.text_commands.copy_text()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Closes the inspector when the window becomes narrow, and opens it again when it is wide."""
        super().resizeEvent(event)
        self.panes.inspector_pane.resized(event.size().width(), event.oldSize().width())
        self.selection_controller.inspect_soon()
        self._refresh_soon.start()

    def show_shortcuts(self) -> None:
        """Lists the keys of every action."""
        if self.shortcut_dialog is None:
            self.shortcut_dialog = ShortcutDialog(shortcut_sections(self.actions_by_id), self)
        self.shortcut_dialog.show()
        self.shortcut_dialog.raise_()

    def about(self) -> None:
        """Says what this is."""
        QMessageBox.about(self, "About Tokenarium", about_text())

    # From one run to the next.

    def _restore(self) -> None:
        self.notice = kept_session.restore(self.session, self._store)
        self.show_workspace(self._store.get(settings.WORKSPACE))
        if not self.restoreGeometry(self._store.get(settings.GEOMETRY)):
            self.resize(*SIZE)
        self.panes.restore(self._store)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._store.set(settings.GEOMETRY, self.saveGeometry())
        self._store.set(settings.WORKSPACE, self.workspace.name.id)
        self.panes.keep(self._store)
        kept_session.keep(self.session, self._store)
        self.fetcher.cancel_all()
        self.late.stop()
        for space in self._spaces.values():
            space.stop()
        self.session.stop()
        super().closeEvent(event)


def about_text() -> str:
    """Returns, as rich text, what this is, with what a report of a fault should name."""
    core = "compiled" if COMPILED else "interpreted"
    return (
        f"<b>Tokenarium {__version__}</b>"
        "<p>Shows how a text becomes tokens, stage by stage.</p>"
        f"<p>Core {core} · Python {platform.python_version()} · Qt {qVersion()}<br>Free software, MIT licence</p>"
    )
