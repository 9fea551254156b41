"""A sentence with pieces of a vocabulary in it, which stand on the colours of their tokens."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.models.text.piece import Sentence, SentenceToken, plain
from tokenarium.models.text.segmentation import token_colour
from tokenarium.style.theme import Theme

_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


class SentenceLabel(QLabel):
    """Wraps at the width that there is; a screen reader hears the pieces in quotation marks."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.sentence: Sentence = ()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setMinimumWidth(1)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.say(self.sentence)

    def say(self, sentence: Sentence) -> None:
        """Shows a sentence."""
        self.sentence = sentence
        shown = "".join(self._html(part) for part in sentence)
        self.setText(f'<p dir="ltr" style="margin:0">{shown}</p>')
        self.setAccessibleName(plain(sentence))

    def _html(self, part: str | SentenceToken) -> str:
        if isinstance(part, str):
            return html.escape(part).replace("  ", "&nbsp; ")
        theme = self._theme
        tokens = theme.tokens
        colour = theme.shared if part.id < 0 else tokens[token_colour(part.id) % len(tokens)]
        # The blanks stand outside of the isolate, so that they stay at the ends in every direction.
        text = f"&nbsp;{_ISOLATE}{html.escape(part.text)}{_END}&nbsp;"
        if part.superword:
            text = f"<u>{text}</u>"
        return f'<span style="background-color:{colour.name()};color:{theme.text.name()}">{text}</span>'
