"""Connects the text, the inspector, the pipeline strip and the line of jobs to the session."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QMainWindow

from tokenarium.menus.actions import Action, Section, switch
from tokenarium.models.text import inspection
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.pipeline import stages
from tokenarium.models.text.text_map import TextMap
from tokenarium.session import settings
from tokenarium.session.requests import ExplainBytes, PlayBytes, ShowTokenMenu
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.style.palette import mix
from tokenarium.style.theme import Theme
from tokenarium.views.kept import Kept, all_encoded, kept_scroll
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.message_bar import JobBar
from tokenarium.widgets.text.inspected_tree import Inspected, TokenizerPart
from tokenarium.widgets.text.inspector import Inspector
from tokenarium.widgets.text.pipeline_strip import PipelineStrip
from tokenarium.widgets.text.text_panel import TextPanel
from tokenarium.work.jobs import Jobs
from tokenarium_core import Tokenizer

if TYPE_CHECKING:
    from tokenarium.models.scene import Json

WRITTEN = 40
"""Characters: a larger change counts as a paste, which is shown from its beginning."""

SHOWN_BYTES = 1024
"""Bytes: the inspector shows only the beginning of a longer range."""

SHOWN_MS = 120
"""Milliseconds between two updates of the job bar, as painting it takes longer than a slice of a job."""

LONG_S = 0.35
"""Seconds that jobs run before a bar shows them."""


class EditController(QObject):
    """Gives the session every edit of the text. ``workspace`` returns the current one."""

    def __init__(
        self,
        session: Session,
        text: TextPanel,
        workspace: Callable[[], Workspace],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._text = text
        self._workspace = workspace
        text.edited.connect(self._take)
        text.field.is_busy = lambda: session.encodes_much

    def _take(self, text: TextMap) -> None:
        """Gives the session the edited text, and scrolls the workspace to the change."""
        written = abs(text.char_count - self._session.text_map.char_count) <= WRITTEN
        self._session.take_edit(text)
        if written:
            (byte,) = self._session.text_map.char_to_byte([self._text.caret]).tolist()
            self._workspace().seek(byte)


class SelectionController(QObject):
    """Synchronizes the selection of the text field with that of the session."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        text: TextPanel,
        inspector: Inspector,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._appearance = appearance
        self._text = text
        self._inspector = inspector
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._inspect)
        for signal in (session.selection_changed, session.hover_changed, appearance.changed):
            signal.connect(self.show)
        for signal in (session.encoding_changed, session.tokenizers_changed):
            signal.connect(self.inspect_soon)
        text.selected.connect(self._select_characters)
        inspector.token_picked.connect(session.select)
        inspector.tokenizer_picked.connect(session.set_current)
        inspector.token_menu_requested.connect(
            lambda point, place: session.requests.ask(ShowTokenMenu(place, point))
        )
        inspector.why_requested.connect(lambda: self._ask(ExplainBytes))
        inspector.play_requested.connect(lambda: self._ask(PlayBytes))
        inspector.pin_changed.connect(self.inspect_soon)
        session.current_changed.connect(self.inspect_soon)
        session.text_changed.connect(lambda: inspector.pin.setChecked(False))

    def show(self) -> None:
        """Highlights and inspects the bytes that are selected or pointed at."""
        session, theme = self._session, self._appearance.theme
        span = session.focus
        if session.selection is None and not self._text.field.isReadOnly():
            self._text.field.deselect()
        start, end = 0, 0
        if span is not None:
            text_map = session.text_map
            lit = text_map.characters(*(session.hover or span))
            start, end = text_map.byte_to_char(lit).tolist()
            if self._text.field.hasFocus() and self._text.selection == (start, end):
                end = start  # the field shows its own selection
        self._text.mark(start, end, mix(theme.surface, theme.accent, 0.3))
        self.inspect_soon()

    def _ask(self, kind: type[ExplainBytes | PlayBytes]) -> None:
        """Asks about the bytes that the inspector shows."""
        shown = self._inspector.shown
        if shown is not None:
            self._session.requests.ask(kind(*shown))

    def keeps(self) -> tuple[Kept, ...]:
        """Returns which bytes are pinned in the inspector, and how far it and the editor are scrolled, for scenes."""
        return (
            Kept("pinned", self._pinned, self._pin),
            kept_scroll("inspector_scroll", self._inspector.area.verticalScrollBar()),
            kept_scroll("text_scroll", self._text.field.verticalScrollBar()),
        )

    def _pinned(self) -> list[Json] | None:
        shown = self._inspector.shown
        return list(shown) if self._inspector.pinned and shown is not None else None

    def _pin(self, span: object) -> bool:
        session = self._session
        start, end = map(int, cast("list[int]", span))
        if not 0 <= start < end <= session.text_map.byte_count:
            raise ValueError
        if not all_encoded(session):
            return False
        self._inspector.show_bytes(inspect(session, self._appearance.theme, (start, end)))
        self._inspector.pin.setChecked(True)
        return True

    def inspect_soon(self) -> None:
        """Inspects the bytes after all other changes of this turn of the event loop."""
        self._soon.start()

    def _inspect(self) -> None:
        if self._inspector.isVisible() and not self._inspector.pinned:
            self._inspector.show_bytes(inspect(self._session, self._appearance.theme))

    def _select_characters(self, start: int, end: int) -> None:
        first, last = self._session.text_map.char_to_byte([start, end]).tolist()
        self._session.select(first, last)


