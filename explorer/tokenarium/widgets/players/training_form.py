"""The settings of a training to play, in a row that wraps: corpus, algorithm, options, length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QWidget

from tokenarium.analyses.field import Field, Flag, Line, Number, OneOf
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.training.asked_training import CORPORA, FILE, RECORDED
from tokenarium.style.fonts import TEXT_SIZE, mono_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.analysis.field_control import NumberControl, control_of
from tokenarium.widgets.field_row import FIELD_GAP, FieldBelow
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import named
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.training import FIRST_SEEN, INCREMENTAL, NAIVE, Option, Value
from tokenarium_core.training.algorithms import ALGORITHMS

FEWEST, USUAL, MOST = 1, 300, 5000
"""Merges."""

FEWEST_ENTRIES, USUAL_ENTRIES, MOST_ENTRIES = 10, 1000, 8000

BPE, SUPERBPE, WORDPIECE, UNIGRAM = "bpe", "superbpe", "wordpiece", "unigram"
SENTENCEPIECE = "sentencepiece-bpe"
TITLES = {BPE: "BPE"}
"""Titles that are shorter than those of the algorithms."""

NO_PATTERN, OWN = "none", "own …"
UNCUT: Final = "(?s).+"
"""The pattern that matches a whole text: nothing is split."""

PATTERN_USERS = {
    "gpt2": "GPT-2",
    "cl100k": "GPT-3.5 and GPT-4",
    "o200k": "GPT-4o",
    "llama3": "Llama 3",
}
SEED: Final = 10_000
"""The most pieces that Unigram begins with here: each of its steps makes a tokenizer from all of them."""

SCORING_PIECES = tuple(key for key in RECORDED if ALGORITHMS[key].scores_pieces)
"""The algorithms whose rounds score pieces and remove some."""

MERGING = (BPE, SUPERBPE)
"""The algorithms whose length is a number of merges; the others have a number of entries."""

TERMS = {
    "Corpus": "corpus",
    "Pattern": "pattern",
    "Ties": "tie",
    "Second stage after": "transition",
    "Seed": "seed",
    "Kept by a round": "pruning",
    "Merges": "merge",
    "Entries": "entry",
}
"""The glossary terms that are titles."""

LOOKS = (("flask", "primary"), ("tray",))
"""The icons of the buttons; the first is the one action of the page."""

SCORES = {
    "frequency": "count of the pair",
    "likelihood": "likelihood",
    "ratio": "pair ÷ (a × b)",
}


def _option(algorithm: str, name: str) -> Option:
    return next(option for option in ALGORITHMS[algorithm].options if option.name == name)


_TIES, _SCORING = _option(BPE, "tie_break"), _option(WORDPIECE, "scoring")
FIELDS: tuple[tuple[Field, Sequence[str]], ...] = (
    (
        Line("own", "", "Own pattern", "A regular expression; each match is a pre-token", hint=r"\w+|\s+"),
        MERGING,
    ),
    (
        OneOf("ties", "", "Ties", as_tip(_TIES.about), titles={one: one for one in _TIES.choices}),
        (BPE,),
    ),
    (
        Number("transition", "", "Second stage after", term="transition", high=MOST),
        (SUPERBPE,),
    ),
    (OneOf("scoring", "", "Score", as_tip(_SCORING.about), titles=SCORES), (WORDPIECE,)),
    (
        Number(
            "seed", "", "Seed", _option(UNIGRAM, "seed_sentencepiece_size").about,
            default=SEED, low=1000, high=1_000_000, step=1000,
        ),
        (UNIGRAM,),
    ),
    (
        Number(
            "share", "", "Kept by a round", _option(UNIGRAM, "shrinking_factor").about,
            default=0.75, low=0.5, high=0.95, decimals=2, step=0.05,
        ),
        SCORING_PIECES,
    ),
    (
        Flag("bytes", "", "Byte fallback", _option(UNIGRAM, "byte_fallback").about),
        (SENTENCEPIECE, *SCORING_PIECES),
    ),
    (
        Number("least", "", "Least count", _option(BPE, "min_frequency").about, default=1, low=1, high=9999),
        [key for key in RECORDED if key not in SCORING_PIECES],
    ),
    (
        Number(
            "merges", "", "Merges", "How many merges are learned, if the corpus is large enough",
            default=USUAL, low=FEWEST, high=MOST,
        ),
        MERGING,
    ),
    (
        Number(
            "entries", "", "Entries",
            "The size of the vocabulary, with its symbols and characters, if the corpus is large enough",
            default=USUAL_ENTRIES, low=FEWEST_ENTRIES, high=MOST_ENTRIES,
        ),
        [key for key in RECORDED if key not in MERGING],
    ),
)  # fmt: skip
"""The settings, each with the algorithms that have it."""


class MergeTrainingForm(QWidget):
    """The fields of the settings; ``buttons`` are actions with short texts, after the fields, in the order of `LOOKS`."""

    file_wanted = Signal()

    def __init__(
        self, patterns: Sequence[str], pattern: str, buttons: Sequence[tuple[QAction, str]]
    ) -> None:
        super().__init__()
        self.corpus = named(QComboBox(), "Corpus", "What is learned from")
        for key, title in CORPORA.items():
            self.corpus.addItem(title, key)
        # activated, not currentIndexChanged: another file may be chosen after the first.
        self.corpus.activated.connect(self._ask)
        self.algorithm = named(QComboBox(), "Algorithm", "How the entries are learned")
        for key in RECORDED:
            self.algorithm.addItem(TITLES.get(key, ALGORITHMS[key].title), key)
        self.pattern = named(QComboBox(), "Pattern")
        self.pattern.setToolTip("How the corpus is split into pre-tokens, which no merge crosses")
        self.pattern.addItems([*patterns, NO_PATTERN, OWN])
        for index, name in enumerate(patterns):
            used = f"{PATTERN_USERS[name]}\n" if name in PATTERN_USERS else ""
            about = as_tip(f"{used}{pre_tokenizer(name).pattern}")
            self.pattern.setItemData(index, about, Qt.ItemDataRole.ToolTipRole)
        self.pattern.setItemData(
            len(patterns), "Nothing is split: merges can cross words", Qt.ItemDataRole.ToolTipRole
        )
        self.pattern.setCurrentText(pattern)
        self.controls: dict[str, Any] = {}
        self._row = row = FlowLayout(self, FIELD_GAP)
        row.setContentsMargins(0, 0, 0, FIELD_GAP)
        self._fields: list[tuple[FieldBelow, QWidget, Sequence[str]]] = []
        self._add("Corpus", self.corpus, RECORDED)
        self._add("Algorithm", self.algorithm, RECORDED)
        self._add("Pattern", self.pattern, MERGING)
        for field, algorithms in FIELDS:
            control = self.controls[field.name] = control_of(field, int, self)
            if isinstance(control, NumberControl):
                control.widget.setPrefix("")
                control.widget.setGroupSeparatorShown(True)
            self._add("" if isinstance(field, Flag) else field.title, control.widget, algorithms)
        self.own = self.controls["own"].widget
        self.own.setFont(mono_font(TEXT_SIZE))
        self.own.setMinimumWidth(24 * GRID)
        self.controls["transition"].widget.setSpecialValueText("nine tenths")
        self.buttons = [
            GlyphButton(text, *looks).follow(action)
            for (action, text), looks in zip(buttons, LOOKS, strict=False)
        ]
        self._beside = [FieldBelow(button) for button in self.buttons]
        for button_field in self._beside:
            row.addWidget(button_field)
        self.more = GlyphButton("Settings", "sliders-horizontal")
        named(self.more, "All settings", "Shows more settings of the training")
        self.more.setCheckable(True)
        self.more.hide()
        self.more.toggled.connect(self._show_fields)
        row.addWidget(self.more)
        self.algorithm.currentIndexChanged.connect(self._take_algorithm)
        self.pattern.currentIndexChanged.connect(self._show_fields)
        self._take_algorithm()

    def _add(self, title: str, control: QWidget, algorithms: Sequence[str]) -> None:
        """Adds the control of a setting, which some algorithms have, below its title."""
        field = FieldBelow(control, title, TERMS.get(title, ""))
        self._row.addWidget(field)
        self._fields.append((field, control, algorithms))

    def set_low(self, low: bool) -> None:
        """Shrinks to one line in a low window: the algorithm, and a button for the rest."""
        if low == self.more.isHidden():
            self.more.setVisible(low)
            self.more.setChecked(False)
            self._show_fields()

    def choose(self, corpus: str) -> None:
        """Chooses a corpus by its key."""
        self.corpus.setCurrentIndex(self.corpus.findData(corpus))

    def choose_algorithm(self, key: str) -> None:
        """Chooses an algorithm by its key."""
        self.algorithm.setCurrentIndex(self.algorithm.findData(key))

    @property
    def chosen(self) -> str:
        """The key of the corpus."""
        return str(self.corpus.currentData())

    @property
    def chosen_algorithm(self) -> str:
        """The key of the algorithm."""
        return str(self.algorithm.currentData())

    @property
    def cut_by(self) -> str:
        """The pattern: a name or a regular expression."""
        name = self.pattern.currentText()
        return UNCUT if name == NO_PATTERN else self.own.text() if name == OWN else name

    def request(self) -> tuple[str, int, dict[str, Value]]:
        """Returns the algorithm, the size of the vocabulary and the options of the training."""
        key = self.chosen_algorithm
        values = {name: control.value for name, control in self.controls.items()}
        options: dict[str, Value] = {}
        if key in MERGING:
            options["pattern"] = self.cut_by
        if key not in SCORING_PIECES:
            options["min_frequency"] = values["least"]
        size = 256 + values["merges"] if key in MERGING else values["entries"]
        if key == BPE:
            options["tie_break"] = values["ties"]
            # Only the naive strategy knows where a pair first occurs in the text.
            options["strategy"] = NAIVE if values["ties"] == FIRST_SEEN else INCREMENTAL
        elif key == SUPERBPE and values["transition"]:
            options["transition"] = 256 + min(values["transition"], values["merges"])
        elif key == WORDPIECE:
            options["scoring"] = values["scoring"]
        if key == SENTENCEPIECE or key in SCORING_PIECES:
            options["byte_fallback"] = values["bytes"]
        if key in SCORING_PIECES:
            options["shrinking_factor"] = values["share"]
        if key == UNIGRAM:
            options["seed_sentencepiece_size"] = values["seed"]
        return key, size, options

    def name_file(self, name: str) -> None:
        """Shows the name of the chosen file."""
        self.corpus.setItemText(self.corpus.findData(FILE), f"{name} …" if name else CORPORA[FILE])

    def _ask(self, _: int) -> None:
        if self.chosen == FILE:
            self.file_wanted.emit()

    def _take_algorithm(self) -> None:
        key = self.chosen_algorithm
        for option in ALGORITHMS[key].options:
            if option.name == "min_frequency" and isinstance(option.default, int):
                self.controls["least"].show(option.default)
        self._show_fields()

    def _show_fields(self) -> None:
        """Shows the options of the algorithm."""
        key, own = self.chosen_algorithm, self.pattern.currentText() == OWN
        folded = not self.more.isHidden() and not self.more.isChecked()
        for field, control, algorithms in self._fields:
            visible = key in algorithms and (control is not self.own or own)
            field.setVisible(visible and (not folded or control is self.algorithm))
            field.head.setVisible(not folded)
        for field in self._beside:
            field.head.setVisible(not folded)
        if own and self.own.isVisible() and not self.own.text():
            self.own.setFocus()
