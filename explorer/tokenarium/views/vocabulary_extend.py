"""The part "Extend" of the page Change: entries to add, by the tokens that they save on texts, or for some words."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHeaderView,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.models.text.piece import counted, percent
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.style.controls import primary
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import place_in, texts_of
from tokenarium.views.page_program import page_program
from tokenarium.views.vocabulary_change_part import ChangePart
from tokenarium.views.vocabulary_prune import FILES, FOLDER, NAMES, SAMPLES, TEXT, TEXTS
from tokenarium.views.workspace import Kept, Page, column, kept_value
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.flat_table import FlatTree, TermHeads
from tokenarium.widgets.layouts import FlowLayout, in_row
from tokenarium.widgets.panel import ElidedLabel, Rule, named, secondary
from tokenarium.work.worker import Worker
from tokenarium_core.models import BytePairEncoder, CharacterBpe

if TYPE_CHECKING:
    from tokenarium.models.tokenizers.extended import ExtendRequest, Suggestions
    from tokenarium.models.tokenizers.pruned import UsageTexts
    from tokenarium.models.training.store import Trained

USUAL = 100
LARGEST = 100_000
"""Entries that are added, unless another number is chosen, and at most."""

SHOWN = 2_000
"""Entries that the table lists."""

HEADS = ("Entry", "Id", "Made of", "Times", "Tokens saved")
ENTRY, ID, MERGE, TIMES, SAVED = range(5)

_NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

TEXTS_PROGRAM = """
extension = tc.Extension(TOKENIZER, COUNT, TEXTS_READ)
extension.run()
rows = [{"id": one.id, "entry": one.piece, "times": one.count, "saved": one.saved} for one in extension.added]
wider = extension.tokenizer()
"""

CHOSEN_PROGRAM = """
wider = tc.extend_with(TOKENIZER, CHOSEN)
first = len(TOKENIZER.vocabulary)
rows = [{"id": id, "entry": wider.vocabulary.piece(id)} for id in range(first, len(wider.vocabulary))]
"""

WORDS_PROGRAM = """
wider = tc.extend_with(TOKENIZER, WORDS)
first = len(TOKENIZER.vocabulary)
rows = [{"id": id, "entry": wider.vocabulary.piece(id)} for id in range(first, len(wider.vocabulary))]
"""


class ExtendPart(ChangePart):
    """The texts, how many entries, or some words; a table of what each entry saves; and the new tokenizer."""

    title = "Extend"

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._place = TEXT
        self._sources: tuple[CorpusSource, ...] = ()
        self._found: Suggestions | None = None
        self._asked: tuple[object, ...] = ()  # what was found belongs to
        self._left_out: set[int] = set()  # ids of suggestions without a tick
        self._problem = self._made = ""
        self.worker: Worker | None = None
        self.texts = named(
            QComboBox(), "Texts to go on with", "The texts on which the training goes on"
        )
        self.texts.addItems(TEXTS)
        self.count_field = named(
            QSpinBox(), "Entries that are added", "How many entries are added at most"
        )
        self.count_field.setRange(1, LARGEST)
        self.count_field.setValue(USUAL)
        self.count_field.setGroupSeparatorShown(True)
        self.count_field.setMinimumWidth(12 * GRID)
        self.words = named(
            QLineEdit(),
            "Words that become one token",
            "Words that become one token each, after a space: the texts are not used then",
        )
        self.words.setPlaceholderText("or words: Tokenarium, unbelievably …")
        self.words.setMaxLength(100_000)
        self.words.setMinimumWidth(30 * GRID)
        self.suggest_button = QPushButton("Suggest")
        self.suggest_button.setToolTip("Finds the entries, and what each of them saves")
        self.name_field = named(
            QLineEdit(), "Name of the new tokenizer", "What the new tokenizer is called"
        )
        self.name_field.setMinimumWidth(28 * GRID)
        self.make_button = primary(QPushButton("Make the tokenizer"))
        self.make_button.setToolTip(
            "Makes a new tokenizer with the entries that have a tick, in the library"
        )
        self.summary = named(secondary(ElidedLabel()), "What they save")
        self.bar = named(QProgressBar(textVisible=False), "How far the work is")
        self.bar.setRange(0, 1000)
        self.bar.setFixedSize(12 * GRID, GRID)
        self.table = FlatTree("Entries to add", HEADS, left=PAGE_MARGIN)
        self.table.setHeaderItem(TermHeads(HEADS, {ENTRY: "entry", ID: "id"}))
        header = self.table.header()
        for place in (ID, TIMES, SAVED):
            header.setSectionResizeMode(place, QHeaderView.ResizeMode.ResizeToContents)
        for place in (ENTRY, MERGE):
            header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)
        header.setStretchLastSection(False)
        self.nothing = EmptyState()
        self.nothing.say(
            "Which entries would save most?",
            "Choose texts and press Suggest: the training goes on from the entries that there are. Or type words that are to be one token.",
        )
        self._build()
        self.texts.activated.connect(self._choose_texts)
        for signal in (self.count_field.valueChanged, self.words.textChanged):
            signal.connect(self._wish_changed)
        self.suggest_button.clicked.connect(self._press_suggest)
        self.make_button.clicked.connect(self.press)
        self.table.itemChanged.connect(self._tick)

    def _build(self) -> None:
        head = FlowLayout(spacing=GRID)
        for control in (self.texts, self.count_field, self.words, self.suggest_button):
            control.setFixedHeight(34)
            head.addWidget(control)
        head.setContentsMargins(PAGE_MARGIN, GRID, PAGE_MARGIN, 0)
        margins = (PAGE_MARGIN, GRID, PAGE_MARGIN, GRID)
        line = in_row((self.summary, 1), self.bar, spacing=GRID, margins=margins)
        self._bodies = QStackedWidget()
        self._bodies.addWidget(self.table)
        self._bodies.addWidget(self.nothing)
        making = FlowLayout(spacing=GRID)
        for control in (self.name_field, self.make_button):
            control.setFixedHeight(34)
            making.addWidget(control)
        making.setContentsMargins(*margins)
        column(head, line, Rule(), self._bodies, Rule(), making, grows=self._bodies, into=self)

    def keeps(self) -> Iterable[Kept]:
        return (
            Kept("extend_texts", self._kept_texts, self._take_texts),
            kept_value("extend_count", int, lambda: self.count_field.value() if self.count_field.value() != USUAL else None, self._take_count),
            kept_value("extend_words", str, lambda: self.words.text() or None, self.words.setText),
            kept_value("extend_suggested", bool, lambda: self.found is not None or None, self._take_suggested),
        )  # fmt: skip

    def _kept_texts(self) -> list[object] | None:
        return [self._place, *(one.value for one in self._sources)] if self._place != TEXT else None

    def _take_texts(self, value: object) -> None:
        if not isinstance(value, list) or not value:
            raise TypeError
        place = place_in(value[0], len(TEXTS))
        paths = [Path(path) for path in texts_of(value[1:]) if path]
        if place in (FILES, FOLDER) and not paths:
            raise ValueError
        self._use(place, paths if place in (FILES, FOLDER) else [])

    def _take_count(self, count: int) -> None:
        if not 1 <= count <= LARGEST:
            raise ValueError(f"not from 1 to {LARGEST}: {count}")
        self.count_field.setValue(count)

    def _take_suggested(self, suggested_before: bool) -> bool:
        """Finds the entries again, once the tokenizer is there."""
        if suggested_before and self.found is None and self.worker is None:
            if self._item is None or self.session.opening:
                return False
            self.suggest()
        return True

    # What is wanted.

    @property
    def found(self) -> Suggestions | None:
        """The entries that were found for what is chosen now."""
        return self._found if self._asked == self._wish() else None

    def _wish(self) -> tuple[object, ...]:
        item = self._item
        tokenizer = item.tokenizer if item is not None else None
        words = self.words.text().strip()
        text = "" if words or self._place != TEXT else self.session.text
        return (tokenizer, self._place, self._sources, self.count_field.value(), words, text)

    @property
    def evidence(self) -> UsageTexts:
        """The texts on which the merges go on."""
        from tokenarium.models.tokenizers.pruned import UsageTexts

        if self._place == TEXT:
            return UsageTexts((), self.session.text, NAMES[TEXT])
        if self._place == SAMPLES:
            from tokenarium.resources.samples_index import load_samples

            samples = tuple(CorpusSource("text", one.text()) for one in load_samples())
            return UsageTexts(samples, "", NAMES[SAMPLES])
        return UsageTexts(self._sources, "", self._title)

    @property
    def _title(self) -> str:
        if self._place < len(NAMES):
            return NAMES[self._place]
        return ", ".join(one.name for one in self._sources[:2])

    def use_paths(self, paths: Sequence[Path]) -> None:
        """Goes on with the texts of files or folders; without any, the list shows what was chosen before."""
        if paths:
            self._use(FOLDER if os.path.isdir(paths[0]) else FILES, paths)
        else:
            self.texts.setCurrentIndex(self._place)

    def _use(self, place: int, paths: Sequence[Path]) -> None:
        self._place = place
        self._sources = tuple(
            CorpusSource("folder" if os.path.isdir(path) else "file", str(path)) for path in paths
        )
        self.texts.setCurrentIndex(place)
        self._wish_changed()

    def _choose_texts(self, place: int) -> None:
        if place == FILES:
            names, _ = QFileDialog.getOpenFileNames(
                self, "Texts to go on with", "", "All files (*)"
            )
            self.use_paths([Path(name) for name in names])
        elif place == FOLDER:
            name = QFileDialog.getExistingDirectory(self, "A folder of texts to go on with")
            self.use_paths([Path(name)] if name else [])
        else:
            self._use(place, [])

    def _wish_changed(self, *_: object) -> None:
        self._problem = self._made = ""
        self._show()

    @property
    def chosen(self) -> tuple[bytes, ...]:
        """The bytes of the suggested entries that have a tick."""
        entries = self.found.entries if self.found is not None else ()
        return tuple(one.piece for one in entries if one.id not in self._left_out)

    def _tick(self, row: QTreeWidgetItem, place: int) -> None:
        if place != ENTRY:
            return
        id = int(row.data(ENTRY, Qt.ItemDataRole.UserRole))
        if row.checkState(ENTRY) == Qt.CheckState.Checked:
            self._left_out.discard(id)
        else:
            self._left_out.add(id)
        self._made = ""
        self.summary.setText(self._said())
        self.make_button.setEnabled(bool(self.chosen))

    def _request(self, name: str = "") -> ExtendRequest | None:
        """Returns what is asked for; None, with the reason shown, if nothing is."""
        from tokenarium.models.tokenizers.extended import ExtendRequest, words_of

        item = self._item
        if item is None or item.tokenizer is None:
            return None
        words = words_of(self.words.text(), item.tokenizer)
        evidence = self.evidence
        if not words and not evidence:
            self._problem = (
                "The text of the window is empty: type or paste one, or choose other texts."
            )
            self._show()
            return None
        folder = str(self.session.trainings.folder)
        return ExtendRequest(
            item.source, item.pattern, item.name, evidence, self.count_field.value(), words, name,
            folder,
        )  # fmt: skip

    # The work.

    @property
    def busy(self) -> bool:
        return self.worker is not None

    def _press_suggest(self) -> None:
        if self.worker is not None:
            self.worker.cancel()
        else:
            self.suggest()

    def suggest(self) -> None:
        """Finds the entries in a process of its own."""
        from tokenarium.models.tokenizers.extended import suggestions_of

        request, wish = self._request(), self._wish()
        if request is None:
            return

        def take(found: Suggestions) -> None:
            self._found, self._asked = found, wish
            self._left_out.clear()

        self._run(Worker(suggestions_of, request, parent=self), take, "You stopped it.")

    def press(self) -> None:
        """Makes the tokenizer, or stops what runs."""
        if self.worker is not None:
            self.worker.cancel()
        else:
            self.make()

    def make(self) -> None:
        """Makes the new tokenizer in a process of its own, and puts it into the library."""
        from tokenarium.models.tokenizers.extended import make_extended

        item = self._item
        if item is None:
            return
        request = self._request(self.name_field.text().strip() or self._usual_name(item))
        if request is None:
            return
        if self._left_out and self.found is not None:
            request = replace(request, pieces=self.chosen)

        def take(trained: Trained) -> None:
            self.name_field.clear()
            store = self.session.trainings.store
            made = self.session.edits.add_trained(trained, store.path(trained))
            self._made = f"{trained.name} is in the library, with {trained.pieces:,} ids. Undo takes it out again."
            self.session.set_current(made.key)

        self._run(
            Worker(make_extended, request, parent=self), take, "Nothing was made: you stopped it."
        )

    def _run(self, worker: Worker, take: object, stopped: str) -> None:
        self.worker = worker
        self._problem = self._made = ""

        def finished(result: object) -> None:
            assert callable(take)
            take(result)
            ended("")

        def ended(problem: str) -> None:
            self._problem = problem
            self.worker = None
            worker.deleteLater()
            self._show()

        worker.progressed.connect(self._say_progress)
        worker.finished.connect(finished)
        worker.failed.connect(ended)
        worker.cancelled.connect(lambda: ended(stopped))
        worker.start()
        self._show()
        self._say_progress(("Starting", 0.0))

    def stop(self) -> None:
        if self.worker is not None:
            self.worker.cancel()

    def _say_progress(self, progress: tuple[str, float]) -> None:
        doing, share = progress
        self.bar.setValue(round(1000 * share))
        self.summary.setText(f"{doing} …")

    @staticmethod
    def _usual_name(item: LibraryItem) -> str:
        return f"{item.name}, extended"

    # What is shown.

    def show_item(self, item: LibraryItem) -> None:
        if item is not self._item:
            self._item = item
            self._problem = ""
        self.name_field.setPlaceholderText(self._usual_name(item))
        self._show()

    def _show(self) -> None:
        running, found = self.worker is not None, self.found
        self.bar.setVisible(running)
        self.suggest_button.setText("Stop" if running else "Suggest")
        self.make_button.setEnabled(not running and (found is None or bool(self.chosen)))
        for control in (self.texts, self.count_field, self.words, self.name_field):
            control.setEnabled(not running)
        if not running:
            self.summary.setText(self._said())
        entries = found.entries[:SHOWN] if found is not None else ()
        self.table.blockSignals(True)
        self.table.clear()
        rows = []
        for one in entries:
            times = f"{one.times:,}" if one.times else ""
            saved = f"{one.saved:,}" if found is not None and found.tokens else ""
            row = QTreeWidgetItem([one.entry, f"{one.id:,}", one.merge, times, saved])
            for place in (ID, TIMES, SAVED):
                row.setTextAlignment(place, _NUMBER)
            row.setData(ENTRY, Qt.ItemDataRole.UserRole, one.id)
            out = one.id in self._left_out
            row.setCheckState(ENTRY, Qt.CheckState.Unchecked if out else Qt.CheckState.Checked)
            rows.append(row)
        self.table.addTopLevelItems(rows)
        self.table.blockSignals(False)
        self._bodies.setCurrentIndex(0 if entries else 1)

    def _said(self) -> str:
        item, found = self._item, self.found
        if self._problem or self._made or item is None:
            return self._problem or self._made
        if found is None:
            return f"New entries of {item.name} get new ids: all old ones stay, and a text changes only where it gets a new one."
        noun = counted(len(found.entries), "entry", "entries")
        if self._left_out:
            steps = " and the steps to them" if self._merges else ""
            return f"{len(self.chosen):,} of {noun} have a tick: only these are added{steps}, each as one token."
        if not found.tokens:
            return f"{noun} for these words."
        share = percent(found.saved / max(found.tokens, 1))
        said = (
            f"{noun}: {found.saved:,} of {found.tokens:,} tokens fewer on {self._title} ({share})."
        )
        return f"{said} {found.report}".strip()

    @property
    def _merges(self) -> bool:
        """Whether an entry may need steps to it."""
        item = self._item
        tokenizer = item.tokenizer if item is not None else None
        return tokenizer is not None and isinstance(
            tokenizer.model, (BytePairEncoder, CharacterBpe)
        )

    def lines(self) -> list[list[str]]:
        found = self.found
        if found is None:
            return []
        rows = [
            [one.entry, str(one.id), one.merge, str(one.times), str(one.saved)]
            for one in found.entries
        ]
        return [list(HEADS), *rows] if rows else []

    def python(self) -> str:
        from tokenarium.models.tokenizers.extended import words_of

        item = self._item
        if item is None or item.tokenizer is None or self.found is None:
            return ""
        if self._left_out:
            return page_program(
                self.session,
                self.title,
                "",
                CHOSEN_PROGRAM,
                front=item,
                chosen=list(self.chosen),
            )
        words = words_of(self.words.text(), item.tokenizer)
        if words:
            return page_program(
                self.session, self.title, "", WORDS_PROGRAM, front=item, words=list(words)
            )
        count = self.count_field.value()
        if self._place == TEXT:
            body = TEXTS_PROGRAM.replace("TEXTS_READ", "[TEXT]")
            return page_program(
                self.session, self.title, "", body, text=self.session.text, front=item, count=count
            )
        if self._place == SAMPLES:
            imports = "from tokenarium.resources.samples_index import load_samples"
            body = TEXTS_PROGRAM.replace("TEXTS_READ", "[one.text() for one in load_samples()]")
            return page_program(self.session, self.title, imports, body, front=item, count=count)
        imports = (
            "from tokenarium.models.training.corpus import Corpus\n"
            "from tokenarium.models.training.corpus_lists import named_sources"
        )
        body = TEXTS_PROGRAM.replace("TEXTS_READ", "Corpus(named_sources(PATHS))")
        paths = [one.value for one in self._sources]
        return page_program(
            self.session, self.title, imports, body, front=item, count=count, paths=paths
        )

    def focus_first(self) -> None:
        self.suggest_button.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.make_button if self.make_button.isEnabled() else self.name_field
