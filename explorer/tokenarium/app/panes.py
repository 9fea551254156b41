"""The parts of the window: their layout in the available room, and moving between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QCoreApplication, QEvent, QMargins, QObject, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QStackedWidget, QWidget

from tokenarium.app.controllers import SelectionController
from tokenarium.menus.actions import Action, Section, switch
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.floating import CardSplitter, FloatingCard, RestingCard
from tokenarium.widgets.keyboard import has_focus
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.library.library_panel import LibraryPanel
from tokenarium.widgets.message_bar import JobBar, MessageBar
from tokenarium.widgets.page_row import PageRow
from tokenarium.widgets.rail import NARROW_WIDTH, Rail
from tokenarium.widgets.text.inspector import Inspector
from tokenarium.widgets.text.text_panel import TextPanel
from tokenarium.widgets.top_bar import LOW_HEIGHT, TopBar

INSPECTED_FROM = 1280
"""Pixels: in a narrower window the inspector floats over the right edge."""

LISTED_FROM = 1100
"""Pixels: in a narrower window the library floats over the left edge."""

PINNED_FROM = 760
"""Pixels: in a lower window the editor is folded until the user pins it."""

LIBRARY_WIDTH = 244
INSPECTOR_WIDTH = 318
"""Pixels; the inspector can be widened."""

SHEET_SHARE = 0.4
"""The largest share of the height for the editor over the workspace."""

SHEET_HEIGHT = 260
PINNED_HEIGHT = 132
"""Pixels: the height of the editor over the workspace, and above it until the user changes that."""

TEXT_PLACES = ("auto", "pinned", "folded")
"""The position of the editor: by the window's height, above the workspace, or folded into the top bar."""

INSPECTING = ("tokens", "pretokens", "bytes")
"""The workspaces that reserve a column for the inspector, and have the editor above them if it is pinned."""

LISTING = (*INSPECTING, "vocabulary", "scripts")
"""The workspaces that show the library; the others use its room."""


def _focus_by_key(widget: QWidget | None) -> None:
    """Gives a widget the focus as a key does, so that its ring is visible, even if it already has the focus."""
    if widget is not None:
        widget.clearFocus()
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)


