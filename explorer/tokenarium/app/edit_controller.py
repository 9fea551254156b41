"""What somebody writes into the text: taken into the session, and followed by the workspace."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from tokenarium.session.session import Session
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.text.text_panel import TextPanel

WRITTEN = 40
"""Characters: a larger change is a paste, and one begins to read that at its top."""


class EditController(QObject):
    """Gives the session every edit of the text. ``workspace`` returns the one that is seen."""

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

    def _take(self, text: str) -> None:
        """Takes what is written; what becomes of it is seen where the text is laid out."""
        written = abs(len(text) - len(self._session.text)) <= WRITTEN
        self._session.set_text(text, edited=True)
        if written:
            (byte,) = self._session.text_map.char_to_byte([self._text.caret]).tolist()
            self._workspace().seek(byte)
