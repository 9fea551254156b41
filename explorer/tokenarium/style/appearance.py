"""The colour scheme of the app: light or dark, as the system or the user chose."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QLoggingCategory, QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QStyle

from tokenarium.style.controls import ControlStyle
from tokenarium.style.fonts import ui_font
from tokenarium.style.theme import PRESENTATION, Identity, Theme, theme_for

Scheme = Literal["system", "light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("system", "light", "dark")


def motion_wanted() -> bool:
    """Returns whether things may move: False if the system asks for no animations."""
    style = QApplication.style()
    return style.styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0


_QT = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}


class Appearance(QObject):
    """Keeps the app's style, font and palette in step with the colour scheme."""

    changed = Signal()

    def __init__(self, app: QApplication, scheme: Scheme = "system") -> None:
        super().__init__(app)
        self._app = app
        self._scheme: Scheme = scheme
        self._presented = False
        # Else a widget with a style sheet keeps the colours of the scheme that it was made in.
        app.setAttribute(Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles)
        # Inter has no shaping of its own for some scripts; Qt shapes them with the font that has the letters.
        QLoggingCategory.setFilterRules("qt.text.font.db=false")
        if not isinstance(app.style(), ControlStyle):
            app.setStyle(ControlStyle())
        app.setFont(ui_font())
        self.theme: Theme = theme_for(Qt.ColorScheme.Light)
        app.styleHints().colorSchemeChanged.connect(self._apply)
        self.set_scheme(scheme)

    @property
    def scheme(self) -> Scheme:
        """The chosen scheme: the system's, light, or dark."""
        return self._scheme

    def identity(self, slot: int) -> Identity:
        """Returns the colours and the marker of the tokenizer with this number in the current theme."""
        return self.theme.identity(slot)

    def set_scheme(self, scheme: Scheme) -> None:
        """Chooses the system's scheme, light, or dark."""
        self._scheme = scheme
        self._app.styleHints().setColorScheme(_QT[scheme])
        self._apply()

    def present(self, presented: bool) -> None:
        """Shows everything in the colours for a projector, or in those of the scheme again."""
        self._presented = presented
        self._apply()

    def _apply(self) -> None:
        scheme = _QT[self._scheme]
        if scheme is Qt.ColorScheme.Unknown:
            scheme = self._app.styleHints().colorScheme()
        self.theme = PRESENTATION if self._presented else theme_for(scheme)
        self._app.setPalette(self.theme.palette())
        self.changed.emit()
