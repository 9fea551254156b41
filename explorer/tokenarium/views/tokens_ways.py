"""The page Ways of the workspace Tokens: how many sequences of ids decode to a text, and random tokenizations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain
from typing import Any, ClassVar

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from tokenarium.analyses.sample import LONGEST, SAMPLE
from tokenarium.analyses.ways import WAYS
from tokenarium.models.text.ways_words import all_digits
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.theme import GRID
from tokenarium.views.analysis_page import AnalysisPage, TextAnalysisPage
from tokenarium.views.kept import Kept, kept_fields
from tokenarium.views.workspace import Workspace, column
from tokenarium.widgets.analysis.tiles_view import TilesView
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import secondary, small_heading
from tokenarium_core.explaining.sampling import SampledCuts
from tokenarium_core.explaining.ways import Ways


class SampledCutsCard(AnalysisPage):
    """The settings of the sampling, and the most frequent tokenizations, by the tokenizer in front."""

    id, title, analysis = SAMPLE.id, SAMPLE.title, SAMPLE
    views: ClassVar[Mapping[str, Callable[..., Any]]] = {
        "tiles": partial(TilesView, lead_width=7 * GRID)
    }

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._items: list[LibraryItem] = []
        seed = self.controls["seed"].widget
        self.again = QPushButton("Draw again")
        self.again.setToolTip("Draws with the next seed")
        self.again.clicked.connect(lambda: seed.setValue(seed.value() + 1))
        self.dials: dict[str, list[QWidget]] = {}
        for name, control in self.controls.items():
            control.widget.setPrefix("")
            self.dials[name] = [secondary(QLabel(name)), control.widget]
        self.dials["seed"].append(self.again)
        controls = FlowLayout(spacing=GRID)
        for head in chain([small_heading(self.title), self.head[0]], *self.dials.values()):
            head.setFixedHeight(34)
            controls.addWidget(head)
        self.parts["cuts"].put_head(controls)
        column(self.parts["cuts"], into=self)

    def ask(self, text: str, items: list[LibraryItem]) -> None:
        """Samples tokenizations of a text by the first of the tokenizers."""
        self._items = items[:1]
        self.begin(self._items, text)

    def ask_again(self) -> None:
        if self.inputs is not None:
            self.begin(self._items, self.inputs.text)

    @property
    def samples(self) -> SampledCuts | None:
        """The sampled tokenizations."""
        return self.result.found.get(self.inputs.subjects[0].key) if self.inputs else None

    def show_parts(self) -> None:
        super().show_parts()
        assert self.inputs is not None
        used = {"seed", SAMPLE.rule(self.inputs.subjects[0].tokenizer)}
        possible = not self.result.faults or len(self.inputs.text) > LONGEST
        for name, widgets in self.dials.items():
            for widget in widgets:
                widget.setVisible(possible and name in used)

    def more_program(self) -> tuple[str, str]:
        if self.samples is None:
            return "", ""
        values = ", ".join(f"{name}={one.value!r}" for name, one in self.controls.items())
        return (
            "from tokenarium.analyses.sample import SAMPLE",
            "\nin_front = dict([*TOKENIZERS.items()][:1])"
            f"\ncuts = SAMPLE.run(in_front, TEXT, {values}).rows  # drawn at random\n",
        )


class WaysPage(TextAnalysisPage):
    """The analysis, a button that copies its number, and a card of random tokenizations."""

    id, title, analysis = WAYS.id, WAYS.title, WAYS

    def __init__(self, workspace: Workspace) -> None:
        self.sampling = SampledCutsCard(workspace)
        super().__init__(workspace)

    def more_parts(self) -> list[QWidget]:
        return [self.sampling]

    @property
    def head(self) -> list[QWidget]:
        self.copy = GlyphButton("Copy the number", "copy")
        self.copy.setToolTip("Copies the number of the tokenizer in front, with all its digits")
        self.copy.clicked.connect(self._copy)
        return [*super().head, self.copy]

    @property
    def front(self) -> Ways | None:
        """The count by the tokenizer in front."""
        return self.result.found.get(self.inputs.subjects[0].key) if self.inputs else None

    def show_parts(self) -> None:
        super().show_parts()
        self.copy.setEnabled(self.front is not None)

    def _copy(self) -> None:
        if self.front is not None:
            QGuiApplication.clipboard().setText(all_digits(self.front.count))

    def ask(self, text: str, items: list[LibraryItem]) -> None:
        super().ask(text, items)
        self.sampling.ask(text, items)

    def more_program(self) -> tuple[str, str]:
        return self.sampling.more_program()

    @property
    def busy(self) -> bool:
        return super().busy or self.sampling.busy

    def stop(self) -> None:
        super().stop()
        self.sampling.stop()

    def keeps(self) -> Iterable[Kept]:
        return (*super().keeps(), *kept_fields(self.sampling.controls))
