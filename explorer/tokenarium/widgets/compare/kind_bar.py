"""How many differences there are of each kind; a click goes through those of one kind alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from tokenarium.models.text.share_text import whole_percent
from tokenarium.style.theme import GRID
from tokenarium.widgets.flow_layout import FlowLayout
from tokenarium.widgets.panel import MARGIN


class KindBar(QWidget):
    """A button for each kind with its count; at most one is pressed."""

    picked = Signal(str)  # a kind, or empty: all

    def __init__(self, kinds: Sequence[str], meaning: Mapping[str, str]) -> None:
        super().__init__()
        self.kind = ""
        self.buttons: dict[str, QToolButton] = {}
        row = FlowLayout(self, GRID // 2)
        row.setContentsMargins(MARGIN, 0, MARGIN, GRID // 2)
        for kind in kinds:
            button = QToolButton()
            button.setCheckable(True)
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setToolTip(
                f"{kind.capitalize()}: {meaning[kind]}. Click to go through these alone"
            )
            button.clicked.connect(lambda on, kind=kind: self._pick(kind if on else ""))
            self.buttons[kind] = button
            row.addWidget(button)

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Shows how many there are of each kind; one that there is none of takes no room."""
        total = max(sum(counts.values()), 1)
        for kind, button in self.buttons.items():
            count = counts.get(kind, 0)
            button.setText(f"{kind} {count:,} ({whole_percent(count, total)})")
            button.setAccessibleName(f"{count:,} differences of the kind {kind}")
            button.setVisible(count > 0)
        if self.kind and not counts.get(self.kind):
            self._pick("")

    def _pick(self, kind: str) -> None:
        self.kind = kind
        for name, button in self.buttons.items():
            button.setChecked(name == kind)
        self.picked.emit(kind)
