"""The form of an experiment: corpus, entries, algorithms to train together; each field shows its problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from tokenarium.analyses.training_draft import (
    ALGORITHM,
    FILTERS,
    MIXING,
    PLACE,
    SIZE,
    SOURCES,
    Draft,
    shown,
    source_problem,
    texts_of,
    title,
)
from tokenarium.analyses.training_inputs import NAME, TRAINING_FIELDS, VOCAB_SIZE
from tokenarium.models.tokenizers.offers import joined_names
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.memory_estimate import Obstacle, Remedy
from tokenarium.models.training.trained_languages import by_language
from tokenarium.models.training.training_algorithms import TrainingAlgorithm, title_of
from tokenarium.models.typed_numbers import parsed_size
from tokenarium.resources.glossary import explanation
from tokenarium.resources.training_presets import Preset
from tokenarium.style.controls import primary
from tokenarium.style.icons import ICON_SIZE, paint_icon
from tokenarium.style.theme import CARD_MARGIN, GRID, Theme
from tokenarium.widgets.analysis.field_control import FieldControl, LineControl, control_of
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.field_row import field_title
from tokenarium.widgets.layouts import FlowLayout, in_column, in_row
from tokenarium.widgets.panel import heading, named, small_note, strong
from tokenarium.widgets.term_marks import TermButton, with_term
from tokenarium.widgets.training.board_parts import (
    BoardCard,
    Chip,
    FieldFold,
    Fold,
    ObstacleNote,
)
from tokenarium.widgets.training.option_field import (
    CONTROL,
    LABEL,
    CalmWheel,
    OptionField,
    Problem,
    share_width,
)
from tokenarium.widgets.training.place_field import PlaceField
from tokenarium.widgets.training.source_list import SourceList
from tokenarium_core import TokenariumError
from tokenarium_core.pretokenizers import NO_CUTS, PRE_TOKENIZERS
from tokenarium_core.training import Option

CHECK_MS = 150
"""Milliseconds without typing after which the fields are checked."""

OWN = "Choose a preset …"

SIZES = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
"""The sizes that the field of entries offers."""

SHORT = {
    "bpe": "BPE",
    "sentencepiece-bpe": "SentencePiece BPE",
    "fsp-unigram": "Unigram, final-style",
}
"""The names on chips of algorithms with a long title."""

TERMS = {
    "bpe": "BPE",
    "picky-bpe": "PickyBPE",
    "superbpe": "SuperBPE",
    "boundless-bpe": "BoundlessBPE",
    "parity-bpe": "parity-aware BPE",
    "sentencepiece-bpe": "BPE",
    "wordpiece": "WordPiece",
    "unigram": "Unigram",
    "fsp-unigram": "final-style pruning",
}
"""The glossary terms that explain our algorithms."""

COUNTS = ("nothing", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class TrainingForm(BoardCard):
    """All fields, and a button that starts a training for each algorithm that is chosen.

    ``controls`` are those of the inputs that every training has, by their names in sessions. ``drafts`` has the current
    settings of each algorithm, ``draft`` those of the first. An option that several algorithms share is one field for
    all of them.
    """

    train_requested = Signal()
    checked = Signal()  # the fields were checked: `problems` is up to date
    text_requested = Signal()

    def __init__(
        self, algorithms: Mapping[str, TrainingAlgorithm], presets: Sequence[Preset]
    ) -> None:
        super().__init__()
        self._algorithms = algorithms
        self._presets = [preset for preset in presets if preset.algorithm in algorithms]
        self._kept: dict[str, dict[str, str]] = {}  # the inputs, by algorithm
        self._warns = False
        self._whole = False
        self._obstacles: list[tuple[str, Obstacle]] = []
        self.problems: dict[str, str] = {}
        self.fields: dict[str, OptionField] = {}
        self._owners: dict[str, list[str]] = {}  # of each field: its algorithms
        self._groups: list[QLabel] = []
        self.preset = _combo("Preset", [OWN, *(preset.title for preset in self._presets)])
        self.preset.setToolTip("Fills the form with the settings of a well-known tokenizer")
        for place, preset in enumerate(self._presets):
            self.preset.setItemData(place + 1, preset.about, Qt.ItemDataRole.ToolTipRole)
        self.sources = SourceList()
        self.corpus = FieldFold("Corpus", "folder-open")
        self.corpus.setToolTip("The corpus to train on; opens the list of its sources")
        self.filter_problem = Problem()
        self.place = PlaceField("Count by")
        self.sizes = QComboBox(editable=True)
        self.sizes.addItems([f"{size:,}" for size in SIZES])
        self.sizes.setToolTip(explanation("vocabulary"))
        CalmWheel(self.sizes)
        line = self.sizes.lineEdit()
        assert line is not None
        self.sizes.setAccessibleName(VOCAB_SIZE.title)
        self._soon = QTimer(self, singleShot=True, interval=CHECK_MS)
        self._soon.timeout.connect(self.check)
        self.controls: dict[str, Any] = {
            VOCAB_SIZE.name: LineControl(VOCAB_SIZE, self._soon.start, line)
        }
        for field in TRAINING_FIELDS:
            control = self.controls[field.kept_as] = control_of(field, self._soon.start, self)
            if isinstance(control, LineControl) and field is not NAME:
                control.widget.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.chips: dict[str, Chip] = {}
        for algorithm in algorithms.values():
            text = SHORT.get(algorithm.name, algorithm.title)
            term = TERMS.get(algorithm.name)
            about = explanation(term) if term else algorithm.note
            chip = Chip(text, algorithm.obstacle or about or algorithm.title)
            chip.setEnabled(not algorithm.obstacle)
            chip.setAccessibleDescription(algorithm.obstacle or about)
            self.chips[algorithm.name] = chip
        self.others = Fold("Other libraries, for comparison")
        self.algorithm_note = small_note()
        self.algorithm_problem = Problem()
        self.size_problem = Problem()
        self.mixing_problem = Problem()
        self.obstacle = ObstacleNote()
        self.estimate = small_note()
        self.reason = Problem()
        self.more = Fold("Pattern, seed, workers …", "More settings")
        self.train = primary(named(QPushButton("Train"), "Train"))
        self.follow_theme()
        self.train.setMinimumHeight(42)
        self.train.clicked.connect(self.train_requested)
        self._options = QWidget()
        self._option_rows = in_column(into=self._options)
        self._lay_out()
        self.chips["bpe"].setChecked(True)
        self._show_algorithms()
        self.preset.activated.connect(self._take_preset)
        for chip in self.chips.values():
            chip.toggled.connect(lambda _: self._show_algorithms())
        self.sources.changed.connect(self._show_corpus)
        self.sources.text_requested.connect(self.text_requested)
        self.obstacle.chosen.connect(self.apply)
        self.place.changed.connect(self._soon.start)
        self.say_estimate("")
        self._show_corpus()
        self.check()

    def _lay_out(self) -> None:
        own, others = QWidget(), QWidget()
        for name, chip in self.chips.items():
            row = own if self._algorithms[name].ours else others
            if row.layout() is None:
                FlowLayout(row, GRID)
            layout = row.layout()
            assert layout is not None
            layout.addWidget(chip)
        self.others.folds(others)
        corpus = QWidget()
        in_column(
            self.sources,
            self.controls["unique"].widget,
            _line(self.controls["least"]),
            self.filter_problem,
            self.controls["strict"].widget,
            into=corpus,
            spacing=6,
        )
        self.corpus.folds(corpus)
        documents = strong(QLabel("Documents"))
        documents.setToolTip(explanation("document"))
        settings = QWidget()
        in_column(
            self.preset,
            _line(self.controls["name"]),
            self._options,
            with_term(documents, "document"),
            with_term(self.controls["hold_out"].widget, self.controls["hold_out"].field.term),
            _line(self.controls["target"]),
            _line(self.controls["temperature"]),
            self.mixing_problem,
            self.controls["repeat"].widget,
            _line(self.controls["seed"]),
            strong(QLabel("Counting")),
            self.place,
            into=settings,
            spacing=GRID,
            margins=(0, GRID, 0, GRID),
        )
        self.more.folds(settings)
        fields = QWidget()
        in_column(
            heading("New experiment"),
            GRID // 2,
            with_term(field_title("Corpus", self.corpus), "corpus"),
            self.corpus,
            corpus,
            with_term(field_title(VOCAB_SIZE.title, self.sizes), VOCAB_SIZE.term),
            self.sizes,
            self.size_problem,
            field_title("Algorithms", self.chips["bpe"]),
            own,
            (self.others, 0, Qt.AlignmentFlag.AlignLeft),
            others,
            self.algorithm_note,
            self.algorithm_problem,
            (self.more, 0, Qt.AlignmentFlag.AlignLeft),
            settings,
            into=fields,
            spacing=6,
        )
        self.area = FitArea(fields)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        below = in_column(self.obstacle, self.reason, self.estimate, self.train, spacing=GRID)
        in_column(
            (self.area, 1),
            below,
            into=self,
            spacing=GRID,
            margins=(CARD_MARGIN, CARD_MARGIN - 4, CARD_MARGIN, CARD_MARGIN),
        )

    def show_whole(self, whole: bool) -> None:
        """Shows all fields, for a page that scrolls as a whole, or scrolls them if there is too little room."""
        self._whole = whole
        self.area.show_whole(whole)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        height = self.heightForWidth(self.width()) if self._whole else 0
        return least.expandedTo(QSize(0, height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sources.fit_into(self.height())
        if self._whole and event.size().width() != event.oldSize().width():
            # Its own layout must not also set its size.
            QTimer.singleShot(0, self, self.updateGeometry)

    @property
    def chosen(self) -> list[TrainingAlgorithm]:
        """The chosen algorithms, in their order."""
        return [self._algorithms[name] for name, chip in self.chips.items() if chip.isChecked()]

    def choose(self, *names: str) -> None:
        """Chooses algorithms, and no others."""
        for name, chip in self.chips.items():
            with QSignalBlocker(chip):
                chip.setChecked(name in names)
                chip.updateGeometry()
        if any(not self._algorithms[name].ours for name in names):
            self.others.setChecked(True)
        self._show_algorithms()

    @property
    def draft(self) -> Draft:
        """The current settings of the first algorithm."""
        return self.drafts[0]

    @property
    def drafts(self) -> list[Draft]:
        """The current settings of each algorithm that is chosen; of BPE if none is."""
        chosen = self.chosen
        return [self._draft(one, len(chosen) > 1) for one in chosen or [self._algorithms["bpe"]]]

    def _draft(self, algorithm: TrainingAlgorithm, several: bool) -> Draft:
        values = {key: control.value for key, control in self.controls.items()}
        name = values["name"].strip()
        if several and name:
            values["name"] = f"{name} · {SHORT.get(algorithm.name, algorithm.title)}"
        return Draft(
            algorithm,
            texts={
                field.option.name: field.text
                for key, field in self.fields.items()
                if algorithm.name in self._owners[key]
            },
            sources=self.sources.sources,
            place=self.place.place,
            place_problem=self.place.problem,
            inputs=values,
        )

    def fill(
        self,
        algorithm: str,
        vocab_size: int,
        options: Mapping[str, object],
        sources: Sequence[CorpusSource] | None = None,
    ) -> None:
        """Chooses one algorithm and writes settings into the fields; options that are not given get their defaults."""
        self._kept.pop(algorithm, None)
        self.choose(algorithm)
        self.controls["vocab_size"].show(f"{vocab_size:,}")
        for name, text in texts_of(options).items():  # type: ignore[arg-type]
            self.fields[name].set_text(text)
        if sources is not None:
            self.sources.set_sources(sources)
        self.check()

    @property
    def typed(self) -> dict[str, str]:
        """The texts of the fields of all algorithms, by their keys."""
        return {key: field.text for key, field in self.fields.items()}

    def type(self, texts: Mapping[str, str]) -> None:
        """Writes texts into fields; keys that are not known are left out."""
        for key, text in texts.items():
            if key in self.fields:
                self.fields[key].set_text(str(text))
        self.check()

    def apply(self, remedy: Remedy) -> None:
        """Applies a remedy to the fields of all algorithms that have them."""
        options = dict(remedy.changes)
        if SIZE in options:
            self.controls["vocab_size"].show(shown(options.pop(SIZE)))
        for field in self.fields.values():
            if field.option.name in options:
                field.set_text(shown(options[field.option.name]))
        self.show_obstacles(())
        self.check()

    def show_obstacles(self, found: Sequence[tuple[str, Obstacle]]) -> None:
        """Shows why trainings of these algorithms, by their titles, must fail, and what would help."""
        self._obstacles = list(found)
        self.obstacle.show_obstacles(self._obstacles)
        self._show_button()

    @property
    def blocked(self) -> bool:
        """Whether a training must fail with the current settings."""
        return bool(self._obstacles)

    def _show_corpus(self) -> None:
        sources = self.sources.sources
        named_first = sources[0].name if sources else "Nothing yet"
        more = f" and {len(sources) - 1:,} more" if len(sources) > 1 else ""
        self.corpus.show_text(f"{named_first[:1].upper()}{named_first[1:]}{more}")
        if not sources and self.isVisible():
            self.corpus.setChecked(True)
        self._soon.start()

    def check(self) -> None:
        """Checks all fields, and shows the problem of each."""
        self._soon.stop()
        self.problems = {} if self.chosen else {ALGORITHM: "Choose at least one algorithm."}
        for draft in self.drafts:
            for name, sentence in draft.problems().items():
                key = next(
                    (
                        key
                        for key, field in self.fields.items()
                        if field.option.name == name and draft.algorithm.name in self._owners[key]
                    ),
                    name,
                )
                self.problems.setdefault(key, sentence)
        for key, field in self.fields.items():
            field.problem.say(self.problems.get(key, ""))
        self.algorithm_problem.say(self.problems.get(ALGORITHM, ""))
        self.size_problem.say(self.problems.get(SIZE, ""))
        self.mixing_problem.say(self.problems.get(MIXING, ""))
        self.filter_problem.say(self.problems.get(FILTERS, ""))
        self.place.fault.say(self.problems.get(PLACE, ""))
        # Not the sources: their list shows their problems itself.
        missing = self.problems.get(SOURCES, "")
        if any(source_problem(source) for source in self.sources.sources):
            missing = ""
            self.corpus.setChecked(True)
        if FILTERS in self.problems:
            self.corpus.setChecked(True)
        if any(key in self.fields or key in (MIXING, PLACE) for key in self.problems):
            self.more.setChecked(True)
        self.reason.say(missing or self._where(self.problems))
        self._show_button()
        self.controls["name"].widget.setPlaceholderText(_title(self.draft))
        self._show_preset(self.draft)
        self.checked.emit()

    def _show_button(self) -> None:
        count = len(self.chosen)
        self.train.setText("Train" if count < 2 else f"Train {COUNTS[count]}")
        self.train.setEnabled(not self.problems and not self._obstacles)
        sentences = [*self.problems.values(), *(one.sentence for _, one in self._obstacles)]
        waits = "Starts the training, or waits until the previous one is finished"
        self.train.setToolTip(sentences[0] if sentences else waits)

    def _where(self, problems: Mapping[str, str]) -> str:
        """Returns a sentence with the names of the faulty fields, which may be scrolled out of view."""
        own = {
            SOURCES: "Corpus",
            ALGORITHM: "Algorithms",
            SIZE: "Entries",
            MIXING: "Documents",
            FILTERS: "Shortest document",
            PLACE: "Counting",
        }
        names = [
            own.get(name) or (title(self.fields[name].option) if name in self.fields else name)
            for name in problems
        ]
        return f"Look again at {' and '.join(f'“{name}”' for name in names)}." if names else ""

    def _show_icon(self) -> None:
        """Paints the icon of the button in the colour of its text."""
        drawn = QIcon()
        for mode, colour in (
            (QIcon.Mode.Normal, self.theme.on_accent),
            (QIcon.Mode.Disabled, self.theme.strong),
        ):
            pixmap = QPixmap(2 * ICON_SIZE, 2 * ICON_SIZE)
            pixmap.setDevicePixelRatio(2)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            paint_icon(painter, QRectF(0, 0, ICON_SIZE, ICON_SIZE), "flask", colour)
            painter.end()
            drawn.addPixmap(pixmap, mode)
        self.train.setIcon(drawn)

    def say_estimate(self, sentence: str, warning: bool = False) -> None:
        """Shows how much memory the training will need."""
        self._warns = warning
        self.estimate.setText(sentence)
        self.estimate.setVisible(bool(sentence))
        self._colour_estimate()

    def _colour_estimate(self) -> None:
        palette = self.estimate.palette()
        colour = self.theme.ask if self._warns else self.theme.dim
        palette.setColor(self.estimate.foregroundRole(), colour)
        self.estimate.setPalette(palette)

    def dress(self, theme: Theme) -> None:
        self._show_icon()
        self._colour_estimate()

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

    def _show_algorithms(self) -> None:
        """Makes the fields of the chosen algorithms, with their earlier inputs; shared ones come first."""
        for old in (*self.fields.values(), *self._groups):
            self._option_rows.removeWidget(old)
            old.hide()
            old.deleteLater()
        chosen = self.chosen
        notes = [one.note for one in chosen if one.note and not one.obstacle]
        self.algorithm_note.setText(notes[0] if notes else "")
        self.algorithm_note.setVisible(bool(notes))
        self.fields, self._owners, self._groups = {}, {}, []
        self.sources.show_languages(any(by_language(one.name) for one in chosen))
        options = _shared(chosen)
        group: tuple[str, ...] = ()
        for option, owners in options:
            if owners != group:
                group = owners
                titles = [SHORT.get(name, self._algorithms[name].title) for name in owners]
                self._groups.append(strong(QLabel(f"Options of {joined_names(titles)}")))
                self._groups[-1].setWordWrap(True)
                self._groups[-1].setContentsMargins(0, GRID, 0, GRID // 2)
                self._option_rows.addWidget(self._groups[-1])
            patterns = (*PRE_TOKENIZERS, NO_CUTS) if option.name.endswith("pattern") else ()
            field = OptionField(option, patterns)
            for name in reversed(owners):
                if option.name in self._kept.setdefault(name, {}):
                    field.set_text(self._kept[name][option.name])
            field.changed.connect(self._keep)
            key = option.name if option.name not in self.fields else f"{option.name}.{owners[0]}"
            self.fields[key] = field
            self._owners[key] = list(owners)
            self._option_rows.addWidget(field)
        controls = [field.control for field in self.fields.values()]
        kept = ("hold_out", "target", "temperature", "repeat", "seed")
        mixing = [self.controls[name].widget for name in kept]
        mixing += [self.place.kind, self.place.workers, self.place.address]
        for before, after in pairwise(
            [self.controls["name"].widget, *controls, *mixing, self.train]
        ):
            QWidget.setTabOrder(before, after)
        self.show_obstacles(())
        self._soon.start()

    def _keep(self) -> None:
        for key, field in self.fields.items():
            for name in self._owners[key]:
                self._kept.setdefault(name, {})[field.option.name] = field.text
        self._soon.start()


def _shared(algorithms: Sequence[TrainingAlgorithm]) -> list[tuple[Option, tuple[str, ...]]]:
    """Returns the options of algorithms, each once with the algorithms that share it.

    Those of most algorithms come first.
    """
    found: dict[tuple[str, str, str], tuple[Option, list[str]]] = {}
    for algorithm in algorithms:
        for option in algorithm.options:
            kind = (option.name, repr(option.default), repr(option.choices))
            found.setdefault(kind, (option, []))[1].append(algorithm.name)
    rows = [(option, tuple(owners)) for option, owners in found.values()]
    order = list(dict.fromkeys(owners for _, owners in rows))
    order.sort(key=lambda owners: -len(owners))
    return sorted(rows, key=lambda row: order.index(row[1]))


def _title(draft: Draft) -> str:
    try:
        return title_of(draft.algorithm.name, parsed_size(draft.vocab_size))
    except TokenariumError:
        return draft.algorithm.title


def _combo(name: str, items: Sequence[str]) -> QComboBox:
    combo = named(QComboBox(minimumContentsLength=10), name)
    combo.addItems(list(items))
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    CalmWheel(combo)
    return combo


def _line(control: FieldControl) -> QHBoxLayout:
    field, widget = control.field, control.widget
    label = QLabel(field.title, wordWrap=True)
    label.setBuddy(widget)
    share_width(widget)
    row = in_row((label, LABEL), (widget, CONTROL), spacing=GRID)
    if field.term:
        row.addWidget(TermButton(field.term))
    return row
