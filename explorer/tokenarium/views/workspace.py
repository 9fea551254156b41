"""The base of workspaces and their pages: names, switches, and the interface for the window.

The names are known before the code of a workspace is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from PySide6.QtCore import QObject, QRect, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QLayout,
    QStackedWidget,
    QWidget,
)

from tokenarium.models.csv_text import csv_text
from tokenarium.models.latex_table import latex_table
from tokenarium.models.markdown_table import markdown_table
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import Theme
from tokenarium.views.kept import Kept
from tokenarium.views.when_seen import WhenSeen
from tokenarium.widgets.areas import PageStack
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.keyboard import has_focus
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.veil import cover
from tokenarium.work.running import Running

if TYPE_CHECKING:
    from tokenarium.models.merges.run import TraceRun
    from tokenarium.views.decks import Deck
    from tokenarium.widgets.players.animation import Animation
    from tokenarium.widgets.players.step_player import StepPlayer
    from tokenarium.widgets.players.transport import Transport


class WorkspaceName(NamedTuple):
    """``id`` is the name in settings and actions, ``title`` the name that users read."""

    id: str
    title: str


TOKENS = WorkspaceName("tokens", "Tokens")
PRETOKENS = WorkspaceName("pretokens", "Pre-tokens")
MERGES = WorkspaceName("merges", "Merges")
BYTES = WorkspaceName("bytes", "Bytes")
VOCABULARY = WorkspaceName("vocabulary", "Vocabulary")
SCRIPTS = WorkspaceName("scripts", "Scripts")
COMPARE = WorkspaceName("compare", "Compare")
TRAIN = WorkspaceName("train", "Train")

Switches = tuple[tuple[str, str], ...]
"""Ids of actions with the short texts of their buttons; an empty id is a gap."""

PLAYER_BUTTONS = (
    ("play_start", "start"),
    ("step_back", "back"),
    ("play", "play"),
    ("step_on", "on"),
    ("play_end", "end"),
)
"""The actions of the buttons of a player, with their icons."""

SOON_MS = 60
"""Milliseconds after which a page follows the text and the tokenizers, once for several changes."""

NO_TEXT = (
    "There is no text yet",
    "Type or paste one above, or drop a file there. Each tokenizer then shows how it splits the text.",
)
"""What a workspace says without a text: a title and what to do."""

NO_TEXT_HELP = (("samples", "Samples …"), ("open_text", "Open …"), ("paste_text", "Paste"))
"""The actions that help without a text, with the short texts of their buttons."""

NO_TOKENIZER = (
    "No tokenizer is on",
    "Click one in the library (Ctrl+B), or drop a tokenizer file there.",
)
"""What a workspace says without a tokenizer."""


def soon(parent: QObject, run: Callable[[], object], after_ms: int = SOON_MS) -> QTimer:
    """Returns a single-shot timer that runs something ``after_ms`` after its last start."""
    timer = QTimer(parent, singleShot=True, interval=after_ms)
    timer.timeout.connect(run)
    return timer


def column(
    *parts: QWidget | QLayout, grows: QWidget | None = None, into: QWidget | None = None
) -> QWidget:
    """Returns a widget, or ``into``, with others below each other; ``grows`` gets the remaining room."""
    whole = QWidget() if into is None else into
    rows = in_column(into=whole)
    for part in parts:
        if isinstance(part, QWidget):
            rows.addWidget(part, 1 if part is grows else 0)
        else:
            rows.addLayout(part)
    return whole


class WorkspacePart(QWidget):
    """The common interface of workspaces and their pages.

    The defaults are those of a part that does not follow the text, compare, or run anything.
    """

    session: Session
    appearance: Appearance

    def help_with(self, *buttons: tuple[str, str]) -> list[tuple[QAction, str]]:
        """Returns the actions with these ids, for buttons; none by default."""
        raise NotImplementedError

    @cached_property
    def empty(self) -> EmptyState:
        """What is shown instead of the content if something is missing."""
        return EmptyState()

    def fill(self, content: QWidget, stack: QStackedWidget | None = None) -> QStackedWidget:
        """Fills the widget with a stack of its content and `empty`; a plain QStackedWidget by default."""
        pages = QStackedWidget() if stack is None else stack
        pages.addWidget(content)
        pages.addWidget(self.empty)
        column(pages, into=self)
        return pages

    def say_no_text(self) -> None:
        """Says that there is no text, and how to get one."""
        self.empty.say(*NO_TEXT, self.help_with(*NO_TEXT_HELP))

    def say_no_tokenizer(self, said: tuple[str, str] = NO_TOKENIZER) -> None:
        """Says that a tokenizer is missing, and how to open one."""
        self.empty.say(*said, self.help_with(("open_tokenizer", "Open …")))

    def focus_first(self) -> None:
        """Puts the focus on the control that is used first."""
        self.setFocus()

    def deck(self, theme: Theme) -> Deck | None:
        """Returns the deck that presents it; None: it is presented as it is."""
        return None

    def keeps(self) -> Iterable[Kept]:
        """Returns its own settings that scenes keep."""
        return ()

    def python(self) -> str:
        """Returns a program that reproduces the visible figures, or ""; see `page_program`."""
        return ""

    def marked_part(self, name: str) -> QWidget | None:
        """Returns a part that lessons mark, by its name in `tokenarium.models.lessons.marks`; None if it has none."""
        return self if name == "stage" else None

    def strips_of(self, key: str) -> list[QRect]:
        """Returns where the tokens of a tokenizer are visible, in screen coordinates: the text or its strips."""
        return []

    def rect_of(self, start: int, end: int) -> QRect | None:
        """Returns where bytes of the text are visible, in screen coordinates, or None."""
        return None

    def hide_answer(self, hide: bool) -> None:
        """Hides what answers a question of a lesson, or shows it; by default all of it."""
        cover(self, hide)

    def go_on_stage(self) -> None:
        """Hides what an audience does not need, before a presentation; by default nothing."""

    def stop(self) -> None:
        """Ends its processes, such as when the window closes."""

    @property
    def busy(self) -> bool:
        """Whether work is running that will change the view."""
        return False

    @property
    def walks_differences(self) -> bool:
        """Whether it compares cuts and can go through their differences."""
        return False

    def go_to_difference(self, step: int) -> None:
        """Selects the next (1) or previous (-1) difference between cuts, if any."""

    @property
    def difference_count(self) -> int:
        """The number of differences between cuts."""
        return 0


class Workspace(WorkspacePart):
    """Base of all workspaces, made when first shown; ``actions`` finds an action of the window by its id."""

    name: WorkspaceName
    switches: Switches = ()
    terms: ClassVar[Mapping[str, str]] = {}
    """The terms of the glossary that explain switches, by the ids of their actions."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None = None,
    ) -> None:
        super().__init__()
        self._actions = actions
        self._shows: list[WhenSeen] = []
        self.session = session
        self.appearance = appearance
        self.setAccessibleName(self.name.title)
        self.prepare()

    def prepare(self) -> None:
        """Makes its content."""

    def help_with(self, *buttons: tuple[str, str]) -> list[tuple[QAction, str]]:
        find = self._actions
        return [(find(action_id), text) for action_id, text in buttons] if find else []

    @property
    def find_action(self) -> Callable[[str], QAction] | None:
        """Finds an action of the window by its id."""
        return self._actions

    def trigger(self, action_id: str) -> None:
        """Triggers an action of the window, if it has one with this id."""
        if self._actions is not None:
            self._actions(action_id).trigger()

    def when_seen(self, show: Callable[[], object]) -> Callable[[], None]:
        """Returns a function that calls ``show`` now, or, while the workspace is hidden, when it is next shown.

        Calls that had to wait are made in the order in which their functions were created.
        """
        self._shows.append(waiting := WhenSeen(self, show))
        return waiting.take

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        for waiting in self._shows:
            waiting.show_due()

    def seek(self, byte: int) -> None:
        """Scrolls to a byte of the text, if the text is shown."""

    def bring_up(self, byte: int) -> None:
        """Scrolls the line of a byte to the top, if the text is shown, before something covers what is below it."""

    @property
    def shows_tools(self) -> bool:
        """Whether the current page has a use for the switches that are no pages."""
        return True

    @property
    def follows_text(self) -> bool:
        """Whether it shows the tokens of the text, so that the selection can be inspected."""
        return True


