"""Decodes a part of the ids: the tokens, their text, and their incomplete characters."""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLabel, QSpinBox, QWidget

from tokenarium.models.text.part_decoding import REPLACEMENT, DecodedPart
from tokenarium.models.text.piece import readable
from tokenarium.style.fonts import SMALL_SIZE, mono_font
from tokenarium.style.theme import GRID, PAGE_MARGIN, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, named, secondary, strong

SHOWN = 300
"""Characters of decoded text that are shown."""


class PartPanel(Themed, QWidget):
    """Two numbers, a text and a sentence; ``chosen`` emits the first and the last token."""

    chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Decode a part")
        self._part: DecodedPart | None = None
        self.title = strong(QLabel("Decode a part"))
        self.first = _number("First token to decode")
        self.last = _number("Last token to decode")
        self.ids = secondary(ElidedLabel())
        self.ids.setFont(mono_font(SMALL_SIZE))
        self.text = named(QLabel(textFormat=Qt.TextFormat.RichText), "Decoded text")
        self.text.setMinimumWidth(1)
        self.note = secondary(ElidedLabel())
        from_label, to_label = QLabel("tokens"), QLabel("to")
        from_label.setBuddy(self.first)
        to_label.setBuddy(self.last)
        controls = in_row(
            self.title, from_label, self.first, to_label, self.last, (self.ids, 1), spacing=GRID
        )
        in_column(
            controls,
            self.text,
            self.note,
            into=self,
            spacing=GRID // 2,
            margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID),
        )
        self.first.valueChanged.connect(self._first_changed)
        self.last.valueChanged.connect(self._last_changed)
        self.follow_theme()

    def dress(self, theme: Theme) -> None:
        self._show_text()

    def set_range(self, name: str, count: int, first: int, last: int) -> None:
        """Sets the tokens 0 to ``count`` - 1 of a tokenizer, of which ``first`` to ``last`` are decoded."""
        self.setEnabled(count > 0)
        self.title.setText(f"Decode a part of {name}:" if name else "Decode a part:")
        with QSignalBlocker(self.first), QSignalBlocker(self.last):
            for box, value in ((self.first, first), (self.last, last)):
                box.setRange(0, max(count - 1, 0))
                box.setValue(value)

    def show_part(self, part: DecodedPart | None, hint: str = "") -> None:
        """Shows the text of ids, or how to choose some."""
        self._part = part
        if part is None:
            self.ids.setText("")
            self.note.setText(hint)
        else:
            self.ids.setText("ids " + ", ".join(map(str, part.ids[:100])))
            self.note.setText(
                " ".join(part.notes) or "Decoded by themselves, they give what is in the text."
            )
        self._show_text()

    def _show_text(self) -> None:
        part = self._part
        if part is None:
            self.text.setText("")
            self.text.setToolTip("")
            return
        if not part.text:
            self.text.setText("gives nothing")
            self.text.setToolTip("\n".join(part.notes))
            return
        shown = readable(part.text.encode("utf-8", "replace"), SHOWN)
        colour = self.theme.bad.name()
        marked = f'<b style="color:{colour}">{REPLACEMENT}</b>'
        self.text.setText("gives “" + html.escape(shown).replace(REPLACEMENT, marked) + "”")
        self.text.setToolTip("\n".join(part.notes))

    def _first_changed(self, value: int) -> None:
        with QSignalBlocker(self.last):
            self.last.setValue(max(self.last.value(), value))
        self.chosen.emit(self.first.value(), self.last.value())

    def _last_changed(self, value: int) -> None:
        with QSignalBlocker(self.first):
            self.first.setValue(min(self.first.value(), value))
        self.chosen.emit(self.first.value(), self.last.value())

    @property
    def controls(self) -> Sequence[QWidget]:
        """The widgets in Tab order."""
        return self.first, self.last


def _number(name: str) -> QSpinBox:
    box = named(QSpinBox(), name, f"{name}: counted from 0")
    box.setGroupSeparatorShown(True)
    box.setKeyboardTracking(False)
    box.setMinimumWidth(9 * GRID)
    return box
