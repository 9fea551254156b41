"""The presentation: a workspace on the whole screen, for an audience far away.

It has no rail and no top bar: a title, the stage, one band for a sentence or a question, and dots for the progress.
The keys are those of a clicker; a second window shows what only the presenter reads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QScreen,
    QShowEvent,
)
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from tokenarium.pictures.app_icons import SMALL
from tokenarium.style.appearance import Appearance, StageAppearance
from tokenarium.style.fonts import HEADING_SIZE, SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID
from tokenarium.style.themed import Themed
from tokenarium.views.decks import Deck
from tokenarium.views.workspace import PagedWorkspace, Workspace, WorkspacePart
from tokenarium.widgets.announcing import announce
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.mark import MarkView
from tokenarium.widgets.panel import ElidedLabel, MarkerChip, named, secondary
from tokenarium.widgets.players.question_band import ProgressDots, QuestionBand
from tokenarium.widgets.players.step_sentence import StepSentence
from tokenarium.widgets.stage_sheet import StageSheet

if TYPE_CHECKING:  # most presentations do not need it
    from tokenarium.views.presenter import PresenterWindow

DeckMaker = Callable[[StageAppearance], Deck]

AGAIN_MS = 60
"""How often a setting is tried that waits for a computation."""

MOST_TRIES = 30
"""After so many, a setting that still waits counts as one that will not be shown."""

SCREENS_MS = 300
"""Milliseconds after which the windows adapt to a change of the screens."""


def deck_of(workspace: Workspace, looks: StageAppearance) -> Deck:
    """Returns the deck that presents a workspace."""
    return workspace.deck(looks.theme) or ViewDeck(workspace, looks)


class ViewDeck(Deck):
    """A workspace as it is in the window, but larger, with the same choices."""

    def __init__(self, shown: Workspace, looks: Appearance) -> None:
        super().__init__()
        self.view = type(shown)(shown.session, looks, shown.find_action)
        self.title = shown.name.title
        due = take_settings(shown, self.view)
        if isinstance(shown, PagedWorkspace) and isinstance(self.view, PagedWorkspace):
            self.view.show_page(shown.page.id)
            due += take_settings(shown.page, self.view.page)
            self.view.page.go_on_stage()
            self.title = self.view.page.title or self.title
        in_column((self.view, 1), into=self)
        self._due, self._tries = due, 0
        self._again = QTimer(self, interval=AGAIN_MS)
        self._again.timeout.connect(self._take_due)
        self._again.start()

    def hide_prediction(self, hidden: bool) -> None:
        self.view.hide_answer(hidden)

    @property
    def busy(self) -> bool:
        return self.view.busy or (bool(self._due) and self._tries < MOST_TRIES)

    def _take_due(self) -> None:
        """Tries again what could not be shown before the view was visible."""
        self._tries += 1
        self._due = [show for show in self._due if show() is False]
        if not self._due:
            self._again.stop()

    def leave(self) -> None:
        self._again.stop()
        self.view.stop()


def take_settings(shown: WorkspacePart, twin: WorkspacePart) -> list[Callable[[], object]]:
    """Copies the choices of a workspace or page to a second one; returns functions for those that must wait."""
    twins = {setting.name: setting for setting in twin.keeps()}
    due: list[Callable[[], object]] = []
    for setting in shown.keeps():
        value = setting.read()
        if value is not None and twins[setting.name].show(value) is False:
            due.append(partial(twins[setting.name].show, value))
    return due


class Presentation(QWidget):
    """The window of a presentation, on the whole screen. `left` when it closes.

    The window appears at once; its deck is made in its own turn of the event loop, or when it is first needed.
    """

    left = Signal()
    stepped = Signal()
    """The step, its question, or its cover has changed."""

    def __init__(
        self, workspace: Workspace, appearance: Appearance, make: DeckMaker | None = None
    ) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Tokenarium: {workspace.name.title}")
        self._workspace = workspace
        self._open = True
        self.began = monotonic()
        self.presenter: PresenterWindow | None = None
        looks = StageAppearance(appearance)
        self._make = make if make is not None else partial(deck_of, workspace)
        self._looks = looks
        self._deck: Deck | None = None
        self.theme = theme = looks.theme
        self.setPalette(theme.palette())
        self.setAutoFillBackground(True)
        self.put_on(
            next((screen for screen in self._screens if screen is not self._home), self._home)
        )
        self.sheet = StageSheet(theme)
        self.black = BlackScreen(self)
        self.title = named(ElidedLabel(), "Title")
        self.title.setFont(ui_font(HEADING_SIZE, QFont.Weight.Bold))
        self.about = secondary(QLabel())
        self.mark = MarkView(SMALL)
        self._chip = MarkerChip(theme.identity(0))
        self.sentence = named(StepSentence(HEADING_SIZE), "What happens")
        self.sentence.set_lines(2)
        self.band = QuestionBand()
        self._bands = QStackedWidget()
        self.dots = ProgressDots()
        self._asks = True
        self._build()
        self.band.chosen.connect(self.choose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Qt reports an added or removed screen several times, and first moves the windows itself.
        self._screens_soon = QTimer(self, singleShot=True, interval=SCREENS_MS)
        self._screens_soon.timeout.connect(self.fit_screens)
        self._screen_count = len(self._screens)
        app = cast("QGuiApplication", QGuiApplication.instance())
        for changed in (app.screenAdded, app.screenRemoved):
            changed.connect(self._screens_soon.start)
        QTimer.singleShot(0, self, self._begin)

    @property
    def deck(self) -> Deck:
        """The deck that is presented."""
        if self._deck is None:
            self._deck = deck = self._make(self._looks)
            self._rows.takeAt(2)  # the room that was kept for it
            self._rows.insertWidget(2, deck, 1)
            deck.setPalette(self.theme.palette())  # its parts were made without a parent
            deck.show()
            deck.changed.connect(self.show_step)
            self.show_step()
        return self._deck

    def _begin(self) -> None:
        if self._open and self.deck is not None and self.has_other_screen:
            self.switch_presenter()

    def _build(self) -> None:
        head = in_row(self.mark, self._chip, (self.title, 1), self.about, spacing=GRID)
        for part in (self._chip, self._bands):
            part.hide()
        self._bands.addWidget(self.sentence)
        self._bands.addWidget(self.band)
        self.hints = [
            KeyHint(key, text, run)
            for key, text, run in (
                ("←", "Back", self.go_back),
                ("Space", "Next", self.go_on),
                ("R", "Reveal", self.reveal),
                ("Esc", "Leave", self.close),
            )
        ]
        back, *others = self.hints
        self.hands_hint = KeyHint("H", "Hands up", lambda: self.take_key(_Key.Key_H))
        self.hands_hint.hide()
        foot = in_row(
            back, STRETCH, (self.dots, 2), STRETCH, self.hands_hint, *others, spacing=GRID
        )
        for hint in others[:-1]:
            hint.hide()
        content = QWidget()
        self._rows = in_column(
            head,
            GRID // 2,
            STRETCH,
            GRID // 2,
            self._bands,
            GRID // 2,
            foot,
            into=content,
            margins=(18, 8, 18, 6),
        )
        self.sheet.put(content)
        in_column(self.sheet, into=self)

    @property
    def _screens(self) -> list[QScreen]:
        return QGuiApplication.screens()

    @property
    def _home(self) -> QScreen:
        """The screen of the window, which the presenter sees."""
        return self._workspace.screen()

    @property
    def has_other_screen(self) -> bool:
        """Whether there is a second screen."""
        return len(self._screens) > 1

    def put_on(self, screen: QScreen) -> None:
        """Shows the presentation on all of a screen."""
        full = self.isFullScreen()
        if full:
            self.showNormal()
        self.setScreen(screen)
        self.setGeometry(screen.geometry())
        if full:
            self.showFullScreen()

    def fit_screens(self) -> None:
        """Adapts to an added or removed screen.

        With a second screen, the presentation moves there, and the presenter's window to the first, as at the
        beginning. With only one, the presenter's window would hide the stage, or be hidden by it: it closes, and N
        opens it.
        """
        before, self._screen_count = self._screen_count, len(self._screens)
        if not self._open or self._screen_count == before:
            return
        if not self.has_other_screen:
            if self.presenter is not None:
                self.presenter.close()
            self.put_on(self._screens[0])
        elif before < 2:
            home = self._home
            self.put_on(next(screen for screen in self._screens if screen is not home))
            if self.presenter is None:
                self.switch_presenter()
            else:
                self.presenter.put_on(home)
        self.activateWindow()
        self.stepped.emit()

    def swap_screens(self) -> None:
        """Shows the presentation on the next screen, and the presenter's window on its previous one."""
        screens, now = self._screens, self.screen()
        if len(screens) < 2:
            return
        self.put_on(screens[(screens.index(now) + 1) % len(screens)])
        if self.presenter is not None:
            self.presenter.put_on(now)

    # Keys.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.take_key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def take_key(self, key: Qt.Key) -> bool:
        """Handles a key of this window or the presenter's; returns whether it has a meaning."""
        runs = {
            **dict.fromkeys(_ON, self.go_on),
            **dict.fromkeys(_BACK, self.go_back),
            **dict.fromkeys((_Key.Key_B, _Key.Key_Period), self.switch_black),
            **dict.fromkeys((_Key.Key_Escape, _Key.Key_F5, _Key.Key_F11), self.close),
            _Key.Key_Down: lambda: self.deck.go_inside(1),
            _Key.Key_Up: lambda: self.deck.go_inside(-1),
            _Key.Key_P: self.deck.switch_prose,
            _Key.Key_Home: lambda: self.deck.go_to(0),
            _Key.Key_End: lambda: self.deck.go_to(self.deck.length),
            _Key.Key_R: self.reveal,
            _Key.Key_Q: self.switch_questions,
            _Key.Key_N: self.switch_presenter,
            _Key.Key_S: self.swap_screens,
            _Key.Key_F1: self.show_help,
        }
        if self.deck.take_key(key):
            return True
        if key in _CHOICES:
            self.choose(_CHOICES[key])
        elif key in runs:
            runs[key]()
        return key in _CHOICES or key in runs

    def go_on(self) -> None:
        """Continues, or shows the picture again if the screen is black."""
        if self.is_black:
            self.switch_black()
        else:
            self.deck.advance()

    def go_back(self) -> None:
        """Goes back a step."""
        self.deck.go_to(max(0, self.deck.position - 1))

    def reveal(self) -> None:
        """Shows the answer to the question."""
        self.deck.reveal()

    def choose(self, place: int) -> None:
        """Answers the question."""
        self.deck.choose(place)

    @property
    def is_black(self) -> bool:
        """Whether the screen is black."""
        return self.black.isVisible()

    def picture(self, room: QSize, ratio: float) -> QPixmap:
        """Returns a picture of the stage, as large as fits a size; see `StageSheet.picture`."""
        shown = self.sheet.picture(room, ratio)
        if self.is_black:
            shown.fill(Qt.GlobalColor.black)
        return shown

    def switch_black(self) -> None:
        """Makes the screen black, or shows the picture again."""
        self.black.setGeometry(self.rect())
        self.black.setVisible(not self.is_black)
        self.black.raise_()
        self.stepped.emit()

    @property
    def asks(self) -> bool:
        """Whether questions are asked before the steps."""
        return self._asks

    def switch_questions(self) -> None:
        """Turns the questions before the steps on or off."""
        self._asks = not self._asks
        self.deck.ask_questions(self._asks)

    def switch_presenter(self) -> None:
        """Shows or closes the window that only the presenter sees."""
        if self.presenter is not None:
            self.presenter.close()
            return
        from tokenarium.views.presenter import PresenterWindow

        self.presenter = PresenterWindow(self)
        self.presenter.closed.connect(self._forget_presenter)
        self.stepped.connect(self.presenter.follow)
        self.sheet.scene().changed.connect(self.presenter.picture.follow)
        if self.screen() is not self._home:
            self.presenter.put_on(self._home)
        self.presenter.show()

    def show_help(self) -> None:
        """Shows the keys in another window."""
        from tokenarium.widgets.help_dialog import HelpDialog

        dialog = HelpDialog(self.presenter or self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.shortcuts.hide()
        dialog.show_page("presentation")
        dialog.show()

    def _forget_presenter(self) -> None:
        self.presenter = None

    # Showing.

    def show_step(self) -> None:
        """Shows the words around the stage."""
        deck = self.deck
        self.title.setText(deck.title)
        self.about.setText(deck.about)
        self._chip.setVisible(deck.item is not None)
        if deck.item is not None:
            self._chip.set_identity(self.theme.identity(deck.item.identity))
        question = deck.question
        self.band.ask(question)
        self._bands.setVisible(bool(question or deck.sentence))
        self._bands.setCurrentIndex(0 if question is None else 1)
        self.sentence.setText(deck.sentence)
        back, following, reveal, _ = self.hints
        back.setVisible(deck.length > 0)
        following.setVisible(deck.length > 0)
        reveal.setVisible(deck.hides_something)
        self.hands_hint.setVisible(deck.takes_hands)
        self.dots.show_step(deck.position, deck.length)
        sentence = question.title if question is not None else deck.now
        if sentence != self.accessibleDescription():
            # The contents of the sheet are not in the tree of screen readers.
            self.setAccessibleDescription(sentence)
            announce(self, sentence)
        self.stepped.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.setFocus()  # it handles the keys itself, until a field in it is clicked

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.black.setGeometry(self.rect())

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        if self._open:
            self._open = False
            self._screens_soon.stop()
            if self.presenter is not None:
                self.presenter.close()
            if self._deck is not None:
                self._deck.close_deck()
            self.left.emit()


_Key = Qt.Key
_ON = (_Key.Key_Space, _Key.Key_Right, _Key.Key_PageDown, _Key.Key_Return, _Key.Key_Enter)
_BACK = (_Key.Key_Left, _Key.Key_PageUp, _Key.Key_Backspace)
"""The keys that go forward and back, including those of remote controls."""

_CHOICES = {_Key(_Key.Key_1 + index): index for index in range(9)}
"""The keys that answer."""


class BlackScreen(QWidget):
    """Covers everything, so that people look at the speaker."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Black screen")
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), Qt.GlobalColor.black)
        painter.end()


CAP_HEIGHT, HINT_HEIGHT = 19, 24
"""Pixels of a key, and of the room in which a click does what it does."""


class KeyHint(Themed, QWidget):
    """A key and what it does; a click does it too."""

    def __init__(self, key: str, text: str, run: Callable[[], object]) -> None:
        super().__init__()
        self._key, self._text, self._run = key, text, run
        self.setAccessibleName(f"{text}: {key}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        metrics = QFontMetrics(ui_font())
        self._cap = max(CAP_HEIGHT, metrics.horizontalAdvance(key) + GRID)
        self.setFixedSize(self._cap + GRID + metrics.horizontalAdvance(text) + 2, HINT_HEIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._run()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = (HINT_HEIGHT - CAP_HEIGHT) / 2
        cap = QRectF(0.5, top, self._cap - 1, CAP_HEIGHT)
        painter.setPen(QPen(self.theme.line, 1))
        painter.setBrush(self.theme.sunken)
        painter.drawRoundedRect(cap, 4, 4)
        painter.setPen(self.theme.ink)
        painter.setFont(ui_font(SMALL_SIZE, QFont.Weight.Medium))
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self._key)
        painter.setPen(self.theme.dim)
        painter.setFont(ui_font())
        rest = QRectF(self._cap + GRID, top, self.width(), CAP_HEIGHT)
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, self._text)
        painter.end()
