"""The switches of a workspace: buttons side by side, or one menu where there is no room for them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.panel import menu_button, tool_button


class SwitchBar(QWidget):
    """Buttons of actions with short texts, at the right; no action is a gap between two groups."""

    def __init__(
        self, switches: Sequence[tuple[QAction | None, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.buttons: list[QToolButton] = []
        self.menu = QMenu(self)
        self.more = menu_button("Show", "What is shown", self.menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)  # the buttons give way
        row.setSpacing(GRID // 4)
        row.addStretch(1)
        self._wanted = 0
        for action, text in switches:
            if action is None:
                row.addSpacing(GRID)
                self._wanted += GRID
                self.menu.addSeparator()
                continue
            button = tool_button(action, text)
            self._wanted += button.sizeHint().width() + GRID // 4
            self.buttons.append(button)
            self.menu.addAction(action)
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.more, 0, Qt.AlignmentFlag.AlignVCenter)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(self._wanted, self.more.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.more.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        roomy = self.width() >= self._wanted
        for button in self.buttons:
            button.setVisible(roomy)
        self.more.setVisible(not roomy)
