"""The commands for the appearance: the colour scheme, visible spaces, annotations, the scale."""

from __future__ import annotations

from typing import TypeVar

from tokenarium.menus.actions import Action, ActionChoice, Section, switch
from tokenarium.session import settings
from tokenarium.session.session import Annotations, Session
from tokenarium.session.settings import Settings, kept_scale
from tokenarium.style.appearance import (
    LETTERS,
    MOTIONS,
    SCHEMES,
    TOKEN_PALETTES,
    Appearance,
    Letters,
    Motion,
    Scheme,
    TokenPalette,
)
from tokenarium.style.fonts import READING_SIZE
from tokenarium.style.zoom import NORMAL, next_scale, zoom
from tokenarium.widgets.message_bar import MessageBar

Value = TypeVar("Value", bound=str)


def restore_looks(appearance: Appearance, store: Settings) -> None:
    """Applies the kept appearance; unknown values count as not set."""
    appearance.set_system_font(store.get(settings.SYSTEM_FONT))
    appearance.set_motion(_known(store.get(settings.MOTION), MOTIONS))
    appearance.set_letters(_known(store.get(settings.LETTERS), LETTERS))
    kept_size = store.get(settings.READING_SIZE)
    appearance.set_reading_size(int(kept_size) if kept_size.isdecimal() else READING_SIZE)
    appearance.set_token_palette(_known(store.get(settings.TOKEN_PALETTE), TOKEN_PALETTES))
    appearance.set_scheme(_known(store.get(settings.COLOUR_SCHEME), SCHEMES))


def _known(kept: str, values: tuple[Value, ...]) -> Value:
    """Returns the kept value, or the first."""
    return next((value for value in values if value == kept), values[0])


class DisplayCommands:
    """Changes the appearance of the window."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        store: Settings,
        messages: MessageBar,
    ) -> None:
        self._session = session
        self._appearance = appearance
        self._store = store
        self._messages = messages
        appearance.changed.connect(self._keep_reading_size)
        # Connected before the views, which then lay out a text only once, in its font.
        session.text_changed.connect(lambda: appearance.set_is_code(session.text_is_code))

    def declared(self) -> list[Action]:
        """Returns the actions."""
        session = self._session
        annotations = ActionChoice[Annotations](
            "annotations", Section.ANNOTATIONS, lambda: session.annotations, session.set_annotations
        )
        scheme = ActionChoice[Scheme](
            "scheme", Section.COLOURS, lambda: self._appearance.scheme, self.set_colour_scheme
        )
        # fmt: off
        return [
            switch("show_whitespace", "Show &whitespace", Section.BLANKS, "Ctrl+D, W", lambda: session.show_whitespace, session.set_show_whitespace, "Makes spaces, line ends and control characters visible", icon="eye"),
            switch("fixed_width", "&Fixed-width letters", Section.BLANKS, "Ctrl+D, Z", lambda: self._appearance.fixed_width, lambda on: self.set_letters("fixed" if on else "usual"), "Shows the text in a monospace font, in which all letters have the same width", icon="code"),
            switch("letters_auto", "Fixed-width letters for c&ode", Section.BLANKS, "Ctrl+Shift+B, Z", lambda: self._appearance.letters == "auto", lambda on: self.set_letters("auto" if on else self._letters_now()), "Shows a text in a monospace font if it looks like code when it is opened or pasted: by its brackets, indents and line ends", icon="brackets-curly"),
            annotations.action("none", "annotate_none", "&No annotations", "Ctrl+D, N", icon="text-aa"),
            annotations.action("ids", "annotate_ids", "Annotate with &ids", "Ctrl+D, I", "Writes each token's id under it", icon="hash"),
            annotations.action("bytes", "annotate_bytes", "Annotate with &bytes", "Ctrl+D, B", "Writes each token's bytes under it", icon="barcode"),
            switch("decimal_numbers", "B&ytes in decimal", Section.ANNOTATIONS, "Ctrl+Shift+B, D", lambda: session.decimal, session.set_decimal, "Writes bytes and code points in decimal, as Python does, instead of hexadecimal", icon="hash"),
            scheme.action("system", "scheme_system", "Colours of the &system", "Ctrl+D, S", icon="monitor"),
            scheme.action("light", "scheme_light", "Li&ght colours", "Ctrl+D, L", icon="sun"),
            scheme.action("dark", "scheme_dark", "&Dark colours", "Ctrl+D, D", icon="moon"),
            scheme.action("contrast", "scheme_contrast", "High &contrast", "Ctrl+D, J", "Stronger colours and lines, light or dark like the system", icon="circle-half"),
            Action("larger", "La&rger", Section.SCALE, "Ctrl++", lambda: self.step_scale(1), "Shows everything one step larger, for example for a projector", icon="magnifying-glass-plus", also="Ctrl+="),
            Action("smaller", "S&maller", Section.SCALE, "Ctrl+-", lambda: self.step_scale(-1), "Shows everything one step smaller", icon="magnifying-glass-minus"),
            Action("normal_size", "Normal si&ze", Section.SCALE, "Ctrl+0", lambda: self.set_scale(NORMAL), "Shows everything at the size that the system sets", icon="arrows-in-simple"),
        ]
        # fmt: on

    def set_colour_scheme(self, scheme: Scheme) -> None:
        """Follows the system's colours, or stays light or dark."""
        self._appearance.set_scheme(scheme)
        self._store.set(settings.COLOUR_SCHEME, scheme)

    def set_token_palette(self, palette: TokenPalette) -> None:
        """Chooses the colours of tokens."""
        self._appearance.set_token_palette(palette)
        self._store.set(settings.TOKEN_PALETTE, palette)

    def set_motion(self, motion: Motion) -> None:
        """Chooses how much is animated."""
        self._appearance.set_motion(motion)
        self._store.set(settings.MOTION, motion)

    def set_system_font(self, alone: bool) -> None:
        """Chooses the system's fonts, or those of the program."""
        self._appearance.set_system_font(alone)
        self._store.set(settings.SYSTEM_FONT, alone)

    def _letters_now(self) -> Letters:
        return "fixed" if self._appearance.fixed_width else "usual"

    def set_letters(self, letters: Letters) -> None:
        """Chooses when the text is shown in the font for code."""
        self._appearance.set_letters(letters)
        self._store.set(settings.LETTERS, letters)

    def set_reading_size(self, pixels: int) -> None:
        """Chooses the size of the text."""
        self._appearance.set_reading_size(pixels)

    def _keep_reading_size(self) -> None:
        size = str(self._appearance.reading_size)
        if size != self._store.get(settings.READING_SIZE):
            self._store.set(settings.READING_SIZE, size)

    def step_scale(self, step: int) -> None:
        """Shows everything larger (1) or smaller (-1)."""
        self.set_scale(next_scale(kept_scale(self._store), step))

    def set_scale(self, percent: int) -> None:
        """Shows everything at one of the scales, and keeps the choice."""
        self._store.set(settings.SCALE, str(percent))
        now = "" if zoom(percent) else "After a restart, "
        self._messages.tell(f"{now}everything is shown at {percent} %.".capitalize())
