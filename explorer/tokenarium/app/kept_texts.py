"""Texts of closed windows and removed fields, offered at the start, and listed until the user forgets them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from tokenarium.menus.actions import Action, Section
from tokenarium.models.scene import SceneError
from tokenarium.models.scene_store import SceneStore
from tokenarium.models.scene_texts import read_scene_file
from tokenarium.models.typed_texts import LeftWindow, TypedText, head_of, time_of
from tokenarium.session.session import Session
from tokenarium.widgets.message_bar import MessageBar

if TYPE_CHECKING:  # few starts need them
    from tokenarium.app.scene_commands import SceneCommands
    from tokenarium.widgets.kept_dialog import KeptDialog, KeptText

SAID = 60
"""The most characters of a text in a message."""

LATER = "It stays under File › Kept texts"


class KeptTexts(QObject):
    """The offer at the start, and the dialog."""

    def __init__(
        self,
        session: Session,
        store: SceneStore,
        texts: SceneCommands,
        messages: MessageBar,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._store = store
        self._texts = texts
        self._messages = messages
        self._window = window
        self.dialog: KeptDialog | None = None

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("kept_texts", "&Kept texts …", Section.OPEN, "Ctrl+R, F9", self.show, "Shows what was typed in windows and fields that no longer exist", icon="clock-counter-clockwise"),
        ]
        # fmt: on

    def offer(self) -> None:
        """Offers texts that were typed but not restored, once the current message is closed."""
        if not self._texts.keeps:
            return
        windows = [one for one in self._windows() if not one.file.offered]
        fields = [] if self._texts.left_told else list(self._texts.left)
        count = len(windows) + len(fields)
        if not count:
            return
        later = ("Keep for later", LATER, partial(self._note_told, windows))
        if count == 1 and windows and windows[0].has_scene:
            window = windows[0]
            self._messages.offer_later(
                sentence_of(window),
                "Open it",
                "Continues that window; what is shown now is kept",
                partial(self._open, window),
                later,
            )
            return
        if count == 1:
            sentence = sentence_of(windows[0]) if windows else sentence_of_field(fields[0])
        else:
            sentence = f"{count} texts from closed windows and removed fields are kept."
        self._messages.offer_later(
            sentence, "Show", LATER, partial(self._show_and_note, windows), later
        )

    def _windows(self) -> list[LeftWindow]:
        """Returns the windows that have ended, except those that left only a lesson, which is offered separately."""
        return [one for one in self._store.left() if one.file.typed]

    def _note_told(self, windows: Sequence[LeftWindow]) -> None:
        self._messages.say("")
        self._store.note_offered(list(windows))
        self._texts.left_told = True
        self._texts.keep_soon()

    def _show_and_note(self, windows: Sequence[LeftWindow]) -> None:
        self._note_told(windows)
        self.show()

    def _open(self, window: LeftWindow) -> None:
        self._messages.say("")
        if not self._texts.change_to(window.folder):
            self._session.problem.emit(
                "That window's session no longer exists, or another window has opened it."
            )

    # The dialog.

    def show(self) -> None:
        """Shows all that is kept for later."""
        from tokenarium.widgets.kept_dialog import KeptDialog

        if self.dialog is None:
            self.dialog = KeptDialog(self._session.set_text, self._window)
        self.dialog.set_texts(self.rows())
        self.dialog.open()

    def rows(self) -> list[KeptText]:
        from tokenarium.widgets.kept_dialog import KeptText

        rows = [
            KeptText(
                f"A window, {time_of(one.when)}",
                one.file.head or ", ".join(text.field for text in one.texts) or "A session",
                partial(_whole, one),
                partial(self._open, one) if one.has_scene else None,
                partial(self._store.forget, one.folder),
            )
            for one in self._windows()
        ]
        for path, when in self._store.asides():
            rows.append(
                KeptText(
                    f"A session that was set aside, {time_of(when)}",
                    head_of(_of_session(path)) or path.name,
                    partial(_of_session, path),
                    partial(self._texts.open_path, path),
                    partial(self._store.forget_aside, path),
                )
            )
        for text in self._texts.left:
            forget = partial(self._texts.forget_left, [text])
            rows.append(
                KeptText(_named(text), head_of(text.text), partial(_text, text), None, forget)
            )
        return rows


def sentence_of(window: LeftWindow) -> str:
    """Returns the sentence about a window that has ended."""
    when, head = time_of(window.when), _short(window.file.head)
    if head:
        return f"Another window was open. Its text of {when}: “{head}”"
    fields = [text.field for text in window.texts[:2]]
    typed = (
        f", with what you typed in {' and '.join(f'“{one}”' for one in fields)}" if fields else ""
    )
    return f"Another window was open at {when}{typed}."


def sentence_of_field(text: TypedText) -> str:
    """Returns the sentence about the text of a field that no longer exists."""
    return f"You typed in {_named(text)}: “{_short(head_of(text.text))}”"


def _short(head: str) -> str:
    return head if len(head) <= SAID else f"{head[: SAID - 1].rstrip()}…"


def _named(text: TypedText) -> str:
    where = f" ({text.place})" if text.place else ""
    return f"“{text.field}”{where}, {time_of(text.when)}"


def _text(text: TypedText) -> str:
    return text.text


def _of_session(path: Path, head: str = "") -> str:
    """Returns the text of a session: "" if it is in a separate file, ``head`` if the session is damaged."""
    try:
        text = read_scene_file(path).scene.text
    except SceneError:
        return head
    return text.inline if text is not None else ""


def _whole(window: LeftWindow) -> str:
    """Returns the text of a window, and what was typed in its fields below it."""
    parts = [_of_session(window.folder / SceneStore.NAME, window.file.head)]
    parts += [f"{_named(one)}:\n{one.text}" for one in window.texts]
    return "\n\n".join(part for part in parts if part)
