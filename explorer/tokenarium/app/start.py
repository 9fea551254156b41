"""Starts the app: one application, one window, and the files of the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from tokenarium.app.window import MainWindow
from tokenarium.menus.display_commands import restore_looks
from tokenarium.models.files import sweep_all
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings, kept_scale
from tokenarium.style.appearance import Appearance
from tokenarium.style.zoom import begin_at
from tokenarium.widgets.mark import app_icon
from tokenarium.work.frame_queue import FrameQueue
from tokenarium.work.garbage import GarbageAtRest
from tokenarium_core.patterns import PATIENCE

PATIENCE_S = 0.1
"""Seconds of processor time that a pattern may take in the window; a longer one counts as endless."""

SWEEP_MS = 5_000
"""Milliseconds after the start at which the leftovers of killed processes are removed."""

PREPARE_MS = 1_500
"""Milliseconds after the start at which what is often opened first is made, a little in each frame."""

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


def run(paths: Sequence[Path], safe: bool = False) -> int:
    """Opens the window on some files and returns the exit code when it is closed.

    ``safe``: only with the shipped tokenizer, and with settings that are not stored.
    """
    _name_application()
    store = Settings(safe=safe)
    begin_at(kept_scale(store))
    app = application()
    window = make_window(app, store)

    prepared = FrameQueue(window)

    def begin() -> None:
        if paths:
            window.take_files(paths)
        elif not window.scene_commands.restore():
            window.session.set_text(sample_text(WELCOME), title="Welcome")
        if not (paths or store.safe or store.get(settings.WELCOMED)):
            window.welcoming.show_page()
        window.scene_commands.begin()
        if window.notice:
            window.session.problem.emit(window.notice)
        window.lesson_writing.offer_draft(window.messages.offer)
        QTimer.singleShot(SWEEP_MS, sweep_all)
        QTimer.singleShot(PREPARE_MS, lambda: prepared.add(*window.token_commands.prepare()))

    window.resize(window.size().boundedTo(window.screen().availableSize()))
    window.show()
    QTimer.singleShot(0, begin)
    return app.exec()
