"""The page "Release check" of the workspace Vocabulary: the evaluation report of the current tokenizer."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHeaderView,
    QMenu,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.models.progress_reporter import stage
from tokenarium.models.release.evaluation_report import (
    RANK,
    EvaluationReport,
    ReportComparison,
    TextFigures,
    compare_reports,
    read_report,
)
from tokenarium.models.release.release_limits import (
    ReleaseLimits,
    declared_limits,
    limits_of_file,
)
from tokenarium.models.text.piece import percent
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.style.controls import primary
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, index_below, kept_scroll, kept_segment, text_of, texts_of
from tokenarium.views.workspace import Page, Workspace, column, soon
from tokenarium.widgets.areas import CardArea
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.file_dialogs import ask_file, ask_files, ask_folder
from tokenarium.widgets.flat_table import FlatTree, TermHeads
from tokenarium.widgets.layouts import FlowLayout, in_row
from tokenarium.widgets.panel import (
    ElidedLabel,
    Rule,
    named,
    secondary,
    tool_button,
)
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.vocabulary.release_card import ReleaseCard, WorseCard
from tokenarium.widgets.work_bar import WorkBar
from tokenarium_core import TokenariumError
from tokenarium_core.progress import Progress

if TYPE_CHECKING:
    from tokenarium.models.release.evaluation import EvaluationRequest

SAMPLES, TEXT, FILES, FOLDER = range(4)
TEXTS = ("Tokenarium's samples", "The text of the window", "Files …", "A folder …")
"""The texts to measure, by their indices in the list."""

PARTS = ("Checks", "By text", "By language", "By script", "Numbers and spaces")

TABLE_TOPS = ("top_texts", "top_languages", "top_scripts", "top_cuts")
"""The names in scenes of the first visible rows of the tables."""

TURN_MS = 10
"""Milliseconds after which a tokenizer is checked when it is first shown."""

SLICE_S = 0.006
"""Seconds of a turn of the event loop for putting checks into cards."""

HEAD_TERMS = {
    "Bytes/token": "bytes per token",
    "Fertility": "fertility",
    "Alone": "fertility",
    "× English": "premium",
    "Unknown": "unknown token",
    "Comes back": "round trip",
    "Script": "script",
    "Entries": "entry",
}
"""The glossary terms of the headers of the tables."""

BUTTONS = (
    ("release_save", "Save …"),
    ("release_print", "Print …"),
    ("release_pdf", "PDF …"),
    ("copy_python", "Python"),
)
"""The actions on the report, with the short texts of their buttons."""

_NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(slots=True)
class _Kept:
    """The report about a tokenizer, and its settings."""

    tokenizer: object
    request: EvaluationRequest
    report: EvaluationReport
    compared: ReportComparison | None = None


@dataclass(slots=True)
class _Choices:
    """The settings of the reports, for any tokenizer."""

    sources: tuple[CorpusSource, ...] = ()
    place: int = SAMPLES
    config: str = ""
    limits: ReleaseLimits = field(default_factory=declared_limits)
    limits_file: Path | None = None
    old: dict[str, Any] | None = None
    old_file: Path | None = None


class ReleasePage(Page):
    """The texts to measure, and the report: the checks by verdict, and tables of all figures."""

    id = "release"
    title = "Release check"
    imported_later = ("tokenarium.models.release.evaluation",)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._choices = _Choices()
        self._kept: dict[str, _Kept] = {}
        self._item: LibraryItem | None = None
        self._shown: _Kept | None = None
        self._asked = ""  # the key of the tokenizer that is being checked
        self._problem = ""
        self.cards: list[ReleaseCard | WorseCard] = []
        self.texts = named(QComboBox(), "Texts to measure on", "The texts that are measured")
        self.texts.addItems(TEXTS)
        self.texts.setMinimumWidth(25 * GRID)
        self.choose = named(QToolButton(), "Configuration, thresholds and an older report")
        self.choose.setText("Against …")
        self.choose.setToolTip("A model's config.json, your own thresholds, or an older report")
        self.run_button = primary(QPushButton("Check"))
        self.run_button.setToolTip("Measures the current tokenizer and checks it")
        self.summary = named(secondary(ElidedLabel()), "What was found")
        self.bar = WorkBar("Progress of the check")
        self.parts = named(Segmented(PARTS), "Parts of the report")
        self.area = named(CardArea(), "Checks")
        self.area.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        body = self.area.widget()
        assert body is not None
        body.setBackgroundRole(QPalette.ColorRole.Window)
        self.tables = [
            _table("By text", ("Text", "Bytes", "Tokens", "Bytes/token", "Fertility", "Alone", "Unknown", "Comes back")),
            _table("By language", ("Language", "Bytes", "Tokens", "Bytes/token", "Fertility", "Alone", "× English", "Unknown", "Comes back")),
            _table("By script", ("Script", "Entries", "Share", "Mean bytes", "Tokens of the texts", "Bytes/token")),
            _table("Numbers and spaces", ("Text", "Count", "Tokens")),
        ]  # fmt: skip
        self.nothing = EmptyState()
        self._filling = QTimer(self, interval=0)
        self._filling.timeout.connect(self._fill_on)
        self._new = soon(self, self._check_new, TURN_MS)  # after the texts of the scene are set
        self._build()
        self.texts.activated.connect(self._choose_texts)
        self.run_button.clicked.connect(self.press)
        self.parts.currentChanged.connect(self._show_part)
        for signal in (self.session.tokenizers_changed, self.session.current_changed):
            signal.connect(self._follow)

    def _build(self) -> None:
        menu = QMenu(self.choose)
        for text, ask in (
            ("A model's config.json …", self._ask_config),
            ("Thresholds of a file …", self._ask_limits),
            ("An older report …", self._ask_old),
        ):
            menu.addAction(text).triggered.connect(ask)
        menu.addSeparator()
        menu.addAction("None of these").triggered.connect(self.check_plainly)
        self.choose.clicked.connect(
            lambda: menu.popup(self.choose.mapToGlobal(self.choose.rect().bottomLeft()))
        )
        for control in (self.texts, self.choose, self.run_button):
            control.setFixedHeight(34)
        head = FlowLayout(spacing=GRID)
        for control in (self.texts, self.choose, self.run_button):
            head.addWidget(control)
        self.report_buttons = QWidget()  # in a narrow window all of them are on the second row
        buttons = [tool_button(action, text) for action, text in self.help_with(*BUTTONS)]
        for button in buttons:
            button.setFixedHeight(34)
        in_row(*buttons, into=self.report_buttons, spacing=GRID)
        head.addWidget(self.report_buttons)
        head.setContentsMargins(PAGE_MARGIN, GRID, PAGE_MARGIN, 0)
        line = in_row(
            (self.summary, 1),
            self.bar,
            spacing=GRID,
            margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID),
        )
        tabs = in_row(self.parts, (None, 1), margins=(PAGE_MARGIN, 0, PAGE_MARGIN, GRID))
        self._bodies = QStackedWidget()
        for body in (self.area, *self.tables, self.nothing):
            self._bodies.addWidget(body)
        self._pages = self.fill(column(head, line, tabs, Rule(), self._bodies, grows=self._bodies))

    # What scenes keep.

    def keeps(self) -> Iterable[Kept]:
        choices = self._choices
        paths = choices.sources if choices.place in (FILES, FOLDER) else ()
        areas = zip(("top", *TABLE_TOPS), (self.area, *self.tables), strict=True)
        return (
            Kept("texts", lambda: [choices.place, *(path.value for path in paths)], self._take_texts),
            Kept("config", lambda: choices.config or None, lambda path: self._take_config(text_of(path))),
            Kept("limits", lambda: _path_text(choices.limits_file), lambda path: self._take_limits(Path(text_of(path)))),
            Kept("compared", lambda: _path_text(choices.old_file), lambda path: self._take_old(Path(text_of(path)))),
            kept_segment("part", self.parts),
            *(kept_scroll(name, area.verticalScrollBar(), self._is_filled) for name, area in areas),
        )  # fmt: skip

    def _take_texts(self, value: object) -> None:
        """Chooses texts to measure; only the samples are measured at once, as on the first visit to the page."""
        if not isinstance(value, list) or not value:
            raise TypeError
        place = index_below(value[0], len(TEXTS))
        paths = [Path(path) for path in texts_of(value[1:]) if path]
        if place in (FILES, FOLDER) and not paths:
            raise ValueError
        if place == self._choices.place and place in (SAMPLES, TEXT):
            return
        self._choices.place = place
        if place in (FILES, FOLDER):
            self._choices.sources = _sources_of(paths)
        else:
            text = CorpusSource("text", self.session.text)
            self._choices.sources = (text,) if place == TEXT else ()
        self._show_choices()
        self._start_over()

    def _take_config(self, path: str) -> None:
        self._choices.config = path
        self._start_over()

    def _start_over(self) -> None:
        """Discards the reports: they are made again, or the check is offered."""
        self._new.stop()
        self.stop()
        self._kept.clear()
        self._follow()

    def _is_filled(self) -> bool:
        """Whether the report is in the cards, or none will be made automatically."""
        return not (self.busy or self._filling.isActive())

    # The settings.

    @property
    def item(self) -> LibraryItem | None:
        """The current tokenizer."""
        return self._item

    @property
    def report(self) -> EvaluationReport | None:
        """The current report, if there is one."""
        return self._shown.report if self._shown is not None else None

    @property
    def compared(self) -> ReportComparison | None:
        """What changed since an older report, if one was chosen."""
        return self._shown.compared if self._shown is not None else None

    @property
    def request(self) -> EvaluationRequest | None:
        """The settings of the current report."""
        return self._shown.request if self._shown is not None else None

    @property
    def busy(self) -> bool:
        return self.running.busy or self._new.isActive()

    def measure_on(self, sources: Sequence[CorpusSource], place: int) -> None:
        """Checks on other texts; ``place`` is the index in the list."""
        self._choices.sources, self._choices.place = tuple(sources), place
        self._show_choices()
        self.check()

    def measure_paths(self, paths: Sequence[Path]) -> None:
        """Checks on files and folders; without any, restores the previous choice."""
        if not paths:
            self._show_choices()
            return
        self.measure_on(_sources_of(paths), FOLDER if os.path.isdir(paths[0]) else FILES)

    def use_config(self, path: Path) -> None:
        """Checks against a model's configuration that is not next to the tokenizer."""
        self._choices.config = str(path)
        self.check()

    def use_limits(self, path: Path) -> None:
        """Checks with the thresholds in a file; shows a message if it has none."""
        if self._take_limits(path):
            self.check()

    def _take_limits(self, path: Path) -> bool:
        """Loads thresholds from a file; shows a message if it has none. Returns whether it has any."""
        try:
            self._choices.limits = limits_of_file(path)
        except TokenariumError as error:
            self.session.problem.emit(str(error))
            return False
        self._choices.limits_file = path
        self._start_over()
        return True

    def compare_with(self, path: Path) -> None:
        """Shows what became worse since an older report; a message if the file is not a report."""
        self._take_old(path)

    def _take_old(self, path: Path) -> None:
        try:
            old = self._choices.old = read_report(path)
        except TokenariumError as error:
            self.session.problem.emit(str(error))
            return
        self._choices.old_file = path
        for reports in self._kept.values():
            reports.compared = compare_reports(old, reports.report.as_dict())
        self._show()

    def check_plainly(self) -> None:
        """Checks with the declared thresholds, the configuration next to the tokenizer, and no older report."""
        choices = self._choices
        self._choices = _Choices(sources=choices.sources, place=choices.place)
        self.check()

    def _ask_config(self) -> None:
        name = ask_file(
            "configurations",
            self,
            "The model's configuration",
            "Configuration (*.json);;All files (*)",
        )
        if name:
            self.use_config(Path(name))

    def _ask_limits(self) -> None:
        name = ask_file(
            "thresholds", self, "Thresholds", "Thresholds (*.toml *.json);;All files (*)"
        )
        if name:
            self.use_limits(Path(name))

    def _ask_old(self) -> None:
        name = ask_file("reports", self, "An older report", "Report (*.json)")
        if name:
            self.compare_with(Path(name))

    def _choose_texts(self, place: int) -> None:
        if place == FILES:
            names = ask_files("texts", self, "Texts to measure", "All files (*)")
            self.measure_paths([Path(name) for name in names])
        elif place == FOLDER:
            name = ask_folder("texts", self, "A folder of texts to measure")
            self.measure_paths([Path(name)] if name else [])
        elif place == TEXT:
            self.measure_on([CorpusSource("text", self.session.text)], TEXT)
        else:
            self.measure_on([], SAMPLES)

    def _show_choices(self) -> None:
        self.texts.setCurrentIndex(self._choices.place)
        titles = ", ".join(source.title for source in self._choices.sources)
        self.texts.setToolTip(titles or "The texts that are measured")

    # The work.

    def press(self) -> None:
        """Checks again, or stops the check."""
        if self.running.busy:
            self.running.stop(stopped=True)
        elif self._choices.place == TEXT:
            self._choose_texts(TEXT)  # the text may have changed since
        else:
            self.check()

    def check(self) -> None:
        """Checks the current tokenizer in another process; a running check is cancelled."""
        item = self._item
        self.stop()
        if item is None or item.tokenizer is None:
            return
        self._problem = ""
        choices = self._choices
        if choices.place == TEXT and not self.session.text.strip():
            self._problem = (
                "The text of the window is empty: type or paste one, or choose other texts."
            )
            self._kept.pop(item.key, None)
            self._show()
            return
        # Loaded only now, as it needs much of the code that measures texts.
        from tokenarium.models.compare.comparing import ComparedTokenizer
        from tokenarium.models.release.evaluation import EvaluationRequest, evaluate_request

        candidate = ComparedTokenizer(item.key, item.name, item.source, item.pattern)
        request = EvaluationRequest(candidate, choices.sources, "", choices.config, choices.limits)
        tokenizer = item.tokenizer
        self._asked = item.key
        self._new.stop()

        def take(report: EvaluationReport) -> None:
            old = self._choices.old
            compared = compare_reports(old, report.as_dict()) if old is not None else None
            there = {one.key for one in self.session.chosen()}
            self._kept = {key: one for key, one in self._kept.items() if key in there}
            self._kept[item.key] = _Kept(tokenizer, request, report, compared)
            self._show()

        def failed(problem: str) -> None:
            self._problem = problem
            self._show()

        self.running.process(
            evaluate_request,
            request,
            take=take,
            fail=failed,
            say=self._say_progress,
            stopped="The check was stopped.",
        )
        self._show()
        self._say_progress(stage("Starting", 0.0))

    def _say_progress(self, progress: Progress) -> None:
        self.bar.show_progress(progress)
        name = self._item.name if self._item is not None else ""
        self.summary.setText(f"{name} is being checked: {progress.phase} …")

    # Display.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def _follow(self) -> None:
        """Shows the report of the current tokenizer; if there is none, it is made now on the samples."""
        if not self.isVisible():
            return
        item = self._item = self.session.current
        if item is None or item.tokenizer is None:
            self.stop()
            self._shown = None
            self._pages.setCurrentIndex(1)
            self.say_no_tokenizer()
            return
        self._pages.setCurrentIndex(0)
        cached = self._kept.get(item.key)
        if cached is not None and cached.tokenizer is not item.tokenizer:
            cached = self._kept.pop(item.key) and None
        if cached is None and not (self.running.busy and self._asked == item.key):
            self._problem = ""
            if self._choices.place == SAMPLES:
                self._new.start()
        self._show()

    def _check_new(self) -> None:
        """Checks a tokenizer on the samples, if it was not checked yet."""
        item = self._item
        if self.session.opening:
            self._new.start()  # another tokenizer may be in front soon
        elif item is not None and item.key not in self._kept and self._choices.place == SAMPLES:
            self.check()

    def _show(self) -> None:
        item = self._item
        running = self.running.busy
        self.bar.setVisible(running)
        self.run_button.setText("Stop" if running else "Check")
        self.run_button.setToolTip(
            "Ends the check" if running else "Measures the current tokenizer and checks it"
        )
        cached = self._kept.get(item.key) if item is not None else None
        if cached is not self._shown or (
            cached is not None and cached.compared is not self._compared
        ):
            self._shown = cached
            self._fill()
        self.parts.setEnabled(cached is not None)
        if running:
            self._show_part()
            return
        if self._problem:
            self.summary.setText(self._problem)
        elif cached is not None:
            self.summary.setText(_summary(cached, self._choices.limits_file))
        else:
            self.summary.setText("")
        self._show_part()

    _compared: ReportComparison | None = None

    def _show_part(self) -> None:
        if self._shown is None:
            waiting = self.busy
            title = "The check is running" if waiting else "Not checked yet"
            sentence = (
                "The texts are measured, then the entries, the special tokens and the files of the model."
                if waiting
                else self._problem or "“Check” measures the current tokenizer on the texts."
            )
            self.nothing.say(title, sentence)
            self._bodies.setCurrentWidget(self.nothing)
        else:
            self._bodies.setCurrentIndex(self.parts.currentIndex())

    def _fill(self) -> None:
        """Shows another report."""
        for card in self.cards:
            self.area.take_out(card)
        self.cards = []
        self._compared = self.compared
        report = self.report
        for table in self.tables:
            table.clear()
        if report is None:
            return
        if self.compared is not None:
            self.cards.append(WorseCard(self.compared))
        for verdict in RANK:
            checks = [one for one in report.checks if one.verdict is verdict]
            if checks:
                self.cards.append(ReleaseCard(verdict, checks))
        for index, card in enumerate(self.cards):
            self.area.put(index, card)
        self._filling.start()
        self.session.requests.refresh_menus()
        # In another turn: the cards alone take most of a frame.
        QTimer.singleShot(0, self, lambda: self._fill_tables(report))

    def _fill_on(self) -> None:
        """Adds checks to the cards for some milliseconds, and continues in the next turn of the event loop."""
        until = time.perf_counter() + SLICE_S
        for card in self.cards:
            if isinstance(card, ReleaseCard):
                while card.add_row():
                    if time.perf_counter() > until:
                        return
        self._filling.stop()

    def _fill_tables(self, report: EvaluationReport) -> None:
        if report is not self.report:
            return
        by_text, by_language, by_script, cut = self.tables
        _fill_table(by_text, [_cells(file, False) for file in report.files])
        _fill_table(by_language, [_cells(language, True) for language in report.languages])
        _fill_table(
            by_script,
            [
                [
                    script.script, f"{script.entries:,}", percent(script.share), _number(script.mean_bytes),
                    f"{script.tokens:,}", _number(script.bytes_per_token),
                ]
                for script in report.scripts
            ],
        )  # fmt: skip
        short = (*report.numbers, *report.spaces)
        _fill_table(
            cut, [[one.text, str(len(one.tokens)), " | ".join(one.tokens)] for one in short]
        )

    def lines(self) -> list[list[str]]:
        report = self.report
        if report is None:
            return []
        head = ["verdict", "check", "figure", "unit", "threshold"]
        return [head] + [
            [
                one.verdict.value,
                one.check.title,
                "" if one.figure is None else f"{one.figure:.6g}",
                one.check.unit,
                one.rule,
            ]
            for one in report.checks
        ]

    def python(self) -> str:
        from tokenarium.models.release.evaluation import evaluation_code

        if self.request is None:
            return ""
        whole = any(source.value == self.session.text for source in self.request.sources)
        return evaluation_code(self.request, self.session.file if whole else "")

    def focus_first(self) -> None:
        """Puts the focus on the checks: on “Stop”, the space bar would end the new check."""
        self.area.setFocus()


