"""Renders the real window to pictures without a display: for the README, for tests, and for review.

The states of the tour are in `tokenarium.tour.tour`.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from pathlib import Path

from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QPoint,
    QSettings,
    QSize,
    Qt,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from tokenarium.app.start import application, make_window
from tokenarium.app.window import MainWindow
from tokenarium.models.scene import SUFFIX, ReadScene
from tokenarium.models.scene_texts import read_scene_file
from tokenarium.pictures.widget_picture import save_image, save_svg
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Scheme
from tokenarium.widgets import motion

PATIENCE_S = 180
"""Seconds that a picture may wait for tokenizers and encodings."""

WANTED = ("shipped:tokenarium-8k", "named:gpt2", "named:cl100k_base", "named:o200k_base")
"""The tokenizers of the pictures, if they are on this computer."""

SMALL, USUAL = QSize(800, 600), QSize(1440, 900)
"""Sizes of the windows in pixels."""

PATTERNS = ("gpt2", "cl100k", "o200k")


def _pass_on(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Passes on Qt's messages, except those that the offscreen platform has no window manager."""
    if not message.startswith("This plugin does not support"):
        print(message, file=sys.stderr)


def scene_files() -> list[Path]:
    """Returns the scene files of the tour, by their names."""
    with resources.as_file(resources.files("tokenarium.resources") / "tour") as folder:
        return sorted(folder.glob(f"*{SUFFIX}"))


def quieten_platform() -> None:
    """Hides the messages of Qt about the missing window manager of the offscreen platform."""
    qInstallMessageHandler(_pass_on)


class Renderer:
    """One window without a display, with its own settings.

    ``folder`` is a temporary folder for the files of the pictures.
    """

    def __init__(self, on: Sequence[str] = WANTED, patterns: Sequence[str] = PATTERNS) -> None:
        """``on`` are the keys of the tokenizers that are on at first, if they are on this computer.

        ``patterns`` split the text.
        """
        self._app: QApplication = application()
        self._app.setCursorFlashTime(0)  # the same in each picture
        self._temporary = tempfile.TemporaryDirectory(prefix="tokenarium-")
        self.folder = Path(self._temporary.name)
        path = str(self.folder / "settings.ini")
        store = self._store = Settings(QSettings(path, QSettings.Format.IniFormat))
        store.set(settings.TOKENIZERS_ON, list(on))
        store.set(settings.CUTS, list(patterns))
        store.set(settings.COLOUR_SCHEME, "light")
        self.window: MainWindow = make_window(self._app, store)
        self.window.session.trainings.folder = self.folder / "trained"
        self.window.resize(USUAL)
        self.window.show()
        self.settle()

    def close(self) -> None:
        """Closes the window without keeping anything."""
        self._store.set(settings.KEEP_TEXTS, False)
        self.window.close()
        self.window.deleteLater()
        self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self._store.write()
        self._temporary.cleanup()
        gc.collect()  # the app does so only when it is idle

    def settle(self, more: Callable[[], bool] = lambda: False) -> None:
        """Waits until all tokenizers are open and all jobs are done; raises TimeoutError if they never are.

        ``more`` returns whether something outside the window is still busy.
        """
        session = self.window.session
        deadline = time.monotonic() + PATIENCE_S
        quiet = 0
        while quiet < 3:
            self._app.processEvents()
            self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            busy = session.jobs.running() or bool(
                session.has_text and session.grapheme_edges is None
            )
            busy = busy or self.window.job_watch.bar.isVisible()
            busy = busy or self.window.lazy.busy or self.window.workspace.busy
            busy = (
                busy
                or self.window.scene_commands.reading
                or not self.window.at_rest
                or self.window.stage.busy
            )
            busy = busy or not motion.at_rest() or more()
            quiet = 0 if session.opening or busy else quiet + 1
            if time.monotonic() > deadline:
                raise TimeoutError("The window did not come to rest.")
            time.sleep(0.02)

    def render(self, folder: Path, files: Sequence[Path]) -> Iterator[Path]:
        """Writes both workspaces, light and dark, with the last file or the first scene of the tour; yields paths."""
        window = self.window
        if files:
            window.take_files(files)
        else:
            self.show(
                read_scene_file(next(path for path in scene_files() if path.stem == "tokens"))
            )
        for space in ("tokens", "pretokens"):
            for scheme in ("light", "dark"):
                yield self.picture(folder, f"{space}-{scheme}", space, scheme)
        window.display_commands.set_colour_scheme("light")

    def show(self, found: ReadScene, size: QSize | None = None) -> list[str]:
        """Shows a scene, in a window of its size or a given one; returns sentences about what differs from it."""
        window = self.window
        sentences: list[str] = []
        hears = window.session.problem.connect(sentences.append)
        own = found.scene.size
        window.resize(size or (USUAL if own is None else QSize(*own)))
        window.stage.show(found)
        self.settle()
        window.session.problem.disconnect(hears)
        window.messages.hide()
        return [sentence for sentence in sentences if sentence]

    def scene(
        self,
        found: ReadScene,
        out: Path,
        size: QSize | None = None,
        scheme: Scheme | None = None,
    ) -> list[str]:
        """Writes a picture of a scene, as PNG or SVG by its suffix.

        Returns sentences about what differs from the scene.

        ``size`` and ``scheme`` replace those of the scene. Raises ExportError if the picture cannot be written.
        """
        sentences = self.show(found, size)
        if scheme is not None:
            self.window.appearance.set_scheme(scheme)
            self.settle()
        if out.suffix.lower() == ".svg":
            save_svg(self._presented() or self.window, out)
        else:
            save_image(self._grab().toImage(), out)
        return sentences

    def picture(self, folder: Path, name: str, space: str, scheme: Scheme) -> Path:
        """Writes a picture of a workspace, or of the current one; returns its path. Raises SystemExit if that fails."""
        if space:
            self.window.show_workspace(space)
        self.window.display_commands.set_colour_scheme(scheme)
        self.settle()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        if not self._grab().save(str(path)):
            sys.exit(f"{path} cannot be written. Choose another folder.")
        return path

    def _presented(self) -> QWidget | None:
        """The presentation, if one is open, in the size of the window."""
        presented = self.window.presenting.shown
        if presented is not None and presented.size() != self.window.size():
            presented.showNormal()
            presented.resize(self.window.size())
            self.settle()
        return presented

    def _grab(self) -> QPixmap:
        """Returns a picture of the idle window with its open dialogs and popups."""
        motion.finish()
        presented = self._presented()
        if presented is not None:
            return presented.grab()
        pixmap = self.window.grab()
        for above in self.window.findChildren(QDialog):
            if above.isVisible():
                painter = QPainter(pixmap)
                # The platform's screen may be smaller than the window, and moves dialogs into it.
                left = (self.window.width() - above.width()) // 2
                top = (self.window.height() - above.height()) // 2
                popup = above.windowType() == Qt.WindowType.Popup
                place = self.window.mapFromGlobal(above.pos()) if popup else QPoint(left, top)
                painter.drawPixmap(place, above.grab())
                painter.end()
        return pixmap