class Page(WorkspacePart):
    """One page of a workspace, made when first shown; by default without a player and a table."""

    id = ""
    title = ""
    follows_text = False
    """Whether it shows the tokens of the text, see `Workspace.follows_text`."""
    needs_text = False
    """Whether it needs a text."""
    transport: Transport | None = None
    """The controls of its player, if it has one."""
    imported_later: ClassVar[tuple[str, ...]] = ()
    """The modules that it imports when they are first used; a page that is prepared in advance imports them first."""

    page_requested = Signal(str)
    """The id of another page of the workspace that should be shown."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.session = workspace.session
        self.appearance = workspace.appearance
        self._workspace = workspace
        self.running = Running(self.session.jobs, self)
        self.setAccessibleName(self.title)

    def help_with(self, *buttons: tuple[str, str]) -> list[tuple[QAction, str]]:
        return self._workspace.help_with(*buttons)

    def trigger(self, action_id: str) -> None:
        """Triggers an action of the window, see `Workspace.trigger`."""
        self._workspace.trigger(action_id)

    @property
    def busy(self) -> bool:
        return self.running.busy

    def stop(self) -> None:
        self.running.stop()

    def report_plots(self, *plots: Any) -> None:
        """Makes the window show the messages of plots or other figures that are saved."""
        for plot in plots:
            plot.problem.connect(self.session.problem)
            plot.saved.connect(self.session.requests.tell_saved)

    def refresh(self) -> None:
        """Updates the tokenizers and the text."""

    def keeps(self) -> Iterable[Kept]:
        """Returns its own settings that scenes keep: for a page with a player, the step."""
        return (Kept("step", self._step, self._go_to_step),)

    # A page that plays something.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.transport is None or not self.transport.take_key(event):
            super().keyPressEvent(event)

    def _step(self) -> int | None:
        player = self.player
        return player.position if player is not None and player.length else None

    def _go_to_step(self, step: int) -> bool:
        player = self.player
        if player is None or not player.length or self.busy:
            return False
        player.pause()
        player.go_to(max(0, min(int(step), player.length)))
        return True

    @property
    def player(self) -> StepPlayer | None:
        """The player that the menu Play controls, if any."""
        return None

    @property
    def run(self) -> TraceRun | None:
        """What the player plays, if it is the run of a tokenizer."""
        return None

    def change_speed(self, step: int) -> None:
        """Plays faster (1) or slower (-1)."""
        if self.transport is not None:
            self.transport.change_speed(step)

    @property
    def has_animation(self) -> bool:
        """Whether `animation` has something to show now."""
        return False

    def animation(self, theme: Theme) -> Animation | None:
        """Returns the steps of the player for an export, in the colours of a theme."""
        return None

    @property
    def pictured(self) -> QWidget:
        """The part of the page that an animation shows."""
        return self

    # A page with a table.

    def lines(self) -> list[list[str]]:
        """Returns the cells of the page's table, row by row, with the header; empty if it has none."""
        return []

    def as_text(self) -> str:
        """Returns the table with tabs, for the clipboard; empty if there is none."""
        return "".join("\t".join(line) + "\n" for line in self.lines())

    def as_csv(self) -> str:
        """Returns the table as CSV; empty if there is none."""
        return csv_text(self.lines())

    def as_markdown(self) -> str:
        """Returns the table as Markdown; empty if there is none."""
        return markdown_table(self.lines())

    def as_latex(self) -> str:
        """Returns the table as LaTeX; empty if there is none."""
        return latex_table(self.lines())


