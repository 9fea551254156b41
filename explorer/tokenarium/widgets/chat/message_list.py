"""The messages of a chat, each with its role and content, in an order that can be changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from tokenarium.models.chat.chat_inputs import Inputs
from tokenarium.models.chat.chat_notes import LONGEST_NAME, names_in_words
from tokenarium.models.chat.chat_template import NO_INPUTS
from tokenarium.models.chat.conversation import BOUNDS, ROLES, Message, role_colours
from tokenarium.models.text.editor_text import CARRIAGE_RETURN_SIGN, from_editor, why_not_in_field
from tokenarium.models.text.piece import counted
from tokenarium.models.text.qt_text import into_qt
from tokenarium.style.fonts import mono_font
from tokenarium.style.theme import GRID
from tokenarium.style.themed import Themed
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import secondary
from tokenarium.widgets.text.bounded_field import CUT, HELD, BoundedField, refuse
from tokenarium_core import FormatError
from tokenarium_core.bounded_json import read_json

LEAST_LINES, MOST_LINES = 2, 9
"""The most lines of a content that are visible before it scrolls."""

STRIPE = GRID // 2

KEPT = "It is kept in full until its field is changed."

MOST_PARTS = 200
"""Parts of a content that are shown."""


class MessageList(QScrollArea):
    """Cards, one for each message; emits ``changed``. Removed and replaced messages can be restored.

    ``inputs`` are the other inputs of the template: they are named, and can be removed.
    """

    changed = Signal()
    inputs_changed = Signal()
    can_put_back = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._before: tuple[list[Message], Inputs] | None = None
        self.inputs = NO_INPUTS
        self.cards: list[MessageCard] = []
        self.setAccessibleName("Messages")
        self.changed.connect(self._colour)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget()
        self.also = InputsRow()
        self.also.removed.connect(self._remove_inputs)
        cards = QWidget()
        self._rows = in_column(STRETCH, into=cards, spacing=GRID)
        in_column(self.also, cards, into=inside, spacing=GRID, margins=(0, 0, GRID // 2, 0))
        self.setWidget(inside)

    def messages(self) -> list[Message]:
        """Returns the current messages."""
        return [card.message() for card in self.cards]

    def set_messages(self, messages: Sequence[Message], inputs: Inputs = NO_INPUTS) -> None:
        """Replaces the messages and the other inputs; emits ``changed``."""
        self._note_before()
        self._fill(messages, inputs)

    def put_back(self) -> None:
        """Restores the messages from before the last removal or replacement."""
        before, self._before = self._before, None
        if before is not None:
            self._fill(*before)
        self.can_put_back.emit(False)

    def _note_before(self) -> None:
        if self.cards or self.inputs != NO_INPUTS:
            self._before = self.messages(), self.inputs
            self.can_put_back.emit(True)

    def _fill(self, messages: Sequence[Message], inputs: Inputs) -> None:
        for card in self.cards:
            self._drop(card)
        self.cards = []
        for message in messages:
            self._insert(message)
        self._number()
        self._set_inputs(inputs)
        self.changed.emit()

    def _set_inputs(self, inputs: Inputs) -> None:
        if inputs != self.inputs:
            self.inputs = inputs
            self.also.show_inputs(inputs)
            self.inputs_changed.emit()

    def _remove_inputs(self) -> None:
        self._note_before()
        self.change_inputs(NO_INPUTS)

    def change_inputs(self, inputs: Inputs) -> None:
        """Replaces the other inputs; emits ``changed``."""
        self._set_inputs(inputs)
        self.changed.emit()

    def add(self, *messages: Message) -> None:
        """Adds messages at the end, and puts the cursor into the last one."""
        for message in messages:
            card = self._insert(message)
        self._number()
        self.changed.emit()
        card.content.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, card, lambda: self.ensureWidgetVisible(card, 0, GRID))

    def _colour(self) -> None:
        colours = role_colours(card.role.currentText() for card in self.cards)
        for card in self.cards:
            card.set_colour(colours[card.role.currentText()])

    def _insert(self, message: Message) -> MessageCard:
        card = MessageCard(message)
        card.changed.connect(self.changed)
        card.up.clicked.connect(lambda: self._move(card, -1))
        card.down.clicked.connect(lambda: self._move(card, 1))
        card.remove.clicked.connect(lambda: self._remove(card))
        self._rows.insertWidget(self._rows.count() - 1, card)
        self.cards.append(card)
        card.say_cut()
        return card

    def _move(self, card: MessageCard, step: int) -> None:
        old = self.cards.index(card)
        new = old + step
        if not 0 <= new < len(self.cards):
            return
        self.cards.insert(new, self.cards.pop(old))
        self._rows.removeWidget(card)
        self._rows.insertWidget(new, card)
        self._number()
        self.changed.emit()

    def _remove(self, card: MessageCard) -> None:
        self._note_before()
        place = self.cards.index(card)
        self.cards.remove(card)
        self._drop(card)
        self._number()
        self.changed.emit()
        if self.cards:
            self.cards[min(place, len(self.cards) - 1)].content.setFocus()

    def _drop(self, card: MessageCard) -> None:
        self._rows.removeWidget(card)
        card.hide()
        card.deleteLater()

    def _number(self) -> None:
        """Numbers the cards; Tab goes through them in this order."""
        before: QWidget | None = None
        for index, card in enumerate(self.cards):
            card.set_place(index, len(self.cards))
            for widget in card.controls:
                if before is not None:
                    QWidget.setTabOrder(before, widget)
                before = widget


class InputsRow(QWidget):
    """Names the other inputs of the template; hidden if there are none."""

    removed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.label = _named("")
        self.remove = _button("✕")
        self.remove.setAccessibleName("Remove what is given along with the messages")
        self.remove.setToolTip("Removes this; Put back brings it back")
        self.remove.clicked.connect(self.removed)
        row = in_row((self.label, 1), self.remove, spacing=GRID // 2)
        in_column(row, into=self, spacing=0)
        self.hide()

    def show_inputs(self, inputs: Inputs) -> None:
        """Names some inputs."""
        parts = []
        if inputs.tools is not None:
            parts.append(counted(len(inputs.tools), "tool"))
        if inputs.documents is not None:
            parts.append(counted(len(inputs.documents), "document"))
        for name, value in inputs.variables.items():
            parts.append(f"{name[:LONGEST_NAME]} = {json.dumps(value, ensure_ascii=False)}")
        if inputs.resumed:
            parts.append(f"the last {inputs.resumed} is left open")
        self.label.setText(into_qt(f"Also given: {names_in_words(parts)}"))
        self.setVisible(bool(parts))


class MessageCard(Themed, QWidget):
    """One message: a role that can be chosen or written, the content, and buttons to move or remove it.

    Its other fields are named below, and kept unchanged. A content of parts is shown, but cannot be edited.
    """

    changed = Signal()

    def __init__(self, message: Message) -> None:
        super().__init__()
        self._colour = message.role
        self._given = message.given
        self.role = QComboBox(editable=True, insertPolicy=QComboBox.InsertPolicy.NoInsert)
        self.role.addItems(ROLES)
        self.role.setCurrentText(message.role)
        # Content that the field truncates or writes differently is kept until the user changes it.
        self._role, self._shown_role = message.role, self.role.currentText()
        self.role.setToolTip("The role: one of these, or any text that the template knows")
        self.role.setMinimumWidth(14 * GRID)
        field = self.role.lineEdit()
        assert isinstance(field, QLineEdit)
        self._role_keys = ShortcutFirst(field)
        self.content = _Content()
        if message.parts is not None:
            self.content.setReadOnly(True)
            self.content.setToolTip("Content in parts is kept as it is, and cannot be edited here")
            shown = "\n".join(map(_part, message.parts[:MOST_PARTS]))
        else:
            shown = message.content
            if message.given is not None and message.given.get("content") is None:
                self.content.setPlaceholderText("No content")
        self.content.setPlainText(into_qt(shown.replace("\r", CARRIAGE_RETURN_SIGN)))
        others = [*(["parts"] if message.parts is not None else []), *message.others]
        self.others = _named(f"With {names_in_words(others)}")
        self.others.setVisible(bool(others))
        self.fields = _Content("Other fields in JSON")
        self.fields.setFont(mono_font())
        self.fields.setPlainText(into_qt(_fields_of(message)))
        self.fields.setVisible(bool(message.others))
        self.fault = _named("")
        self.fault.setForegroundRole(QPalette.ColorRole.BrightText)
        self.fault.hide()
        self.up = _button("↑")
        self.down = _button("↓")
        self.remove = _button("✕")
        self.controls: list[QWidget] = [
            self.role, self.up, self.down, self.remove, self.content, self.fields
        ]  # fmt: skip
        head = in_row(self.role, STRETCH, self.up, self.down, self.remove, spacing=GRID // 2)
        in_column(
            head,
            self.content,
            self.others,
            self.fields,
            self.fault,
            into=self,
            spacing=GRID // 2,
            margins=(STRIPE + GRID, 0, 0, 0),
        )
        self.role.currentTextChanged.connect(lambda _: self.changed.emit())
        self.content.textChanged.connect(self.changed)
        self.fields.textChanged.connect(self._take_fields)

    def _take_fields(self) -> None:
        """Takes the other fields, if they are a JSON object; otherwise says what is wrong, and keeps the last ones."""
        try:
            fields = read_json(
                from_editor(self.fields.raw_text()).encode("utf-8", "surrogatepass"), "It", BOUNDS
            )
            if not isinstance(fields, dict) or not fields.keys().isdisjoint(("role", "content")):
                raise FormatError("It must be an object in { and }, without role and content.")
        except FormatError as error:
            self.fault.setText(f"The last valid fields are used. {error}")
            self.fault.show()
            return
        self.fault.hide()
        given = self._given or {}
        first = {key: given[key] for key in given if key in ("role", "content")}
        self._given = {**first, **fields}
        self.others.setText(into_qt(f"With {names_in_words(list(fields))}") if fields else "")
        self.changed.emit()

    def message(self) -> Message:
        """Returns the current message."""
        shown = self.role.currentText()
        role = self._role if shown == self._shown_role else shown
        if self.content.isReadOnly() and not self.content.holds:
            return Message(role, "", self._given)
        return Message(role, from_editor(self.content.raw_text()), self._given)

    def say_cut(self) -> None:
        """Reports which content its fields do not show; they must be in a window that receives the report."""
        field = self.role.lineEdit()
        assert field is not None
        if self._role.startswith(self._shown_role) and len(self._role) > len(self._shown_role):
            count = len(self._role)
            refuse(field, f"{CUT.format(count=count, most=field.maxLength())} {KEPT}")
        if self.content.holds:
            refuse(self.content, f"{why_not_in_field(self.content.toPlainText())} {HELD}")

    def set_place(self, place: int, count: int) -> None:
        """Sets the number of the message and the total."""
        name = f"message {place + 1} of {count}"
        self.role.setAccessibleName(f"Role of {name}")
        self.content.setAccessibleName(f"Content of {name}")
        self.fields.setAccessibleName(f"Other fields of {name}")
        for button, buttons, can in (
            (self.up, "Move up", place > 0),
            (self.down, "Move down", place + 1 < count),
            (self.remove, "Remove", True),
        ):
            button.setAccessibleName(f"{buttons} {name}")
            button.setToolTip(f"{buttons} this message")
            button.setEnabled(can)

    def set_colour(self, name: str) -> None:
        """Paints the stripe of the role in the colour of this name."""
        self._colour = name
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, STRIPE, self.height(), self.theme.rule(self._colour)[1])
        painter.end()


def _fields_of(message: Message) -> str:
    """Returns the fields of a message besides role and content, as JSON."""
    given = message.given or {}
    fields = {key: value for key, value in given.items() if key not in ("role", "content")}
    return json.dumps(fields, indent=2, ensure_ascii=False) if message.others else ""


class _Content(BoundedField):
    """A field as high as its lines, within limits."""

    def __init__(self, placeholder: str = "The content") -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setPlaceholderText(placeholder)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._keys = ShortcutFirst(self)
        self.textChanged.connect(self._fit)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        height, block = 0.0, self.document().firstBlock()
        while block.isValid() and height < MOST_LINES * line:
            height += max(self.blockBoundingRect(block).height(), line)
            block = block.next()
        height = min(max(height, LEAST_LINES * line), MOST_LINES * line)
        margins = 2 * (self.document().documentMargin() + self.frameWidth())
        self.setFixedHeight(ceil(height + margins))


def _named(text: str) -> QLabel:
    """Returns a label for names that long names do not widen."""
    label = secondary(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText))
    label.setText(into_qt(text))
    label.setMinimumWidth(1)
    return label


def _part(part: object) -> str:
    """Returns a part of a content for users: its text, or its kind."""
    if not isinstance(part, dict):
        return json.dumps(part, ensure_ascii=False)[:LONGEST_NAME]
    text = part.get("text")
    return text if isinstance(text, str) else f"[{str(part.get('type', 'part'))[:LONGEST_NAME]}]"


def _button(text: str) -> QToolButton:
    button = QToolButton(autoRaise=True)
    button.setText(text)
    button.setIcon(QIcon())
    button.setFixedSize(3 * GRID, 3 * GRID)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return button
