"""What the menus do with the text and its tokens: open, paste, copy, export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from tokenarium.models.text import token_export
from tokenarium.models.text.qt_text import into_qt
from tokenarium.pictures import widget_picture
from tokenarium.session.session import OPENING_TEXT, Session
from tokenarium.session.text_opening import TextOpening, is_large
from tokenarium_core import Encoding, Progress, TokenariumError, Tokenizer


class TextCommands:
    """Handlers of actions around the text. ``view`` returns what an export shows."""

    def __init__(self, session: Session, window: QWidget, view: Callable[[], QWidget]) -> None:
        self._session = session
        self._window = window
        self._view = view

    # The text.

    def open_text(self) -> None:
        """Asks for a text file and opens it."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Open a text", "", "All files (*)")
        if path:
            self._session.problem.emit("")
            self.open_path(Path(path))

    def open_path(self, path: Path) -> None:
        """Opens a text file; a file that is not text is reported, and changes nothing."""
        self._take_in(path, f"Opening {path.name}")

    def paste_text(self) -> None:
        """Makes the clipboard the whole text."""
        self.take_text(QGuiApplication.clipboard().text())

    def take_text(self, text: str) -> None:
        """Makes this the whole text; where it is too large, that is reported, and changes nothing."""
        self._take_in(text, "Taking the text in")

    def _take_in(self, source: Path | str, title: str) -> None:
        """Takes a text in: a large one in a job, so that the window stays alive and can cancel it."""
        session = self._session
        work = TextOpening(source)

        def take(progress: Progress) -> None:
            if progress.finished and work.text_map.text != session.text:
                session.show_text(work.text_map)

        def fail(error: TokenariumError) -> None:
            session.problem.emit(str(error))

        if is_large(source):
            session.jobs.start(OPENING_TEXT, title, work, take, fail)
            return
        try:
            take(work.step(float("inf")))
        except TokenariumError as error:
            fail(error)

    def clear_text(self) -> None:
        """Empties the text."""
        self._session.set_text("")

    def begin_again(self) -> None:
        """Encodes and counts the text anew."""
        self._session.show_text(self._session.text_map)

    def was_stopped(self) -> bool:
        """Whether the text was not encoded and counted to its end, and nobody is at it."""
        session = self._session
        if session.jobs.running():
            return False
        found = [session.encoded(entry.key) for entry in session.chosen()]
        return session.grapheme_edges is None or any(
            encoded is None or not encoded.complete for encoded in found
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
        """Copies the selected bytes as text; characters that they cut become U+FFFD."""
        start, end = self._range()
        _copy(self._session.text_map.slice(start, end))

    def copy_ids(self) -> None:
        """Copies the ids of the current tokenizer."""
        encoding = self._encoding()
        if encoding is not None:
            _copy(token_export.ids_text(encoding[0], *self._range()))

    def copy_json(self) -> None:
        """Copies the tokens of the current tokenizer as JSON."""
        encoding = self._encoding()
        if encoding is not None:
            _copy(token_export.tokens_json(*encoding, *self._range()))

    def has_tokens(self) -> bool:
        """Whether a tokenizer is on and has cut the text."""
        return self.has_text() and self._encoding() is not None

    def clear_selection(self) -> None:
        """Lets the selected bytes go."""
        self._session.select(0, 0)

    def has_selection(self) -> bool:
        """Whether bytes are selected."""
        return self._session.selection is not None

    def _range(self) -> tuple[int, int]:
        return self._session.selection or (0, self._session.text_map.byte_count)

    def _encoding(self) -> tuple[Encoding, Tokenizer] | None:
        current = self._session.current
        encoded = self._session.encoded(current.key) if current is not None else None
        if current is None or current.tokenizer is None:
            return None
        if encoded is None or encoded.encoding is None:
            return None
        return encoded.encoding, current.tokenizer

    # Pictures.

    def export_png(self) -> None:
        """Asks for a name and writes the view as PNG."""
        self._export("PNG image (*.png)", ".png", widget_picture.save_png)

    def export_svg(self) -> None:
        """Asks for a name and writes the view as SVG."""
        self._export("SVG image (*.svg)", ".svg", widget_picture.save_svg)

    def _export(self, kind: str, suffix: str, save: Callable[[QWidget, Path], None]) -> None:
        view = self._view()
        suggested = view.accessibleName().lower() + suffix
        name, _ = QFileDialog.getSaveFileName(self._window, "Export the view", suggested, kind)
        if not name:
            return
        path = Path(name)
        if not path.suffix:
            path = path.with_suffix(suffix)
        try:
            save(view, path)
        except widget_picture.ExportError as error:
            self._session.problem.emit(str(error))
        else:
            self._session.saved.emit(path)


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(into_qt(text))
