"""What the menus do with how things look: the colour scheme, visible blanks, what stands under the tokens."""

from __future__ import annotations

from typing import Literal, cast

from tokenarium import settings
from tokenarium.appearance import SCHEMES, Appearance
from tokenarium.session import Session
from tokenarium.settings import Settings


class DisplayCommands:
    """Handlers of actions around looks."""

    def __init__(self, session: Session, appearance: Appearance, store: Settings) -> None:
        self._session = session
        self._appearance = appearance
        self._store = store

    def set_colour_scheme(self, scheme: str) -> None:
        """Follows the system's colours, or is light or dark for good."""
        if scheme in SCHEMES:
            self._appearance.set_scheme(scheme)
            self._store.set(settings.COLOUR_SCHEME, scheme)

    def colour_scheme_is(self, scheme: str) -> bool:
        """Whether a colour scheme is chosen."""
        return self._appearance.scheme == scheme

    def set_show_whitespace(self, show: bool) -> None:
        """Makes blanks, line ends and control characters visible, or not."""
        self._session.set_show_whitespace(show)

    def shows_whitespace(self) -> bool:
        """Whether blanks are visible."""
        return self._session.show_whitespace

    def set_annotations(self, kind: str) -> None:
        """Writes ids or bytes under the tokens, or nothing."""
        self._session.set_annotations(cast(Literal["none", "ids", "bytes"], kind))

    def annotations_are(self, kind: str) -> bool:
        """Whether this stands under the tokens."""
        return self._session.annotations == kind
