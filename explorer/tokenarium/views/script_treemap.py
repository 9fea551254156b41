"""The page Treemap of the workspace Scripts: one vocabulary as an area, and what of it each script has."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout

from tokenarium.models.scripts.script_bars import ScriptCounts, share_bars
from tokenarium.style.theme import GRID, Theme
from tokenarium.views.script_page import ScriptHost, ScriptPage, TokenizerChoice, rule_label
from tokenarium.widgets.charts.treemap import TreemapPlot
from tokenarium.widgets.panel import MARGIN, secondary


class TreemapPage(ScriptPage):
    """The current tokenizer's vocabulary."""

    id = "treemap"
    title = "One vocabulary by script"

    def __init__(self, host: ScriptHost) -> None:
        super().__init__(host)
        self.plot = TreemapPlot(self.title, host.theme)
        self.plot.problem.connect(self.session.problem)
        self.plot.saved.connect(self.session.saved)
        self.plot.picked.connect(self._pick)
        self.choice = TokenizerChoice("Tokenizer", "The tokenizer whose vocabulary is shown")
        self.choice.activated.connect(
            lambda: self.session.set_current(self.choice.currentData() or "")
        )
        self._classes: list[int] = []
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(secondary(QLabel("Vocabulary of")))
        row.addWidget(self.choice)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GRID, MARGIN, GRID)
        layout.setSpacing(GRID // 2)
        layout.addLayout(row)
        layout.addWidget(self.plot, 1)
        layout.addWidget(rule_label())

    def refresh(self) -> None:
        counted = self.host.counted
        current = self.session.current
        self.choice.fill(counted, current.key if current is not None else "")
        one = self.choice.chosen(counted)
        if one is None:
            return
        shown = ScriptCounts(one.entry.name, one.entry.colour, one.use.counts)
        chart, self._classes = share_bars([shown], "share", 0, "entries", "the vocabulary")
        self.plot.set_title(f"{one.entry.name} by script")
        self.plot.show_chart(chart)

    def show_theme(self, theme: Theme) -> None:
        self.plot.set_theme(theme)

    def focus_first(self) -> None:
        self.plot.canvas.setFocus()

    def _pick(self, place: int) -> None:
        self.host.pick(self._classes[place])
