"""The main window: the library, the text, the workspaces and the inspector."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, cast

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

from tokenarium.app.closing import ClosingQuestion
from tokenarium.app.controllers import (
    AltKey,
    EditController,
    JobWatch,
    PipelineController,
    SelectionController,
)
from tokenarium.app.handouts import HandoutCommands
from tokenarium.app.helping import HelpCommands
from tokenarium.app.history import VisitHistory
from tokenarium.app.kept_texts import KeptTexts
from tokenarium.app.lesson_marks import LessonMarks
from tokenarium.app.lesson_writing import LessonWriting
from tokenarium.app.lessons import Lessons, QuestionMenu
from tokenarium.app.menu_entry import MenuEntry
from tokenarium.app.pages_ahead import PagesAhead
from tokenarium.app.panes import Panes
from tokenarium.app.scene_commands import SceneCommands, takes_link
from tokenarium.app.scenes import Above, SceneStage
from tokenarium.app.troubles import TroubleCommands
from tokenarium.app.typed_fields import TypedFields
from tokenarium.app.welcoming import Welcoming
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.app.zooming import ZoomWheel
from tokenarium.menus.actions import Action, ActionChoice, ActionSet, Section, switch
from tokenarium.menus.command_palette import PaletteCommands, SampleMenu
from tokenarium.menus.compare_commands import CompareCommands
from tokenarium.menus.display_commands import DisplayCommands
from tokenarium.menus.lazy_commands import LazyCommands
from tokenarium.menus.library_commands import LibraryCommands, is_reference
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
from tokenarium.models.links import path_of, read_lesson_link
from tokenarium.models.program_log import log
from tokenarium.models.scene import SUFFIX
from tokenarium.models.scene_store import SceneStore
from tokenarium.session import kept_session, settings
from tokenarium.session.fetching import Fetcher
from tokenarium.session.session import Session, Trouble
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import GRID
from tokenarium.views.workspace import PagedWorkspace, Workspace, has_focus, last_reached, soon
from tokenarium.widgets.areas import PageStack
from tokenarium.widgets.drops import CopiedDrops, FileDrops
from tokenarium.widgets.file_dialogs import folders
from tokenarium.widgets.keyboard import AreaRings
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.library.library_panel import LibraryPanel
from tokenarium.widgets.page_row import PageRow
from tokenarium.widgets.rail import Rail
from tokenarium.widgets.text.inspector import Inspector
from tokenarium.widgets.text.text_panel import TextPanel
from tokenarium.widgets.top_bar import TextLine, TopBar
from tokenarium_core.formats.opening import foreign_kind, is_tokenizer, refusal
from tokenarium_core.formats.registry import has_own_name

if TYPE_CHECKING:
    from tokenarium.views.presentation import DeckMaker, Presentation

SIZE = (160 * GRID, 100 * GRID)
"""Pixels: the default width and height of the window."""

RAIL_ICONS = {
    "tokens": "text-aa",
    "pretokens": "scissors",
    "merges": "git-merge",
    "bytes": "hash",
    "vocabulary": "books",
    "scripts": "translate",
    "compare": "scales",
    "train": "flask",
}
"""The icons of the workspaces."""

DOING = (
    ("share_card", "Share", "share-network", ""),
    ("present", "Present", "presentation", "primary"),
)
"""The actions of the top bar: ids, short texts, icons, and kinds of buttons."""

LOW = 700
"""Pixels: a lower window has smaller margins."""

REFRESH_MS = 50
"""Milliseconds after which menus follow a change of the session."""


class MainWindow(QMainWindow):
    """One window on one session."""

    def __init__(self, appearance: Appearance, store: Settings, session: Session) -> None:
        super().__init__()
        self.setWindowTitle("Tokenarium (safe start)" if store.safe else "Tokenarium")
        self.session = session
        self.closing = ClosingQuestion(session, self)
        self.appearance = appearance
        self._store = store
        self.presentation: Presentation | None = None
        self._spaces: dict[str, Workspace] = {}
        self.fetcher = Fetcher(session)
        self.library = LibraryPanel(session.library, appearance.identity)
        self.text = TextPanel()
        self.text.follow_letters(appearance)
        self.inspector = Inspector()
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
        self.messages = self.panes.messages
        self.palette_commands = PaletteCommands(
            session, self, lambda: self.actions_by_id, self.fetcher
        )
        self.text_commands = TextCommands(session, self, lambda: self.workspace)
        self.undo_commands = UndoCommands(session, self.text)
        self.library_commands = LibraryCommands(session, self.library, self.fetcher, self)
        self.merge_commands = MergeCommands(session, self, self, appearance)
        self.tokens_commands = TokensCommands(session, self, self)
        self.byte_commands = ByteCommands(session, self, self, self.messages)
        self.script_commands = ScriptCommands(session, self, self)
        self.train_commands = TrainCommands(session, self, self)
        self.compare_commands = CompareCommands(session, self, self)
        self.vocabulary_commands = VocabularyCommands(session, self, self)
        self.token_commands = TokenCommands(session, self, appearance, self)
        self.pipeline_controller = PipelineController(session, store, self)
        self.display_commands = DisplayCommands(session, appearance, store, self.messages)
        self.zoom_wheel = ZoomWheel(self.display_commands.step_scale, self)
        self.rings = AreaRings(self)
        self.drops = FileDrops(self, self.take_files)
        self.copied_drops = CopiedDrops(self)
        self.zoom_wheel.clicked.connect(lambda: self.rings.clicked(self))
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
        self.stage = SceneStage(self, session, appearance, self)
        self._ahead = PagesAhead(self._spaces, self._space, self._rests, self)
        self.stage.panes = lambda: (
            *self.panes.keeps(),
            *self.pipeline_controller.keeps(),
            *self.selection_controller.keeps(),
            *self.library_commands.keeps(),
        )
        self.stage.above = self._above
        self.stage.works = lambda: self.lazy.busy
        kept = SceneStore(session_folder())
        self.scene_commands = SceneCommands(session, store, kept, self.stage, self)
        self.kept_texts = KeptTexts(session, kept, self.scene_commands, self.messages, self)
        self.lazy.texts = self.scene_commands
        self.closing.why_not_kept = self.scene_commands.why_not_kept
        self.palette_commands.recent = self.scene_commands.recent_commands
        self.lessons = Lessons(session, store, self.stage, self.fetcher.fetch, self)
        self.lesson_writing = LessonWriting(session, self.lessons, self.stage, self)
        self.lesson_writing.keep_draft = self.scene_commands.keep_draft
        self.lesson_writing.take_draft = self.scene_commands.take_draft
        self.lesson_writing.drafts = lambda: self.scene_commands.drafts
        self.handouts = HandoutCommands(self, session, self.lessons)
        self.welcoming = Welcoming(
            session,
            appearance,
            store,
            self.panes,
            self.fetcher,
            lambda: self.actions_by_id,
            self._go_from_welcome,
            self.take_files,
            self,
        )
        self.troubles = TroubleCommands(
            session, store, self.messages, self.scene_commands, self.show_workspace, self
        )
        self.help = HelpCommands(lambda: self.workspace, lambda: self.actions_by_id, self)
        self.menu_entry = MenuEntry(self.messages.tell, session.problem.emit, self)
        self.palette_commands.questions = self.lessons.question_commands
        self.lessons.choose_question = self.palette_commands.choose_question
        self.palette_commands.find = self.lessons.find_commands
        self.lessons.begins.connect(lambda: self.scene_commands.keep(now=True))
        self.scene_commands.paused = lambda: self.lessons.has_window
        self.fields = self.scene_commands.fields = TypedFields(
            self, lambda: self.workspace.name.title
        )
        self.fields.skips = self._is_kept_elsewhere
        self.fields.refused.connect(session.problem)
        self.scene_commands.own = lambda: (*self.welcoming.keeps(), *self.lazy.keeps())
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
            self.welcoming,
            self.troubles,
            self.help,
            self.menu_entry,
        ):
            yield from group.declared()
        space = ActionChoice(
            "workspace", Section.WORKSPACES, lambda: self.workspace.name.id, self.go_to_workspace
        ).action
        # fmt: off
        yield from (
            Action("quit", "&Quit", Section.QUIT, "Ctrl+Q", self.close, icon="sign-out"),
            space("tokens", "tokens", "&Tokens", "Ctrl+1", "The text as each tokenizer splits it", icon="text-aa"),
            space("pretokens", "pretokens", "&Pre-tokens", "Ctrl+2", "The text as each pattern splits it before the merges", icon="scissors"),
            space("merges", "merges", "&Merges", "Ctrl+3", "How the model makes tokens, step by step", icon="git-merge"),
            space("bytes", "bytes", "&Bytes", "Ctrl+4", "Characters, code points, bytes and tokens, aligned", icon="hash"),
            space("vocabulary", "vocabulary", "V&ocabulary", "Ctrl+5", "All entries of the current tokenizer", icon="books"),
            space("scripts", "scripts", "&Scripts", "Ctrl+6", "How each vocabulary is divided among scripts", icon="translate"),
            space("compare", "compare", "&Compare", "Ctrl+7", "Figures of the chosen tokenizers, side by side", icon="scales"),
            space("train", "train_workspace", "T&rain", "Ctrl+8", "Trains tokenizers, and shows how they grow", icon="flask"),
            Action("next_difference", "&Next difference", Section.DIFFERENCES, "F8", lambda: self.workspace.go_to_difference(1), "Selects the next place where patterns or tokenizers split differently", self._walks_differences, icon="caret-double-right"),
            Action("previous_difference", "Pre&vious difference", Section.DIFFERENCES, "Shift+F8", lambda: self.workspace.go_to_difference(-1), "Selects the previous place where patterns or tokenizers split differently", self._walks_differences, icon="caret-double-left"),
            Action("present", "Present to an a&udience", Section.WORKSPACES, "F5", self.present, "Shows this workspace on the whole screen, larger, for an audience", icon="presentation"),
            switch("show_menu_bar", "Show the men&u bar", Section.PANES, "Ctrl+D, U", self._menu_bar_is_kept, self._keep_menu_bar, "If it is off, Alt shows it for one choice", icon="list"),
        )
        # fmt: on

    # Construction.

    def _build(self) -> None:
        actions = self.actions_by_id
        self.library.set_actions(
            [actions["find_tokenizers"], actions["open_tokenizer"], actions["show_library"]],
            [
                actions["toggle_tokenizer"],
                actions["get_tokenizer"],
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
        spaces = [
            (actions[_action_of(kind.name.id)], kind.name.title, RAIL_ICONS[kind.name.id])
            for kind in WORKSPACES
        ]
        foot = [
            (actions["lessons"], "Lessons", "graduation-cap"),
            (actions["settings"], "Settings", "gear-six"),
        ]
        self.rail = Rail(spaces, foot)
        self.sample_menu = SampleMenu(self.session, self)
        self.text_line = TextLine(self.sample_menu, actions["edit_text"], self.text.counts)
        self.text_line.samples.setToolTip(actions["samples"].toolTip())
        self.top_bar = TopBar(
            actions["show_library"],
            self.text_line,
            actions["palette"],
            [(actions[id], text, glyph, kind) for id, text, glyph, kind in DOING if id in actions],
        )
        self._pages = PageStack()
        self._switches = PageStack()
        middle = QWidget()
        in_column(self.pipeline_controller.strip, (self._pages, 1), into=middle)
        self.panes.arrange(self.rail, self.top_bar, self._switches, middle)
        self._whole = QWidget()
        self._columns = in_row((self.panes, 1), into=self._whole)
        self.lessons.room = self._columns.addWidget
        self.lessons.shown.connect(self._fit_lessons)
        self.lessons.asking.workspace = lambda: self.workspace
        self.lessons.edit_text = self._edit_own_text
        self.lessons.get_ready = self._ahead.make
        self.lessons.marks = LessonMarks(
            self.session, self._whole, lambda: self.workspace, self.panes.part
        )
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
        session = self.session
        session.text_changed.connect(self._show_text)
        session.text_replaced.connect(self.welcoming.leave)
        session.problem.connect(self.messages.say)
        session.trouble.connect(self._show_trouble)
        session.saved.connect(self._show_saved)
        session.edits.undo_stack.changed.connect(self._refresh_soon.start)
        for signal in (
            session.text_changed,
            session.selection_changed,
            session.tokenizers_changed,
            session.special_changed,
            session.display_changed,
            session.current_changed,
            session.patterns_changed,
            session.trainings_changed,
            session.report_changed,
            self.appearance.changed,
        ):
            signal.connect(self._refresh_soon.start)
        QGuiApplication.clipboard().dataChanged.connect(self._refresh_soon.start)
        self.text.pasted.connect(self._take_pasted)
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
        self.text_line.show_text(self.session.text)
        self.text_line.samples.show_name(self.session.title)
        self.selection_controller.show()

    def _show_trouble(self, trouble: Trouble) -> None:
        again = ("Try again", trouble.again)
        other = ("Open a file …", self.library_commands.open_tokenizer)
        self.messages.trouble(trouble.sentence, trouble.details, again, other)

    def _show_saved(self, path: Path) -> None:
        self.messages.tell(f"Saved {path.name} in {path.parent}")

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
        """Opens files: adds tokenizers to the library, and shows the last text file as the text."""
        self.session.problem.emit("")
        for path in paths:
            if path.name.endswith(SUFFIX):
                self.scene_commands.open_path(path)
            elif is_reference(path) or has_own_name(path.name) or is_tokenizer(path):
                self.library_commands.add_path(path)
            elif not self._refuses(path):
                self.text_commands.open_path(path)

    def _refuses(self, path: Path) -> bool:
        """Says what a file or a folder is that is neither a tokenizer nor a text; returns False for others."""
        if os.path.isdir(path):  # also if it may not be read
            said = refusal(path)
        else:
            kind = foreign_kind(path)
            said = kind.sentence(path.name) if kind is not None else ""
            if kind is not None and kind.is_text:
                said += " To use it as the text, choose File › Open text."
        if said:
            self.session.problem.emit(said)
        return bool(said)

    def open_words(self, words: Sequence[str]) -> None:
        """Opens the arguments of a desktop or a command line: paths, file URLs, and links."""
        links = [word for word in words if takes_link(word)]
        paths = [path_of(word) for word in words if word not in links]
        if paths:
            self.take_files(paths)
        for link in links:
            self.open_link(link)

    def open_link(self, link: str) -> None:
        """Opens a lesson, or shows the session of a link."""
        place = read_lesson_link(link)
        if place is None:
            self.scene_commands.open_link(link)
        else:
            self.lessons.open_link(*place)

    def _take_pasted(self, text: str) -> None:
        """Replaces the text with a pasted one, or opens it if it is a link."""
        if takes_link(text):
            self.open_link(text)
        else:
            self.text_commands.take_text(text)

    @property
    def at_rest(self) -> bool:
        """Whether menus and switches have followed the last change."""
        return not self._refresh_soon.isActive()

    # Workspaces and panes.

    @property
    def page_row(self) -> PageRow:
        """The row of pages and switches of the current workspace."""
        return cast(PageRow, self._switches.currentWidget())

    @property
    def workspace(self) -> Workspace:
        """The current workspace."""
        return cast(Workspace, self._pages.currentWidget())

    @property
    def spaces(self) -> Iterable[Workspace]:
        """The workspaces that were shown so far."""
        return self._spaces.values()

    def show_workspace(self, workspace_id: str) -> None:
        """Shows a workspace, made now if necessary, and moves the focus into it if the previous one had it."""
        self.token_commands.close_card()
        follows = has_focus(self._pages)
        known = [kind.name.id for kind in WORKSPACES]
        place = known.index(workspace_id) if workspace_id in known else 0
        name = WORKSPACES[place].name
        log(f"shows {name.id}")
        space = self._space(name.id)
        self.welcoming.leave()
        self._pages.setCurrentWidget(space)
        self._switches.setCurrentIndex(self._pages.currentIndex())
        self._fit_panes()
        self.actions_by_id[_action_of(name.id)].setChecked(True)
        self.history.note_soon()
        self.stage.follow_page()
        self._refresh_soon.start()
        if follows:
            self.workspace.focus_first()

    def _space(self, workspace_id: str) -> Workspace:
        """Returns a workspace, made now if necessary."""
        if workspace_id not in self._spaces:
            make = next(kind for kind in WORKSPACES if kind.name.id == workspace_id).load()
            self._switches.addWidget(self._page_row(make))
            space = make(self.session, self.appearance, self.actions_by_id.__getitem__)
            self._pages.addWidget(space)
            self._spaces[workspace_id] = space
            if isinstance(space, PagedWorkspace):
                space.page_shown.connect(self._fit_panes)
                space.page_shown.connect(self.history.note_soon)
                space.page_shown.connect(self.stage.follow_page)
        return self._spaces[workspace_id]

    def present(self) -> None:
        """Shows the workspace on the whole screen, for an audience."""
        if self.presentation is None:
            from tokenarium.views.presentation import Presentation  # few starts need it

            make: DeckMaker | None = None
            if self.lessons.is_open and self.lessons.lesson is not None:
                from tokenarium.app.lesson_deck import LessonDeck

                make = partial(LessonDeck, self.lessons, self.stage, lambda: self.workspace)
            elif (answers := self.token_commands.shown_answers) is not None:
                from tokenarium.views.step_decks import WhyDeck

                make = lambda looks: WhyDeck(answers, looks.theme)  # noqa: E731
            self.presentation = Presentation(self.workspace, self.appearance, make)
            self.presentation.left.connect(self._stop_presenting)
            self.presentation.showFullScreen()

    def _stop_presenting(self) -> None:
        self.presentation = None
        self.activateWindow()

    def go_to_workspace(self, workspace_id: str) -> None:
        """Shows a workspace; if it is shown already, it gets the focus."""
        if self.workspace.name.id == workspace_id and not self.panes.covered:
            self.workspace.focus_first()
        else:
            self.show_workspace(workspace_id)

    def _put_inspector_last(self) -> None:
        """Makes Tab reach the inspector after the workspace: Qt puts new widgets at the end."""
        last = last_reached(self.workspace)
        if last is not None:
            for control in self.inspector.controls:
                QWidget.setTabOrder(last, control)
                last = control

    def _page_row(self, space: type[Workspace]) -> PageRow:
        """Returns the row of a workspace: a choice for actions that exclude each other, and switches for the rest."""
        actions, choice_of = self.actions_by_id, self.actions_by_id.choice_of
        choices = []
        switches = []
        shown = [(id, text) for id, text in space.switches if id]
        for choice, members in groupby(shown, lambda one: choice_of(one[0])):
            row = [(actions[id], text) for id, text in members]
            if not choice:
                switches += row
                continue
            for action, text in row:
                action.setIconText(text)
            name = "Pages" if choice == f"{space.name.id}_page" else "What is shown"
            choices.append((name, [action for action, _ in row]))
        made = PageRow(choices, switches, spread=issubclass(space, PagedWorkspace))
        made.set_low(self.height() < LOW)
        return made

    def _above(self) -> Iterable[Above]:
        from tokenarium.app.scene_above import all_above

        return all_above(self)

    def _go_from_welcome(self, where: str) -> None:
        """Shows a workspace, or a page of one."""
        if where == "merges/steps":
            self.merge_commands.show_page("steps")
        elif where == "compare/overview":
            self.compare_commands.show_page("overview")
        else:
            self.show_workspace(where)
            self.workspace.focus_first()

    def _fit_lessons(self) -> None:
        panel = self.lessons.panel
        if panel is not None:
            panel.fit(self.size())
        self.panes.make_room(panel.width() if panel is not None and self.lessons.is_open else 0)

    def _rests(self) -> bool:
        """Whether nothing that the user waits for is being computed or shown."""
        return not (self.session.jobs.running() or self.session.opening or self.stage.busy)

    def _edit_own_text(self) -> None:
        """Unfolds the editor with all of the text selected, so that typing or pasting replaces it."""
        if not self.panes.text_is_shown():
            self.panes.show_text(True)
        self.text.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.field.selectAll()

    def _walks_differences(self) -> bool:
        return self.workspace.walks_differences

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
            self.present()  # not declared: some desktops keep this key for themselves
        elif event.matches(keys.Paste):
            self.panes.edit_text()
            self.text.field.paste()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.lessons.is_open:
            self._fit_lessons()
        low = event.size().height() < LOW
        self.top_bar.set_low(low)
        for place in range(self._switches.count()):
            cast(PageRow, self._switches.widget(place)).set_low(low)
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
        self._ahead.stop()
        self.scene_commands.stop()
        self.stage.stop()
        self._store.set(settings.GEOMETRY, self.saveGeometry())
        self._store.set(settings.WORKSPACE, self.workspace.name.id)
        self.panes.keep(self._store)
        kept_session.keep(self.session, self._store)
        if self.presentation is not None:
            self.presentation.close()
        self.fetcher.cancel_all()
        self.lazy.stop()
        self.troubles.stop()
        self.menu_entry.stop()
        for space in self._spaces.values():
            space.stop()
        self.session.stop()
        super().closeEvent(event)


def _action_of(workspace_id: str) -> str:
    """Returns the id of the action that shows a workspace."""
    return "train_workspace" if workspace_id == "train" else workspace_id
