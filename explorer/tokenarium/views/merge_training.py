"""The page Training of the workspace Merges: a tokenizer is trained, and its merges are played back."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QSplitter,
    QWidget,
)

import tokenarium_core as tc
from tokenarium.models.files import data_folder
from tokenarium.models.merges.training_story import BYTES, TrainingStory
from tokenarium.models.merges.training_tables import TableWriter
from tokenarium.models.text.text_file import TextFileError, read_text
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.appearance import motion_wanted
from tokenarium.style.theme import CARD_MARGIN, GRID, MOTION_MS, PAGE_MARGIN
from tokenarium.views.workspace import NO_TEXT_HELP, PLAYER_BUTTONS, Page, Workspace
from tokenarium.widgets.areas import FitArea, PageStack, StillArea
from tokenarium.widgets.charts.compression_curve import CompressionCurve
from tokenarium.widgets.charts.pair_bars import PairBars
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, Rule, named, secondary
from tokenarium.widgets.players.merge_table import LearnedMergesTable
from tokenarium.widgets.players.player_lane import LaneCard
from tokenarium.widgets.players.training_form import (
    FILE,
    SAMPLES,
    SELECTION,
    TEXT,
    MergeTrainingForm,
)
from tokenarium.widgets.players.training_tables import TrainingTables
from tokenarium.widgets.players.transport import Transport, press_key
from tokenarium.widgets.players.watch_speed import BY_KEY, WatchSpeed
from tokenarium.widgets.text.token_view import TokenView
from tokenarium_core.pretokenizers import PRE_TOKENIZERS
from tokenarium_core.training import WORDS, BpeTrainer, PairLedger, PairRecord

JOB = "training"
RUNNERS_UP = 10
"""Pairs that are recorded for each merge."""

USUAL_RATE = 5
"""Merges per second that are shown at first."""

FASTEST_S = 1.5
"""Seconds in which all merges are shown as fast as it can: so that each frame shows some."""

FRAME_MS = 16

HIGH = 54 * GRID
"""The least height in pixels that has room for the table under the curve."""

LARGEST = 8_000_000
"""The most bytes of a corpus, as all its pairs are counted again for each merge."""

SHOWN = 16 * 1024
"""Bytes of the text that are shown as tokens."""

LEAST = 12 * GRID
"""The least height of pairs, compression and text in pixels; in less they scroll."""

ROOMY = 70 * GRID
"""The least width in pixels that has room for the curve and the table."""

ONE_LINE = 128 * GRID
"""The least width in pixels in which a sentence fits in one line."""

NOTHING = (
    "No training yet",
    "Choose what to learn from, and train. Then you can look at every merge: the pairs that it was chosen "
    "from, what it does to the text, and how far the corpus is compressed.",
)
TO_TRAIN = (("train", "Train"),)
STALE = "Learned from the text before; train again to learn from this one."
NO_CORPUS = "There is nothing to learn from: {}."


class TrainingPlayer(QObject):
    """The player of a training: counts the shown merges up to ``length``, by itself while it plays."""

    moved = Signal(bool)  # whether it is one step after the last
    playing_changed = Signal(bool)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._position = self._length = 0
        self.rate = float(USUAL_RATE)
        self._due = 0.0  # merges, of which only whole ones are shown
        self._passed = QElapsedTimer()
        self._clock = QTimer(self, interval=FRAME_MS)
        self._clock.timeout.connect(self._tick)

    @property
    def position(self) -> int:
        """How many merges are shown as done."""
        return self._position

    @property
    def length(self) -> int:
        """How many merges there are."""
        return self._length

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._clock.isActive()

    @property
    def pace_ms(self) -> int:
        """How long each step is shown while it plays, in milliseconds."""
        return max(1, round(1000 / self.rate)) if self.rate else MOTION_MS

    def begin(self, length: int) -> None:
        """Goes to the beginning of another training."""
        self.pause()
        self._position, self._length = 0, length
        self.moved.emit(False)

    def set_rate(self, rate: float) -> None:
        """Plays so many merges a second, see `WatchSpeed`; with one merge a key it does not play by itself."""
        self.rate = rate
        self._due = 0.0
        if rate == BY_KEY:
            self.pause()

    def play(self) -> None:
        """Plays to the end; starts from the beginning if it is at the end. Makes one step where a key makes each."""
        if self._length == 0:
            return
        if self._position == self._length:
            self.go_to(0)
        if self.rate == BY_KEY:
            self.go_to(self._position + 1)
            return
        self._due = 0.0
        self._passed.start()
        self._clock.start()
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stops at the current step."""
        if self._clock.isActive():
            self._clock.stop()
            self.playing_changed.emit(False)

    def step(self, count: int) -> None:
        """Moves by some merges, back if negative, and stops playing."""
        self.go_to(self._position + count, by_hand=True)

    def go_to(self, position: int, by_hand: bool = False) -> None:
        """Shows this many merges as done."""
        if by_hand:
            self.pause()
        before, self._position = self._position, max(0, min(position, self._length))
        if self._position != before:
            self.moved.emit(abs(self._position - before) == 1)

    def _tick(self) -> None:
        self._due += min(self.rate, self._length / FASTEST_S) * self._passed.restart() / 1000
        count = int(self._due)
        self._due -= count
        if count:
            self.go_to(self._position + count)
        if self._position == self._length:
            self.pause()


