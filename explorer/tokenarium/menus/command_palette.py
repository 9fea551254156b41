"""The command palette: finds any action, sample or tokenizer by a few letters of its name; and the menu of samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from tokenarium.menus.actions import Action, ActionSet, Section
from tokenarium.models import fuzzy
from tokenarium.models.tokenizers.library import State
from tokenarium.session.fetching import Fetcher
from tokenarium.session.session import Session
from tokenarium.style.icons import ICON_SIZE, paint_icon
from tokenarium.style.popups import MENU_PADDING, paint_row
from tokenarium.widgets.panel import named, passing
from tokenarium.widgets.popup import Popup

if TYPE_CHECKING:
    from tokenarium.resources.samples_index import Sample

SENTENCE = 3
"""The number of words from which on the search is a question instead of the name of a command."""

WIDTH = 560
FEWEST_ROWS, ROWS = 4, 12
ROW_HEIGHT = 32
TOP = 64
"""Pixels from the top of the window."""


@dataclass(frozen=True, slots=True)
class Command:
    """One line of the palette: its title, kind, and shortcut, whether it can be run, the name of its icon, and a tip.

    ``also``: the name that it has elsewhere in the window, by which it is found too.
    """

    title: str
    kind: str
    keys: str
    run: Callable[[], object]
    enabled: bool = True
    icon: str = ""
    tip: str = ""
    also: str = ""


class CommandModel(QAbstractListModel):
    """The commands that match the typed text, the best first; of equally close ones, those that cannot be run last.

    A closer command stays first even if it is not available now: Enter must not run something else instead.
    """

    def __init__(
        self,
        commands: Sequence[Command],
        parent: QObject | None = None,
        find: Callable[[str], list[Command]] = lambda typed: [],
    ) -> None:
        super().__init__(parent)
        self._given = self._commands = list(commands)
        self._find = find
        self._titles = [command.title for command in self._given]
        self._about = [f"{one.kind} {one.tip} {one.also}" for one in self._given]
        self._matches = list(range(len(self._commands)))

    def filter(self, query: str) -> None:
        """Keeps the commands that ``query`` matches."""
        self.beginResetModel()
        by_score = fuzzy.best(query, self._titles, self._about)
        matches = sorted(by_score, key=lambda index: self._order(query, index))
        others = self._find(query)
        self._commands = [*self._given, *others]
        answers = list(range(len(self._given), len(self._commands)))
        has = {one.title for one in others}
        names = f"{self._titles[matches[0]]} {self._about[matches[0]]}" if matches else ""
        typed = query.casefold().split()
        words = names.casefold().split()
        is_name = all(any(name.startswith(word) for name in words) for word in typed)
        if (len(typed) >= SENTENCE and not is_name) or not matches:
            indices = [index for index in matches if self._given[index].title not in has]
            self._matches = answers + indices
        else:
            shown = {self._given[index].title for index in matches}
            new = [index for index in answers if self._commands[index].title not in shown]
            self._matches = matches + new
        self.endResetModel()

    def _order(self, query: str, index: int) -> tuple[int, bool]:
        command = self._given[index]
        close = fuzzy.closeness(query, self._titles[index], self._about[index])
        return -min(close, fuzzy.BEGINS), not command.enabled

    def command(self, row: int) -> Command | None:
        """Returns the command of a row."""
        return self._commands[self._matches[row]] if 0 <= row < len(self._matches) else None

    def rowCount(self, parent: Any = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._matches)

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        command = self.command(index.row())
        if command is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return command.title
        if role == Qt.ItemDataRole.UserRole:
            return command
        if role == Qt.ItemDataRole.AccessibleTextRole:
            state = "" if command.enabled else ", not available now"
            return f"{command.title}, {command.kind} {command.keys}{state}"
        return None


class CommandPalette(Popup):
    """A list over the window: type to narrow it, Up and Down to choose, Enter to run, Escape to leave."""

    def __init__(
        self,
        commands: Sequence[Command],
        parent: QWidget,
        query: str = "",
        find: Callable[[str], list[Command]] = lambda typed: [],
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName("Command palette")
        self.setWindowTitle("Command palette")
        self.model = CommandModel(commands, self, find)
        self.search = passing(named(QLineEdit(frame=False), "Search for a command"))
        self.search.setPlaceholderText("Type what you want to do")
        self.search.setMinimumHeight(40)
        self.search.setTextMargins(8, 0, 8, 0)
        self.list = named(QListView(uniformItemSizes=True), "Matching commands")
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.setModel(self.model)
        self.list.setItemDelegate(_CommandDelegate(self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.clicked.connect(lambda index: self._run(index.row()))
        self.nothing = QLabel("No results. Try a shorter search.", margin=10)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop)  # at the position of the first row
        self.nothing.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MENU_PADDING, MENU_PADDING, MENU_PADDING, MENU_PADDING)
        layout.setSpacing(0)
        layout.addWidget(self.search)
        layout.addWidget(self.list)
        layout.addWidget(self.nothing)
        self.search.textChanged.connect(self._narrow)
        self.search.installEventFilter(self)
        self.search.setText(query)
        self._narrow(query)

    def open_over(self, window: QWidget) -> None:
        """Shows the palette centred at the top of the window."""
        width = min(WIDTH, window.width() - 32)
        rows = max(FEWEST_ROWS, min(ROWS, (window.height() - TOP) // ROW_HEIGHT - 2))
        self.setFixedSize(width, 40 + rows * ROW_HEIGHT + 2 * MENU_PADDING)
        self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, TOP)))
        self.show()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            steps = {
                Qt.Key.Key_Up: -1,
                Qt.Key.Key_Down: 1,
                Qt.Key.Key_PageUp: -ROWS,
                Qt.Key.Key_PageDown: ROWS,
            }
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self.list.currentIndex().row())
                return True
            step = steps.get(Qt.Key(event.key()))
            if step is not None:
                self._choose(self.list.currentIndex().row() + step)
                return True
        return super().eventFilter(watched, event)

    def _narrow(self, query: str) -> None:
        self.model.filter(query)
        has_matches = self.model.rowCount() > 0
        self.list.setVisible(has_matches)
        self.nothing.setVisible(not has_matches)
        self._choose(0)

    def _choose(self, row: int) -> None:
        last = self.model.rowCount() - 1
        self.list.setCurrentIndex(self.model.index(max(0, min(row, last))))

    def _run(self, row: int) -> None:
        command = self.model.command(row)
        if command is not None and command.enabled:
            self.accept()
            command.run()


class _CommandDelegate(QStyledItemDelegate):
    """Paints title, kind and keys in one line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Any) -> QSize:
        return QSize(0, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        command = index.data(Qt.ItemDataRole.UserRole)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        palette: QPalette = option.palette
        rect = option.rect
        roles = QPalette.ColorRole
        if chosen or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_row(painter, QRectF(rect), palette, roles.Light if chosen else roles.Midlight)
        group = QPalette.ColorGroup.Active if command.enabled else QPalette.ColorGroup.Disabled
        strong = palette.color(group, roles.Text)
        weak = palette.color(roles.PlaceholderText)
        inner = rect.adjusted(12, 0, -12, 0)
        metrics = painter.fontMetrics()
        painter.setPen(weak)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if command.icon:
            square = QRectF(
                rect.left() + 12, rect.center().y() - ICON_SIZE / 2, ICON_SIZE, ICON_SIZE
            )
            paint_icon(painter, square, command.icon, strong if chosen else weak)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        note = note_of(command, metrics, inner.width() - ICON_SIZE - 12)
        painter.drawText(inner, right, note)
        painter.setPen(strong)
        title = inner.adjusted(ICON_SIZE + 12, 0, -metrics.horizontalAdvance(note) - BESIDE_NOTE, 0)
        elided = metrics.elidedText(command.title, Qt.TextElideMode.ElideRight, title.width())
        painter.drawText(title, left, elided)


BESIDE_NOTE = 16
"""Pixels between a title and the note after it."""


def note_of(command: Command, metrics: QFontMetrics, room: int) -> str:
    """Returns what stands at the right of a row: its kind and its keys.

    A kind without keys is left out if it would cut off the title, such as a long question, in this many pixels.
    """
    if command.keys:
        return f"{command.kind}   {command.keys}"
    whole = metrics.horizontalAdvance(command.title) + BESIDE_NOTE
    return command.kind if whole + metrics.horizontalAdvance(command.kind) <= room else ""


class QuestionFinding(Protocol):
    """The lessons, as far as the palette needs them."""

    def question_commands(self) -> list[Command]:
        """Returns the commands for questions that lessons answer."""

    def find_commands(self, typed: str) -> list[Command]:
        """Returns the commands for steps of lessons that answer what is typed."""


class PaletteCommands:
    """Opens the palette with everything, or only with the samples. ``actions`` returns the actions in it, ``recent`` the recent texts and files."""

    def __init__(
        self,
        session: Session,
        window: QWidget,
        actions: Callable[[], ActionSet],
        fetcher: Fetcher,
        recent: Callable[[], list[Command]],
        lessons: QuestionFinding,
    ) -> None:
        self._session = session
        self._window = window
        self._actions = actions
        self._fetcher = fetcher
        self._recent = recent
        self._lessons = lessons
        self.opened: CommandPalette | None = None

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("samples", "Choose a &sample …", Section.TEXT, "Ctrl+Shift+M", self.choose_sample, "Lists the sample texts", icon="article"),
            Action("palette", "&Command palette …", Section.HELP, "Ctrl+K", self.open_palette, "Finds any action, workspace, sample or tokenizer", icon="command"),
        ]
        # fmt: on

    def open_palette(self) -> None:
        """Opens the command palette with everything."""
        actions = self._actions()
        actions.refresh()
        self._open(
            _action_commands(actions)
            + self._recent()
            + _sample_commands(self._session)
            + _tokenizer_commands(self._session, self._fetcher.fetch)
            + _set_commands(self._session)
            + self._lessons.question_commands(),
            self._lessons.find_commands,
        )

    def choose_question(self) -> None:
        """Opens the command palette with only the questions that lessons answer."""
        self._open(self._lessons.question_commands(), self._lessons.find_commands)

    def choose_sample(self) -> None:
        """Opens the command palette with only the samples."""
        self._open(_sample_commands(self._session))

    def _open(
        self,
        commands: Sequence[Command],
        find: Callable[[str], list[Command]] = lambda typed: [],
    ) -> None:
        if self.opened is not None:
            self.opened.deleteLater()
        self.opened = CommandPalette(commands, self._window, find=find)
        self.opened.open_over(self._window)


