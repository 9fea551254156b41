"""Messages at the left, and at the right the text that a template makes from them, as tokens by role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.models.chat.chat_figures import ChatFigures
from tokenarium.models.chat.chat_tokens import ChatTokens
from tokenarium.models.chat.conversation import Message, next_role
from tokenarium.models.chat.tool_schemas import sample_call
from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.theme import GRID, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.chat.inputs_page import InputsPage
from tokenarium.widgets.chat.message_list import MessageList
from tokenarium.widgets.chat.safe_page import SafePage
from tokenarium.widgets.chat.source_edit import SourceEdit
from tokenarium.widgets.chat.warning_list import WarningList
from tokenarium.widgets.flat_table import FlatTree
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, close_buttons, named, secondary, size_within
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.term_marks import with_term
from tokenarium.widgets.text.legend import LOST, Legend, LegendEntry, lost_entry
from tokenarium.widgets.text.token_view import TokenView

NOTHING = "The template writes nothing for these messages."


class ChatDialog(Themed, QDialog):
    """The messages and their tokens. It emits changes; its owner renders and encodes."""

    changed = Signal()  # the messages, or whether there is a generation prompt
    template_picked = Signal(int)  # the index of a choice
    source_edited = Signal(str)
    file_requested = Signal()
    reset_requested = Signal()
    sample_requested = Signal()
    paste_requested = Signal()
    use_requested = Signal()
    ids_toggled = Signal(bool)
    pointed = Signal(int)  # the number of a token, -1 for none

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ChatFigures | None = None
        self._selected = (-1, -1)
        self.setWindowTitle("Chat")
        self.problem = QLabel()
        self.problem.setForegroundRole(QPalette.ColorRole.BrightText)
        self.notes = secondary(QLabel())
        for label in (self.problem, self.notes):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.hide()
        self.splitter = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self.splitter.setHandleWidth(2 * GRID)
        self.splitter.addWidget(self._left())
        self.splitter.addWidget(self._right())
        self.splitter.setStretchFactor(0, 2)
        self.splitter.setStretchFactor(1, 3)
        self.splitter.setSizes([2000, 3000])
        in_column(
            self._head(),
            self.problem,
            (self.splitter, 1),
            self._foot(),
            into=self,
            spacing=GRID,
            margins=2 * GRID,
        )
        self.messages.changed.connect(self.changed)
        self.prompt.toggled.connect(lambda _: self.changed.emit())
        self.follow_theme()

    # Construction.

    def _head(self) -> QHBoxLayout:
        label = QLabel("&Template")
        self.choice = named(QComboBox(minimumContentsLength=24), "Chat template")
        self.choice.setToolTip("Which template writes the messages as one text")
        self.choice.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        label.setBuddy(self.choice)
        self.file = QPushButton("&Open …", autoDefault=False)
        self.file.setToolTip(
            "Reads a conversation in JSON, a tokenizer_config.json, or a template file"
        )
        self.origin = secondary(ElidedLabel())
        self.origin.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.running = secondary(QLabel("The template is running …"))
        self.running.hide()
        self.choice.activated.connect(self.template_picked)
        self.file.clicked.connect(self.file_requested)
        return in_row(
            with_term(label, "chat template"),
            self.choice,
            self.file,
            (self.origin, 1),
            (self.running, 1),
            spacing=GRID,
        )

    def _left(self) -> QWidget:
        self.messages = MessageList()
        self.add = _push("&Add", "Adds a message at the end")
        self.sample = _push("&Sample", "Inserts a conversation in three languages")
        self.paste = _push("Pas&te", "Pastes a conversation in JSON, with its tools")
        self.back = _push("&Put back", "Restores what was last removed or replaced")
        self.back.setEnabled(False)
        self.prompt = QCheckBox("&Generation prompt")
        self.prompt.setToolTip("Ends the text with the prompt for the assistant's answer")
        self.source = SourceEdit("Source of the chat template", "A template in Jinja")
        self.inputs = InputsPage()
        self.safe = SafePage()
        self.names = secondary(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText))
        self.reset = _push("&Reset", "Undoes all changes to the source")
        self.add.clicked.connect(self._add)
        self.sample.clicked.connect(self.sample_requested)
        self.paste.clicked.connect(self.paste_requested)
        self.reset.clicked.connect(self.reset_requested)
        self.inputs.changed.connect(self.messages.change_inputs)
        self.inputs.call_requested.connect(self._add_call)
        self.safe.part_pointed.connect(self._show_part)
        self.messages.can_put_back.connect(self.back.setEnabled)
        self.back.clicked.connect(self.messages.put_back)
        self.source.textChanged.connect(
            lambda: self.source_edited.emit(into_qt(self.source.text()))
        )
        self.tabs = named(QTabBar(drawBase=False, expanding=False), "Messages, template and more")
        for title in ("Messages", "Template", "Tools and variables", "Safe encoding"):
            self.tabs.addTab(title)
        self.pages = QStackedWidget()
        self.pages.addWidget(
            _page(
                self.messages,
                [self.prompt],
                [self.add, self.sample, self.paste, self.back, None],
            )
        )
        self.pages.addWidget(_page(self.source, [self.names, self.reset]))
        self.pages.addWidget(self.inputs)
        self.pages.addWidget(self.safe)
        self.tabs.currentChanged.connect(self.pages.setCurrentIndex)
        left = QWidget()
        in_column(self.tabs, (self.pages, 1), into=left, spacing=GRID)
        left.setMinimumWidth(38 * GRID)
        return left

    def _right(self) -> QWidget:
        self.warnings = WarningList()
        self.warnings.pointed.connect(self._show_place)
        self.colours = named(
            Segmented(("By role", "By source")),
            "Colours of the tokens",
            "Colours the tokens by the role of their part, or by what their text comes from:"
            " the template, a message, a tool",
        )
        self.colours.currentChanged.connect(lambda _: self._show_tokens())
        self.legend = named(Legend(), "Colours")
        self.view = named(TokenView(), "Tokens of the chat")
        self.view.set_empty_text(NOTHING)
        self.view.setMinimumHeight(12 * GRID)
        self.table = RoleTable()
        self.legend.picked.connect(self._go_to)
        self.view.picked.connect(self._pick)
        self.view.hovered.connect(self._hover)
        right = QWidget()
        rows = in_column(
            self.warnings,
            in_row(self.colours, STRETCH),
            self.legend,
            self.view,
            self.table,
            self.notes,
            into=right,
            spacing=GRID,
        )
        rows.setStretchFactor(self.view, 1)
        right.setMinimumWidth(38 * GRID)
        area = FitArea(right, fills=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setMinimumWidth(38 * GRID)
        for part in (right, area.viewport()):
            part.setBackgroundRole(QPalette.ColorRole.Window)  # the width of the dialog
        return area

    def _foot(self) -> QHBoxLayout:
        self.ids = QCheckBox("&Ids")
        self.ids.setToolTip("Writes each token's id under it, here and in the window")
        self.ids.toggled.connect(self.ids_toggled)
        self.where = secondary(ElidedLabel())
        self.where.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        buttons = close_buttons(self)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        self.use = buttons.addButton("&Use as the text", QDialogButtonBox.ButtonRole.ActionRole)
        self.use.setToolTip(
            "Replaces the text of the window, and turns on recognition of special tokens"
        )
        for button in (close, self.use):
            button.setAutoDefault(False)
        self.use.clicked.connect(self.use_requested)
        return in_row(self.ids, (self.where, 1), buttons, spacing=2 * GRID)

    def open_over(self, window: QWidget) -> None:
        """Opens the dialog over a window, or brings it to the front."""
        if not self.isVisible():
            self.resize(size_within(window, 152 * GRID, 96 * GRID))
        self.show()
        self.raise_()

    # Display.

    def set_choices(self, titles: Sequence[str], current: int) -> None:
        """Lists templates; does not emit ``template_picked``."""
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItems(titles)
            self.choice.setCurrentIndex(current)

    def set_template(self, source: str, origin: str, names: str, edited: bool) -> None:
        """Shows a template: its source, its origin, and the special tokens that it may name."""
        self.origin.setText(origin)
        self.names.setText(names)
        self.reset.setEnabled(edited)
        with QSignalBlocker(self.source):
            self.source.set_text(source)

    def set_ids_shown(self, shown: bool) -> None:
        """Sets the switch for ids under the tokens; emits nothing."""
        with QSignalBlocker(self.ids):
            self.ids.setChecked(shown)

    def show_problem(self, sentence: str, line: int = 0) -> None:
        """Shows a problem of the template, and marks its line; "" removes it."""
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))
        self.source.mark(line)

    def show_running(self, running: bool) -> None:
        """Shows that the template is still running, instead of its origin."""
        self.running.setVisible(running)
        self.origin.setVisible(not running)

    def show_chat(self, text: TextMap, figures: ChatFigures | None, notes: str) -> None:
        """Shows a text with its tokens, as far as they are known."""
        self._shown = figures
        self.view.set_text_map(text)
        self._show_tokens()
        self._pick(-1, -1)
        self.view.set_pointed(-1, -1)
        self.notes.setText(notes)
        self.notes.setVisible(bool(notes))
        self.warnings.show_warnings(figures.warnings if figures is not None else [])
        self.use.setEnabled(text.byte_count > 0)

    @property
    def by_source(self) -> bool:
        """Whether the tokens are coloured by source."""
        return self.colours.currentIndex() == 1

    def dress(self, theme: Theme) -> None:
        self._show_counts()

    def _show_tokens(self) -> None:
        """Shows the tokens in the colours that are chosen."""
        if self._shown is None:
            self.view.show_parts(TextParts.empty())
        else:
            tokens = self._shown.tokens
            parts = self._shown.sources.parts if self.by_source else tokens.parts
            self.view.show_parts(parts, tokens.losing)
        self._show_counts()

    def _show_counts(self) -> None:
        entries: list[LegendEntry] = []
        tokens = self._shown.tokens if self._shown is not None else None
        if self._shown is not None:
            rows = (
                [(row.source, row.tokens, row.colour) for row in self._shown.sources.rows]
                if self.by_source
                else [(row.role, row.tokens, row.colour) for row in self._shown.tokens.rows]
            )
            entries = [
                LegendEntry(name, count, self.theme.rule_brushes(colour))
                for name, count, colour in rows
            ]
        if tokens is not None and tokens.lost:
            entries.append(lost_entry(tokens.lost, self.theme))
        self.legend.setEntries(entries)
        self.legend.setVisible(bool(entries))
        self.legend.focus_before(self.view)
        self.table.show_rows(None if self.by_source else tokens)

    def _add(self) -> None:
        self.messages.add(Message(next_role(self.messages.messages()), ""))

    def _add_call(self, tool: Mapping[str, Any]) -> None:
        self.tabs.setCurrentIndex(0)
        self.messages.add(*sample_call(tool, len(self.messages.cards) + 1))

    # Pointing.

    def _go_to(self, role: str) -> None:
        """Selects the next token of a role, or lost part, after the selection; after the last, the first."""
        if role == LOST:
            place = self.view.next_lost(self._selected[0])
            if place is not None:
                self._show_place(*place)
            return
        parts = self.view.parts
        if parts.rules is None or self._shown is None:
            return
        names = (
            [row.source for row in self._shown.sources.rows]
            if self.by_source
            else [row.role for row in self._shown.tokens.rows]
        )
        places = np.flatnonzero(parts.rules[:] == names.index(role))
        if len(places):
            after = int(np.searchsorted(parts.starts[:][places], self._selected[1], side="left"))
            self._show_place(*parts.span(int(places[after % len(places)])))

    def _show_place(self, start: int, end: int) -> None:
        """Selects a part of the text, in bytes."""
        self._pick(start, end)
        self.view.ensureVisible(start)

    def _show_part(self, number: int) -> None:
        if self._shown is not None:
            part = self._shown.safe[number]
            text = self.view.text_layout.text_map
            start, end = text.char_to_byte([part.start, part.start + len(part.text)]).tolist()
            self._show_place(start, end)

    def _pick(self, start: int, end: int) -> None:
        self._selected = start, end
        self.view.set_highlight(start, end)
        self._tell(start)

    def _hover(self, start: int, end: int) -> None:
        self.view.set_pointed(start, end)
        self._tell(start if start >= 0 else self._selected[0])

    def _tell(self, start: int) -> None:
        self.pointed.emit(self.view.parts.at(start) if start >= 0 else -1)


def _page(body: QWidget, *below: Sequence[QWidget | None]) -> QWidget:
    """Returns a widget above lines of others; None is a stretch."""
    page = QWidget()
    rows = in_column((body, 1), into=page, spacing=GRID)
    for widgets in below:
        line = QHBoxLayout()
        line.setSpacing(GRID)
        for widget in widgets:
            if widget is None:
                line.addStretch(1)
            else:
                line.addWidget(widget, 1 if isinstance(widget, QLabel) else 0)
        rows.addLayout(line)
    return page


def _push(text: str, tip: str) -> QPushButton:
    button = QPushButton(text, autoDefault=False)
    button.setToolTip(tip)
    return button


ROLE, MESSAGES, TOKENS, ADDED = range(4)
COLUMNS = ("Role", "Messages", "Tokens", "By the template")
MOST_ROWS = 8
"""The most rows that are visible before the table scrolls."""


class RoleTable(FlatTree):
    """A row with the total, and one for each role in the order of the text."""

    def __init__(self) -> None:
        numbers = (MESSAGES, TOKENS, ADDED)
        super().__init__("Tokens by role", COLUMNS, numbers=numbers, growing=(ROLE,))
        self.header().setMinimumSectionSize(6 * GRID)
        item = self.headerItem()
        item.setToolTip(TOKENS, "A token belongs to the role of its first byte")
        item.setToolTip(
            ADDED,
            "Tokens that contain nothing you wrote: the markers around the messages, the names of the"
            " roles, and what belongs to no message",
        )

    def show_rows(self, chat: ChatTokens | None) -> None:
        """Shows the counts of a chat; None clears them."""
        self.clear()
        if chat is None:
            self.hide()
            return
        messages = sum(row.messages for row in chat.rows)
        total = self._add("all", f"{messages:,}", chat.total, chat.added)
        font = total.font(ROLE)
        font.setBold(True)
        for column in range(len(COLUMNS)):
            total.setFont(column, font)
        for row in chat.rows:
            count = f"{row.messages:,}" if row.messages else ""
            self._add(row.role, count, row.tokens, row.added)
        rows = min(self.topLevelItemCount(), MOST_ROWS)
        self.setFixedHeight(
            rows * self.sizeHintForRow(0) + self.header().sizeHint().height() + GRID // 2
        )
        self.show()

    def _add(self, name: str, messages: str, tokens: int, added: int) -> QTreeWidgetItem:
        item = self.row_of([name, messages, f"{tokens:,}", f"{added:,}" if added >= 0 else "?"])
        self.addTopLevelItem(item)
        return item
