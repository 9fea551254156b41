"""Starts the app: one application, one window, and what was asked for on the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from tokenarium.app.restarting import hand_on, handed_on
from tokenarium.app.window import MainWindow
from tokenarium.models.folders import sweep_all
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import SCHEMES, Appearance, Scheme
from tokenarium.style.scaling import apply_scale
from tokenarium.work.garbage import GarbageAtRest
from tokenarium_core.patterns.regex_engine import PATIENCE

PATIENCE_S = 0.1
"""Seconds of processor time that a pattern may hold up the window: what takes longer is a pattern without an end."""

SWEEP_MS = 5_000
"""After so long it is looked for what was left by processes that were killed: the start has no time for it."""

WELCOME = "welcome"
"""The sample that an app without a file begins with."""


def application() -> QApplication:
    """Returns the one application, made now if there is none."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
        GarbageAtRest(app)
    _name_application()
    return app


def _name_application() -> None:
    """Says whose the settings are, also before there is an application."""
    QApplication.setApplicationName("Tokenarium")
    QApplication.setOrganizationName("Tokenarium")
    QApplication.setDesktopFileName("tokenarium")


def make_window(app: QApplication, store: Settings) -> MainWindow:
    """Returns a window in the state of last time; it is not shown yet, and has no text."""
    PATIENCE.seconds = PATIENCE_S
    kept = store.get(settings.COLOUR_SCHEME)
    scheme: Scheme = next((scheme for scheme in SCHEMES if scheme == kept), "system")
    appearance, session = Appearance(app, scheme), Session()
    window = MainWindow(appearance, store, session)
    appearance.setParent(window)  # what a window works with ends with it
    session.setParent(window)
    return window


def sample_text(sample_id: str) -> str:
    """Returns the text of a sample; KeyError for one that there is not."""
    from tokenarium.resources.samples_index import load_samples

    return {sample.id: sample for sample in load_samples()}[sample_id].text()


def run(paths: Sequence[Path], safe: bool = False) -> int:
    """Opens the window on some files and returns the exit code when it is closed.

    ``safe``: with the shipped tokenizer alone, and with settings that are kept nowhere.
    """
    _name_application()
    store = Settings(safe=safe)
    text = handed_on(os.environ)
    environment = dict(os.environ)  # as it is before the scale of this run
    apply_scale(store)
    app = application()
    window = make_window(app, store)
    again: list[tuple[list[str], dict[str, str]]] = []

    def begin() -> None:
        if text is not None:
            window.text_commands.take_text(text)
        elif paths:
            window.take_files(paths)
        else:
            window.session.set_text(sample_text(WELCOME))
        if window.notice:
            window.session.problem.emit(window.notice)
        QTimer.singleShot(SWEEP_MS, sweep_all)

    def restart() -> None:
        try:
            again.append(hand_on(window.session.text, environment))
        except OSError as error:
            window.session.problem.emit(f"The text cannot be kept for a restart: {error.strerror}.")
            return
        window.close()
        app.quit()

    window.restart_wanted.connect(restart)

    window.resize(window.size().boundedTo(window.screen().availableSize()))
    window.show()
    QTimer.singleShot(0, begin)
    code = app.exec()
    if again:
        store.write()
        os.execve(sys.executable, *again[0])  # takes the place of this process, and its terminal
    return code
