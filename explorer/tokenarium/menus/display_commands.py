"""The commands for the looks: the colour scheme, visible blanks, annotations, the scale."""

from __future__ import annotations

from collections.abc import Callable

from tokenarium.menus.actions import Action, ActionChoice, Section, switch
from tokenarium.session import settings
from tokenarium.session.session import Annotations, Session
from tokenarium.session.settings import NORMAL, Settings, kept_scale, next_scale
from tokenarium.style.appearance import Appearance, Scheme
from tokenarium.widgets.message_bar import MessageBar


class DisplayCommands:
    """Changes the looks of the window."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        store: Settings,
        messages: MessageBar,
        restart: Callable[[], None],
    ) -> None:
        """``restart`` restarts the app with what is open."""
        self._session = session
        self._appearance = appearance
        self._store = store
        self._messages = messages
        self._restart = restart
        self._began_at = kept_scale(store)

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
            switch("show_whitespace", "Show &whitespace", Section.BLANKS, "Ctrl+D, W", lambda: session.show_whitespace, session.set_show_whitespace, "Makes blanks, line ends and control characters visible"),
            annotations.action("none", "annotate_none", "&No annotations", "Ctrl+D, N"),
            annotations.action("ids", "annotate_ids", "Annotate with &ids", "Ctrl+D, I", "Writes each token's id under it"),
            annotations.action("bytes", "annotate_bytes", "Annotate with &bytes", "Ctrl+D, B", "Writes each token's bytes under it"),
            scheme.action("system", "scheme_system", "Colours of the &system", "Ctrl+D, S"),
            scheme.action("light", "scheme_light", "Li&ght colours", "Ctrl+D, L"),
            scheme.action("dark", "scheme_dark", "&Dark colours", "Ctrl+D, D"),
            Action("larger", "La&rger", Section.SCALE, "Ctrl++", lambda: self._step_scale(1), "Shows everything a step larger, as for a projector, from the next start on"),
            Action("smaller", "S&maller", Section.SCALE, "Ctrl+-", lambda: self._step_scale(-1), "Shows everything a step smaller, from the next start on"),
            Action("normal_size", "Normal si&ze", Section.SCALE, "Ctrl+0", lambda: self._keep_scale(NORMAL), "Shows everything as large as the system says, from the next start on"),
        ]
        # fmt: on

    def set_colour_scheme(self, scheme: Scheme) -> None:
        """Follows the system's colours, or stays light or dark."""
        self._appearance.set_scheme(scheme)
        self._store.set(settings.COLOUR_SCHEME, scheme)

    def _step_scale(self, step: int) -> None:
        self._keep_scale(next_scale(kept_scale(self._store), step))

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
        tip = "The text, the library and the workspace stay; the undo history does not"
        self._messages.offer(sentence, "Restart now", tip, self._restart)