def inspect(
    session: Session, theme: Theme, span: tuple[int, int] | None = None
) -> Inspected | None:
    """Returns the details of the given bytes, or of those selected or pointed at; None if there are none."""
    span = span or session.focus
    text_map = session.text_map
    if span is None or span[1] > text_map.byte_count:
        return None
    start, end = span
    first, last = text_map.characters(start, end)
    count = int(text_map.byte_to_char(last)) - int(text_map.byte_to_char(first))
    parts = []
    current = session.current
    for item in sorted(session.chosen(), key=lambda item: item is not current):
        encoded = session.encoded(item.key)
        if encoded is not None and encoded.tokens is not None and item.tokenizer is not None:
            encoding = encoded.tokens
            touched = inspection.touching(encoding, start, end)
            rows = partial(_rows, encoding, item.tokenizer, start, end)
            parts.append(
                TokenizerPart(
                    item.key,
                    session.short_name(item),
                    theme.identity(item.identity),
                    touched[1] - touched[0],
                    len(encoding),
                    encoded.complete,
                    rows,
                )
            )
    characters = inspection.characters(text_map.utf8_of(first, min(last, first + SHOWN_BYTES)))
    return Inspected(
        start,
        end,
        text_map.byte_count,
        session.selection is not None,
        text_map.utf8_of(start, min(end, start + SHOWN_BYTES)),
        inspection.scripts_in(characters),
        characters,
        count,
        parts,
    )


def _rows(
    encoding: ChunkedEncoding, tokenizer: Tokenizer, start: int, end: int, limit: int
) -> list[inspection.InspectedToken]:
    return inspection.tokens(encoding, tokenizer, start, end, limit)


class PipelineController(QObject):
    """The pipeline strip of a window, for the characters that are selected or pointed at, and its action.

    Only workspaces that show the tokens of the text have it.
    """

    def __init__(self, session: Session, store: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._store = store
        self.strip = PipelineStrip()
        self._wanted = store.get(settings.SHOW_PIPELINE)
        self._follows = True
        self._fit_strip()
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.show_stages)
        for signal in (
            session.text_changed,
            session.selection_changed,
            session.hover_changed,
            session.tokenizers_changed,
            session.current_changed,
            session.special_changed,
        ):
            signal.connect(self._soon.start)
        session.encoding_changed.connect(lambda _: self._soon.start())
        self._soon.start()

    def declared(self) -> list[Action]:
        """Returns the action."""
        # fmt: off
        return [
            switch("show_pipeline", "Show the s&tages", Section.PANES, "Ctrl+D, P", lambda: self._wanted, self.show_pipeline, "The selected characters in one line: raw, normalized, pre-tokens, pieces and ids", icon="flow-arrow"),
        ]
        # fmt: on

    def keeps(self) -> tuple[Kept, ...]:
        """Returns whether the strip is shown, for scenes."""
        return (Kept("stages", lambda: self._wanted, lambda show: self.show_pipeline(bool(show))),)

    def show_pipeline(self, show: bool) -> None:
        """Shows or hides the strip, and stores that setting."""
        self._store.set(settings.SHOW_PIPELINE, show)
        self._wanted = show
        self.fit(self._follows)

    def fit(self, follows_text: bool) -> None:
        """Shows the strip above a workspace that follows the text, if it is turned on."""
        self._follows = follows_text
        self._fit_strip()
        self._soon.start()

    def _fit_strip(self) -> None:
        """Hides the strip if there is no text or no tokenizer."""
        session = self._session
        followed = session.has_text and session.current is not None
        self.strip.setVisible(self._wanted and self._follows and followed)

    def show_stages(self) -> None:
        """Shows the stages of the current tokenizer for the characters that are selected, or else pointed at."""
        self._fit_strip()
        if self.strip.isHidden():
            return
        session = self._session
        current, focus = session.current, session.focus
        encoded = session.encoded(current.key) if current is not None else None
        if current is None or current.tokenizer is None or encoded is None:
            self.strip.show_stages((), "")
        elif encoded.tokens is None:
            self.strip.show_stages((), encoded.error)
        elif focus is None or focus[1] > session.text_map.byte_count:
            hint = f"Select or point at characters to follow them through {current.name}."
            self.strip.show_stages((), hint)
        else:
            self.strip.show_stages(
                stages(current.tokenizer, encoded.tokens.whole, session.text_map, *focus)
            )