def _path_text(path: Path | None) -> str | None:
    return str(path) if path is not None else None


def _sources_of(paths: Iterable[Path]) -> tuple[CorpusSource, ...]:
    return tuple(
        CorpusSource("folder" if os.path.isdir(path) else "file", str(path)) for path in paths
    )


def _summary(kept: _Kept, limits: Path | None) -> str:
    report = kept.report
    with_limits = f", with the thresholds of {limits.name}" if limits is not None else ""
    corpus = report.corpus
    return (
        f"{report.name}: {report.summary}. Measured on {corpus['name']}, {corpus['texts']:,} texts of"
        f" {corpus['bytes']:,} bytes{with_limits}."
    )


def _table(name: str, heads: Sequence[str]) -> FlatTree:
    table = FlatTree(name, heads, left=PAGE_MARGIN)
    terms = {index: HEAD_TERMS[head] for index, head in enumerate(heads) if head in HEAD_TERMS}
    table.setHeaderItem(TermHeads(heads, terms))
    text = name == "Numbers and spaces"
    header = table.header()
    for place in range(len(heads)):
        last = place == len(heads) - 1
        stretch = last if text else place == 0
        mode = (
            QHeaderView.ResizeMode.Stretch if stretch else QHeaderView.ResizeMode.ResizeToContents
        )
        header.setSectionResizeMode(place, mode)
        if _is_number(name, place, len(heads)):
            table.headerItem().setTextAlignment(place, _NUMBER)
    return table


def _is_number(name: str, place: int, count: int) -> bool:
    if name == "Numbers and spaces":
        return place == 1
    return place > 0 and not (name in ("By text", "By language") and place == count - 1)


def _fill_table(table: FlatTree, rows: Sequence[Sequence[str]]) -> None:
    items = []
    name, count = table.accessibleName(), table.columnCount()
    for cells in rows:
        item = QTreeWidgetItem(list(cells))
        for place in range(count):
            if _is_number(name, place, count):
                item.setTextAlignment(place, _NUMBER)
        item.setToolTip(count - 1, cells[-1])
        items.append(item)
    table.addTopLevelItems(items)


def _cells(one: TextFigures, dear: bool) -> list[str]:
    return [
        one.name,
        f"{one.bytes:,}",
        f"{one.tokens:,}",
        _number(one.bytes_per_token),
        _number(one.fertility),
        _number(one.fertility_alone),
        *([_number(one.premium)] * dear),
        percent((one.unknown or 0.0) / 100),
        "yes" if one.round_trip else "no",
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f}"
