"""The page Ways of the workspace Tokens: how many sequences of ids decode to a text, and the next best ones."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QLabel, QTreeWidgetItem, QWidget

import tokenarium_core as tc
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.csv_text import csv_text
from tokenarium.models.text.piece import counted, quoted
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.text.ways_words import (
    all_digits,
    big_number,
    chance_text,
    ways_chart,
    ways_lines,
    ways_sentence,
)
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import GRID
from tokenarium.views.page_program import page_program
from tokenarium.views.tokens_sampling import SampledCutsCard
from tokenarium.views.tokens_selection import SelectedTextPage, small_heading, tile_of
from tokenarium.views.workspace import Kept, Workspace
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.flat_table import ROW_HEIGHT, FlatTree, TermHeads
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import CardFrame, secondary
from tokenarium.widgets.term_marks import TermButton
from tokenarium.widgets.text.token_tiles import TokenTiles
from tokenarium_core.explaining.decoded_pieces import DecodedPieces
from tokenarium_core.explaining.ways import Ways, WaysJob

AT_ONCE = 2_000
"""Characters that are counted for some milliseconds before anything is shown; a longer text is a job from the start."""

BEST = 8
"""Sequences of the tokenizer in front that are shown."""

TILES = 60
"""Most tokens of a sequence that is shown as tiles."""

HEADS = ("Tokenizer", "Sequences", "log2/byte", "Tokens", "With fewer", "Encoding")

SPARE = (2, 4)
"""The columns that a narrow page leaves out."""

NARROW = 68 * GRID
"""Pixels of a page that is too narrow for all columns."""

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _WayRow(QWidget):
    """One sequence: its place, its tiles, and what is said of it."""

    def __init__(self, page: WaysPage) -> None:
        super().__init__()
        self.place = secondary(QLabel(textFormat=Qt.TextFormat.PlainText))
        self.place.setFixedWidth(3 * GRID)
        self.place.setAlignment(RIGHT)
        self.tiles = TokenTiles(page.appearance.theme, 32, 15)
        self.said = secondary(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True))
        self.said.setFixedWidth(19 * GRID)
        top = Qt.AlignmentFlag.AlignTop
        in_row((self.place, 0, top), (self.tiles, 1), (self.said, 0, top), into=self, spacing=12)
        self.place.setFixedHeight(34)
        self.said.setFixedHeight(34)


PROGRAM = """
found = {name: ways(tokenizer, TEXT, BEST) for name, tokenizer in TOKENIZERS.items()}
rows = rows_of(ways_lines(found))
best = {name: [way.ids for way in one.best] for name, one in found.items()}
lengths = {name: one.by_length for name, one in found.items()}  # sequences by their number of tokens
"""


class _LateWays:
    """The counting for one tokenizer, whose first step prepares it: a long text is encoded, and all entries decoded."""

    def __init__(
        self, tokenizer: tc.Tokenizer, text: str, pieces: dict[str, DecodedPieces], key: str
    ) -> None:
        self._tokenizer, self._text = tokenizer, text
        self._pieces, self._key = pieces, key
        self._job: WaysJob | None = None
        self.ways: Ways | None = None  # once it is finished

    def step(self, budget_ms: float) -> tc.Progress:
        """Does some of the work; TokenariumError where it is not defined."""
        job = self._job
        if self._key not in self._pieces:
            self._pieces[self._key] = DecodedPieces(self._tokenizer)
        elif job is None:
            pieces = self._pieces[self._key]
            self._job = WaysJob(self._tokenizer, self._text, BEST, pieces=pieces)
        else:
            progress = job.step(budget_ms)
            if job.finished:
                self.ways = job.ways
            return progress
        return tc.Progress("preparing", 0, 1, False)


class WaysPage(SelectedTextPage):
    """A row for each tokenizer, the best sequences of the one in front, and how many tokens all sequences have."""

    id = "ways"
    title = "Ways"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        theme = self.appearance.theme
        self.found: dict[str, Ways] = {}
        self._faults: dict[str, str] = {}
        self._named: list[LibraryItem] = []
        self._pieces: dict[str, DecodedPieces] = {}
        self.table = FlatTree("Sequences of ids by tokenizer", HEADS)
        self.table.setHeaderItem(TermHeads(HEADS, {5: "non-canonical tokens"}))
        self.table.setAllColumnsShowFocus(True)
        header = self.table.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for place in range(1, len(HEADS)):
            self.table.headerItem().setTextAlignment(place, RIGHT)
        self.copy = GlyphButton("Copy the number", "copy")
        self.copy.setToolTip("Copies the number of the tokenizer in front, with all its digits")
        self.sentence = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.sentence.setFont(ui_font(TEXT_SIZE, QFont.Weight.Medium))
        self.best_title = small_heading("")
        self.best_title.setWordWrap(True)
        self.rows = [_WayRow(self) for _ in range(BEST)]
        self.card = CardFrame()
        in_column(
            self.sentence, self.best_title, *self.rows,
            into=self.card, spacing=6, margins=(16, 14, 16, 14),
        )  # fmt: skip
        self.chart = Plot("Sequences by their number of tokens", theme)
        self.chart.setFixedHeight(36 * GRID)
        self.sampling = SampledCutsCard(self)
        self.chart.problem.connect(self.session.problem)
        self.chart.saved.connect(self.session.saved)
        self.table.itemActivated.connect(self._choose)
        self.table.itemClicked.connect(self._choose)
        self.copy.clicked.connect(self._copy)
        self.build(
            self.table,
            self.card,
            self.chart,
            self.sampling,
            head=[
                TermButton("non-canonical tokens", explanation("non-canonical tokens")),
                self.copy,
            ],
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves two columns out where the names of tokenizers would be cut."""
        super().resizeEvent(event)
        for column in SPARE:
            self.table.setColumnHidden(column, self.width() < NARROW)

    def title_of(self, what: str) -> str:
        return f"How many sequences of ids decode to {what}?"

    # The counting.

    def ask(self, text: str, items: list[LibraryItem]) -> None:
        self.found.clear()
        self._faults.clear()
        self._named = items
        keys = {item.key for item in items}
        self._pieces = {key: pieces for key, pieces in self._pieces.items() if key in keys}
        jobs = self.session.jobs
        for item in items:
            key, tokenizer = item.key, item.tokenizer
            assert tokenizer is not None
            job = _LateWays(tokenizer, text, self._pieces, key)
            if len(text) <= AT_ONCE:
                try:
                    for _ in range(3):  # two prepare
                        if job.ways is None:
                            job.step(4.0)
                except tc.TokenariumError as error:
                    self._faults[key] = str(error)
                    continue
                if job.ways is not None:
                    self.found[key] = job.ways
                    continue

            def take(progress: tc.Progress, key: str = key, job: _LateWays = job) -> None:
                if progress.finished and job.ways is not None:
                    self.found[key] = job.ways
                    self._show()

            def fail(error: Exception, key: str = key) -> None:
                self._faults[key] = str(error)
                self._show()

            jobs.start(f"ways {key}", f"Counting the ways of {item.name}", job, take, fail)
        self._show()
        self.sampling.ask(text, items[0])

    def _show(self) -> None:
        theme = self.appearance.theme
        self.table.clear()
        for item in self._named:
            row = QTreeWidgetItem([self.session.short_name(item), *self._cells(item.key)])
            row.setIcon(0, marker_icon(theme.identity(item.identity)))
            row.setData(0, Qt.ItemDataRole.UserRole, item.key)
            fault = self._faults.get(item.key, "")
            row.setToolTip(0, as_tip(item.name))
            row.setToolTip(1, as_tip(fault or self._digits(item.key)))
            for place in range(1, len(HEADS)):
                row.setTextAlignment(place, RIGHT)
            self.table.addTopLevelItem(row)
        self.table.setFixedHeight((min(len(self._named), 9) + 1) * ROW_HEIGHT + 2 * GRID)
        front = self._named[0]
        found = self.found.get(front.key)
        self.copy.setEnabled(found is not None)
        self._show_best(front, found)
        self._show_chart(front, found)

    def _digits(self, key: str) -> str:
        found = self.found.get(key)
        if found is None:
            return ""
        digits = all_digits(found.count)
        return f"{digits[:400]}{' …' * (len(digits) > 400)} ({counted(len(digits), 'digit')})"

    def _cells(self, key: str) -> list[str]:
        found = self.found.get(key)
        if found is None:
            return ["not defined" if key in self._faults else "counting …", "", "", "", ""]
        shorter = "–" if found.shorter < 0 else big_number(found.shorter)
        return [
            big_number(found.count),
            f"{found.bits_per_byte:.2f}",
            f"{len(found.canonical):,}",
            shorter,
            chance_text(found),
        ]

    def _show_best(self, item: LibraryItem, found: Ways | None) -> None:
        name = self.session.short_name(item)
        best = found.best if found is not None else []
        fits = found is not None and len(found.canonical) <= TILES
        shown = best if fits else []
        if found is None:
            fault = self._faults.get(item.key)
            self.sentence.setText(f"{name}: {fault}" if fault else f"{name} is being counted …")
            self.best_title.setText("")
        else:
            lossy = (
                ""
                if found.comes_back
                else f" The text does not come back as it was: this is about {quoted(found.data, 60)}."
            )
            self.sentence.setText(f"{name}: {ways_sentence(found)}{lossy}")
            if shown:
                self.best_title.setText(f"The best ones, by {found.order}")
            else:
                self.best_title.setText("Select a word or a line to see the best ones of it.")
        self.best_title.setVisible(bool(self.best_title.text()))
        tokenizer = item.tokenizer
        for place, row in enumerate(self.rows):
            row.setVisible(place < len(shown))
            if place >= len(shown) or tokenizer is None or found is None:
                continue
            way = shown[place]
            canonical = way.ids == found.canonical
            row.place.setText(str(place + 1))
            row.tiles.show_tiles(
                [tile_of(tokenizer, token, at, canonical) for at, token in enumerate(way.ids)]
            )
            said = [counted(len(way.ids), "token")]
            if way.score:
                said.append(f"score {way.score:.2f}".replace("-", "−"))
            if canonical:
                said.append("encoding")
            row.said.setText(" · ".join(said))

    def _show_chart(self, item: LibraryItem, found: Ways | None) -> None:
        some = found is not None and len(found.by_length) > 0 and found.count > 1
        self.chart.setVisible(some)
        if found is None or not some:
            return
        chart = ways_chart(found, item.identity)
        self.chart.set_title(
            f"Sequences by their number of tokens: {self.session.short_name(item)}"
        )
        self.chart.set_source(FigureSource(f"Text: {quoted(found.data, 60)}.", code=self.python))
        self.chart.setFixedHeight((10 + 3 * len(chart.bars)) * GRID)
        self.chart.show_chart(chart)

    # What the user does.

    def _choose(self, row: QTreeWidgetItem) -> None:
        self.session.set_current(row.data(0, Qt.ItemDataRole.UserRole))

    def _copy(self) -> None:
        found = self.found.get(self._named[0].key) if self._named else None
        if found is not None:
            QGuiApplication.clipboard().setText(all_digits(found.count))

    def lines(self) -> list[list[str]]:
        return ways_lines(
            {
                self.session.short_name(item): self.found[item.key]
                for item in self._named
                if item.key in self.found
            }
        )

    def python(self) -> str:
        items = [item for item in self._named if item.key in self.found]
        if not items:
            return ""
        return page_program(
            self.session,
            self.title,
            "from tokenarium.models.programs import rows_of\n"
            "from tokenarium.models.text.ways_words import ways_lines\n"
            "from tokenarium_core.explaining.ways import ways",
            PROGRAM + self.sampling.program,
            text=self.text,
            items=items,
            best=BEST,
        )

    def as_csv(self) -> str:
        lines = self.lines()
        return csv_text(lines) if lines else ""

    @property
    def busy(self) -> bool:
        if self.sampling.busy:
            return True
        return super().busy or any(self.session.jobs.runs(f"ways {one.key}") for one in self._named)

    def stop(self) -> None:
        for item in self._named:
            self.session.jobs.cancel(f"ways {item.key}")
        self.sampling.stop()

    def focus_first(self) -> None:
        self.table.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.sampling.again if self.sampling.again.isVisible() else self.chart.canvas

    def show_theme(self) -> None:
        theme = self.appearance.theme
        for row in self.rows:
            row.tiles.set_theme(theme)
        self.chart.set_theme(theme)
        self.sampling.set_theme()

    def keeps(self) -> Iterable[Kept]:
        return (*super().keeps(), *self.sampling.keeps())
