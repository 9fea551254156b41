"""The prices of models: a row for each, with its tokenizer and what a million tokens cost."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from tokenarium.models.compare.prices import (
    LONGEST_CURRENCY,
    LONGEST_MODEL,
    MOST_PRICE,
    MOST_PRICES,
    Price,
    PriceList,
)
from tokenarium.models.counted import cleaned
from tokenarium.style.icons import icon
from tokenarium.style.theme import GRID
from tokenarium.widgets.areas import page_area
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import FlatButton, Rule, literal, named, secondary

SIZE = (96 * GRID, 60 * GRID)
NUMBERS = 16 * GRID
REMOVE = 32
"""Pixels of a field for a price, and of the button that removes a row."""

ABOUT = (
    "Enter the prices that your provider lists. They are kept on this computer and never looked up, because they change"
    " often."
)

HEADS = (
    ("Model", 0),
    ("Tokenizer", 0),
    ("In, a million", NUMBERS),
    ("Out, a million", NUMBERS),
)


class PricesDialog(QDialog):
    """Rows that can be added, changed and removed; OK emits all of them together."""

    entered = Signal(object)
    """The new `PriceList`."""

    def __init__(
        self,
        price_list: PriceList,
        tokenizers: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
    ) -> None:
        """``tokenizers``: the keys and the names of those that can be chosen, the most likely first."""
        super().__init__(parent)
        self.setWindowTitle("Prices of models")
        self._tokenizers = tokenizers
        self.rows: list[PriceRow] = []
        self.currency = named(QLineEdit(price_list.currency), "Currency")
        self.currency.setMaxLength(LONGEST_CURRENCY)
        self.currency.setPlaceholderText("$ or EUR")
        self.currency.setFixedWidth(NUMBERS)
        self.more = named(QPushButton(icon("plus"), "Add a model"), "Add a model")
        self.more.setAutoDefault(False)
        self.more.clicked.connect(self._add_next)
        self._head = QWidget()
        model, tokenizer, *numbers = (_head(text, width) for text, width in HEADS)
        in_row(
            (model, 1), (tokenizer, 1), *numbers, _head("", REMOVE),
            into=self._head, spacing=GRID, margins=(0, 0, GRID, 0),
        )  # fmt: skip
        body = QWidget()
        self._body = in_column(STRETCH, into=body, spacing=GRID, margins=(0, 0, GRID, 0))
        self.area = page_area(body)
        self.problem = literal(QLabel(wordWrap=True))
        self.problem.setForegroundRole(QPalette.ColorRole.BrightText)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        for button in self.buttons.buttons():
            button.setIcon(QIcon())
        self.buttons.accepted.connect(self._enter)
        self.buttons.rejected.connect(self.reject)
        label = QLabel("Currency of all prices")
        label.setBuddy(self.currency)
        in_column(
            secondary(QLabel(ABOUT, wordWrap=True)),
            in_row(label, self.currency, STRETCH, self.more, spacing=GRID),
            Rule(),
            self._head,
            (self.area, 1),
            self.problem,
            self.buttons,
            into=self,
            spacing=GRID,
            margins=2 * GRID,
        )
        for price in price_list.prices:
            self._add(price)
        if not self.rows:
            self._add(Price("", tokenizers[0][0] if tokenizers else "", 0.0))
        self._follow()
        self.resize(*SIZE)

    def _add_next(self) -> None:
        key = self.rows[-1].tokenizer.currentData() if self.rows else self._tokenizers[0][0]
        row = self._add(Price("", key, 0.0))
        self._follow()
        row.model.setFocus()
        self.area.ensureWidgetVisible(row)

    def _add(self, price: Price) -> PriceRow:
        row = PriceRow(price, self._tokenizers)
        row.removed.connect(self._remove)
        self.rows.append(row)
        self._body.insertWidget(self._body.count() - 1, row)
        return row

    def _remove(self, row: PriceRow) -> None:
        self.rows.remove(row)
        row.setParent(None)
        row.deleteLater()
        self._follow()
        self.more.setFocus()

    def _follow(self) -> None:
        self.more.setEnabled(len(self.rows) < MOST_PRICES and bool(self._tokenizers))
        self._head.setVisible(bool(self.rows))
        self.say("")

    def say(self, problem: str) -> None:
        """Says what has to be changed; nothing for an empty sentence."""
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _enter(self) -> None:
        prices = []
        for row in self.rows:
            if row.is_empty:
                continue
            price = row.price
            if price is None:
                name = row.model.text().strip()
                self.say(f"Enter a price of {name}, or remove its row.")
                row.input.setFocus()
                return
            prices.append(price)
        try:
            price_list = PriceList(tuple(prices), cleaned(self.currency.text()))
        except ValueError as error:
            self.say(str(error))
            return
        self.entered.emit(price_list)
        self.accept()


class PriceRow(QWidget):
    """The fields of one price; 0 is "not entered"."""

    removed = Signal(object)
    """Itself."""

    def __init__(self, price: Price, tokenizers: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.model = named(QLineEdit(price.model), "Model")
        self.model.setMaxLength(LONGEST_MODEL)
        self.model.setPlaceholderText("any model")
        self.tokenizer = named(QComboBox(), "Tokenizer")
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.tokenizer.setSizeAdjustPolicy(policy)
        self.tokenizer.setMinimumContentsLength(16)
        for key, name in tokenizers:
            self.tokenizer.addItem(name, key)
        if price.tokenizer and self.tokenizer.findData(price.tokenizer) < 0:
            self.tokenizer.addItem(f"{price.tokenizer} (not in the library)", price.tokenizer)
        self.tokenizer.setCurrentIndex(max(self.tokenizer.findData(price.tokenizer), 0))
        self.input = _number("Price of a million tokens of input", price.input)
        self.output = _number("Price of a million tokens of output", price.output)
        self.remove = named(FlatButton(), "Remove this price", "Removes this price")
        self.remove.setIcon(icon("x"))
        self.remove.setFixedSize(REMOVE, REMOVE)
        self.remove.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.remove.clicked.connect(lambda: self.removed.emit(self))
        in_row(
            (self.model, 1), (self.tokenizer, 1), self.input, self.output, self.remove,
            into=self, spacing=GRID,
        )  # fmt: skip

    @property
    def is_empty(self) -> bool:
        """Whether nothing was entered."""
        return not (cleaned(self.model.text()) or self.input.value() or self.output.value())

    @property
    def price(self) -> Price | None:
        """What is entered; None without a price."""
        numbers = [field.value() or None for field in (self.input, self.output)]
        if numbers == [None, None]:
            return None
        return Price(cleaned(self.model.text()), self.tokenizer.currentData(), *numbers)


def _head(text: str, width: int) -> QLabel:
    head = secondary(QLabel(text))
    if width:
        head.setFixedWidth(width)
    return head


def _number(name: str, price: float | None) -> QDoubleSpinBox:
    field = named(QDoubleSpinBox(), name)
    field.setRange(0, MOST_PRICE)
    field.setDecimals(4)
    field.setSingleStep(0.1)
    field.setSpecialValueText("not entered")
    field.setValue(price or 0.0)
    field.setFixedWidth(NUMBERS)
    return field
