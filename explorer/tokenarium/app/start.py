"""Starts the app: one application, one window, and the files of the command line."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, MutableMapping, Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from tokenarium.app.window import MainWindow
from tokenarium.models.files import sweep_all
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings, apply_scale
from tokenarium.style.appearance import SCHEMES, Appearance, Scheme
from tokenarium.work.garbage import GarbageAtRest
from tokenarium_core.patterns import PATIENCE

PATIENCE_S = 0.1
"""Seconds of processor time that a pattern may take in the window; a longer one counts as endless."""

SWEEP_MS = 5_000
"""Milliseconds after the start at which the leftovers of killed processes are removed."""

WELCOME = "welcome"
"""The sample text of an app that starts without a file."""

_TEXT_VARIABLE = "TOKENARIUM_TEXT"
"""The variable that names a file with the text for a restarted app, which reads and removes it."""


def application() -> QApplication:
    """Returns the one application, made now if there is none."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
        GarbageAtRest(app)
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
    kept = store.get(settings.COLOUR_SCHEME)
    scheme: Scheme = next((scheme for scheme in SCHEMES if scheme == kept), "system")
    appearance, session = Appearance(app, scheme), Session()
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


def hand_on(text: str, environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Writes the text to a file for the restarted app; returns the command and the environment of that app.

    OSError if it cannot be written.
    """
    handle, path = tempfile.mkstemp(prefix="tokenarium-", suffix=".txt")
    with open(handle, "wb") as file:
        file.write(text.encode("utf-8", "surrogatepass"))
    return [sys.executable, "-m", "tokenarium"], {**environment, _TEXT_VARIABLE: path}


def handed_on(environment: MutableMapping[str, str]) -> str | None:
    """Returns the text of the app before the restart, only once; None if there was no restart."""
    name = environment.pop(_TEXT_VARIABLE, "")
    if not name:
        return None
    path = Path(name)
    try:
        return path.read_bytes().decode("utf-8", "surrogatepass")
    except (OSError, UnicodeDecodeError):
        return None
    finally:
        with suppress(OSError):
            path.unlink()
