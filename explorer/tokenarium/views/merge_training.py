"""The page Training of the workspace Merges: a tokenizer is trained, and its steps are played back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QElapsedTimer
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

import tokenarium_core as tc
from tokenarium.models.charts.chart import lower_first
from tokenarium.models.files import data_folder
from tokenarium.models.merges.training_story import StoryJob, TrainingStory, UnigramStory
from tokenarium.models.programs import MOST_TEXT, CodeValue, program
from tokenarium.models.text.text_file import TextFileError, read_text
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.training.asked_training import (
    CHANGING,
    CORPORA,
    FILE,
    LARGEST,
    RECORDED,
    RUNNERS_UP,
    SAMPLES,
    SELECTION,
    TEXT,
    AskedTraining,
    begun_story,
)
from tokenarium.session.row_writing import write_rows
from tokenarium.style.appearance import motion_enabled
from tokenarium.style.theme import CARD_MARGIN, GRID, MOTION_MS, PAGE_MARGIN, Theme
from tokenarium.views.kept import (
    Kept,
    index_below,
    kept_choice,
    kept_control,
    kept_fields,
    kept_split,
    kept_value,
    sort_of,
    text_of,
    watch_split,
    whole_number,
)
from tokenarium.views.workspace import NO_TEXT_HELP, PLAYER_BUTTONS, Page, Workspace
from tokenarium.widgets.areas import PageStack, StillArea
from tokenarium.widgets.file_dialogs import ask_file
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import Rule
from tokenarium.widgets.players.animation import Animation
from tokenarium.widgets.players.player_lane import LaneCard
from tokenarium.widgets.players.timed_player import TimedPlayer
from tokenarium.widgets.players.training_form import MergeTrainingForm
from tokenarium.widgets.players.training_stage import TrainingAnimation, TrainingStage
from tokenarium.widgets.players.training_tables import OVERVIEW, TABLES, TrainingTables
from tokenarium.widgets.players.transport import STEP_MS, Transport
from tokenarium.widgets.players.watch_speed import BY_KEY, WatchSpeed
from tokenarium_core.pretokenizers import PRE_TOKENIZERS
from tokenarium_core.progress import Progress
from tokenarium_core.training.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from tokenarium.views.decks import Deck

JOB = "training"
USUAL_RATE = 5
"""Merges per second that are shown at first."""

FASTEST_S = 1.5
"""Seconds for showing all merges as fast as possible, several in each frame."""


LOW = 60 * GRID
"""Pixels: in less height the form takes one line once something is trained."""

SHOWN = 16 * 1024
"""Bytes of the text that are shown as tokens."""

NOTHING = (
    "No training yet",
    "Choose a corpus, and train. Then you can look at every merge: the pairs that it was chosen from, what "
    "it does to the text, and how much the corpus is compressed.",
)
TO_TRAIN = (("train", "Train"),)
STALE = "Learned from the earlier text; train again to learn from this one."
NO_CORPUS = "There is nothing to learn from: {}."


class TrainingPlayer(TimedPlayer):
    """The player of a training: counts the visible merges."""

    @property
    def pace(self) -> float:
        return min(self.rate, self.length / FASTEST_S)

    @property
    def pace_ms(self) -> int:
        """How long each step is shown while it plays, in milliseconds."""
        return max(1, round(1000 / self.rate)) if self.rate else MOTION_MS

    def set_rate(self, rate: float) -> None:
        """Plays a number of merges a second; see `WatchSpeed`. With one merge a key, it does not play by itself."""
        self.rate = rate
        self._due = 0.0
        if rate == BY_KEY:
            self.pause()

    def play(self) -> None:
        """Plays to the end; starts from the beginning if it is at the end. With one merge a key, makes one step."""
        if self.rate != BY_KEY:
            super().play()
        elif self.length:
            self.rewind()
            self.go_to(self.position + 1)


AGAIN_S = 1.0
"""Seconds up to which the training of a scene is repeated; one that took longer is offered."""

OFFERED = (
    "A training was here",
    "{} learned from {}, which took {}. Train again to see it at the step where it was.",
)


class _Learning(NamedTuple):
    """The request of a training, and its text; ``counted``: all pairs are recorded."""

    asked: AskedTraining
    text: str
    counted: bool


PROGRAM = """
trainer = make_trainer(ALGORITHM, [TEXT], vocab_size=ENTRIES, record=RECORD, **OPTIONS)
trainer.run()
story = story_of(trainer, RECORD)
rows = rows_of(story.lines())
tokenizer = story.tokenizer_after(STEP)
"""

IMPORTS = """
from tokenarium.models.merges.training_story import story_of
from tokenarium.models.programs import rows_of
from tokenarium_core.training import make_trainer
"""


class MergeTrainingPage(Page):
    """The settings; below them the pairs or pieces, the curves and the text at one step; then the player."""

    id = "training"
    title = "Training"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.story: TrainingStory | None = None
        self.trainer: StoryJob | None = None  # while it trains
        self._text_map = self.session.text_map  # the visible part of the text
        self._file: Path | None = None
        self._seconds = 0.0  # that the training took
        self._offered: AskedTraining | None = None  # of a scene, and long
        self._wanted = -1  # the step to show after the training; -1: plays it
        self._took = QElapsedTimer()
        self.once_more = QAction("Train again", self)
        self.once_more.triggered.connect(self._train_offered)
        self._learning: _Learning | None = None  # of the last training that was started
        self._made_by: _Learning | None = None  # of the story
        self._playing = TrainingPlayer(self, float(USUAL_RATE))
        buttons = (("train", "Train"), ("keep_training", "Keep it"))
        self.form = MergeTrainingForm(list(PRE_TOKENIZERS), "cl100k", self.help_with(*buttons))
        self.stage = TrainingStage()
        self.sentence, self.measure = self.stage.sentence, self.stage.measure
        self.bars, self.curve, self.table = self.stage.bars, self.stage.curve, self.stage.table
        self.view = self.stage.view
        self.transport: Transport = Transport(self.help_with(*PLAYER_BUTTONS))
        self.watch = WatchSpeed(USUAL_RATE)
        self.transport.replace_speed(self.watch)
        self._pages = PageStack()
        self._build()
        self._connect()
        self._invite()

    def keeps(self) -> Iterable[Kept]:
        stage = self.stage
        named: list[object] = []  # the training that a scene names
        splits = (("aside", stage.aside), ("upper", stage.upper), ("split", stage.split))
        return (
            Kept("file", lambda: str(self._file) if self._file is not None else None, self._take_file),
            kept_choice("corpus", self.form.corpus),
            kept_control("algorithm", self.form.algorithm),
            kept_control("pattern", self.form.pattern),
            *kept_fields(self.form.controls),
            kept_control("rate", self.watch.slider),
            Kept("table", lambda: self.tables.wanted, lambda place: self.tables.choose(index_below(place, TABLES))),
            kept_control("filter", self.tables.filter),
            *(kept_split(name, split) for name, split in splits),
            kept_value("trained", AskedTraining, self._trained, lambda asked: self._show_trained(asked, named)),
            Kept("sorted", lambda: [list(order) for order in self.tables.sorts] or None, self._sort_tables),
            Kept("step", self._kept_step, lambda step: self._show_kept_step(step, bool(named))),
        )  # fmt: skip

    def _take_file(self, path: object) -> None:
        self._file = Path(text_of(path)) if path else None
        self.form.name_file(self._file.name if self._file is not None else "")

    def _sort_tables(self, sorts: object) -> bool:
        if not isinstance(sorts, list):
            raise TypeError
        self.tables.sort([sort_of(value) for value in sorts])
        return self.trainer is None

    @property
    def _request(self) -> AskedTraining | None:
        """The request of the last training, if its story is there and its corpus still exists."""
        return self._learning.asked if self._learning is not None and self._same_corpus else None

    def _trained(self) -> AskedTraining | None:
        """Returns the request of the current training, unless its corpus no longer exists."""
        request = self._request
        if self._offered is not None or request is None:
            return self._offered
        return replace(request, seconds=round(self._seconds, 3))

    def _show_trained(self, request: AskedTraining, named: list[object]) -> bool:
        """Repeats the training of a scene if it was short, or offers to do so; adds it to those ``named``."""
        whole_number(request.size)
        if request.corpus not in CORPORA or request.algorithm not in RECORDED:
            raise ValueError
        named.append(request)
        if self.trainer is not None:
            return False
        if request == self._request:
            return True
        if not isfinite(request.seconds):
            raise ValueError
        if request.seconds > AGAIN_S:
            self._offered = request
            self._forget_story()
            self._invite()
            return True
        self._train(request)
        return self.trainer is None

    def _drop_offer(self) -> None:
        """Stops offering a training whose text no longer exists."""
        if self._offered is not None and self._offered.corpus in CHANGING:
            self._offered, self._wanted = None, -1
            self._forget_refusal()

    def _train_offered(self) -> None:
        if self._offered is not None:
            self._train(self._offered)

    def _forget_story(self) -> None:
        self._playing.begin(0)
        self.story = self._made_by = None

    def _kept_step(self) -> int | None:
        if self._wanted >= 0:
            return self._wanted
        return self._playing.position if self._trained() is not None else None

    def _show_kept_step(self, step: object, named: bool) -> bool:
        """Shows a step; first trains with the settings if a scene names no training, and this one used others."""
        number = whole_number(step)
        request = self._request
        if not (named or self.trainer) and (
            request is None
            or (request.algorithm, request.size, request.options) != self.form.request()
        ):
            self.train()
        if self.trainer is not None or self._offered is not None:
            self._wanted = number
            return self.trainer is None
        if self.story is None:
            return True  # there is nothing to learn from
        self._playing.go_to(number, by_hand=True)
        self.bars.finish_motion()
        return True

    def marked_part(self, name: str) -> QWidget | None:
        if self._pages.currentWidget() is self.empty:
            return super().marked_part(name)
        parts: dict[str, QWidget] = {"stage": self.stage, "sentence": self.sentence}
        return {**parts, "player": self.transport, "queue": self.table}.get(name)

    def _build(self) -> None:
        self._still = StillArea(self.transport)
        self.tables = TrainingTables(self.stage.area)
        self.stage.set_body(self.tables)
        self._card = LaneCard()
        in_column(
            (self.stage, 1),
            Rule(),
            self._still,
            into=self._card,
            margins=(1, GRID // 2, 1, GRID // 2),
        )
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self._card)
        margins = (PAGE_MARGIN, 0, PAGE_MARGIN, CARD_MARGIN)
        in_column(self.form, (self._pages, 1), into=self, margins=margins)
        self._pages.currentChanged.connect(self._fold_form)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold_form()

    def _fold_form(self) -> None:
        """Gives the room of a low window to the training."""
        self.form.set_low(self.height() < LOW and self._pages.currentWidget() is self._card)

    def _connect(self) -> None:
        session, player = self.session, self._playing
        self.form.file_wanted.connect(self._choose_file)
        stage = self.stage
        for picked in (stage.curve.picked, stage.losses.picked, stage.table.picked):
            picked.connect(lambda position: player.go_to(position, by_hand=True))
        self.transport.set_player(player)
        self.watch.changed.connect(player.set_rate)
        self.watch.stepped.connect(lambda: player.step(1))
        player.moved.connect(lambda by: self._show(abs(by) == 1))
        self.tables.chosen.connect(self._show_overview)
        self.tables.write_wanted.connect(partial(write_rows, session))
        for other in (session.text_changed, session.selection_changed):
            other.connect(self._forget_refusal)
        self.form.corpus.currentIndexChanged.connect(self._forget_refusal)
        for split in (stage.aside, stage.upper, stage.split):
            watch_split(split)
        session.text_changed.connect(self._drop_offer)
        session.text_changed.connect(self._show_text)
        session.jobs.changed.connect(self._notice_a_stop)
        session.hover_changed.connect(self._light)
        self.view.hovered.connect(session.point_at)
        self.view.picked.connect(session.select)

    # Training.

    def train(self) -> None:
        """Trains on the chosen corpus; the story is there after the last slice."""
        self._wanted = -1
        file = str(self._file) if self._file is not None and self.form.chosen == FILE else ""
        self._train(AskedTraining(self.form.chosen, file, *self.form.request()))

    def _train(self, asked: AskedTraining) -> None:
        self._offered = None
        corpus = self._corpus(asked)
        if corpus is None:
            return
        try:
            self.trainer, counted = begun_story(asked, corpus)
        except tc.TokenariumError as error:
            self._refuse("The training cannot begin", str(error))
            return
        self._took.start()
        self._learning = _Learning(asked, corpus, counted)
        self._playing.pause()
        self._say("Training …", "Counting the corpus.")
        self.session.jobs.start(JOB, "Training", self.trainer, self._progressed, self._failed)

    def _corpus(self, asked: AskedTraining) -> str | None:
        """Returns the text to train on; None, with a message, if there is none."""
        chosen, session = asked.corpus, self.session
        missing = self._missing(chosen, asked.file)
        if missing:
            corpus = ""
        elif chosen == TEXT:
            corpus = session.text
        elif chosen == SELECTION:
            corpus = self._text_of(SELECTION)
        elif chosen == SAMPLES:
            from tokenarium.resources.samples_index import load_samples

            corpus = "\n".join(sample.text() for sample in load_samples())
        else:
            path = Path(asked.file)
            missing = f"{path.name} is empty. Choose another file"
            try:
                corpus = read_text(path)
            except TextFileError as error:
                self._refuse("The corpus cannot be read", str(error))
                return None
        size = len(corpus.encode("utf-8", "replace"))
        if size > LARGEST:
            reason = f"The corpus is {size / 1e6:,.0f} MB; here each merge looks at all pairs, so "
            self._refuse(
                "That is too much to play back", f"{reason}{LARGEST / 1e6:,.0f} MB is the limit."
            )
            return None
        if not corpus:
            self._refuse("No corpus", NO_CORPUS.format(missing))
            return None
        return corpus

    def _text_of(self, corpus: str) -> str:
        """Returns the text of a corpus that is a part of the window."""
        session = self.session
        if corpus == TEXT:
            return session.text
        return session.text_map.slice(*(session.selection or (0, 0)))

    def _missing(self, chosen: str, file: str) -> str:
        """Returns what a corpus lacks; "" if it can be used."""
        session = self.session
        if chosen == TEXT and not session.has_text:
            return "the text is empty. Type one above, or choose the samples"
        if chosen == SELECTION and session.selection is None:
            return "nothing is selected. Select a part of the text above"
        if chosen == FILE and not file:
            return "no file is chosen. Choose “A file …” again"
        return ""

    def _progressed(self, progress: Progress) -> None:
        trainer = self.trainer
        if trainer is None:
            return
        if progress.finished:
            self.trainer = None
            assert trainer.story is not None, "a finished job has its story"
            self._seconds = self._took.elapsed() / 1000
            self._begin(trainer.story)
        elif progress.phase.startswith("merging"):
            across = " across words" if progress.phase == "merging words" else ""
            sentence = f"Merge {progress.done:,} of {progress.total:,}{across}."
            self.empty.sentence.setText(sentence)
        elif progress.phase != "counting":
            self.empty.sentence.setText(f"{progress.phase.capitalize()}.")

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
        self._made_by = self._learning
        self.bars.motion = motion_enabled(explains=True)
        self._pages.setCurrentIndex(1)
        self.stage.set_story(story)
        self.tables.set_story(story.tables)
        self._cut_text()
        self._playing.begin(len(story))  # the last position may be after its end
        unigram = isinstance(story, UnigramStory)
        self.watch.set_unit("step" if unigram else "merge")
        if unigram and self._playing.rate > 1:  # few steps, each with much to read
            self.watch.set_rate(1)
            self._playing.set_rate(1)
        self._still.settle()
        if self._wanted >= 0:
            self._playing.go_to(self._wanted)
            self.bars.finish_motion()
            self._wanted = -1
        elif motion_enabled(explains=True) and self._playing.rate != BY_KEY:
            self._playing.play()  # it took a moment; now it is played at the chosen speed

    def keep(self) -> None:
        """Writes the trained tokenizer to a file and adds it to the library."""
        if self.story is None:
            return
        folder = data_folder() / "trained"
        tokenizer = self.story.tokenizer  # from the run: the form may have changed since
        size, number = len(tokenizer.vocabulary), 1
        name = (
            tokenizer.pre_tokenizer.name if self.story.algorithm == "bpe" else self.story.algorithm
        )
        name = name if name.replace("-", "").isalnum() else "own-pattern"
        while os.path.exists(path := folder / f"{name}-{size}-{number}.json"):
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

    def _choose_file(self) -> None:
        path = ask_file("texts", self, "A text to learn from", "All files (*)")
        if path:
            self._file = Path(path)
        self.form.name_file(self._file.name if self._file is not None else "")
        if self._file is None:
            self.form.choose(TEXT)
        self._forget_refusal()

    # Showing.

    def _lacking(self) -> str:
        """Returns what the corpus of the form lacks; "" if it can be used."""
        return self._missing(self.form.chosen, str(self._file or ""))

    def _say(self, title: str, sentence: str) -> None:
        """Shows a message with buttons that train, or that lead to a text if there is none."""
        missing = self._lacking()
        help_without = NO_TEXT_HELP if self.form.chosen == TEXT else ()
        self._pages.setCurrentIndex(0)
        self.empty.say(title, sentence, self.help_with(*(help_without if missing else TO_TRAIN)))

    def _invite(self) -> None:
        """Says how to begin, or what is missing, or that the training of a scene can be repeated."""
        if self._offered is not None:
            title, sentence = OFFERED
            request = self._offered
            took = f"{request.seconds:,.0f} seconds" if request.seconds >= 1.5 else "a second"
            corpus = Path(request.file).name or lower_first(CORPORA[request.corpus])
            message = sentence.format(ALGORITHMS[request.algorithm].title, corpus, took)
            self._pages.setCurrentIndex(0)
            self.empty.say(title, message, [(self.once_more, "Train again")])
            return
        missing = self._lacking()
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
        overview = self.tables.shown == OVERVIEW
        self.stage.show_step(position, slide, pace, STALE if self.stale else "", overview)
        if self.stale:
            self.measure.setText(f"{self.measure.text()} of the earlier text")
        self.tables.show_position(position)
        self.transport.show_step(position, len(story))

    def _show_overview(self, place: int) -> None:
        """Shows the step in the overview, which is not changed while a table is shown."""
        story = self.story
        if place == OVERVIEW and story is not None and self._playing.length == len(story):
            self._show()  # otherwise a training of another length is about to be shown

    @property
    def stale(self) -> bool:
        """Whether the text above has changed since the merges were learned from it."""
        made_by = self._made_by
        return made_by is not None and made_by.asked.corpus == TEXT and not self._same_corpus

    @property
    def _same_corpus(self) -> bool:
        """Whether there is a story, and the corpus of its training still exists."""
        made_by = self._made_by
        return made_by is not None and (
            made_by.asked.corpus not in CHANGING
            or made_by.text == self._text_of(made_by.asked.corpus)
        )

    def _show_text(self) -> None:
        self._cut_text()
        self._show()

    def _cut_text(self) -> None:
        if self.story is None:
            return
        text_map = self.session.text_map
        if text_map.byte_count > SHOWN:
            text_map = TextMap(text_map.slice(*text_map.characters(0, SHOWN)))
        self._text_map = text_map
        self.stage.set_text(text_map)

    def _light(self) -> None:
        self.view.set_pointed(*(self.session.hover or (-1, -1)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.story is None:
            event.ignore()
        else:
            super().keyPressEvent(event)

    # Queries of the commands.

    def python(self) -> str:
        learning = self._made_by
        if self.story is None or learning is None:
            return ""
        request, text = learning.asked, learning.text
        names, record = "PairRecord", f"PairRecord({RUNNERS_UP})"
        if ALGORITHMS[request.algorithm].scores_pieces:
            names = "UnigramRecord"
            record = "UnigramRecord()"
        elif learning.counted:
            names, record = "PairLedger, PairRecord", f"PairRecord({RUNNERS_UP}, PairLedger())"
        samples = request.corpus == SAMPLES and len(text) > MOST_TEXT
        values: dict[str, object] = {
            "algorithm": request.algorithm,
            "entries": request.size,
            "options": dict(request.options),
            "record": CodeValue(record, f"from tokenarium_core.training import {names}"),
            "step": self._playing.position,
        }
        if samples:
            values["text"] = CodeValue(
                '"\\n".join(sample.text() for sample in load_samples())',
                "from tokenarium.resources.samples_index import load_samples",
            )
        return program(
            self.title,
            IMPORTS,
            PROGRAM,
            text=None if samples else text,
            file=request.file or (self.session.file if text == self.session.text else ""),
            values={name.upper(): value for name, value in values.items()},
        )

    @property
    def player(self) -> TrainingPlayer:
        return self._playing

    def deck(self, theme: Theme) -> Deck | None:
        from tokenarium.views.step_decks import TrainingDeck

        story = self.story
        return TrainingDeck(story, self._text_map, self._playing) if story is not None else None

    def hide_answer(self, hide: bool) -> None:
        self.stage.hide_next(hide)

    @property
    def has_animation(self) -> bool:
        return self.story is not None and len(self.story) > 0

    def animation(self, theme: Theme) -> Animation | None:
        if self.story is None:
            return None
        rate = self._playing.rate
        step_ms = round(1000 / min(rate, USUAL_RATE)) if rate else 1000 // USUAL_RATE
        if isinstance(self.story, UnigramStory):
            step_ms = STEP_MS  # few steps, each with much to read
        position = self._playing.position
        return TrainingAnimation(self.story, self._text_map, position, step_ms)

    @property
    def pictured(self) -> QWidget:
        return self.stage

    def lines(self) -> list[list[str]]:
        return self.story.lines() if self.story is not None else []

    def focus_first(self) -> None:
        (self.form.corpus if self.story is None else self.transport.scrubber).setFocus()
