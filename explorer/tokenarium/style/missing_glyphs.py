"""Shows characters that no font has as boxes with their code points, in all texts of the app alike.

The boxes are a font at the end of all lists of families. It must have no other characters, as Qt takes a glyph from it
before it looks through the fonts of the system. So it is written again when such a character is first noticed.
"""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import QByteArray, QObject, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QFontMetrics

from tokenarium.style.code_point_font import FAMILY, code_point_font
from tokenarium.style.fonts import add_last_family, ui_font

_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}
"""The categories of characters without a shape, which fonts need not have."""


class MissingGlyphs(QObject):
    """The characters that no font has, as far as they were noticed."""

    changed = Signal()
    """There are more of them: the fonts of the app are different ones."""

    def __init__(self) -> None:
        super().__init__()
        self._known: set[str] = set()
        self._missing: set[int] = set()
        self._begun = False
        self._fonts = 0  # how many were written
        self._font = -1  # Qt's number of the last one
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._write_font)

    def begin(self) -> None:
        """Begins to take notice: there is an app now."""
        self._begun = True

    def notice(self, text: str) -> None:
        """Looks at the characters of a text that is about to be shown; boxes are there in the next turn of the loop."""
        if text.isascii() or not self._begun:
            return
        new = set(text) - self._known
        if not new:
            return
        self._known |= new
        metrics = QFontMetrics(ui_font())
        missing = {
            ord(character)
            for character in new
            if unicodedata.category(character) not in _UNSEEN
            and not metrics.inFontUcs4(ord(character))
        }
        if missing:
            self._missing |= missing
            self._soon.start()

    def has(self, character: str) -> bool:
        """Whether no font has a character that was noticed, so that its box is shown."""
        return ord(character) in self._missing

    def _write_font(self) -> None:
        # With another name each time: a font that was used before keeps what Qt has found for it.
        self._fonts += 1
        family = f"{FAMILY} {self._fonts}"
        if self._font >= 0:
            QFontDatabase.removeApplicationFont(self._font)
        data = QByteArray(code_point_font(self._missing, family))
        self._font = QFontDatabase.addApplicationFontFromData(data)
        add_last_family(family)
        self.changed.emit()


MISSING = MissingGlyphs()
"""The ones of the app."""
