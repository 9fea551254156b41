"""Which figures the user has chosen to see, and what they are about."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal


class FigureChoice(QObject):
    """The columns and languages of comparisons, and what the counts of tokens are compared with."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: frozenset[str] = frozenset()
        """The figures of a comparison that are shown, by their ids; empty: the key ones."""
        self.languages_out: frozenset[str] = frozenset()
        """The languages, by their codes or the names of their files, that are left out of comparisons."""
        self.context_tokens = 0
        """The size of a context window in tokens; 0 if none was entered."""
        self.price_per_million = 0.0
        """The price of a million tokens, in any currency; 0 if none was entered."""

    def show_columns(self, ids: Iterable[str]) -> None:
        """Shows these figures in comparisons, and no others."""
        self._set(columns=frozenset(ids))

    def leave_out(self, languages: Iterable[str]) -> None:
        """Leaves these languages out of comparisons, and no others."""
        self._set(languages_out=frozenset(languages))

    def set_cost(self, context_tokens: int, price_per_million: float) -> None:
        """Sets what the counts of tokens are compared with."""
        self._set(context_tokens=context_tokens, price_per_million=price_per_million)

    def _set(self, **values: object) -> None:
        if any(getattr(self, name) != value for name, value in values.items()):
            vars(self).update(values)
            self.changed.emit()
