"""The form of a lesson: its steps, and the fields of one of them, read from its Markdown and written into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QLabel,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from tokenarium.models.lessons.source import STEP, LessonSource
from tokenarium.models.lessons.writing import WritingError
from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.widgets.flat_table import make_flat
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.lesson_fields import (
    HEAD_FIELDS,
    MORE_FIELDS,
    QUESTION_FIELDS,
    SCENE_FIELDS,
    STEP_FIELDS,
    FormField,
    FormRow,
    step_button,
)
from tokenarium.widgets.panel import CardFrame, named, secondary

STEPS_WIDTH = 24 * GRID
ROW_HEIGHT = 36
"""Pixels of the list of steps, and of a row in it."""

FOLLOW_MS = 120
"""Milliseconds after a change of the Markdown until the form follows it."""

NO_HEAD: Final = "The Markdown has no head, with which a lesson begins: two lines of +++, with a title between them."
FAULTY: Final = (
    "This part has a fault: see its line in the Markdown. The form shows it once it is corrected."
)
NO_NUMBER: Final = "This is not a number."

FAULT: Final = "✗"
"""The sign of a step with a fault."""

ABOUT: Final = "About the lesson"


class LessonForm(QWidget):
    """The steps of a lesson, and fields for the head or for one step. `written` has the Markdown after a change.

    `record` is a switch that records what the window shows into the step, `take` does so once.
    """

    written = Signal(str)
    step_chosen = Signal(int)  # from 0; -1 for what is about the whole lesson
    record_wanted = Signal(bool)
    take_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._source = LessonSource("")
        self._faulty: set[int] = set()
        self.step = -1
        """The step that is shown, from 0; -1 for what is about the whole lesson."""
        self.rows: dict[tuple[str, str], FormRow] = {}
        self.list = named(QListWidget(), "Steps")
        make_flat(self.list)
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._choose)
        self.add = step_button("Add a step", "plus", "Adds a step after this one")
        self.copy = step_button("Copy this step", "copy", "Adds a copy of this step after it")
        self.up = step_button("Move up", "arrow-up", "Moves this step up")
        self.down = step_button("Move down", "arrow-down", "Moves this step down")
        self.remove = step_button(
            "Remove this step", "trash", "Removes this step; undo restores it"
        )
        self.add.clicked.connect(lambda: self._add(STEP))
        self.copy.clicked.connect(lambda: self._add(self._source.step_text(self.step)))
        self.up.clicked.connect(lambda: self._move(-1))
        self.down.clicked.connect(lambda: self._move(1))
        self.remove.clicked.connect(self._remove)
        self.record = GlyphButton("Record the view", "record")
        named(
            self.record,
            "Record the view",
            "Shows this step, and writes into it what you change in the window: the text, the selection, the page and its settings",
        )
        self.record.setCheckable(True)
        self.record.toggled.connect(self.record_wanted)
        self.take = GlyphButton("Take the view", "eye", "quiet")
        named(self.take, "Take the view", "Writes all that the window shows into this step")
        self.take.clicked.connect(self.take_wanted)
        self.shown = secondary(QLabel(wordWrap=True))
        self.faults = {
            kind: secondary(QLabel(FAULTY, wordWrap=True)) for kind in ("head", "scene", "question")
        }
        self.nothing = secondary(QLabel(NO_HEAD, wordWrap=True))
        self._scene, self._question = QWidget(), QWidget()
        self._pages = QStackedWidget()
        self._pages.addWidget(self._area(self._head_page()))
        self._pages.addWidget(self._area(self._step_page()))
        self._build()
        self._follow_soon = QTimer(self, singleShot=True, interval=FOLLOW_MS)
        self._follow_soon.timeout.connect(self._follow)
        self._wanted = ("", 0)  # the Markdown to follow, and the line of its cursor

    # Parts.

    def _rows(self, fields: Sequence[FormField]) -> list[FormRow]:
        rows = [FormRow(field) for field in fields]
        for row in rows:
            self.rows[row.field.block, row.field.key] = row
            row.edited.connect(lambda row=row: self._write(row))
        return rows

    def _head_page(self) -> QWidget:
        whole = QWidget()
        title, minutes, level, *others = self._rows(HEAD_FIELDS)
        in_column(
            self.nothing,
            self.faults["head"],
            title,
            in_row((minutes, 1), (level, 2), spacing=GRID),
            *others,
            STRETCH,
            into=whole,
            spacing=3 * GRID // 2,
            margins=CARD_MARGIN,
        )
        return whole

    def _step_page(self) -> QWidget:
        whole = QWidget()
        text, workspace, page, select, nth, at, front, mark = self._rows(SCENE_FIELDS)
        in_column(
            text,
            in_row((workspace, 1), (page, 1), spacing=GRID),
            in_row((select, 2), (nth, 1), spacing=GRID),
            in_row((at, 1), (front, 1), spacing=GRID),
            mark,
            into=self._scene,
            spacing=GRID,
        )
        in_column(*self._rows(QUESTION_FIELDS), into=self._question, spacing=GRID)
        buttons = QWidget()
        flow = FlowLayout(buttons, GRID // 2)
        for button in (self.record, self.take):
            flow.addWidget(button)
        in_column(
            *self._rows(STEP_FIELDS),
            _heading("What the window shows"),
            self.shown,
            buttons,
            self.faults["scene"],
            self._scene,
            _heading("Question"),
            self.faults["question"],
            self._question,
            *self._rows(MORE_FIELDS),
            STRETCH,
            into=whole,
            spacing=3 * GRID // 2,
            margins=CARD_MARGIN,
        )
        return whole

    def _area(self, page: QWidget) -> QScrollArea:
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.viewport().setAutoFillBackground(False)
        area.setWidget(page)
        page.setAutoFillBackground(False)
        return area

    def _build(self) -> None:
        side, fields = CardFrame(), CardFrame()
        buttons = QWidget()
        in_row(self.add, self.copy, self.up, self.down, STRETCH, self.remove, into=buttons)
        in_column((self.list, 1), buttons, into=side, margins=GRID // 2)
        in_column(self._pages, into=fields, margins=2)
        side.setFixedWidth(STEPS_WIDTH)
        in_row(side, (fields, 1), into=self, spacing=GRID)

    # Following the Markdown.

    def follow(self, text: str, line: int) -> None:
        """Shows the Markdown a moment later, and the step at a line of it, counted from 1."""
        self._wanted = text, line - 1
        self._follow_soon.start()

    def _follow(self) -> None:
        text, line = self._wanted
        self.show_source(text, LessonSource(text).step_at(line))

    def stop(self) -> None:
        """Follows no more."""
        self._follow_soon.stop()

    def show_source(self, text: str, step: int) -> None:
        """Shows the Markdown of a lesson, and a step of it: -1 for what is about the whole lesson."""
        self._follow_soon.stop()
        self._source = source = LessonSource(text)
        self.step = max(-1, min(step, len(source.steps) - 1))
        with QSignalBlocker(self.list):
            self._list_steps()
            self.list.setCurrentRow(self.step + 1)
        self._show_step()

    def show_faults(self, lines: Sequence[int]) -> None:
        """Marks the steps with faults, given by their lines from 1."""
        self._faulty = {self._source.step_at(line - 1) for line in lines}
        with QSignalBlocker(self.list):
            self._list_steps()
            self.list.setCurrentRow(self.step + 1)

    def _list_steps(self) -> None:
        titles = [f"{n}  {step.title}" for n, step in enumerate(self._source.steps, 1)]
        names = [ABOUT, *titles]
        while self.list.count() > len(names):
            self.list.takeItem(self.list.count() - 1)
        while self.list.count() < len(names):
            item = QListWidgetItem()
            item.setSizeHint(QSize(0, ROW_HEIGHT))
            self.list.addItem(item)
        for row, name in enumerate(names):
            item, faulty = self.list.item(row), row - 1 in self._faulty
            item.setText(f"{FAULT} {name}" if faulty else name)
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, f"{name}, has a fault" if faulty else name
            )
            item.setToolTip(f"{name}: has a fault" if faulty else name)

    def _show_step(self) -> None:
        source, step = self._source, self.step
        self._pages.setCurrentIndex(int(step >= 0))
        self.nothing.setVisible(not source.has_head)
        head = source.head if source.has_head else None
        self.faults["head"].setVisible(source.has_head and head is None)
        for field in HEAD_FIELDS:
            row = self.rows["head", field.key]
            row.setEnabled(head is not None)
            row.show_value((head or {}).get(field.key))
        self.add.setEnabled(source.has_head)
        for button in (self.copy, self.remove):
            button.setEnabled(step >= 0)
        self.up.setEnabled(step > 0)
        self.down.setEnabled(0 <= step < len(source.steps) - 1)
        if step < 0:
            return
        shown = source.steps[step]
        self.rows["title", ""].show_value(shown.title)
        self.rows["prose", ""].show_value(shown.prose)
        for kind in ("asked", "notes"):
            self.rows[kind, ""].show_value(shown.lines(kind))
        for kind, part, fields in (
            ("scene", self._scene, SCENE_FIELDS),
            ("question", self._question, QUESTION_FIELDS),
        ):
            values = shown.values(kind)
            self.faults[kind].setVisible(values is None)
            part.setVisible(values is not None)
            for field in fields:
                if values is not None:
                    self.rows[kind, field.key].show_value(_value_of(field, values))
        self.record.setEnabled(shown.values("scene") is not None)
        self.take.setEnabled(shown.values("scene") is not None)
        self.shown.setText(_settings(shown.values("scene") or {}))
        self.shown.setVisible(bool(self.shown.text()))
        self._fit_question()

    def _fit_question(self) -> None:
        """Shows the fields that a question of its kind has."""
        kind = self.rows["question", "kind"].value
        for field in QUESTION_FIELDS:
            asked = bool(kind) and (not field.asks or kind in field.asks)
            self.rows["question", field.key].setVisible(asked or field.key == "kind")

    # Writing.

    def _write(self, row: FormRow) -> None:
        """Writes the value of a field into the Markdown, or says below the field why not."""
        field = row.field
        if not row.can_write:
            return
        try:
            text = self._with(field, row.value)
        except ValueError:
            row.refuse(NO_NUMBER)
            return
        except WritingError as error:
            row.refuse(str(error))
            return
        row.refuse("")
        self._take_text(text)
        if field.key == "kind":
            self._show_step()

    def _with(self, field: FormField, value: Any) -> str:
        source, step = self._source, self.step
        if field.key in ("title", "ask"):  # which must be there
            value = value or ""
        if field.block == "head":
            return source.with_head(field.key, value)
        if field.block == "title":
            return source.with_title(step, value or "")
        if field.block == "prose":
            return source.with_prose(step, value or "")
        if field.block in ("asked", "notes"):
            return source.with_lines(step, field.block, value or "")
        if field.key == "kind":
            return self._with_kind(value)
        if field.kind == "answers":
            reasons = {answer: reason for answer, reason in value if reason}
            changed: dict[tuple[str, ...], object] = {("reasons",): reasons or None}
            if not reasons and not (source.steps[step].values("question") or {}).get("reasons"):
                del changed["reasons",]
            if field.key == "choices":
                changed["choices",] = [answer for answer, _ in value] or None
            return source.with_block_values(step, "question", changed)
        return source.with_block_value(step, field.block, (field.key,), value)

    def _with_kind(self, kind: str | None) -> str:
        """Returns the lesson with another kind of question in the step, or without one."""
        source, step = self._source, self.step
        if kind is None:
            return source.without_block(step, "question")
        values = source.steps[step].values("question") or {}
        changed: dict[tuple[str, ...], object] = {
            ("kind",): None if kind == "choose" else "click" if kind == "cut" else kind,
            ("part",): "cut" if kind == "cut" else None,
        }
        for key, beginning in _BEGINNINGS.get(kind, {}).items():
            if not values.get(key):
                changed[key,] = beginning
        return source.with_block_values(
            step, "question", {("ask",): values.get("ask") or "?"} | changed
        )

    def _take_text(self, text: str) -> None:
        if text != self._source.text:
            self._source = LessonSource(text)
            with QSignalBlocker(self.list):
                self._list_steps()
            self.written.emit(text)

    def write_scene(self, change: Callable[[LessonSource, int], str]) -> str:
        """Writes a change into the step that is shown; returns why not, "" if it is written."""
        if self.step < 0:
            return ""
        try:
            text = change(self._source, self.step)
        except WritingError as error:
            return str(error)
        self._take_text(text)
        self._show_step()
        return ""

    # Steps.

    def _choose(self, row: int) -> None:
        if row >= 0 and row - 1 != self.step:
            self.show_source(self._source.text, row - 1)
            self.step_chosen.emit(self.step)

    @property
    def title(self) -> str:
        """The title of the step that is shown."""
        return self._source.steps[self.step].title if self.step >= 0 else ABOUT

    @property
    def line(self) -> int:
        """The line of the step that is shown, from 1."""
        return self._source.steps[self.step].line + 1 if self.step >= 0 else 1

    def _add(self, step: str) -> None:
        self._show_changed(self._source.with_new_step(self.step, step), self.step + 1)

    def _move(self, by: int) -> None:
        self._show_changed(self._source.with_moved(self.step, by), self.step + by)

    def _remove(self) -> None:
        self._show_changed(self._source.without_step(self.step), self.step - 1)

    def _show_changed(self, text: str, step: int) -> None:
        self.written.emit(text)
        self.show_source(text, step)
        self.step_chosen.emit(self.step)


_BEGINNINGS: Final[dict[str, dict[str, object]]] = {
    "choose": {"choices": ["1", "2"], "answer": "count(text)"},
    "number": {"answer": "count(text)"},
    "click": {"answer": "selected"},
    "cut": {"answer": "cuts(text)"},
    "order": {"answer": "tokens(text)"},
    "split": {"text": "{{ text }}", "answer": "tokens(text)"},
    "write": {"answer": "count(text) < 3"},
}
"""What a question of a kind must have, as its author begins with it."""


def _value_of(field: FormField, values: dict[str, Any]) -> Any:
    """Returns what a field shows of the values of its block."""
    if field.key == "kind":
        if not values:
            return None
        return "cut" if values.get("part") == "cut" else values.get("kind", "choose")
    if field.kind == "answers":
        reasons = values.get("reasons") or {}
        answers = values.get("choices") or [] if field.key == "choices" else list(reasons)
        return [(str(answer), str(reasons.get(answer, ""))) for answer in answers]
    value = values.get(field.key)
    return None if value == "" or value == [] else value


def _settings(values: dict[str, Any]) -> str:
    """Returns a sentence about the settings of a scene, which only the window and the Markdown change."""
    names = [
        name
        for key, name in (("display", "of the display"), ("page_settings", "of the page"))
        if values.get(key)
    ]
    return f"It also has settings {' and '.join(names)}." if names else ""


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
    return label
