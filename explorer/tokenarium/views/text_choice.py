"""A choice of texts: that of the window, the samples, files or a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.session.session import Session
from tokenarium.views.kept import Kept, index_below, texts_of
from tokenarium.widgets.file_dialogs import ask_files, ask_folder
from tokenarium.widgets.panel import named

if TYPE_CHECKING:
    from tokenarium.models.tokenizers.pruned import UsageTexts

TEXT, SAMPLES, FILES, FOLDER = range(4)
TITLES: Final = ("The text of the window", "Tokenarium's samples", "Files …", "A folder …")
NAMES: Final = ("the text", "Tokenarium's samples")

NO_TEXT: Final = "The text of the window is empty: type or paste one, or choose other texts."

SAMPLES_IMPORTS = "from tokenarium.resources.samples_index import load_samples"
FILES_IMPORTS = """
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_lists import named_sources
"""


class TextChoice(QComboBox):
    """The texts to count or continue on; it asks for files and folders itself.

    ``changed``: the texts have changed. ``picked``: the user chose them, after that.
    """

    changed = Signal()
    picked = Signal()

    def __init__(self, session: Session, title: str, about: str) -> None:
        super().__init__()
        named(self, title, about)
        self._session = session
        self._about = about
        self._title = title
        self.place = TEXT
        self.sources: tuple[CorpusSource, ...] = ()
        self.addItems(TITLES)
        self.activated.connect(self._choose)

    @property
    def title(self) -> str:
        """The name of the texts in a sentence."""
        if self.place < len(NAMES):
            return NAMES[self.place]
        more = len(self.sources) - 2
        names = ", ".join(_name(source) for source in self.sources[:2])
        return f"{names} and {more:,} more" if more > 0 else names

    def usage(self, beside: str = "") -> UsageTexts:
        """Returns the texts; ``beside`` is another text whose cost is counted, unless they are the window's."""
        from tokenarium.models.tokenizers.pruned import UsageTexts

        if self.place == TEXT:
            return UsageTexts((), self._session.text, self.title)
        if self.place == SAMPLES:
            from tokenarium.resources.samples_index import load_samples

            samples = tuple(CorpusSource("text", sample.text()) for sample in load_samples())
            return UsageTexts(samples, beside, self.title)
        return UsageTexts(self.sources, beside, self.title)

    def program(self) -> tuple[str, str, dict[str, object]]:
        """Returns the imports and the expression with which a program reads the texts, and its values."""
        if self.place == TEXT:
            return "", "[TEXT]", {}
        if self.place == SAMPLES:
            return SAMPLES_IMPORTS, "[sample.text() for sample in load_samples()]", {}
        paths = [source.value for source in self.sources]
        return FILES_IMPORTS, "Corpus(named_sources(PATHS))", {"paths": paths}

    def use_paths(self, paths: Sequence[Path]) -> None:
        """Chooses files or folders; without any, restores the previous choice."""
        if not paths:
            self.setCurrentIndex(self.place)
            return
        self.use(FOLDER if os.path.isdir(paths[0]) else FILES, paths)
        self.picked.emit()

    def use(self, place: int, paths: Sequence[Path] = ()) -> None:
        """Chooses texts, as a scene does."""
        self.place = place
        self.sources = tuple(
            CorpusSource("folder" if os.path.isdir(path) else "file", str(path)) for path in paths
        )
        for other, title in enumerate(TITLES):
            self.setItemText(other, self.title if paths and other == place else title)
        self.setCurrentIndex(place)
        titles = ", ".join(source.title for source in self.sources)
        self.setToolTip(titles or self._about)
        self.changed.emit()

    def kept(self, name: str) -> Kept:
        """Returns the setting that scenes keep by a name."""
        return Kept(name, self._kept, self._take)

    def _kept(self) -> list[object] | None:
        if self.place == TEXT:
            return None
        return [self.place, *(source.value for source in self.sources)]

    def _take(self, value: object) -> None:
        if not isinstance(value, list) or not value:
            raise TypeError
        place = index_below(value[0], len(TITLES))
        paths = [Path(path) for path in texts_of(value[1:]) if path]
        if place in (FILES, FOLDER) and not paths:
            raise ValueError
        self.use(place, paths if place in (FILES, FOLDER) else ())

    def _choose(self, place: int) -> None:
        if place == FILES:
            names = ask_files("texts", self, self._title, "All files (*)")
            self.use_paths([Path(name) for name in names])
        elif place == FOLDER:
            name = ask_folder("texts", self, self._title)
            self.use_paths([Path(name)] if name else [])
        else:
            self.use(place)
            self.picked.emit()


def _name(source: CorpusSource) -> str:
    """Returns the name of a file or a folder without its parent folders."""
    return os.path.basename(source.value.rstrip("/\\")) or source.name