class PagedWorkspace(Workspace):
    """A stack of pages, each made when first shown; it begins with the first of ``kinds``."""

    page_shown = Signal()
    """Another page is shown."""

    kinds: ClassVar[tuple[type[Page], ...]] = ()

    def prepare(self) -> None:
        self._made: dict[str, Page] = {}
        self._frames: dict[str, QWidget] = {}
        self._page = self.kinds[0].id
        self._pages = PageStack()
        column(self._pages, into=self)
        self.show_page(self._page)

    def marked_part(self, name: str) -> QWidget | None:
        return self.page.marked_part(name)

    def hide_answer(self, hide: bool) -> None:
        self.page.hide_answer(hide)

    def rect_of(self, start: int, end: int) -> QRect | None:
        return self.page.rect_of(start, end)

    @classmethod
    def kind_of(cls, page_id: str) -> type[Page]:
        """Returns the class of a page, loaded now if necessary; StopIteration for an unknown one."""
        return next(kind for kind in cls.kinds if kind.id == page_id)

    def make_page(self, kind: type[Page]) -> Page:
        """Returns a new page of a kind."""
        return kind(self)

    def frame(self, page: Page) -> QWidget:
        """Returns the widget that shows a page: the page itself, or a scroll area."""
        return page

    @property
    def made(self) -> Mapping[str, Page]:
        """The pages that were shown so far, by their ids."""
        return self._made

    @property
    def page(self) -> Page:
        """The current page."""
        return self.page_of(self._page)

    def page_of(self, page_id: str) -> Page:
        """Returns a page, made now if necessary; StopIteration for an unknown one."""
        if page_id not in self._made:
            page = self.make_page(self.kind_of(page_id))
            page.page_requested.connect(self.show_page)
            self._made[page_id] = page
            self._frames[page_id] = self.frame(page)
            self._pages.addWidget(self._frames[page_id])
        return self._made[page_id]

    def show_page(self, page_id: str) -> None:
        """Shows a page, and moves the focus into it if the previous page had it; StopIteration for an unknown one."""
        follows = has_focus(self._pages)
        self.page_of(page_id)
        self._page = page_id
        self.show_chosen()
        if follows:
            self.page.focus_first()
        self.page_shown.emit()

    def deck(self, theme: Theme) -> Deck | None:
        return self.page.deck(theme)

    def show_chosen(self) -> None:
        """Shows the current page."""
        self._pages.setCurrentWidget(self._frames[self._page])

    def focus_first(self) -> None:
        self.page.focus_first()

    @property
    def follows_text(self) -> bool:
        return self.page.follows_text

    def python(self) -> str:
        return self.page.python()

    @property
    def busy(self) -> bool:
        return any(page.busy for page in self._made.values())

    def stop(self) -> None:
        for page in self._made.values():
            page.stop()

    @property
    def walks_differences(self) -> bool:
        return self.page.walks_differences

    def go_to_difference(self, step: int) -> None:
        self.page.go_to_difference(step)

    @property
    def difference_count(self) -> int:
        return self.page.difference_count
