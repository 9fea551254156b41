"""The costs on the page Overview of Compare: what the counted text costs with each model that has a price."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QMenu, QPushButton

from tokenarium.analyses.costs import cost_table, costs_of
from tokenarium.analyses.table import Table
from tokenarium.models.compare.prices import NO_PRICES
from tokenarium.style.fonts import HEADING_SIZE, ui_font
from tokenarium.style.icons import icon
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.views.compare_figures import FiguresPart
from tokenarium.views.workspace import Page, Workspace
from tokenarium.widgets.analysis.result_table import ResultTable
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import CardFrame, named, secondary

EXPORTS = ("copy_comparison", "copy_python", "save_comparison")

NONE_OF_THESE = "No model with these tokenizers has a price."


class CostsPart(Page):
    """A line with buttons, and a row for each model in a card; without prices, a sentence that says how to enter them."""

    id = "costs"
    title = "Costs"

    def __init__(self, workspace: Workspace, figures: FiguresPart) -> None:
        super().__init__(workspace)
        self._figures = figures
        self._costs: Table[Any] | None = None
        self.sentence = secondary(QLabel(wordWrap=True))
        self.prices = QPushButton(icon("currency-circle-dollar"), "Prices …")
        self.prices.clicked.connect(lambda: self.trigger("prices"))
        self.export = named(QPushButton(icon("export"), "Export"), "Export the costs")
        self.export.setToolTip("Copies or saves the costs")
        self.export.clicked.connect(self._open_menu)
        for button in (self.prices, self.export):
            button.setAutoDefault(False)
        self.table = ResultTable("What it costs")
        heading = QLabel("What it costs")
        heading.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        line = in_row(
            heading, (self.sentence, 1), self.prices, self.export,
            spacing=GRID,
        )  # fmt: skip
        card = CardFrame()
        margins = (CARD_MARGIN, GRID, CARD_MARGIN, GRID)
        in_column(line, self.table, into=card, spacing=GRID, margins=margins)
        in_column(card, into=self)
        figures.shown.connect(self.show_costs)
        self.session.figures.changed.connect(self.show_costs)
        self.appearance.changed.connect(self.show_costs)
        self.show_costs()

    def show_costs(self) -> None:
        """Shows what was counted so far at the prices that are entered."""
        choice, found = self.session.figures, []
        for row in self._figures.model.rows:
            figures = self._figures.model.figures(row)
            tokens = figures.value("tokens") if figures is not None else None
            prices = choice.prices_of(row.key)
            if tokens is not None:
                found += costs_of(prices, row.name, int(tokens), row.file, row.colour)
        table: Table[Any] = cost_table(found, choice.price_list.currency)
        self._costs = table if found else None
        if found:
            self.table.show_part(table)
        self.table.setVisible(bool(found))
        self.export.setVisible(bool(found))
        some = bool(choice.price_list.prices or choice.price_per_million)
        self.sentence.setText("" if found else NONE_OF_THESE if some else NO_PRICES)

    def _open_menu(self) -> None:
        menu = QMenu(self.export)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([action for action, _ in self.help_with(*((id, "") for id in EXPORTS))])
        menu.popup(self.export.mapToGlobal(self.export.rect().bottomLeft()))

    def lines(self) -> list[list[str]]:
        return self._costs.lines() if self._costs is not None else []

    def python(self) -> str:
        return self._figures.python("costs", self.title) if self._costs is not None else ""
