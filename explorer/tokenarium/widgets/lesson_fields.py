"""The fields of the form of a lesson: what each is called, where its value is, and its control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QWidget

from tokenarium.models.lessons.lesson import LEVELS
from tokenarium.models.text.qt_text import into_qt
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import named, passing, secondary
from tokenarium.widgets.text.bounded_field import BoundedField
from tokenarium.widgets.training.option_field import Problem

INSTEAD: Final = " or "
"""Between the keys of tokenizers of which the first that is available is used."""

NOT_HERE: Final = "This has characters that a field cannot keep. Edit it in the Markdown."

KINDS: Final = (
    ("", "No question"),
    ("choose", "Choose one"),
    ("number", "A number"),
    ("click", "Click a token"),
    ("cut", "Click a boundary"),
    ("merge", "The next merge"),
    ("order", "Put in order"),
    ("split", "Split a text"),
    ("write", "Write a text"),
)
"""What a question may be, with a boundary as a kind of its own."""


@dataclass(frozen=True, slots=True)
class FormField:
    """A field: its block and its key there, "" for a block of plain text; the name over it, and what is in it if empty.

    ``kind`` is "line", "text", "lines" (a list, an item per line), "tokenizers", "number", "choice" (with ``choices``,
    each a value and its name), or "answers" (the choices with their reasons). ``asks`` are the kinds of questions that
    have the field; all, if there are none. ``rows`` are the visible lines.
    """

    block: str
    key: str
    title: str
    kind: str = "line"
    hint: str = ""
    rows: int = 3
    choices: tuple[tuple[str, str], ...] = ()
    asks: tuple[str, ...] = ()


HEAD_FIELDS: Final = (
    FormField("head", "title", "Title"),
    FormField("head", "minutes", "Minutes", "number"),
    FormField(
        "head",
        "level",
        "Level",
        "choice",
        choices=(("", "Not given"), *((one, one.capitalize()) for one in LEVELS)),
    ),
    FormField("head", "learns", "What people learn", "lines", "A sentence per line", 4),
    FormField(
        "head",
        "tokenizers",
        "Tokenizers",
        "tokenizers",
        "The key of a tokenizer per line, the front one first; “a or b” uses b where a is missing",
    ),
    FormField("head", "asked", "Found by these questions", "lines", "A question per line"),
)

STEP_FIELDS: Final = (
    FormField("title", "", "Title"),
    FormField(
        "prose", "", "What it says", "text", "Markdown, with values such as {{ count(text) }}", 6
    ),
)

SCENE_FIELDS: Final = (
    FormField("scene", "text", "Text", "text", "As in the step before"),
    FormField("scene", "workspace", "Workspace", hint="As in the step before"),
    FormField("scene", "page", "Page", hint="The first one"),
    FormField("scene", "select", "Selected part of the text"),
    FormField("scene", "nth", "Which occurrence of it", "number", "1"),
    FormField("scene", "at", "Step of the player", "number"),
    FormField("scene", "front", "Tokenizer in front", "number", "1 is the first of the lesson"),
    FormField(
        "scene", "mark", "Highlighted", "lines", "A mark per line: range: Egg, token 3, counts", 2
    ),
)

_ANSWERED: Final = ("choose", "number", "click", "cut", "order", "split", "write")

QUESTION_FIELDS: Final = (
    FormField("question", "kind", "Kind", "choice", choices=KINDS),
    FormField("question", "ask", "Question", "text", rows=2),
    FormField("question", "text", "Text to split", asks=("split",)),
    FormField(
        "question", "choices", "Choices, and what is said to them", "answers", asks=("choose",)
    ),
    FormField("question", "answer", "Answer, as an expression", hint="count(text)", asks=_ANSWERED),
    FormField(
        "question", "reasons", "Answers, and what is said to them", "answers", asks=_ANSWERED[1:]
    ),
    FormField("question", "hint", "Hint", "text", rows=2),
    FormField("question", "after", "Said with the answer", "text", rows=3),
)

MORE_FIELDS: Final = (
    FormField(
        "asked",
        "",
        "Found by these questions",
        "text",
        "A question per line; other words for it after a |",
    ),
    FormField("notes", "", "Notes for the presenter", "text"),
)


class AnswerRows(QWidget):
    """Rows of an answer and what is said to it; typing in the last row adds one, and an empty answer is none."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[QLineEdit, QLineEdit]] = []
        self._shown: list[QWidget] = []
        self._box = in_column(into=self, spacing=GRID // 2)
        self.show_pairs([])

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The answers and their reasons."""
        return [(one.text(), said.text()) for one, said in self.rows if one.text().strip()]

    def show_pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Shows answers and their reasons, and an empty row below them."""
        for number, (answer, reason) in enumerate([*pairs, ("", "")]):
            if number == len(self.rows):
                self._add()
            for field, text in zip(self.rows[number], (answer, reason), strict=True):
                if field.text() != text:
                    with QSignalBlocker(field):
                        field.setText(text)
        while len(self.rows) > len(pairs) + 1:
            row = self._shown.pop()
            self._box.removeWidget(row)
            row.deleteLater()
            self.rows.pop()

    def _add(self) -> None:
        number = len(self.rows) + 1
        answer = passing(named(QLineEdit(), f"Answer {number}"))
        reason = passing(named(QLineEdit(), f"What is said to answer {number}"))
        answer.setPlaceholderText("An answer")
        reason.setPlaceholderText("What is said to it")
        row = QWidget()
        in_row((answer, 1), (reason, 2), into=row, spacing=GRID)
        self.rows.append((answer, reason))
        self._shown.append(row)
        self._box.addWidget(row)
        for field in (answer, reason):
            field.textEdited.connect(self._tell)

    def _tell(self) -> None:
        if self.rows[-1][0].text():
            self._add()
        self.edited.emit()


class FormRow(QWidget):
    """A field under its name, and below it why its value is not written."""

    edited = Signal()

    def __init__(self, field: FormField) -> None:
        super().__init__()
        self.field = field
        self.title = secondary(QLabel(field.title))
        self.title.setFont(ui_font(SMALL_SIZE, QFont.Weight.Medium))
        self.problem = Problem()
        self.control = self._made()
        named(self.control, field.title, field.hint)
        in_column(self.title, self.control, self.problem, into=self, spacing=GRID // 2)

    def _made(self) -> QWidget:
        field = self.field
        if field.kind == "choice":
            box = QComboBox()
            for value, name in field.choices:
                box.addItem(name, value)
            box.activated.connect(self.edited)
            return box
        if field.kind == "answers":
            rows = AnswerRows()
            rows.edited.connect(self.edited)
            return rows
        if field.kind in ("line", "number"):
            line = passing(QLineEdit())
            line.setPlaceholderText(field.hint)
            line.textEdited.connect(self.edited)
            return line
        text = passing(BoundedField())
        text.setPlaceholderText(field.hint)
        text.setTabChangesFocus(True)
        text.document().setDocumentMargin(GRID)
        text.viewport().setAutoFillBackground(False)  # it would cover the corners of the frame
        text.setFixedHeight(text.fontMetrics().lineSpacing() * field.rows + 3 * GRID)
        text.textChanged.connect(self.edited)
        return text

    @property
    def can_write(self) -> bool:
        """Whether the field shows its value as it is, so that it may be changed."""
        control = self.control
        return not (isinstance(control, QLineEdit | BoundedField) and control.isReadOnly())

    @property
    def value(self) -> Any:
        """The value, as TOML has it: None if the field is empty. Raises ValueError for a number that is none."""
        control, kind = self.control, self.field.kind
        if isinstance(control, QComboBox):
            return control.currentData() or None
        if isinstance(control, AnswerRows):
            return control.pairs
        text = (
            control.plain_text() if isinstance(control, BoundedField) else control.text()  # type: ignore[attr-defined]
        )
        if kind == "number":
            return int(text) if text.strip() else None
        if kind in ("lines", "tokenizers"):
            lines = [line for line in text.split("\n") if line.strip()]
            if kind == "tokenizers":
                return [
                    keys if len(keys := line.split(INSTEAD)) > 1 else line for line in lines
                ] or None
            return lines or None
        return text or None

    def show_value(self, value: Any) -> None:
        """Shows a value, unless the field already shows it, so that its cursor stays."""
        self.problem.say("")
        if self._shows(value):
            return
        control = self.control
        with QSignalBlocker(self):
            if isinstance(control, QComboBox):
                control.setCurrentIndex(control.findData("" if value is None else value))
            elif isinstance(control, AnswerRows):
                control.show_pairs(value)
            elif isinstance(control, BoundedField):
                control.setPlainText(into_qt(_as_text(value)))
            elif isinstance(control, QLineEdit):
                control.setText(into_qt(_as_text(value)))
            if isinstance(control, QLineEdit | BoundedField):
                control.setReadOnly(not self._shows(value))
                self.problem.say("" if self.can_write else NOT_HERE)

    def _shows(self, value: Any) -> bool:
        try:
            shown = self.value
        except ValueError:
            return False
        if self.field.block in (
            "prose",
            "notes",
            "asked",
        ):  # the white space around them has no meaning
            return (shown or "").strip() == (value or "").strip()
        return bool(shown == value)

    def refuse(self, sentence: str) -> None:
        """Says why the value is not written; "" if it is."""
        self.problem.say(sentence)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(INSTEAD.join(one) if isinstance(one, list) else str(one) for one in value)
    return str(value)


def step_button(name: str, glyph: str, tip: str) -> GlyphButton:
    """Returns a small button for the list of steps."""
    button = named(GlyphButton("", glyph, "quiet"), name, tip)
    button.set_compact(True)
    return button