class MergeTrainingPage(Page):
    """The settings; below them the pairs, the compression and the text at one merge; then the player."""

    id = "training"
    title = "Training"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        theme = self.appearance.theme
        self.story: TrainingStory | None = None
        self.trainer: BpeTrainer | None = None  # while it trains
        self._record = PairRecord(RUNNERS_UP)
        self._file: Path | None = None
        self._asked = self._learned = ("", "")  # corpus of the running training, and of the story
        self._playing = TrainingPlayer(self)
        buttons = (("train", "Train"), ("keep_training", "Keep it"))
        self.form = MergeTrainingForm(list(PRE_TOKENIZERS), "cl100k", self.help_with(*buttons))
        self.sentence = named(ElidedLabel(), "What the merge does")
        self.measure = secondary(QLabel())
        self.bars = PairBars(theme)
        self.curve = CompressionCurve(theme)
        self.table = LearnedMergesTable(theme)
        self.view = named(TokenView(theme=theme), "The text after the merge")
        self.view.setEmptyText("There is no text to cut: type or paste one above.")
        self.transport = Transport(self.help_with(*PLAYER_BUTTONS), theme)
        self.watch = WatchSpeed(USUAL_RATE)
        self.transport.replace_speed(self.watch)
        self._pages = PageStack()
        self._build()
        self._connect()
        self._invite()

    def _build(self) -> None:
        head = QWidget()
        in_row(
            (self.sentence, 1),
            self.measure,
            into=head,
            spacing=2 * GRID,
            margins=(CARD_MARGIN, GRID, CARD_MARGIN, GRID),
        )
        self._aside = QSplitter(Qt.Orientation.Vertical)
        self._upper = QSplitter(Qt.Orientation.Horizontal)
        self._split = QSplitter(Qt.Orientation.Vertical)
        for splitter, widgets, sizes in (
            (self._aside, (self.curve, self.table), (18, 14)),
            (self._upper, (self.bars, self._aside), (5, 4)),
            (self._split, (self._upper, self.view), (32, 20)),
        ):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
            for widget in widgets:
                splitter.addWidget(widget)
            splitter.setSizes([10 * GRID * size for size in sizes])
        self.view.setMinimumHeight(9 * GRID)
        self.table.setMinimumHeight(9 * GRID)
        self._still = (StillArea(head), StillArea(self.transport))
        area = FitArea(self._split, fills=True)
        area.setMinimumHeight(LEAST)
        self.tables = TrainingTables(self.appearance.theme, area)
        self._card = LaneCard(self.appearance.theme)
        in_column(
            self._still[0],
            Rule(),
            (self.tables, 1),
            Rule(),
            self._still[1],
            into=self._card,
            margins=(1, GRID // 2, 1, GRID // 2),
        )
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self._card)
        margins = (PAGE_MARGIN, 0, PAGE_MARGIN, CARD_MARGIN)
        in_column(self.form, (self._pages, 1), into=self, margins=margins)

    def _connect(self) -> None:
        session, player = self.session, self._playing
        self.form.file_wanted.connect(self._choose_file)
        for asked in (self.transport.moved, self.curve.picked, self.table.picked):
            asked.connect(lambda position: player.go_to(position, by_hand=True))
        self.transport.set_player(player)
        self.watch.changed.connect(player.set_rate)
        self.watch.stepped.connect(lambda: player.step(1))
        player.playing_changed.connect(self.transport.show_playing)
        player.moved.connect(self._show)
        self.tables.problem.connect(session.problem)
        self.tables.write_wanted.connect(self._write_table)
        for other in (session.text_changed, session.selection_changed):
            other.connect(self._forget_refusal)
        self.form.corpus.currentIndexChanged.connect(self._forget_refusal)
        session.text_changed.connect(self._show_text)
        session.jobs.changed.connect(self._notice_a_stop)
        session.hover_changed.connect(self._light)
        self.view.hovered.connect(session.point_at)
        self.view.picked.connect(session.select)
        self.appearance.changed.connect(self._show_theme)

    # Training.

    def train(self) -> None:
        """Trains on the chosen corpus; the story is there after the last slice."""
        corpus = self._corpus()
        if corpus is None:
            return
        self._record = PairRecord(RUNNERS_UP, PairLedger())
        self._asked = self._learned_now(corpus)
        self.trainer = BpeTrainer(
            tc.cutting(self.form.pattern.currentText()),
            BYTES + self.form.merges.value(),
            [corpus],
            strategy=WORDS,
            record=self._record,
        )
        self._playing.pause()
        self._say("Training …", "The corpus is counted.")
        self.session.jobs.start(JOB, "Training", self.trainer, self._progressed, self._failed)

    def _corpus(self) -> str | None:
        """Returns the text to train on; None, with a message, if there is none."""
        chosen, session = self.form.chosen, self.session
        missing = self._missing()
        if missing:
            corpus = ""
        elif chosen == TEXT:
            corpus = session.text
        elif chosen == SELECTION:
            corpus = session.text_map.slice(*(session.selection or (0, 0)))
        elif chosen == SAMPLES:
            from tokenarium.resources.samples_index import load_samples

            corpus = "\n".join(sample.text() for sample in load_samples())
        else:
            assert self._file is not None, "a file is missing where none is chosen"
            missing = f"{self._file.name} is empty. Choose another file"
            try:
                corpus = read_text(self._file)
            except TextFileError as error:
                self._refuse("The corpus cannot be read", str(error))
                return None
        size = len(corpus.encode("utf-8", "replace"))
        if size > LARGEST:
            what = f"The corpus has {size / 1e6:,.0f} MB; here all pairs are counted for each merge, so "
            self._refuse("That is too much to play", f"{what}{LARGEST / 1e6:,.0f} MB are the most.")
            return None
        if not corpus:
            self._refuse("No corpus", NO_CORPUS.format(missing))
            return None
        return corpus

    def _missing(self) -> str:
        """Returns what the chosen corpus lacks; "" if it can be used."""
        chosen, session = self.form.chosen, self.session
        if chosen == TEXT and not session.text:
            return "the text is empty. Type one above, or choose samples"
        if chosen == SELECTION and session.selection is None:
            return "nothing is selected. Select a part of the text above"
        if chosen == FILE and self._file is None:
            return "no file is chosen. Choose “A file …” once more"
        return ""

    def _progressed(self, progress: tc.Progress) -> None:
        trainer = self.trainer
        if trainer is None:
            return
        if progress.finished:
            self.trainer = None
            self._begin(TrainingStory(trainer, self._record))
        elif progress.phase == "merging":
            self.empty.sentence.setText(f"Merge {progress.done:,} of {progress.total:,}.")

    def _failed(self, error: tc.TokenariumError) -> None:
        self.trainer = None
        self._refuse("The training failed", str(error))

    def _notice_a_stop(self) -> None:
        running = any(job.key == JOB for job in self.session.jobs.running())
        if self.trainer is not None and not running:
            self.trainer = None
            self._refuse("The training was stopped", NOTHING[1])

    def _begin(self, story: TrainingStory) -> None:
        self.story = story
        self._learned = self._asked
        self.bars.motion = motion_wanted(explains=True)
        self._pages.setCurrentIndex(1)
        self.curve.set_ratios(story.ratios)
        self.table.set_story(story)
        self.tables.set_story(story.tables)
        self._cut_text()
        self._playing.begin(len(story))  # the last position may be after its end
        for area in self._still:
            area.settle()
        if motion_wanted(explains=True) and self._playing.rate != BY_KEY:
            self._playing.play()  # it took a moment; now it is seen, at the speed that is chosen

    def keep(self) -> None:
        """Writes the trained tokenizer to a file and adds it to the library."""
        if self.story is None:
            return
        folder = data_folder() / "trained"
        tokenizer = self.story.tokenizer  # of the run: the form may have changed since
        pattern, size = tokenizer.pre_tokenizer.name, len(tokenizer.vocabulary)
        number = 1
        while (path := folder / f"{pattern}-{size}-{number}.json").exists():
            number += 1
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.story.tokenizer.save(path)
        except tc.TokenariumError as error:
            self.session.problem.emit(str(error))
            return
        except OSError as error:  # from the folder
            self.session.problem.emit(f"{folder} cannot be made: {error.strerror}.")
            return
        self.session.edits.add_file(path)

    def _write_table(self, writer: TableWriter, path: Path) -> None:
        """Writes the rows of a table, as a job."""
        say, saved = self.session.problem.emit, self.session.saved
        self.session.jobs.start(
            f"write {path}",
            f"Writing {path.name}",
            writer,
            lambda progress: saved.emit(path) if progress.finished else None,
            lambda error: say(str(error)),
            writer.drop,
        )

    def _choose_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "A text to learn from", "", "All files (*)")
        if path:
            self._file = Path(path)
        self.form.name_file(self._file.name if self._file is not None else "")
        if self._file is None:
            self.form.choose(TEXT)
        self._forget_refusal()

    # Showing.

    def _say(self, title: str, sentence: str) -> None:
        """Shows a message with buttons that train, or that lead to a text if there is none."""
        missing = self._missing()
        help_without = NO_TEXT_HELP if self.form.chosen == TEXT else ()
        self._pages.setCurrentIndex(0)
        self.empty.say(title, sentence, self.help_with(*(help_without if missing else TO_TRAIN)))

    def _invite(self) -> None:
        """Says how to begin, or what is missing."""
        missing = self._missing()
        self._say(*(("No corpus", NO_CORPUS.format(missing)) if missing else NOTHING))

    def _refuse(self, title: str, sentence: str) -> None:
        """Says why the training is not possible; an earlier one stays."""
        if self.story is None:
            self._say(title, sentence)
        else:
            self._pages.setCurrentIndex(1)
            self.session.problem.emit(sentence)

    def _forget_refusal(self) -> None:
        """Removes the message, which may no longer be true."""
        if self.story is None and self.trainer is None:
            self._invite()

    def _show(self, slide: bool = False) -> None:
        story, position = self.story, self._playing.position
        if story is None:
            return
        pace = round(self._playing.pace_ms * 0.6) if self._playing.playing else MOTION_MS
        said = story.sentence(position) if position < len(story) else self._last()
        self.sentence.setText(f"{STALE} {said}" if self.stale else said)
        of = " of the earlier text" if self.stale else ""
        self.measure.setText(f"{story.ratios[position]:.2f} bytes per token{of}")
        self.bars.show_bars(story.bars(position), slide, min(MOTION_MS, pace))
        self.curve.show_position(position)
        self.table.show_position(position)
        self.tables.show_position(position)
        self.transport.show_step(position, len(story))
        self.view.setSegmentation(story.cut(position))

    def _last(self) -> str:
        """Returns the sentence at the last merge, with the reason why there are no more."""
        assert self.story is not None
        report = self.story.report
        said = self.story.sentence(len(self.story), rivals=not report)
        return f"{said} {report}".rstrip()

    def _learned_now(self, corpus: str) -> tuple[str, str]:
        """Returns the chosen corpus, and its text if that can change."""
        chosen = self.form.chosen
        return chosen, corpus if chosen == TEXT else ""

    @property
    def stale(self) -> bool:
        """Whether the text above has changed since the merges were learned from it."""
        chosen, corpus = self._learned
        return self.story is not None and chosen == TEXT and corpus != self.session.text

    def _show_text(self) -> None:
        self._cut_text()
        self._show()

    def _cut_text(self) -> None:
        if self.story is None:
            return
        text_map = self.session.text_map
        if text_map.byte_count > SHOWN:
            text_map = TextMap(text_map.slice(*text_map.characters(0, SHOWN)))
        self.story.set_text(text_map.text)
        self.view.setTextMap(text_map)

    def _light(self) -> None:
        self.view.setPointed(*(self.session.hover or (-1, -1)))

    def _show_theme(self) -> None:
        theme = self.appearance.theme
        for part in (self._card, self.bars, self.curve, self.table, self.tables, self.transport):
            part.set_theme(theme)
        self.view.setTheme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sentence.set_lines(1 if self.width() >= ONE_LINE else 2)
        self._still[0].settle()
        self._aside.setVisible(self.width() >= ROOMY)
        self.table.setVisible(self.height() >= HIGH)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.story is None or not press_key(self._playing, event):
            super().keyPressEvent(event)

    # What the commands ask for.

    @property
    def player(self) -> TrainingPlayer:
        return self._playing

    def change_speed(self, step: int) -> None:
        self.watch.slider.setValue(self.watch.slider.value() + step)

    def focus_first(self) -> None:
        (self.form.corpus if self.story is None else self.transport.scrubber).setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.watch.slider if self.story is not None else None
