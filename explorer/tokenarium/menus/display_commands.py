"""What the menus do with how things look: the colour scheme, visible blanks, what stands under the tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import NORMAL, Settings, kept_scale, next_scale
from tokenarium.style.appearance import SCHEMES, Appearance
from tokenarium.widgets.message_bar import MessageBar


class DisplayCommands:
    """Handlers of actions around looks."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        store: Settings,
        messages: MessageBar,
        restart: Callable[[], None],
    ) -> None:
        """``restart`` ends the app, and starts it anew with what is open."""
        self._session = session
        self._appearance = appearance
        self._store = store
        self._messages = messages
        self._restart = restart
        self._began_at = kept_scale(store)

    def set_colour_scheme(self, scheme: str) -> None:
        """Follows the system's colours, or is light or dark for good."""
        if scheme in SCHEMES:
            self._appearance.set_scheme(scheme)
            self._store.set(settings.COLOUR_SCHEME, scheme)

    def colour_scheme_is(self, scheme: str) -> bool:
        """Whether a colour scheme is chosen."""
        return self._appearance.scheme == scheme

    def larger(self) -> None:
        """Draws everything a step larger, from the next start on."""
        self._keep_scale(next_scale(kept_scale(self._store), 1))

    def smaller(self) -> None:
        """Draws everything a step smaller, from the next start on."""
        self._keep_scale(next_scale(kept_scale(self._store), -1))

    def normal_size(self) -> None:
        """Draws everything as large as the system says, from the next start on."""
        self._keep_scale(NORMAL)

    def _keep_scale(self, scale: int) -> None:
        self._store.set(settings.SCALE, str(scale))
        if scale == self._began_at:
            self._messages.tell(f"Everything stays at {scale} %.")
            return
        sentence = f"From the next start on, everything is shown at {scale} %."
        if self._session.trains:
            self._messages.tell(
                f"{sentence} A training runs: start Tokenarium again when it is done."
            )
            return
        tip = "The text, the library and the workspace stay; what could be undone does not"
        self._messages.offer(sentence, "Restart now", tip, self._restart)

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
