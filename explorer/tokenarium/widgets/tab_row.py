"""The tabs of the workspaces, with the switches of the current one beside them, or below if both do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QProxyStyle,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyleOption,
    QTabBar,
    QToolButton,
    QWidget,
)

from tokenarium.style.theme import GRID
from tokenarium.widgets.keyboard import paint_keyboard_ring
from tokenarium.widgets.panel import menu_button, tool_button

TAB_SPACE = 2 * GRID
"""Pixels beside the name of a tab, so that all tabs fit into a window of 800 pixels."""

ROW_HEIGHT = 4 * GRID


class WorkspaceTabs(QTabBar):
    """The tabs, a little narrower than usual."""

    def __init__(self) -> None:
        super().__init__()
        self._narrow = _NarrowTabs("Fusion")  # kept here, as a widget does not own its style
        self.setStyle(self._narrow)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_keyboard_ring(self, self.tabRect(self.currentIndex()))


class _NarrowTabs(QProxyStyle):
    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        if metric == QStyle.PixelMetric.PM_TabBarTabHSpace:
            return TAB_SPACE
        return super().pixelMetric(metric, option, widget)


class TabRow(QWidget):
    """One row, or two in a narrow window."""

    def __init__(self, tabs: QTabBar, switches: QStackedWidget) -> None:
        super().__init__()
        self._tabs = tabs
        self._switches = switches
        self._below = False
        switches.setMinimumHeight(ROW_HEIGHT)
        switches.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(GRID, 0, GRID, 0)
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(1, 1)
        self._grid.setRowMinimumHeight(0, ROW_HEIGHT)  # the tabs stay where they are
        self._grid.addWidget(tabs, 0, 0, Qt.AlignmentFlag.AlignBottom)
        self._grid.addWidget(switches, 0, 1)

    def fit(self) -> None:
        """Puts the switches beside or below the tabs."""
        shown = self._switches.currentWidget()
        needed = shown.sizeHint().width() if shown is not None else 0
        room = self.width() - 3 * GRID - self._tabs.sizeHint().width()
        below = needed > room
        if below != self._below:
            self._below = below
            self._grid.removeWidget(self._switches)
            if below:
                self._grid.addWidget(self._switches, 1, 0, 1, 2)
            else:
                self._grid.addWidget(self._switches, 0, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


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
            button.setToolButtonStyle(
                Qt.ToolButtonStyle.ToolButtonTextOnly
            )  # all of them in one row
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
