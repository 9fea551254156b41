"""The dialog with the prices of models."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from tokenarium.models.compare.prices import PriceList
from tokenarium.session.session import Session
from tokenarium.widgets.compare.prices_dialog import PricesDialog


class PricingCommands:
    """Opens the dialog; what it changes can be undone."""

    def __init__(self, session: Session, window: QWidget) -> None:
        self._session = session
        self._window = window
        self.dialog: PricesDialog | None = None

    @property
    def busy(self) -> bool:
        """Whether work is running for it: never."""
        return False

    def stop(self) -> None:
        """Closes the dialog."""
        if self.dialog is not None:
            self.dialog.close()

    def edit_prices(self) -> None:
        """Shows the dialog with the prices that were entered."""
        if self.dialog is not None:
            self.dialog.close()
            self.dialog.deleteLater()
        front = self._session.current
        items = sorted(self._session.library, key=lambda item: (item is not front, not item.on))
        names = [(item.key, item.display_name) for item in items]
        self.dialog = PricesDialog(self._session.figures.price_list, names, self._window)
        self.dialog.entered.connect(self._change)
        self.dialog.resize(self.dialog.size().boundedTo(self._window.size()))
        self.dialog.open()

    def _change(self, prices: PriceList) -> None:
        figures = self._session.figures
        before = figures.price_list
        if prices != before:
            self._session.edits.change(
                "Change prices",
                lambda: figures.set_prices(prices),
                lambda: figures.set_prices(before),
            )