class JobWatch(QObject):
    """Shows the jobs of a session in a job bar, and cancels them on request."""

    idle = Signal()  # no job is running now

    def __init__(self, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._began = 0.0  # when the jobs began that are running; 0 if none are
        self.bar = JobBar()
        self.bar.cancel_requested.connect(jobs.cancel_all)
        self._soon = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._soon.timeout.connect(self._show)
        jobs.changed.connect(self._show_soon)

    def _show_soon(self) -> None:
        if not self._jobs.running():
            self._began = 0.0
        elif not self._began:
            self._began = time.monotonic()
        if not self._soon.isActive():
            self._soon.start()

    def _show(self) -> None:
        jobs = self._jobs.running()
        if jobs and self.bar.isHidden() and time.monotonic() - self._began < LONG_S:
            self._soon.start()  # jobs started by a keystroke end before they need a bar
            return
        done = sum(job.progress.fraction for job in jobs) / max(len(jobs), 1)
        self.bar.show_jobs([job.title for job in jobs], done)
        if not jobs:
            self.idle.emit()


class AltKey(QObject):
    """Shows a hidden menu bar when Alt is pressed and released alone, and hides it again after a choice or Escape.

    It looks at all events of the app only while Alt is down.
    """

    def __init__(
        self, window: QMainWindow, kept: Callable[[], bool], show: Callable[[], None]
    ) -> None:
        """``kept`` returns whether the bar is always shown; ``show`` shows it."""
        super().__init__(window)
        self._bar = window.menuBar()
        self._bar.installEventFilter(self)
        self._kept = kept
        self._show = show
        self._app = QCoreApplication.instance()
        self._hide_soon = QTimer(self, singleShot=True, interval=0)
        self._hide_soon.timeout.connect(self._hide)

    def press(self) -> None:
        """Takes note that Alt was pressed in the window."""
        if not self._kept() and not self._bar.isVisible():
            self._watch(True)

    def _watch(self, watch: bool) -> None:
        if self._app is not None:
            self._app.removeEventFilter(self)
            if watch:
                self._app.installEventFilter(self)

    def _hide(self) -> None:
        if not self._kept() and not self._bar.hasFocus():
            self._bar.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind, kinds = event.type(), QEvent.Type
        if watched is self._bar:
            by_menu = isinstance(event, QFocusEvent) and (
                event.reason() == Qt.FocusReason.PopupFocusReason
            )
            if kind == kinds.FocusOut and not by_menu:
                self._hide_soon.start()
        elif isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Alt:
            if kind == kinds.KeyRelease and not event.isAutoRepeat():
                self._watch(False)
                self._show()
        elif kind in _OTHER_USES:
            self._watch(False)
        return False


_OTHER_USES = (
    QEvent.Type.KeyPress,
    QEvent.Type.Shortcut,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.Wheel,
    QEvent.Type.WindowDeactivate,
)
"""Keys and clicks with which Alt has another meaning."""