def _action_commands(actions: ActionSet) -> list[Command]:
    return [
        Command(
            spec.plain_text,
            spec.section.menu,
            actions[spec.id].shortcut().toString(),
            actions[spec.id].trigger,
            actions[spec.id].isEnabled(),
            spec.icon,
            spec.tip,
            actions[spec.id].iconText(),
        )
        for spec in actions.declared
        if spec.id != "palette"
    ]


def _sample_commands(session: Session) -> list[Command]:
    """Returns a command for each sample text."""
    commands = []
    for sample in samples():
        title = sample.title
        if sample.native_title != title:
            title = f"{title} ({sample.native_title})"
        show = _later(lambda sample: session.set_text(sample.text(), title=sample.title), sample)
        kind = f"Sample · {sample.group}"
        commands.append(Command(title, kind, "", show, icon="article"))
    return commands


def _tokenizer_commands(session: Session, fetch: Callable[[str], object]) -> list[Command]:
    """Returns a command for each tokenizer that can be turned on or off, or downloaded."""
    commands = []
    for item in session.library:
        if item.state in (State.CLOSED, State.OPENING, State.OPEN):
            title = f"Turn {'off' if item.on else 'on'} {item.display_name}"
            toggle = _later(session.edits.turn_on, item.key, not item.on)
            commands.append(Command(title, "Tokenizer", "", toggle, icon="power"))
            only = _later(session.sets.show_only, [item.key])
            title = f"Only {item.display_name}"
            commands.append(Command(title, "Tokenizer", "", only, icon="eye"))
        elif item.state in (State.MISSING, State.FAILED):
            get = _later(fetch, item.key)
            commands.append(
                Command(f"Get {item.display_name}", "Tokenizer", "", get, icon="download-simple")
            )
    return commands


def _set_commands(session: Session) -> list[Command]:
    """Returns a command for each saved set of tokenizers."""

    def show(name: str) -> None:
        said = session.sets.show_set(name)
        if said:
            session.problem.emit(said)

    return [
        Command(f"Show the set {name}", "Set", "", _later(show, name), icon="bookmarks")
        for name in session.sets.sets
    ]


def samples() -> list[Sample]:
    """Returns the sample texts; reads their list only now."""
    from tokenarium.resources.samples_index import load_samples

    return load_samples()


def _later(run: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: run(*arguments)


class SampleMenu(QMenu):
    """A menu of the sample texts by group, filled when first opened."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        if not self.isEmpty():
            return
        for group, members in groupby(samples(), lambda sample: sample.group):
            shown = list(members)
            menu = (
                self.addMenu(group) if len(shown) > 1 else self
            )  # a single group needs no submenu
            menu.setToolTipsVisible(True)
            for sample in shown:
                action = menu.addAction(sample.title)
                action.setToolTip(sample.about)
                action.triggered.connect(
                    lambda _, s=sample: self._session.set_text(s.text(), title=s.title)
                )
