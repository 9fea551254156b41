"""The tabs of the workspaces with the switches of the one that is shown: beside them, or below where both do not fit."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QProxyStyle,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyleOption,
    QTabBar,
    QWidget,
)

from tokenarium.style.theme import GRID
from tokenarium.widgets.focus_ring import paint_keyboard_ring

TAB_SPACE = 2 * GRID
"""Pixels beside the name of a tab: with them all tabs fit into a window of 800 pixels."""

ROW_HEIGHT = 4 * GRID


class WorkspaceTabs(QTabBar):
    """The tabs, a little narrower than usual."""

    def __init__(self) -> None:
        super().__init__()
        self._narrow = _NarrowTabs("Fusion")  # a widget does not keep its style
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
        """Puts the switches where they have room."""
        shown = self._switches.currentWidget()
        wanted = shown.sizeHint().width() if shown is not None else 0
        room = self.width() - 3 * GRID - self._tabs.sizeHint().width()
        below = wanted > room
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
