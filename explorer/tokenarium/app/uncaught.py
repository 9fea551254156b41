"""Handles exceptions that no other code caught: logs them, saves the session, and shows a dialog."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    Qt,
    QThread,
    QTimer,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

from tokenarium.models.fault_notes import FaultNote, key_of, without_names
from tokenarium.models.faults import LISTENERS, NOTED, note_fault
from tokenarium.models.problem_report import window_facts
from tokenarium.models.program_log import DEBUG, ERROR, INFO, WARNING, log

if TYPE_CHECKING:  # most starts need no dialog
    from tokenarium.app.window import MainWindow
    from tokenarium.widgets.report_dialog import ReportDialog

MOST_DIALOGS = 5
"""The most dialogs that one run opens; later faults are only logged."""

COUNTED = frozenset(10**power for power in range(1, 10))
"""After how many repetitions of the same fault, or the same message of Qt, a line of the log says so again."""

MOST_MESSAGES = 1_000
"""The most messages of Qt that are counted; then all are forgotten."""

COUNT_MS = 500
"""How often an open dialog updates the number of faults."""

RESERVE = 1 << 20
"""Bytes that are released if memory runs out, so that there is room to say so."""

DIALOG_CODE = "widgets/report_dialog.py"
"""The code of the dialog: if it has a fault itself, a simple box replaces it."""

HEADING = "Something went wrong in Tokenarium"
SAVED = {
    "saved": "Your text and what the window shows are saved; a restart brings them back.",
    "off": "Nothing in this window is kept for the next run. Save what you need (Ctrl+S) before you restart.",
    "failed": "Your text could not be saved. Copy it before you restart.",
}
"""What is said about the text, by the result of `SceneCommands.rescue`."""

_LEVELS = {
    QtMsgType.QtDebugMsg: DEBUG,
    QtMsgType.QtInfoMsg: INFO,
    QtMsgType.QtWarningMsg: WARNING,
    QtMsgType.QtCriticalMsg: ERROR,
    QtMsgType.QtFatalMsg: ERROR,
}


class FaultWatch(QObject):
    """Watches one run. It raises nothing, opens one dialog at a time, and only one for the same fault."""

    _came = Signal()
    _told_to_end = Signal(int)  # the exit code

    def __init__(self) -> None:
        super().__init__()
        self.window: MainWindow | None = None
        self.restart: list[str] | None = None
        """The arguments of the run that starts after this one; None for no other run."""
        self.dialog: ReportDialog | None = None
        self.box: QMessageBox | None = None
        self.saved = ""
        self._notes: list[FaultNote] = []
        self._waiting: deque[FaultNote] = deque()
        self._opened = 0
        self._broken = False  # whether the dialog itself has a fault
        self._looping = False
        self._ended = False
        self._told = False  # ending, because of a signal
        self._here = threading.local()
        self._reserve = bytes(RESERVE)
        self._former: list[Callable[[], object]] = []
        self._came.connect(self._open, Qt.ConnectionType.QueuedConnection)
        self._told_to_end.connect(self._end_once, Qt.ConnectionType.QueuedConnection)
        self._counting = QTimer(self, interval=COUNT_MS)
        self._counting.timeout.connect(self._show_counts)

    # Sources of faults.

    def begin(self) -> None:
        """Begins to watch: Python's hooks, Qt's messages, and the signals that ask a program to end."""
        hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
        sys.excepthook = self._uncaught
        threading.excepthook = self._in_thread
        sys.unraisablehook = self._unraisable
        LISTENERS.append(self._heard)
        _messages.clear()
        qt = qInstallMessageHandler(_qt_message)

        def give_back() -> None:
            sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
            LISTENERS.remove(self._heard)
            qInstallMessageHandler(qt)

        self._former.append(give_back)
        self._watch_signals()

    def end(self) -> None:
        """Restores the previous hooks."""
        self._ended = True
        while self._former:
            self._former.pop()()

    def loop_begins(self) -> None:
        """Notes that the event loop runs, so that dialogs work."""
        self._looping = True
        self._wake_by_signals()
        if self._waiting:
            self._came.emit()

    def _watch_signals(self) -> None:
        """Ends the program quietly if the system or Ctrl+C asks for that."""
        names = ("SIGINT", "SIGTERM", "SIGHUP")
        asked = [getattr(signal, name) for name in names if hasattr(signal, name)]
        try:
            former = {one: signal.signal(one, self._asked) for one in asked}
        except ValueError:  # not the main thread
            return
        self._former.append(lambda: [signal.signal(one, old) for one, old in former.items()])

    def _wake_by_signals(self) -> None:
        """Lets signals wake the event loop: Python checks for them only between its own instructions."""
        if os.name != "posix" or signal.getsignal(signal.SIGTERM) != self._asked:
            return
        ends = os.pipe()
        for one in ends:
            os.set_blocking(one, False)
        old = signal.set_wakeup_fd(ends[1], warn_on_full_buffer=False)
        notifier = QSocketNotifier(ends[0], QSocketNotifier.Type.Read, self)
        notifier.activated.connect(lambda: os.read(ends[0], 64))

        def give_back() -> None:
            notifier.setEnabled(False)
            notifier.deleteLater()
            signal.set_wakeup_fd(old)
            for end in ends:
                os.close(end)

        self._former.append(give_back)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        # The event loop ends the program, since this code may interrupt the owner of a lock that saving needs too. At a
        # second signal before that, as when the loop is busy, the program ends here.
        again, self._told = self._told, True
        if again or self._ended or not self._looping:
            self.leave_quietly(128 + number)
        else:
            self._told_to_end.emit(128 + number)

    def _end_once(self, code: int) -> None:
        if not self._ended:
            self.leave_quietly(code)

    def leave_quietly(self, code: int) -> None:
        """Saves the session, and ends with this code without asking."""
        if self._ended or not self._looping:
            raise SystemExit(code)
        self._ended = True
        log(f"asked to end (code {code})")
        with suppress(Exception):
            self._save()
        if self.window is not None:
            with suppress(Exception):
                self.window.closing.ask_no_more()
        QApplication.exit(code)

    def _uncaught(
        self,
        kind: type[BaseException],
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            if self._looping:
                self.leave_quietly(130)
            return
        self._take(error if error is not None else kind())

    def _in_thread(self, what: threading.ExceptHookArgs) -> None:
        if not issubclass(what.exc_type, SystemExit | KeyboardInterrupt):
            self._take(what.exc_value or what.exc_type())

    def _unraisable(self, what: sys.UnraisableHookArgs) -> None:
        self._take(what.exc_value or what.exc_type())

    def _take(self, error: BaseException) -> None:
        """Logs a fault, in any thread, at any depth of calls, and with little memory."""
        if getattr(self._here, "inside", False):
            return  # a fault in the lines below
        self._here.inside = True
        try:
            if isinstance(error, MemoryError):
                self._reserve = b""
            if NOTED[key := key_of(error)]:
                NOTED[key] += 1
                if NOTED[key] in COUNTED:
                    log(f"{key}: {NOTED[key]:,} times so far", ERROR)
                return
            _print(error)
            self._here.uncaught = True
            note_fault(error)
        except BaseException:
            with suppress(BaseException):
                os.write(2, b"Tokenarium met a fault that it could not write down.\n")
        finally:
            self._here.inside = self._here.uncaught = False

    def _heard(self, note: FaultNote) -> None:
        """Handles a note of a fault that no code caught, or of a fault of the program that became a sentence."""
        if self._ended or not (note.own or getattr(self._here, "uncaught", False)):
            return
        self._waiting.append(note)
        if self._looping:
            self._came.emit()
        elif getattr(self._here, "uncaught", False):
            self._say_simply(note)

    # What is shown.

    def _open(self) -> None:
        """Opens the dialog, or adds to the one that is open."""
        notes = list(self._waiting)
        self._waiting.clear()
        if self._ended or not notes:
            return
        self._notes += notes
        self._broken = self._broken or any(DIALOG_CODE in note.trace for note in notes)
        try:
            if self._broken:
                self._open_box()
            elif self.dialog is not None:
                self.dialog.set_text(self.report())
                self._show_counts()
            elif self._opened < MOST_DIALOGS:
                self._opened += 1
                self.saved = self._save()
                self._open_dialog()
        except Exception as error:
            if self._broken:
                return  # it is in the log, and there is nothing simpler to show
            self._broken = True
            note_fault(error)
            with suppress(Exception):
                self._open_box()

    def _save(self) -> str:
        """Saves the session now; returns the result, as a key of `SAVED`."""
        if self.window is None:
            return "off"
        try:
            return self.window.scene_commands.rescue()
        except Exception as error:
            note_fault(error)
            return "failed"

    def _open_dialog(self) -> None:
        from tokenarium.models.problem_report import tracker_url
        from tokenarium.widgets.report_dialog import NoticeButton, ReportDialog

        for _ in range(10):  # a menu would grab the mouse
            popup = QApplication.activePopupWidget()
            if popup is None:
                break
            popup.close()
        text_buttons = [NoticeButton("Open log", self._open_log, closes=False)]
        if tracker_url():
            tip = f"Copies the report, and opens {tracker_url()}"
            text_buttons.append(NoticeButton("Report …", self._report, tip, closes=False))
        dialog = ReportDialog(
            "Tokenarium",
            HEADING,
            self._sentence(),
            "The report for the developers. It contains neither your texts nor the names of your files.",
            self.report(),
            [
                NoticeButton("Quit", lambda: self.leave(None)),
                NoticeButton("Restart", lambda: self.leave(self._same_start())),
                NoticeButton("Go on", lambda: None, usual=True),
            ],
            text_buttons,
            parent=QApplication.activeModalWidget() or self.window,
        )
        self.dialog = dialog
        dialog.setWindowModality(Qt.WindowModality.ApplicationModal)
        dialog.finished.connect(self._forget)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        self._counting.start()

    def _sentence(self) -> str:
        first = self._notes[-1] if self.dialog is None else self._notes[0]
        where = f"{first.kind} in {first.place}" if first.place else first.kind
        return (
            f"{where}. This is a fault in the program, not something you did.\n{SAVED[self.saved]}"
        )

    def report(self) -> str:
        """Returns the report of the faults so far."""
        from tokenarium.models.problem_report import report_text
        from tokenarium.models.program_log import log_path

        count = sum(NOTED[note.key] for note in self._notes)
        what = f"Tokenarium met {'a fault' if count == 1 else f'{count:,} faults'} while it ran."
        traces = [note.trace for note in self._notes[:MOST_DIALOGS]]
        return report_text(what, traces, log_path(), window_facts())

    def _show_counts(self) -> None:
        """Shows the number of faults so far in the dialog."""
        if self.dialog is None:
            return
        count = sum(NOTED[note.key] for note in self._notes)
        if count > 1:
            kinds = len(self._notes)
            of = f", of {kinds} kinds" if kinds > 1 else ""
            self.dialog.heading.setText(f"{HEADING} ({count:,} times{of})")

    def _forget(self) -> None:
        self._counting.stop()
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None
        self._notes.clear()

    def _open_log(self) -> None:
        if self.window is not None:
            self.window.troubles.show_log(self.dialog)

    def _report(self) -> None:
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        from tokenarium.models.problem_report import tracker_url

        if self.dialog is not None:
            self.dialog.copy()
        QDesktopServices.openUrl(QUrl(tracker_url()))

    def _open_box(self) -> None:
        """Shows a box of Qt's own if the dialog has a fault itself; only once."""
        dialog, self.dialog = self.dialog, None
        self._counting.stop()
        if dialog is not None:
            dialog.finished.disconnect(self._forget)
            dialog.hide()
            dialog.deleteLater()
        if self.box is not None:
            return
        saved = self._save()
        box = QMessageBox()
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Tokenarium")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(f"{HEADING}.")
        box.setInformativeText(SAVED[saved])
        go_on = box.addButton("Go on", QMessageBox.ButtonRole.AcceptRole)
        leave = box.addButton("Quit", QMessageBox.ButtonRole.DestructiveRole)
        leave.clicked.connect(lambda: self.leave(None))
        box.setDefaultButton(go_on)
        box.setEscapeButton(go_on)
        box.setWindowModality(Qt.WindowModality.ApplicationModal)
        self.box = box
        box.show()

    def _say_simply(self, note: FaultNote) -> None:
        """Says in a box that the start failed, if there is a screen."""
        app = QApplication.instance()
        if not isinstance(app, QApplication) or QThread.currentThread() is not app.thread():
            return
        if QGuiApplication.platformName() in ("offscreen", "minimal"):
            return
        from tokenarium.models.program_log import log_path

        QMessageBox.critical(
            None,
            "Tokenarium",
            f"Tokenarium cannot start: {note.kind} in {note.place}.\n\nTry tokenarium --safe, which starts without"
            f" your settings. The log is {log_path()}.",
        )

    # Leaving.

    @staticmethod
    def _same_start() -> list[str]:
        return ["--safe"] if "--safe" in sys.argv[1:] else []

    def leave(self, restart: Sequence[str] | None) -> None:
        """Closes the window as the user would, and then ends; ``restart``: the arguments of the next run."""
        self.restart = None if restart is None else list(restart)
        log("quit after a fault" if restart is None else f"restart {' '.join(restart)}".rstrip())
        if self.window is not None:
            self.window.close()
            if self.window.isVisible():  # a training runs, and the user was asked about it
                return
        self._ended = True
        QApplication.exit(0)


def _print(error: BaseException) -> None:
    """Prints a traceback as Python does, for users who started the program in a terminal."""
    if sys.stderr is not None:  # a window started from the menu of Windows has no standard error
        with suppress(OSError, ValueError):
            traceback.print_exception(error)


_messages: Counter[str] = Counter()
"""How often each message of Qt occurred."""


def _qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Writes a message of Qt to the log and, as Qt does, to the standard error.

    Repetitions of a message are only counted: a fault in painting may cause several in each frame.
    """
    category = getattr(context, "category", None)
    named = f"{category}: " if category and category != "default" else ""
    if len(_messages) >= MOST_MESSAGES:
        _messages.clear()
    _messages[named + message] += 1
    times = _messages[named + message]
    if times > 1:
        if times in COUNTED:
            log(f"Qt: {named}{without_names(message)}: {times:,} times so far", WARNING)
        return
    if sys.stderr is not None and kind is not QtMsgType.QtDebugMsg:
        with suppress(OSError, ValueError):
            print(f"{named}{message}", file=sys.stderr)
    log(f"Qt: {named}{without_names(message)}", _LEVELS.get(kind, WARNING))
