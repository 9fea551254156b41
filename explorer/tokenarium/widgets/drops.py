"""Drops on the window: files, and texts of other programs, which are always copied and never moved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QObject, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QGuiApplication, QWindow
from PySide6.QtWidgets import QWidget

_COPY = Qt.DropAction.CopyAction


def accept_copy(event: QDropEvent) -> None:
    """Accepts a drag as a copy, whatever was proposed: after a move, its owner would delete it."""
    event.setDropAction(_COPY)
    event.accept()


class FileDrops(QObject):
    """Handles files that are dropped anywhere on a window and that none of its widgets handles."""

    def __init__(self, window: QWidget, take: Callable[[list[Path]], object]) -> None:
        super().__init__(window)
        self._take = take
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Both the drag and the drop of a move come here.
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
    """Makes every window of the app accept drags of other programs as a copy, also in Qt's fields.

    Qt's fields accept the proposed action. Therefore each native window that has had the focus is watched, as it gets
    drags first: it passes them on with a copy as the only action. Drags within the app may move.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self.watch)

    def watch(self, window: QWindow | None) -> None:
        """Watches a window; does nothing the second time."""
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
