"""The looks that the user chose: colours, fonts, the size of the text that is read, and motion."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QLoggingCategory, QObject, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QStyle

from tokenarium.style.controls import ControlStyle
from tokenarium.style.fonts import (
    LESSON_READING_SIZES,
    READING_SIZE,
    READING_SIZES,
    fixed_reading_font,
    mono_font,
    reading_font,
    ui_font,
    use_system_fonts,
    with_families_of,
)
from tokenarium.style.missing_glyphs import MISSING
from tokenarium.style.theme import PRESENTATION, PRINT, Identity, Theme, theme_for

Scheme = Literal["system", "light", "dark", "contrast"]
SCHEMES: tuple[Scheme, ...] = ("system", "light", "dark", "contrast")
"""As the system says, light, dark; and high contrast, light or dark as the system says."""

TokenPalette = Literal["standard", "presentation", "print"]
TOKEN_PALETTES: tuple[TokenPalette, ...] = ("standard", "presentation", "print")
"""The colours of the scheme; for a projector; for paper: the last two are on white."""

Motion = Literal["full", "less", "none"]
MOTIONS: tuple[Motion, ...] = ("full", "less", "none")
"""All movements; only those that explain something, such as merges; none."""

Letters = Literal["auto", "fixed", "usual"]
LETTERS: tuple[Letters, ...] = ("auto", "fixed", "usual")
"""The letters of the text that is tokenized: of one width where the text is code, always, never."""

_motion: list[Motion] = ["full"]


def motion_enabled(explains: bool = False) -> bool:
    """Returns whether things may move; ``explains``: without the movement, something is harder to understand.

    False if the system asks for no animations.
    """
    style = QApplication.style()
    allowed = _motion[0] == "full" or (explains and _motion[0] == "less")
    return allowed and style.styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0


_QT = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
    "contrast": Qt.ColorScheme.Unknown,
}
_WHOLE = {"presentation": PRESENTATION, "print": PRINT}


class Appearance(QObject):
    """Keeps the app's style, fonts and palette in step with what is chosen; ``changed`` follows each choice."""

    changed = Signal()
    letters_changed = Signal()  # whether the text that is being tokenized has the font of code

    def __init__(self, app: QApplication, scheme: Scheme = "system") -> None:
        super().__init__(app)
        self._app = app
        self._scheme: Scheme = scheme
        self._token_palette: TokenPalette = "standard"
        self._reading_size = READING_SIZE
        self._fills_room = False
        self._system_font = False
        self._letters: Letters = "auto"
        self._is_code = False
        # Else a widget with a style sheet keeps the colours of the scheme that it was made in.
        app.setAttribute(Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles)
        # Inter has no shaping of its own for some scripts; Qt shapes them with the font that has the letters.
        QLoggingCategory.setFilterRules("qt.text.font.db=false")
        if not isinstance(app.style(), ControlStyle):
            app.setStyle(ControlStyle())
        MISSING.begin()
        self._families = _families()
        app.setFont(ui_font())
        MISSING.changed.connect(self._follow_fonts)
        self.theme: Theme = theme_for(Qt.ColorScheme.Light)
        app.styleHints().colorSchemeChanged.connect(self._apply)
        self.set_scheme(scheme)

    @property
    def scheme(self) -> Scheme:
        """The chosen scheme."""
        return self._scheme

    @property
    def token_palette(self) -> TokenPalette:
        """The chosen colours of tokens."""
        return self._token_palette

    @property
    def motion(self) -> Motion:
        """How much may move."""
        return _motion[0]

    @property
    def reading_size(self) -> int:
        """Pixels of the text that is being tokenized."""
        return self._reading_size

    @property
    def fills_room(self) -> bool:
        """Whether that text is as large as it has room for, as in a lesson."""
        return self._fills_room

    @property
    def reading_sizes(self) -> tuple[int, ...]:
        """Pixels of that text from large to small: the first with which all of it is visible is used, or the last."""
        larger = (size for size in LESSON_READING_SIZES if size > self._reading_size)
        return (*(larger if self._fills_room else ()), self._reading_size)

    @property
    def system_font(self) -> bool:
        """Whether only the system's fonts are used."""
        return self._system_font

    @property
    def fixed_width(self) -> bool:
        """Whether all letters of the text that is being tokenized are equally wide."""
        return self._is_code if self._letters == "auto" else self._letters == "fixed"

    @property
    def letters(self) -> Letters:
        """When they are equally wide."""
        return self._letters

    def text_font(self, pixels: int) -> QFont:
        """Returns the font of the text that is being tokenized, in a size."""
        return fixed_reading_font(pixels) if self.fixed_width else reading_font(pixels)

    def identity(self, slot: int) -> Identity:
        """Returns the colours and the marker of the tokenizer with this number in the current theme."""
        return self.theme.identity(slot)

    def set_scheme(self, scheme: Scheme) -> None:
        """Chooses a scheme."""
        self._scheme = scheme
        self._app.styleHints().setColorScheme(_QT[scheme])
        self._apply()

    def set_token_palette(self, palette: TokenPalette) -> None:
        """Chooses the colours of tokens; those for projector and paper come with a white page."""
        self._token_palette = palette
        self._apply()

    def set_motion(self, motion: Motion) -> None:
        """Chooses how much may move."""
        _motion[0] = motion
        self.changed.emit()

    def set_reading_size(self, pixels: int) -> None:
        """Chooses the size of the text that is being tokenized: the nearest one that there is."""
        size = min(READING_SIZES, key=lambda one: abs(one - pixels))
        if size != self._reading_size:
            self._reading_size = size
            self.changed.emit()

    def set_fills_room(self, fills: bool) -> None:
        """Makes that text as large as it has room for, as a lesson does, or as large as was chosen."""
        if fills != self._fills_room:
            self._fills_room = fills
            self.changed.emit()

    def set_letters(self, letters: Letters) -> None:
        """Chooses when that text has the font of code."""
        self._follow_letters(letters, self._is_code)

    def set_is_code(self, is_code: bool) -> None:
        """Says whether that text is code."""
        self._follow_letters(self._letters, is_code)

    def _follow_letters(self, letters: Letters, is_code: bool) -> None:
        before = self.fixed_width
        self._letters, self._is_code = letters, is_code
        if self.fixed_width != before:
            self.letters_changed.emit()

    def zoom_reading(self, steps: int) -> None:
        """Makes that text some steps larger, or smaller where ``steps`` is negative."""
        index = READING_SIZES.index(self._reading_size) + steps
        self.set_reading_size(READING_SIZES[max(0, min(index, len(READING_SIZES) - 1))])

    def set_system_font(self, alone: bool) -> None:
        """Chooses the system's fonts alone, or Inter and JetBrains Mono before them."""
        self._system_font = alone
        if use_system_fonts(alone):
            self._follow_fonts()

    def _follow_fonts(self) -> None:
        """Gives widgets with fonts of the app their present families."""
        before, self._families = self._families, _families()
        if self._families == before:
            return
        self._app.setFont(ui_font())
        for widget in self._app.allWidgets():
            families = tuple(widget.font().families())
            if families in before and widget.testAttribute(Qt.WidgetAttribute.WA_SetFont):
                model = mono_font() if families == before[1] else ui_font()
                widget.setFont(with_families_of(widget.font(), model))
        self.changed.emit()

    def _apply(self) -> None:
        scheme = _QT[self._scheme]
        if scheme is Qt.ColorScheme.Unknown:
            scheme = self._app.styleHints().colorScheme()
        self.theme = _WHOLE.get(
            self._token_palette, theme_for(scheme, high_contrast=self._scheme == "contrast")
        )
        self._app.setPalette(self.theme.palette())
        # Qt tells the widgets later otherwise, after those who hear that it has changed.
        self._app.sendPostedEvents(None, QEvent.Type.ApplicationPaletteChange.value)
        self.changed.emit()


def _families() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The families of the fonts of the window and of code."""
    return tuple(ui_font().families()), tuple(mono_font().families())


class StageAppearance(Appearance):
    """The looks of a presentation: those that the user chose, in the colours for a projector; they stay as they are.

    Windows that are not on the stage keep theirs, so that nothing of them is painted again.
    """

    def __init__(self, chosen: Appearance) -> None:
        QObject.__init__(self, chosen)
        for name, value in vars(chosen).items():
            setattr(self, name, value)
        self.theme = PRESENTATION
