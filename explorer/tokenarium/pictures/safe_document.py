"""A Qt document that opens no files."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument


class SafeDocument(QTextDocument):
    """A document that loads nothing but what is in it: Qt's own opens any file, device and pipe that it names."""

    def loadResource(self, type: int, name: QUrl | str) -> Any:
        url = QUrl(name)
        return super().loadResource(type, url) if url.scheme() == "data" else None
