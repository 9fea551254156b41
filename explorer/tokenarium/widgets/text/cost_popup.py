"""A popup for the context window and the price with which token counts are compared."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QLabel, QPushButton, QSpinBox, QWidget

from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import named, secondary
from tokenarium.widgets.popup import Popup
from tokenarium.widgets.term_marks import with_term

WIDTH = 352
NOT_ENTERED = "not entered"


class CostPopup(Popup):
    """Two fields; 0 is "not entered"."""

    changed = Signal(int, float)
    """The size of the context window in tokens, and the price of a million tokens."""
    prices_wanted = Signal()
    """To enter the prices of models."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("What tokens cost")
        self.context = named(QSpinBox(), "Context window in tokens")
        self.context.setRange(0, 1_000_000_000)
        self.context.setSingleStep(1000)
        self.context.setGroupSeparatorShown(True)
        self.price = named(QDoubleSpinBox(), "Price of a million tokens of any other model")
        self.price.setRange(0, 1_000_000)
        self.price.setDecimals(3)
        self.price.setSingleStep(0.1)
        form = QFormLayout()
        form.setVerticalSpacing(GRID)
        form.addRow(with_term(QLabel("Context window, tokens"), "context window"), self.context)
        form.addRow("Price, other models", self.price)
        self.models = QPushButton("Prices of models …")
        self.models.setToolTip("Enters what a million tokens of each model cost, in and out")
        self.models.setAutoDefault(False)
        self.models.clicked.connect(self._ask_for_models)
        for field in (self.context, self.price):
            field.setSpecialValueText(NOT_ENTERED)
            field.setKeyboardTracking(False)
            field.valueChanged.connect(self._say)
        about = (
            "Each card then shows how much of the window the text fills, and what it costs. Prices are of a million"
            " tokens."
        )
        note = secondary(QLabel(about, wordWrap=True))
        in_column(form, self.models, note, into=self, spacing=GRID, margins=CARD_MARGIN)
        self.setFixedWidth(WIDTH)

    def open_under(self, widget: QWidget, context_tokens: int, price_per_million: float) -> None:
        """Shows these figures under a widget."""
        for field, value in ((self.context, context_tokens), (self.price, price_per_million)):
            field.blockSignals(True)
            field.setValue(value)  # type: ignore[arg-type]  # each has its own type of number
            field.blockSignals(False)
        self.adjustSize()
        place = widget.mapTo(widget.window(), QPoint(0, widget.height() + 4))
        left = max(0, min(place.x(), widget.window().width() - self.width()))
        self.move(widget.window().mapToGlobal(QPoint(left, place.y())))
        self.show()
        self.context.setFocus()
        self.context.selectAll()

    def _ask_for_models(self) -> None:
        self.close()
        self.prices_wanted.emit()

    def _say(self) -> None:
        self.changed.emit(self.context.value(), self.price.value())
