"""A field for a number of entries, which can also be a share of the existing ones."""

from __future__ import annotations

import re

from PySide6.QtCore import Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QSpinBox

from tokenarium.models.typed_numbers import parsed_part
from tokenarium.widgets.panel import named
from tokenarium_core import TokenariumError

_TYPED = re.compile(r"[\d.,\s]*[kKmM%]?\s*")


class CountField(QSpinBox):
    """Accepts numbers as on the command line: 4,096, 32k, or a share such as 2%, which is converted to a number."""

    refused = Signal(str)
    """A sentence: why what was typed is no number, when the field goes back to the number before."""

    def __init__(self, name: str, about: str) -> None:
        super().__init__()
        named(self, name, f"{about}: a number, or a share of the current entries, such as 2%")
        self.whole = 0
        """The total of a share; without it, shares are rejected."""
        self.setGroupSeparatorShown(True)

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        state = QValidator.State.Acceptable
        if text != self.specialValueText():
            number = self._parsed(text)
            if number is None:
                typed = _TYPED.fullmatch(text) is not None
                state = QValidator.State.Intermediate if typed else QValidator.State.Invalid
            elif number > self.maximum():
                state = QValidator.State.Invalid
            elif number < self.minimum():
                state = QValidator.State.Intermediate
        return state, text, place

    def fixup(self, text: str) -> str:
        try:
            parsed_part(text, self.whole)
        except TokenariumError as error:
            if text.strip():
                self.refused.emit(str(error))
        return super().fixup(text)

    def valueFromText(self, text: str) -> int:
        number = None if text == self.specialValueText() else self._parsed(text)
        return self.minimum() if number is None else number

    def _parsed(self, text: str) -> int | None:
        if text.strip() == "0":
            return 0
        try:
            return parsed_part(text, self.whole)
        except TokenariumError:
            return None
