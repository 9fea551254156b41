"""Starts the app: one application, one window, and the files of the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from tokenarium.app.incoming import Incoming
from tokenarium.app.uncaught import FaultWatch
from tokenarium.app.window import MainWindow
from tokenarium.menus.display_commands import restore_looks
from tokenarium.models.files import runs_folder, sweep_all
from tokenarium.models.problem_report import ended_in, facts, window_facts
from tokenarium.models.program_log import begin_log, end_watch, log, stem, sweep_logs, watch_faults
from tokenarium.models.run_marks import IN_A_ROW, CrashedRun, RunMark
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings, kept_scale
from tokenarium.style.appearance import Appearance
from tokenarium.style.zoom import begin_at, starting_environment
from tokenarium.widgets.mark import app_icon
from tokenarium.work.child_process import start_again
from tokenarium.work.frame_queue import FrameQueue
from tokenarium.work.garbage import GarbageAtRest
from tokenarium.work.handover import Entry
from tokenarium_core.patterns import PATIENCE

PATIENCE_S = 0.1
"""Seconds of processor time that a pattern may take in the window; one that takes longer counts as endless."""

SWEEP_MS = 5_000
"""Milliseconds after the start at which the leftovers of killed processes are removed."""

FRAME_MS, FRAME_TRIES = 250, 20
"""Milliseconds after the start at which most window managers have framed and positioned the window; a slow one gets more of them."""

LOG_MS = 400
"""Milliseconds after the start at which the log begins: the window is there by then."""

PREPARE_MS = 1_500
"""Milliseconds after the start at which the first likely pages are made, a little in each frame."""

USER_MODEL_ID = "Tokenarium.Tokenarium"
"""Identifies the app to Windows; the installer gives the shortcuts the same id."""

WELCOME = "welcome"
"""The sample text of an app that starts without a file."""


def application() -> QApplication:
    """Returns the one application, made now if there is none."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
        GarbageAtRest(app)
        app.setWindowIcon(app_icon())
    _name_application()
    return app


def _name_application() -> None:
    """Sets the names by which Qt finds the settings; this works without an application too."""
    QApplication.setApplicationName("Tokenarium")
    QApplication.setOrganizationName("Tokenarium")
    QApplication.setDesktopFileName("tokenarium")
    if sys.platform == "win32":
        import ctypes

        # The taskbar groups windows by this id, under the icon of the shortcut with the same id.
        ctypes.windll.shell32.SetCurrentProcessExplicitAppUserModelID(USER_MODEL_ID)


def make_window(app: QApplication, store: Settings) -> MainWindow:
    """Returns a window with its stored state, not shown yet and without a text."""
    PATIENCE.seconds = PATIENCE_S
    appearance, session = Appearance(app), Session()
    restore_looks(appearance, store)
    window = MainWindow(appearance, store, session)
    appearance.setParent(window)  # it is deleted with the window
    session.setParent(window)
    return window


def sample_text(sample_id: str) -> str:
    """Returns the text of a sample; KeyError for an unknown one."""
    from tokenarium.resources.samples_index import load_samples

    return {sample.id: sample for sample in load_samples()}[sample_id].text()


