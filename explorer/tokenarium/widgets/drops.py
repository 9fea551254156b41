"""What is dropped on the window: files, and texts of other programs. All of it is copied, and never moved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QObject, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QGuiApplication, QWindow
from PySide6.QtWidgets import QWidget

_COPY = Qt.DropAction.CopyAction


def accept_copy(event: QDropEvent) -> None:
    """Takes what is dragged as a copy, whatever was proposed: after a move, its owner would delete it."""
    event.setDropAction(_COPY)
    event.accept()


class FileDrops(QObject):
    """Takes the files that are dropped anywhere on a window, where nothing in it takes them itself."""

    def __init__(self, window: QWidget, take: Callable[[list[Path]], object]) -> None:
        super().__init__(window)
        self._take = take
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The drop is one of a move that entered: both come here.
        if not isinstance(event, QDropEvent) or event.type() == QEvent.Type.DragLeave:
            return False
        paths = local_files(event.mimeData())
        if paths:
            accept_copy(event)
            if event.type() == QEvent.Type.Drop:
                self._take(paths)
        return bool(paths)


def local_files(data: QMimeData) -> list[Path]:
    """Returns the files on this computer that were dragged or copied."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


class CopiedDrops(QObject):
    """Makes every window of the app take what other programs drag as a copy, in the fields of Qt too.

    Those accept what is proposed. So each native window that has the focus once is watched, which gets the drags first:
    it passes them on with a copy as all that is possible. What is dragged within the app may be moved.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self.watch)

    def watch(self, window: QWindow | None) -> None:
        """Watches a window, once."""
        if window is not None:
            window.removeEventFilter(self)
            window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DragLeave or not isinstance(event, QDropEvent):
            return False
        if event.possibleActions() == _COPY or event.source() is not None:
            return False
        copied = _as_copy(event)
        copied.setAccepted(event.isAccepted())
        QCoreApplication.sendEvent(watched, copied)
        if copied.isAccepted():
            accept_copy(event)
        else:
            event.ignore()
        return True


def _as_copy(event: QDropEvent) -> QDropEvent:
    """Returns an event for which only a copy is possible."""
    rest = event.mimeData(), event.buttons(), event.modifiers()
    if isinstance(event, QDragEnterEvent):
        return QDragEnterEvent(event.position().toPoint(), _COPY, *rest)
    if isinstance(event, QDragMoveEvent):
        return QDragMoveEvent(event.position().toPoint(), _COPY, *rest)
    return QDropEvent(event.position(), _COPY, *rest)
