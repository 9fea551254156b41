"""Pages of the workspace Scripts with bars side by side: of the vocabularies, of the text, and of lengths."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout

from tokenarium.models.charts.chart import GroupedBars
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.scripts import script_bars
from tokenarium.models.scripts.script_bars import Scale
from tokenarium.models.scripts.vocabulary_scripts import RULE
from tokenarium.style.theme import GRID, Theme
from tokenarium.views.script_page import (
    CountedVocabulary,
    ScriptHost,
    ScriptPage,
    TokenizerChoice,
    rule_label,
)
from tokenarium.widgets.charts.bar_plot import BarPlot
from tokenarium.widgets.panel import MARGIN, secondary, tool_button

SCALES = (
    ("script_share", "Share"),
    ("script_log", "Log"),
    ("script_difference", "Difference"),
    ("script_ratio", "Ratio"),
)
"""The actions that choose what the bars mean, with the short texts of their buttons."""

TEXT_RULE = "Counts the tokens that the text above is cut into, not the vocabulary: a token that comes twice counts twice."
LENGTH_RULE = "A bar holds the middle half of a script's entries by their length, in whole characters with any leading blank. "


class _BarsPage(ScriptPage):
    """A plot of bars over the rule by which they are counted."""

    rule = RULE

    def __init__(self, host: ScriptHost) -> None:
        super().__init__(host)
        self.plot = BarPlot(self.title, host.theme)
        self.plot.problem.connect(self.session.problem)
        self.plot.saved.connect(self.session.saved)
        self.plot.picked.connect(self._pick)
        self.rule_label = rule_label(self.rule)
        self._classes: list[int] = []
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(MARGIN, GRID, MARGIN, GRID)
        self._rows.setSpacing(GRID // 2)
        self._add_controls()  # before the plot, also for the Tab key
        self._rows.addWidget(self.plot, 1)
        self._rows.addWidget(self.rule_label)

    def _add_controls(self) -> None:
        """Adds what chooses how the bars are drawn."""

    def show_theme(self, theme: Theme) -> None:
        self.plot.set_theme(theme)

    def focus_first(self) -> None:
        self.plot.canvas.setFocus()

    def _show(self, chart: GroupedBars, classes: list[int], note: str = "") -> None:
        self._classes = classes
        self.plot.show_chart(chart, note)

    def _pick(self, place: int) -> None:
        self.host.pick(self._classes[place])


class SharesPage(_BarsPage):
    """What share of each vocabulary the scripts have."""

    id = "vocabulary"
    title = "Vocabularies by script"
    what, of = "entries", "the vocabulary"

    def __init__(self, host: ScriptHost) -> None:
        super().__init__(host)
        self.scale: Scale = "share"
        self._reference = ""

    def _add_controls(self) -> None:
        self.reference = TokenizerChoice(
            "Reference", "The tokenizer that Difference and Ratio hold the others against"
        )
        self.reference.activated.connect(self._choose_reference)
        self._against = secondary(QLabel("against"))
        self._against.setBuddy(self.reference)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID // 2)
        self.buttons = [tool_button(action, text) for action, text in self.host.help_with(*SCALES)]
        for button in self.buttons:
            row.addWidget(button)
        row.addSpacing(GRID)
        row.addWidget(self._against)
        row.addWidget(self.reference)
        row.addStretch(1)
        self._rows.addLayout(row)

    def counts(
        self, counted: CountedVocabulary
    ) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
        """Returns how many entries are of each class; None where that cannot be told."""
        return counted.use.counts

    def set_scale(self, scale: Scale) -> None:
        """Chooses what the bars mean."""
        self.scale = scale
        self.refresh()

    def set_reference(self, key: str) -> None:
        """Holds the others against this tokenizer."""
        self._reference = key
        self.refresh()

    def refresh(self) -> None:
        tokenizers = self.host.counted
        self.reference.fill(tokenizers, self._reference)
        compares = self.scale in ("difference", "ratio")
        self.reference.setEnabled(compares)
        self._against.setEnabled(compares)
        found = [(one, self.counts(one)) for one in tokenizers]
        shown = [
            script_bars.ScriptCounts(one.entry.name, one.entry.colour, counts)
            for one, counts in found
            if counts is not None
        ]
        keys = [one.entry.key for one, counts in found if counts is not None]
        chosen = self.reference.currentData()
        reference = keys.index(chosen) if chosen in keys else 0
        note = ""
        if compares and len(shown) < 2:
            note = "Turn on a second tokenizer: then it is held against the reference."
            shown = []
        self._show(*script_bars.share_bars(shown, self.scale, reference, self.what, self.of), note)

    def _choose_reference(self) -> None:
        self.set_reference(self.reference.currentData())


class TextPage(SharesPage):
    """What share of the tokens of the text the scripts have."""

    id = "text"
    title = "Tokens of the text by script"
    what, of = "tokens", "the text's tokens"
    rule = f"{TEXT_RULE} {RULE}"

    @property
    def needs_text(self) -> bool:
        return True

    def counts(
        self, counted: CountedVocabulary
    ) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
        encoded = self.session.encoded(counted.entry.key)
        if encoded is None or encoded.encoding is None:
            return None
        return counted.use.used_by(array_of(encoded.encoding.ids))


class LengthsPage(_BarsPage):
    """How long the entries of each script are."""

    id = "lengths"
    title = "Length of entries by script"
    rule = LENGTH_RULE + RULE

    def refresh(self) -> None:
        vocabularies = [(one.entry.name, one.entry.colour, one.use) for one in self.host.counted]
        self._show(*script_bars.length_bars(vocabularies))
