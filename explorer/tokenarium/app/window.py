"""The main window: the library, the text, the workspaces and the inspector."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, qVersion
from PySide6.QtGui import (
    QCloseEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QMainWindow,
    QMessageBox,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from tokenarium.app.controllers import (
    EditController,
    JobWatch,
    PipelineController,
    SelectionController,
)
from tokenarium.app.history import VisitHistory
from tokenarium.app.panes import Panes
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.app.zooming import ZoomWheel
from tokenarium.menus.actions import Action, ActionChoice, ActionSet, Section
from tokenarium.menus.command_palette import PaletteCommands, SampleMenu
from tokenarium.menus.compare_commands import CompareCommands
from tokenarium.menus.display_commands import DisplayCommands
from tokenarium.menus.lazy_commands import LazyCommands
from tokenarium.menus.library_commands import LibraryCommands
from tokenarium.menus.merge_commands import MergeCommands
from tokenarium.menus.text_commands import TextCommands
from tokenarium.menus.undo_commands import UndoCommands
from tokenarium.menus.vocabulary_commands import VocabularyCommands
from tokenarium.menus.workspace_commands import ScriptCommands, TrainCommands
from tokenarium.session import kept_session, settings
from tokenarium.session.fetching import Fetcher
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import GRID
from tokenarium.views.workspace import PagedWorkspace, Workspace, has_focus, soon
from tokenarium.widgets.areas import PageStack
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.library.library_panel import LibraryPanel
from tokenarium.widgets.message_bar import MessageBar
from tokenarium.widgets.panel import Rule, menu_button, named
from tokenarium.widgets.shortcut_dialog import ShortcutDialog
from tokenarium.widgets.tab_row import SwitchBar, TabRow, WorkspaceTabs
from tokenarium.widgets.text.inspector import Inspector
from tokenarium.widgets.text.text_panel import TextPanel
from tokenarium_core import COMPILED, __version__
from tokenarium_core.formats.opening import is_tokenizer
from tokenarium_core.formats.registry import has_own_name

SIZE = (160 * GRID, 100 * GRID)
"""Pixels: the default width and height of the window."""

TOLD_MS = 8000
"""Milliseconds for which the status line shows a message."""

REFRESH_MS = 50
"""Milliseconds after which menus follow a change of the session."""


class MainWindow(QMainWindow):
    """One window on one session."""

    def __init__(self, appearance: Appearance, store: Settings, session: Session) -> None:
        super().__init__()
        self.setWindowTitle("Tokenarium")
        self.session = session
        self.appearance = appearance
        self._store = store
        self.shortcut_dialog: ShortcutDialog | None = None
        self._spaces: dict[str, Workspace] = {}
        self.fetcher = Fetcher(session)
        self.library = LibraryPanel(session.library, appearance.identity)
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
        self.undo_commands = UndoCommands(session, self.text)
        self.library_commands = LibraryCommands(session, self.library, self.fetcher, self)
        self.merge_commands = MergeCommands(session, self, self, appearance)
        self.script_commands = ScriptCommands(session, self, self)
        self.train_commands = TrainCommands(session, self, self)
        self.compare_commands = CompareCommands(session, self, self)
        self.vocabulary_commands = VocabularyCommands(session, self, self)
        self.pipeline_controller = PipelineController(session, appearance, store, self)
        self.display_commands = DisplayCommands(session, appearance, store, self.messages)
        self.zoom_wheel = ZoomWheel(self.display_commands.step_scale, self)
        self.lazy = LazyCommands(
            session,
            store,
            self.fetcher,
            self.library_commands,
            appearance,
            self.display_commands,
            lambda: self.actions_by_id,
            self,
        )
        self.history = VisitHistory(session, lambda: self.workspace, self.show_workspace, self)
        self.actions_by_id = ActionSet(self, self._declared())
        self._refresh_soon = soon(self, self.actions_by_id.refresh, REFRESH_MS)
        self._refresh_soon.timeout.connect(self._put_inspector_last)
        self._build()
        self._connect()
        self._restore()
        self.actions_by_id.refresh()
        self.text.field.setFocus()  # so that what is pasted or typed first becomes the text

    def _declared(self) -> Iterator[Action]:
        """Yields the actions of all groups of commands, and the window's own."""
        for group in (
            self.panes,
            self.palette_commands,
            self.undo_commands,
            self.text_commands,
            self.library_commands,
            self.lazy,
            self.display_commands,
            self.pipeline_controller,
            self.merge_commands,
            self.vocabulary_commands,
            self.script_commands,
            self.compare_commands,
            self.train_commands,
            self.history,
        ):
            yield from group.declared()
        space = ActionChoice(
            "workspace", Section.WORKSPACES, lambda: self.workspace.name.id, self.go_to_workspace
        ).action
        # fmt: off
        yield from (
            Action("quit", "&Quit", Section.QUIT, "Ctrl+Q", self.close, icon="sign-out"),
            space("tokens", "tokens", "&Tokens", "Ctrl+1", "The text as each tokenizer cuts it", icon="text-aa"),
            space("pretokens", "pretokens", "&Pre-tokens", "Ctrl+2", "The text as each pattern cuts it before the merges", icon="scissors"),
            space("merges", "merges", "&Merges", "Ctrl+3", "How the model makes tokens, step by step", icon="git-merge"),
            space("bytes", "bytes", "&Bytes", "Ctrl+4", "Characters, code points, bytes and tokens, aligned", icon="hash"),
            space("vocabulary", "vocabulary", "V&ocabulary", "Ctrl+5", "All entries of the current tokenizer", icon="books"),
            space("scripts", "scripts", "&Scripts", "Ctrl+6", "How each vocabulary was spent, by script", icon="translate"),
            space("compare", "compare", "&Compare", "Ctrl+7", "The chosen tokenizers beside each other, in figures", icon="scales"),
            space("train", "train_workspace", "T&rain", "Ctrl+8", "Trains tokenizers, and shows how they grow", icon="flask"),
            Action("next_difference", "&Next difference", Section.DIFFERENCES, "F8", lambda: self.workspace.go_to_difference(1), "Selects the next place where patterns or tokenizers cut differently", self._walks_differences, icon="caret-double-right"),
            Action("previous_difference", "Pre&vious difference", Section.DIFFERENCES, "Shift+F8", lambda: self.workspace.go_to_difference(-1), "Selects the place before where patterns or tokenizers cut differently", self._walks_differences, icon="caret-double-left"),
            Action("shortcuts", "&Keyboard shortcuts …", Section.HELP, "Ctrl+/", self.show_shortcuts, "Lists the keys of every action", icon="keyboard"),
            Action("about", "&About Tokenarium", Section.ABOUT, "Shift+F1", lambda: QMessageBox.about(self, "About Tokenarium", about_text()), icon="info"),
        )
        # fmt: on

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
        self.tabs = named(WorkspaceTabs(), "Workspaces")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)  # where the window is too narrow for all
        for kind in WORKSPACES:
            self.tabs.addTab(kind.name.title)
        self._pages = PageStack()
        self._switches = QStackedWidget()
        self._tab_row = TabRow(self.tabs, self._switches)
        middle = QWidget()
        strip = self.pipeline_controller.strip
        in_column(self._tab_row, Rule(), self.messages, strip, (self._pages, 1), into=middle)
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
        button.setToolTip("Choose a sample text (Ctrl+Shift+M)")
        return button

    def _connect(self) -> None:
        session = self.session
        session.text_changed.connect(self._show_text)
        session.problem.connect(self.messages.say)
        session.saved.connect(self._show_saved)
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

    def _show_saved(self, path: Path) -> None:
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
        """Opens files: adds tokenizers to the library, and shows the last text file as the text."""
        self.session.problem.emit("")
        for path in paths:
            if has_own_name(path.name) or is_tokenizer(path):
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
        """Shows a workspace, made now if necessary, and moves the focus into it if the last one had it."""
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
                space.page_shown.connect(self.history.note_soon)
        self._pages.setCurrentWidget(self._spaces[name.id])
        self._switches.setCurrentIndex(self._pages.currentIndex())
        self._tab_row.fit()
        self._fit_panes()
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(place)
        self.history.note_soon()
        self._refresh_soon.start()
        if follows:
            self.workspace.focus_first()

    def go_to_workspace(self, workspace_id: str) -> None:
        """Shows a workspace; if it is shown already, it gets the focus."""
        if self.workspace.name.id == workspace_id:
            self.workspace.focus_first()
        else:
            self.show_workspace(workspace_id)

    def _put_inspector_last(self) -> None:
        """Makes Tab reach the inspector after the workspace: Qt puts new widgets at the end."""
        last = self.workspace.last_control
        if last is not None:
            for control in self.inspector.controls:
                QWidget.setTabOrder(last, control)
                last = control

    def _switch_row(self, space: type[Workspace]) -> QWidget:
        return SwitchBar(
            [
                (self.actions_by_id[action_id] if action_id else None, text)
                for action_id, text in space.switches
            ]
        )

    def _walks_differences(self) -> bool:
        return self.workspace.walks_differences

    def _fit_panes(self) -> None:
        """Shows or hides the strip and the inspector as the workspace needs."""
        self.panes.inspector_pane.fit()
        self.pipeline_controller.fit(self.workspace.follows_text)
        self.selection_controller.inspect_soon()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copies the selection, or clears it with Escape, unless the focused widget uses the key."""
        selected = self.session.selection is not None
        if selected and event.key() == Qt.Key.Key_Escape:
            self.text_commands.clear_selection()
        elif selected and event.matches(QKeySequence.StandardKey.Copy):
            self.text_commands.copy_text()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.zoom_wheel.watch(self.windowHandle())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hides the inspector when the window becomes narrow, and shows it again when it is wide."""
        super().resizeEvent(event)
        self.panes.inspector_pane.resized(event.size().width(), event.oldSize().width())
        self.selection_controller.inspect_soon()
        self._refresh_soon.start()

    def show_shortcuts(self) -> None:
        """Shows the shortcuts of all actions."""
        if self.shortcut_dialog is None:
            self.shortcut_dialog = ShortcutDialog(self.actions_by_id.shortcuts(), self)
        self.shortcut_dialog.show()
        self.shortcut_dialog.raise_()

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
        self.lazy.stop()
        for space in self._spaces.values():
            space.stop()
        self.session.stop()
        super().closeEvent(event)


def about_text() -> str:
    """Returns the About text as rich text, with the versions that a bug report should name."""
    core = "compiled" if COMPILED else "interpreted"
    return (
        f"<b>Tokenarium {__version__}</b>"
        "<p>Shows how a text becomes tokens, stage by stage.</p>"
        f"<p>Core {core} · Python {platform.python_version()} · Qt {qVersion()}<br>Free software, MIT licence</p>"
    )
