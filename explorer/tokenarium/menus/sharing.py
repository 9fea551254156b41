"""The share card: a picture of how tokenizers split a text, to copy and save."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from tokenarium.models.files import chosen_path
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.scene import Scene
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.pictures.widget_picture import save_image, save_svg
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.file_dialogs import ask_new_file
from tokenarium.widgets.text.share_card import (
    ShareCard,
    ShareDialog,
    ShareStrip,
    ShareView,
    fitting,
)
from tokenarium_core import TokenariumError, __version__
from tokenarium_core.whole_files import write_files

if TYPE_CHECKING:
    from tokenarium.web.page import Look

KINDS = {"html": "Web page (*.html)", "png": "Picture (*.png)", "svg": "Vectors (*.svg)"}
SHORTENED = "The picture has room only for the beginning of this text; the tokens are those of the part it shows."


class SharingCommands:
    """Shows the dialog with the selected text, or else the first line."""

    def __init__(self, session: Session, appearance: Appearance, window: QWidget) -> None:
        self._session = session
        self._appearance = appearance
        self._window = window
        self.dialog: ShareDialog | None = None
        self.card = ShareCard("", (), LIGHT, __version__)

    def share_card(self) -> None:
        """Opens the dialog."""
        if self.dialog is None:
            self.dialog = ShareDialog(self._window)
            self.dialog.scheme.choose(int(self._appearance.theme.dark))
            self.dialog.changed.connect(self.refresh)
            self.dialog.copy_requested.connect(self.copy)
            self.dialog.save_requested.connect(self._ask_and_save)
        session, selection = self._session, self._session.selection
        text = session.text
        if selection is not None:
            text = session.text_map.slice(*session.text_map.characters(*selection))
        line = next((line.strip() for line in text[:4000].splitlines() if line.strip()), "")
        current = session.current
        items = sorted(session.chosen(), key=lambda item: item is not current)
        self.dialog.set_tokenizers([(item.key, item.name) for item in items])
        self.dialog.field.setText(line)
        self.refresh()
        self.dialog.show()
        self.dialog.raise_()

    def refresh(self) -> None:
        """Makes the card again from the choices in the dialog."""
        dialog, session = self.dialog, self._session
        if dialog is None:
            return
        entered = dialog.field.text().strip()
        text = fitting(entered)
        strips = []
        for key in dialog.chosen:
            item = session.library.item(key)
            if item is None or item.tokenizer is None or not text:
                continue
            try:
                encoding = item.tokenizer.encode(text)
            except TokenariumError:
                continue
            ids, spans = np.array(array_of(encoding.ids)), np.array(array_of(encoding.spans))
            parts = TextParts.of_tokens(ids, spans)
            utf8 = text.encode("utf-8", "surrogatepass")
            lost = text_loss(item.tokenizer).spans(utf8, ids, spans.reshape(-1, 2), 0, len(utf8))
            strips.append(ShareStrip(item.name, item.identity, parts, lost.tolist()))
        theme = DARK if dialog.scheme.currentIndex() else LIGHT
        self.card = ShareCard(text, strips, theme, __version__)
        dialog.view.show_card(self.card)
        dialog.say(SHORTENED if text != entered else "")
        for button in (dialog.copy, *dialog.saves.values()):
            button.setEnabled(bool(strips))

    def copy(self) -> None:
        """Copies the picture, and its text for programs in which a picture cannot be pasted."""
        data = QMimeData()
        data.setImageData(self.card.picture())
        lines = [f"{strip.name}: {strip.count} tokens" for strip in self.card.strips]
        data.setText("\n".join([self.card.text, *lines]))
        QGuiApplication.clipboard().setMimeData(data)
        if self.dialog is not None:
            self.dialog.say("Copied: paste it into a message, a document or a slide.")

    def _ask_and_save(self, suffix: str) -> None:
        page = suffix == "html"
        name, _ = ask_new_file(
            "web pages" if page else "pictures",
            self.dialog,
            "Save the web page" if page else "Save the picture",
            f"tokens.{suffix}",
            KINDS[suffix],
        )
        if name:
            self.save(chosen_path(name, f".{suffix}", *(() if page else (".png", ".svg"))))

    def save(self, path: Path) -> None:
        """Writes the picture as .png or .svg, or a web page, by the suffix; shows where it is, or why it cannot be written."""
        try:
            if path.suffix.lower() == ".html":
                write_files({path: self._page().encode()})
            elif path.suffix.lower() == ".svg":
                save_svg(ShareView(self.card), path)
            else:
                save_image(self.card.picture(), path)
        except TokenariumError as error:
            if self.dialog is not None:
                self.dialog.say(str(error))
            return
        self._session.requests.tell_saved(path)
        if self.dialog is not None:
            self.dialog.say(f"Saved {path.name} in {path.parent}.")

    def _page(self) -> str:
        """Returns the whole text of the dialog with its tokenizers as a web page, which has room for it."""
        from tokenarium.web.scene_pages import page_of_shown
        from tokenarium.web.shown_scene import ShownScene, ShownTokenizer

        dialog = self.dialog
        assert dialog is not None
        items = [self._session.library.item(key) for key in dialog.chosen]
        shown = tuple(
            ShownTokenizer(
                item.key,
                item.model_name or item.name,
                item.encoding_name,
                item.identity,
                item.tokenizer,
            )
            for item in items
            if item is not None and item.tokenizer is not None
        )
        scene = Scene(workspace="tokens", page="tokens")
        look: Look = "dark" if dialog.scheme.currentIndex() else "light"
        return page_of_shown(ShownScene(scene, TextMap(dialog.field.text().strip()), shown), look)

    @property
    def busy(self) -> bool:
        """Whether work is running for it: never."""
        return False

    def stop(self) -> None:
        """Closes the dialog."""
        if self.dialog is not None:
            self.dialog.close()
