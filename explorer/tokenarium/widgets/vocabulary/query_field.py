"""The filter of a vocabulary, with completions, a chip for each term, and a menu of terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QCompleter,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QToolButton,
    QWidget,
)

from tokenarium.models.text.qt_text import as_tip, on_button
from tokenarium.models.vocabulary.query_line import Completion, QueryChoice
from tokenarium.style.icons import icon
from tokenarium.style.theme import CONTROL_HEIGHT, GRID, PAGE_MARGIN, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import FlowLayout, in_column, in_row
from tokenarium.widgets.panel import menu_button, named

PLACEHOLDER = "the script:latin len:3-5 type:normal bytes:f09f re:^Ġ.*ing$ flag:splits"
TERM = Qt.ItemDataRole.UserRole + 1
CHIP_HEIGHT = 3 * GRID


class QueryField(Themed, QWidget):
    """An input line, and below it the result or an error, with a chip for each term."""

    edited = Signal(object)  # a str: Qt would take a byte order mark from it
    term_dropped = Signal(int)  # the index of a term

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._completion: Completion | None = None
        self.ask: Callable[[str, int], Completion | None] = lambda line, cursor: None
        self.line = named(QLineEdit(placeholderText=PLACEHOLDER), "Filter of the entries")
        self.line.setToolTip(
            "Terms separated by spaces, all of which must match; a word matches in the text of an entry. !flag:splits negates a "
            "term; what contains spaces must be in quotes, except after re:, which reaches to the next key."
        )
        self.line.setClearButtonEnabled(True)
        self.line.setMinimumHeight(CONTROL_HEIGHT)
        self._keys = ShortcutFirst(self.line)
        self.menu = QMenu(self, toolTipsVisible=True)
        self.more = menu_button("Filter", "Add a filter", self.menu)
        self.more.setIcon(icon("funnel"))
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more.setAutoRaise(False)
        self.more.setMinimumHeight(CONTROL_HEIGHT)
        self.more.setToolTip("Adds a term to the filter")
        self.status = named(QLabel(textFormat=Qt.TextFormat.PlainText), "What was found")
        self.status.setMinimumHeight(CHIP_HEIGHT)
        self.follow_theme()
        self.chips: list[QToolButton] = []
        self._chip_texts: list[str] = []
        self._choices = QStandardItemModel(self)
        self.completer = QCompleter(self._choices, self, maxVisibleItems=10)
        self.completer.setWidget(self.line)
        self.completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.popup = named(QListView(), "Completions of the filter")
        self.completer.setPopup(self.popup)
        below = QWidget()
        self._flow = FlowLayout(below, GRID)
        self._flow.addWidget(self.status)
        self._row = in_row((self.line, 1), self.more, spacing=GRID)
        in_column(
            self._row,
            below,
            into=self,
            spacing=GRID // 2,
            margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID // 2),
        )
        self.line.textEdited.connect(self._take)
        self.completer.activated[QModelIndex].connect(self._complete)  # type: ignore[index]

    def dress(self, theme: Theme) -> None:
        self._colour_status(bool(self.status.property("wrong")))

    def add_buttons(self, buttons: Sequence[QWidget]) -> None:
        """Adds buttons for what the filter finds, at the end of the line."""
        for button in buttons:
            self._row.addWidget(button)

    @property
    def text(self) -> str:
        """The current filter."""
        return self.line.text()

    def set_text(self, line: str) -> None:
        """Sets the filter, and emits ``edited``."""
        self.line.setText(line)
        self.edited.emit(line)

    def say(self, sentence: str, wrong: bool = False) -> None:
        """Shows the result or a problem; with a problem the outdated chips are hidden."""
        self.status.setText(sentence)
        for chip in self.chips:
            chip.setHidden(wrong)
        self._flow.invalidate()
        if bool(self.status.property("wrong")) != wrong or wrong:
            self._colour_status(wrong)

    def show_chips(self, chips: Sequence[tuple[str, str]]) -> None:
        """Shows a chip for each term: its text and its meaning."""
        texts = [text for text, _ in chips]
        if texts == self._chip_texts:
            return
        self._chip_texts = texts
        for button in self.chips[len(chips) :]:
            self._flow.removeWidget(button)
            button.setParent(None)
            button.deleteLater()
        del self.chips[len(chips) :]
        for place, (text, about) in enumerate(chips):
            if place == len(self.chips):
                button = QToolButton()
                button.setFixedHeight(CHIP_HEIGHT)
                button.clicked.connect(lambda _=False, place=place: self.term_dropped.emit(place))
                self.chips.append(button)
                self._flow.addWidget(button)
                QWidget.setTabOrder(self.chips[place - 1] if place else self.more, button)
                button.show()
            button = self.chips[place]
            button.setText(on_button(f"{text} ✕"))
            button.setToolTip(as_tip(f"{about}. Click to remove it."))
            button.setAccessibleName(f"Take out {text}")
        self._flow.invalidate()

    def set_menu(
        self, sections: Sequence[tuple[str, Sequence[QueryChoice]]], pick: Callable[[str], object]
    ) -> None:
        """Fills the menu with submenus of terms; one without terms becomes the item ``key:``."""
        self.menu.clear()
        for title, choices in sections:
            menu = self.menu.addMenu(title) if len(choices) > 1 else self.menu
            for choice in choices:
                count = f"\t{choice.count:,}" if choice.count >= 0 else ""
                name = (
                    choice.about[:1].upper() + choice.about[1:] if menu is not self.menu else title
                )
                action = QAction(on_button(f"{name}{count}"), menu)
                action.setToolTip(as_tip(choice.text))
                action.triggered.connect(lambda _=False, text=choice.text: pick(text))
                menu.addAction(action)

    # Completing.

    def _take(self, line: str) -> None:
        self.edited.emit(line)
        self._offer()

    def _offer(self) -> None:
        completion = self._completion = self.ask(self.line.text(), self.line.cursorPosition())
        if completion is None:
            self.popup.hide()
            return
        self._choices.clear()
        for choice in completion.choices:
            about = f"{choice.count:,}" if choice.count >= 0 else choice.about
            item = QStandardItem(f"{choice.text}   {about}")
            item.setToolTip(as_tip(choice.about))
            item.setData(choice.text, TERM)
            self._choices.appendRow(item)
        self.completer.complete()

    def _complete(self, index: QModelIndex) -> None:
        text, completion = index.data(TERM), self._completion
        if not isinstance(text, str) or completion is None:
            return
        line = self.line.text()
        tail = line[completion.end :]
        blank = "" if text.endswith(":") or tail[:1].isspace() else " "
        self.line.setText(line[: completion.start] + text + blank + tail)
        self.line.setCursorPosition(completion.start + len(text) + len(blank))
        self.edited.emit(self.line.text())
        if text.endswith(":"):
            self._offer()

    def _colour_status(self, wrong: bool) -> None:
        self.status.setProperty("wrong", wrong)
        palette = self.status.palette()
        colour = self.theme.bad if wrong else self.theme.dim
        palette.setColor(QPalette.ColorRole.WindowText, colour)
        self.status.setPalette(palette)
