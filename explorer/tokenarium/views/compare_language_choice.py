"""The choice of the languages to compare, and of the reference."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QToolButton, QWidget

from tokenarium.models.compare.parallel_texts import ParallelText
from tokenarium.session.session import Session
from tokenarium.style.theme import GRID
from tokenarium.widgets.check_popup import CheckPopup
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.panel import named

ENGLISH = ("en", "eng", "english")


class LanguageChoice(QWidget):
    """A button that opens the list of languages, and a box for the reference.

    The session stores which languages are left out. The reference is one of the compared languages: the one that the
    user chose, or else English, or else the first.
    """

    changed = Signal()  # the languages that are compared, or the reference

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._texts: Sequence[ParallelText] = ()
        self._wanted = ""  # the reference that the user chose
        self.button = QToolButton(autoRaise=True)
        self.button.setToolTip("Which languages are compared (Ctrl+R, G)")
        self.button.clicked.connect(self.open)
        self.popup = CheckPopup("languages", self)
        self.popup.changed.connect(self._take)
        self.reference = named(QComboBox(), "The language that the others are compared with")
        self.reference.setToolTip(
            "The language that the others are compared with; its premium is 1"
        )
        self.reference.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.reference.currentIndexChanged.connect(self._take_reference)
        self._against = QLabel("against")
        in_row(self.button, self._against, self.reference, into=self, spacing=GRID // 2)
        session.figures.changed.connect(self._show)

    @property
    def places(self) -> list[int]:
        """The indices of the compared languages among all."""
        out = self._session.figures.languages_out
        return [index for index, text in enumerate(self._texts) if text.language not in out]

    @property
    def reference_place(self) -> int:
        """The index of the reference among the compared languages."""
        return max(self.reference.currentIndex(), 0)

    def set_texts(self, texts: Sequence[ParallelText]) -> None:
        """Offers different languages; those that were left out by name stay out."""
        self._texts, self._wanted = texts, ""
        self._list()
        self._show()

    def set_compares(self, compares: bool) -> None:
        """Shows the reference only if the texts have the same content and can be compared with it."""
        self._against.setVisible(compares)
        self.reference.setVisible(compares)

    def refer_to(self, language: str) -> bool:
        """Measures the others against a language, by its code; returns whether it is one of them."""
        place = self.reference.findData(language)
        if place >= 0:
            self.reference.setCurrentIndex(place)
        return place >= 0

    def open(self) -> None:
        """Opens the list of all languages, to tick the ones to compare."""
        self._list()
        self.popup.open_under(self.button)

    def _list(self) -> None:
        chosen = [self._texts[place].language for place in self.places]
        self.popup.set_choices([(text.language, text.title) for text in self._texts], chosen)

    def _take(self, ticked: frozenset[str]) -> None:
        """Leaves out the unticked languages; those of other texts stay as they were."""
        here = {text.language for text in self._texts}
        self._session.figures.leave_out(
            (self._session.figures.languages_out - here) | (here - ticked)
        )

    def _take_reference(self) -> None:
        self._wanted = self.reference.currentData() or ""
        self.changed.emit()

    def _show(self) -> None:
        chosen = [self._texts[place] for place in self.places]
        total = len(self._texts)
        count = f"{len(chosen)} of {total} languages"
        if len(chosen) == total:
            count = f"All {total} languages"
        self.button.setText(f"{count} ▾")
        self.button.setAccessibleName(f"Choose the languages: {count}")
        codes = [text.language for text in chosen]
        english = (code for code in codes if code.casefold() in ENGLISH)
        with QSignalBlocker(self.reference):
            self.reference.clear()
            for text in chosen:
                self.reference.addItem(text.title, text.language)
            if self._wanted in codes:
                self.reference.setCurrentIndex(codes.index(self._wanted))
            elif codes:
                self.reference.setCurrentIndex(codes.index(next(english, codes[0])))
        self.reference.setEnabled(bool(chosen))
        self.changed.emit()
