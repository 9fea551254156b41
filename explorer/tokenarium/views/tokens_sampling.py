"""A card of the page Ways: cuts of the text drawn at random, as BPE-dropout and Unigram sampling give them to a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QPushButton, QSpinBox, QWidget

import tokenarium_core as tc
from tokenarium.models.text.piece import counted, percent
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.theme import GRID
from tokenarium.views.workspace import Kept, kept_value
from tokenarium.widgets.analysis.tiles_view import small_heading, tile_of
from tokenarium.widgets.layouts import FlowLayout, in_column, in_row
from tokenarium.widgets.panel import CardFrame, named, secondary
from tokenarium.widgets.term_marks import TermButton
from tokenarium.widgets.text.token_tiles import TokenTiles
from tokenarium_core.explaining.sampling import ALPHA, DROPOUT, SamplingJob
from tokenarium_core.models import Unigram

if TYPE_CHECKING:
    from tokenarium.views.tokens_selection import SelectedTextPage

DRAWS = 1_000
AT_ONCE_MS = 6.0
LONGEST = 2_000
"""Characters of a text of which cuts are drawn."""

SHOWN = 8
TILES = 60
"""Cuts that are shown, and the most tokens of one that is."""

JOB = "sampling"

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

PROGRAM = """
in_front = next(iter(TOKENIZERS.values()))
drawn = tc.sample(in_front, TEXT, DRAWS, dropout=DROPOUT, alpha=ALPHA, seed=SEED)
cuts = [{"times": cut.times, "ids": cut.ids, "probability": cut.probability} for cut in drawn.cuts]
"""


class SampledCutsCard(CardFrame):
    """How far merges are left out or scores count, and the cuts that came most often."""

    def __init__(self, page: SelectedTextPage) -> None:
        super().__init__()
        self._page = page
        self._text = ""
        self._item: LibraryItem | None = None
        self._amounts = {"dropout": DROPOUT, "alpha": ALPHA}
        self.found: tc.SampledCuts | None = None
        self.amount = named(QDoubleSpinBox(), "Dropout")
        self.amount.setDecimals(2)
        self.amount_name = secondary(QLabel("dropout"))
        self.seed = named(
            QSpinBox(), "Seed", "The same seed draws the same cuts again, on every computer"
        )
        self.seed.setRange(0, 1_000_000)
        self.seed_name = secondary(QLabel("seed"))
        self.again = QPushButton("Draw others")
        self.again.setToolTip("Draws with the next seed")
        self.sentence = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.rows = [_CutRow(page) for _ in range(SHOWN)]
        controls = FlowLayout(spacing=GRID)
        self.title = small_heading("Cuts drawn at random")
        self.term = TermButton("subword regularization")
        for control in (
            self.title, self.term, self.amount_name, self.amount, self.seed_name, self.seed,
            self.again,
        ):  # fmt: skip
            control.setFixedHeight(34)
            controls.addWidget(control)
        in_column(
            controls, self.sentence, *self.rows, into=self, spacing=6, margins=(16, 14, 16, 14)
        )
        self.amount.valueChanged.connect(self._take_amount)
        self.seed.valueChanged.connect(self._draw)
        self.again.clicked.connect(lambda: self.seed.setValue(self.seed.value() + 1))

    @property
    def program(self) -> str:
        """The program that draws the cuts that are shown, for a dictionary of open tokenizers; empty if there are none."""
        if self.found is None:
            return ""
        values: dict[str, float] = {"DRAWS": DRAWS, "SEED": self.seed.value()}
        values |= {name.upper(): amount for name, amount in self._amounts.items()}
        return "".join(f"\n{name} = {value!r}" for name, value in values.items()) + PROGRAM

    @property
    def rule(self) -> str:
        """What is chosen: the dropout of merges, or the alpha of scores."""
        tokenizer = self._item.tokenizer if self._item is not None else None
        scored = tokenizer is not None and isinstance(tokenizer.model, Unigram)
        return "alpha" if scored else "dropout"

    def ask(self, text: str, item: LibraryItem) -> None:
        """Draws cuts of a text by the tokenizer in front."""
        self._text, self._item = text, item
        rule = self.rule
        self.amount.blockSignals(True)
        self.amount.setRange(0.0, 10.0 if rule == "alpha" else 1.0)
        self.amount.setSingleStep(0.1 if rule == "alpha" else 0.05)
        self.amount.setValue(self._amounts[rule])
        self.amount.blockSignals(False)
        tip = (
            "The exponent of the probabilities: 0 makes all cuts alike, a large one leaves only the best"
            if rule == "alpha"
            else "The probability with which a merge is left out: 0 is encoding, 1 leaves its first symbols"
        )
        named(self.amount, rule.capitalize(), tip)
        self.amount_name.setText(rule)
        self._draw()

    def _take_amount(self, amount: float) -> None:
        self._amounts[self.rule] = amount
        self._draw()

    def _draw(self) -> None:
        item, jobs = self._item, self._page.session.jobs
        jobs.cancel(JOB)
        self.found = None
        if item is None or item.tokenizer is None:
            return
        if len(self._text) > LONGEST:
            self._say(f"Select up to {LONGEST:,} characters to draw cuts of them.")
            return
        try:
            job = SamplingJob(
                item.tokenizer, self._text, DRAWS, self._amounts["dropout"],
                self._amounts["alpha"], self.seed.value(),
            )  # fmt: skip
            job.step(AT_ONCE_MS)
        except tc.TokenariumError as error:
            self._say(str(error), False)
            return
        if job.finished:
            self._show(job.cuts)
            return
        self._say("Drawing …")

        def take(progress: tc.Progress) -> None:
            if progress.finished:
                self._show(job.cuts)

        jobs.start(
            JOB, f"Drawing cuts by {item.name}", job, take, lambda error: self._say(str(error))
        )

    def stop(self) -> None:
        """Ends the drawing."""
        self._page.session.jobs.cancel(JOB)

    @property
    def busy(self) -> bool:
        """Whether cuts are being drawn."""
        return self._page.session.jobs.runs(JOB)

    def _say(self, sentence: str, possible: bool = True) -> None:
        self.sentence.setText(sentence)
        for row in self.rows:
            row.hide()
        for control in (self.amount, self.amount_name, self.seed, self.seed_name, self.again):
            control.setVisible(possible)

    def _show(self, found: tc.SampledCuts) -> None:
        item = self._item
        if item is None or item.tokenizer is None:
            return
        self.found = found
        share = percent(found.canonical_share)
        kinds = counted(len(found.cuts), "cut")
        self._say(
            f"{found.count:,} draws gave {kinds}; {share} of the draws are the cut of encoding."
            f" {found.tokens:.1f} tokens on average, {len(found.canonical):,} by encoding."
        )
        for row, cut in zip(self.rows, found.cuts, strict=False):
            if len(cut.ids) <= TILES:
                row.show_cut(item.tokenizer, cut, found)

    def keeps(self) -> Iterable[Kept]:
        """What scenes keep: the amounts and the seed, where they are not the usual ones."""
        return (
            kept_value("dropout", float, lambda: self._changed("dropout", DROPOUT), lambda value: self._take_kept("dropout", value)),
            kept_value("alpha", float, lambda: self._changed("alpha", ALPHA), lambda value: self._take_kept("alpha", value)),
            kept_value("seed", int, lambda: self.seed.value() or None, self._take_seed),
        )  # fmt: skip

    def _take_seed(self, seed: int) -> None:
        if not 0 <= seed <= self.seed.maximum():
            raise ValueError(f"the seed is not from 0 to {self.seed.maximum()}: {seed}")
        self.seed.setValue(seed)

    def _changed(self, rule: str, usual: float) -> float | None:
        return self._amounts[rule] if self._amounts[rule] != usual else None

    def _take_kept(self, rule: str, value: float) -> None:
        most = 10 if rule == "alpha" else 1
        if not 0 <= value <= most:
            raise ValueError(f"{rule} is not from 0 to {most}: {value}")
        self._amounts[rule] = value
        if self._item is not None:
            self.ask(self._text, self._item)


class _CutRow(QWidget):
    """One cut: how often it came, its tiles, and what is said of it."""

    def __init__(self, page: SelectedTextPage) -> None:
        super().__init__()
        self.share = secondary(QLabel(textFormat=Qt.TextFormat.PlainText))
        self.share.setFixedWidth(7 * GRID)
        self.share.setAlignment(RIGHT)
        self.tiles = TokenTiles(page.appearance.theme, 32, 15)
        self.said = secondary(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True))
        self.said.setFixedWidth(19 * GRID)
        top = Qt.AlignmentFlag.AlignTop
        in_row((self.share, 0, top), (self.tiles, 1), (self.said, 0, top), into=self, spacing=12)
        self.share.setFixedHeight(34)
        self.said.setFixedHeight(34)

    def show_cut(self, tokenizer: tc.Tokenizer, cut: tc.SampledCut, found: tc.SampledCuts) -> None:
        """Shows a cut."""
        canonical = cut.ids == found.canonical
        self.share.setText(percent(cut.times / found.count))
        self.share.setToolTip(f"{cut.times:,} of {found.count:,} draws")
        self.tiles.show_tiles(
            [tile_of(tokenizer, token, at, canonical) for at, token in enumerate(cut.ids)]
        )
        said = [counted(len(cut.ids), "token")]
        if cut.probability >= 0:
            said.append(f"exactly {percent(cut.probability)}")
        if canonical:
            said.append("encoding")
        self.said.setText(" · ".join(said))
        self.show()
