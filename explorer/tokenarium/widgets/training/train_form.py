"""The form of a training: corpus, algorithm, size; each field shows its problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QIntValidator, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.training_algorithms import TrainingAlgorithm, title_of
from tokenarium.models.training.training_draft import (
    ALGORITHM,
    MIXING,
    SIZE,
    SOURCES,
    Draft,
    parsed_size,
    source_problem,
    texts_of,
    title,
)
from tokenarium.resources.glossary import explanation
from tokenarium.resources.training_presets import Preset
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import MARGIN, Rule, named, secondary, strong
from tokenarium.widgets.training.option_field import (
    CONTROL,
    LABEL,
    CalmWheel,
    OptionField,
    Problem,
    share_width,
)
from tokenarium.widgets.training.source_list import SourceList
from tokenarium_core import TokenariumError
from tokenarium_core.pretokenizers import PRE_TOKENIZERS

CHECK_MS = 150
"""Milliseconds without typing after which the fields are checked."""

MOST_SEED = 2**31 - 1

OWN = "Choose a preset …"


class TrainingForm(QWidget):
    """All fields, and a button that starts; ``draft`` has the current settings."""

    train_requested = Signal()
    checked = Signal()  # the fields were checked: `problems` is up to date
    text_requested = Signal()

    def __init__(
        self, algorithms: Mapping[str, TrainingAlgorithm], presets: Sequence[Preset], theme: Theme
    ) -> None:
        super().__init__()
        self._algorithms = algorithms
        self._presets = [preset for preset in presets if preset.algorithm in algorithms]
        self._theme = theme
        self._kept: dict[str, dict[str, str]] = {}  # the inputs, by algorithm
        self._warns = False
        self.problems: dict[str, str] = {}
        self.fields: dict[str, OptionField] = {}
        self.preset = _combo("Preset", [OWN, *(preset.title for preset in self._presets)])
        self.preset.setToolTip("Fills the form with the settings of a well-known tokenizer")
        for place, preset in enumerate(self._presets):
            self.preset.setItemData(place + 1, preset.about, Qt.ItemDataRole.ToolTipRole)
        self.sources = SourceList(theme)
        self.algorithm = _combo("Algorithm", [])
        self.algorithm.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for algorithm in algorithms.values():
            self.algorithm.addItem(algorithm.title, algorithm.name)
            if algorithm.obstacle:
                self.algorithm.setItemData(
                    self.algorithm.count() - 1, algorithm.obstacle, Qt.ItemDataRole.ToolTipRole
                )
        self.vocab_size = named(QLineEdit("8,192"), "Vocabulary size")
        self.vocab_size.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.vocab_size.setToolTip(explanation("vocabulary"))
        self.algorithm_note = _small_note()
        self.algorithm_problem = Problem(theme)
        self.size_problem = Problem(theme)
        self.name = named(QLineEdit(), "Name", "What the tokenizer will be called")
        self.seed = named(QLineEdit("0", alignment=Qt.AlignmentFlag.AlignRight), "Seed")
        self.seed.setValidator(QIntValidator(0, MOST_SEED, self.seed))
        self.seed.setToolTip(
            "Which parts are taken where not all are: another number, another choice"
        )
        self.hold_out = QCheckBox("Hold out a twentieth")
        self.hold_out.setChecked(True)
        self.hold_out.setToolTip(
            f"{explanation('held-out text')}\nHere it is each 20th document, up to a million characters. Nothing is held out"
            " of a corpus of less than 1 MB."
        )
        self.target = named(QLineEdit(alignment=Qt.AlignmentFlag.AlignRight), "Target size")
        self.target.setPlaceholderText("all")
        self.target.setToolTip(
            "How large the corpus should be, such as 50 MB, by the shares of its sources. Where one has too little"
            " for its share, all are scaled down, so that nothing counts twice"
        )
        self.temperature = named(QLineEdit("1"), "Temperature")
        self.temperature.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.temperature.setToolTip(
            f"{explanation('temperature')}\nIt counts where the sources have no weights."
        )
        self.repeat = QCheckBox("Repeat what is too little")
        self.repeat.setToolTip(
            "A source that has too little text for its share is read more than once, instead of a smaller corpus"
        )
        self.mixing_problem = Problem(theme)
        self.estimate = _small_note()
        self.reason = Problem(theme)
        self.train = named(QPushButton("Train"), "Train")
        self.train.setMinimumHeight(4 * GRID)
        self.train.clicked.connect(self.train_requested)
        for edit in (self.vocab_size, self.name, self.seed, self.target, self.temperature):
            ShortcutFirst(edit)
        self._soon = QTimer(self, singleShot=True, interval=CHECK_MS)
        self._soon.timeout.connect(self.check)
        self._options = QWidget()
        self._option_rows = in_column(into=self._options)
        self._lay_out()
        self._show_algorithm()
        self.preset.activated.connect(self._take_preset)
        self.algorithm.currentIndexChanged.connect(lambda _: self._show_algorithm())
        self.sources.changed.connect(self._soon.start)
        self.sources.text_requested.connect(self.text_requested)
        for box in (self.hold_out, self.repeat):
            box.toggled.connect(lambda _: self._soon.start())
        for edit in (self.vocab_size, self.name, self.seed, self.target, self.temperature):
            edit.textChanged.connect(lambda _: self._soon.start())
        self.say_estimate("")
        self.check()

    def _lay_out(self) -> None:
        fields = QWidget()
        documents = strong(QLabel("Documents"))
        documents.setToolTip(explanation("document"))
        in_column(
            self.preset,
            self.sources,
            _RoomyLine("Algorithm", self.algorithm),
            self.algorithm_note,
            self.algorithm_problem,
            _line("Vocabulary size", self.vocab_size),
            self.size_problem,
            _line("Name", self.name),
            strong(QLabel("Options")),
            self._options,
            documents,
            self.hold_out,
            _line("Target size", self.target),
            _line("Temperature", self.temperature),
            self.mixing_problem,
            self.repeat,
            _line("Seed of the sample", self.seed),
            STRETCH,
            into=fields,
            spacing=GRID,
            margins=(MARGIN, GRID, MARGIN, GRID),
        )
        area = FitArea(fields, fills=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        below = in_column(
            self.reason,
            self.estimate,
            self.train,
            spacing=GRID // 2,
            margins=(MARGIN, GRID, MARGIN, GRID),
        )
        in_column((area, 1), Rule(), below, into=self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sources.fit_into(self.height())

    @property
    def chosen(self) -> TrainingAlgorithm:
        """The chosen algorithm."""
        return self._algorithms[self.algorithm.currentData()]

    @property
    def draft(self) -> Draft:
        """The current settings."""
        seed = self.seed.text().strip()
        return Draft(
            self.chosen,
            self.vocab_size.text(),
            self.name.text(),
            {name: field.text for name, field in self.fields.items()},
            self.sources.sources,
            int(seed) if seed.isascii() and seed.isdigit() else 0,
            self.hold_out.isChecked(),
            self.target.text(),
            self.temperature.text(),
            self.repeat.isChecked(),
        )

    def fill(
        self,
        algorithm: str,
        vocab_size: int,
        options: Mapping[str, object],
        sources: Sequence[CorpusSource] | None = None,
    ) -> None:
        """Writes settings into the fields; options that are not given get their defaults."""
        self._kept.pop(algorithm, None)
        self.algorithm.setCurrentIndex(self.algorithm.findData(algorithm))
        self._show_algorithm()
        self.vocab_size.setText(f"{vocab_size:,}")
        for name, text in texts_of(options).items():  # type: ignore[arg-type]
            self.fields[name].set_text(text)
        if sources is not None:
            self.sources.set_sources(sources)
        self.check()

    def check(self) -> None:
        """Checks all fields, and shows the problem of each."""
        self._soon.stop()
        draft = self.draft
        self.problems = draft.problems()
        for name, field in self.fields.items():
            field.problem.say(self.problems.get(name, ""))
        self.algorithm_problem.say(self.problems.get(ALGORITHM, ""))
        self.size_problem.say(self.problems.get(SIZE, ""))
        self.mixing_problem.say(self.problems.get(MIXING, ""))
        # Not the sources: their list shows their problems itself.
        missing = self.problems.get(SOURCES, "")
        if any(source_problem(source) for source in draft.sources):
            missing = ""
        self.reason.say(missing or self._where(self.problems))
        self.train.setEnabled(not self.problems)
        self.train.setToolTip(
            next(iter(self.problems.values()), "Begins, or waits until the training before is done")
        )
        self.name.setPlaceholderText(_title(draft))
        self._show_preset(draft)
        self.checked.emit()

    def _where(self, problems: Mapping[str, str]) -> str:
        """Returns a sentence with the names of the faulty fields, which may be scrolled out of view."""
        own = {
            SOURCES: "Corpus",
            ALGORITHM: "Algorithm",
            SIZE: "Vocabulary size",
            MIXING: "Documents",
        }
        names = [own.get(name) or title(self.fields[name].option) for name in problems]
        return f"Look again at {' and '.join(f'“{name}”' for name in names)}." if names else ""

    def say_estimate(self, sentence: str, warning: bool = False) -> None:
        """Shows how much memory the training will need."""
        self._warns = warning
        self.estimate.setText(sentence)
        self.estimate.setVisible(bool(sentence))
        self._colour_estimate()

    def _colour_estimate(self) -> None:
        palette = self.estimate.palette()
        colour = self._theme.ask if self._warns else self._theme.dim
        palette.setColor(self.estimate.foregroundRole(), colour)
        self.estimate.setPalette(palette)

    def set_theme(self, theme: Theme) -> None:
        """Writes in other colours."""
        self._theme = theme
        self._colour_estimate()
        for problem in (
            self.sources.problem,
            self.algorithm_problem,
            self.size_problem,
            self.mixing_problem,
            self.reason,
        ):
            problem.set_theme(theme)
        for field in self.fields.values():
            field.set_theme(theme)

    def _take_preset(self, place: int) -> None:
        if place > 0:
            preset = self._presets[place - 1]
            self.preset.setCurrentIndex(place)
            self.fill(preset.algorithm, preset.vocab_size, preset.options)

    def _show_preset(self, draft: Draft) -> None:
        """Shows the preset with these settings; none if a setting was changed."""
        if self.preset.currentIndex() > 0:
            preset = self._presets[self.preset.currentIndex() - 1]
            if not draft.has(preset.algorithm, preset.vocab_size, preset.options):
                self.preset.setCurrentIndex(0)

    def _show_algorithm(self) -> None:
        """Makes the fields of the algorithm, with their earlier inputs."""
        for field in self.fields.values():
            self._option_rows.removeWidget(field)
            field.hide()
            field.deleteLater()
        algorithm = self.chosen
        self.algorithm_note.setText(algorithm.note)
        self.algorithm_note.setVisible(bool(algorithm.note) and not algorithm.obstacle)
        self.algorithm.setAccessibleDescription(algorithm.note)
        self.algorithm.setToolTip(algorithm.title)
        kept = self._kept.setdefault(algorithm.name, {})
        self.fields = {}
        for option in algorithm.options:
            patterns = tuple(PRE_TOKENIZERS) if option.name.endswith("pattern") else ()
            field = OptionField(option, self._theme, patterns)
            if option.name in kept:
                field.set_text(kept[option.name])
            field.changed.connect(self._keep)
            self.fields[option.name] = field
            self._option_rows.addWidget(field)
        controls = [field.control for field in self.fields.values()]
        mixing = [self.hold_out, self.target, self.temperature, self.repeat, self.seed]
        for before, after in pairwise([self.name, *controls, *mixing, self.train]):
            QWidget.setTabOrder(before, after)
        self._soon.start()

    def _keep(self) -> None:
        self._kept[self.chosen.name] = {name: field.text for name, field in self.fields.items()}
        self._soon.start()


def _title(draft: Draft) -> str:
    try:
        return title_of(draft.algorithm.name, parsed_size(draft.vocab_size))
    except TokenariumError:
        return draft.algorithm.title


def _small_note() -> QLabel:
    label = secondary(QLabel(wordWrap=True))
    label.setFont(ui_font(SMALL_SIZE))
    return label


def _combo(name: str, items: Sequence[str]) -> QComboBox:
    combo = named(QComboBox(minimumContentsLength=10), name)
    combo.addItems(list(items))
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    CalmWheel(combo)
    return combo


class _RoomyLine(QWidget):
    """A control beside its label, or below it if there is too little room."""

    def __init__(self, text: str, control: QWidget) -> None:
        super().__init__()
        self._control = control
        self._line = _line(text, control)
        self._line.setContentsMargins(0, 0, 0, 0)
        self.setLayout(self._line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        share = (self.width() - GRID) * CONTROL // (LABEL + CONTROL)
        beside = share >= self._control.sizeHint().width()
        directions = QBoxLayout.Direction
        self._line.setDirection(directions.LeftToRight if beside else directions.TopToBottom)
        self._line.setSpacing(GRID if beside else GRID // 2)


def _line(text: str, control: QWidget) -> QHBoxLayout:
    label = QLabel(text, wordWrap=True)
    label.setBuddy(control)
    share_width(control)
    return in_row((label, LABEL), (control, CONTROL), spacing=GRID)
