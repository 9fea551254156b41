"""The commands for the text and its tokens: open, paste, copy, export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from tokenarium.menus.actions import Action, Section
from tokenarium.models.text import inspection
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.text.text_file import BEGINNING_OPENED, TextTooLargeError
from tokenarium.pictures.widget_picture import ExportError
from tokenarium.session.encodings import LARGE_TEXT
from tokenarium.session.session import OPENING_TEXT, Session
from tokenarium.views.workspace import Workspace
from tokenarium.widgets import whole_view
from tokenarium.widgets.file_dialogs import ask_file, ask_new_file
from tokenarium.widgets.message_bar import MessageBar
from tokenarium.widgets.text.text_opening import TextOpening, is_large
from tokenarium_core import TokenariumError, Tokenizer
from tokenarium_core.progress import Progress

MOST_IDS, MOST_JSON = 2_000_000, 200_000
"""The most tokens that are copied at once, as ids and as JSON: more would block the window."""

NO_PROGRAM = "This page has no figures yet that a program could reproduce."


class TextCommands:
    """Opens, pastes, copies and exports. ``view`` returns the workspace."""

    def __init__(
        self,
        session: Session,
        window: QWidget,
        view: Callable[[], Workspace],
        messages: MessageBar,
    ) -> None:
        self._messages = messages
        self._session = session
        self._window = window
        self._view = view

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("open_text", "&Open text …", Section.OPEN, "Ctrl+O", self.open_text, "Reads a text file", icon="folder-open"),
            Action("export_png", "Export view as &PNG …", Section.EXPORT, "Ctrl+E", self.export_png, "Writes a picture of everything in the workspace, with what is scrolled out of view", icon="image"),
            Action("export_svg", "Export view as S&VG …", Section.EXPORT, "Ctrl+Shift+E", self.export_svg, "Writes a picture of everything in the workspace, with what is scrolled out of view, as vectors", icon="pen-nib"),
            Action("copy_text", "Copy &text", Section.COPY, "Ctrl+D, C", self.copy_text, "Copies the selected bytes as text, or the whole text", self.has_text, icon="copy"),
            Action("copy_ids", "Copy token &ids", Section.COPY, "Ctrl+Shift+I", self.copy_ids, "Copies the current tokenizer's ids for the selection, or for the whole text", self.has_tokens, icon="hash"),
            Action("copy_json", "Copy tokens as &JSON", Section.COPY, "Ctrl+Shift+J", self.copy_json, "Copies the ids, bytes and spans for the selection, or for the whole text", self.has_tokens, icon="brackets-curly"),
            Action("copy_python", "Copy as P&ython", Section.COPY, "Ctrl+R, Y", self.copy_python, "Copies a program that reproduces the figures of the page, for a script or a notebook", icon="code"),
            Action("clear_selection", "Clear &selection", Section.SELECTION, "Ctrl+Shift+A", self.clear_selection, enabled=lambda: self._session.selection is not None, icon="selection-slash"),
            Action("paste_text", "&Paste as the whole text", Section.TEXT, "Ctrl+Shift+V", self.paste_text, "Replaces the text with the clipboard", self.clipboard_has_text, icon="clipboard-text"),
            Action("clear_text", "&Clear the text", Section.TEXT, "Ctrl+Shift+Backspace", lambda: self._session.set_text(""), enabled=self.has_text, icon="trash"),
            Action("begin_again", "&Begin again after a stop", Section.TEXT, "Ctrl+R, B", self.begin_again, "Encodes and counts the text again if that was stopped", self.was_stopped, icon="arrow-clockwise"),
        ]
        # fmt: on

    # The text.

    def open_text(self) -> None:
        """Asks for a text file and opens it."""
        path = ask_file("texts", self._window, "Open a text", "All files (*)")
        if path:
            self._session.problem.emit("")
            self.open_path(Path(path))

    def open_path(self, path: Path) -> None:
        """Opens a text file; shows a message if it is not text."""
        self._take_in(path, f"Opening {path.name}")

    def paste_text(self) -> None:
        """Replaces the text with the clipboard."""
        self.take_text(QGuiApplication.clipboard().text())

    def take_text(self, text: str) -> None:
        """Replaces the text; shows a message if it is too large."""
        self._take_in(text, "Loading the text")

    def _take_in(self, source: Path | str, title: str, most: int = 0) -> None:
        """Sets the text; a large one in a job that can be cancelled. ``most``: bytes of a file, 0 for all."""
        session = self._session
        work = TextOpening(source, most=most)
        name, file = (source.name, str(source.absolute())) if isinstance(source, Path) else ("", "")
        if most:
            name, file = f"{name}, the first {most >> 20} MB", ""

        def take(progress: Progress) -> None:
            if work.read is not None and not progress.finished:
                session.encode_ahead(work.read)  # its views are being prepared
            if not progress.finished:
                return
            if work.text_map.has_text_of(session.text_map):
                session.forget_ahead()
            else:
                session.show_text(work.text_map, title=name, file=file)

        def fail(error: TokenariumError) -> None:
            session.forget_ahead()
            if isinstance(error, TextTooLargeError) and isinstance(source, Path) and not most:
                self._messages.offer(
                    str(error),
                    f"Open the first {BEGINNING_OPENED >> 20} MB",
                    "Opens the whole lines at the beginning of the file; the file is not changed",
                    lambda: self._take_in(source, title, BEGINNING_OPENED),
                )
            else:
                session.problem.emit(str(error))

        if is_large(source):
            if is_large(source, LARGE_TEXT):
                session.expect_large_text()
            session.jobs.start(OPENING_TEXT, title, work, take, fail, session.forget_ahead)
            return
        try:
            take(work.step(float("inf")))
        except TokenariumError as error:
            fail(error)

    def begin_again(self) -> None:
        """Encodes and counts the text once more."""
        session = self._session
        session.show_text(session.text_map, title=session.title, file=session.file)

    def was_stopped(self) -> bool:
        """Whether encoding or counting was stopped, and no job is running that will complete it."""
        session = self._session
        if session.jobs.running():
            return False
        encodings = [session.encoded(item.key) for item in session.chosen()]
        return session.grapheme_edges is None or any(
            encoded is None or not encoded.complete for encoded in encodings
        )

    def has_text(self) -> bool:
        """Whether there is any text."""
        return self._session.text_map.byte_count > 0

    def clipboard_has_text(self) -> bool:
        """Whether there is something to paste."""
        data = QGuiApplication.clipboard().mimeData()
        return data is not None and data.hasText()

    # Its tokens.

    def copy_text(self) -> None:
        """Copies the selected bytes as text; incomplete characters become U+FFFD."""
        start, end = self._range()
        _copy(self._session.text_map.slice(start, end))

    def copy_ids(self) -> None:
        """Copies the ids of the current tokenizer."""
        encoding = self._encoding()
        if encoding is not None and not self._refuses_more(encoding[0], MOST_IDS):
            _copy(inspection.ids_text(encoding[0], *self._range()))

    def copy_json(self) -> None:
        """Copies the tokens of the current tokenizer as JSON."""
        encoding = self._encoding()
        if encoding is not None and not self._refuses_more(encoding[0], MOST_JSON):
            _copy(inspection.tokens_json(*encoding, *self._range()))

    def _refuses_more(self, encoding: ChunkedEncoding, most: int) -> bool:
        """Returns whether more tokens than ``most`` would be copied; if so, shows a message."""
        first, last = inspection.tokens_in(encoding, *self._range())
        if last - first <= most:
            return False
        self._session.problem.emit(
            f"{last - first:,} tokens are more than the {most:,} that are copied at once. Select a part of the text, or"
            " write the ids of a file with “tokenarium encode” or “tokenarium encode-corpus”."
        )
        return True

    def has_tokens(self) -> bool:
        """Whether a tokenizer is on and has split the text."""
        current = self._session.current
        encoded = self._session.encoded(current.key) if current is not None else None
        return self.has_text() and encoded is not None and encoded.tokens is not None

    def copy_python(self) -> None:
        """Copies a program that reproduces the figures of the visible page."""
        code = self._view().python()
        if code:
            QGuiApplication.clipboard().setText(code)
        else:
            self._session.problem.emit(NO_PROGRAM)

    def clear_selection(self) -> None:
        """Clears the selection."""
        self._session.select(0, 0)

    def _range(self) -> tuple[int, int]:
        return self._session.selection or (0, self._session.text_map.byte_count)

    def _encoding(self) -> tuple[ChunkedEncoding, Tokenizer] | None:
        current = self._session.current
        encoded = self._session.encoded(current.key) if current is not None else None
        if current is None or current.tokenizer is None:
            return None
        if encoded is None or encoded.tokens is None:
            return None
        return encoded.tokens, current.tokenizer

    # Pictures.

    def export_png(self) -> None:
        """Asks for a name and writes all of the view as PNG."""
        self._export("PNG image (*.png)", ".png", whole_view.save_view_png)

    def export_svg(self) -> None:
        """Asks for a name and writes all of the view as SVG."""
        self._export("SVG image (*.svg)", ".svg", whole_view.save_view_svg)

    def _export(self, kind: str, suffix: str, save: Callable[[QWidget, Path], str]) -> None:
        view = self._view()
        suggested = view.accessibleName().lower() + suffix
        name, _ = ask_new_file("pictures", self._window, "Export the view", suggested, kind)
        if not name:
            return
        path = Path(name)
        if not path.suffix:
            path = path.with_suffix(suffix)
        try:
            cut = save(view, path)
        except ExportError as error:
            self._session.problem.emit(str(error))
        else:
            self._session.requests.tell_saved(path)
            if cut:
                self._session.problem.emit(cut)


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(into_qt(text))
