"""The main window: the library, the text, the workspaces and the inspector."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
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
    QWidget,
)

from tokenarium.app.answers import RequestAnswers
from tokenarium.app.closing import ClosingQuestion
from tokenarium.app.controllers import (
    AltKey,
    EditController,
    JobWatch,
    PipelineController,
    SelectionController,
)
from tokenarium.app.file_taking import FileTaking
from tokenarium.app.handouts import HandoutCommands
from tokenarium.app.helping import HelpCommands
from tokenarium.app.history import VisitHistory
from tokenarium.app.kept_texts import KeptTexts
from tokenarium.app.lesson_files import LessonFiles
from tokenarium.app.lesson_letters import LessonLetters
from tokenarium.app.lesson_marks import LessonMarks
from tokenarium.app.lesson_side import LessonSide
from tokenarium.app.lesson_writing import LessonWriting
from tokenarium.app.lessons import Lessons, QuestionMenu
from tokenarium.app.menu_entry import MenuEntry
from tokenarium.app.pages_ahead import PagesAhead
from tokenarium.app.panes import Panes
from tokenarium.app.presenting import PresentingCommands
from tokenarium.app.scene_commands import SceneCommands
from tokenarium.app.scenes import Above, SceneStage
from tokenarium.app.spaces import Spaces
from tokenarium.app.troubles import TroubleCommands
from tokenarium.app.typed_fields import TypedFields
from tokenarium.app.web_pages import WebPageCommands
from tokenarium.app.welcoming import Welcoming
from tokenarium.app.zooming import ZoomWheel
from tokenarium.menus.actions import Action, ActionSet, Section, switch
from tokenarium.menus.command_palette import PaletteCommands, SampleMenu
from tokenarium.menus.compare_commands import CompareCommands
from tokenarium.menus.display_commands import DisplayCommands
from tokenarium.menus.lazy_commands import LazyCommands
from tokenarium.menus.library_commands import LibraryCommands
from tokenarium.menus.merge_commands import MergeCommands
from tokenarium.menus.text_commands import TextCommands
from tokenarium.menus.token_commands import TokenCommands
from tokenarium.menus.undo_commands import UndoCommands
from tokenarium.menus.vocabulary_commands import VocabularyCommands
from tokenarium.menus.workspace_commands import (
    ByteCommands,
    ScriptCommands,
    TokensCommands,
    TrainCommands,
)
from tokenarium.models.files import session_folder
from tokenarium.models.scene_store import SceneStore
from tokenarium.session import kept_session, settings
from tokenarium.session.fetching import Fetcher
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import GRID
from tokenarium.views.kept import Kept
from tokenarium.views.workspace import Workspace, soon
from tokenarium.widgets.drops import CopiedDrops, FileDrops
from tokenarium.widgets.file_dialogs import folders
from tokenarium.widgets.keyboard import AreaRings, last_reached
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.library.library_panel import LibraryPanel
from tokenarium.widgets.rail import Rail
from tokenarium.widgets.text.inspector import Inspector
from tokenarium.widgets.text.text_panel import TextPanel
from tokenarium.widgets.top_bar import PREVIEW, TextLine, TopBar

if TYPE_CHECKING:
    pass

SIZE = (160 * GRID, 100 * GRID)
"""Pixels: the default width and height of the window."""

DOING = (
    ("share_card", "Share", "share-network", ""),
    ("present", "Present", "presentation", "primary"),
)
"""The actions of the top bar: ids, short texts, icons, and kinds of buttons."""

LOW = 840
"""Pixels: a lower window has smaller margins."""

REFRESH_MS = 50
"""Milliseconds after which menus follow a change of the session."""


class MainWindow(QMainWindow):
    """One window on one session."""

    def __init__(self, appearance: Appearance, store: Settings, session: Session) -> None:
        super().__init__()
        self.setWindowTitle("Tokenarium (safe start)" if store.safe else "Tokenarium")
        self.session = session
        self.appearance = appearance
        self._store = store
        self.fetcher = Fetcher(session)
        self.library = LibraryPanel(session.library, appearance.identity)
        self.text = TextPanel()
        self.text.follow_letters(appearance)
        self.inspector = Inspector()
        self.spaces = Spaces(session, appearance, lambda: self.actions_by_id, self)
        self.selection_controller = SelectionController(
            session, appearance, self.text, self.inspector, self
        )
        self.edit_controller = EditController(session, self.text, lambda: self.workspace, self)
        self.job_watch = JobWatch(session.jobs, self)
        self.panes = Panes(
            session,
            self.library,
            self.text,
            self.inspector,
            self.selection_controller,
            lambda: self.workspace,
            self.job_watch.bar,
        )
        self._whole = QWidget()
        columns = in_row((self.panes, 1), into=self._whole)
        self.messages = self.panes.messages
        self.text_commands = TextCommands(session, self, lambda: self.workspace, self.messages)
        self.undo_commands = UndoCommands(session, self.text)
        self.library_commands = LibraryCommands(session, self.library, self.fetcher, self)
        spaces = self.spaces
        self.merge_commands = MergeCommands(session, spaces, self, appearance)
        self.tokens_commands = TokensCommands(session, spaces, self)
        self.byte_commands = ByteCommands(session, spaces, self, self.messages)
        self.script_commands = ScriptCommands(session, spaces, self)
        self.train_commands = TrainCommands(session, spaces, self)
        self.compare_commands = CompareCommands(session, spaces, self)
        self.vocabulary_commands = VocabularyCommands(session, spaces, self)
        self.token_commands = TokenCommands(session, spaces, appearance, self)
        self.pipeline_controller = PipelineController(session, store, self)
        self.display_commands = DisplayCommands(session, appearance, store, self.messages)
        self.zoom_wheel = ZoomWheel(self.display_commands.step_scale, self)
        self.rings = AreaRings(self)
        self.drops = FileDrops(self, self.take_files)
        self.copied_drops = CopiedDrops(self)
        self.zoom_wheel.clicked.connect(lambda: self.rings.clicked(self))
        self.history = VisitHistory(session, lambda: self.workspace, self.show_workspace, self)
        self.stage = SceneStage(self, session, appearance, self)
        self.pages_ahead = PagesAhead(spaces, self._rests, self)
        self.lessons = Lessons(
            session,
            store,
            self.stage,
            self.fetcher.fetch,
            LessonMarks(session, self._whole, lambda: self.workspace, self.panes.part),
            columns,
            lambda: self.workspace,
            self,
        )
        kept = SceneStore(session_folder())
        self.fields = TypedFields(self, lambda: self.workspace.name.title, self._is_kept_elsewhere)
        self.scene_commands = SceneCommands(
            session,
            store,
            kept,
            self.stage,
            self.fields,
            lambda: (*self.welcoming.keeps(), *self.lazy.keeps()),
            lambda: self.lessons.has_window,
            self,
        )
        self.closing = ClosingQuestion(session, self.scene_commands.why_not_kept, self)
        self.kept_texts = KeptTexts(session, kept, self.scene_commands, self.messages, self)
        self.lazy = LazyCommands(
            session,
            store,
            self.fetcher,
            self.library_commands,
            appearance,
            self.display_commands,
            lambda: self.actions_by_id,
            self.scene_commands,
            self,
        )
        self.palette_commands = PaletteCommands(
            session,
            self,
            lambda: self.actions_by_id,
            self.fetcher,
            self.scene_commands.recent_commands,
            self.lessons,
        )
        self.lesson_writing = LessonWriting(
            session, self.lessons, self.stage, self.scene_commands, self
        )
        self.handouts = HandoutCommands(self, session, self.lessons)
        self.web_pages = WebPageCommands(self, session, self.stage)
        self.lesson_files = LessonFiles(self, session, self.lessons)
        self.presenting = PresentingCommands(
            spaces, appearance, self.lessons, self.stage, self.token_commands, self
        )
        self.files = FileTaking(
            session,
            self.scene_commands,
            self.library_commands,
            self.text_commands,
            self.lessons,
            lambda folder: self.lazy.finding.look_in(folder),  # noqa: PLW0108 - its code is loaded on first use
        )
        self.welcoming = Welcoming(
            session,
            appearance,
            store,
            self.panes,
            self.fetcher,
            lambda: self.actions_by_id,
            self.take_files,
            self.lessons,
            self,
        )
        self.troubles = TroubleCommands(
            session, store, self.messages, self.scene_commands, self.show_workspace, self
        )
        self.help = HelpCommands(lambda: self.workspace, lambda: self.actions_by_id, self)
        self.menu_entry = MenuEntry(self.messages.tell, session.problem.emit, self)
        self.answers = RequestAnswers(session.requests, self, self)
        self.actions_by_id = ActionSet(self, self._declared())
        self.questions = QuestionMenu(self.lessons, self)
        self.actions_by_id["questions"].setMenu(self.questions)
        self._refresh_soon = soon(self, self.actions_by_id.refresh, REFRESH_MS)
        self._refresh_soon.timeout.connect(self._put_inspector_last)
        self._build()
        self._connect()
        self._restore()
        self.actions_by_id.refresh()
        if self.panes.text_is_shown():
            self.text.field.setFocus()  # so that the first paste or keystroke replaces the text

    def _declared(self) -> Iterator[Action]:
        """Yields the actions of all groups of commands, and the window's own."""
        for group in (
            self.panes,
            self.palette_commands,
            self.undo_commands,
            self.text_commands,
            self.scene_commands,
            self.kept_texts,
            self.library_commands,
            self.lazy,
            self.display_commands,
            self.pipeline_controller,
            self.merge_commands,
            self.vocabulary_commands,
            self.token_commands,
            self.tokens_commands,
            self.byte_commands,
            self.script_commands,
            self.compare_commands,
            self.train_commands,
            self.history,
            self.lessons,
            self.lesson_writing,
            self.handouts,
            self.web_pages,
            self.lesson_files,
            self.welcoming,
            self.troubles,
            self.help,
            self.menu_entry,
        ):
            yield from group.declared()
        # fmt: off
        yield Action("quit", "&Quit", Section.QUIT, "Ctrl+Q", self.close, icon="sign-out")
        yield from self.spaces.declared()
        yield from self.presenting.declared()
        yield switch("show_menu_bar", "Show the men&u bar", Section.PANES, "Ctrl+D, U", self._menu_bar_is_kept, self._keep_menu_bar, "If it is off, Alt shows it for one choice", icon="list")
        # fmt: on

    # Construction.

    def _build(self) -> None:
        actions = self.actions_by_id
        self.library.set_actions(
            [
                actions["tokenizer_sets"],
                actions["find_tokenizers"],
                actions["open_tokenizer"],
                actions["show_library"],
            ],
            [
                actions["toggle_tokenizer"],
                actions["get_tokenizer"],
                None,
                actions["only_this"],
                actions["only_chosen"],
                actions["show_others"],
                actions["choose_tokenizer"],
                actions["tokenizer_sets"],
                None,
                actions["move_up"],
                actions["move_down"],
                None,
                actions["about_tokenizer"],
                actions["check_reference"],
                actions["register_tokenizer"],
                actions["put_back_tokenizer"],
                None,
                actions["remove_tokenizer"],
            ],
            actions["open_tokenizer"],
        )
        self.text.set_actions(
            [actions[action_id] for action_id in ("open_text", "paste_text", "clear_text")]
        )
        foot = [
            (actions["lessons"], "Lessons", "graduation-cap"),
            (actions["settings"], "Settings", "gear-six"),
        ]
        self.rail = Rail(self.spaces.buttons(), foot)
        self.sample_menu = SampleMenu(self.session, self)
        self.text_line = TextLine(self.sample_menu, actions["edit_text"], self.text.counts)
        self.text_line.samples.setToolTip(actions["samples"].toolTip())
        self.top_bar = TopBar(
            actions["show_library"],
            self.text_line,
            actions["palette"],
            [(actions[id], text, glyph, kind) for id, text, glyph, kind in DOING if id in actions],
        )
        middle = QWidget()
        column = in_column(self.pipeline_controller.strip, (self.spaces.pages, 1), into=middle)
        self.lesson_letters = LessonLetters(
            self.session, self.lessons, lambda: self.workspace, column, self
        )
        self.panes.arrange(self.rail, self.top_bar, self.spaces.rows, middle)
        self.lesson_side = LessonSide(self.lessons, self.panes, lambda: self.workspace, self)
        self.setCentralWidget(self._whole)
        order = [
            self.rail.current,
            *self.library.controls,
            self.library.tree,
            *self.top_bar.controls,
            self.text.field,
            *self.text.controls,
        ]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)
        self.menuBar().setVisible(self._menu_bar_is_kept())
        self.alt_key = AltKey(self, self._menu_bar_is_kept, self.show_menus)

    def _connect(self) -> None:
        session, spaces = self.session, self.spaces
        spaces.leaving.connect(self.token_commands.close_card)
        spaces.shown.connect(self.welcoming.leave)
        for signal in (spaces.shown, spaces.page_shown):
            signal.connect(self._fit_panes)
            signal.connect(self.history.note_soon)
            signal.connect(self.stage.follow_page)
            signal.connect(self.lesson_letters.refresh)
            signal.connect(self.lesson_side.refresh)
        spaces.shown.connect(self.refresh_soon)
        self.lessons.shown.connect(self._fit_lessons)
        self.lessons.shows_step.connect(self.appearance.set_fills_room)
        self.lessons.begins.connect(lambda: self.scene_commands.keep(now=True))
        self.fields.refused.connect(session.problem)
        session.text_changed.connect(self._show_text)
        session.text_replaced.connect(self.welcoming.leave)
        session.problem.connect(self.messages.say)
        session.edits.undo_stack.changed.connect(self._refresh_soon.start)
        for signal in (
            session.text_changed,
            session.selection_changed,
            session.tokenizers_changed,
            session.special_changed,
            session.display_changed,
            session.current_changed,
            session.patterns_changed,
            self.appearance.changed,
        ):
            signal.connect(self._refresh_soon.start)
        QGuiApplication.clipboard().dataChanged.connect(self._refresh_soon.start)
        self.text.pasted.connect(self.files.take_pasted)
        self.text.files_dropped.connect(self.take_files)
        self.library.files_dropped.connect(self.take_files)
        self.library.get_requested.connect(self.fetcher.fetch)
        self.library.cancel_requested.connect(self.fetcher.cancel)
        self.library.put_back_requested.connect(self._put_back)
        self.library.current_changed.connect(self._library_row_changed)
        self.library.front_requested.connect(session.set_current)
        session.current_changed.connect(self._show_front)
        session.tokenizers_changed.connect(self._show_front)
        self.job_watch.idle.connect(self._refresh_soon.start)
        self.stage.shown.connect(self._refresh_soon.start)
        self.job_watch.bar.cancel_requested.connect(self._tell_stopped)
        self.text_line.clicked.connect(self.panes.edit_text)
        self.actions_by_id["side_by_side"].triggered.connect(self._refresh_soon.start)
        self.menuBar().hovered.connect(lambda _: self.actions_by_id.refresh())

    # Showing the session.

    def _show_text(self) -> None:
        self.text.set_text(self.session.text_map)
        self.text_line.show_text(self.session.text_map.part(0, PREVIEW))
        self.text_line.samples.show_name(self.session.title)
        self.selection_controller.show()

    def _tell_stopped(self) -> None:
        if self.text_commands.was_stopped():
            self.messages.tell("Stopped. Ctrl+R, B begins again.")

    def _show_front(self) -> None:
        current = self.session.current
        self.library.show_front(current.key if current is not None else "")

    def _library_row_changed(self, key: str) -> None:
        item = self.session.library.item(key)
        if item is not None and item.on:
            self.session.set_current(key)
        self._refresh_soon.start()

    def _put_back(self, key: str) -> None:
        self.lazy.registering.put_back(key)

    def take_files(self, paths: Sequence[Path]) -> None:
        """Opens files, see `FileTaking`."""
        self.files.take_files(paths)

    def open_words(self, words: Sequence[str]) -> None:
        """Opens the arguments of a desktop or a command line: paths, file URLs, and links."""
        self.files.open_words(words)

    def refresh_soon(self) -> None:
        """Has menus and switches follow after this change."""
        self._refresh_soon.start()

    @property
    def at_rest(self) -> bool:
        """Whether menus and switches have followed the last change."""
        return not self._refresh_soon.isActive()

    # Workspaces and panes.

    @property
    def workspace(self) -> Workspace:
        """The current workspace."""
        return self.spaces.workspace

    def show_workspace(self, workspace_id: str) -> None:
        """Shows a workspace, made now if necessary."""
        self.spaces.show_workspace(workspace_id)

    def _put_inspector_last(self) -> None:
        """Makes Tab reach the inspector after the workspace: Qt puts new widgets at the end."""
        last = last_reached(self.workspace)
        if last is not None:
            for control in self.inspector.controls:
                QWidget.setTabOrder(last, control)
                last = control

    # For scenes.

    def pane_keeps(self) -> Iterable[Kept]:
        """Returns the settings of the panels around the workspace."""
        for part in (
            self.panes,
            self.pipeline_controller,
            self.selection_controller,
            self.library_commands,
        ):
            yield from part.keeps()

    def above(self) -> Iterable[Above]:
        """Returns what can be open above the page."""
        from tokenarium.app.scene_above import all_above

        return all_above(self)

    @property
    def works(self) -> bool:
        """Whether a dialog is searching, checking or writing."""
        return self.lazy.busy

    def _fit_lessons(self) -> None:
        panel = self.lessons.panel
        if panel is not None:
            panel.fit(self.size())
        shown = panel is not None and self.lessons.is_open
        self.panes.make_room(panel.width() if panel is not None and shown else 0)
        self.rail.foot[0].set_lit(shown)

    def _rests(self) -> bool:
        """Whether nothing that the user waits for is being computed or shown."""
        return not (self.session.jobs.running() or self.session.opening or self.stage.busy)

    def _fit_panes(self) -> None:
        """Shows or hides the panels as the workspace needs them."""
        self.panes.fit()
        self.pipeline_controller.fit(self.workspace.follows_text)
        self.selection_controller.inspect_soon()
        self.panes.settle()

    def _is_kept_elsewhere(self, field: QWidget) -> bool:
        """Whether a field is kept by other means: the text, unless a lesson replaces it, and a lesson being written."""
        editor = self.lesson_writing.editor
        if editor is not None and field is editor.source:
            return True
        return field is self.text.field and not self.scene_commands.paused()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copies the selection, pastes a text, or closes with Escape, unless the focused widget uses the shortcut."""
        selected = self.session.selection is not None
        keys = QKeySequence.StandardKey
        if event.key() == Qt.Key.Key_Escape and self.panes.close_floating():
            return
        if selected and event.key() == Qt.Key.Key_Escape:
            self.text_commands.clear_selection()
        elif selected and event.matches(keys.Copy):
            self.text_commands.copy_text()
        elif event.key() == Qt.Key.Key_Alt:
            self.alt_key.press()
        elif event.key() == Qt.Key.Key_F11:
            self.presenting.present()  # not declared: some desktops keep this key for themselves
        elif event.matches(keys.Paste):
            self.panes.edit_text()
            self.text.field.paste()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.lessons.is_open:
            self._fit_lessons()
            self.lesson_side.refresh()
            self.lesson_letters.refresh()
        low = event.size().height() < LOW
        self.top_bar.set_low(low)
        self.spaces.set_low(low)
        if low != (event.oldSize().height() < LOW):
            self.panes.settle()
        self._refresh_soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.zoom_wheel.watch(self.windowHandle())

    # The menu bar, which is hidden unless the system shows it elsewhere.

    def _menu_bar_is_kept(self) -> bool:
        return sys.platform == "darwin" or self._store.get(settings.SHOW_MENU_BAR)

    def _keep_menu_bar(self, keep: bool) -> None:
        self._store.set(settings.SHOW_MENU_BAR, keep)
        self.menuBar().setVisible(self._menu_bar_is_kept())

    def show_menus(self) -> None:
        """Shows the menu bar for one choice, with its first menu marked."""
        bar = self.menuBar()
        bar.show()
        bar.setFocus(Qt.FocusReason.MenuBarFocusReason)
        bar.setActiveAction(bar.actions()[0])

    # From one run to the next.

    def _restore(self) -> None:
        self.notice = kept_session.restore(self.session, self._store)
        folders.restore(self._store.get(settings.FILE_FOLDERS))
        folders.kept = partial(self._store.set, settings.FILE_FOLDERS)
        self.show_workspace(self._store.get(settings.WORKSPACE))
        if not self.restoreGeometry(self._store.get(settings.GEOMETRY)):
            self.resize(*SIZE)
        self.panes.restore(self._store)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.closing.may_close():
            event.ignore()
            return
        if not self.lesson_writing.close(self.closing.asks):
            event.ignore()
            return
        self.lessons.close()  # only the user's content is kept
        if not self.closing.may_lose():
            event.ignore()
            return
        self.handouts.cancel()
        self.web_pages.cancel()
        self.pages_ahead.stop()
        self.scene_commands.stop()
        self.stage.stop()
        self._store.set(settings.GEOMETRY, self.saveGeometry())
        self._store.set(settings.WORKSPACE, self.workspace.name.id)
        self.panes.keep(self._store)
        kept_session.keep(self.session, self._store)
        if self.presenting.shown is not None:
            self.presenting.shown.close()
        self.fetcher.cancel_all()
        self.lazy.stop()
        self.troubles.stop()
        self.menu_entry.stop()
        for space in self.spaces.made.values():
            space.stop()
        self.session.stop()
        super().closeEvent(event)
