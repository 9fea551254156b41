"""The page of any `Analysis`: its controls, parts, work, sessions, files and programs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache
from typing import Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

import tokenarium_core as tc
from tokenarium.analyses.analysis import Analysis, AnalysisInputs, Subject, analysis_named
from tokenarium.analyses.parts import ShownChart
from tokenarium.analyses.table import Table
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.programs import program
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.resources.glossary import explanation
from tokenarium.style.theme import GRID, Theme
from tokenarium.views.decks import BarsDeck, Deck
from tokenarium.views.kept import Kept, kept_fields, kept_sort, kept_value
from tokenarium.views.page_program import code_of
from tokenarium.views.tokens_selection import SelectedTextPage
from tokenarium.views.workspace import Page, Workspace
from tokenarium.widgets.analysis.field_control import control_of
from tokenarium.widgets.analysis.result_table import ResultTable
from tokenarium.widgets.analysis.tiles_view import TilesView
from tokenarium.widgets.charts.bar_plot import BarPlot
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.panel import secondary
from tokenarium.widgets.term_marks import TermButton

AT_ONCE_MS = 6.0
"""Milliseconds of work before anything is shown; longer work becomes a job."""


def note_view(name: str) -> QLabel:
    """Returns the view of a note."""
    return secondary(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText))


VIEWS: Mapping[str, Callable[[str], QWidget]] = {
    "table": ResultTable,
    "tiles": TilesView,
    "plot": Plot,
    "bars": BarPlot,
    "note": note_view,
}
"""The widgets for each kind of part."""


class AnalysisPage(Page):
    """Base of the pages of analyses; a subclass says what they are about, and calls `begin`."""

    analysis: ClassVar[Analysis[Any]]
    views: ClassVar[Mapping[str, Callable[[str], Any]]] = VIEWS

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        analysis = self.analysis
        self.inputs: AnalysisInputs | None = None
        self.result: Any = None
        self.error = ""
        self._is_dressed = True
        self._begun = 0  # how often the analysis was begun
        self.controls: dict[str, Any] = {
            field.name: control_of(field, self.ask_again, self)
            for field in analysis.fields
            if field.title
        }
        self.parts = {part.id: self.views[part.kind](part.name) for part in analysis.parts}
        self._cache: dict[str, Any] = {}
        self._cached: dict[str, tc.Tokenizer] = {}
        for part in self.parts.values():
            if isinstance(part, Plot):
                self.report_plots(part)
            if hasattr(part, "chosen"):
                part.chosen.connect(self._show_chosen)
            if isinstance(part, ResultTable) and not analysis.chooses:
                part.activated_row.connect(self.session.set_current)

    @property
    def head(self) -> list[QWidget]:
        """The explanation of the question, and the controls of the fields."""
        term = self.analysis.term
        marks = [TermButton(term, explanation(term))] if term else []
        return [*marks, *(control.widget for control in self.controls.values())]

    # The work.

    def ask_again(self) -> None:
        """Runs the analysis now, even if nothing has changed."""
        raise NotImplementedError

    def begin(self, items: list[LibraryItem], text: str = "") -> None:
        """Runs the analysis for open tokenizers, the one in front first, and a text."""
        tokenizers = {item.key: item.tokenizer for item in items if item.tokenizer is not None}
        unchanged = {key for key, one in tokenizers.items() if self._cached.get(key) is one}
        self._cache = {key: made for key, made in self._cache.items() if key in unchanged}
        self._cached = tokenizers
        fields = {field.name: getattr(field, "default", None) for field in self.analysis.fields}
        fields |= self.analysis.page_values
        fields |= {name: control.value for name, control in self.controls.items()}
        subjects = [
            Subject(item.key, self.session.short_name(item), tokenizers[item.key], item.identity, item.name)
            for item in items
            if item.key in tokenizers
        ]  # fmt: skip
        self._begun += 1
        begun = self._begun
        self.running.cancel()
        inputs = AnalysisInputs(subjects, text, fields, self._cache)
        try:
            result = self.analysis.begin(inputs)
        except tc.TokenariumError as error:
            self._fail(str(error))
            return
        task = self.analysis.task(inputs, result)
        seen = -1  # of the news of the task

        def follow(_: object) -> None:
            nonlocal seen
            if task.news != seen and (task.finished or self.analysis.early):
                seen = task.news
                self.inputs, self.result, self.error = inputs, result, ""
                self.show_parts()

        def dropped() -> None:
            if begun == self._begun:  # else it was only replaced
                self.say_cancelled(self.inputs is inputs and task.news > 0)

        try:
            task.step(AT_ONCE_MS)
        except tc.TokenariumError as error:
            self._fail(str(error))
            return
        follow(None)
        if not task.finished:
            self.running.slices(task.title, task, follow, self._fail, cancelled=dropped)

    def say_cancelled(self, is_part: bool) -> None:
        """Says that the work was cancelled; ``is_part``: a part of the answer is shown."""

    def _fail(self, error: str) -> None:
        self.error = f"{error} {self.analysis.remedy}".rstrip()
        self.show_parts()

    # Showing.

    @property
    def answered(self) -> bool:
        """Whether there is something to copy, to save and to present."""
        return self.inputs is not None and not self.error

    @property
    def table(self) -> Table[Any] | None:
        """The table of the answer."""
        if not self.answered or self.inputs is None:
            return None
        return self.analysis.table(self.inputs, self.result)

    def show_parts(self) -> None:
        """Shows the answer so far, or why there is none."""
        if self.error or self.inputs is None:
            notes = [part.id for part in self.analysis.parts if part.kind == "note"]
            shown: dict[str, object] = dict.fromkeys(notes, self.error)
        else:
            shown = dict(self.analysis.show(self.inputs, self.result))
        late = {part for part in self.parts if part not in shown}
        self._show(shown)
        for part in late - set(self._show_chosen()):
            self.parts[part].hide()

    def _show_chosen(self, *_: object) -> Mapping[str, object]:
        """Shows the explanation of the chosen row, and returns it."""
        chosen = self.chosen
        if self.error or self.inputs is None or chosen is None:
            return {}
        shown = self.analysis.show_chosen(self.inputs, self.result, chosen)
        self._show(shown)
        return shown

    def _show(self, shown: Mapping[str, object]) -> None:
        for part_id, part in shown.items():
            view: Any = self.parts[part_id]
            if isinstance(part, ShownChart):
                if part.title:
                    view.set_title(part.title)
                view.set_source(FigureSource(part.caption, code=self.python))
                view.show_chart(part.chart, part.empty)
                view.setFixedHeight(part.height * GRID)
            elif isinstance(part, str):
                view.setText(part)
            else:
                view.show_part(part)
            view.show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._dress_parts()

    def _follow_theme(self) -> None:
        """Shows the answer in other colours, without asking again."""
        self._is_dressed = False
        if self.isVisible():
            self._dress_parts()

    def _dress_parts(self) -> None:
        if not self._is_dressed and self.answered:
            self.show_parts()
        self._is_dressed = True

    # The choice, and what sessions keep.

    @property
    def chooser(self) -> Any:
        """The part in which something is chosen."""
        return next(iter(self.parts.values()))

    @property
    def chosen(self) -> Hashable | None:
        """The key of what is chosen."""
        return (self.chooser.key or None) if self.analysis.chooses else None

    @property
    def kept_choice(self) -> Hashable | None:
        """The key of what is chosen, if a session can choose it again."""
        return self.chosen

    def keeps(self) -> Iterable[Kept]:
        analysis = self.analysis
        yield from kept_fields(self.controls)
        if analysis.chooses:
            if isinstance(self.chooser, ResultTable):
                yield kept_sort("sorted", self.chooser, self._is_whole)
            yield kept_value(
                analysis.chooses, analysis.chosen_type, lambda: self.kept_choice, self._choose
            )
        yield from super().keeps()

    def _is_whole(self) -> bool:
        """Whether the answer is about all tokenizers: one that is opened now replaces the table."""
        return self.answered and not self.busy and not self.session.opening

    def _choose(self, key: Any) -> bool:
        if not self._is_whole():
            return False
        if not self.chooser.choose(key):
            raise ValueError(f"there is no {self.analysis.chooses} {key}")
        return True

    # Files, programs and presentations.

    def lines(self) -> list[list[str]]:
        return self.table.lines() if self.table is not None else []

    @property
    def has_program(self) -> bool:
        """Whether there are figures for a program to reproduce."""
        return bool(self.lines())

    def python(self) -> str:
        inputs, analysis = self.inputs, self.analysis
        if inputs is None or not self.has_program:
            return ""
        named = {
            subject.key: subject.full_name if analysis.full_names else subject.name
            for subject in inputs.subjects
        }
        items = [item for item in map(self.session.library.item, named) if item is not None]
        values = {
            **analysis.page_values,
            **{name: one.value for name, one in self.controls.items()},
        }
        given = [
            "TOKENIZERS",
            *["TEXT"] * analysis.needs_text,
            *(f"{name}={name.upper()}" for name in values),
        ]
        name = analysis.id.upper()
        body = f"answer = {name}.run({', '.join(given)})\nrows = answer.rows\n{analysis.more}"
        values |= analysis.program_values(inputs, self.chosen)
        imports, lines = self.more_program()
        whole = analysis.needs_text and inputs.text == self.session.text
        return program(
            self.title,
            f"from {type(analysis).__module__} import {name}\n{imports}",
            body + lines,
            text=inputs.text if analysis.needs_text else None,
            file=self.session.file if whole else "",
            tokenizers=[code_of(item, named[item.key]) for item in items],
            values={name.upper(): value for name, value in values.items()},
        )

    def more_program(self) -> tuple[str, str]:
        """Returns further imports and lines of the program."""
        return "", ""

    def deck(self, theme: Theme) -> Deck | None:
        if not self.answered or self.inputs is None:
            return None
        boards = list(self.analysis.boards(self.inputs, self.result))
        return BarsDeck(self.analysis.stage_title, boards, theme) if boards else None

    def focus_first(self) -> None:
        self.chooser.setFocus()


class TextAnalysisPage(AnalysisPage, SelectedTextPage):
    """The page of an analysis of the selection or the whole text, or without a text."""

    def __init__(self, workspace: Workspace) -> None:
        self.most = self.analysis.page_limit
        super().__init__(workspace)
        self._once_more = QAction("Start again", self)
        self._once_more.triggered.connect(self.ask_again)
        self.build(*self.parts.values(), *self.more_parts(), head=self.head)

    def more_parts(self) -> list[QWidget]:
        """Returns further widgets below the parts."""
        return []

    def title_of(self, what: str) -> str:
        return self.analysis.question(what)

    def ask(self, text: str, items: list[LibraryItem]) -> None:
        self.begin(items, text)

    ask_again = SelectedTextPage.ask_again

    def say_cancelled(self, is_part: bool) -> None:
        self._asked = None
        if is_part:
            self.note.setText("This is a part of the answer: the rest was cancelled.")
            self.note.show()
            return
        shorter = ", or ask about a shorter text" * self.needs_text
        self.empty.say(
            "Cancelled",
            f"There is no answer to this question. Start again{shorter}.",
            [(self._once_more, "Start again")],
        )
        self._shown.setCurrentIndex(1)


@cache
def page_of(name: str) -> type[TextAnalysisPage]:
    """Returns the page of the analysis in the module of a name, imported now."""
    analysis = analysis_named(name)
    names = {
        "analysis": analysis,
        "id": analysis.id,
        "title": analysis.title,
        "needs_text": analysis.needs_text,
    }
    return type(f"{analysis.title}Page", (TextAnalysisPage,), names)
