"""How widgets get their theme: from the palette of their window, which Qt hands down and announces.

A window that has another theme than the app, such as that of a presentation, sets the palette of that theme on itself.
What is in it then has that theme, also what is made later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from tokenarium.style.theme import NUMBER_ROLE, Theme, theme_in

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object


def theme_of(widget: QWidget) -> Theme:
    """Returns the theme of a widget's window. It takes microseconds: `Themed.theme` of what is visible takes less."""
    return theme_in(widget.window().palette())


def take_palette(widget: QWidget) -> None:
    """Gives a widget the palette of what it is in.

    With ``AA_UseStyleSheetPropagationInWidgetStyles`` Qt hands palettes down only to what is there when one is set.
    """
    parent = widget.parentWidget()
    if parent is None or widget.isWindow():
        return
    if widget.palette().color(NUMBER_ROLE) != parent.palette().color(NUMBER_ROLE):
        widget.setPalette(widget.palette())  # Qt then takes what it does not set from the parent's


class Themed(_Widget):
    """Base, before that of Qt, of widgets in the colours of a theme.

    What paints itself reads `theme` each time: Qt paints it again when the palette changes. What keeps colours takes
    them in `dress`, and calls `follow_theme` at the end of its ``__init__``.
    What was hidden does so when it is shown.
    """

    _dressed: Theme | None = None
    _theme_seen: Theme | None = None  # its theme while it is visible
    _was_hidden = False  # after it was visible

    @property
    def theme(self) -> Theme:
        """The theme of what it is in."""
        if self._theme_seen is not None:
            return self._theme_seen
        theme = theme_of(self)
        if self.isVisible():
            self._theme_seen = theme
        return theme

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme that it keeps."""

    def follow_theme(self) -> None:
        """Calls `dress` now, and each time when the theme has changed."""
        theme = self.theme
        if theme is not self._dressed:
            self._dressed = theme  # first, as `dress` may change the palette
            self.dress(theme)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._was_hidden = False
        self._take_theme()  # it may have got into another window

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._theme_seen, self._was_hidden = None, True

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._theme_seen = None
            if not self._was_hidden:  # else when it is shown: there may be dozens of charts
                self._take_theme()

    def _take_theme(self) -> None:
        self._theme_seen = None
        if self._dressed is not None:
            self.follow_theme()
