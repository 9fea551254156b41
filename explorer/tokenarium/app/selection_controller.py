"""What is selected or pointed at, beside the workspaces: lit in the text, inspected, and told in the status line."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QLabel

from tokenarium.session.inspecting import inspect
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.style.palette import mix
from tokenarium.widgets.panel import secondary
from tokenarium.widgets.text.inspector import Inspector
from tokenarium.widgets.text.text_panel import TextPanel

NOTHING = "Ctrl+K finds any command, sample or tokenizer"


class SelectionController(QObject):
    """Takes what somebody selects in the text into the session, and shows what the session has selected."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        text: TextPanel,
        inspector: Inspector,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._appearance = appearance
        self._text = text
        self._inspector = inspector
        self.where = secondary(QLabel())
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._inspect)
        for signal in (session.selection_changed, session.hover_changed, appearance.changed):
            signal.connect(self.show)
        for signal in (session.encoding_changed, session.tokenizers_changed):
            signal.connect(self.inspect_soon)
        text.selected.connect(self._select_characters)
        inspector.token_picked.connect(session.select)
        inspector.entry_wanted.connect(lambda key, token: session.show_entry(token, key))

    def show(self) -> None:
        """Lights the bytes of the selection or the pointer in the text, and inspects them."""
        session, theme = self._session, self._appearance.theme
        span = session.focus
        if session.selection is None and not self._text.field.isReadOnly():
            self._text.field.deselect()
        start, end = 0, 0
        if span is not None:
            text_map = session.text_map
            lit = text_map.characters(*(session.hover or span))
            start, end = text_map.byte_to_char(lit).tolist()
            if self._text.field.hasFocus() and self._text.selection == (start, end):
                end = start  # the field shows what is selected in it
        self._text.mark(start, end, mix(theme.panel, theme.accent, 0.3))
        self.inspect_soon()

    def inspect_soon(self) -> None:
        """Inspects what is shown when all that changes with it has changed."""
        self._soon.start()

    def _inspect(self) -> None:
        span = self._session.focus
        if self._inspector.isVisible():
            self._inspector.show_bytes(inspect(self._session, self._appearance.theme))
        if span is None:
            self.where.setText(NOTHING)
        else:
            self.where.setText(f"Bytes {span[0]:,} to {span[1]:,} ({span[1] - span[0]:,})")

    def _select_characters(self, start: int, end: int) -> None:
        first, last = self._session.text_map.char_to_byte([start, end]).tolist()
        self._session.select(first, last)
