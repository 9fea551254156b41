"""Keeps the pipeline strip on the characters that are selected or pointed at, and shows or hides it.

It is seen over the workspaces that show the tokens of the text; the others have its room.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from tokenarium.menus.actions import Action, Section, switch
from tokenarium.models.text.pipeline import stages
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.widgets.text.pipeline_strip import PipelineStrip


class PipelineController(QObject):
    """The strip of a window, and its action."""

    def __init__(
        self, session: Session, appearance: Appearance, store: Settings, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._appearance = appearance
        self._store = store
        self.strip = PipelineStrip(appearance.theme)
        self._wanted = store.get(settings.SHOW_PIPELINE)
        self._follows = True
        self._fit_strip()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.show_stages)
        for signal in (
            session.text_changed,
            session.selection_changed,
            session.hover_changed,
            session.tokenizers_changed,
            session.current_changed,
            session.special_changed,
        ):
            signal.connect(self._soon.start)
        session.encoding_changed.connect(lambda _: self._soon.start())
        appearance.changed.connect(lambda: self.strip.set_theme(appearance.theme))
        self._soon.start()

    def declared(self) -> list[Action]:
        """Returns the action."""
        # fmt: off
        return [
            switch("show_pipeline", "Show the s&tages", Section.PANES, "Ctrl+D, P", lambda: self._wanted, self.show_pipeline, "Raw, normalised, pre-token, pieces and ids of the selected characters, in one line"),
        ]
        # fmt: on

    def show_pipeline(self, show: bool) -> None:
        """Shows the strip, or not, and keeps that for the next run."""
        self._store.set(settings.SHOW_PIPELINE, show)
        self._wanted = show
        self.fit(self._follows)

    def fit(self, follows_text: bool) -> None:
        """Shows the strip over a workspace that follows the text, if it is wanted there."""
        self._follows = follows_text
        self._fit_strip()
        self._soon.start()

    def _fit_strip(self) -> None:
        """Leaves the room to the workspace where there is no text or no tokenizer to follow."""
        session = self._session
        followed = bool(session.text) and session.current is not None
        self.strip.setVisible(self._wanted and self._follows and followed)

    def show_stages(self) -> None:
        """Shows the stages of the current tokenizer for what is selected, else pointed at."""
        self._fit_strip()
        if self.strip.isHidden():
            return
        session = self._session
        current, focus = session.current, session.focus
        encoded = session.encoded(current.key) if current is not None else None
        if current is None or current.tokenizer is None or encoded is None:
            self.strip.show_stages((), "")
        elif encoded.encoding is None:
            self.strip.show_stages((), encoded.error)
        elif focus is None or focus[1] > session.text_map.byte_count:
            hint = f"Select or point at characters to follow them through {current.name}."
            self.strip.show_stages((), hint)
        else:
            self.strip.show_stages(
                stages(current.tokenizer, encoded.encoding, session.text_map, *focus)
            )