class Panes(QWidget):
    """What the window consists of: the rail, the library, the top bar, the editor, the workspace, the inspector.

    Panels float over the contents or fill room that is reserved for them, so that nothing moves when one appears.
    ``workspace`` returns the current workspace.
    """

    def __init__(
        self,
        session: Session,
        library: LibraryPanel,
        text: TextPanel,
        inspector: Inspector,
        selection_controller: SelectionController,
        workspace: Callable[[], Workspace],
        job_bar: JobBar,
    ) -> None:
        super().__init__()
        self._session = session
        self._library = library
        self._text = text
        self._inspector = inspector
        self._selection_controller = selection_controller
        self._workspace = workspace
        self._job_bar = job_bar
        # Whether each panel is shown, by whether the workspace has it at first.
        self._library_wanted = {True: True, False: False}
        self._inspector_wanted = {True: True, False: False}
        self._library_asked = self._inspector_asked = self._text_asked = False
        self._cover: QWidget | None = None
        self._guide: QWidget | None = None  # in the library's place
        self._dismissed: tuple[int, int] | None = (
            None  # the selection for which the inspector was closed
        )
        self._beside = 0  # pixels at the right of the window reserved for a guide
        self._text_place: str = "auto"
        self._text_height, self._inspector_width = PINNED_HEIGHT, INSPECTOR_WIDTH
        self.messages = MessageBar(self)

    def arrange(
        self, rail: Rail, top_bar: TopBar, page_rows: QStackedWidget, middle: QWidget
    ) -> None:
        """Puts the parts into their places: ``page_rows`` above the editor, ``middle`` below it."""
        self.rail, self.top_bar = rail, top_bar
        self._page_rows, self._middle = page_rows, middle
        self.text_card = RestingCard(self._text, QMargins(PAGE_MARGIN, 0, PAGE_MARGIN, 6), 4)
        self.rows = CardSplitter(Qt.Orientation.Vertical)
        self.rows.addWidget(self.text_card)
        self.rows.addWidget(middle)
        self.rows.setStretchFactor(1, 1)
        content = QWidget()
        in_column(page_rows, (self.rows, 1), into=content)
        self.inspector_card = FloatingCard()
        in_column((self._inspector, 1), into=self.inspector_card.card)
        self.columns = CardSplitter(Qt.Orientation.Horizontal)
        self.columns.addWidget(content)
        self.columns.addWidget(self.inspector_card)
        self.columns.setHandleWidth(1)  # the shadow beside it is the gap
        self.columns.setStretchFactor(0, 1)
        self.body = QWidget()
        in_column((self.columns, 1), into=self.body)
        self.body.installEventFilter(self)
        self._main = QWidget()
        in_column(top_bar, (self.body, 1), into=self._main)
        self._row = in_row(rail, self._library, (self._main, 1), into=self)
        self._library.setFixedWidth(LIBRARY_WIDTH)
        self._inspector.setMinimumWidth(INSPECTOR_WIDTH)
        self.sheet = FloatingCard(self.body)
        self._sheet_column = in_column(into=self.sheet.card, margins=4)
        self.shelf = FloatingCard(self.body)
        self._shelf_column = in_column(into=self.shelf.card, margins=1)
        self.messages.setParent(self.body)
        self._job_bar.setParent(self.body)
        for over in (self.sheet, self.shelf, self.messages, self._job_bar):
            over.hide()
        self._text.folded.connect(self.fold_text)
        self._text.pin_wanted.connect(self.pin_text)
        self._inspector.close_requested.connect(lambda: self.show_inspector(False))
        self._session.selection_changed.connect(self._fit_inspector)
        cast(QApplication, QApplication.instance()).focusChanged.connect(self._focus_moved)

    def cover(self, page: QWidget | None) -> None:
        """Shows a page instead of everything but the rail; None shows everything again."""
        if page is self._cover:
            return
        if self._cover is not None:
            self._cover.hide()
        self._cover = page
        if page is not None:
            if self._row.indexOf(page) < 0:
                self._row.addWidget(page, 1)
            page.show()
            page.installEventFilter(self)
        self.messages.move_to(self.body if page is None else page)
        self._main.setVisible(page is None)
        for button in self.rail.buttons:
            button.set_dimmed(page is not None)
        self.fit()

    @property
    def covered(self) -> bool:
        """Whether such a page is shown."""
        return self._cover is not None

    def part(self, name: str) -> QWidget | None:
        """Returns a part by its name in `tokenarium.models.lessons.marks`; None if it has none."""
        return {
            "inspector": self.inspector_card,
            "library": self._library,
            "pages": self._page_rows,
            "rail": self.rail,
            "top bar": self.top_bar,
        }.get(name)

    # From one run to the next.

    def restore(self, store: Settings) -> None:
        """Restores the visible panels and their sizes."""
        self._library_wanted[True] = store.get(settings.SHOW_LIBRARY)
        self._library_wanted[False] = store.get(settings.SHOW_LIBRARY_ELSEWHERE)
        self._inspector_wanted[True] = store.get(settings.SHOW_INSPECTOR)
        self._inspector_wanted[False] = store.get(settings.SHOW_INSPECTOR_ELSEWHERE)
        self._text_place = store.get(settings.TEXT_PLACE)
        self._text_height = _pixels(store.get(settings.TEXT_HEIGHT), PINNED_HEIGHT)
        self._inspector_width = _pixels(store.get(settings.INSPECTOR_WIDTH), INSPECTOR_WIDTH)
        self.fit()

    def keep(self, store: Settings) -> None:
        """Stores the visible panels and their sizes."""
        self._note_sizes()
        store.set(settings.SHOW_LIBRARY, self._library_wanted[True])
        store.set(settings.SHOW_LIBRARY_ELSEWHERE, self._library_wanted[False])
        store.set(settings.SHOW_INSPECTOR, self._inspector_wanted[True])
        store.set(settings.SHOW_INSPECTOR_ELSEWHERE, self._inspector_wanted[False])
        store.set(settings.TEXT_PLACE, self._text_place)
        store.set(settings.TEXT_HEIGHT, str(self._text_height))
        store.set(settings.INSPECTOR_WIDTH, str(self._inspector_width))

    def keeps(self) -> tuple[Kept, ...]:
        """Returns the visible panels, for scenes; floating ones only while they are open."""
        return (
            Kept("library", lambda: self._library_wanted[self._lists], self._want_library),
            Kept("inspector", lambda: self._inspector_wanted[self._inspects], self._want_inspector),
            Kept("text", lambda: self._text_place, self._place_text),
            Kept("floating", lambda: self._floating, self._float),
        )

    def _want_library(self, want: object) -> None:
        self._library_wanted[self._lists] = bool(want)
        self.fit()

    def _want_inspector(self, want: object) -> None:
        self._inspector_wanted[self._inspects] = bool(want)
        self.fit()

    def _place_text(self, place: object) -> None:
        if place not in TEXT_PLACES:
            raise ValueError
        self._text_place = place
        self.fit()

    @property
    def _floating(self) -> str | None:
        """What the user has opened over the contents."""
        if not self.sheet.isHidden():
            return "text"
        if not self.shelf.isHidden():
            return "library"
        return "inspector" if self._inspector_asked and not self.inspector_is_docked else None

    def _float(self, what: object) -> None:
        """Opens something over the contents, as there is no room next to them."""
        if what == "text" and not self.text_is_shown():
            self.show_text(True)
        elif what == "library" and self._room < LISTED_FROM:
            self.show_library(True)
        elif what == "inspector" and not self.inspector_is_docked:
            self.show_inspector(True)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("edit_text", "&Edit the text", Section.TEXT, "Ctrl+T", self.edit_text, "Expands or collapses the text editor", icon="pencil-simple"),
            switch("pin_text", "Pin the te&xt above the tokens", Section.PANES, "Ctrl+J", self.text_is_pinned, self.pin_text, "Keeps the editor above the tokens, so you see them change as you type", icon="push-pin"),
            switch("show_library", "Show the &library", Section.PANES, "Ctrl+B", self.library_is_shown, self.show_library, icon="square-half"),
            switch("show_inspector", "Show the ins&pector", Section.PANES, "Ctrl+I", self.inspector_is_shown, self.show_inspector, icon="info"),
            Action("next_pane", "Next pan&e", Section.PANE, "F6", lambda: self._step_pane(1), "Moves the focus: workspaces, library, text, workspace, inspector", icon="arrow-square-right"),
            Action("previous_pane", "Previous p&ane", Section.PANE, "Shift+F6", lambda: self._step_pane(-1), icon="arrow-square-left"),
        ]
        # fmt: on

    # Moving between parts.

    def _seen(self) -> list[QWidget]:
        text = self._text.field if self._text.isVisible() else self.top_bar.line
        shown = self._cover or self._workspace()
        panes = [self.rail, self._library.tree, text, shown, self._inspector.tokens]
        return [pane for pane in panes if pane.isVisible()]

    def _step_pane(self, step: int) -> None:
        panes = self._seen()
        focus = self.window().focusWidget()
        inside = (
            place
            for place, pane in enumerate(panes)
            if focus is not None and (pane is focus or pane.isAncestorOf(focus))
        )
        target = panes[(next(inside, -1 if step > 0 else 0) + step) % len(panes)]
        if isinstance(target, Workspace) or target is self._cover:
            cast(Workspace, target).focus_first()
            _focus_by_key(self.window().focusWidget())
        elif target is self.rail:
            self.rail.focus_current()
        elif target is self.top_bar.line:
            self.top_bar.line.pencil.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # The room.

    @property
    def _room(self) -> int:
        """The width of the window without what is reserved at the right, in pixels."""
        return self.window().width() - self._beside

    def make_room(self, beside: int) -> None:
        """Reserves pixels at the right for a guide; panels then open only on request."""
        if beside != self._beside:
            self._beside = beside
            self._library_asked = self._inspector_asked = self._text_asked = False
            self.fit()

    def minimumSizeHint(self) -> QSize:
        """The smallest size of the rail, the top bar and the workspace: everything else gives way."""
        if not hasattr(self, "rail"):
            return QSize()
        if self._cover is not None:
            return QSize(self.rail.width(), 0) + self._cover.minimumSizeHint()
        middle = self._middle.minimumSizeHint()
        width = max(middle.width(), self.top_bar.minimumSizeHint().width())
        rows = cast(PageRow, self._page_rows.currentWidget())
        height = LOW_HEIGHT + (rows.least_height if rows is not None else 0) + middle.height()
        return QSize(NARROW_WIDTH + width, height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() < LISTED_FROM <= event.oldSize().width():
            self._library_asked = False
        self.fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place_floating()
        return False

    def fit(self) -> None:
        """Lays out the parts in the available room, for the current workspace."""
        self.rail.set_room(self.window().size())
        self._fit_library()
        self._fit_text()
        self._fit_inspector()
        self._place_floating()

    def settle(self) -> None:
        """Completes the layout now: otherwise a large workspace is briefly seen half laid out."""
        if not self.isVisible():
            return
        for _ in range(2):  # the layout requests another size from its parents
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)

    def _place_floating(self) -> None:
        """Positions the floating parts over the body."""
        room = self.body.rect()
        edge = GRID
        if not self.sheet.isHidden():
            height = min(SHEET_HEIGHT, round(SHEET_SHARE * self.window().height()))
            left = PAGE_MARGIN
            self.sheet.put(QRect(left, edge, room.width() - 2 * left, height))
        if not self.shelf.isHidden():
            width = min(LIBRARY_WIDTH + 2, room.width() - 2 * edge)
            self.shelf.put(QRect(edge, edge, width, room.height() - 2 * edge))
        if self.inspector_card.parentWidget() is self.body:
            width = min(self._inspector_width, room.width() - 2 * edge)
            place = QRect(room.width() - width - edge, edge, width, room.height() - 2 * edge)
            self.inspector_card.put(place)
        self.messages.settle()
        self._job_bar.settle(self.sheet.card.height() if not self.sheet.isHidden() else 0)

    def close_floating(self) -> bool:
        """Closes one floating part; returns whether there was one."""
        if not self.sheet.isHidden():
            self.fold_text()
        elif not self.shelf.isHidden():
            self.show_library(False)
        elif self._inspector_asked and not self.inspector_is_docked:
            self._inspector_asked = False
            self._fit_inspector()
        else:
            return False
        return True

    def _focus_moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Closes floating parts when another part of the window gets the focus."""
        if now is None or now.window() is not self.window() or now is self.window():
            return
        for over, close in (
            (self.sheet, self.fold_text),
            (self.shelf, lambda: self.show_library(False)),
        ):
            if not over.isHidden() and not over.isAncestorOf(now):
                close()

    # The library.

    @property
    def _lists(self) -> bool:
        return self._workspace().name.id in LISTING

    def show_library(self, show: bool) -> None:
        """Shows or hides the library, in workspaces of this kind or, if there is little room, over this one."""
        if self._room >= LISTED_FROM:
            self._library_wanted[self._lists] = show
        else:
            self._library_asked = show
        self._fit_library()
        self._place_floating()
        if show and not self.shelf.isHidden():
            self._library.tree.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def library_is_shown(self) -> bool:
        """Whether the library is shown."""
        return not self._library.isHidden()

    def _fit_library(self) -> None:
        docked = self._room >= LISTED_FROM
        shown = self._library_wanted[self._lists] if docked else self._library_asked
        _move_into(self._library, self._row if docked else self._shelf_column, 1 if docked else 0)
        shown = shown and not self.covered and (self._guide is None or not docked)
        if self._guide is not None:
            self._guide.setVisible(not self.covered)
        self._library.floats = not docked
        self._library.setVisible(shown)
        self.shelf.setVisible(shown and not docked)
        self.shelf.raise_()
        self.top_bar.show_library_button(not (shown and docked))

    def replace_library(self, guide: QWidget | None) -> None:
        """Shows a guide in the library's place; None shows the library again, if it is wanted."""
        if guide is self._guide:
            return
        if self._guide is not None:
            self._guide.hide()
        self._guide = guide
        if guide is not None:
            if self._row.indexOf(guide) < 0:
                self._row.insertWidget(1, guide)
        self.fit()

    # The inspector.

    @property
    def _inspects(self) -> bool:
        """Whether the page has tokens to inspect; pages without any use the inspector's room."""
        space = self._workspace()
        return space.name.id in INSPECTING and space.follows_text

    @property
    def inspector_is_docked(self) -> bool:
        """Whether the inspector has its own column; otherwise it floats."""
        return self._room >= INSPECTED_FROM

    def show_inspector(self, show: bool) -> None:
        """Shows or hides the inspector, in workspaces of this kind or, if it floats, for this selection."""
        if show or self.inspector_is_docked:
            self._inspector_wanted[self._inspects] = show
        self._inspector_asked = show
        self._dismissed = None if show else self._session.selection
        self._fit_inspector()

    def inspector_is_shown(self) -> bool:
        """Whether the inspector is shown."""
        return not self.inspector_card.isHidden()

    def _fit_inspector(self) -> None:
        wanted, docked = self._inspector_wanted[self._inspects], self.inspector_is_docked
        if not docked:  # it would cover what the user reads
            selection = self._session.selection
            new = selection is not None and selection != self._dismissed and not self._beside
            wanted = wanted and (self._inspector_asked or new)
        card = self.inspector_card
        if docked != (card.parentWidget() is self.columns):
            self._note_sizes()
            if docked:
                self.columns.addWidget(card)
                self.columns.setStretchFactor(1, 0)
            else:
                card.setParent(self.body)
        appears = wanted and card.isHidden()
        card.setVisible(wanted)
        if appears:
            if docked:
                margins = card.margins
                width = self._inspector_width + margins.left() + margins.right()
                self.columns.setSizes([max(self.columns.width() - width, 1), width])
            else:
                card.raise_()
                self._place_floating()
            self._selection_controller.inspect_soon()

    def _note_sizes(self) -> None:
        """Notes the sizes that the user may have changed."""
        if self.inspector_card.parentWidget() is self.columns and self.inspector_card.isVisible():
            self._inspector_width = self.inspector_card.card.width()
        if self.text_card.isVisible():
            self._text_height = self.text_card.height()

    # The text.

    def text_is_pinned(self) -> bool:
        """Whether the editor has its own place above the tokens, in the workspaces that show them."""
        if self._text_place == "auto":
            return self.window().height() >= PINNED_FROM
        return self._text_place == "pinned"

    def pin_text(self, pin: bool) -> None:
        """Puts the editor above the tokens, or folds it into the top bar."""
        self._note_sizes()
        self._text_place = "pinned" if pin else "folded"
        self._text_asked = False
        self._fit_text()

    def show_text(self, show: bool) -> None:
        """Unfolds the editor over the workspace if it is not pinned, or folds it."""
        if not show and not self.text_card.isHidden():
            self.pin_text(False)
            return
        self._text_asked = show
        self._fit_text()
        self._place_floating()

    def fold_text(self) -> None:
        """Folds the editor, and puts the focus into the workspace if it was in the editor."""
        self.show_text(False)

    def text_is_shown(self) -> bool:
        """Whether the editor is visible."""
        return not (self.text_card.isHidden() and self.sheet.isHidden())

    def replace_text(self) -> None:
        """Unfolds the editor with all of the text selected, so that typing or pasting replaces it."""
        if not self.text_is_shown():
            self.show_text(True)
        self._text.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._text.field.selectAll()

    def edit_text(self) -> None:
        """Puts the cursor into the text, unfolded if it is not pinned; folds it if the cursor is already there."""
        if not self.sheet.isHidden() and self._text.field.hasFocus():
            self.fold_text()
            return
        if not self.text_is_shown():
            self.show_text(True)
        self._text.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _fit_text(self) -> None:
        pinned = self.text_is_pinned()
        has_place = self._workspace().name.id in INSPECTING
        above = pinned and has_place and not self._beside
        over = self._text_asked and not above
        wrote = has_focus(self._text)
        if above == self.text_card.isHidden() and not above:
            self._note_sizes()
        gap = 0 if self._page_rows.sizeHint().height() else 2 * GRID
        self.text_card.set_gap(gap)
        _move_into(self._text, self._sheet_column if over else self.text_card.column, 0)
        appears = above and self.text_card.isHidden()
        self.text_card.setVisible(above)
        self.sheet.setVisible(over)
        self.sheet.raise_()
        self._text.show_pinned(pinned)
        if appears:
            self.rows.setSizes([self._text_height, max(self.rows.height() - self._text_height, 1)])
        if wrote:
            if above or over:
                self._text.field.setFocus(Qt.FocusReason.OtherFocusReason)
            else:
                self._workspace().focus_first()


def _move_into(widget: QWidget, box: QBoxLayout, place: int) -> None:
    """Moves a widget into a layout, if it is not there already."""
    if box.indexOf(widget) < 0:
        box.insertWidget(place, widget, 1 if box.count() == 0 else 0)


def _pixels(kept: str, default: int) -> int:
    """Returns a kept number of pixels, or the default if it is not valid."""
    return int(kept) if kept.isdecimal() and len(kept) < 5 else default
