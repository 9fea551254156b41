"""The page Ways of the workspace Tokens: how many sequences of ids decode to a text, and cuts that are drawn at random."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from tokenarium.analyses.ways import WAYS
from tokenarium.models.text.ways_words import all_digits
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.views.analysis_page import TextAnalysisPage
from tokenarium.views.tokens_sampling import SampledCutsCard
from tokenarium.views.workspace import Kept
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium_core.explaining.ways import Ways


class WaysPage(TextAnalysisPage):
    """The analysis, a button that copies its number, and a card of cuts that are drawn at random."""

    id, title, analysis = WAYS.id, WAYS.title, WAYS

    def more_parts(self) -> list[QWidget]:
        self.sampling = SampledCutsCard(self)
        return [self.sampling]

    @property
    def head(self) -> list[QWidget]:
        self.copy = GlyphButton("Copy the number", "copy")
        self.copy.setToolTip("Copies the number of the tokenizer in front, with all its digits")
        self.copy.clicked.connect(self._copy)
        return [*super().head, self.copy]

    @property
    def front(self) -> Ways | None:
        """What was counted with the tokenizer in front."""
        return self.result.found.get(self.inputs.subjects[0].key) if self.inputs else None

    def show_parts(self) -> None:
        super().show_parts()
        self.copy.setEnabled(self.front is not None)

    def _copy(self) -> None:
        if self.front is not None:
            QGuiApplication.clipboard().setText(all_digits(self.front.count))

    def ask(self, text: str, items: list[LibraryItem]) -> None:
        super().ask(text, items)
        self.sampling.ask(text, items[0])

    def more_program(self) -> str:
        return self.sampling.program

    @property
    def busy(self) -> bool:
        return super().busy or self.sampling.busy

    def stop(self) -> None:
        super().stop()
        self.sampling.stop()

    def keeps(self) -> Iterable[Kept]:
        return (*super().keeps(), *self.sampling.keeps())