def run(words: Sequence[str], safe: bool = False, entry: Entry | None = None) -> int:
    """Opens the window on some files and links, and returns the exit code when it is closed.

    ``safe``: with only the shipped tokenizer, and with settings that are not stored. ``entry``: receives the requests
    of later starts.
    """
    _name_application()
    watch_faults()
    watch, mark = FaultWatch(), RunMark(runs_folder())
    watch.begin()
    crash = None if safe else mark.crashed()
    store = Settings(safe=safe)
    begin_at(kept_scale(store))
    app = application()
    if crash is not None and _wants_safety(crash):
        store = Settings(safe=True)
    if not store.safe:
        mark.begin(stem())
        app.aboutToQuit.connect(mark.end)
    incoming = Incoming(app, entry or Entry())
    window = watch.window = make_window(app, store)
    window.troubles.leave = watch.leave

    prepared = FrameQueue(window)
    first_line = partial(_first_line, store.safe, crash)

    def begin() -> None:
        watch.loop_begins()
        said: list[str] = []
        hears = window.session.problem.connect(said.append)
        if words:
            window.open_words(words)
            store.set(settings.WELCOMED, True)  # else the page covers what the next start restores
        elif not window.scene_commands.restore():
            window.session.set_text(sample_text(WELCOME), title="Welcome")
        window.session.problem.disconnect(hears)
        if not (words or store.safe or store.get(settings.WELCOMED)):
            window.welcoming.show_page()
        window.scene_commands.begin()
        incoming.deliver_to(window, window.open_words)
        if store.safe:
            window.troubles.say_safe(window.notice)
        elif crash is not None:
            differs = " ".join(filter(None, (window.notice, said[-1] if said else "")))
            window.troubles.say_crashed(crash, differs)
        elif window.notice:
            window.session.problem.emit(window.notice)
        window.troubles.begin()
        QTimer.singleShot(LOG_MS, lambda: begin_log(first_line))
        window.kept_texts.offer()
        window.lesson_writing.offer_draft(window.messages.offer_later)
        QTimer.singleShot(SWEEP_MS, sweep_all)
        QTimer.singleShot(SWEEP_MS, sweep_logs)
        QTimer.singleShot(PREPARE_MS, lambda: prepared.add(*window.token_commands.prepare()))

    fit_on_screen(window)
    window.show()
    QTimer.singleShot(FRAME_MS, window, lambda: fit_when_framed(window))
    QTimer.singleShot(0, begin)
    code = app.exec()
    incoming.stop()
    mark.end()
    begin_log(first_line)  # a window may close before it has
    log(f"stop (code {code})")
    watch.end()
    end_watch()
    if watch.restart is not None:
        with suppress(OSError):
            start_again(*watch.restart, environment=starting_environment())
    return code


def fit_on_screen(window: QWidget) -> None:
    """Shrinks and moves a window so that it fits on its screen with its frame, as far as that is known."""
    if window.isMaximized() or window.isFullScreen():
        return
    room, frame = window.screen().availableGeometry(), window.frameGeometry()
    edges = frame.size() - window.size()
    size = window.size().boundedTo(room.size() - edges)
    if size != window.size():
        window.resize(size)
    if not window.isVisible():
        return  # the window manager chooses a place
    whole = window.size() + edges  # which is not smaller than its minimum
    x = max(room.left(), min(frame.left(), room.left() + room.width() - whole.width()))
    y = max(room.top(), min(frame.top(), room.top() + room.height() - whole.height()))
    if (x, y) != (frame.left(), frame.top()):
        window.move(x, y)


def fit_when_framed(window: QWidget, tries: int = FRAME_TRIES) -> None:
    """Calls `fit_on_screen`, and again until the window manager has framed the window: a busy one takes seconds."""
    fit_on_screen(window)
    if tries and window.frameGeometry() == window.geometry():
        QTimer.singleShot(FRAME_MS, window, lambda: fit_when_framed(window, tries - 1))


def _wants_safety(crash: CrashedRun) -> bool:
    """Returns whether to start safely; asks after several crashes in a row, before anything is restored."""
    if crash.count < IN_A_ROW or QGuiApplication.platformName() in ("offscreen", "minimal"):
        return False
    times = "twice" if crash.count == IN_A_ROW else f"{crash.count} times"
    box = QMessageBox()  # a plain one of Qt's, as our own widgets may be the cause
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle("Tokenarium")
    box.setText(f"Tokenarium ended unexpectedly {times} in a row.")
    box.setInformativeText(
        "A safe start has one shipped tokenizer and the default settings. It neither reads nor changes anything of yours."
    )
    fault = ended_in(crash.log)
    if fault:
        box.setDetailedText(fault)
    safely = box.addButton("Start safely", QMessageBox.ButtonRole.AcceptRole)
    usual = box.addButton("Start as usual", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(safely)
    box.setEscapeButton(usual)
    box.exec()
    return box.clickedButton() is safely


def _first_line(safe: bool, crash: CrashedRun | None) -> str:
    """Returns the first line of a log."""
    what = ["start", "safe"] if safe else ["start"]
    if crash is not None:
        what.append(f"after {crash.count} unexpected ends in a row")
    lines = [f"{name}: {value}" for name, value in facts(window_facts())]
    return "\n".join([", ".join(what), *lines])
